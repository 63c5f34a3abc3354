/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What people did to sign in, as events of every organization that a session of theirs opens. Only what worked: a stranger's wrong tries are lines of the
 * log, which are bounded, and never a part of an organization's chain.
 */
#include "api/api.h"
#include "api/sign_in/parts.h"
#include "base/json.h"
#include "store/session/person_credential.h"

error
sign_in_note(struct request *req, enum event_type type, id person, str username, id provider, json_t *more)
{
    struct event_draft draft = {
        .type = type,
        .actor = person,
        .actor_name = username,
        .actor_kind = STR("USER"),
        .address = net_address_text(req->arena, &req->in.client),
        .request_id = req->in.request_id,
    };
    json_t *after = json_in(req->arena, json_pack("{s:s, s:s%}", "userId", id_text(req->arena, person).data, "username",
                                                  username.data, username.len));
    const id *organizations;
    size_t count;
    id ignored;
    if (after == NULL || (more != NULL && json_object_update(after, json_in(req->arena, more)) != 0))
        return fail(req->arena, OVERLOADED);
    draft.after = after;
    TRY(store_person_organizations(req->api->store, req->arena, person, provider, &count, &organizations));
    for (size_t i = 0; i < count; i++) {
        draft.organization = organizations[i];
        TRY(tx_set_organization(req->tx, organizations[i]));
        TRY(store_event_add(req->tx, &draft, &ignored));
    }
    return tx_set_service(req->tx);
}
