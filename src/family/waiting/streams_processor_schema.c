/* SPDX-License-Identifier: Apache-2.0 */
/* What happens between connections. */
#include "family/access/database_roles.h"
#include "family/waiting/streams.h"

static const struct field dead_letter_fields[] = {
    TEXT("connectionName", "Connection to a cluster.", REQUIRED | ALWAYS, .min = 1, .max = 64, .pattern = STREAM_NAME,
         .example = "\"archive\""),
    TEXT("db", "Database in the cluster.", REQUIRED | ALWAYS, .min = 1, .max = 63, .pattern = DATABASE_NAME,
         .example = "\"shop\""),
    TEXT("coll", "Table in the database.", REQUIRED | ALWAYS, .min = 1, .max = 127, .pattern = TABLE_NAME,
         .example = "\"rejected\""),
    END_OF_FIELDS,
};
static const struct schema dead_letter_schema = { "StreamDeadLetters", "Where messages that cannot be handled go.",
                                                  dead_letter_fields };

static const struct field option_fields[] = {
    OBJECT("dlq", "Where messages that cannot be handled go. Without it they are dropped.", 0,
           .of = &dead_letter_schema),
    END_OF_FIELDS,
};
static const struct schema option_schema = { "StreamProcessorOptions", "How a processor works.", option_fields };

#define PIPELINE_FIELD(flags)                                                                                          \
    LIST("pipeline", "The steps: a source first, then what is done, then a target. Each is an object with one field.", \
         flags, .item = TYPE_OBJECT, .min = 1, .max = 1000,                                                            \
         .example = "[{\"$source\": {\"connectionName\": \"incoming\"}}]")
#define TIER_FIELD STREAM_TIER_FIELD("tier", "Size, one that the operator offers; by default that of the workspace.")
#define FAILOVER_FIELD \
    BOOL("failoverEnabled", "Whether it may be started in another region when its own fails.", 0, .fallback = "false")

static const struct field processor_fields[] = {
    ID("_id", "Identifier of the processor.", READ_ONLY | ALWAYS),
    STREAM_NAME_FIELD("Name of the processor, unique in the workspace.", REQUIRED | ALWAYS, "totals"),
    PIPELINE_FIELD(REQUIRED | ALWAYS),
    OBJECT("options", "How it works.", 0, .of = &option_schema),
    TIER_FIELD,
    FAILOVER_FIELD,
    BOOL("eligibleForFailover", "Whether it could be started in another region now.", READ_ONLY),
    TEXT("state", "Whether it runs.", READ_ONLY | ALWAYS),
    OBJECT("stats", "Counters of what it did since it was started.", READ_ONLY),
    END_OF_FIELDS,
};
const struct schema stream_processor_schema = { "StreamProcessor",
                                                "A pipeline that reads messages, changes them and writes them to a "
                                                "target.",
                                                processor_fields };

static const struct field option_change_fields[] = {
    OBJECT("dlq", "Where messages that cannot be handled go.", 0, .of = &dead_letter_schema),
    BOOL("resumeFromCheckpoint", "Whether the changed pipeline continues where the old one stopped.", 0,
         .fallback = "true"),
    END_OF_FIELDS,
};
static const struct schema option_change_schema = { "StreamProcessorOptionsChange", "New options of a processor.",
                                                    option_change_fields };
static const struct field processor_change_fields[] = {
    STREAM_NAME_FIELD("New name of the processor.", 0, "totals"),
    PIPELINE_FIELD(0),
    OBJECT("options", "New options.", 0, .of = &option_change_schema),
    TIER_FIELD,
    FAILOVER_FIELD,
    END_OF_FIELDS,
};
const struct schema stream_processor_change_schema = { "StreamProcessorChange", "A change of a processor.",
                                                       processor_change_fields };

static const struct field failover_fields[] = {
    TEXT("region", "Region in which it is started: one of the workspace's failover regions.", REQUIRED, .min = 1,
         .max = 63, .example = "\"EU_SOUTH\""),
    TEXT("mode", "GRACEFUL writes a checkpoint in the old region first; FORCED does not.", 0, .one_of = STREAM_MODES,
         .fallback = "\"GRACEFUL\""),
    BOOL("clearCheckpoint", "Whether it starts from the beginning instead of its last checkpoint.", 0,
         .fallback = "false"),
    BOOL("dryRun", "Whether to only check that it could be done.", 0, .fallback = "false"),
    END_OF_FIELDS,
};
static const struct schema failover_schema = { "StreamProcessorFailover", "A start in another region.",
                                               failover_fields };
static const struct field start_fields[] = {
    BOOL("resumeFromCheckpoint", "Whether it continues from its last checkpoint.", 0, .fallback = "true"),
    DATE("startAtOperationTime", "Moment from which changes of a cluster are read, instead of a checkpoint.", 0,
         .example = "\"2025-03-12T10:15:30Z\""),
    TIER_FIELD,
    OBJECT("failover", "Start in another region.", 0, .of = &failover_schema),
    END_OF_FIELDS,
};
const struct schema stream_processor_start_schema = { "StreamProcessorStart", "How a processor is started.",
                                                      start_fields };
