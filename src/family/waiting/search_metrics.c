/* SPDX-License-Identifier: Apache-2.0 */
/* What will be measured on search, which has no processes yet. */
#include "family/monitor/metrics.h"

static const char *const search_index_metrics[] = {
    "INDEX_SIZE_ON_DISK",        "NUMBER_OF_INDEX_FIELDS",
    "NUMBER_OF_INSERTS",         "NUMBER_OF_UPDATES",
    "NUMBER_OF_DELETES",         "TOTAL_NUMBER_OF_QUERIES",
    "NUMBER_OF_SUCCESS_QUERIES", "NUMBER_OF_ERROR_QUERIES",
    "REPLICATION_LAG",           NULL,
};
static const char *const search_process_metrics[] = {
    "FTS_DISK_USAGE",
    "FTS_PROCESS_CPU_USER",
    "FTS_PROCESS_CPU_KERNEL",
    "FTS_PROCESS_NORMALIZED_CPU_USER",
    "FTS_PROCESS_NORMALIZED_CPU_KERNEL",
    "FTS_PROCESS_RESIDENT_MEMORY",
    "FTS_PROCESS_SHARED_MEMORY",
    "FTS_PROCESS_VIRTUAL_MEMORY",
    "PAGE_FAULTS",
    NULL,
};

static const struct field search_metric_fields[] = {
    TEXT("metricName", "Name of the metric.", READ_ONLY | ALWAYS),
    TEXT("units", "Unit of its values.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema search_metric_schema = { "SearchMetric", "A metric that can be asked for.",
                                                    search_metric_fields };

static const struct field search_metrics_fields[] = {
    ID("groupId", "Identifier of the project.", READ_ONLY | ALWAYS),
    TEXT("processId", "Host and port of the process.", READ_ONLY | ALWAYS),
    LIST("hardwareMetrics", "Metrics of the search process.", READ_ONLY | ALWAYS, .of = &search_metric_schema),
    LIST("indexMetrics", "Metrics of an index.", READ_ONLY | ALWAYS, .of = &search_metric_schema),
    LIST("statusMetrics", "Metrics of queries and changes.", READ_ONLY | ALWAYS, .of = &search_metric_schema),
    END_OF_FIELDS,
};
static const struct schema search_metrics_schema = { "SearchMetrics", "The metrics of search on a server.",
                                                     search_metrics_fields };

static const struct field search_measurements_fields[] = {
    MEASURED_FIELDS,
    LIST("hardwareMeasurements", "Series of the search process.", READ_ONLY | ALWAYS, .of = &series_schema),
    LIST("statusMeasurements", "Series of queries and changes.", READ_ONLY | ALWAYS, .of = &series_schema),
    END_OF_FIELDS,
};
static const struct schema search_measurements_schema = { "SearchMeasurements", "Measurements of a search process.",
                                                          search_measurements_fields };

static const struct field index_measurements_fields[] = {
    MEASURED_FIELDS,
    TEXT("databaseName", "Name of the database.", READ_ONLY | ALWAYS),
    TEXT("collectionName", "Name of the table.", READ_ONLY | ALWAYS),
    LIST("indexIds", "Identifiers of the indexes.", READ_ONLY | ALWAYS, .item = TYPE_ID),
    LIST("indexStatsMeasurements", "Series of the indexes.", READ_ONLY | ALWAYS, .of = &series_schema),
    END_OF_FIELDS,
};
static const struct schema index_measurements_schema = { "SearchIndexMeasurements", "Measurements of search indexes.",
                                                         index_measurements_fields };

static const struct field search_query[] = {
    LIST("metrics", "Which metrics.", REQUIRED, .item = TYPE_TEXT, .one_of = search_process_metrics, .min = 1,
         .max = MOST_METRICS, .example = "[\"FTS_PROCESS_CPU_USER\"]"),
    GRANULARITY,
    SPAN_FIELDS,
    END_OF_FIELDS,
};
static const struct field index_query[] = {
    LIST("metrics", "Which metrics.", REQUIRED, .item = TYPE_TEXT, .one_of = search_index_metrics, .min = 1,
         .max = MOST_METRICS, .example = "[\"INDEX_SIZE_ON_DISK\"]"),
    GRANULARITY,
    SPAN_FIELDS,
    END_OF_FIELDS,
};

// clang-format off
static const struct field index_path[] = {
    PROCESS_FIELD,
    DATABASE_FIELD,
    TABLE_FIELD,
    TEXT("indexName", "Name of the search index.", 0, .min = 1, .max = 63),
    END_OF_FIELDS,
};

static const struct endpoint search_metrics_endpoints[] = {
    { GET, "/groups/{groupId}/hosts/{processId}/fts/metrics", S42, ANY_OF(PROJECT_READ_ONLY),
      "listGroupHostFtsMetrics",
      "Return all search metrics of one process",
      "Lists the names of the search metrics of one server. Use them to request measurements.",
      .flags = NO_ETAG, .waits_for = "search",
      .path_fields = process_path, .response = &search_metrics_schema },
    { GET, "/groups/{groupId}/hosts/{processId}/fts/metrics/indexes/{databaseName}/{collectionName}/measurements",
      S42, ANY_OF(PROJECT_READ_ONLY), "listGroupHostFtsMetricIndexMeasurements",
      "Return search measurements of all indexes of one table",
      "Returns series over time for every search index of one table on one server.",
      .flags = NO_ETAG, .waits_for = "search",
      .path_fields = process_table_path, .query = index_query, .response = &index_measurements_schema },
    { GET,
      "/groups/{groupId}/hosts/{processId}/fts/metrics/indexes/{databaseName}/{collectionName}/{indexName}/measurements",
      S42, ANY_OF(PROJECT_READ_ONLY), "getGroupHostFtsMetricIndexMeasurements",
      "Return search measurements of one index",
      "Returns series over time for one search index on one server.",
      .flags = NO_ETAG, .waits_for = "search",
      .path_fields = index_path, .query = index_query, .response = &index_measurements_schema },
    { GET, "/groups/{groupId}/hosts/{processId}/fts/metrics/measurements", S42, ANY_OF(PROJECT_READ_ONLY),
      "listGroupHostFtsMetricMeasurements",
      "Return search measurements of one process",
      "Returns series over time of the search process on one server: its memory, processor time and disk.",
      .flags = NO_ETAG, .waits_for = "search",
      .path_fields = process_path, .query = search_query, .response = &search_measurements_schema },
};
// clang-format on

FAMILY(search_metrics_family, "search-metrics", "Search metrics",
       "What is measured on search: its processes, and its indexes.", search_metrics_endpoints);
