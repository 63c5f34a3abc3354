/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of snapshots, exports and restores. docs/internals/contract.md says which fields of the specification were
 * left out, and why.
 */
#include "family/backup/backups.h"
#include "family/cluster/clusters.h"
#include "family/moments.h"

enum { LONGEST_RETENTION = 3650, LONGEST_DOWNLOAD_HOURS = 168, MOST_DOWNLOADS = 100 };

static const char *const retention_units[] = { "DAYS", "WEEKS", "MONTHS", "YEARS", NULL };
static const char *const flex_states[] = { "PENDING", "QUEUED", "RUNNING", "FAILED", "COMPLETED", NULL };

// clang-format off
const struct field snapshot_path[] = { ID("snapshotId", "Identifier of the snapshot.", 0), END_OF_FIELDS };
// clang-format on

/* ---- Snapshots ---- */

#define SNAPSHOT_FIELDS                                                                                             \
    ID("id", "Identifier of the snapshot.", READ_ONLY | ALWAYS),                                                    \
        TEXT("status", "State of the snapshot.", READ_ONLY | ALWAYS,                                                \
             .one_of = (const char *const[]){ "queued", "inProgress", "completed", "failed", NULL }),               \
        TEXT("snapshotType", "Whether it was taken on demand or by the schedule.", READ_ONLY | ALWAYS,              \
             .one_of = (const char *const[]){ "onDemand", "scheduled", NULL }),                                     \
        TEXT("type", "What it is a snapshot of.", READ_ONLY | ALWAYS,                                               \
             .one_of = (const char *const[]){ "replicaSet", "shardedCluster", NULL }),                              \
        TEXT("description", "What it was taken for.", READ_ONLY),                                                   \
        TEXT("frequencyType", "Kind of rule that it comes from.", READ_ONLY,                                        \
             .one_of = (const char *const[]){ "hourly", "daily", "weekly", "monthly", "yearly", NULL }),            \
        LIST("policyItems", "Identifiers of the rules that it comes from.", READ_ONLY, .item = TYPE_ID),            \
        DATE("createdAt", "When it was taken.", READ_ONLY), DATE("expiresAt", "Until when it is kept.", READ_ONLY), \
        TEXT("serverVersion", "Version of the servers when it was taken.", READ_ONLY, .example = "\"17.2\""),       \
        INTEGER("storageSizeBytes", "Disk space that it uses.", READ_ONLY)

static const struct field snapshot_fields[] = {
    SNAPSHOT_FIELDS,
    TEXT("cloudProvider", "Provider of its storage.", READ_ONLY),
    LIST("copyRegions", "Regions that have a copy.", READ_ONLY, .item = TYPE_TEXT),
    TEXT("replicaSetName", "Name of the replica set.", READ_ONLY),
    END_OF_FIELDS,
};
const struct schema snapshot_schema = { "BackupSnapshot", "The data of a cluster at one moment.", snapshot_fields };

