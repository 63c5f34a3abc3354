/* SPDX-License-Identifier: Apache-2.0 */
#include "api/sign_in/sign_in.h"

#include "api/api.h"
#include "api/validate.h"
#include "auth/person/challenge.h"
#include "auth/person/passkey.h"
#include "auth/person/session.h"
#include "base/clock.h"
#include "base/json.h"
#include "store/session/session.h"

enum { SESSION_LASTS_S = 12 * 3600 /* as session_add.sql has it */ };

/* ---- What is sent ---- */
#define BYTES_FIELD(name, sentence, most_bytes) \
    TEXT(name, sentence, REQUIRED, .min = 1, .max = ((most_bytes) + 2) / 3 * 4)

static const struct field registration_fields[] = {
    BYTES_FIELD("challenge", "The challenge that was answered.", PASSKEY_CHALLENGE_BYTES),
    BYTES_FIELD("clientData", "clientDataJSON of the browser's answer.", PASSKEY_MAX_CLIENT_DATA_BYTES),
    BYTES_FIELD("authenticatorData", "authenticatorData of the browser's answer.", PASSKEY_MAX_AUTHENTICATOR_BYTES),
    END_OF_FIELDS,
};
static const struct schema registration_schema = { "PasskeyRegistration", "A browser's answer when it made a passkey.",
                                                   registration_fields };
static const struct field assertion_fields[] = {
    BYTES_FIELD("challenge", "The challenge that was answered.", PASSKEY_CHALLENGE_BYTES),
    BYTES_FIELD("credentialId", "Which passkey answered it: rawId.", PASSKEY_MAX_CREDENTIAL_BYTES),
    BYTES_FIELD("clientData", "clientDataJSON of the browser's answer.", PASSKEY_MAX_CLIENT_DATA_BYTES),
    BYTES_FIELD("authenticatorData", "authenticatorData of the browser's answer.", PASSKEY_MAX_AUTHENTICATOR_BYTES),
    BYTES_FIELD("signature", "The signature of the browser's answer.", PASSKEY_MAX_SIGNATURE_BYTES),
    END_OF_FIELDS,
};
static const struct schema assertion_schema = { "PasskeyAssertion", "A browser's answer to a challenge.",
                                                assertion_fields };

static const struct field token_fields[] = {
    TEXT("token", "The token for the first passkey.", REQUIRED, .min = 1, .max = 100),
    END_OF_FIELDS,
};
static const struct schema token_schema = { "EnrolmentToken", "Who adds their first passkey.", token_fields };

static const struct field enrol_fields[] = {
    TEXT("token", "The token for the first passkey.", REQUIRED, .min = 1, .max = 100),
    TEXT("name", "What the person calls the passkey.", 0, .min = 1, .max = 80,
         .pattern = "^(?! )[^\\x00-\\x1f]{1,80}$"),
    BYTES_FIELD("publicKey", "The new passkey, as getPublicKey() gives it.", PASSKEY_MAX_KEY_BYTES),
    OBJECT("registration", "The browser's answer when the passkey was made.", REQUIRED, .of = &registration_schema),
    OBJECT("assertion", "The new passkey's answer to another challenge, to sign in.", REQUIRED,
           .of = &assertion_schema),
    END_OF_FIELDS,
};
static const struct schema enrol_schema = { "EnrolPasskey", "A first passkey.", enrol_fields };

static const struct field session_fields[] = {
    ID("sessionId", "Identifier of the session to end.", REQUIRED),
    END_OF_FIELDS,
};
static const struct schema session_schema = { "EndSession", "Which session ends.", session_fields };

static error
refuse(struct request *req, const char *why)
{
    return fail(req->arena, SIGN_IN_REFUSED, V(why));
}

/* base64url without padding, as long as the tables allow; one spelling only. */
static error
read_bytes(struct request *req, const json_t *object, const char *name, str *ret_bytes)
{
    str text = json_text_at(object, name);
    size_t count = text.len * 3 / 4;
    char *bytes = ARENA_ARRAY(req->arena, char, count + 1);
    if (bytes == NULL)
        return fail(req->arena, OVERLOADED);
    if (!str_from_base64url(text, bytes, count))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(name), V("it is not base64url"));
    *ret_bytes = (str){ bytes, count };
    return OK;
}

