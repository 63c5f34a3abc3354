/* SPDX-License-Identifier: Apache-2.0 */
/* For clusters whose shards stand in several places: which rows live where. */
#include "api/contract.h"

// clang-format off
static const struct endpoint global_writes_endpoints[] = {
    { GET, "/groups/{groupId}/clusters/{clusterName}/globalWrites", S32, ANY_OF(PROJECT_READ_ONLY),
      "getGroupClusterGlobalWrites",
      "Return the zones and tables of one global cluster",
      "Returns which locations are mapped to which zone, and which tables are spread by location.",
      .since = "2024-08-05", .waits_for = "global writes" },
    { DELETE, "/groups/{groupId}/clusters/{clusterName}/globalWrites/customZoneMapping", S32, ANY_OF(PROJECT_OWNER),
      "deleteGroupClusterGlobalWriteCustomZoneMapping",
      "Remove all custom zone mappings of one global cluster",
      "Goes back to the mapping that is computed from distance. Rows that lie elsewhere are moved in the "
      "background.",
      .since = "2024-08-05", .waits_for = "global writes" },
    { POST, "/groups/{groupId}/clusters/{clusterName}/globalWrites/customZoneMapping", S32, ANY_OF(PROJECT_OWNER),
      "createGroupClusterGlobalWriteCustomZoneMapping",
      "Add custom zone mappings to one global cluster",
      "Maps locations to zones by hand, over the computed mapping. Answers with the whole configuration.",
      .success = 200, .since = "2024-08-05", .waits_for = "global writes" },
    { DELETE, "/groups/{groupId}/clusters/{clusterName}/globalWrites/managedNamespaces", S32,
      ANY_OF(PROJECT_DATA_ACCESS_ADMIN), "deleteGroupClusterGlobalWriteManagedNamespaces",
      "Stop spreading one table of a global cluster",
      "Takes one table out of the spread tables. Its rows stay where they are.",
      .since = "2024-08-05", .waits_for = "global writes" },
    { POST, "/groups/{groupId}/clusters/{clusterName}/globalWrites/managedNamespaces", S32,
      ANY_OF(PROJECT_DATA_ACCESS_ADMIN), "createGroupClusterGlobalWriteManagedNamespace",
      "Spread one table of a global cluster by location",
      "Has the rows of one table placed by their location and a second key. An existing table is redistributed in "
      "the background, which takes room and time.",
      .success = 200, .since = "2024-08-05", .waits_for = "global writes" },
};
// clang-format on

FAMILY(global_writes_family, "global-writes", "Global writes",
       "Where the rows of a geographically spread cluster live: zones, locations and the tables they hold for.",
       global_writes_endpoints);