static const struct field snapshot_member_fields[] = {
    ID("id", "Identifier of the part.", READ_ONLY | ALWAYS),
    TEXT("cloudProvider", "Provider of its storage.", READ_ONLY | ALWAYS),
    TEXT("replicaSetName", "Name of the shard's replica set.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema snapshot_member_schema = { "BackupSnapshotMember", "The part of one shard.",
                                                      snapshot_member_fields };

static const struct field sharded_snapshot_fields[] = {
    SNAPSHOT_FIELDS,
    LIST("members", "The part of each shard.", READ_ONLY | ALWAYS, .of = &snapshot_member_schema),
    LIST("snapshotIds", "Identifiers of the parts.", READ_ONLY | ALWAYS, .item = TYPE_ID),
    END_OF_FIELDS,
};
const struct schema sharded_snapshot_schema = { "BackupShardedSnapshot",
                                                "The data of a cluster with several shards at one moment.",
                                                sharded_snapshot_fields };

const struct field snapshot_query[] = {
    INTEGER("pointInTimeUtcSeconds", "Only snapshots from which this moment can be restored, in seconds since 1970.", 0,
            .min = FIRST_MOMENT_S, .max = LAST_MOMENT_S, .example = "1767225600"),
    END_OF_FIELDS,
};

static const struct field snapshot_request_fields[] = {
    TEXT("description", "What it is taken for.", 0, .max = 250, .fallback = "\"\"",
         .example = "\"Before the upgrade\""),
    INTEGER("retentionInDays", "How many days it is kept; by default as the policy for such snapshots says.", 0,
            .min = 1, .max = LONGEST_RETENTION, .example = "7"),
    END_OF_FIELDS,
};
const struct schema snapshot_request_schema = { "BackupSnapshotRequest", "A snapshot on demand.",
                                                snapshot_request_fields };

static const struct field retention_fields[] = {
    TEXT("retentionUnit", "Unit of the retention.", REQUIRED, .one_of = retention_units),
    INTEGER("retentionValue", "For how many of these units the snapshot is kept from now on.", REQUIRED, .min = 1,
            .max = LONGEST_RETENTION, .example = "7"),
    END_OF_FIELDS,
};
const struct schema retention_schema = { "BackupSnapshotRetention", "How long a snapshot is kept.", retention_fields };

/* ---- Exports ---- */

static const struct field custom_data_fields[] = {
    TEXT("key", "Name of the label.", REQUIRED | ALWAYS, .min = 1, .max = 255, .example = "\"ticket\""),
    TEXT("value", "Text of the label.", REQUIRED | ALWAYS, .max = 255, .example = "\"4711\""),
    END_OF_FIELDS,
};
static const struct schema custom_data_schema = { "BackupExportLabel", "Your own label.", custom_data_fields };

static const struct field export_status_fields[] = {
    INTEGER("exportedCollections", "Number of tables that are exported.", READ_ONLY | ALWAYS),
    INTEGER("totalCollections", "Number of tables in the snapshot.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema export_status_schema = { "BackupExportStatus", "How much is exported.",
                                                    export_status_fields };

static const struct field state_reason_fields[] = {
    TEXT("errorCode", "What went wrong, in a word.", READ_ONLY | ALWAYS),
    TEXT("message", "What went wrong, in a sentence.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema state_reason_schema = { "BackupStateReason", "Why an export failed.", state_reason_fields };

const char *const export_formats[] = { "DUMP", "CSV", NULL };

static const struct field export_fields[] = {
    ID("id", "Identifier of the export.", READ_ONLY | ALWAYS),
    ID("exportBucketId", "Identifier of the export bucket.", REQUIRED | ALWAYS),
    ID("snapshotId", "Identifier of the snapshot; it must be completed.", REQUIRED | ALWAYS),
    TEXT("format",
         "DUMP: what pg_dump writes, for pg_restore. CSV: a file with a header for each table, and the schema beside "
         "it. An extension of this service.",
         ALWAYS, .one_of = export_formats, .fallback = "\"DUMP\""),
    LIST("customData", "Labels that are written beside the export.", ALWAYS, .of = &custom_data_schema, .max = 50,
         .fallback = "[]"),
    TEXT("state", "State of the export.", READ_ONLY | ALWAYS,
         .one_of = (const char *const[]){ "Queued", "InProgress", "Successful", "Failed", "Cancelled", NULL }),
    OBJECT("stateReason", "Why it failed.", READ_ONLY, .of = &state_reason_schema),
    OBJECT("exportStatus", "How much is exported.", READ_ONLY, .of = &export_status_schema),
    TEXT("prefix", "Where in the bucket it is.", READ_ONLY),
    DATE("createdAt", "When it was asked for.", READ_ONLY | ALWAYS),
    DATE("finishedAt", "When it ended.", READ_ONLY),
    END_OF_FIELDS,
};
const struct schema export_schema = { "BackupExport", "The export of a snapshot to a bucket.", export_fields };

/* ---- Restores ---- */

static const struct field restore_job_fields[] = {
    ID("id", "Identifier of the restore job.", READ_ONLY | ALWAYS),
    TEXT("deliveryType",
         "automated: restores a snapshot into a cluster; pointInTime: restores a moment into a cluster; download: "
         "prepares a snapshot for download.",
         REQUIRED | ALWAYS, .one_of = (const char *const[]){ "automated", "download", "pointInTime", NULL }),
    ID("snapshotId", "Identifier of the snapshot; not for pointInTime.", 0),
    INTEGER("pointInTimeUTCSeconds", "The moment, in seconds since 1970; only for pointInTime.", 0,
            .min = FIRST_MOMENT_S, .max = LAST_MOMENT_S, .example = "1767225600"),
    TEXT("pointInTimeLsn", "The place in the WAL, instead of a moment. An extension of this service.", 0, .min = 3,
         .max = 17, .pattern = "^[0-9A-Fa-f]{1,8}/[0-9A-Fa-f]{1,8}$", .example = "\"0/5000148\""),
    BOOL("latest",
         "true instead of a moment: everything that a repository host has received. An extension of this service.", 0),
    TEXT("targetClusterName", "Name of the cluster whose data is replaced; not for download.", 0, .min = 1, .max = 64,
         .pattern = CLUSTER_NAME, .example = "\"orders\""),
    ID("targetGroupId", "Identifier of that cluster's project; not for download.", 0),
    BOOL("cancelled", "Whether it was cancelled.", READ_ONLY | ALWAYS),
    BOOL("failed", "Whether it failed.", READ_ONLY | ALWAYS),
    BOOL("expired", "Whether its download can no longer be fetched.", READ_ONLY | ALWAYS),
    LIST("deliveryUrl", "Where to fetch a download, for whoever may ask for one: the address needs no credentials.",
         READ_ONLY, .item = TYPE_TEXT),
    INTEGER("downloadBytes", "How large the file of a download is. An extension of this service.", READ_ONLY),
    TEXT("downloadSha256", "SHA-256 of the file of a download. An extension of this service.", READ_ONLY),
    DATE("timestamp", "When the snapshot was taken.", READ_ONLY),
    TEXT("state",
         "RUNNING; UNDOING: it failed or was cancelled, and the cluster gets its data from before; or how it ended. An "
         "extension of this service.",
         READ_ONLY | ALWAYS,
         .one_of = (const char *const[]){ "RUNNING", "UNDOING", "DONE", "FAILED", "CANCELLED", NULL }),
    TEXT("problem", "Why it failed. An extension of this service.", READ_ONLY),
    INTEGER("restoredBytes", "How much was copied. An extension of this service.", READ_ONLY),
    INTEGER("totalBytes", "How much there is to copy. An extension of this service.", READ_ONLY),
    DATE("reachedAt", "When the last transaction that it brought back was committed. An extension of this service.",
         READ_ONLY),
    TEXT("reachedLsn", "The place in the WAL that it reached. An extension of this service.", READ_ONLY),
    DATE("finishedAt", "When it ended.", READ_ONLY),
    DATE("expiresAt", "Until when a download can be fetched.", READ_ONLY),
    END_OF_FIELDS,
};
const struct schema restore_job_schema = { "BackupRestoreJob", "A restore.", restore_job_fields };

/* ---- Restores, in the older form ---- */

static const struct field delivery_fields[] = {
    TEXT("methodName", "AUTOMATED_RESTORE: into a cluster; HTTP: for download.", REQUIRED | ALWAYS,
         .one_of = (const char *const[]){ "AUTOMATED_RESTORE", "HTTP", NULL }),
    TEXT("targetClusterName", "Name of the cluster whose data is replaced.", 0, .min = 1, .max = 64,
         .pattern = CLUSTER_NAME, .example = "\"orders\""),
    ID("targetClusterId", "Identifier of that cluster, instead of its name.", 0),
    ID("targetGroupId", "Identifier of that cluster's project.", 0),
    INTEGER("expirationHours", "For how many hours it can be fetched.", 0, .min = 1, .max = LONGEST_DOWNLOAD_HOURS,
            .example = "24"),
    INTEGER("maxDownloads", "How often it can be fetched.", 0, .min = 1, .max = MOST_DOWNLOADS, .example = "1"),
    TEXT("statusName", "State of the delivery.", READ_ONLY | ALWAYS,
         .one_of = (const char *const[]){ "NOT_STARTED", "PENDING", "IN_PROGRESS", "READY", "FAILED", "INTERRUPTED",
                                          "EXPIRED", "MAX_DOWNLOADS_EXCEEDED", NULL }),
    DATE("expires", "Until when it can be fetched.", READ_ONLY),
    TEXT("urlV2", "Where to fetch it.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema delivery_schema = { "LegacyRestoreDelivery", "How a restore is delivered.",
                                               delivery_fields };

static const struct field file_hash_fields[] = {
    TEXT("fileName", "Name of the file.", READ_ONLY | ALWAYS),
    TEXT("hash", "Its hash, in hexadecimal digits.", READ_ONLY | ALWAYS),
    TEXT("typeName", "How the hash was made.", READ_ONLY | ALWAYS, .one_of = (const char *const[]){ "SHA256", NULL }),
    END_OF_FIELDS,
};
static const struct schema file_hash_schema = { "LegacyRestoreHash", "Hash for checking a downloaded file.",
                                                file_hash_fields };

static const struct field legacy_restore_job_fields[] = {
    ID("id", "Identifier of the restore job.", READ_ONLY | ALWAYS),
    OBJECT("delivery", "How it is delivered.", REQUIRED | ALWAYS, .of = &delivery_schema),
    ID("snapshotId", "Identifier of the snapshot.", 0),
    ID("checkpointId", "Identifier of the checkpoint, instead of a snapshot.", WRITE_ONLY),
    INTEGER("pointInTimeUTCMillis", "The moment, instead of a snapshot, in milliseconds since 1970.", WRITE_ONLY,
            .min = FIRST_MOMENT_MS, .max = LAST_MOMENT_MS, .example = "1767225600000"),
    ID("batchId", "Identifier that the jobs of one request share.", READ_ONLY),
    ID("clusterId", "Identifier of the cluster of the snapshot.", READ_ONLY | ALWAYS),
    TEXT("clusterName", "Name of that cluster.", READ_ONLY | ALWAYS),
    ID("groupId", "Identifier of the project.", READ_ONLY | ALWAYS),
    TEXT("statusName", "Current state.", READ_ONLY | ALWAYS,
         .one_of = (const char *const[]){ "IN_PROGRESS", "BROKEN", "KILLED", "FINISHED", NULL }),
    LIST("hashes", "Hashes of the files.", READ_ONLY, .of = &file_hash_schema),
    DATE("created", "When it was asked for.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
const struct schema legacy_restore_job_schema = { "LegacyRestoreJob", "A restore, in the older form.",
                                                  legacy_restore_job_fields };

const struct field legacy_restore_job_query[] = {
    ID("batchId", "Only the jobs of this request.", 0),
    END_OF_FIELDS,
};

/* ---- Flex clusters ---- */

static const struct field flex_snapshot_fields[] = {
    ID("id", "Identifier of the snapshot.", READ_ONLY | ALWAYS),
    TEXT("status", "State of the snapshot.", READ_ONLY | ALWAYS, .one_of = flex_states),
    TEXT("dbVersion", "Version of the servers when it was taken.", READ_ONLY, .example = "\"17.2\""),
    DATE("scheduledTime", "When it was planned.", READ_ONLY | ALWAYS),
    DATE("startTime", "When it began.", READ_ONLY),
    DATE("finishTime", "When it ended.", READ_ONLY),
    DATE("expiration", "Until when it is kept.", READ_ONLY),
    END_OF_FIELDS,
};
const struct schema flex_snapshot_schema = { "FlexBackupSnapshot", "The data of a flex cluster at one moment.",
                                             flex_snapshot_fields };

static const struct field flex_restore_job_fields[] = {
    ID("id", "Identifier of the restore job.", READ_ONLY | ALWAYS),
    ID("snapshotId", "Identifier of the snapshot.", REQUIRED | ALWAYS),
    TEXT("targetDeploymentItemName", "Name of the flex cluster whose data is replaced.", REQUIRED, .min = 1, .max = 64,
         .pattern = CLUSTER_NAME, .example = "\"small\""),
    ID("targetProjectId", "Identifier of that cluster's project; by default the same project.", 0),
    TEXT("deliveryType", "Whether it goes into a cluster or is a download.", READ_ONLY | ALWAYS,
         .one_of = (const char *const[]){ "RESTORE", "DOWNLOAD", NULL }),
    TEXT("status", "Current state.", READ_ONLY | ALWAYS, .one_of = flex_states),
    TEXT("instanceName", "Name of the flex cluster of the snapshot.", READ_ONLY | ALWAYS),
    ID("projectId", "Identifier of the project.", READ_ONLY | ALWAYS),
    DATE("snapshotFinishedDate", "When the snapshot was taken.", READ_ONLY | ALWAYS),
    DATE("restoreScheduledDate", "When it was asked for.", READ_ONLY | ALWAYS),
    DATE("restoreFinishedDate", "When it ended.", READ_ONLY),
    DATE("expirationDate", "Until when a download can be fetched.", READ_ONLY),
    TEXT("snapshotUrl", "Where to fetch a download, for whoever may ask for one: the address needs no credentials.",
         READ_ONLY),
    END_OF_FIELDS,
};
const struct schema flex_restore_job_schema = { "FlexBackupRestoreJob", "A restore of a flex cluster.",
                                                flex_restore_job_fields };

static const struct field flex_download_fields[] = {
    ID("snapshotId", "Identifier of the snapshot.", REQUIRED),
    END_OF_FIELDS,
};
const struct schema flex_download_schema = { "FlexBackupDownload", "The snapshot to download.", flex_download_fields };