/* ---- Challenges ---- */
static struct key
challenge_key(struct request *req)
{
    return auth_key_for(req->api->auth, CHALLENGE_KEY_PURPOSE);
}

static str
new_challenge(struct request *req, enum challenge_use use)
{
    uint8_t challenge[PASSKEY_CHALLENGE_BYTES];
    struct key key = challenge_key(req);
    challenge_new(&key, use, clock_now_ms() / 1000, challenge);
    crypto_wipe(&key, sizeof(key));
    return str_base64url(req->arena, challenge, sizeof(challenge));
}

/* Whose keys a browser offers here: the name without the port. Empty: browsers have no keys for addresses that are no names. */
static str
rp_id(struct request *req)
{
    str origin = auth_origin(req->api->auth);
    str host = str_slice(origin, origin.len < 8 ? origin.len : 8, origin.len);
    host = str_cut(&host, ':');
    bool has_letter = false;
    for (size_t i = 0; i < host.len; i++)
        has_letter |= host.data[i] >= 'a' && host.data[i] <= 'z';
    return has_letter ? str_dup(req->arena, host) : STR_EMPTY;
}

/* The challenge of an answer, if it is one of ours for this. It is used up when everything else is right. */
static error
read_challenge(struct request *req, const json_t *answer, enum challenge_use use, struct passkey_question *question)
{
    str bytes;
    TRY(read_bytes(req, answer, "challenge", &bytes));
    if (bytes.len != PASSKEY_CHALLENGE_BYTES)
        return refuse(req, "the challenge is not one of this service's");
    memcpy(question->challenge, bytes.data, PASSKEY_CHALLENGE_BYTES);
    question->origin = auth_origin(req->api->auth);
    question->rp_id = rp_id(req);
    if (question->rp_id.len == 0)
        return refuse(req, "base_url has no name that a passkey could be for");
    struct key key = challenge_key(req);
    bool is_good = challenge_is_good(&key, use, clock_now_ms() / 1000, question->challenge);
    crypto_wipe(&key, sizeof(key));
    return is_good ? OK : refuse(req, "the challenge is too old, or not one of this service's");
}

static error
use_challenge(struct request *req, const struct passkey_question *question)
{
    bool is_first;
    str challenge = { (const char *)question->challenge, PASSKEY_CHALLENGE_BYTES };
    TRY(store_challenge_use(req->tx, challenge, challenge_expires_at_s(question->challenge), &is_first));
    return is_first ? OK : refuse(req, "the challenge was answered before");
}

/* ---- Answers ---- */
static error
read_answer(struct request *req, const json_t *answer, struct passkey_answer *ret_answer)
{
    TRY(read_bytes(req, answer, "clientData", &ret_answer->client_data));
    TRY(read_bytes(req, answer, "authenticatorData", &ret_answer->authenticator_data));
    return json_object_get(answer, "signature") == NULL ? OK
                                                        : read_bytes(req, answer, "signature", &ret_answer->signature);
}

static error
judge(struct request *req, const struct passkey_question *question, const json_t *answer, uint32_t *ret_counter)
{
    struct passkey_answer said = { 0 };
    TRY(read_answer(req, answer, &said));
    const char *why = passkey_check(req->arena, question, &said, ret_counter);
    return why == NULL ? OK : refuse(req, why);
}

/* Checks an assertion by an enrolled passkey, begins the transaction and uses up the challenge in it. */
static error
take_assertion(struct request *req, const json_t *assertion, enum challenge_use use, struct passkey_row *ret_row)
{
    struct passkey_question question = { 0 };
    uint32_t counter = 0;
    bool counts;
    str credential;
    TRY(read_challenge(req, assertion, use, &question));
    TRY(read_bytes(req, assertion, "credentialId", &credential));
    TRY(store_passkey_find(req->api->store, req->arena, credential, ret_row));
    if (!ret_row->is_found)
        return refuse(req, "this passkey is not enrolled here");
    question.key = ret_row->public_key;
    question.counter = (uint32_t)ret_row->counter;
    TRY(judge(req, &question, assertion, &counter));
    TRY(tx_begin_service(req->api->store, req->arena, &req->tx));
    TRY(use_challenge(req, &question));
    TRY(store_passkey_used(req->tx, ret_row, counter, &counts));
    return counts ? OK : refuse(req, "the key was used elsewhere since: it may have been copied");
}

