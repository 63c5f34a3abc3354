/* SPDX-License-Identifier: Apache-2.0 */
/* The older interface to snapshots. It reads the same snapshots; new clients use backups. */
#include "family/waiting/backups.h"

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

// clang-format off
static const struct field checkpoint_path[] = { ID("checkpointId", "Identifier of the checkpoint.", 0), END_OF_FIELDS };

static const struct endpoint legacy_backups_endpoints[] = {
    { GET, "/groups/{groupId}/clusters/{clusterName}/backupCheckpoints", S37, ANY_OF(PROJECT_READ_ONLY),
      "listGroupClusterBackupCheckpoints",
      "Return all backup checkpoints of one cluster",
      "Lists moments between snapshots at which all shards of the cluster agree. Checkpoints are not needed any more: backups "
      "can restore any moment.",
      .shape = SHAPE_LIST, .flags = DEPRECATED,
      .item = "/groups/{groupId}/clusters/{clusterName}/backupCheckpoints/{checkpointId}", .waits_for = "backups",
      .response = &checkpoint_schema },
    { GET, "/groups/{groupId}/clusters/{clusterName}/backupCheckpoints/{checkpointId}", S37,
      ANY_OF(PROJECT_READ_ONLY), "getGroupClusterBackupCheckpoint",
      "Return one backup checkpoint",
      "Returns one moment at which all shards agree, with the position of each.",
      .flags = DEPRECATED, .waits_for = "backups",
      .path_fields = checkpoint_path, .response = &checkpoint_schema },
    { GET, "/groups/{groupId}/clusters/{clusterName}/snapshotSchedule", S37, ANY_OF(PROJECT_READ_ONLY),
      "getGroupClusterSnapshotSchedule",
      "Return the legacy snapshot schedule of one cluster",
      "Returns the schedule in the older form. Use the backup schedule instead.",
      .flags = DEPRECATED, .waits_for = "backups",
      .response = &legacy_schedule_schema },
    { PATCH, "/groups/{groupId}/clusters/{clusterName}/snapshotSchedule", S37, ANY_OF(PROJECT_OWNER),
      "updateGroupClusterSnapshotSchedule",
      "Update the legacy snapshot schedule of one cluster",
      "Changes the schedule in the older form. Use the backup schedule instead.",
      .flags = DEPRECATED, .waits_for = "backups",
      .request = &legacy_schedule_schema, .response = &legacy_schedule_schema,
      .example = "{\"snapshotIntervalHours\": 12, \"snapshotRetentionDays\": 3}" },
    { GET, "/groups/{groupId}/clusters/{clusterName}/snapshots", S37, ANY_OF(PROJECT_READ_ONLY),
      "listGroupClusterSnapshots",
      "Return all legacy snapshots of one cluster",
      "Lists snapshots in the older form. Use the snapshots under backup instead.",
      .shape = SHAPE_LIST, .flags = DEPRECATED,
      .item = "/groups/{groupId}/clusters/{clusterName}/snapshots/{snapshotId}", .waits_for = "backups",
      .query = legacy_snapshot_query, .response = &legacy_snapshot_schema },
    { DELETE, "/groups/{groupId}/clusters/{clusterName}/snapshots/{snapshotId}", S37, ANY_OF(PROJECT_OWNER),
      "deleteGroupClusterSnapshot",
      "Delete one legacy snapshot",
      "Deletes the snapshot before its time. Moments that can be restored only from it are lost.",
      .shape = SHAPE_NOTHING, .flags = DEPRECATED, .waits_for = "backups",
      .path_fields = snapshot_path },
    { GET, "/groups/{groupId}/clusters/{clusterName}/snapshots/{snapshotId}", S37, ANY_OF(PROJECT_READ_ONLY),
      "getGroupClusterSnapshot",
      "Return one legacy snapshot",
      "Returns one snapshot in the older form.",
      .flags = DEPRECATED, .waits_for = "backups",
      .path_fields = snapshot_path, .response = &legacy_snapshot_schema },
    { PATCH, "/groups/{groupId}/clusters/{clusterName}/snapshots/{snapshotId}", S37, ANY_OF(PROJECT_OWNER),
      "updateGroupClusterSnapshot",
      "Update the end date of one legacy snapshot",
      "Changes how long the snapshot is kept, or keeps it for good.",
      .flags = DEPRECATED, .waits_for = "backups",
      .path_fields = snapshot_path, .request = &legacy_snapshot_schema, .response = &legacy_snapshot_schema,
      .example = "{\"expires\": \"2030-01-01T00:00:00Z\"}" },
};
// clang-format on

FAMILY(legacy_backups_family, "legacy-backups", "Legacy backups",
       "The older interface to snapshots and checkpoints, kept for clients that still use it.",
       legacy_backups_endpoints);
