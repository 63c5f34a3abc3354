/* SPDX-License-Identifier: Apache-2.0 */
/* How much single tables are read and written. Those that do most are measured by themselves; pinned ones always. */
#include "family/monitor/table_statistics.h"

#include "api/api.h"
#include "api/request_event.h"
#include "base/json.h"
#include "family/monitor/metrics.h"
#include "store/monitor/monitor.h"
#include "wire/monitor/table_name.h"

/* All that the specification has. Those about time can be named, and the answer says why there are none. */
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

const struct metric *const measured_of_tables[] = { &metric_table[M_READS_OPS], &metric_table[M_WRITES_OPS],
                                                    &metric_table[M_TOTAL_OPS], NULL };

/* ---- Pinned tables ---- */

/* A database and a table, perhaps with a schema between them: what exactly that is, the handlers know. */
#define ANY_TABLE "^[\\s\\S]{3,255}$"

static const struct field namespaces_fields[] = {
    LIST(
        "namespaces",
        "Tables, each as database.table, or database.schema.table when the schema is not `public`. A name with a dot or a double quote "
        "in it stands in double quotes, as in SQL.",
        REQUIRED | WRITE_ONLY, .item = TYPE_TEXT, .pattern = ANY_TABLE, .min = 1, .max = TABLE_MOST_PINNED,
        .example = "[\"shop.orders\"]"),
    END_OF_FIELDS,
};
static const struct schema namespaces_schema = { "TableNames", "Tables to pin or to unpin.", namespaces_fields };

static const struct field pinned_fields[] = {
    ID("clusterId", "Identifier of the cluster.", READ_ONLY | ALWAYS),
    ID("groupId", "Identifier of the project.", READ_ONLY | ALWAYS),
    LIST("pinnedNamespaces", "The tables that are always measured.", READ_ONLY | ALWAYS, .item = TYPE_TEXT),
    END_OF_FIELDS,
};
static const struct schema pinned_schema = { "PinnedTables", "The tables of a cluster that are always measured.",
                                             pinned_fields };

/* ---- What can be asked for ---- */

static const struct field table_metric_fields[] = {
    TEXT("metricName", "Name of the metric.", READ_ONLY | ALWAYS, .one_of = table_metrics, .example = "\"READS_OPS\""),
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
         .max = 18, .example = "[\"READS_OPS\"]"),
    SPAN_FIELDS,
    END_OF_FIELDS,
};

/* ---- What was measured ---- */

static const struct field ranked_fields[] = {
    ID("groupId", "Identifier of the project.", READ_ONLY | ALWAYS),
    TEXT("identifierId", "The cluster or process that was looked at.", READ_ONLY | ALWAYS),
    LIST("rankedNamespaces",
         "The twenty busiest tables and those that are pinned; the one with the most reads and writes comes first.",
         READ_ONLY | ALWAYS, .item = TYPE_TEXT),
    END_OF_FIELDS,
};
static const struct schema ranked_schema = { "RankedTables", "Tables by what they did.", ranked_fields };

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
    TEXT("processId", "Host and port of the process, when there is only one in the view.", READ_ONLY),
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

#define VIEW                                                                                                                          \
    TEXT(                                                                                                                             \
        "clusterView",                                                                                                                \
        "Which members: the one that is primary now, the others added up, or each one separately, with its process in every series.", \
        0, .one_of = (const char *const[]){ VIEW_PRIMARY, VIEW_OTHERS, VIEW_EACH, NULL })
#define TABLE_PATH                                                                                             \
    DATABASE_FIELD, TEXT("collectionName", "Name of the table, with its schema when that is not `public`.", 0, \
                         .min = 1, .max = TABLE_NAME_BYTES)
static const struct field view_path[] = { VIEW, END_OF_FIELDS };
static const struct field view_table_path[] = { VIEW, TABLE_PATH, END_OF_FIELDS };
static const struct field table_path[] = { PROCESS_FIELD, TABLE_PATH, END_OF_FIELDS };

static const struct read pinned_get;
static handler pinned_add, pinned_replace, pinned_remove, metrics_list;

