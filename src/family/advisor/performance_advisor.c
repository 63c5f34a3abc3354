/* SPDX-License-Identifier: Apache-2.0 */
/* Advice drawn from query statistics. Nothing is changed by reading it. */
#include "api/crud.h"
#include "base/json.h"
#include "family/advisor/advisor.h"
#include "family/families.h"
#include "family/moments.h"

#define MONTH_MS 2592000000
enum { MOST_NAMED = 10, MOST_LINES = 20000, MOST_INDEXES = 100, MOST_EXAMPLES = 20 };

static const struct field slow_ms_fields[] = {
    BOOL("enabled", "Whether the limit is derived from the usual load of each cluster.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema slow_ms_schema = { "ManagedSlowMs", "Whether the limit for slow queries is managed.",
                                              slow_ms_fields };

/* ---- Indexes to drop ---- */

static const struct field dropped_fields[] = {
    TEXT("name", "Name of the index.", READ_ONLY | ALWAYS),
    TEXT("namespace", "Database and table, with a dot between them.", READ_ONLY | ALWAYS, .example = "\"shop.orders\""),
    LIST("index", "Its columns in order, each with 1 or -1.", READ_ONLY | ALWAYS, .item = TYPE_OBJECT,
         .example = "[{\"customer\": 1}]"),
    INTEGER("accessCount", "How often it was used.", READ_ONLY | ALWAYS),
    DATE("since", "Since when that is counted.", READ_ONLY | ALWAYS),
    INTEGER("sizeBytes", "Disk space that it uses.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema dropped_schema = { "DropIndexSuggestion", "An index that could be dropped.",
                                              dropped_fields };

static const struct field drop_fields[] = {
    LIST("redundantIndexes", "Indexes that others cover.", READ_ONLY | ALWAYS, .of = &dropped_schema),
    LIST("unusedIndexes", "Indexes that nothing uses.", READ_ONLY | ALWAYS, .of = &dropped_schema),
    END_OF_FIELDS,
};
static const struct schema drop_schema = { "DropIndexSuggestions", "Indexes that could be dropped.", drop_fields };

/* ---- Tables to change ---- */

static const struct field trigger_fields[] = {
    TEXT("triggerType", "What was seen.", READ_ONLY | ALWAYS,
         .one_of = (const char *const[]){ "DOC_SIZE_TOO_LARGE", "NUM_INDEXES", "NUMBER_OF_NAMESPACES",
                                          "QUERIES_CONTAIN_CASE_INSENSITIVE_REGEX", "NO_PRIMARY_KEY",
                                          "SEQUENCE_NEAR_END", "FOREIGN_KEY_WITHOUT_INDEX", NULL }),
    TEXT("description", "The same, as a sentence.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema trigger_schema = { "TableAdviceTrigger", "Why advice is given.", trigger_fields };

static const struct field affected_fields[] = {
    TEXT("namespace", "Database and table, with a dot between them.", READ_ONLY),
    LIST("triggers", "Why the table is listed.", READ_ONLY | ALWAYS, .of = &trigger_schema),
    END_OF_FIELDS,
};
static const struct schema affected_schema = { "TableAdviceTable", "A table that advice is about.", affected_fields };

static const struct field recommendation_fields[] = {
    TEXT("recommendation", "What to do.", READ_ONLY | ALWAYS,
         .one_of =
             (const char *const[]){ "REDUCE_DOCUMENT_SIZE", "REMOVE_UNNECESSARY_INDEXES", "REDUCE_NUMBER_OF_NAMESPACES",
                                    "OPTIMIZE_CASE_INSENSITIVE_REGEX_QUERIES", "OPTIMIZE_TEXT_QUERIES",
                                    "ADD_PRIMARY_KEY", "WIDEN_SEQUENCE", "INDEX_FOREIGN_KEYS", NULL }),
    TEXT("description", "The same, as a sentence.", READ_ONLY | ALWAYS),
    LIST("affectedNamespaces", "The tables that it is about.", READ_ONLY | ALWAYS, .of = &affected_schema),
    END_OF_FIELDS,
};
static const struct schema recommendation_schema = { "TableRecommendation", "One piece of advice.",
                                                     recommendation_fields };

static const struct field table_advice_fields[] = {
    LIST("recommendations", "The advice.", READ_ONLY | ALWAYS, .of = &recommendation_schema),
    END_OF_FIELDS,
};
static const struct schema table_advice_schema = { "TableAdvice", "Advice on the tables of a cluster.",
                                                   table_advice_fields };

/* ---- Indexes to create ---- */

static const struct field run_stats_fields[] = {
    INTEGER("ts", "When it ran, in seconds since 1970.", READ_ONLY | ALWAYS),
    INTEGER("ms", "Milliseconds that it took.", READ_ONLY | ALWAYS),
    INTEGER("nReturned", "Number of rows that it returned.", READ_ONLY | ALWAYS),
    INTEGER("nScanned", "Number of rows that it read.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema run_stats_schema = { "AdvisorRunStatistics", "What one run cost.", run_stats_fields };

static const struct field run_fields[] = {
    LIST("predicates", "What it searched by.", READ_ONLY | ALWAYS, .item = TYPE_OBJECT,
         .example = "[{\"customer\": \"=\"}]"),
    OBJECT("stats", "What it cost.", READ_ONLY | ALWAYS, .of = &run_stats_schema),
    END_OF_FIELDS,
};
static const struct schema run_schema = { "AdvisorRun", "One run of a query.", run_fields };

static const struct field advised_shape_fields[] = {
    ID("id", "Identifier of the shape, as in the impact of an index.", READ_ONLY | ALWAYS),
    TEXT("namespace", "Database and table, with a dot between them.", READ_ONLY | ALWAYS),
    INTEGER("count", "How often it ran.", READ_ONLY | ALWAYS),
    INTEGER("avgMs", "Milliseconds that a run took on average.", READ_ONLY | ALWAYS),
    INTEGER("inefficiencyScore", "How many times cheaper it becomes by the indexes, as the planner sees it.",
            READ_ONLY | ALWAYS),
    LIST("operations", "Some of its runs. Always empty: single runs have values, and these are not kept.",
         READ_ONLY | ALWAYS, .of = &run_schema),
    TEXT("queryShape", "The query without its values. An extension of this service.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema advised_shape_schema = { "AdvisorShape", "Queries that an index would help.",
                                                    advised_shape_fields };

static const struct field proof_fields[] = {
    TEXT("queryShapeHash", "Hash of the shape.", READ_ONLY | ALWAYS, .example = "\"A1B2C3D4E5F60718\""),
    NUMBER("costBefore", "What the planner thinks that it costs now, in its own unit.", READ_ONLY | ALWAYS),
    NUMBER("costAfter", "What it thinks that it costs with all suggested indexes.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema proof_schema = { "SuggestedIndexProof", "What an index does to one kind of query.",
                                            proof_fields };

static const struct field suggested_fields[] = {
    ID("id", "Identifier of the suggestion.", READ_ONLY | ALWAYS),
    TEXT("namespace", "Database and table, with a dot between them.", READ_ONLY | ALWAYS),
    LIST("index", "Its columns in order, each with 1 or -1.", READ_ONLY | ALWAYS, .item = TYPE_OBJECT,
         .example = "[{\"customer\": 1}]"),
    LIST("impact", "Identifiers of the shapes that it helps.", READ_ONLY | ALWAYS, .item = TYPE_ID),
    NUMBER("weight", "How much it helps, compared with the others.", READ_ONLY | ALWAYS),
    NUMBER("avgObjSize", "Bytes of a row on average.", READ_ONLY),
    INTEGER("sizeBytes", "Bytes that the index would have, estimated. An extension of this service.", READ_ONLY),
    LIST("proof", "What it does to the queries that it helps. An extension of this service.", READ_ONLY,
         .of = &proof_schema),
    END_OF_FIELDS,
};
static const struct schema suggested_schema = { "SuggestedIndex", "An index that would help.", suggested_fields };

static const struct field suggestions_fields[] = {
    LIST("suggestedIndexes", "The indexes, best first.", READ_ONLY | ALWAYS, .of = &suggested_schema),
    LIST("shapes", "The queries that they help.", READ_ONLY | ALWAYS, .of = &advised_shape_schema),
    LIST("notes", "Why there is no advice where there could be some, a sentence each. An extension of this service.",
         READ_ONLY, .item = TYPE_TEXT, .example = "[]"),
    END_OF_FIELDS,
};
static const struct schema suggestions_schema = { "SuggestedIndexes",
                                                  "Indexes that would help, and the queries that show it.",
                                                  suggestions_fields };

/* ---- Slow queries ---- */

static const struct field slow_table_fields[] = {
    TEXT("namespace", "Database and table, with a dot between them.", READ_ONLY | ALWAYS),
    TEXT("type", "Always collection: a table.", READ_ONLY | ALWAYS,
         .one_of = (const char *const[]){ "collection", NULL }),
    END_OF_FIELDS,
};
static const struct schema slow_table_schema = { "SlowTable", "A table that slow queries were about.",
                                                 slow_table_fields };

static const struct field slow_tables_fields[] = {
    LIST("namespaces", "The tables.", READ_ONLY | ALWAYS, .of = &slow_table_schema),
    END_OF_FIELDS,
};
static const struct schema slow_tables_schema = { "SlowTables", "Tables that slow queries were about.",
                                                  slow_tables_fields };

static const struct field slow_metrics_fields[] = {
    INTEGER("operationExecutionTime", "Milliseconds that it took.", READ_ONLY | ALWAYS),
    INTEGER("docsExamined", "Number of rows that it read.", READ_ONLY),
    INTEGER("docsReturned", "Number of rows that it returned.", READ_ONLY),
    NUMBER("docsExaminedReturnedRatio", "Examined rows for each returned row.", READ_ONLY),
    BOOL("hasSort", "Whether rows were sorted.", READ_ONLY),
    BOOL("fromUserConnection", "Whether a client sent it, and not the service itself.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema slow_metrics_schema = { "SlowQueryMetrics", "What a slow query cost.", slow_metrics_fields };

static const struct field slow_line_fields[] = {
    TEXT("line", "The line of the log.", READ_ONLY | ALWAYS),
    TEXT("namespace", "Database and table, with a dot between them.", READ_ONLY | ALWAYS),
    OBJECT("metrics", "What it cost, with includeMetrics.", READ_ONLY, .of = &slow_metrics_schema),
    TEXT("opType", "What kind of statement it is, with includeOpType.", READ_ONLY),
    TEXT("replicaState", "Role of the server at that time, with includeReplicaState.", READ_ONLY,
         .one_of = (const char *const[]){ "PRIMARY", "SECONDARY", NULL }),
    END_OF_FIELDS,
};
static const struct schema slow_line_schema = { "SlowQuery", "A query that took longer than the limit.",
                                                slow_line_fields };

static const struct field slow_queries_fields[] = {
    LIST("slowQueries", "The queries, newest first.", READ_ONLY | ALWAYS, .of = &slow_line_schema),
    END_OF_FIELDS,
};
static const struct schema slow_queries_schema = { "SlowQueries", "Queries that took longer than the limit.",
                                                   slow_queries_fields };

/* ---- Queries ---- */

#define SINCE                                                                                                      \
    INTEGER("since", "First moment, in milliseconds since 1970; by default a day ago.", 0, .min = FIRST_MOMENT_MS, \
            .max = LAST_MOMENT_MS, .example = "1767225600000")
#define DURATION                                                                                                       \
    INTEGER("duration", "How long from `since`, in milliseconds; by default until now.", 0, .min = 1, .max = MONTH_MS, \
            .example = "3600000")
#define NAMESPACES                                                                                                     \
    LIST("namespaces", "Only about these tables, each as database.table.", 0, .item = TYPE_TEXT, .pattern = NAMESPACE, \
         .max = MOST_NAMED, .example = "[\"shop.orders\"]")

static const struct field cluster_query[] = {
    LIST("processIds", "Only what was seen on these servers, each as host:port.", 0, .item = TYPE_TEXT,
         .pattern = PROCESS_ID, .max = MOST_NAMED, .example = "[\"db1.example.org:5432\"]"),
    NAMESPACES,
    SINCE,
    INTEGER("until", "Last moment, in milliseconds since 1970; by default now.", 0, .min = FIRST_MOMENT_MS,
            .max = LAST_MOMENT_MS, .example = "1767229200000"),
    END_OF_FIELDS,
};
static const struct field tables_query[] = { DURATION, SINCE, END_OF_FIELDS };
static const struct field slow_query[] = {
    DURATION,
    SINCE,
    NAMESPACES,
    INTEGER("nLogs", "At most this many queries.", 0, .min = 0, .max = MOST_LINES, .fallback = "20000"),
    BOOL("includeMetrics", "Whether to include what each query cost.", 0, .fallback = "false"),
    BOOL("includeReplicaState", "Whether to include the role of the server.", 0, .fallback = "false"),
    BOOL("includeOpType", "Whether to include the kind of each statement.", 0, .fallback = "false"),
    END_OF_FIELDS,
};
static const struct field process_query[] = {
    DURATION,
    SINCE,
    NAMESPACES,
    INTEGER("nExamples", "At most this many runs for each shape.", 0, .min = 1, .max = MOST_EXAMPLES, .fallback = "5"),
    INTEGER("nIndexes", "At most this many indexes.", 0, .min = 1, .max = MOST_INDEXES, .example = "10"),
    END_OF_FIELDS,
};

static const struct kind managed = {
    .name = "managedSlowMs",
    .fallback = "{\"enabled\": true}",
    .changed = EVENT_MANAGED_SLOW_MS_CHANGED,
};

static const struct read managed_get, cluster_suggestions, process_suggestions, cluster_drops, cluster_tables,
    slow_tables, slow_queries;
static handler managed_disable, managed_enable;

// clang-format off
static const struct endpoint performance_advisor_endpoints[] = {
    { GET, "/groups/{groupId}/managedSlowMs", S48, ANY_OF(PROJECT_READ_ONLY), "getGroupManagedSlowMs",
      "Return whether the slow-query threshold is managed",
      "Tells whether the limit above which a query counts as slow is derived from the cluster's usual load or is fixed.",
      .flags = NO_ETAG, .read = &managed_get,
      .response = &slow_ms_schema },
    { DELETE, "/groups/{groupId}/managedSlowMs/disable", S48, ANY_OF(PROJECT_OWNER), "disableGroupManagedSlowMs",
      "Stop managing the slow-query threshold",
      "Sets a fixed limit of 100 milliseconds on all clusters of the project.",
      .shape = SHAPE_NOTHING, .run = managed_disable, .kind = &managed },
    { POST, "/groups/{groupId}/managedSlowMs/enable", S48, ANY_OF(PROJECT_OWNER), "enableGroupManagedSlowMs",
      "Start managing the slow-query threshold",
      "Derives the limit for slow queries from the usual load of each cluster, so that logs contain only unusual queries.",
      .shape = SHAPE_NOTHING, .run = managed_enable, .kind = &managed },
    { GET, "/groups/{groupId}/clusters/{clusterName}/performanceAdvisor/dropIndexSuggestions", S48,
      ANY_OF(PROJECT_READ_ONLY), "listGroupClusterPerformanceAdvisorDropIndexSuggestions",
      "Return indexes of one cluster that could be dropped",
      "Lists indexes that no member of the cluster uses, that others cover, or that exist twice. Dropping them makes writes cheaper; "
      "check first whether rare reports need them.",
      .needs = SWITCH_PERFORMANCE_ADVISOR, .since = "2024-08-05", .flags = NO_ETAG, .read = &cluster_drops,
      .response = &drop_schema },
    { GET, "/groups/{groupId}/clusters/{clusterName}/performanceAdvisor/schemaAdvice", S48,
      ANY_OF(PROJECT_READ_ONLY), "listGroupClusterPerformanceAdvisorSchemaAdvice",
      "Return advice on the tables of one cluster",
      "Lists tables whose design costs time, with the reason and how often it was seen.",
      .needs = SWITCH_SCHEMA_ADVISOR, .since = "2024-08-05", .flags = NO_ETAG, .read = &cluster_tables,
      .response = &table_advice_schema },
    { GET, "/groups/{groupId}/clusters/{clusterName}/performanceAdvisor/suggestedIndexes", S48,
      ANY_OF(PROJECT_READ_ONLY), "listGroupClusterPerformanceAdvisorSuggestedIndexes",
      "Return suggested indexes for one cluster",
      "Lists indexes that would have helped queries that ran, best first, with what the planner makes of each: an index is listed "
      "only when it makes a query at least twice as cheap. A period leaves out advice that was given outside of it.",
      .needs = SWITCH_PERFORMANCE_ADVISOR, .since = "2024-08-05", .flags = NO_ETAG, .read = &cluster_suggestions,
      .query = cluster_query, .response = &suggestions_schema },
    { GET, "/groups/{groupId}/processes/{processId}/performanceAdvisor/namespaces", S48, ANY_OF(PROJECT_READ_ONLY),
      "listGroupProcessPerformanceAdvisorNamespaces",
      "Return tables with slow queries on one process",
      "Lists up to twenty tables of one server that slow queries were about.",
      .needs = SWITCH_PERFORMANCE_ADVISOR, .flags = NO_ETAG, .read = &slow_tables,
      .path_fields = advisor_process_path, .query = tables_query, .response = &slow_tables_schema },
    { GET, "/groups/{groupId}/processes/{processId}/performanceAdvisor/slowQueryLogs", S48,
      ANY_OF(PROJECT_DATA_ACCESS_ADMIN | PROJECT_DATA_ACCESS_READ_ONLY | PROJECT_DATA_ACCESS_READ_WRITE |
             PROJECT_OBSERVABILITY_VIEWER | PROJECT_STREAM_PROCESSING_OWNER),
      "listGroupProcessPerformanceAdvisorSlowQueryLogs",
      "Return slow queries of one process",
      "Lists slow queries on one server as their log has them, with values taken out. They tell what the data are about, so reading "
      "them requires a role that may read data.",
      .needs = SWITCH_PERFORMANCE_ADVISOR, .flags = NO_ETAG, .read = &slow_queries,
      .path_fields = advisor_process_path, .query = slow_query, .response = &slow_queries_schema },
    { GET, "/groups/{groupId}/processes/{processId}/performanceAdvisor/suggestedIndexes", S48,
      ANY_OF(PROJECT_READ_ONLY), "listGroupProcessPerformanceAdvisorSuggestedIndexes",
      "Return suggested indexes for one process",
      "Lists indexes that would have helped queries that ran on one server, best first.",
      .needs = SWITCH_PERFORMANCE_ADVISOR, .flags = NO_ETAG, .read = &process_suggestions,
      .path_fields = advisor_process_path, .query = process_query, .response = &suggestions_schema },
};
// clang-format on

FAMILY(performance_advisor_family, "performance-advisor", "Performance advisor",
       "Advice from the queries that clusters run: indexes to create or drop, tables to change, slow queries.",
       performance_advisor_endpoints);

/* ---- Reading ---- */
static error
bind_project(struct request *req, struct params *params)
{
    params_id(params, P_PROJECT, req->project);
    return OK;
}

static const struct read managed_get = { SQL_MANAGED_SLOW_MS_GET, bind_project, answer_row };
static const struct read cluster_suggestions = { SQL_ADVISOR_CLUSTER_SUGGESTIONS, advisor_bind_cluster, answer_row };
static const struct read cluster_drops = { SQL_ADVISOR_DROPS, advisor_bind_name, answer_row };
static const struct read cluster_tables = { SQL_ADVISOR_TABLES, advisor_bind_name, answer_row };
static const struct read process_suggestions = { SQL_ADVISOR_PROCESS_SUGGESTIONS, advisor_bind_process, answer_row };
static const struct read slow_tables = { SQL_ADVISOR_SLOW_TABLES, advisor_bind_process, answer_row };
static const struct read slow_queries = { SQL_ADVISOR_SLOW_QUERIES, advisor_bind_process, answer_row };

/* ---- The limit ---- */
static error
set_managed(struct request *req, bool is_managed)
{
    struct change change;
    str document;
    int64_t revision;
    TRY(crud_lock_single(req, &change));
    change.after = json_in(req->arena, json_pack("{s:b}", "enabled", (int)is_managed));
    if (change.after == NULL)
        return fail(req->arena, OVERLOADED);
    TRY(crud_store(req, &change, &document, &revision));
    answer_nothing(req);
    return OK;
}

static error
managed_disable(struct request *req)
{
    return set_managed(req, false);
}

static error
managed_enable(struct request *req)
{
    return set_managed(req, true);
}
