/* SPDX-License-Identifier: Apache-2.0 */
/* Attempts to log in to the databases, read from the servers' logs. */
#include "api/contract.h"

// clang-format off
static const struct endpoint access_history_endpoints[] = {
    { GET, "/groups/{groupId}/dbAccessHistory/clusters/{clusterName}", S02,
      ANY_OF(PROJECT_CLUSTER_LOG_VIEWER | PROJECT_DATABASE_ACCESS_ADMIN), "getGroupDbAccessHistoryCluster",
      "Return the access history of one cluster",
      "Lists attempts to log in to any member of the cluster, newest first, with address, user and why a failed "
      "one failed.",
      .waits_for = "metrics" },
    { GET, "/groups/{groupId}/dbAccessHistory/processes/{hostname}", S02,
      ANY_OF(PROJECT_CLUSTER_LOG_VIEWER | PROJECT_DATABASE_ACCESS_ADMIN), "getGroupDbAccessHistoryProcess",
      "Return the access history of one process",
      "Lists attempts to log in to one server, newest first, with address, user and why a failed one failed.",
      .waits_for = "metrics" },
};
// clang-format on

FAMILY(access_history_family, "access-history", "Database access history",
       "Who tried to log in to the databases, from where, and whether they got in.", access_history_endpoints);
