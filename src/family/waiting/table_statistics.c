/* SPDX-License-Identifier: Apache-2.0 */
/* Latency and throughput of single tables. The busiest are watched automatically; pinned ones always. */
#include "family/monitor/metrics.h"

enum { MOST_PINNED = 20 };

static const char *const table_metrics[] = {
    "READS_OPS",
    "READS_LATENCY",
    "AVERAGE_READS_LATENCY",
    "READS_P50_VALUE",
    "READS_P95_VALUE",
    "READS_P99_VALUE",
    "WRITES_OPS",
    "WRITES_LATENCY",
    "AVERAGE_WRITES_LATENCY",
    "WRITES_P50_VALUE",
    "WRITES_P95_VALUE",
    "WRITES_P99_VALUE",
    "TOTAL_OPS",
    "TOTAL_LATENCY",
    "AVERAGE_TOTAL_OPS_LATENCY",
    "TOTAL_OPS_P50_VALUE",
    "TOTAL_OPS_P95_VALUE",
    "TOTAL_OPS_P99_VALUE",
    NULL,
};

/* ---- Pinned tables ---- */

static const struct field namespaces_fields[] = {
    LIST("namespaces", "Tables, each as database.table.", REQUIRED | WRITE_ONLY, .item = TYPE_TEXT,
         .pattern = NAMESPACE, .min = 1, .max = MOST_PINNED, .example = "[\"shop.orders\"]"),
    END_OF_FIELDS,
};
static const struct schema namespaces_schema = { "TableNames", "Tables to pin or to unpin.", namespaces_fields };

static const struct field pinned_fields[] = {
    ID("clusterId", "Identifier of the cluster.", READ_ONLY | ALWAYS),
    ID("groupId", "Identifier of the project.", READ_ONLY | ALWAYS),
    LIST("pinnedNamespaces", "The tables that are always watched.", READ_ONLY | ALWAYS, .item = TYPE_TEXT),
    END_OF_FIELDS,
};
static const struct schema pinned_schema = { "PinnedTables", "The tables of a cluster that are always watched.",
                                             pinned_fields };

/* ---- What can be asked for ---- */

static const struct field table_metric_fields[] = {
    TEXT("metricName", "Name of the metric.", READ_ONLY | ALWAYS, .one_of = table_metrics),
    TEXT("units", "Unit of its values.", READ_ONLY | ALWAYS,
         .one_of = (const char *const[]){ "MILLISECONDS", "SCALAR_PER_SECOND", NULL }),
    END_OF_FIELDS,
};
static const struct schema table_metric_schema = { "TableMetric", "A metric that can be asked for.",
                                                   table_metric_fields };

static const struct field table_metrics_fields[] = {
    ID("groupId", "Identifier of the project.", READ_ONLY | ALWAYS),
    LIST("metrics", "The metrics.", READ_ONLY | ALWAYS, .of = &table_metric_schema),
    END_OF_FIELDS,
};
static const struct schema table_metrics_schema = { "TableMetrics", "The metrics of tables.", table_metrics_fields };

static const struct field span_query[] = { SPAN_FIELDS, END_OF_FIELDS };
static const struct field table_query[] = {
    LIST("metrics", "Which metrics; by default all.", 0, .item = TYPE_TEXT, .one_of = table_metrics, .min = 1,
         .max = 18, .example = "[\"READS_LATENCY\"]"),
    SPAN_FIELDS,
    END_OF_FIELDS,
};

/* ---- What was measured ---- */

static const struct field ranked_fields[] = {
    ID("groupId", "Identifier of the project.", READ_ONLY | ALWAYS),
    TEXT("identifierId", "The cluster or process that was looked at.", READ_ONLY | ALWAYS),
    LIST("rankedNamespaces", "The tables; the one with the most time spent on it comes first.", READ_ONLY | ALWAYS,
         .item = TYPE_TEXT),
    END_OF_FIELDS,
};
static const struct schema ranked_schema = { "RankedTables", "Tables by the time spent on them.", ranked_fields };

#define TABLE_FIELDS                                                                                         \
    ID("groupId", "Identifier of the project.", READ_ONLY | ALWAYS),                                         \
        TEXT("databaseName", "Name of the database.", READ_ONLY | ALWAYS),                                   \
        TEXT("collectionName", "Name of the table.", READ_ONLY | ALWAYS),                                    \
        TEXT("granularity", "Distance between two values.", READ_ONLY | ALWAYS, .one_of = granularities),    \
        DATE("start", "First moment.", READ_ONLY | ALWAYS), DATE("end", "Last moment.", READ_ONLY | ALWAYS), \
        LIST("measurements", "One series for each metric.", READ_ONLY | ALWAYS, .of = &series_schema)

