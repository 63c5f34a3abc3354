/* SPDX-License-Identifier: Apache-2.0 */
/* The clusters of all tenants as their operator looks for them, and how many more fit into each region. */
#include "api/list.h"
#include "base/json.h"
#include "operator/parts.h"

enum { NAME_MAX_CHARACTERS = 64, SEARCH_MAX = 128, MOST_DAYS = 36500 };

/* ---- Tables ---- */
/* Of a cluster as a whole, the worst first: docs/internals/operator.md. */
static const char *const fleet_states[] = {
    "NO_PRIMARY", "SILENT", "DEGRADED", "STARTING", "HEALTHY", "STOPPED", NULL
};
static const char *const changes[] = { "CREATING", "IDLE", "UPDATING", "REPAIRING", "DELETING", NULL };
static const char *const sortings[] = { "name",    "state", "project", "organization", "primary", "region", "size",
                                        "version", "lag",   "proven",  "members",      "created", NULL };

#define CLUSTER_FIELDS                                                                                                \
    TEXT("name", "Name of the cluster.", READ_ONLY | ALWAYS, .example = "\"orders\""),                                \
        TEXT("state",                                                                                                 \
             "NO_PRIMARY: nobody accepts writes. SILENT: nothing is heard of its primary. DEGRADED: it works, and a " \
             "member does not. STARTING: it is being created, resumed or restored. STOPPED: it is paused.",           \
             READ_ONLY | ALWAYS, .one_of = fleet_states),                                                             \
        TEXT("project", "Name of its project.", READ_ONLY | ALWAYS),                                                  \
        TEXT("organization", "Name of the organization that it belongs to.", READ_ONLY | ALWAYS),                     \
        TEXT("primaryHost", "Host of its primary.", READ_ONLY | NULLABLE),                                            \
        INTEGER("members", "How many members it has.", READ_ONLY | ALWAYS),                                           \
        INTEGER("lagBytes", "How far the slowest replica is behind the primary.", READ_ONLY | NULLABLE),              \
        TEXT("version", "Version of PostgreSQL that its primary runs.", READ_ONLY | ALWAYS),                          \
        TEXT("size", "Size of its members.", READ_ONLY | ALWAYS),                                                     \
        TEXT("region", "Regions of its members.", READ_ONLY | ALWAYS),                                                \
        DATE("provenAt", "When a drill last restored its backups; null: nothing is proven.", READ_ONLY | NULLABLE),   \
        TEXT("change", "What is done with it: IDLE when nothing is.", READ_ONLY | NULLABLE, .one_of = changes),       \
        LIST("hosts", "Hosts of its members.", READ_ONLY | ALWAYS, .item = TYPE_TEXT),                                \
        INTEGER("unwell", "How many members do not run as they should.", READ_ONLY | ALWAYS),                         \
        TEXT("problem", "Problem that the agent of one of them reports.", READ_ONLY | NULLABLE),                      \
        DATE("createdAt", "When it was created.", READ_ONLY | ALWAYS),                                                \
        ID("id", "Identifier of the cluster.", READ_ONLY | ALWAYS),                                                   \
        ID("projectId", "Identifier of its project.", READ_ONLY | ALWAYS),                                            \
        ID("orgId", "Identifier of its organization.", READ_ONLY | ALWAYS)

static const struct field cluster_fields[] = { CLUSTER_FIELDS, END_OF_FIELDS };
static const struct schema cluster_schema = { "OperatedCluster", "A cluster as its operator sees it.", cluster_fields };

