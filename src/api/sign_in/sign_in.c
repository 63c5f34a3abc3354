/* SPDX-License-Identifier: Apache-2.0 */
#include "api/sign_in/sign_in.h"

#include "api/api.h"
#include "api/sign_in/parts.h"
#include "api/sign_in/step_up.h"
#include "api/validate.h"
#include "auth/person/challenge.h"
#include "auth/person/passkey.h"
#include "auth/person/session.h"
#include "base/clock.h"
#include "base/json.h"
#include "store/session/session.h"

enum { SESSION_LASTS_S = 12 * 3600 /* as session_add.sql has it */ };

/* ---- Passkeys ---- */
struct passkey_place
sign_in_place(struct request *req)
{
    return (struct passkey_place){ auth_origin(req->api->auth), "base_url",
                                   auth_key_for(req->api->auth, CHALLENGE_KEY_PURPOSE) };
}

str
sign_in_rp_id(struct request *req)
{
    struct passkey_place place = sign_in_place(req);
    return passkey_rp_name(req, &place);
}

/* Checks an assertion by an enrolled passkey, begins the transaction and uses up the challenge in it. */
static error
take_assertion(struct request *req, const json_t *assertion, enum challenge_use use, struct passkey_row *ret_row)
{
    struct passkey_place place = sign_in_place(req);
    struct passkey_question question;
    uint32_t counter = 0;
    bool counts;
    str credential;
    TRY(passkey_read_question(req, &place, assertion, use, &question));
    TRY(passkey_read_bytes(req, assertion, "credentialId", &credential));
    TRY(store_passkey_find(req->api->store, req->arena, credential, ret_row));
    if (!ret_row->is_found)
        return passkey_refuse(req, "this passkey is not enrolled here");
    question.key = ret_row->public_key;
    question.counter = (uint32_t)ret_row->counter;
    TRY(passkey_judge(req, &question, assertion, &counter));
    TRY(tx_begin_service(req->api->store, req->arena, &req->tx));
    TRY(passkey_use_question(req, &question));
    TRY(store_passkey_used(req->tx, ret_row, counter, &counts));
    return counts ? OK : passkey_refuse(req, "the key was used elsewhere since: it may have been copied");
}

static void
set_cookie(struct request *req, str value, int lasts_s)
{
    response_header(&req->out, STR("Set-Cookie"),
                    str_format(req->arena,
                               SESSION_COOKIE "=%.*s; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=%d",
                               STR_ARG(value), lasts_s));
}

error
sign_in_answer(struct request *req, json_t *document)
{
    str body = json_text(req->arena, json_in(req->arena, document));
    if (body.len == 0 || arena_is_exhausted(req->arena))
        return fail(req->arena, OVERLOADED);
    req->out = (struct response){ .status = 200, .body = body, .content_type = STR("application/json") };
    return OK;
}

void
sign_in_answer_nothing(struct request *req)
{
    req->out = (struct response){ .status = 204, .body = STR_EMPTY, .content_type = STR_EMPTY };
}

/* Always a new one: a cookie that somebody else put into the browser is worth nothing afterwards. */
error
sign_in_begin(struct request *req, const struct signed_in *who)
{
    static const char *const ways[] = {
        [WITH_PASSKEY] = "PASSKEY", [WITH_PASSWORD] = "PASSWORD", [WITH_PROVIDER] = "IDENTITY_PROVIDER"
    };
    struct new_session wanted = {
        .session = id_new(store_cell(req->api->store)),
        .person = who->person,
        .address = &req->in.client,
        .browser = req->in.user_agent,
        .is_verified = who->is_verified,
        .provider = who->provider,
        .provider_epoch = who->provider_epoch,
    };
    str cookie, expires;
    TRY(auth_begin_session(req->api->auth, req->tx, &wanted, &cookie, &expires));
    TRY(sign_in_answer(req,
                       json_pack("{s:s, s:s%, s:s, s:s%}", "userId", id_text(req->arena, who->person).data, "username",
                                 who->username.data, who->username.len, "sessionId",
                                 id_text(req->arena, wanted.session).data, "expiresAt", expires.data, expires.len)));
    TRY(sign_in_note(
        req, EVENT_USER_SIGNED_IN, who->person, who->username, who->provider,
        json_pack("{s:s, s:s}", "sessionId", id_text(req->arena, wanted.session).data, "with", ways[who->way])));
    TRY(tx_commit(req->tx));
    set_cookie(req, cookie, SESSION_LASTS_S);
    return OK;
}

