/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of schedules, of the policy that protects backups, and of places outside. docs/internals/contract.md says
 * which fields of the specification were left out, and why.
 */
#include "base/net/bucket.h"
#include "family/backup/backups.h"
#include "family/identity/people.h"

enum { LONGEST_RETENTION = 3650, LONGEST_WINDOW_DAYS = 365, MOST_RULES = 20, MOST_COPIES = 5 };

static const char *const frequencies[] = { "hourly", "daily", "weekly", "monthly", "yearly", NULL };
static const char *const copied_frequencies[] = {
    "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY", "ON_DEMAND", NULL,
};
static const char *const export_frequencies[] = { "monthly", "yearly", NULL };
static const char *const retention_units[] = { "days", "weeks", "months", "years", NULL };

/* ---- Export buckets ---- */

static const struct field export_bucket_fields[] = {
    ID("_id", "Identifier of the export bucket.", READ_ONLY | ALWAYS),
    TEXT("bucketName", "Name of the bucket in object storage.", REQUIRED | CREATE_ONLY | ALWAYS, .min = 3, .max = 63,
         .pattern = BUCKET_NAME_PATTERN, .example = "\"reeve-exports\""),
    TEXT("cloudProvider",
         "How the store is spoken to. AWS: any store that speaks S3. AZURE and GCP are refused: register a store that "
         "speaks S3 instead.",
         REQUIRED | CREATE_ONLY | ALWAYS, .one_of = (const char *const[]){ "AWS", "AZURE", "GCP", NULL }),
    ID("iamRoleId",
       "A role of the project (`cloudProviderAccess`) that writes to the bucket, in place of `serviceUrl` and keys. The bucket is the role's.",
       CREATE_ONLY),
    TEXT("prefixPath", "What the names of all objects begin with: of a bucket with a role, the role's prefix.",
         READ_ONLY),
    TEXT(
        "serviceUrl",
        "https address of the store, without a path: the bucket is a folder of it. Its name must resolve to public "
        "addresses only, unless the operator allows others. With a role it is that of the operator's store, and not sent.",
        CREATE_ONLY | ALWAYS, .min = 9, .max = 512, .pattern = "^https://[A-Za-z0-9.:\\[\\]-]+$",
        .example = "\"https://objects.example.org\""),
    TEXT("region", "Region of the bucket, by its store's own name.", CREATE_ONLY | ALWAYS, .min = 1, .max = 63,
         .pattern = "^[a-z0-9-]+$", .fallback = "\"us-east-1\"", .example = "\"eu-north\""),
    TEXT("accessKeyId", "Name of the key that may write to the bucket. Without a role it is required.", WRITE_ONLY,
         .min = 1, .max = 128, .pattern = "^[A-Za-z0-9._/+=@-]+$", .example = "\"EXPORTER\""),
    TEXT("secretAccessKey",
         "The key itself. Only the repository host that writes an export is told. Without a role it is required.",
         WRITE_ONLY, .min = 1, .max = 256, .pattern = "^[!-~]+$", .example = "\"0123456789abcdef\""),
    BOOL("requirePrivateNetworking",
         "Whether the bucket is reached only through a private endpoint; true is refused, because there are none.",
         ALWAYS, .fallback = "false"),
    END_OF_FIELDS,
};
const struct schema export_bucket_schema = { "BackupExportBucket", "A bucket in object storage for exported snapshots.",
                                             export_bucket_fields };

/* ---- Private endpoints ---- */

static const struct field backup_endpoint_fields[] = {
    ID("id", "Identifier of the private endpoint.", READ_ONLY | ALWAYS),
    TEXT("cloudProvider", "Provider of the object storage, as in the path.", READ_ONLY | ALWAYS),
    TEXT("regionName", "Region of the object storage, by the name that the operator gave.",
         REQUIRED | CREATE_ONLY | ALWAYS, .min = 1, .max = 63, .example = "\"EU_NORTH\""),
    TEXT("status", "Current state.", READ_ONLY | ALWAYS,
         .one_of = (const char *const[]){ "INITIATING", "PENDING_ACCEPTANCE", "ACTIVE", "FAILED", "PENDING_RECREATION",
                                          "DELETING", NULL }),
    TEXT("privateEndpointConnectionName", "Name of the connection at the provider.", READ_ONLY),
    TEXT("errorMessage", "Why it failed.", READ_ONLY),
    END_OF_FIELDS,
};
const struct schema backup_endpoint_schema = { "BackupPrivateEndpoint", "A private connection to object storage.",
                                               backup_endpoint_fields };

/* ---- Rules: how often, and how long it is kept ---- */

