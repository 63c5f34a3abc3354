/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How operators sign in with a browser. Wrong answers are not counted: tokens have 256 random bits and signatures cannot be guessed, and only those who reach the operators'
 * address can try.
 */
#include "api/sign_in/sign_in.h"
#include "api/sign_in/passkey_answer.h"
#include "base/json.h"
#include "operator/session.h"
#include "store/operator/operator.h"
#include "store/operator/session.h"

enum { COOKIE_LASTS_S = 12 * 3600 /* as operator_session_add.sql has it */ };

static struct passkey_place
place_of(struct request *req)
{
    return (struct passkey_place){ operator_origin(req), "operator_base_url", operator_api_of(req)->challenge_key };
}

/* ---- Answers ---- */
static error
answer_json(struct request *req, json_t *document)
{
    str body = json_text(req->arena, json_in(req->arena, document));
    if (body.len == 0 || arena_is_exhausted(req->arena))
        return fail(req->arena, OVERLOADED);
    req->out = (struct response){ .status = 200, .body = body, .content_type = STR("application/json") };
    return OK;
}

static void
answer_gone(struct request *req)
{
    req->out = (struct response){ .status = 204, .body = STR_EMPTY, .content_type = STR_EMPTY };
}

static void
set_cookie(struct request *req, str value, int lasts_s)
{
    response_header(&req->out, STR("Set-Cookie"),
                    str_format(req->arena,
                               OPERATOR_COOKIE "=%.*s; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=%d",
                               STR_ARG(value), lasts_s));
}

/* Who comes and goes is in the history, as what they change is. */
static error
write_down(struct request *req, str name, const char *operation, id session)
{
    struct operator_action action = {
        .operator_name = name,
        .operation = str_from(operation),
        .target = str_format(req->arena, "/sessions/%s", id_text(req->arena, session).data),
        .request = STR_EMPTY,
        .address = net_address_text(req->arena, &req->in.client),
        .request_id = str_dup(req->arena, req->in.request_id),
    };
    return store_operator_action_add(req->tx, &action);
}

/* Begins a session, commits, and answers with its cookie. */
static error
begin_session(struct request *req, id operator_id, str name, const char *operation)
{
    id session = id_new(store_cell(req->api->store));
    str cookie, expires;
    TRY(operator_session_begin(req, operator_id, session, &cookie, &expires));
    TRY(write_down(req, name, operation, session));
    TRY(answer_json(req, json_pack("{s:s%, s:s, s:s%}", "operator", name.data, name.len, "sessionId",
                                   id_text(req->arena, session).data, "expiresAt", expires.data, expires.len)));
    TRY(tx_commit(req->tx));
    set_cookie(req, cookie, COOKIE_LASTS_S);
    return OK;
}

/* Checks an assertion by an operator's passkey, begins the transaction and uses up the challenge in it. */
static error
take_assertion(struct request *req, enum challenge_use use, struct passkey_row *ret_row)
{
    struct passkey_place place = place_of(req);
    struct passkey_question question = { 0 };
    uint32_t counter = 0;
    bool counts;
    str credential;
    TRY(request_read_body(req, &passkey_assertion_schema));
    TRY(passkey_read_question(req, &place, req->body, use, &question));
    TRY(passkey_read_bytes(req, req->body, "credentialId", &credential));
    TRY(store_operator_passkey_find(req->api->store, req->arena, credential, ret_row));
    if (!ret_row->is_found)
        return passkey_refuse(req, "this passkey is not enrolled here");
    question.key = ret_row->public_key;
    question.counter = (uint32_t)ret_row->counter;
    TRY(passkey_judge(req, &question, req->body, &counter));
    TRY(tx_begin_service(req->api->store, req->arena, &req->tx));
    TRY(passkey_use_question(req, &question));
    TRY(store_operator_passkey_used(req->tx, ret_row, counter, &counts));
    return counts ? OK : passkey_refuse(req, "the key was used elsewhere since: it may have been copied");
}

/* ---- Before there is a session ---- */
static error
give_challenge(struct request *req)
{
    struct passkey_place place = place_of(req);
    str name;
    TRY(passkey_rp_id(req, &place, &name));
    return answer_json(req, json_pack("{s:s, s:s, s:s, s:i}", "rpId", name.data, "signIn",
                                      passkey_challenge(req, &place, CHALLENGE_TO_SIGN_IN).data, "confirm",
                                      passkey_challenge(req, &place, CHALLENGE_TO_CONFIRM).data, "expiresInSeconds",
                                      CHALLENGE_LIFETIME_S));
}

