/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are rarely read leave the cluster by a rule, and stay readable from object storage. */
#include "api/contract.h"

// clang-format off
static const struct endpoint online_archives_endpoints[] = {
    { GET, "/groups/{groupId}/clusters/{clusterName}/onlineArchives", S44, ANY_OF(PROJECT_READ_ONLY),
      "listGroupClusterOnlineArchives",
      "Return all online archives of one cluster",
      "Lists the archives of the cluster, each for one table, with state and rule.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/clusters/{clusterName}/onlineArchives/{archiveId}",
      .waits_for = "archives" },
    { POST, "/groups/{groupId}/clusters/{clusterName}/onlineArchives", S44, ANY_OF(PROJECT_DATA_ACCESS_ADMIN),
      "createGroupClusterOnlineArchive",
      "Create one online archive",
      "Starts archiving one table by a rule, usually the age of a row. Rows are removed from the cluster when "
      "they are safe in the archive.",
      .success = 200, .item = "/groups/{groupId}/clusters/{clusterName}/onlineArchives/{archiveId}",
      .waits_for = "archives" },
    { GET, "/groups/{groupId}/clusters/{clusterName}/onlineArchives/queryLogs.gz", S44,
      ANY_OF(PROJECT_DATA_ACCESS_ADMIN | PROJECT_DATA_ACCESS_READ_ONLY | PROJECT_DATA_ACCESS_READ_WRITE |
             PROJECT_STREAM_PROCESSING_OWNER),
      "downloadGroupClusterOnlineArchiveQueryLogs",
      "Download the query logs of one cluster's archives",
      "Returns the log of queries against the cluster's archives as gzip. Give the first and the last moment in "
      "seconds since 1970.",
      .shape = SHAPE_FILE, .waits_for = "archives" },
    { DELETE, "/groups/{groupId}/clusters/{clusterName}/onlineArchives/{archiveId}", S44,
      ANY_OF(PROJECT_DATA_ACCESS_ADMIN), "deleteGroupClusterOnlineArchive",
      "Delete one online archive",
      "Ends archiving and deletes the archived rows. They are not moved back into the cluster.",
      .shape = SHAPE_NOTHING, .waits_for = "archives" },
    { GET, "/groups/{groupId}/clusters/{clusterName}/onlineArchives/{archiveId}", S44, ANY_OF(PROJECT_READ_ONLY),
      "getGroupClusterOnlineArchive",
      "Return one online archive",
      "Returns one archive with its rule, schedule and state.",
      .waits_for = "archives" },
    { PATCH, "/groups/{groupId}/clusters/{clusterName}/onlineArchives/{archiveId}", S44,
      ANY_OF(PROJECT_DATA_ACCESS_ADMIN), "updateGroupClusterOnlineArchive",
      "Update one online archive",
      "Changes the rule or the schedule, or pauses archiving. Rows that are already archived stay so.",
      .waits_for = "archives" },
};
// clang-format on

FAMILY(online_archives_family, "online-archives", "Online archives",
       "Old rows moved from a cluster to cheaper object storage, where they can still be queried.",
       online_archives_endpoints);