// clang-format off
static const struct endpoint table_statistics_endpoints[] = {
    { GET, "/groups/{groupId}/clusters/{clusterName}/collStats/pinned", S19, ANY_OF(PROJECT_READ_ONLY),
      "listGroupClusterCollStatPinnedNamespaces",
      "Return all pinned tables of one cluster",
      "Lists the tables that are always measured, even when they do nothing.",
      .since = "2023-11-15", .read = &pinned_get, .response = &pinned_schema },
    { PATCH, "/groups/{groupId}/clusters/{clusterName}/collStats/pinned", S19, ANY_OF(PROJECT_READ_ONLY),
      "updateGroupClusterCollStatPinnedNamespaces",
      "Pin more tables of one cluster",
      "Adds tables to those that are always measured; the others stay. A cluster has at most twenty.",
      .since = "2023-11-15", .run = pinned_add,
      .request = &namespaces_schema, .response = &pinned_schema,
      .example = "{\"namespaces\": [\"shop.orders\"]}" },
    { PUT, "/groups/{groupId}/clusters/{clusterName}/collStats/pinned", S19, ANY_OF(PROJECT_READ_ONLY),
      "pinGroupClusterCollStatPinnedNamespaces",
      "Replace the pinned tables of one cluster",
      "Has exactly the tables that are sent always measured. They need not exist yet.",
      .since = "2023-11-15", .run = pinned_replace,
      .request = &namespaces_schema, .response = &pinned_schema,
      .example = "{\"namespaces\": [\"shop.orders\"]}" },
    { PATCH, "/groups/{groupId}/clusters/{clusterName}/collStats/unpin", S19, ANY_OF(PROJECT_READ_ONLY),
      "unpinGroupClusterCollStatUnpinNamespaces",
      "Unpin tables of one cluster",
      "The tables are no longer always measured. Their measurements stay.",
      .since = "2023-11-15", .run = pinned_remove,
      .request = &namespaces_schema, .response = &pinned_schema,
      .example = "{\"namespaces\": [\"shop.orders\"]}" },
    { GET, "/groups/{groupId}/clusters/{clusterName}/{clusterView}/collStats/namespaces", S19,
      ANY_OF(PROJECT_READ_ONLY), "getGroupClusterCollStatNamespaces",
      "Return the busiest tables of one cluster",
      "Ranks tables by their reads and writes, pinned ones included, on the members that the view names; of the last day unless a period or two "
      "dates are given. Times of more than a day are ranked by whole hours, of more than 63 days by whole days.",
      .needs = SWITCH_DATABASE_STATISTICS, .since = "2023-11-15", .flags = NO_ETAG, .run = cluster_tables_rank,
      .path_fields = view_path, .query = span_query, .response = &ranked_schema },
    { GET,
      "/groups/{groupId}/clusters/{clusterName}/{clusterView}/{databaseName}/{collectionName}/collStats/measurements",
      S19, ANY_OF(PROJECT_READ_ONLY), "listGroupClusterCollStatMeasurements",
      "Return measurements of one table in one cluster",
      "Returns how often one table was read and written over time, on the members that the view names. The granularity follows from the period: minutes "
      "for up to two days, then five minutes, hours and days. 404 for a table that is neither pinned nor was among the busiest.",
      .needs = SWITCH_DATABASE_STATISTICS, .since = "2023-11-15", .flags = NO_ETAG, .run = cluster_table_measurements,
      .path_fields = view_table_path, .query = table_query, .response = &cluster_table_schema },
    { GET, "/groups/{groupId}/collStats/metrics", S19, ANY_OF(PROJECT_READ_ONLY), "listGroupCollStatMetrics",
      "Return all metrics of table statistics",
      "Lists the metrics that can be asked for, with their units. PostgreSQL does not count how long a single table takes, so there are none about time.",
      .since = "2023-11-15", .flags = NO_ETAG, .run = metrics_list,
      .response = &table_metrics_schema },
    { GET, "/groups/{groupId}/processes/{processId}/collStats/namespaces", S19, ANY_OF(PROJECT_READ_ONLY),
      "getGroupProcessCollStatNamespaces",
      "Return the busiest tables of one process",
      "Ranks tables by their reads and writes on one server, pinned ones included; of the last day unless a period or two dates are given.",
      .needs = SWITCH_DATABASE_STATISTICS, .since = "2023-11-15", .flags = NO_ETAG, .run = process_tables_rank,
      .path_fields = process_path, .query = span_query, .response = &ranked_schema },
    { GET, "/groups/{groupId}/processes/{processId}/{databaseName}/{collectionName}/collStats/measurements", S19,
      ANY_OF(PROJECT_READ_ONLY), "listGroupProcessCollStatMeasurements",
      "Return measurements of one table on one process",
      "Returns how often one table was read and written over time on one server. A read is a scan that a statement began, a write is a row that was "
      "inserted, updated or deleted. The granularity follows from the period: minutes for up to two days, then five minutes, hours and days.",
      .needs = SWITCH_DATABASE_STATISTICS, .since = "2023-11-15", .flags = NO_ETAG, .run = process_table_measurements,
      .path_fields = table_path, .query = table_query, .response = &process_table_schema },
};
// clang-format on

FAMILY(table_statistics_family, "table-statistics", "Table statistics",
       "How much single tables are read and written, and which of them are always measured.",
       table_statistics_endpoints);