/* ---- Before there is a session ---- */
error
sign_in_challenge(struct request *req)
{
    struct passkey_place place = sign_in_place(req);
    str name = passkey_rp_name(req, &place);
    json_t *answer =
        json_pack("{s:b, s:i}", "passwords", req->api->takes_passwords, "expiresInSeconds", CHALLENGE_LIFETIME_S);
    /* One for each thing that it can be for: which one is wanted is known only afterwards. Without a name there are no passkeys. */
    if (answer != NULL && name.len > 0 &&
        (json_object_set_new(answer, "rpId", json_string(name.data)) != 0 ||
         json_object_set_new(answer, "signIn",
                             json_string(passkey_challenge(req, &place, CHALLENGE_TO_SIGN_IN).data)) != 0 ||
         json_object_set_new(answer, "confirm",
                             json_string(passkey_challenge(req, &place, CHALLENGE_TO_CONFIRM).data)) != 0))
        return fail(req->arena, OVERLOADED);
    return sign_in_answer(req, answer);
}

error
sign_in_with_passkey(struct request *req)
{
    struct passkey_row row;
    TRY(request_read_body(req, &passkey_assertion_schema));
    TRY(take_assertion(req, req->body, CHALLENGE_TO_SIGN_IN, &row));
    struct signed_in who = { row.person, row.username, WITH_PASSKEY, .is_verified = true };
    return sign_in_begin(req, &who);
}

/* ---- In a session ---- */
static error
find_session(struct request *req, bool fresh)
{
    struct credentials credentials = request_credentials(req);
    if (credentials.authorization.len > 0 || !session_is_shown(&credentials))
        return fail(req->arena, SESSION_ENDED);
    return auth_authenticate(req->api->auth, req->arena, &credentials, req->may_block, fresh, &req->caller);
}

error
sign_in_session(struct request *req)
{
    return find_session(req, false);
}

error
sign_in_check_own(struct request *req)
{
    return id_is_there(req->caller->provider) ? fail(req->arena, SESSION_OF_PROVIDER) : OK;
}

error
sign_in_confirmed_session(struct request *req)
{
    TRY(find_session(req, true));
    return step_up_demand(req);
}

error
sign_in_confirm(struct request *req)
{
    struct passkey_row row;
    TRY(sign_in_session(req));
    TRY(request_read_body(req, &passkey_assertion_schema));
    TRY(take_assertion(req, req->body, CHALLENGE_TO_CONFIRM, &row));
    if (!id_eq(row.person, req->caller->id))
        return passkey_refuse(req, "the passkey is another person's");
    TRY(store_session_verified(req->tx, row.person, req->caller->session));
    TRY(sign_in_answer(req, json_pack("{s:s%}", "username", row.username.data, row.username.len)));
    return tx_commit(req->tx);
}

static error
end_session(struct request *req, id session, bool *ret_ended)
{
    TRY(tx_begin_service(req->api->store, req->arena, &req->tx));
    TRY(store_session_end(req->tx, req->caller->id, session, req->caller->provider, ret_ended));
    if (*ret_ended)
        TRY(sign_in_note(req, EVENT_USER_SESSION_ENDED, req->caller->id, req->caller->name, req->caller->provider,
                         json_pack("{s:s}", "sessionId", id_text(req->arena, session).data)));
    return tx_commit(req->tx);
}

error
sign_out(struct request *req)
{
    bool ended;
    TRY(sign_in_session(req));
    TRY(end_session(req, req->caller->session, &ended));
    sign_in_answer_nothing(req);
    set_cookie(req, STR_EMPTY, 0);
    return OK;
}

error
sessions_list(struct request *req)
{
    str list;
    TRY(sign_in_session(req));
    TRY(store_session_list(req->api->store, req->arena, req->caller->id, req->caller->provider, &list));
    json_t *sessions = json_parse_own(req->arena, list);
    return sign_in_answer(req, json_pack("{s:s, s:O}", "currentSessionId",
                                         id_text(req->arena, req->caller->session).data, "results", sessions));
}

error
sessions_end(struct request *req)
{
    bool ended;
    id session;
    TRY(sign_in_session(req));
    TRY(request_read_body(req, &passkey_session_schema));
    if (!id_parse(json_text_at(req->body, "sessionId"), &session))
        return request_not_found(req);
    TRY(end_session(req, session, &ended));
    if (!ended)
        return fail(req->arena, RESOURCE_NOT_FOUND, V(id_text(req->arena, session)));
    sign_in_answer_nothing(req);
    return OK;
}