static const struct field cluster_table_fields[] = {
    TABLE_FIELDS,
    ID("clusterId", "Identifier of the cluster.", READ_ONLY | ALWAYS),
    TEXT("clusterView", "Members on which it was measured.", READ_ONLY | ALWAYS),
    TEXT("processId", "Host and port of the process, where there is one.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema cluster_table_schema = { "ClusterTableMeasurements", "Measurements of a table in a cluster.",
                                                    cluster_table_fields };

static const struct field process_table_fields[] = {
    TABLE_FIELDS,
    TEXT("processId", "Host and port of the process.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema process_table_schema = { "ProcessTableMeasurements", "Measurements of a table on a server.",
                                                    process_table_fields };

// clang-format off
#define VIEW                                                                                                             \
    TEXT("clusterView", "Which members: the primary, the others, or each one separately.", 0,                             \
         .one_of = (const char *const[]){ "PRIMARY", "SECONDARY", "INDIVIDUAL_PROCESS", NULL })
static const struct field view_path[] = { VIEW, END_OF_FIELDS };
static const struct field view_table_path[] = { VIEW, DATABASE_FIELD, TABLE_FIELD, END_OF_FIELDS };

static const struct endpoint table_statistics_endpoints[] = {
    { GET, "/groups/{groupId}/clusters/{clusterName}/collStats/pinned", S19, ANY_OF(PROJECT_READ_ONLY),
      "listGroupClusterCollStatPinnedNamespaces",
      "Return all pinned tables of one cluster",
      "Lists the tables that are always watched, even when they are not busy.",
      .since = "2023-11-15", .flags = NO_ETAG, .waits_for = "metrics",
      .response = &pinned_schema },
    { PATCH, "/groups/{groupId}/clusters/{clusterName}/collStats/pinned", S19, ANY_OF(PROJECT_READ_ONLY),
      "updateGroupClusterCollStatPinnedNamespaces",
      "Pin more tables of one cluster",
      "Adds tables to those that are always watched; the others stay.",
      .since = "2023-11-15", .waits_for = "metrics",
      .request = &namespaces_schema, .response = &pinned_schema,
      .example = "{\"namespaces\": [\"shop.orders\"]}" },
    { PUT, "/groups/{groupId}/clusters/{clusterName}/collStats/pinned", S19, ANY_OF(PROJECT_READ_ONLY),
      "pinGroupClusterCollStatPinnedNamespaces",
      "Replace the pinned tables of one cluster",
      "Sets exactly the tables that are sent as always watched.",
      .since = "2023-11-15", .waits_for = "metrics",
      .request = &namespaces_schema, .response = &pinned_schema,
      .example = "{\"namespaces\": [\"shop.orders\"]}" },
    { PATCH, "/groups/{groupId}/clusters/{clusterName}/collStats/unpin", S19, ANY_OF(PROJECT_READ_ONLY),
      "unpinGroupClusterCollStatUnpinNamespaces",
      "Unpin tables of one cluster",
      "The tables are no longer always watched. Their measurements stay.",
      .since = "2023-11-15", .waits_for = "metrics",
      .request = &namespaces_schema, .response = &pinned_schema,
      .example = "{\"namespaces\": [\"shop.orders\"]}" },
    { GET, "/groups/{groupId}/clusters/{clusterName}/{clusterView}/collStats/namespaces", S19,
      ANY_OF(PROJECT_READ_ONLY), "getGroupClusterCollStatNamespaces",
      "Return the busiest tables of one cluster",
      "Ranks tables by the time spent on them, pinned ones included, on the members that the view names.",
      .since = "2023-11-15", .flags = NO_ETAG, .waits_for = "metrics",
      .path_fields = view_path, .query = span_query, .response = &ranked_schema },
    { GET,
      "/groups/{groupId}/clusters/{clusterName}/{clusterView}/{databaseName}/{collectionName}/collStats/measurements",
      S19, ANY_OF(PROJECT_READ_ONLY), "listGroupClusterCollStatMeasurements",
      "Return measurements of one table in one cluster",
      "Returns latency and throughput of one table over time, over the members that the view names.",
      .since = "2023-11-15", .flags = NO_ETAG, .waits_for = "metrics",
      .path_fields = view_table_path, .query = table_query, .response = &cluster_table_schema },
    { GET, "/groups/{groupId}/collStats/metrics", S19, ANY_OF(PROJECT_READ_ONLY), "listGroupCollStatMetrics",
      "Return all metrics of table statistics",
      "Lists the metrics that can be asked for, with their units.",
      .since = "2023-11-15", .flags = NO_ETAG, .waits_for = "metrics",
      .response = &table_metrics_schema },
    { GET, "/groups/{groupId}/processes/{processId}/collStats/namespaces", S19, ANY_OF(PROJECT_READ_ONLY),
      "getGroupProcessCollStatNamespaces",
      "Return the busiest tables of one process",
      "Ranks tables by the time spent on them on one server, pinned ones included.",
      .since = "2023-11-15", .flags = NO_ETAG, .waits_for = "metrics",
      .path_fields = process_path, .query = span_query, .response = &ranked_schema },
    { GET, "/groups/{groupId}/processes/{processId}/{databaseName}/{collectionName}/collStats/measurements", S19,
      ANY_OF(PROJECT_READ_ONLY), "listGroupProcessCollStatMeasurements",
      "Return measurements of one table on one process",
      "Returns latency and throughput of one table over time on one server.",
      .since = "2023-11-15", .flags = NO_ETAG, .waits_for = "metrics",
      .path_fields = process_table_path, .query = table_query, .response = &process_table_schema },
};
// clang-format on

FAMILY(table_statistics_family, "table-statistics", "Table statistics",
       "How fast single tables are read and written, and which of them are always watched.",
       table_statistics_endpoints);