static const struct field policy_item_fields[] = {
    ID("id", "Identifier of the rule.", READ_ONLY | ALWAYS),
    TEXT("frequencyType", "Unit of the rule.", REQUIRED | ALWAYS, .one_of = frequencies),
    INTEGER("frequencyInterval",
            "For hours: the number of hours between snapshots. Else the day of the week (1 is Monday), the day of "
            "the month (40 is the last) or the month of the year. A daily rule has 1.",
            REQUIRED | ALWAYS, .min = 1, .max = 40, .example = "6"),
    TEXT("retentionUnit", "Unit of the retention.", REQUIRED | ALWAYS, .one_of = retention_units),
    INTEGER("retentionValue", "For how many of these units a snapshot is kept.", REQUIRED | ALWAYS, .min = 1,
            .max = LONGEST_RETENTION, .example = "7"),
    END_OF_FIELDS,
};
static const struct schema policy_item_schema = { "BackupPolicyItem",
                                                  "How often a snapshot is taken, and how long it is kept.",
                                                  policy_item_fields };

static const struct field on_demand_item_fields[] = {
    ID("id", "Identifier of the rule.", READ_ONLY | ALWAYS),
    TEXT("frequencyType", "Always ondemand.", ALWAYS, .one_of = (const char *const[]){ "ondemand", NULL },
         .fallback = "\"ondemand\""),
    TEXT("retentionUnit", "Unit of the retention.", REQUIRED | ALWAYS, .one_of = retention_units),
    INTEGER("retentionValue", "For how many of these units a snapshot is kept at least.", REQUIRED | ALWAYS, .min = 1,
            .max = LONGEST_RETENTION, .example = "7"),
    END_OF_FIELDS,
};
static const struct schema on_demand_item_schema = { "BackupOnDemandPolicyItem",
                                                     "How long a snapshot on demand is kept.", on_demand_item_fields };

/* ---- The compliance policy ---- */

