/* SPDX-License-Identifier: Apache-2.0 */
/* The older interface to snapshots. It reads the same snapshots; new clients use backups. */
#include "api/api.h"
#include "backup/schedule_document.h"
#include "base/json.h"
#include "family/backup/backups.h"

/* ---- Checkpoints ---- */

static const struct field checkpoint_part_fields[] = {
    TEXT("replicaSetName", "Name of the replica set.", READ_ONLY | ALWAYS),
    TEXT("typeName", "Always REPLICA_SET.", READ_ONLY | ALWAYS, .one_of = (const char *const[]){ "REPLICA_SET", NULL }),
    END_OF_FIELDS,
};
static const struct schema checkpoint_part_schema = { "LegacyCheckpointPart", "The part of one replica set.",
                                                      checkpoint_part_fields };

static const struct field checkpoint_fields[] = {
    ID("id", "Identifier of the checkpoint.", READ_ONLY | ALWAYS),
    ID("clusterId", "Identifier of the cluster.", READ_ONLY | ALWAYS),
    ID("groupId", "Identifier of the project.", READ_ONLY | ALWAYS),
    DATE("timestamp", "The moment of the checkpoint.", READ_ONLY | ALWAYS),
    DATE("started", "When it began.", READ_ONLY | ALWAYS),
    DATE("completed", "When it was ready.", READ_ONLY),
    BOOL("restorable", "Whether it can be restored.", READ_ONLY | ALWAYS),
    LIST("parts", "What it consists of.", READ_ONLY | ALWAYS, .of = &checkpoint_part_schema),
    END_OF_FIELDS,
};
static const struct schema checkpoint_schema = { "LegacyCheckpoint", "A moment between snapshots that can be restored.",
                                                 checkpoint_fields };

/* ---- The schedule ---- */

static const struct field legacy_schedule_fields[] = {
    ID("clusterId", "Identifier of the cluster.", READ_ONLY | ALWAYS),
    ID("groupId", "Identifier of the project.", READ_ONLY | ALWAYS),
    INTEGER("snapshotIntervalHours", "Hours between two snapshots: 6, 8, 12 or 24.", ALWAYS, .min = 6, .max = 24),
    INTEGER("snapshotRetentionDays", "For how many days each snapshot is kept.", ALWAYS, .min = 2, .max = 5),
    INTEGER("dailySnapshotRetentionDays", "For how many days one snapshot of each day is kept; 0 for none.", ALWAYS,
            .min = 0, .max = 360),
    INTEGER("weeklySnapshotRetentionWeeks", "For how many weeks one snapshot of each week is kept; 0 for none.", ALWAYS,
            .min = 0, .max = 52),
    INTEGER("monthlySnapshotRetentionMonths", "For how many months one snapshot of each month is kept; 0 for none.",
            ALWAYS, .min = 0, .max = 36),
    INTEGER("pointInTimeWindowHours", "How many hours back any moment can be restored.", ALWAYS, .min = 1, .max = 8760),
    INTEGER("clusterCheckpointIntervalMin", "Minutes between two checkpoints: 15, 30 or 60.", ALWAYS, .min = 15,
            .max = 60),
    END_OF_FIELDS,
};
static const struct schema legacy_schedule_schema = { "LegacySnapshotSchedule", "A schedule, in the older form.",
                                                      legacy_schedule_fields };

/* ---- Snapshots ---- */

