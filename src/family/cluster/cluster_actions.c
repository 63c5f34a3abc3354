/* SPDX-License-Identifier: Apache-2.0 */
/* What can be done with a cluster besides changing it: a switchover, consents, pins, sample data. */
#include "api/api.h"
#include "api/request_event.h"
#include "base/clock.h"
#include "base/date.h"
#include "base/json.h"
#include "cluster/member.h"
#include "cluster/part.h"
#include "family/cluster/clusters.h"
#include "job/cluster/cluster_jobs.h"
#include "store/access/support.h"

static const struct field pin_fields[] = {
    DATE("expirationDate", "When the pin ends, in the future; without it, the pin lasts until it is removed.", 0,
         .example = "\"2099-01-01T00:00:00Z\""),
    END_OF_FIELDS,
};
const struct schema version_pin_schema = { "VersionPin", "How long a version is pinned.", pin_fields };

static const struct field sample_fields[] = {
    ID("_id", "Identifier of the load.", READ_ONLY | ALWAYS),
    TEXT("clusterName", "Cluster that the data is loaded into.", READ_ONLY | ALWAYS),
    TEXT("state", "Whether the data is being loaded, is loaded, or could not be loaded.", READ_ONLY | ALWAYS,
         .one_of = sample_load_state_names),
    DATE("createDate", "When it was asked for.", READ_ONLY | ALWAYS),
    DATE("completeDate", "When it ended.", READ_ONLY),
    TEXT("errorMessage", "Why it failed.", READ_ONLY),
    END_OF_FIELDS,
};
const struct schema sample_load_schema = { "SampleDatasetLoad", "One load of sample data.", sample_fields };

static str
now_text(struct request *req)
{
    return date_now(req->arena);
}

/* The cluster of the path, in a state in which something can be done with it. */
static error
take(struct request *req, str name, struct cluster *ret_cluster)
{
    json_t *before;
    TRY(cluster_take(req, STR(CLUSTER_KIND), name, ret_cluster, &before));
    return cluster_check_changeable(req, ret_cluster);
}

static error
take_from_path(struct request *req, struct cluster *ret_cluster)
{
    return take(req, request_path_value(req, "clusterName"), ret_cluster);
}

static error
check_future(struct request *req, const char *field)
{
    int64_t ms;
    const json_t *sent = json_object_get(req->body, field);
    if (sent == NULL || (date_parse(json_str(sent), &ms) && ms > clock_now_ms()))
        return OK;
    return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(field), V("it must be in the future"));
}

/* ---- A switchover ---- */

error
cluster_restart(struct request *req)
{
    struct cluster cluster;
    struct cluster_members members;
    const struct cluster_member *primary = NULL;
    TRY(take_from_path(req, &cluster));
    TRY(store_cluster_members(req->tx, cluster.id, &members));
    for (size_t i = 0; i < members.count; i++)
        primary = member_is_primary(&members.items[i]) ? &members.items[i] : primary;
    if (primary == NULL)
        return fail(req->arena, CLUSTER_NOT_CHANGEABLE, V(cluster.name), V("it has no primary"));
    json_t *payload = json_in(req->arena, json_pack("{s:s, s:I}", "primary", id_text(req->arena, primary->id).data,
                                                    "restarts", (json_int_t)primary->restart_nonce));
    TRY(cluster_submit(req, &cluster, cluster.document, &cluster_restart_job, payload));
    answer_nothing(req);
    return request_event(req, EVENT_CLUSTER_RESTART_SUBMITTED, NULL, NULL);
}

/* ---- Consents and pins ---- */

/* Puts a part into the document, or takes it out. */
static error
record(struct request *req, const char *part, json_t *value, enum event_type type)
{
    struct cluster cluster;
    TRY(take_from_path(req, &cluster));
    const json_t *before = json_object_get(cluster.document, part);
    json_t *document = json_in(req->arena, json_copy((json_t *)cluster.document));
    answer_nothing(req);
    if (value == NULL && before == NULL)
        return OK; /* there is nothing to take away */
    if (value == NULL)
        json_object_del(document, part);
    else
        json_object_set(document, part, value);
    TRY(cluster_submit(req, &cluster, document, NULL, NULL));
    return request_event(req, type, before, value);
}

