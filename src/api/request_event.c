/* SPDX-License-Identifier: Apache-2.0 */
#include "api/request_event.h"

error
request_event_in(struct request *req, enum event_type type, id organization, id project, const json_t *before,
                 const json_t *after)
{
    static const char *const kinds[] = {
        [PRINCIPAL_SERVICE_ACCOUNT] = "SERVICE_ACCOUNT",
        [PRINCIPAL_API_KEY] = "API_KEY",
        [PRINCIPAL_PERSON] = "USER",
    };
    struct event_draft draft = {
        .type = type,
        .organization = organization,
        .project = project,
        .actor = req->caller->id,
        .actor_name = req->caller->name,
        .actor_kind = str_from(kinds[req->caller->kind]),
        .address = net_address_text(req->arena, &req->in.client),
        .request_id = req->in.request_id,
        .cluster = request_path_value(req, "clusterName"),
        .before = before,
        .after = after,
    };
    id event;
    return store_event_add(req->tx, &draft, &event);
}

error
request_event(struct request *req, enum event_type type, const json_t *before, const json_t *after)
{
    return request_event_in(req, type, req->organization, req->project, before, after);
}