static const struct field legacy_moment_fields[] = {
    DATE("date", "The moment.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema legacy_moment_schema = { "LegacyMoment", "A moment, in the older form.",
                                                    legacy_moment_fields };

static const struct field legacy_snapshot_part_fields[] = {
    TEXT("replicaSetName", "Name of the replica set.", READ_ONLY | ALWAYS),
    TEXT("typeName", "Always REPLICA_SET.", READ_ONLY | ALWAYS, .one_of = (const char *const[]){ "REPLICA_SET", NULL }),
    TEXT("replicaState", "Role of the member from which it was taken.", READ_ONLY,
         .one_of = (const char *const[]){ "PRIMARY", "SECONDARY", NULL }),
    TEXT("serverVersion", "Version of the server when it was taken.", READ_ONLY, .example = "\"17.2\""),
    DATE("completedTime", "When it was taken.", READ_ONLY),
    INTEGER("dataSizeBytes", "Size of the data.", READ_ONLY),
    INTEGER("fileSizeBytes", "Size of the files.", READ_ONLY),
    INTEGER("storageSizeBytes", "Disk space that it uses.", READ_ONLY),
    TEXT("compressionSetting", "Whether the files are compressed.", READ_ONLY,
         .one_of = (const char *const[]){ "NONE", "GZIP", NULL }),
    END_OF_FIELDS,
};
static const struct schema legacy_snapshot_part_schema = { "LegacySnapshotPart", "The part of one replica set.",
                                                           legacy_snapshot_part_fields };

static const struct field legacy_snapshot_fields[] = {
    ID("id", "Identifier of the snapshot.", READ_ONLY | ALWAYS),
    ID("clusterId", "Identifier of the cluster.", READ_ONLY | ALWAYS),
    TEXT("clusterName", "Name of the cluster.", READ_ONLY | ALWAYS),
    ID("groupId", "Identifier of the project.", READ_ONLY | ALWAYS),
    BOOL("complete", "Whether it can be restored.", READ_ONLY | ALWAYS),
    BOOL("incremental", "Whether it builds on an earlier one.", READ_ONLY | ALWAYS),
    BOOL("doNotDelete", "Whether it is kept for good.", ALWAYS),
    DATE("expires", "Until when it is kept.", 0),
    OBJECT("created", "When it was taken.", READ_ONLY | ALWAYS, .of = &legacy_moment_schema),
    LIST("parts", "What it consists of.", READ_ONLY | ALWAYS, .of = &legacy_snapshot_part_schema),
    END_OF_FIELDS,
};
static const struct schema legacy_snapshot_schema = { "LegacySnapshot", "A snapshot, in the older form.",
                                                      legacy_snapshot_fields };

static const struct field legacy_snapshot_query[] = {
    TEXT("completed", "Whether to list snapshots that are complete, those that are not, or all.", 0,
         .one_of = (const char *const[]){ "true", "false", "all", NULL }, .fallback = "\"true\""),
    END_OF_FIELDS,
};

static const struct read legacy_schedule_get;
static handler legacy_schedule_update;

// clang-format off
static const struct field checkpoint_path[] = { ID("checkpointId", "Identifier of the checkpoint.", 0), END_OF_FIELDS };

static const struct endpoint legacy_backups_endpoints[] = {
    { GET, "/groups/{groupId}/clusters/{clusterName}/backupCheckpoints", S37, ANY_OF(PROJECT_READ_ONLY),
      "listGroupClusterBackupCheckpoints",
      "Return all backup checkpoints of one cluster",
      "Lists moments between two snapshots at which all shards agree, so that they can be restored together. A cluster that is one replica set needs none: any "
      "moment of it can be restored.",
      .shape = SHAPE_LIST, .flags = DEPRECATED,
      .item = "/groups/{groupId}/clusters/{clusterName}/backupCheckpoints/{checkpointId}", .waits_for = SHARDS,
      .response = &checkpoint_schema },
    { GET, "/groups/{groupId}/clusters/{clusterName}/backupCheckpoints/{checkpointId}", S37,
      ANY_OF(PROJECT_READ_ONLY), "getGroupClusterBackupCheckpoint",
      "Return one backup checkpoint",
      "Returns one checkpoint with the parts of all shards.",
      .flags = DEPRECATED, .waits_for = SHARDS,
      .path_fields = checkpoint_path, .response = &checkpoint_schema },
    { GET, "/groups/{groupId}/clusters/{clusterName}/snapshotSchedule", S37, ANY_OF(PROJECT_READ_ONLY),
      "getGroupClusterSnapshotSchedule",
      "Return the legacy snapshot schedule of one cluster",
      "Returns the schedule in the older form. Use the backup schedule instead.",
      .flags = DEPRECATED, .read = &legacy_schedule_get,
      .response = &legacy_schedule_schema },
    { PATCH, "/groups/{groupId}/clusters/{clusterName}/snapshotSchedule", S37, ANY_OF(PROJECT_OWNER),
      "updateGroupClusterSnapshotSchedule",
      "Update the legacy snapshot schedule of one cluster",
      "Changes the schedule in the older form. Use the backup schedule instead.",
      .flags = DEPRECATED, .run = legacy_schedule_update,
      .request = &legacy_schedule_schema, .response = &legacy_schedule_schema,
      .example = "{\"snapshotIntervalHours\": 12, \"snapshotRetentionDays\": 3}" },
    { GET, "/groups/{groupId}/clusters/{clusterName}/snapshots", S37, ANY_OF(PROJECT_READ_ONLY),
      "listGroupClusterSnapshots",
      "Return all legacy snapshots of one cluster",
      "Lists snapshots in the older form. Use the snapshots under backup instead.",
      .shape = SHAPE_LIST, .flags = DEPRECATED,
      .item = "/groups/{groupId}/clusters/{clusterName}/snapshots/{snapshotId}", .read = &legacy_snapshot_list,
      .query = legacy_snapshot_query, .response = &legacy_snapshot_schema },
    { DELETE, "/groups/{groupId}/clusters/{clusterName}/snapshots/{snapshotId}", S37, ANY_OF(PROJECT_OWNER),
      "deleteGroupClusterSnapshot",
      "Delete one legacy snapshot",
      "Deletes the snapshot before its time. Moments that can be restored only from it are lost.",
      .shape = SHAPE_NOTHING, .flags = LOSES_DATA | DEPRECATED, .run = legacy_snapshot_delete,
      .path_fields = snapshot_path },
    { GET, "/groups/{groupId}/clusters/{clusterName}/snapshots/{snapshotId}", S37, ANY_OF(PROJECT_READ_ONLY),
      "getGroupClusterSnapshot",
      "Return one legacy snapshot",
      "Returns one snapshot in the older form.",
      .flags = DEPRECATED, .read = &legacy_snapshot_get,
      .path_fields = snapshot_path, .response = &legacy_snapshot_schema },
    { PATCH, "/groups/{groupId}/clusters/{clusterName}/snapshots/{snapshotId}", S37, ANY_OF(PROJECT_OWNER),
      "updateGroupClusterSnapshot",
      "Update the end date of one legacy snapshot",
      "Changes how long the snapshot is kept, or keeps it for good.",
      .flags = DEPRECATED, .run = legacy_snapshot_update,
      .path_fields = snapshot_path, .request = &legacy_snapshot_schema, .response = &legacy_snapshot_schema,
      .example = "{\"expires\": \"2030-01-01T00:00:00Z\"}" },
};
// clang-format on

FAMILY(legacy_backups_family, "legacy-backups", "Legacy backups",
       "The older interface to snapshots and checkpoints, kept for clients that still use it.",
       legacy_backups_endpoints);

/* ---- The schedule ---- */

/* A field of the older form, and which values it can have; 0 at the end. */
struct legacy_field {
    const char *name;
    int values[24];
};
static const struct legacy_field legacy_values[] = {
    { "snapshotIntervalHours", { 6, 8, 12, 24 } },
    { "snapshotRetentionDays", { 2, 3, 4, 5 } },
    { "dailySnapshotRetentionDays", { 3, 4, 5, 6, 7, 15, 30, 60, 90, 120, 180, 360 } },
    { "weeklySnapshotRetentionWeeks", { 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 52 } },
    { "monthlySnapshotRetentionMonths", { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 18, 24, 36 } },
    { "clusterCheckpointIntervalMin", { 15, 30, 60 } },
};
enum { OFTEN_FIELDS = 2 /* of the above: there 0 does not mean that there is no rule */, CHECKPOINT_FIELD = 5 };

static error
check_values(struct request *req)
{
    for (size_t i = 0; i < LENGTH(legacy_values); i++) {
        const json_t *sent = json_object_get(req->body, legacy_values[i].name);
        bool is_fine = sent == NULL || (json_integer_value(sent) == 0 && i >= OFTEN_FIELDS && i < CHECKPOINT_FIELD);
        for (const int *value = legacy_values[i].values; !is_fine && *value != 0; value++)
            is_fine = json_integer_value(sent) == *value;
        if (!is_fine)
            return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(legacy_values[i].name),
                        V("the older form does not have this value: use the backup schedule"));
    }
    return OK;
}

