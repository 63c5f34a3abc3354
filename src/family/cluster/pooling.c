/* SPDX-License-Identifier: Apache-2.0 */
/* A pooler beside each member of a cluster, so that many clients share few sessions. */
#include "api/api.h"
#include "api/request_event.h"
#include "base/json.h"

static const char *const modes[] = { "TRANSACTION", "SESSION", NULL };
static const char *const states[] = { "OFF", "STARTING", "READY", "STOPPING", NULL };

static const struct field pooling_fields[] = {
    ID("clusterId", "Identifier of the cluster.", READ_ONLY | ALWAYS),
    ID("groupId", "Identifier of the project.", READ_ONLY | ALWAYS),
    BOOL("enabled", "Whether the cluster has poolers.", ALWAYS),
    TEXT(
        "mode",
        "How long a client keeps a session of the server: for a transaction, after which what it has SET or PREPAREd in SQL may meet another client "
        "of the same user; or until it disconnects.",
        ALWAYS, .one_of = modes, .example = "\"TRANSACTION\""),
    INTEGER("port", "Where poolers listen, on the addresses of the members.", READ_ONLY | ALWAYS, .example = "6432"),
    TEXT("state", "READY: the pooler of the primary serves clients. Those of replicas wait until they are needed.",
         READ_ONLY | ALWAYS, .one_of = states),
    END_OF_FIELDS,
};
static const struct schema pooling_schema = { "ClusterPooling",
                                              "Whether and how clients of a cluster can share sessions.",
                                              pooling_fields };

static const struct read pooling_get;
static handler pooling_update;

// clang-format off
static const struct endpoint pooling_endpoints[] = {
    { GET, "/groups/{groupId}/clusters/{clusterName}/pooling", S17, ANY_OF(PROJECT_READ_ONLY), "getGroupClusterPooling",
      "Return whether one cluster has poolers",
      "Returns whether a pooler runs beside each member of the cluster, how it shares sessions among clients, and whether it serves. An extension of this service.",
      .flags = EXTENSION, .read = &pooling_get, .response = &pooling_schema },
    { PATCH, "/groups/{groupId}/clusters/{clusterName}/pooling", S17, ANY_OF(PROJECT_CLUSTER_MANAGER), "updateGroupClusterPooling",
      "Switch poolers of one cluster on or off",
      "Switches the poolers of the cluster on or off, or changes how they share sessions. The cluster's `connectionStrings` have strings through the poolers while "
      "they are on. Nobody who is connected directly notices; clients of a pooler that is switched off are disconnected. An extension of this service.",
      .flags = EXTENSION, .run = pooling_update, .request = &pooling_schema, .response = &pooling_schema,
      .example = "{\"enabled\": true}" },
};
// clang-format on

FAMILY(pooling_family, "pooling", "Pooling",
       "Poolers of clusters: many clients share few sessions. An extension of this service.", pooling_endpoints);

static error
bind_get(struct request *req, struct params *params)
{
    params_id(params, P_PROJECT, req->project);
    params_text(params, P_CLUSTER_NAME, request_path_value(req, "clusterName"));
    return OK;
}

static const struct read pooling_get = { SQL_POOLING_GET, bind_get, answer_row };

struct pooling {
    id cluster;
    bool enabled;
    str mode;
};

static error
lock(struct request *req, struct pooling *ret_pooling)
{
    struct params params = { 0 };
    struct rows rows;
    TRY(bind_get(req, &params));
    TRY(tx_query(req->tx, SQL_POOLING_LOCK, &params, &rows, NULL));
    if (rows.count == 0)
        return request_not_found(req);
    *ret_pooling = (struct pooling){ .cluster = rows_id(&rows, 0, C_CLUSTER),
                                     .enabled = rows_bool(&rows, 0, C_ENABLED),
                                     .mode = rows_text(&rows, 0, C_MODE) };
    return request_check_match(req, rows_int(&rows, 0, C_REVISION));
}

static error
set(struct request *req, const struct pooling *pooling)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, req->project);
    params_id(&params, P_CLUSTER, pooling->cluster);
    params_bool(&params, P_ENABLED, pooling->enabled);
    params_text(&params, P_MODE, pooling->mode);
    return tx_query(req->tx, SQL_POOLING_SET, &params, &rows, NULL);
}

static json_t *
part(struct request *req, const struct pooling *pooling)
{
    return json_in(req->arena, json_pack("{s:b, s:s#}", "enabled", (int)pooling->enabled, "mode", pooling->mode.data,
                                         (int)pooling->mode.len));
}

/* What is not sent stays; null is the default. */
static struct pooling
merge(struct request *req, const struct pooling *before)
{
    const json_t *enabled = json_object_get(req->body, "enabled"), *mode = json_object_get(req->body, "mode");
    struct pooling after = *before;
    if (enabled != NULL)
        after.enabled = json_is_true(enabled);
    if (mode != NULL)
        after.mode = json_is_null(mode) ? str_from(modes[0]) : json_str(mode);
    return after;
}

static error
pooling_update(struct request *req)
{
    struct pooling before, after;
    struct params params = { 0 };
    struct rows rows;
    TRY(lock(req, &before));
    before.mode = str_dup(req->arena, before.mode);
    after = merge(req, &before);
    if (before.enabled != after.enabled || !str_eq(before.mode, after.mode)) {
        TRY(set(req, &after));
        TRY(request_event(req, EVENT_POOLING_CHANGED, part(req, &before), part(req, &after)));
    }
    TRY(bind_get(req, &params));
    TRY(tx_query(req->tx, SQL_POOLING_GET, &params, &rows, NULL));
    answer_entity(req, rows_text(&rows, 0, C_DOCUMENT), rows_int(&rows, 0, C_REVISION));
    return OK;
}
