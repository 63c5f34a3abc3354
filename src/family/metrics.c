/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process is one database server on one host, written host:port. Measurements are series over time with a
 * chosen grain.
 */
#include "api/contract.h"

// clang-format off
static const struct endpoint metrics_endpoints[] = {
    { GET, "/groups/{groupId}/hosts/{processId}/fts/metrics", S42, ANY_OF(PROJECT_READ_ONLY),
      "listGroupHostFtsMetrics",
      "Return all search metrics of one process",
      "Lists the names of the search metrics that one server reports, to be asked for as measurements.",
      .waits_for = "metrics" },
    { GET, "/groups/{groupId}/hosts/{processId}/fts/metrics/indexes/{databaseName}/{collectionName}/measurements",
      S42, ANY_OF(PROJECT_READ_ONLY), "listGroupHostFtsMetricIndexMeasurements",
      "Return search measurements of all indexes of one table",
      "Returns series over time for every search index of one table on one server.",
      .waits_for = "metrics" },
    { GET,
      "/groups/{groupId}/hosts/{processId}/fts/metrics/indexes/{databaseName}/{collectionName}/{indexName}/measurements",
      S42, ANY_OF(PROJECT_READ_ONLY), "getGroupHostFtsMetricIndexMeasurements",
      "Return search measurements of one index",
      "Returns series over time for one search index on one server.",
      .waits_for = "metrics" },
    { GET, "/groups/{groupId}/hosts/{processId}/fts/metrics/measurements", S42, ANY_OF(PROJECT_READ_ONLY),
      "listGroupHostFtsMetricMeasurements",
      "Return search measurements of one process",
      "Returns series over time of the search process on one server: its memory, processor time and disk.",
      .waits_for = "metrics" },
    { GET, "/groups/{groupId}/processes", S42, ANY_OF(PROJECT_READ_ONLY), "listGroupProcesses",
      "Return all processes in one project",
      "Lists the database servers of all clusters in the project, each with its host, port, version and whether "
      "it is primary or replica.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/processes/{processId}", .waits_for = "metrics" },
    { GET, "/groups/{groupId}/processes/{processId}", S42, ANY_OF(PROJECT_READ_ONLY), "getGroupProcess",
      "Return one process",
      "Returns one database server with its role and when it was last heard from.",
      .waits_for = "metrics" },
    { GET, "/groups/{groupId}/processes/{processId}/databases", S42, ANY_OF(PROJECT_READ_ONLY),
      "listGroupProcessDatabases",
      "Return all databases of one process",
      "Lists the databases on one server.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/processes/{processId}/databases/{databaseName}",
      .waits_for = "metrics" },
    { GET, "/groups/{groupId}/processes/{processId}/databases/{databaseName}", S42, ANY_OF(PROJECT_READ_ONLY),
      "getGroupProcessDatabase",
      "Return one database of one process",
      "Returns one database on one server, as a start for its measurements.",
      .waits_for = "metrics" },
    { GET, "/groups/{groupId}/processes/{processId}/databases/{databaseName}/measurements", S42,
      ANY_OF(PROJECT_READ_ONLY), "getGroupProcessDatabaseMeasurements",
      "Return measurements of one database",
      "Returns series over time for one database on one server, such as its size. Choose the grain and either a "
      "span or two dates.",
      .waits_for = "metrics" },
    { GET, "/groups/{groupId}/processes/{processId}/disks", S42, ANY_OF(PROJECT_READ_ONLY), "listGroupProcessDisks",
      "Return all disks of one process",
      "Lists the partitions that one server keeps its files on.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/processes/{processId}/disks/{partitionName}",
      .waits_for = "metrics" },
    { GET, "/groups/{groupId}/processes/{processId}/disks/{partitionName}", S42, ANY_OF(PROJECT_READ_ONLY),
      "getGroupProcessDisk",
      "Return one disk of one process",
      "Returns one partition, as a start for its measurements.",
      .waits_for = "metrics" },
    { GET, "/groups/{groupId}/processes/{processId}/disks/{partitionName}/measurements", S42,
      ANY_OF(PROJECT_READ_ONLY), "getGroupProcessDiskMeasurements",
      "Return measurements of one disk",
      "Returns series over time for one partition: space, operations and latency. Choose the grain and either a "
      "span or two dates.",
      .waits_for = "metrics" },
    { GET, "/groups/{groupId}/processes/{processId}/measurements", S42, ANY_OF(PROJECT_READ_ONLY),
      "getGroupProcessMeasurements",
      "Return measurements of one process",
      "Returns series over time for one server: connections, transactions, cache, replication lag and the host's "
      "load. Choose the grain and either a span or two dates.",
      .waits_for = "metrics" },
};
// clang-format on

FAMILY(metrics_family, "metrics", "Processes and metrics",
       "The database servers of a project, and what was measured on them, their databases and disks.",
       metrics_endpoints);
