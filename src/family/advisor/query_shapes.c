/* SPDX-License-Identifier: Apache-2.0 */
/* A shape is a query with its values taken out, known by a hash. Statistics are kept by shape. */
#include "api/api.h"
#include "base/json.h"
#include "family/advisor/advisor.h"
#include "family/families.h"
#include "family/moments.h"

#define SHAPE_HASH "^[0-9A-F]{16,64}$"
enum { MOST_NAMED = 10, MOST_SUMMARIES = 100 };

static const char *const commands[] = { "SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "OTHER", NULL };

/* ---- Statistics ---- */

static const struct field summary_fields[] = {
    TEXT("queryShapeHash", "Hash of the shape.", READ_ONLY | ALWAYS, .example = "\"A1B2C3D4E5F60718\""),
    TEXT("queryShape", "The query without its values.", READ_ONLY | ALWAYS),
    TEXT("namespace", "The table that it is mostly about.", READ_ONLY),
    TEXT("command", "What kind of statement it is.", READ_ONLY | ALWAYS, .one_of = commands),
    BOOL("systemQuery", "Whether the service itself sent it.", READ_ONLY | ALWAYS),
    NUMBER("execCount", "How often it ran.", READ_ONLY | ALWAYS),
    NUMBER("totalWorkingMillis", "Milliseconds that all runs took.", READ_ONLY | ALWAYS),
    NUMBER("avgWorkingMillis", "Milliseconds that a run took on average.", READ_ONLY | ALWAYS),
    NUMBER("docsReturned", "Number of rows that it returned or changed.", READ_ONLY | ALWAYS),
    NUMBER("bytesRead", "Bytes that were read from disk.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema summary_schema = { "QueryShapeSummary", "What one shape cost.", summary_fields };

static const struct field summaries_fields[] = {
    LIST("summaries", "The shapes, the most expensive first.", READ_ONLY | ALWAYS, .of = &summary_schema),
    END_OF_FIELDS,
};
static const struct schema summaries_schema = { "QueryShapeSummaries", "What shapes cost.", summaries_fields };

static const struct field sighting_fields[] = {
    INTEGER("timestamp", "Moment, in milliseconds since 1970.", READ_ONLY | ALWAYS),
    TEXT("applicationName", "What the client called itself.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema sighting_schema = { "QueryShapeSighting", "When a shape was seen, and from whom.",
                                               sighting_fields };

static const struct field details_fields[] = {
    OBJECT("queryStats", "What it cost.", READ_ONLY | ALWAYS, .of = &summary_schema),
    OBJECT("firstSeen", "When it was first seen.", READ_ONLY | ALWAYS, .of = &sighting_schema),
    OBJECT("lastSeen", "When it was last seen.", READ_ONLY | ALWAYS, .of = &sighting_schema),
    END_OF_FIELDS,
};
static const struct schema details_schema = { "QueryShapeDetails", "Statistics of one shape.", details_fields };

#define COMMON_QUERY                                                                                                 \
    INTEGER("since", "First moment, in milliseconds since 1970; by default a day before `until`.", 0,                \
            .min = FIRST_MOMENT_MS, .max = LAST_MOMENT_MS, .example = "1767225600000"),                              \
        INTEGER("until", "Last moment, in milliseconds since 1970; by default now.", 0, .min = FIRST_MOMENT_MS,      \
                .max = LAST_MOMENT_MS, .example = "1767229200000"),                                                  \
        LIST("processIds", "Only on these servers, each as host:port.", 0, .item = TYPE_TEXT, .pattern = PROCESS_ID, \
             .max = MOST_NAMED, .example = "[\"db1.example.org:5432\"]")

static const struct field summary_query[] = {
    COMMON_QUERY,
    LIST("namespaces", "Only about these tables, each as database.table.", 0, .item = TYPE_TEXT, .pattern = NAMESPACE,
         .max = MOST_NAMED, .example = "[\"shop.orders\"]"),
    LIST("commands", "Only these kinds of statements.", 0, .item = TYPE_TEXT, .one_of = commands, .max = 6,
         .example = "[\"SELECT\"]"),
    LIST("queryShapeHashes", "Only these shapes.", 0, .item = TYPE_TEXT, .pattern = SHAPE_HASH, .max = MOST_NAMED,
         .example = "[\"A1B2C3D4E5F60718\"]"),
    INTEGER("nSummaries", "At most this many shapes.", 0, .min = 1, .max = MOST_SUMMARIES, .fallback = "100"),
    END_OF_FIELDS,
};
static const struct field details_query[] = { COMMON_QUERY, END_OF_FIELDS };

/* ---- Shapes with a setting ---- */

/*
 * PostgreSQL has no setting that refuses a statement by its shape. Cancelling those that run would let each one begin, and would be too late for every fast
 * one; so nothing is said to be rejected before a module in the server does it.
 */
#define REJECTION "a module in the server that refuses statements by their shape"

static const struct field shape_fields[] = {
    TEXT("queryShapeHash", "Hash of the shape.", READ_ONLY | ALWAYS, .example = "\"A1B2C3D4E5F60718\""),
    TEXT("queryShape", "The query without its values.", READ_ONLY),
    TEXT("namespace", "The table that it is mostly about.", READ_ONLY),
    TEXT("command", "What kind of statement it is.", READ_ONLY, .one_of = commands),
    TEXT("status", "Whether queries of this shape are refused.", REQUIRED | ALWAYS,
         .one_of = (const char *const[]){ "REJECTED", "UNREJECTED", NULL }),
    END_OF_FIELDS,
};
static const struct schema shape_schema = { "QueryShape", "A query without its values.", shape_fields };

static const struct field shape_query[] = {
    TEXT("status", "Only shapes with this setting.", 0, .one_of = (const char *const[]){ "REJECTED", NULL },
         .fallback = "\"REJECTED\""),
    END_OF_FIELDS,
};

// clang-format off
static const struct field shape_path[] = {
    TEXT("queryShapeHash", "Hash of the shape, in hexadecimal digits.", 0, .min = 16, .max = 64, .pattern = SHAPE_HASH,
         .example = "\"A1B2C3D4E5F60718\""),
    END_OF_FIELDS,
};

static const struct read shape_summaries, shape_details, shape_get;

static const struct endpoint query_shapes_endpoints[] = {
    { GET, "/groups/{groupId}/clusters/{clusterName}/queryShapeInsights/summaries", S56, ANY_OF(PROJECT_READ_ONLY),
      "listGroupClusterQueryShapeInsightSummaries",
      "Return statistics of query shapes in one cluster",
      "Returns what each shape cost in a period: runs, rows, latency. The most expensive come first. Costs are kept by ten minutes, for "
      "eight days, and of each minute for the fifty most expensive shapes of each server.",
      .needs = SWITCH_PERFORMANCE_ADVISOR, .since = "2025-03-12", .flags = NO_ETAG, .read = &shape_summaries,
      .query = summary_query, .response = &summaries_schema },
    { GET, "/groups/{groupId}/clusters/{clusterName}/queryShapeInsights/{queryShapeHash}/details", S56,
      ANY_OF(PROJECT_READ_ONLY), "getGroupClusterQueryShapeInsightDetails",
      "Return statistics of one query shape",
      "Returns what one shape cost in a period, and when it was first and last seen.",
      .needs = SWITCH_PERFORMANCE_ADVISOR, .since = "2025-03-12", .flags = NO_ETAG, .read = &shape_details,
      .path_fields = shape_path, .query = details_query, .response = &details_schema },
    { GET, "/groups/{groupId}/clusters/{clusterName}/queryShapes", S56, ANY_OF(PROJECT_READ_ONLY),
      "listGroupClusterQueryShapes",
      "Return all query shapes of one cluster",
      "Lists the shapes whose statements are refused.",
      .needs = SWITCH_PERFORMANCE_ADVISOR, .shape = SHAPE_LIST, .since = "2025-03-12",
      .item = "/groups/{groupId}/clusters/{clusterName}/queryShapes/{queryShapeHash}", .waits_for = REJECTION,
      .query = shape_query, .response = &shape_schema },
    { GET, "/groups/{groupId}/clusters/{clusterName}/queryShapes/{queryShapeHash}", S56, ANY_OF(PROJECT_READ_ONLY),
      "getGroupClusterQueryShape",
      "Return one query shape",
      "Returns one shape with its text and whether it is rejected.",
      .needs = SWITCH_PERFORMANCE_ADVISOR, .since = "2025-03-12", .read = &shape_get,
      .path_fields = shape_path, .response = &shape_schema },
    { PATCH, "/groups/{groupId}/clusters/{clusterName}/queryShapes/{queryShapeHash}", S56,
      ANY_OF(PROJECT_DATA_ACCESS_ADMIN), "updateGroupClusterQueryShape",
      "Reject or allow one query shape",
      "Keeps statements of this shape from running on all members of the cluster, or lets them run again. Until then, limit the user who sends them.",
      .needs = SWITCH_PERFORMANCE_ADVISOR, .since = "2025-03-12", .waits_for = REJECTION,
      .path_fields = shape_path, .request = &shape_schema, .response = &shape_schema,
      .example = "{\"status\": \"REJECTED\"}" },
};
// clang-format on

FAMILY(query_shapes_family, "query-shapes", "Query shapes", "Queries without their values: what each kind costs.",
       query_shapes_endpoints);

static error
bind_shape(struct request *req, struct params *params)
{
    params_text(params, P_HASH, request_path_value(req, "queryShapeHash"));
    return advisor_bind_name(req, params);
}

static error
bind_details(struct request *req, struct params *params)
{
    params_text(params, P_HASH, request_path_value(req, "queryShapeHash"));
    return advisor_bind_cluster(req, params);
}

static const struct read shape_summaries = { SQL_QUERY_SHAPE_SUMMARIES, advisor_bind_cluster, answer_row };
static const struct read shape_details = { SQL_QUERY_SHAPE_DETAILS, bind_details, answer_row };
static const struct read shape_get = { SQL_QUERY_SHAPE_GET, bind_shape, answer_row };