static error
with_passkey(struct request *req)
{
    struct passkey_row row;
    TRY(take_assertion(req, CHALLENGE_TO_SIGN_IN, &row));
    return begin_session(req, row.person, row.username, "signIn");
}

static str
enrolment_mac(struct operator_api *operators, struct arena *arena, str token)
{
    uint8_t mac[SHA256_BYTES];
    crypto_hmac_sha256(&operators->session_key, token, mac);
    return str_dup(arena, (str){ (const char *)mac, sizeof(mac) });
}

static error
find_enrolment(struct request *req, str *ret_mac, id *ret_operator, str *ret_name)
{
    *ret_mac = enrolment_mac(operator_api_of(req), req->arena, json_text_at(req->body, "token"));
    TRY(store_operator_enrolment_find(req->api->store, req->arena, *ret_mac, ret_operator, ret_name));
    return id_is_there(*ret_operator) ? OK : passkey_refuse(req, "the token was used, has expired, or is none");
}

static error
show_enrolment(struct request *req)
{
    struct passkey_place place = place_of(req);
    str mac, operator_name, name;
    id operator_id;
    TRY(request_read_body(req, &passkey_token_schema));
    TRY(find_enrolment(req, &mac, &operator_id, &operator_name));
    TRY(passkey_rp_id(req, &place, &name));
    return answer_json(req, json_pack("{s:s, s:s, s:s%, s:s, s:s}", "rpId", name.data, "userHandle",
                                      str_base64url(req->arena, operator_id.bytes, ID_BYTES).data, "operator",
                                      operator_name.data, operator_name.len, "enrol",
                                      passkey_challenge(req, &place, CHALLENGE_TO_ENROL).data, "signIn",
                                      passkey_challenge(req, &place, CHALLENGE_TO_SIGN_IN).data));
}

static error
enrol(struct request *req)
{
    struct passkey_place place = place_of(req);
    struct passkey_question made = { 0 }, signed_with = { 0 };
    uint32_t counter = 0;
    bool used;
    str mac, operator_name, credential;
    id operator_id;
    TRY(request_read_body(req, &passkey_enrol_schema));
    TRY(find_enrolment(req, &mac, &operator_id, &operator_name));
    TRY(passkey_judge_new(req, &place, &made, &signed_with, &counter));
    TRY(passkey_read_bytes(req, json_object_get(req->body, "assertion"), "credentialId", &credential));
    str name = json_text_at(req->body, "name");
    TRY(tx_begin_service(req->api->store, req->arena, &req->tx));
    TRY(store_operator_enrolment_use(req->tx, operator_id, mac, &used));
    if (!used)
        return passkey_refuse(req, "the token was used, has expired, or is none");
    TRY(passkey_use_question(req, &made));
    TRY(passkey_use_question(req, &signed_with));
    TRY(store_operator_passkey_add(req->tx, operator_id, credential, signed_with.key, counter,
                                   name.len > 0 ? name : STR("Passkey")));
    return begin_session(req, operator_id, operator_name, "enrolPasskey");
}

/* ---- In a session ---- */
/* Only a session counts here: whoever calls with a token has none. */
static error
find_session(struct request *req)
{
    if (!operator_session_is_shown(req))
        return fail(req->arena, SESSION_ENDED);
    return operator_session_find(req, &req->caller);
}

static error
confirm(struct request *req)
{
    struct passkey_row row;
    bool is_there;
    TRY(find_session(req));
    TRY(take_assertion(req, CHALLENGE_TO_CONFIRM, &row));
    if (!id_eq(row.person, req->caller->id))
        return passkey_refuse(req, "the passkey is another operator's");
    TRY(store_operator_session_verified(req->tx, row.person, req->caller->session, &is_there));
    if (!is_there)
        return fail(req->arena, SESSION_ENDED);
    TRY(answer_json(req, json_pack("{s:s%}", "operator", row.username.data, row.username.len)));
    return tx_commit(req->tx);
}