static const struct field member_fields[] = {
    TEXT("name", "Name of the member.", READ_ONLY | ALWAYS),
    TEXT("host", "Host that it is on.", READ_ONLY | ALWAYS),
    TEXT("zone", "Zone of that host.", READ_ONLY | ALWAYS),
    TEXT("role", "Its role in its cluster.", READ_ONLY | ALWAYS),
    TEXT("desired", "State that it should have.", READ_ONLY | ALWAYS),
    TEXT("unit", "State of its service on the host.", READ_ONLY | ALWAYS),
    MEMBER_REPORT_FIELDS,
    TEXT("address", "Address of the member.", READ_ONLY | NULLABLE),
    DATE("reportedAt", "When its agent last reported it.", READ_ONLY | NULLABLE),
    END_OF_FIELDS,
};
static const struct schema member_schema = { "OperatedClusterMember", "A member of a cluster.", member_fields };
static const struct field job_fields[] = {
    TEXT("kind", "What it does.", READ_ONLY | ALWAYS),
    TEXT("state", "Its state.", READ_ONLY | ALWAYS),
    TEXT("currentStep", "Its step.", READ_ONLY | NULLABLE),
    TEXT("waitsFor", "What it waits for, or why it failed.", READ_ONLY | NULLABLE),
    DATE("createdAt", "When it was asked for.", READ_ONLY | ALWAYS),
    ID("id", "Identifier of the job.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema job_schema = { "OperatedClusterJob", "A job about a cluster that is not done.", job_fields };
static const struct field one_cluster_fields[] = {
    CLUSTER_FIELDS,
    LIST("memberList", "Its members.", READ_ONLY | ALWAYS, .of = &member_schema),
    LIST("jobList", "Jobs about it that are not finished, or have failed.", READ_ONLY | ALWAYS, .of = &job_schema),
    END_OF_FIELDS,
};
static const struct schema one_cluster_schema = { "OperatedClusterWithMembers", "A cluster with what is known of it.",
                                                  one_cluster_fields };

static const struct field list_query[] = {
    TEXT("search", "Text in the name of the cluster, its project or its organization; or an identifier.", 0,
         .max = SEARCH_MAX, .example = "\"orders\""),
    TEXT("state", "Only clusters in this state.", 0, .one_of = fleet_states),
    TEXT("change", "Only clusters with which this is done.", 0, .one_of = changes),
    TEXT("project", "Only clusters of this project, by its name or identifier.", 0, .max = NAME_MAX_CHARACTERS),
    TEXT("organization", "Only clusters of this organization, by its name or identifier.", 0,
         .max = NAME_MAX_CHARACTERS),
    TEXT("host", "Only clusters with a member on this host.", 0, .max = NAME_MAX_CHARACTERS, .example = "\"h1\""),
    TEXT("primaryHost", "Only clusters whose primary is on this host.", 0, .max = NAME_MAX_CHARACTERS,
         .example = "\"h1\""),
    TEXT("region", "Only clusters with a member in this region.", 0, .max = NAME_MAX_CHARACTERS,
         .example = "\"EU_WEST\""),
    TEXT("size", "Only clusters with a member of this size.", 0, .max = NAME_MAX_CHARACTERS, .example = "\"M10\""),
    TEXT("version", "Only clusters with this version of PostgreSQL: `17`, or `17.6`.", 0, .max = NAME_MAX_CHARACTERS,
         .example = "\"17\""),
    INTEGER("minLagBytes", "Only clusters with a replica that is at least so far behind.", 0, .min = 0,
            .max = INT64_MAX / 2),
    INTEGER("unprovenDays", "Only clusters whose backups no drill has restored for so many days.", 0, .min = 0,
            .max = MOST_DAYS),
    TEXT("sort", "What they are sorted by: the worst, the most or the newest first, names from A on.", 0,
         .one_of = sortings, .fallback = "\"name\""),
    BOOL("reverse", "Whether the order is the other way round.", 0, .fallback = "false"),
    END_OF_FIELDS,
};
static const struct field cluster_path[] = {
    TEXT(
        "cluster",
        "Name of the cluster; PROJECT/NAME or ORGANIZATION/PROJECT/NAME where several have that name; or its identifier.",
        0, .min = 1, .max = 3 * NAME_MAX_CHARACTERS + 2, .example = "\"orders\""),
    END_OF_FIELDS,
};

static const char *const forecasts[] = { "FULL", "GROWING", "STEADY", "UNKNOWN", NULL };
static const struct field capacity_fields[] = {
    TEXT("region", "The region.", READ_ONLY | ALWAYS, .example = "\"EU_WEST\""),
    TEXT("size", "The size.", READ_ONLY | ALWAYS, .example = "\"M10\""),
    INTEGER("members", "Members of this size that are there.", READ_ONLY | ALWAYS),
    INTEGER("room", "How many more of them fit now, on hosts that report; at most 100 on each.", READ_ONLY | ALWAYS),
    TEXT(
        "forecast",
        "FULL: none fits. GROWING: more is reserved every day. STEADY: not more than four weeks ago. UNKNOWN: there is "
        "less than a week of history.",
        READ_ONLY | ALWAYS, .one_of = forecasts),
    INTEGER("daysUntilFull",
            "Days until none fits, if it goes on as in the last four weeks; null: nobody knows, or never.",
            READ_ONLY | NULLABLE),
    NUMBER("growthPerDay", "How much more is reserved every day, in members of this size.", READ_ONLY | NULLABLE),
    INTEGER("historyDays", "Days of the last four weeks of which it is known.", READ_ONLY | ALWAYS),
    INTEGER("hosts", "Hosts of the region that get members.", READ_ONLY | ALWAYS),
    TEXT("provider", "Provider of the region.", READ_ONLY | ALWAYS, .example = "\"OWN\""),
    END_OF_FIELDS,
};
static const struct schema capacity_schema = { "Capacity", "How many more members of a size fit into a region.",
                                               capacity_fields };
static const struct field capacity_query[] = {
    TEXT("region", "Only this region.", 0, .max = NAME_MAX_CHARACTERS, .example = "\"EU_WEST\""),
    TEXT("size", "Only this size.", 0, .max = NAME_MAX_CHARACTERS, .example = "\"M10\""),
    END_OF_FIELDS,
};

/* ---- Clusters ---- */
static void
bind_number(struct request *req, struct params *params, enum param name, const char *query)
{
    str text = request_query(req, query);
    if (text.len == 0)
        params_null(params, name);
    else
        params_int(params, name, strtoll(text.data, NULL, 10));
}

static error
bind_clusters(struct request *req, struct params *params)
{
    static const struct {
        enum param name;
        const char *query;
    } texts[] = {
        { P_SEARCH, "search" },
        { P_STATE, "state" },
        { P_CHANGE, "change" },
        { P_OF_PROJECT, "project" },
        { P_OF_ORGANIZATION, "organization" },
        { P_HOST, "host" },
        { P_PRIMARY_HOST, "primaryHost" },
        { P_REGION, "region" },
        { P_SIZE, "size" },
        { P_VERSION, "version" },
    };
    str sort = request_query(req, "sort");
    list_bind(req, params);
    for (size_t i = 0; i < LENGTH(texts); i++) {
        enum param name = texts[i].name;
        params_text(params, name, request_query(req, texts[i].query));
    }
    params_text(params, P_SORT, sort.len == 0 ? STR("name") : sort);
    params_bool(params, P_REVERSE, str_is(request_query(req, "reverse"), "true"));
    bind_number(req, params, P_LEAST_LAG, "minLagBytes");
    bind_number(req, params, P_UNPROVEN_DAYS, "unprovenDays");
    return OK;
}
static const struct read clusters = { SQL_FLEET_CLUSTER_PAGE, bind_clusters, list_answer };

error
operator_find_cluster(struct request *req, str named, enum error_code ambiguous, str *ret_document)
{
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, P_CLUSTER, named);
    TRY(store_read(req->api->store, req->arena, SQL_FLEET_CLUSTER_GET, &params, &rows));
    if (rows_int(&rows, 0, C_MATCHES) > 1)
        return fail(req->arena, ambiguous, V("cluster"),
                    V(str_format(req->arena, "there are several: %.*s", STR_ARG(rows_text(&rows, 0, C_CHOICES)))));
    *ret_document = rows_int(&rows, 0, C_MATCHES) == 0 ? STR_EMPTY : rows_text(&rows, 0, C_DOCUMENT);
    return OK;
}

static error
show_cluster(struct request *req)
{
    str document;
    TRY(operator_find_cluster(req, request_path_value(req, "cluster"), INVALID_PATH_PARAMETER, &document));
    if (document.len == 0)
        return request_not_found(req);
    answer_entity(req, document, 0);
    return OK;
}

/* ---- Capacity ---- */
static error
bind_capacity(struct request *req, struct params *params)
{
    list_bind(req, params);
    params_text(params, P_REGION, request_query(req, "region"));
    params_text(params, P_SIZE, request_query(req, "size"));
    return OK;
}
static const struct read capacity = { SQL_CAPACITY_PAGE, bind_capacity, list_answer };

// clang-format off
static const struct endpoint endpoints[] = {
    { GET, "/clusters", 0, FOR_OPERATORS, "listOperatedClusters", "Return the clusters of all organizations",
      "Lists clusters with their owners, hosts and states. Every filter can be combined with every other, and with sorting.",
      SHAPE_LIST, .read = &clusters, .response = &cluster_schema, .query = list_query, .item = "/clusters/{cluster}" },
    { GET, "/clusters/{cluster}", 0, FOR_OPERATORS, "showOperatedCluster", "Return one cluster with its members and jobs",
      "Shows where its members are, how they are, and what its open jobs wait for. In a path, write the slash of PROJECT/NAME as %2F.",
      SHAPE_ENTITY, .run = show_cluster, .response = &one_cluster_schema, .path_fields = cluster_path },
    { GET, "/capacity", 0, FOR_OPERATORS, "listCapacity", "Return how many more members fit, by region and size",
      "Counts members as placement would put them on hosts, and forecasts when none fits any more, from what was reserved on each of the last 28 days. "
      "Addresses that run out are not forecast.",
      SHAPE_LIST, .read = &capacity, .response = &capacity_schema, .query = capacity_query },
};
// clang-format on
FAMILY(operator_cluster_family, "clusters", "Clusters and capacity",
       "The clusters of all organizations, and how many more fit.", endpoints);