static void
set_cookie(struct request *req, str value, int lasts_s)
{
    response_header(&req->out, STR("Set-Cookie"),
                    str_format(req->arena,
                               SESSION_COOKIE "=%.*s; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=%d",
                               STR_ARG(value), lasts_s));
}

static error
answer_json(struct request *req, json_t *document)
{
    str body = json_text(req->arena, json_in(req->arena, document));
    if (body.len == 0 || arena_is_exhausted(req->arena))
        return fail(req->arena, OVERLOADED);
    req->out = (struct response){ .status = 200, .body = body, .content_type = STR("application/json") };
    return OK;
}

/* Begins a session, commits, and answers with its cookie. Always a new one: a cookie that somebody else put into the browser is worth nothing afterwards. */
static error
begin_session(struct request *req, id person, str username)
{
    struct new_session wanted = {
        .session = id_new(store_cell(req->api->store)),
        .person = person,
        .address = &req->in.client,
        .browser = req->in.user_agent,
    };
    str cookie, expires;
    TRY(auth_begin_session(req->api->auth, req->tx, &wanted, &cookie, &expires));
    TRY(answer_json(req, json_pack("{s:s, s:s%, s:s, s:s%}", "userId", id_text(req->arena, person).data, "username",
                                   username.data, username.len, "sessionId", id_text(req->arena, wanted.session).data,
                                   "expiresAt", expires.data, expires.len)));
    TRY(tx_commit(req->tx));
    set_cookie(req, cookie, SESSION_LASTS_S);
    return OK;
}

/* ---- Before there is a session ---- */
error
sign_in_challenge(struct request *req)
{
    str name = rp_id(req);
    if (name.len == 0)
        return refuse(req, "base_url has no name that a passkey could be for");
    /* One for each thing that it can be for: which one is wanted is known only afterwards. */
    return answer_json(req, json_pack("{s:s, s:s, s:s, s:i}", "rpId", name.data, "signIn",
                                      new_challenge(req, CHALLENGE_TO_SIGN_IN).data, "confirm",
                                      new_challenge(req, CHALLENGE_TO_CONFIRM).data, "expiresInSeconds",
                                      CHALLENGE_LIFETIME_S));
}

error
sign_in_with_passkey(struct request *req)
{
    struct passkey_row row;
    TRY(request_read_body(req, &assertion_schema));
    TRY(take_assertion(req, req->body, CHALLENGE_TO_SIGN_IN, &row));
    return begin_session(req, row.person, row.username);
}

/* Whose first passkey the token of the body is for. */
static error
find_enrolment(struct request *req, str *ret_mac, id *ret_person, str *ret_username)
{
    uint8_t mac[SHA256_BYTES];
    auth_enrolment_mac(req->api->auth, json_text_at(req->body, "token"), mac);
    *ret_mac = str_dup(req->arena, (str){ (const char *)mac, sizeof(mac) });
    TRY(store_enrolment_find(req->api->store, req->arena, *ret_mac, ret_person, ret_username));
    return id_is_there(*ret_person) ? OK : refuse(req, "the token was used, has expired, or is none");
}

error
sign_in_enrolment(struct request *req)
{
    str mac, username, name = rp_id(req);
    id person;
    TRY(request_read_body(req, &token_schema));
    TRY(find_enrolment(req, &mac, &person, &username));
    if (name.len == 0)
        return refuse(req, "base_url has no name that a passkey could be for");
    return answer_json(req, json_pack("{s:s, s:s, s:s%, s:s, s:s}", "rpId", name.data, "userHandle",
                                      str_base64url(req->arena, person.bytes, ID_BYTES).data, "username", username.data,
                                      username.len, "enrol", new_challenge(req, CHALLENGE_TO_ENROL).data, "signIn",
                                      new_challenge(req, CHALLENGE_TO_SIGN_IN).data));
}