static error
end_session(struct request *req, id session, const char *operation)
{
    bool is_there;
    TRY(tx_begin_service(req->api->store, req->arena, &req->tx));
    TRY(store_operator_session_end(req->tx, req->caller->id, session, &is_there));
    if (!is_there)
        return fail(req->arena, RESOURCE_NOT_FOUND, V(id_text(req->arena, session)));
    TRY(write_down(req, req->caller->name, operation, session));
    TRY(tx_commit(req->tx));
    answer_gone(req);
    return OK;
}

static error
leave(struct request *req)
{
    TRY(find_session(req));
    TRY(end_session(req, req->caller->session, "signOut"));
    set_cookie(req, STR_EMPTY, 0);
    return OK;
}

static error
list_sessions(struct request *req)
{
    str list;
    TRY(find_session(req));
    TRY(store_operator_session_list(req->api->store, req->arena, req->caller->id, &list));
    return answer_json(req, json_pack("{s:s, s:O}", "currentSessionId", id_text(req->arena, req->caller->session).data,
                                      "results", json_parse_own(req->arena, list)));
}

static error
end_one(struct request *req)
{
    id session;
    TRY(find_session(req));
    TRY(request_read_body(req, &passkey_session_schema));
    if (!id_parse(json_text_at(req->body, "sessionId"), &session))
        return request_not_found(req);
    return end_session(req, session, "endSession");
}

/* ---- The stage ---- */
static const struct {
    const char *name, *method, *path;
    error (*answer)(struct request *req);
} rows[] = {
    { "operatorChallenge", "GET", OPERATOR_PREFIX "/sign-in/challenge", give_challenge },
    { "operatorSignIn", "POST", OPERATOR_PREFIX "/sign-in/passkey", with_passkey },
    { "operatorEnrolment", "POST", OPERATOR_PREFIX "/sign-in/enrolment", show_enrolment },
    { "operatorEnrol", "POST", OPERATOR_PREFIX "/sign-in/enrol", enrol },
    { "operatorConfirm", "POST", OPERATOR_PREFIX "/sign-in/confirm", confirm },
    { "operatorSignOut", "POST", OPERATOR_PREFIX "/sign-out", leave },
    { "operatorSessions", "GET", OPERATOR_PREFIX "/sessions", list_sessions },
    { "operatorEndSession", "POST", OPERATOR_PREFIX "/sessions/end", end_one },
};

static error
answer(struct request *req, size_t row)
{
    bool reads = rows[row].method[0] == 'G';
    req->name = rows[row].name;
    if (!str_is(req->head ? STR("GET") : req->in.method, rows[row].method)) {
        response_header(&req->out, STR("Allow"), reads ? STR("GET, HEAD") : STR("POST"));
        return fail(req->arena, METHOD_NOT_ALLOWED, V(req->in.method), V(req->path));
    }
    /* Also before there is a cookie: else another site's page could sign somebody in as somebody else. */
    TRY(operator_session_check_site(req, reads));
    if (req->in.body.len > SIGN_IN_MAX_BYTES)
        return fail(req->arena, BODY_TOO_LARGE, V((int64_t)SIGN_IN_MAX_BYTES));
    TRY(rows[row].answer(req));
    req->done = true;
    return OK;
}

error
operator_sign_in(struct request *req)
{
    str path = req->in.target;
    path = str_cut(&path, '?');
    for (size_t i = 0; i < LENGTH(rows); i++) {
        if (str_is(path, rows[i].path)) {
            req->path = path;
            req->head = str_is(req->in.method, "HEAD");
            return answer(req, i);
        }
    }
    return OK;
}

/* ---- The first passkey: at the command line of a node only ---- */
error
operator_enrol(struct operator_api *operators, struct arena *arena, str name, int64_t hours,
               enum enrolment_outcome *ret_outcome, str *ret_token, str *ret_expires)
{
    str token = secret_new(arena, "oe");
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    TRY(tx_begin_service(operators->api.store, arena, &tx));
    TRY(store_operator_enrolment_add(tx, name, enrolment_mac(operators, arena, token), hours, ret_outcome,
                                     ret_expires));
    if (*ret_outcome != ENROLMENT_MADE)
        return OK;
    struct operator_action action = {
        .operator_name = STR("reeved"),
        .operation = STR("enrolOperator"),
        .target = str_format(arena, "/operators/%.*s", STR_ARG(name)),
        .request = STR_EMPTY,
        .address = STR_EMPTY,
        .request_id = STR_EMPTY,
    };
    TRY(store_operator_action_add(tx, &action));
    TRY(tx_commit(tx));
    *ret_token = token;
    return OK;
}