/* Sessions were opened under the consent that was there: with it they end, whatever the next one allows. */
static error
end_support(struct request *req)
{
    bool is_there;
    size_t count;
    struct event_draft by;
    struct support_ended which = { .organization = req->organization, .project = req->project };
    TRY(store_cluster_find(req->tx, req->project, STR(CLUSTER_KIND), request_path_value(req, "clusterName"), &is_there,
                           &which.cluster));
    request_event_actor(req, &by);
    return is_there ? store_support_end(req->tx, &which, &by, &count) : OK;
}

error
cluster_grant_access(struct request *req)
{
    TRY(check_future(req, "expirationTime"));
    /* In this order: it holds the cluster, so a session that is being opened is there or will not be. */
    TRY(record(req, "vendorEmployeeAccessGrant", req->body, EVENT_SUPPORT_ACCESS_GRANTED));
    return end_support(req);
}

error
cluster_revoke_access(struct request *req)
{
    TRY(record(req, "vendorEmployeeAccessGrant", NULL, EVENT_SUPPORT_ACCESS_REVOKED));
    return end_support(req);
}

error
cluster_pin(struct request *req)
{
    struct cluster cluster;
    TRY(check_future(req, "expirationDate"));
    TRY(take_from_path(req, &cluster));
    json_t *pin = json_in(req->arena, json_pack("{s:s}", "version", cluster.major_version.data));
    const json_t *until = json_object_get(req->body, "expirationDate");
    if (until != NULL)
        json_object_set_new(pin, "until", json_string(json_string_value(until)));
    return record(req, "pin", pin, EVENT_CLUSTER_VERSION_PINNED);
}

error
cluster_unpin(struct request *req)
{
    return record(req, "pin", NULL, EVENT_CLUSTER_VERSION_UNPINNED);
}

/* ---- Sample data ---- */

static error
bind_sample(struct request *req, struct params *params)
{
    params_id(params, P_PROJECT, req->project);
    params_text(params, P_KIND, STR(SAMPLE_LOAD_KIND));
    params_text(params, P_NAME, request_path_value(req, "sampleDatasetId"));
    return OK;
}

const struct read sample_load_get = { SQL_CLUSTER_PART_GET, bind_sample, answer_row };

error
sample_load_start(struct request *req)
{
    struct cluster cluster;
    struct rows rows;
    struct params params = { 0 };
    TRY(take(req, request_path_value(req, "name"), &cluster));
    if (json_is_true(json_object_get(cluster.document, "paused")))
        return fail(req->arena, CLUSTER_NOT_CHANGEABLE, V(cluster.name), V("it is paused"));
    id load = id_new(store_cell(req->api->store));
    str name = id_text(req->arena, load);
    json_t *shown = json_in(req->arena, json_pack("{s:s, s:s, s:s}", "_id", name.data, "clusterName", cluster.name.data,
                                                  "createDate", now_text(req).data));
    struct cluster_part part = { .id = load, .kind = STR(SAMPLE_LOAD_KIND), .name = name };
    part_set(req->arena, &part, shown, sample_load_state_names[SAMPLE_LOAD_WORKING]);
    TRY(store_part_put(req->tx, req->organization, req->project, &part));
    TRY(cluster_submit(req, &cluster, cluster.document, &sample_load_job,
                       json_in(req->arena, json_pack("{s:s}", "load", name.data))));
    TRY(request_event_of_cluster(req, EVENT_SAMPLE_DATA_REQUESTED, cluster.name, NULL, shown));
    params_id(&params, P_PROJECT, req->project);
    params_text(&params, P_KIND, part.kind);
    params_text(&params, P_NAME, part.name);
    TRY(tx_query(req->tx, SQL_CLUSTER_PART_GET, &params, &rows, NULL));
    answer_created(req, rows_text(&rows, 0, C_DOCUMENT), name, rows_int(&rows, 0, C_REVISION));
    return OK;
}