static json_t *
find_rule(const json_t *items, const char *frequency)
{
    size_t index;
    json_t *item;
    json_array_foreach(items, index, item)
    {
        if (str_is(json_str(json_object_get(item, "frequencyType")), frequency))
            return item;
    }
    return NULL;
}

/* The older form cannot say everything that a schedule can have: the nearest that it can. */
static json_int_t
within(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* How long a rule keeps in another unit, rounded down; 0 without a rule. */
static int64_t
kept(const json_t *rule, enum schedule_unit unit)
{
    static const int64_t days[] = {
        [SCHEDULE_DAYS] = 1, [SCHEDULE_WEEKS] = 7, [SCHEDULE_MONTHS] = 30, [SCHEDULE_YEARS] = 365
    };
    struct schedule_item item;
    if (rule == NULL || !schedule_document_item(rule, &item))
        return 0;
    if (item.unit == SCHEDULE_YEARS && unit == SCHEDULE_MONTHS)
        return item.value * INT64_C(12);
    return item.value * days[item.unit] / days[unit];
}

static void
answer_legacy(struct request *req, const json_t *schedule, int64_t revision)
{
    const json_t *items = schedule_document_items(schedule), *hourly = find_rule(items, "hourly"),
                 *daily = find_rule(items, "daily");
    json_t *shown = json_in(
        req->arena,
        json_pack("{s:O, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:i}", "clusterId", json_object_get(schedule, "clusterId"),
                  "groupId", id_text(req->arena, req->project).data, "snapshotIntervalHours",
                  hourly == NULL ? (json_int_t)24
                                 : within(json_integer_value(json_object_get(hourly, "frequencyInterval")), 6, 12),
                  "snapshotRetentionDays", within(kept(hourly == NULL ? daily : hourly, SCHEDULE_DAYS), 2, 5),
                  "dailySnapshotRetentionDays", within(kept(daily, SCHEDULE_DAYS), 0, 360),
                  "weeklySnapshotRetentionWeeks", within(kept(find_rule(items, "weekly"), SCHEDULE_WEEKS), 0, 52),
                  "monthlySnapshotRetentionMonths", within(kept(find_rule(items, "monthly"), SCHEDULE_MONTHS), 0, 36),
                  "pointInTimeWindowHours", json_integer_value(json_object_get(schedule, "restoreWindowDays")) * 24,
                  "clusterCheckpointIntervalMin", 15));
    answer_entity(req, json_text(req->arena, shown), revision);
}

static error
answer_read(struct request *req, const struct rows *rows)
{
    json_t *document;
    TRY(schedule_found(req, rows, &document));
    answer_legacy(req, document, rows_int(rows, 0, C_REVISION));
    return OK;
}

static const struct read legacy_schedule_get = { SQL_BACKUP_SCHEDULE_GET, schedule_bind, answer_read };

/* The rule of a frequency keeps for so long; 0: there is none. `interval` is that of a rule which is not there yet. */
static void
set_rule(json_t *items, const char *frequency, int interval, const char *unit, json_int_t value)
{
    json_t *rule = find_rule(items, frequency);
    if (value == 0) {
        for (size_t i = json_array_size(items); i-- > 0;) {
            if (json_array_get(items, i) == rule)
                json_array_remove(items, i);
        }
        return;
    }
    if (rule == NULL) {
        rule = json_pack("{s:s, s:i}", "frequencyType", frequency, "frequencyInterval", interval);
        json_array_append_new(items, rule);
    }
    json_object_set_new(rule, "retentionUnit", json_string(unit));
    json_object_set_new(rule, "retentionValue", json_integer(value));
}

/* What was sent, else what was there before. */
static json_int_t
sent_or(struct request *req, const char *field, int64_t otherwise)
{
    const json_t *sent = json_object_get(req->body, field);
    return sent == NULL ? (json_int_t)otherwise : json_integer_value(sent);
}

/* Only the rules that the older form knows are changed, and of them only what was sent. */
static void
change_rules(struct request *req, json_t *items)
{
    const json_t *hourly = find_rule(items, "hourly"), *daily = find_rule(items, "daily");
    json_int_t interval =
        sent_or(req, "snapshotIntervalHours", json_integer_value(json_object_get(hourly, "frequencyInterval")));
    if (json_object_get(req->body, "snapshotIntervalHours") != NULL ||
        json_object_get(req->body, "snapshotRetentionDays") != NULL) {
        bool is_daily = interval == 24 || interval == 0;
        json_int_t days = sent_or(req, "snapshotRetentionDays", kept(hourly == NULL ? daily : hourly, SCHEDULE_DAYS));
        set_rule(items, "hourly", (int)interval, "days", is_daily ? 0 : days);
        if (!is_daily)
            json_object_set_new(find_rule(items, "hourly"), "frequencyInterval", json_integer(interval));
        else if (daily == NULL || json_object_get(req->body, "snapshotRetentionDays") != NULL)
            set_rule(items, "daily", 1, "days", days);
    }
    if (json_object_get(req->body, "dailySnapshotRetentionDays") != NULL)
        set_rule(items, "daily", 1, "days", sent_or(req, "dailySnapshotRetentionDays", 0));
    if (json_object_get(req->body, "weeklySnapshotRetentionWeeks") != NULL)
        set_rule(items, "weekly", 6, "weeks", sent_or(req, "weeklySnapshotRetentionWeeks", 0));
    if (json_object_get(req->body, "monthlySnapshotRetentionMonths") != NULL)
        set_rule(items, "monthly", SCHEDULE_LAST_DAY, "months", sent_or(req, "monthlySnapshotRetentionMonths", 0));
}

static error
legacy_schedule_update(struct request *req)
{
    struct schedule_change change;
    const json_t *hours = json_object_get(req->body, "pointInTimeWindowHours");
    TRY(check_values(req));
    TRY(schedule_take(req, &change));
    json_t *items = schedule_document_items(change.after);
    if (items == NULL)
        return fail(req->arena, INTERNAL_ERROR);
    change_rules(req, items);
    if (hours != NULL)
        json_object_set_new(change.after, "restoreWindowDays", json_integer((json_integer_value(hours) + 23) / 24));
    TRY(schedule_store(req, &change));
    answer_legacy(req, change.after, change.revision);
    return OK;
}
