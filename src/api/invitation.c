/* SPDX-License-Identifier: Apache-2.0 */
#include "api/invitation.h"

#include "api/api.h"
#include "api/media.h"
#include "api/validate.h"
#include "base/json.h"
#include "store/event.h"
#include "store/member.h"
#include "store/principal.h"

static const struct field accept_fields[] = {
    TEXT("token", "The token of the invitation.", REQUIRED, .min = 1, .max = 100),
    TEXT("username", "The address that was invited.", REQUIRED, .min = 3, .max = 254),
    TEXT("firstName", "First name, for a person who has no account yet.", REQUIRED, .min = 1, .max = 80,
         .pattern = "^(?! )[^\\x00-\\x1f]{1,80}$"),
    TEXT("lastName", "Last name, for a person who has no account yet.", REQUIRED, .min = 1, .max = 80,
         .pattern = "^(?! )[^\\x00-\\x1f]{1,80}$"),
    END_OF_FIELDS,
};
static const struct schema accept_schema = { "AcceptInvitation", "Who accepts an invitation.", accept_fields };

static error
read_body(struct request *req)
{
    TRY(media_check_body(req->arena, req->in.content_type));
    if (req->in.body.len == 0)
        return fail(req->arena, INVALID_JSON, V("the request has no body"));
    TRY(json_parse(req->arena, req->in.body, &req->body));
    return validate_body(req->arena, &accept_schema, VALIDATE_CREATE, req->body);
}

/* Whoever has the address already, or a new person. */
static error
find_person(struct request *req, str username, id *ret_person)
{
    bool found;
    TRY(store_person_by_username(req->tx, username, &found, ret_person));
    if (found)
        return OK;
    error problem = create_person(req->tx, username, json_str(json_object_get(req->body, "firstName")),
                                  json_str(json_object_get(req->body, "lastName")), ret_person);
    if (problem != OK && problem->code == DUPLICATE_NAME) /* made at this very moment, by another invitation say */
        return fail(req->arena, CONCURRENT_CHANGE, V("this account"));
    return problem;
}

static error
write_event(struct request *req, id organization, id invitation, id person, str username, const struct member *member)
{
    json_t *before = json_in(req->arena, json_pack("{s:s}", "invitationId", id_text(req->arena, invitation).data));
    struct event_draft draft = {
        .type = EVENT_INVITATION_ACCEPTED,
        .organization = organization,
        .actor = person,
        .actor_name = username,
        .actor_kind = STR("USER"),
        .address = net_address_text(req->arena, &req->in.client),
        .request_id = req->in.request_id,
        .before = before,
        .after = json_parse_own(req->arena, member->document),
    };
    id event;
    return store_event_add(req->tx, &draft, &event);
}

error
invitation_accept(struct request *req)
{
    uint8_t mac[SHA256_BYTES];
    bool found, accepted;
    id organization, invitation, person;
    struct member member;
    TRY(read_body(req));
    str username = json_str(json_object_get(req->body, "username"));
    auth_invitation_mac(req->api->auth, json_str(json_object_get(req->body, "token")), mac);
    TRY(store_invitation_by_token(req->api->store, req->arena, mac, username, &found, &organization, &invitation));
    if (!found)
        return fail(req->arena, INVITATION_NOT_VALID);
    TRY(tx_begin_service(req->api->store, req->arena, &req->tx)); /* people belong to no organization */
    TRY(find_person(req, username, &person));
    TRY(tx_set_organization(req->tx, organization));
    TRY(store_invitation_accept(req->tx, organization, invitation, person, &accepted));
    if (!accepted)
        return fail(req->arena, INVITATION_NOT_VALID);
    TRY(store_member_find(req->tx, organization, person, ID_NONE, &found, &member));
    if (!found)
        return fail(req->arena, INTERNAL_ERROR);
    TRY(write_event(req, organization, invitation, person, username, &member));
    json_t *answer =
        json_in(req->arena, json_pack("{s:s, s:s, s:s}", "id", id_text(req->arena, person).data, "username",
                                      username.data, "orgId", id_text(req->arena, organization).data));
    str body = json_text(req->arena, answer);
    if (arena_is_exhausted(req->arena))
        return fail(req->arena, OVERLOADED);
    TRY(tx_commit(req->tx));
    req->out = (struct response){ .status = 200, .body = body, .content_type = STR("application/json") };
    return OK;
}