/* The new key signs at once: so it is there, and can be used. */
static error
check_new_key(struct request *req, struct passkey_question *ret_enrol, struct passkey_question *ret_sign_in,
              uint32_t *ret_counter)
{
    const json_t *registration = json_object_get(req->body, "registration");
    const json_t *assertion = json_object_get(req->body, "assertion");
    uint32_t counter;
    str key;
    TRY(read_challenge(req, registration, CHALLENGE_TO_ENROL, ret_enrol));
    TRY(read_challenge(req, assertion, CHALLENGE_TO_SIGN_IN, ret_sign_in));
    TRY(read_bytes(req, req->body, "publicKey", &key));
    if (!passkey_key_is_usable(key))
        return refuse(req, "the key is of a kind that is not taken here");
    ret_enrol->is_new = true;
    ret_sign_in->key = key;
    TRY(judge(req, ret_enrol, registration, &counter));
    return judge(req, ret_sign_in, assertion, ret_counter);
}

error
sign_in_enrol(struct request *req)
{
    struct passkey_question enrol = { 0 }, sign_in = { 0 };
    uint32_t counter = 0;
    bool used;
    str mac, username, credential, name;
    id person;
    TRY(request_read_body(req, &enrol_schema));
    TRY(find_enrolment(req, &mac, &person, &username));
    TRY(check_new_key(req, &enrol, &sign_in, &counter));
    TRY(read_bytes(req, json_object_get(req->body, "assertion"), "credentialId", &credential));
    name = json_text_at(req->body, "name");
    TRY(tx_begin_service(req->api->store, req->arena, &req->tx));
    TRY(store_enrolment_use(req->tx, person, mac, &used));
    if (!used)
        return refuse(req, "the token was used, has expired, or is none");
    TRY(use_challenge(req, &enrol));
    TRY(use_challenge(req, &sign_in));
    TRY(store_passkey_add(req->tx, person, credential, sign_in.key, counter, name.len > 0 ? name : STR("Passkey")));
    return begin_session(req, person, username);
}

/* ---- In a session ---- */
/* Only a session counts here: whoever calls with a token has none. */
static error
find_session(struct request *req)
{
    struct credentials credentials = request_credentials(req);
    if (credentials.authorization.len > 0 || !session_is_shown(&credentials))
        return fail(req->arena, SESSION_ENDED);
    return auth_authenticate(req->api->auth, req->arena, &credentials, req->may_block, false, &req->caller);
}

error
sign_in_confirm(struct request *req)
{
    struct passkey_row row;
    TRY(find_session(req));
    TRY(request_read_body(req, &assertion_schema));
    TRY(take_assertion(req, req->body, CHALLENGE_TO_CONFIRM, &row));
    if (!id_eq(row.person, req->caller->id))
        return refuse(req, "the passkey is another person's");
    TRY(store_session_verified(req->tx, row.person, req->caller->session));
    TRY(answer_json(req, json_pack("{s:s%}", "username", row.username.data, row.username.len)));
    return tx_commit(req->tx);
}

static error
end_session(struct request *req, id session, bool *ret_ended)
{
    TRY(tx_begin_service(req->api->store, req->arena, &req->tx));
    TRY(store_session_end(req->tx, req->caller->id, session, ret_ended));
    return tx_commit(req->tx);
}

error
sign_out(struct request *req)
{
    bool ended;
    TRY(find_session(req));
    TRY(end_session(req, req->caller->session, &ended));
    req->out = (struct response){ .status = 204, .body = STR_EMPTY, .content_type = STR_EMPTY };
    set_cookie(req, STR_EMPTY, 0);
    return OK;
}

error
sessions_list(struct request *req)
{
    str list;
    TRY(find_session(req));
    TRY(store_session_list(req->api->store, req->arena, req->caller->id, &list));
    json_t *sessions = json_parse_own(req->arena, list);
    return answer_json(req, json_pack("{s:s, s:O}", "currentSessionId", id_text(req->arena, req->caller->session).data,
                                      "results", sessions));
}

error
sessions_end(struct request *req)
{
    bool ended;
    id session;
    TRY(find_session(req));
    TRY(request_read_body(req, &session_schema));
    if (!id_parse(json_text_at(req->body, "sessionId"), &session))
        return request_not_found(req);
    TRY(end_session(req, session, &ended));
    if (!ended)
        return fail(req->arena, RESOURCE_NOT_FOUND, V(id_text(req->arena, session)));
    req->out = (struct response){ .status = 204, .body = STR_EMPTY, .content_type = STR_EMPTY };
    return OK;
}
