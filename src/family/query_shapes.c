/* SPDX-License-Identifier: Apache-2.0 */
/* A shape is a query with its values taken out, known by a hash. Statistics are kept by shape. */
#include "api/contract.h"

// clang-format off
static const struct endpoint query_shapes_endpoints[] = {
    { GET, "/groups/{groupId}/clusters/{clusterName}/queryShapeInsights/summaries", S56, ANY_OF(PROJECT_READ_ONLY),
      "listGroupClusterQueryShapeInsightSummaries",
      "Return statistics of query shapes in one cluster",
      "Returns what each shape cost in a span of time: runs, rows, latency. The most expensive come first.",
      .since = "2025-03-12", .waits_for = "advisor" },
    { GET, "/groups/{groupId}/clusters/{clusterName}/queryShapeInsights/{queryShapeHash}/details", S56,
      ANY_OF(PROJECT_READ_ONLY), "getGroupClusterQueryShapeInsightDetails",
      "Return statistics of one query shape",
      "Returns what one shape cost over time and on each server.",
      .since = "2025-03-12", .waits_for = "advisor" },
    { GET, "/groups/{groupId}/clusters/{clusterName}/queryShapes", S56, ANY_OF(PROJECT_READ_ONLY),
      "listGroupClusterQueryShapes",
      "Return all query shapes of one cluster",
      "Lists the shapes for which a setting was made, by default those that are rejected.",
      .shape = SHAPE_LIST, .since = "2025-03-12",
      .item = "/groups/{groupId}/clusters/{clusterName}/queryShapes/{queryShapeHash}", .waits_for = "advisor" },
    { GET, "/groups/{groupId}/clusters/{clusterName}/queryShapes/{queryShapeHash}", S56, ANY_OF(PROJECT_READ_ONLY),
      "getGroupClusterQueryShape",
      "Return one query shape",
      "Returns one shape with its text and whether it is rejected.",
      .since = "2025-03-12", .waits_for = "advisor" },
    { PATCH, "/groups/{groupId}/clusters/{clusterName}/queryShapes/{queryShapeHash}", S56,
      ANY_OF(PROJECT_DATA_ACCESS_ADMIN), "updateGroupClusterQueryShape",
      "Reject or allow one query shape",
      "Has the cluster refuse queries of this shape, or take them again. A way to stop one bad query while its "
      "application is being repaired.",
      .since = "2025-03-12", .waits_for = "advisor" },
};
// clang-format on

FAMILY(query_shapes_family, "query-shapes", "Query shapes",
       "Queries without their values: what each kind costs, and which kinds are refused.", query_shapes_endpoints);