/* ---- Pins ---- */
static error
bind_pinned(struct request *req, struct params *params)
{
    params_id(params, P_PROJECT, req->project);
    params_text(params, P_CLUSTER_NAME, request_path_value(req, "clusterName"));
    return OK;
}

static const struct read pinned_get = { SQL_PINNED_TABLES_GET, bind_pinned, answer_row };

static ptrdiff_t
place_of(const json_t *list, str name)
{
    size_t i;
    json_t *one;
    json_array_foreach(list, i, one)
    {
        if (str_eq(json_str(one), name))
            return (ptrdiff_t)i;
    }
    return -1;
}

/* What was sent, each once and as it is written here. */
static error
read_names(struct request *req, json_t **ret_names)
{
    json_t *names = json_in(req->arena, json_array()), *one;
    size_t i;
    json_array_foreach(json_object_get(req->body, "namespaces"), i, one)
    {
        struct table_name name;
        str sent = json_str(one),
            text = table_name_read(req->arena, sent, &name) ? table_name_write(req->arena, name) : STR_EMPTY;
        if (text.len == 0)
            return fail(
                req->arena, INVALID_ATTRIBUTE_VALUE, V("namespaces"),
                V(str_format(req->arena,
                             "%.*s is no table; write database.table or database.schema.table, each name of at most "
                             "%d bytes, and in double quotes when it has a dot or a double quote in it",
                             STR_ARG(sent), TABLE_IDENTIFIER_BYTES)));
        if (place_of(names, text) < 0)
            json_array_append_new(names, json_stringn(text.data, text.len));
    }
    *ret_names = names;
    return names == NULL ? fail(req->arena, OVERLOADED) : OK;
}

/* `change` makes what is to be pinned of what was, and what was sent. */
static error
change_pinned(struct request *req, void (*change)(json_t *after, json_t *sent))
{
    struct pinned_tables pinned;
    bool is_there;
    json_t *sent;
    str document;
    int64_t revision;
    TRY(read_names(req, &sent));
    TRY(store_pinned_tables_lock(req->tx, req->project, request_path_value(req, "clusterName"), &is_there, &pinned));
    if (!is_there)
        return request_not_found(req);
    TRY(request_check_match(req, pinned.revision));
    json_t *before = json_parse_own(req->arena, pinned.tables), *after = json_in(req->arena, json_deep_copy(before));
    change(after, sent);
    if (json_array_size(after) > TABLE_MOST_PINNED)
        return fail(
            req->arena, INVALID_ATTRIBUTE_VALUE, V("namespaces"),
            V(str_format(req->arena, "a cluster has at most %d pinned tables, and would have %zu; unpin some first",
                         TABLE_MOST_PINNED, json_array_size(after))));
    bool is_changed = !json_equal(before, after);
    pinned.tables = json_text(req->arena, after);
    TRY(store_pinned_tables_set(req->tx, req->project, &pinned, &document, &revision));
    if (is_changed) {
        json_t *was = json_in(req->arena, json_pack("{s:O}", "pinnedNamespaces", before)),
               *is = json_in(req->arena, json_pack("{s:O}", "pinnedNamespaces", after));
        TRY(request_event(req, EVENT_PINNED_TABLES_CHANGED, was, is));
    }
    answer_entity(req, document, revision);
    return OK;
}

static void
take_in(json_t *after, json_t *sent)
{
    size_t i;
    json_t *one;
    json_array_foreach(sent, i, one)
    {
        if (place_of(after, json_str(one)) < 0)
            json_array_append(after, one);
    }
}

static void
take_instead(json_t *after, json_t *sent)
{
    json_array_clear(after);
    json_array_extend(after, sent);
}

static void
take_out(json_t *after, json_t *sent)
{
    size_t i;
    json_t *one;
    json_array_foreach(sent, i, one)
    {
        ptrdiff_t place = place_of(after, json_str(one));
        if (place >= 0)
            json_array_remove(after, (size_t)place);
    }
}

static error
pinned_add(struct request *req)
{
    return change_pinned(req, take_in);
}

static error
pinned_replace(struct request *req)
{
    return change_pinned(req, take_instead);
}

static error
pinned_remove(struct request *req)
{
    return change_pinned(req, take_out);
}

/* ---- Metrics ---- */
static error
metrics_list(struct request *req)
{
    struct buf out = buf_in(req->arena, 4096);
    buf_format(&out, "{\"groupId\":\"%s\",\"metrics\":[", id_text(req->arena, req->project).data);
    for (size_t i = 0; measured_of_tables[i] != NULL; i++)
        buf_format(&out, "%s{\"metricName\":\"%s\",\"units\":\"%s\"}", i > 0 ? "," : "", measured_of_tables[i]->name,
                   measured_of_tables[i]->units);
    buf_add(&out, STR("]}"));
    answer_entity(req, buf_str(&out), 0);
    return OK;
}
