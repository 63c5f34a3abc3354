/* SPDX-License-Identifier: Apache-2.0 */
#include "api/invitation.h"

#include "api/api.h"
#include "api/validate.h"
#include "auth/credential.h"
#include "base/json.h"
#include "store/auth/principal.h"
#include "store/event/event.h"
#include "store/identity/member.h"
#include "store/session/session.h"

#define NAME_PATTERN "^(?! )[^\\x00-\\x1f]{1,80}$"
#define NAME_FIELDS(needed)                                                                                     \
    TEXT("firstName", "First name, as the members of this organization see it.", needed, .min = 1, .max = 80,   \
         .pattern = NAME_PATTERN),                                                                              \
        TEXT("lastName", "Last name, as the members of this organization see it.", needed, .min = 1, .max = 80, \
             .pattern = NAME_PATTERN)

static const struct field accept_fields[] = {
    TEXT("token", "The token of the invitation.", REQUIRED, .min = 1, .max = 100),
    TEXT("username", "The address that was invited.", REQUIRED, .min = 3, .max = 254),
    NAME_FIELDS(REQUIRED),
    END_OF_FIELDS,
};
static const struct schema accept_schema = { "AcceptInvitation", "Who accepts an invitation.", accept_fields };

/* Whoever has signed in needs no token: the address is theirs. */
static const struct field accept_signed_in_fields[] = {
    ID("invitationId", "Identifier of the invitation.", REQUIRED),
    NAME_FIELDS(0),
    END_OF_FIELDS,
};
static const struct schema accept_signed_in_schema = { "AcceptInvitationSignedIn",
                                                       "Which invitation the caller accepts.",
                                                       accept_signed_in_fields };

struct acceptance {
    id organization, invitation, person;
    str username;
    bool is_new;         /* there was no account */
    str enrolment_token; /* empty: none was made */
};

/* Whoever has the address already, or a new person. */
static error
find_person(struct request *req, str username, id *ret_person, bool *ret_is_new)
{
    bool found;
    TRY(store_person_by_username(req->tx, username, &found, ret_person));
    *ret_is_new = !found;
    if (found)
        return OK;
    error problem = create_person(req->tx, username, json_str(json_object_get(req->body, "firstName")),
                                  json_str(json_object_get(req->body, "lastName")), ret_person);
    if (problem != OK && problem->code == DUPLICATE_NAME) /* made at this very moment, by another invitation say */
        return fail(req->arena, CONCURRENT_CHANGE, V("this account"));
    return problem;
}

/*
 * With what the new person adds a passkey or a password. Only for an account that was made here and now: whoever could accept an invitation for somebody
 * who has one would else sign in as them, in all their organizations.
 */
static error
make_enrolment(struct request *req, struct acceptance *by)
{
    enum { HOURS = 24 };
    uint8_t mac[SHA256_BYTES];
    enum enrolment_outcome outcome;
    str ignored;
    if (!by->is_new || auth_origin(req->api->auth).len == 0)
        return OK;
    str token = secret_new(req->arena, ENROLMENT_TOKEN_KIND);
    if (token.len == 0)
        return fail(req->arena, OVERLOADED);
    auth_enrolment_mac(req->api->auth, token, mac);
    struct enrolment_draft draft = { .username = by->username,
                                     .mac = { (const char *)mac, sizeof(mac) },
                                     .pepper_version = PEPPER_VERSION,
                                     .hours = HOURS };
    TRY(store_enrolment_add(req->tx, &draft, &outcome, &ignored));
    if (outcome == ENROLMENT_MADE)
        by->enrolment_token = token;
    return OK;
}

/* The token is the proof: it went to the address and to nobody else. */
static error
begin_by_token(struct request *req, struct acceptance *ret)
{
    uint8_t mac[SHA256_BYTES];
    bool found;
    TRY(request_read_body(req, &accept_schema));
    ret->username = json_str(json_object_get(req->body, "username"));
    auth_invitation_mac(req->api->auth, json_str(json_object_get(req->body, "token")), mac);
    TRY(store_invitation_by_token(req->api->store, req->arena, mac, ret->username, &found, &ret->organization,
                                  &ret->invitation));
    if (!found)
        return fail(req->arena, INVITATION_NOT_VALID);
    TRY(tx_begin_service(req->api->store, req->arena, &req->tx)); /* people belong to no organization */
    TRY(find_person(req, ret->username, &ret->person, &ret->is_new));
    TRY(make_enrolment(req, ret));
    return tx_set_organization(req->tx, ret->organization);
}

/* The caller's own credentials are the proof. Those of a provider count wherever the address was invited: the operator gave the domain
 * of the address to the provider's federation. */
static error
begin_signed_in(struct request *req, struct acceptance *ret)
{
    bool found = false;
    struct credentials credentials = {
        .authorization = req->in.authorization,
        .method = req->in.method,
        .target = req->in.target,
        .client = req->in.client,
    };
    TRY(auth_authenticate(req->api->auth, req->arena, &credentials, true, false, &req->caller));
    TRY(request_read_body(req, &accept_signed_in_schema));
    ret->username = req->caller->name;
    ret->person = req->caller->id;
    if (!id_parse(json_str(json_object_get(req->body, "invitationId")), &ret->invitation))
        return fail(req->arena, INVITATION_NOT_VALID);
    if (req->caller->kind == PRINCIPAL_PERSON)
        TRY(store_invitation_for_person(req->api->store, req->arena, ret->invitation, ret->username, &found,
                                        &ret->organization));
    if (!found)
        return fail(req->arena, INVITATION_NOT_VALID);
    return tx_begin(req->api->store, req->arena, ret->organization, &req->tx);
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
    struct acceptance by = { 0 };
    bool accepted, found;
    struct member member;
    TRY(req->in.authorization.len > 0 ? begin_signed_in(req, &by) : begin_by_token(req, &by));
    TRY(store_invitation_accept(req->tx, by.organization, by.invitation, by.person, &accepted));
    if (!accepted)
        return fail(req->arena, INVITATION_NOT_VALID);
    struct member_name name = { .first = json_str(json_object_get(req->body, "firstName")),
                                .last = json_str(json_object_get(req->body, "lastName")) };
    TRY(store_member_set_name(req->tx, by.organization, by.person, &name));
    TRY(store_member_find(req->tx, by.organization, by.person, ID_NONE, &found, &member));
    if (!found)
        return fail(req->arena, INTERNAL_ERROR);
    TRY(write_event(req, by.organization, by.invitation, by.person, by.username, &member));
    json_t *answer = json_in(req->arena, json_pack("{s:s, s:s%, s:s}", "id", id_text(req->arena, by.person).data,
                                                   "username", by.username.data, by.username.len, "orgId",
                                                   id_text(req->arena, by.organization).data));
    if (answer != NULL && by.enrolment_token.len > 0)
        (void)!json_object_set_new(answer, "enrolmentToken", json_string(by.enrolment_token.data));
    str body = json_text(req->arena, answer);
    if (arena_is_exhausted(req->arena))
        return fail(req->arena, OVERLOADED);
    TRY(tx_commit(req->tx));
    req->out = (struct response){ .status = 200, .body = body, .content_type = STR("application/json") };
    return OK;
}
