/* SPDX-License-Identifier: Apache-2.0 */
#include "api/request_event.h"

#include "base/json.h"

/* Several entries that were added at once make one event; its before and after are objects like any other's. */
static const json_t *
as_object(struct arena *arena, const json_t *json)
{
    return json_is_array(json) ? json_in(arena, json_pack("{s:O}", "entries", json)) : json;
}

static error
add_event(struct request *req, enum event_type type, id organization, id project, str cluster, const json_t *before,
          const json_t *after)
{
    static const char *const kinds[] = {
        [PRINCIPAL_SERVICE_ACCOUNT] = "SERVICE_ACCOUNT",
        [PRINCIPAL_API_KEY] = "API_KEY",
        [PRINCIPAL_PERSON] = "USER",
        [PRINCIPAL_OPERATOR] = "OPERATOR",
    };
    /* What an operator does at the command line of a node is no request. */
    bool is_local = req->caller->kind == PRINCIPAL_OPERATOR && req->in.request_id.len == 0;
    struct event_draft draft = {
        .type = type,
        .organization = organization,
        .project = project,
        .actor =
            req->caller->kind == PRINCIPAL_OPERATOR ? ID_NONE : req->caller->id, /* tenants know operators by name */
        .actor_name = req->caller->name,
        .actor_kind = str_from(kinds[req->caller->kind]),
        .address = is_local ? STR_EMPTY : net_address_text(req->arena, &req->in.client),
        .request_id = req->in.request_id,
        .cluster = cluster,
        .before = as_object(req->arena, before),
        .after = as_object(req->arena, after),
    };
    id event;
    return store_event_add(req->tx, &draft, &event);
}

error
request_event_in(struct request *req, enum event_type type, id organization, id project, const json_t *before,
                 const json_t *after)
{
    return add_event(req, type, organization, project, request_path_value(req, "clusterName"), before, after);
}

error
request_event_of_cluster(struct request *req, enum event_type type, str cluster, const json_t *before,
                         const json_t *after)
{
    return add_event(req, type, req->organization, req->project, cluster, before, after);
}

error
request_event(struct request *req, enum event_type type, const json_t *before, const json_t *after)
{
    return request_event_in(req, type, req->organization, req->project, before, after);
}
