/* SPDX-License-Identifier: Apache-2.0 */
#include "api/request_event.h"

#include "base/json.h"

/* Several entries that were added at once make one event; its before and after are objects like any other's. */
static const json_t *
as_object(struct arena *arena, const json_t *json)
{
    return json_is_array(json) ? json_in(arena, json_pack("{s:O}", "entries", json)) : json;
}

void
request_event_actor(struct request *req, struct event_draft *ret_draft)
{
    static const char *const kinds[] = {
        [PRINCIPAL_SERVICE_ACCOUNT] = "SERVICE_ACCOUNT",
        [PRINCIPAL_API_KEY] = "API_KEY",
        [PRINCIPAL_PERSON] = "USER",
        [PRINCIPAL_OPERATOR] = "OPERATOR",
    };
    bool is_operator = req->caller->kind == PRINCIPAL_OPERATOR;
    /* What an operator does at the command line of a node is no request. */
    bool is_local = is_operator && req->in.request_id.len == 0;
    *ret_draft = (struct event_draft){
        .actor = is_operator ? ID_NONE : req->caller->id, /* tenants know operators by name */
        .actor_name = req->caller->name,
        .actor_kind = str_from(kinds[req->caller->kind]),
        .address = is_local ? STR_EMPTY : net_address_text(req->arena, &req->in.client),
        .request_id = req->in.request_id,
    };
}

static error
add_event(struct request *req, enum event_type type, id organization, id project, str cluster, const json_t *before,
          const json_t *after)
{
    struct event_draft draft;
    id event;
    request_event_actor(req, &draft);
    draft.type = type;
    draft.organization = organization;
    draft.project = project;
    draft.cluster = cluster;
    draft.before = as_object(req->arena, before);
    draft.after = as_object(req->arena, after);
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
