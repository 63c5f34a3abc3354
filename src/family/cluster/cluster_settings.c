/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of the database servers. They are kept in the cluster's document, but shown only here. */
#include "api/api.h"
#include "api/request_event.h"
#include "base/json.h"
#include "cluster/settings.h"
#include "family/cluster/clusters.h"
#include "job/cluster/cluster_jobs.h"

static error
bind_get(struct request *req, struct params *params)
{
    params_id(params, P_PROJECT, req->project);
    params_text(params, P_CLUSTER_NAME, request_path_value(req, "clusterName"));
    return OK;
}

const struct read cluster_settings_get = { SQL_CLUSTER_SETTINGS_GET, bind_get, answer_row };

/* What is null goes back to its default: it is not kept. */
static json_t *
merge(struct request *req, const json_t *before)
{
    json_t *after = before == NULL ? json_object() : json_deep_copy(before);
    const char *name;
    json_t *value;
    json_object_foreach(req->body, name, value)
    {
        if (json_is_null(value))
            json_object_del(after, name);
        else
            json_object_set(after, name, value);
    }
    return json_in(req->arena, after);
}

static error
read_settings(struct request *req, str *ret_text, int64_t *ret_revision)
{
    struct params params = { 0 };
    struct rows rows;
    TRY(bind_get(req, &params));
    TRY(tx_query(req->tx, SQL_CLUSTER_SETTINGS_GET, &params, &rows, NULL));
    if (rows.count == 0)
        return request_not_found(req);
    *ret_text = rows_text(&rows, 0, C_DOCUMENT);
    *ret_revision = rows_int(&rows, 0, C_REVISION);
    return OK;
}

error
cluster_settings_update(struct request *req)
{
    struct cluster cluster;
    bool found;
    str text;
    int64_t revision;
    TRY(store_cluster_lock(req->tx, req->organization, req->project, STR(CLUSTER_KIND),
                           request_path_value(req, "clusterName"), &found, &cluster));
    if (!found)
        return request_not_found(req);
    TRY(read_settings(req, &text, &revision));
    TRY(request_check_match(req, revision));
    TRY(cluster_check_changeable(req, &cluster));
    if (json_is_true(json_object_get(cluster.document, "paused")))
        return fail(req->arena, CLUSTER_NOT_CHANGEABLE, V(cluster.name), V("it is paused"));
    const char *unknown = settings_unknown_to(req->body, cluster.major_version);
    if (unknown != NULL)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(unknown),
                    V(str_format(req->arena, "PostgreSQL %.*s, which the cluster runs, does not have this setting",
                                 STR_ARG(cluster.major_version))));
    json_t *before = json_parse_own(req->arena, text), *after = merge(req, before);
    if (!json_equal(before, after)) {
        json_t *document = json_in(req->arena, json_copy((json_t *)cluster.document));
        json_object_set(document, "processArgs", after);
        TRY(cluster_submit(req, &cluster, document, &cluster_update_job, NULL));
        TRY(request_event(req, EVENT_CLUSTER_SETTINGS_CHANGED, before, after));
        TRY(read_settings(req, &text, &revision));
    }
    answer_entity(req, text, revision);
    return OK;
}
