/* SPDX-License-Identifier: Apache-2.0 */
/* Advice drawn from query statistics. Nothing is changed by reading it. */
#include "api/contract.h"

// clang-format off
static const struct endpoint performance_advisor_endpoints[] = {
    { GET, "/groups/{groupId}/managedSlowMs", S48, ANY_OF(PROJECT_READ_ONLY), "getGroupManagedSlowMs",
      "Return whether the slow-query threshold is managed",
      "Tells whether the limit above which a query counts as slow is set from what the cluster usually does, or "
      "fixed.",
      .waits_for = "advisor" },
    { DELETE, "/groups/{groupId}/managedSlowMs/disable", S48, ANY_OF(PROJECT_OWNER), "disableGroupManagedSlowMs",
      "Stop managing the slow-query threshold",
      "Goes back to a fixed limit of 100 milliseconds on all clusters of the project.",
      .shape = SHAPE_NOTHING, .waits_for = "advisor" },
    { POST, "/groups/{groupId}/managedSlowMs/enable", S48, ANY_OF(PROJECT_OWNER), "enableGroupManagedSlowMs",
      "Start managing the slow-query threshold",
      "Has the limit for slow queries set for each cluster from what is usual there, so that logs hold what "
      "stands out.",
      .shape = SHAPE_NOTHING, .waits_for = "advisor" },
    { GET, "/groups/{groupId}/clusters/{clusterName}/performanceAdvisor/dropIndexSuggestions", S48,
      ANY_OF(PROJECT_READ_ONLY), "listGroupClusterPerformanceAdvisorDropIndexSuggestions",
      "Return indexes of one cluster that could be dropped",
      "Lists indexes that are not used, that others cover, or that exist twice. Dropping them makes writes "
      "cheaper; look at rare reports first.",
      .since = "2024-08-05", .waits_for = "advisor" },
    { GET, "/groups/{groupId}/clusters/{clusterName}/performanceAdvisor/schemaAdvice", S48,
      ANY_OF(PROJECT_READ_ONLY), "listGroupClusterPerformanceAdvisorSchemaAdvice",
      "Return advice on the tables of one cluster",
      "Lists tables whose design costs time, with the reason and how often it was seen.",
      .since = "2024-08-05", .waits_for = "advisor" },
    { GET, "/groups/{groupId}/clusters/{clusterName}/performanceAdvisor/suggestedIndexes", S48,
      ANY_OF(PROJECT_READ_ONLY), "listGroupClusterPerformanceAdvisorSuggestedIndexes",
      "Return suggested indexes for one cluster",
      "Lists indexes that would have helped queries that ran, best first, with the queries as proof.",
      .since = "2024-08-05", .waits_for = "advisor" },
    { GET, "/groups/{groupId}/processes/{processId}/performanceAdvisor/namespaces", S48, ANY_OF(PROJECT_READ_ONLY),
      "listGroupProcessPerformanceAdvisorNamespaces",
      "Return tables with slow queries on one process",
      "Lists up to twenty tables of one server that slow queries were about.",
      .waits_for = "advisor" },
    { GET, "/groups/{groupId}/processes/{processId}/performanceAdvisor/slowQueryLogs", S48,
      ANY_OF(PROJECT_DATA_ACCESS_ADMIN | PROJECT_DATA_ACCESS_READ_ONLY | PROJECT_DATA_ACCESS_READ_WRITE |
             PROJECT_OBSERVABILITY_VIEWER | PROJECT_STREAM_PROCESSING_OWNER),
      "listGroupProcessPerformanceAdvisorSlowQueryLogs",
      "Return slow queries of one process",
      "Lists log lines of slow queries on one server. They can contain values from the data, so reading them "
      "takes a role that may read data.",
      .waits_for = "advisor" },
    { GET, "/groups/{groupId}/processes/{processId}/performanceAdvisor/suggestedIndexes", S48,
      ANY_OF(PROJECT_READ_ONLY), "listGroupProcessPerformanceAdvisorSuggestedIndexes",
      "Return suggested indexes for one process",
      "Lists indexes that would have helped queries that ran on one server, best first.",
      .waits_for = "advisor" },
};
// clang-format on

FAMILY(performance_advisor_family, "performance-advisor", "Performance advisor",
       "Advice from what clusters really run: indexes to create or drop, tables to change, slow queries.",
       performance_advisor_endpoints);
