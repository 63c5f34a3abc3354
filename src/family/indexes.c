/* SPDX-License-Identifier: Apache-2.0 */
/* Indexes on tables, built without locking writers out. */
#include "api/contract.h"

// clang-format off
static const struct endpoint indexes_endpoints[] = {
    { POST, "/groups/{groupId}/clusters/{clusterName}/index", S66,
      ANY_OF(PROJECT_DATA_ACCESS_ADMIN | PROJECT_INDEX_MANAGER), "createGroupClusterIndexRollingIndex",
      "Create one index on one cluster",
      "Accepts an index and builds it without blocking writes to the table. Asynchronous; it takes longer than a "
      "plain build, and an event tells the end.",
      .shape = SHAPE_NOTHING, .success = 202, .waits_for = "clusters" },
};
// clang-format on

FAMILY(indexes_family, "indexes", "Indexes", "Creating database indexes on clusters without stopping writes.",
       indexes_endpoints);
