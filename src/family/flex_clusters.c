/* SPDX-License-Identifier: Apache-2.0 */
/* Small clusters that share hosts. They have fewer settings than clusters and a fixed backup schedule. */
#include "api/contract.h"

// clang-format off
static const struct endpoint flex_clusters_endpoints[] = {
    { GET, "/groups/{groupId}/flexClusters", S29, ANY_OF(PROJECT_READ_ONLY), "listGroupFlexClusters",
      "Return all flex clusters in one project",
      "Lists the flex clusters of the project.",
      .shape = SHAPE_LIST, .since = "2024-11-13", .item = "/groups/{groupId}/flexClusters/{name}",
      .waits_for = "clusters" },
    { POST, "/groups/{groupId}/flexClusters", S29, ANY_OF(PROJECT_OWNER), "createGroupFlexCluster",
      "Create one flex cluster in one project",
      "Accepts a new flex cluster and answers while it is being built. It can be used when its state is IDLE.",
      .since = "2024-11-13", .item = "/groups/{groupId}/flexClusters/{name}", .waits_for = "clusters" },
    { DELETE, "/groups/{groupId}/flexClusters/{name}", S29, ANY_OF(PROJECT_OWNER), "deleteGroupFlexCluster",
      "Delete one flex cluster",
      "Ends the flex cluster and removes its data and snapshots. A flex cluster with termination protection is "
      "refused.",
      .shape = SHAPE_NOTHING, .since = "2024-11-13", .waits_for = "clusters" },
    { GET, "/groups/{groupId}/flexClusters/{name}", S29, ANY_OF(PROJECT_READ_ONLY), "getGroupFlexCluster",
      "Return one flex cluster",
      "Returns one flex cluster with its state and connection strings.",
      .since = "2024-11-13", .waits_for = "clusters" },
    { PATCH, "/groups/{groupId}/flexClusters/{name}", S29, ANY_OF(PROJECT_OWNER), "updateGroupFlexCluster",
      "Update one flex cluster",
      "Changes tags or termination protection. Size and place cannot be changed: upgrade to a dedicated cluster "
      "instead.",
      .since = "2024-11-13", .waits_for = "clusters" },
    { POST, "/groups/{groupId}/flexClusters:tenantUpgrade", S29, ANY_OF(PROJECT_CLUSTER_MANAGER),
      "tenantGroupFlexClusterUpgrade",
      "Upgrade one flex cluster to a dedicated one",
      "Moves the flex cluster to members of its own. Asynchronous; clients reconnect once, at the end, and the "
      "new cluster keeps the name.",
      .success = 200, .since = "2024-11-13", .waits_for = "clusters" },

    { GET, "/groups/{groupId}/flexClusters/{name}/backup/restoreJobs", S30, ANY_OF(PROJECT_READ_ONLY),
      "listGroupFlexClusterBackupRestoreJobs",
      "Return all restore jobs of one flex cluster",
      "Lists the restores of the flex cluster, newest first.",
      .shape = SHAPE_LIST, .since = "2024-11-13",
      .item = "/groups/{groupId}/flexClusters/{name}/backup/restoreJobs/{restoreJobId}", .waits_for = "backups" },
    { POST, "/groups/{groupId}/flexClusters/{name}/backup/restoreJobs", S30,
      ANY_OF(PROJECT_BACKUP_RECOVERY_OPERATOR), "createGroupFlexClusterBackupRestoreJob",
      "Restore one flex cluster from a snapshot",
      "Starts restoring a snapshot into a flex cluster of the same or another project. Asynchronous; what the "
      "target holds is replaced.",
      .success = 200, .since = "2024-11-13",
      .item = "/groups/{groupId}/flexClusters/{name}/backup/restoreJobs/{restoreJobId}", .waits_for = "backups" },
    { GET, "/groups/{groupId}/flexClusters/{name}/backup/restoreJobs/{restoreJobId}", S30,
      ANY_OF(PROJECT_READ_ONLY), "getGroupFlexClusterBackupRestoreJob",
      "Return one restore job of one flex cluster",
      "Returns one restore with its state and, when it has ended, when.",
      .since = "2024-11-13", .waits_for = "backups" },

    { GET, "/groups/{groupId}/flexClusters/{name}/backup/snapshots", S31, ANY_OF(PROJECT_READ_ONLY),
      "listGroupFlexClusterBackupSnapshots",
      "Return all snapshots of one flex cluster",
      "Lists the daily snapshots that still exist.",
      .shape = SHAPE_LIST, .since = "2024-11-13",
      .item = "/groups/{groupId}/flexClusters/{name}/backup/snapshots/{snapshotId}", .waits_for = "backups" },
    { GET, "/groups/{groupId}/flexClusters/{name}/backup/snapshots/{snapshotId}", S31, ANY_OF(PROJECT_READ_ONLY),
      "getGroupFlexClusterBackupSnapshot",
      "Return one snapshot of one flex cluster",
      "Returns when one snapshot was taken and when it ends.",
      .since = "2024-11-13", .waits_for = "backups" },
    { POST, "/groups/{groupId}/flexClusters/{name}/backup/download", S31, ANY_OF(PROJECT_BACKUP_EXPORT_OPERATOR),
      "downloadGroupFlexClusterBackup",
      "Request a download of one flex cluster snapshot",
      "Makes a snapshot ready to be fetched and answers with the job; its address stands there when the job has "
      "ended, and works for a limited time.",
      .success = 200, .since = "2024-11-13",
      .item = "/groups/{groupId}/flexClusters/{name}/backup/restoreJobs/{restoreJobId}", .waits_for = "backups" },
};
// clang-format on

FAMILY(flex_clusters_family, "flex-clusters", "Flex clusters",
       "Small clusters that share hosts with others and need no sizing, with their snapshots and restores.",
       flex_clusters_endpoints);
