/* SPDX-License-Identifier: Apache-2.0 */
/* The older interface to snapshots. It reads the same snapshots; new clients use backups. */
#include "api/contract.h"

// clang-format off
static const struct endpoint legacy_backups_endpoints[] = {
    { GET, "/groups/{groupId}/clusters/{clusterName}/backupCheckpoints", S37, ANY_OF(PROJECT_READ_ONLY),
      "listGroupClusterBackupCheckpoints",
      "Return all backup checkpoints of one cluster",
      "Lists moments between snapshots at which all shards of the cluster agree. Any moment can be restored "
      "through backups, which makes checkpoints needless.",
      .shape = SHAPE_LIST, .flags = DEPRECATED,
      .item = "/groups/{groupId}/clusters/{clusterName}/backupCheckpoints/{checkpointId}", .waits_for = "backups" },
    { GET, "/groups/{groupId}/clusters/{clusterName}/backupCheckpoints/{checkpointId}", S37,
      ANY_OF(PROJECT_READ_ONLY), "getGroupClusterBackupCheckpoint",
      "Return one backup checkpoint",
      "Returns one moment at which all shards agree, with the position of each.",
      .flags = DEPRECATED, .waits_for = "backups" },
    { GET, "/groups/{groupId}/clusters/{clusterName}/snapshotSchedule", S37, ANY_OF(PROJECT_READ_ONLY),
      "getGroupClusterSnapshotSchedule",
      "Return the legacy snapshot schedule of one cluster",
      "Returns the schedule in the older form. Use the backup schedule instead.",
      .flags = DEPRECATED, .waits_for = "backups" },
    { PATCH, "/groups/{groupId}/clusters/{clusterName}/snapshotSchedule", S37, ANY_OF(PROJECT_OWNER),
      "updateGroupClusterSnapshotSchedule",
      "Update the legacy snapshot schedule of one cluster",
      "Changes the schedule in the older form. Use the backup schedule instead.",
      .flags = DEPRECATED, .waits_for = "backups" },
    { GET, "/groups/{groupId}/clusters/{clusterName}/snapshots", S37, ANY_OF(PROJECT_READ_ONLY),
      "listGroupClusterSnapshots",
      "Return all legacy snapshots of one cluster",
      "Lists snapshots in the older form. Use the snapshots under backup instead.",
      .shape = SHAPE_LIST, .flags = DEPRECATED,
      .item = "/groups/{groupId}/clusters/{clusterName}/snapshots/{snapshotId}", .waits_for = "backups" },
    { DELETE, "/groups/{groupId}/clusters/{clusterName}/snapshots/{snapshotId}", S37, ANY_OF(PROJECT_OWNER),
      "deleteGroupClusterSnapshot",
      "Delete one legacy snapshot",
      "Deletes the snapshot before its time. Moments that can only be reached from it are lost.",
      .shape = SHAPE_NOTHING, .flags = DEPRECATED, .waits_for = "backups" },
    { GET, "/groups/{groupId}/clusters/{clusterName}/snapshots/{snapshotId}", S37, ANY_OF(PROJECT_READ_ONLY),
      "getGroupClusterSnapshot",
      "Return one legacy snapshot",
      "Returns one snapshot in the older form.",
      .flags = DEPRECATED, .waits_for = "backups" },
    { PATCH, "/groups/{groupId}/clusters/{clusterName}/snapshots/{snapshotId}", S37, ANY_OF(PROJECT_OWNER),
      "updateGroupClusterSnapshot",
      "Update the end date of one legacy snapshot",
      "Changes until when the snapshot is kept, or has it kept for good.",
      .flags = DEPRECATED, .waits_for = "backups" },
};
// clang-format on

FAMILY(legacy_backups_family, "legacy-backups", "Legacy backups",
       "The older interface to snapshots and checkpoints, kept for clients that still use it.",
       legacy_backups_endpoints);