static const struct field compliance_fields[] = {
    TEXT("authorizedEmail", "Address of the person who may end the policy.", REQUIRED | ALWAYS, .min = 3, .max = 254,
         .pattern = USERNAME_PATTERN, .example = "\"security@example.org\""),
    TEXT("authorizedUserFirstName", "First name of that person.", REQUIRED | ALWAYS, .min = 1, .max = 100,
         .example = "\"Ada\""),
    TEXT("authorizedUserLastName", "Last name of that person.", REQUIRED | ALWAYS, .min = 1, .max = 100,
         .example = "\"Byron\""),
    BOOL(
        "copyProtectionEnabled",
        "Whether copies in other regions are protected as well. They are in any case: a region with a protected copy cannot be "
        "deleted.",
        ALWAYS, .fallback = "false"),
    BOOL("encryptionAtRestEnabled", "Whether every cluster must keep its data encrypted with the project's key.",
         ALWAYS, .fallback = "false"),
    BOOL("pitEnabled", "Whether every cluster must keep its write-ahead log, so that any moment can be restored.",
         ALWAYS, .fallback = "false"),
    INTEGER("restoreWindowDays", "How many days back any moment must be restorable.", 0, .min = 1,
            .max = LONGEST_WINDOW_DAYS, .example = "7"),
    OBJECT("onDemandPolicyItem", "The minimum retention of snapshots on demand.", 0, .of = &on_demand_item_schema),
    LIST("scheduledPolicyItems", "The minimum rules of every schedule.", ALWAYS, .of = &policy_item_schema,
         .max = MOST_RULES, .fallback = "[]"),
    ID("projectId", "Identifier of the project.", READ_ONLY | ALWAYS),
    BOOL("deletable", "Whether the policy can be ended now.", READ_ONLY | ALWAYS),
    TEXT("state", "Whether the policy is in force or being applied.", READ_ONLY | ALWAYS,
         .one_of = (const char *const[]){ "ACTIVE", "ENABLING", "UPDATING", "DISABLING", NULL }),
    DATE("updatedDate", "When it was last changed.", READ_ONLY | ALWAYS),
    TEXT("updatedUser", "Who last changed it.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
const struct schema compliance_schema = { "BackupCompliancePolicy",
                                          "The minimum schedule and retention for clusters of a project.",
                                          compliance_fields };

const struct field compliance_query[] = {
    BOOL("overwriteBackupPolicies",
         "Whether schedules below the policy are changed to meet it; else the policy is refused.", 0,
         .fallback = "true"),
    END_OF_FIELDS,
};

/* ---- The schedule of a cluster ---- */

static const struct field copy_fields[] = {
    TEXT("cloudProvider", "Provider of the storage for the copy, by the name that the operator gave.",
         REQUIRED | ALWAYS, .min = 1, .max = 32, .example = "\"ONPREM\""),
    TEXT("regionName", "Region of the copy, by the name that the operator gave.", REQUIRED | ALWAYS, .min = 1,
         .max = 63, .example = "\"EU_SOUTH\""),
    LIST("frequencies", "Which snapshots are copied. Beside them there is a full backup with which the copies begin.",
         REQUIRED | ALWAYS, .item = TYPE_TEXT, .min = 1, .max = 6, .one_of = copied_frequencies,
         .example = "[\"DAILY\"]"),
    BOOL(
        "shouldCopyOplogs",
        "Whether the write-ahead log is kept there as long as `restoreWindowDays` says, so that any moment can be restored "
        "from there. Without it what is older than the newest full backup there goes, but for what snapshots need.",
        ALWAYS, .fallback = "false"),
    END_OF_FIELDS,
};
static const struct schema copy_schema = { "BackupCopySetting", "Which snapshots are copied to which region.",
                                           copy_fields };

static const struct field deleted_copy_fields[] = {
    TEXT("cloudProvider", "Provider of the storage for the copies.", REQUIRED, .min = 1, .max = 32,
         .example = "\"ONPREM\""),
    TEXT("regionName", "Region whose copies are deleted.", REQUIRED, .min = 1, .max = 63, .example = "\"EU_SOUTH\""),
    END_OF_FIELDS,
};
static const struct schema deleted_copy_schema = { "BackupDeletedCopies", "Copies to delete.", deleted_copy_fields };

static const struct field schedule_export_fields[] = {
    ID("exportBucketId", "Identifier of an export bucket of the project.", REQUIRED | ALWAYS),
    TEXT("frequencyType", "Which snapshots are exported: each of them once.", REQUIRED | ALWAYS,
         .one_of = export_frequencies),
    TEXT("format", "In which form, as of an export that is asked for. An extension of this service.", ALWAYS,
         .one_of = export_formats, .fallback = "\"DUMP\""),
    END_OF_FIELDS,
};
static const struct schema schedule_export_schema = { "BackupScheduleExport",
                                                      "What is exported automatically, and where to.",
                                                      schedule_export_fields };

static const struct field extra_retention_fields[] = {
    TEXT("frequencyType", "Which snapshots are kept longer.", REQUIRED | ALWAYS, .one_of = copied_frequencies),
    INTEGER("retentionDays", "How many days longer.", REQUIRED | ALWAYS, .min = 1, .max = LONGEST_RETENTION,
            .example = "7"),
    END_OF_FIELDS,
};
static const struct schema extra_retention_schema = { "BackupExtraRetention",
                                                      "How much longer snapshots are kept than their rule says.",
                                                      extra_retention_fields };

static const struct field policy_fields[] = {
    ID("id", "Identifier of the policy. If it is sent, it must be that of the existing policy.", 0),
    LIST("policyItems", "The rules. They replace all existing rules; without any, no snapshots are taken.",
         REQUIRED | ALWAYS, .of = &policy_item_schema, .max = MOST_RULES),
    END_OF_FIELDS,
};
static const struct schema policy_schema = { "BackupPolicy", "The rules of a schedule.", policy_fields };

static const struct field schedule_fields[] = {
    ID("clusterId", "Identifier of the cluster.", READ_ONLY | ALWAYS),
    TEXT("clusterName", "Name of the cluster.", READ_ONLY | ALWAYS),
    LIST("policies", "The rules, as one policy.", REQUIRED | ALWAYS, .of = &policy_schema, .max = 1),
    INTEGER("referenceHourOfDay", "Hour of the day, in UTC, from which rules count.", ALWAYS, .min = 0, .max = 23),
    INTEGER("referenceMinuteOfHour", "Minute of that hour.", ALWAYS, .min = 0, .max = 59),
    INTEGER("restoreWindowDays", "How many days back any moment can be restored.", ALWAYS, .min = 1,
            .max = LONGEST_WINDOW_DAYS, .example = "7"),
    BOOL(
        "autoExportEnabled",
        "Whether snapshots that are completed from now on are exported, as `export` says. It must be there then, or have "
        "been there before.",
        ALWAYS),
    OBJECT("export", "What is exported automatically, and where to.", 0, .of = &schedule_export_schema),
    BOOL("useOrgAndGroupNamesInExportPrefix",
         "Whether paths of exports contain the names of the organization and project instead of their identifiers.",
         ALWAYS),
    LIST(
        "copySettings",
        "Which snapshots are copied to other regions. A repository host of each region takes them from the cluster by itself.",
        ALWAYS, .of = &copy_schema, .max = MOST_COPIES),
    LIST("extraRetentionSettings", "Which snapshots are kept longer than their rule says.", ALWAYS,
         .of = &extra_retention_schema, .max = 6),
    LIST(
        "deleteCopiedBackups",
        "Regions whose copies are deleted because `copySettings` no longer has them. Others are kept until they expire.",
        WRITE_ONLY, .of = &deleted_copy_schema, .max = MOST_COPIES),
    BOOL("updateSnapshots", "Whether the new retention also applies to existing snapshots.", WRITE_ONLY),
    BOOL("updateCopySnapshots",
         "Whether the new retention also applies to existing copies. Copies end with their snapshots, so it needs "
         "`updateSnapshots`.",
         WRITE_ONLY),
    BOOL("deleteSnapshots", "Whether snapshots of removed rules are deleted.", WRITE_ONLY),
    BOOL("deleteCopySnapshots", "Whether copies of removed settings are deleted.", WRITE_ONLY),
    DATE("nextSnapshot", "When the next snapshot is taken.", READ_ONLY),
    END_OF_FIELDS,
};
const struct schema schedule_schema = { "BackupSchedule",
                                        "When snapshots of a cluster are taken and how long they are kept.",
                                        schedule_fields };

/* ---- What can be restored ---- */

static const struct field span_fields[] = {
    DATE("from", "First moment.", READ_ONLY | ALWAYS),
    DATE("to", "Last moment.", READ_ONLY | ALWAYS),
    TEXT("fromLsn", "Where it begins in the write-ahead log.", READ_ONLY | ALWAYS, .example = "\"0/3000000\""),
    TEXT("toLsn", "Where it ends.", READ_ONLY | ALWAYS, .example = "\"0/5000148\""),
    INTEGER("fromTimeline", "Timeline at its beginning.", READ_ONLY | ALWAYS),
    INTEGER("toTimeline", "Timeline at its end.", READ_ONLY | ALWAYS),
    TEXT("endedBy", "Why it broke; not there while it goes on.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema span_schema = { "BackupSpan", "A piece of write-ahead log without a gap.", span_fields };

static const struct field seat_fields[] = {
    ID("id", "Identifier of the place.", READ_ONLY | ALWAYS),
    TEXT("cloudProvider", "Provider of the repository host.", READ_ONLY | ALWAYS),
    TEXT("regionName", "Region of the repository host.", READ_ONLY | ALWAYS),
    BOOL("isCopy", "Whether it takes only what `copySettings` of the schedule say for its region.", READ_ONLY | ALWAYS),
    TEXT("state", "Whether the write-ahead log arrives there.", READ_ONLY | ALWAYS,
         .one_of = (const char *const[]){ "WAITING", "WORKING", "FAILING", "FROZEN", NULL }),
    TEXT("problem", "What is wrong.", READ_ONLY),
    DATE("from", "First moment that can be restored from there.", READ_ONLY),
    DATE("to", "Last moment.", READ_ONLY),
    INTEGER("lagMillis", "How far it was behind the primary when it last reported.", READ_ONLY),
    INTEGER("lagBytes", "The same in bytes of write-ahead log.", READ_ONLY),
    TEXT("receivedLsn", "How far the write-ahead log has arrived.", READ_ONLY),
    INTEGER("timeline", "On which timeline.", READ_ONLY),
    INTEGER("usedBytes", "Disk space that everything takes there.", READ_ONLY),
    DATE("reportedAt", "When it last reported.", READ_ONLY),
    LIST("spans", "The pieces of write-ahead log, oldest first. Between two of them nothing can be restored.",
         READ_ONLY | ALWAYS, .of = &span_schema),
    END_OF_FIELDS,
};
static const struct schema seat_schema = { "BackupSeat", "A place where backups of a cluster are kept.", seat_fields };

static const struct field proof_fields[] = {
    ID("drillId", "The drill that proved it.", READ_ONLY | ALWAYS),
    DATE("at", "When it ended.", READ_ONLY | ALWAYS),
    DATE(
        "recoveryPoint",
        "Up to when the data came back: the last transaction that was replayed, or the backup itself where nothing was committed since.",
        READ_ONLY),
    INTEGER("recoveryTimeMillis", "How long it took until the database could be used.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema proof_schema = { "BackupProof", "The last proof that backups of a cluster can be restored.",
                                            proof_fields };

static const struct field window_fields[] = {
    DATE("from", "First moment that can be restored, from whichever place.", READ_ONLY),
    DATE("to", "Last moment that can be restored.", READ_ONLY),
    INTEGER("lagSeconds", "How long ago that is: what would be lost if all hosts of the cluster were lost now.",
            READ_ONLY),
    OBJECT("lastProven", "The last drill that passed; not there when there was none.", READ_ONLY, .of = &proof_schema),
    TEXT("stanza", "Name of the history: a restore in place begins the next one.", READ_ONLY | ALWAYS),
    TEXT("state", "Whether the history goes on or is only kept.", READ_ONLY | ALWAYS,
         .one_of = (const char *const[]){ "OPEN", "FROZEN", NULL }),
    LIST("seats", "The places where it is kept.", READ_ONLY | ALWAYS, .of = &seat_schema),
    END_OF_FIELDS,
};
const struct schema window_schema = { "BackupWindow", "What of a cluster can be restored.", window_fields };
