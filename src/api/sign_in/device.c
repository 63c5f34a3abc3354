/* SPDX-License-Identifier: Apache-2.0 */
#include "api/sign_in/device.h"

#include "api/api.h"
#include "api/sign_in/parts.h"
#include "api/sign_in/sign_in.h"
#include "api/stage/stages.h"
#include "api/validate.h"
#include "auth/oauth.h"
#include "auth/person/device.h"
#include "auth/person/session.h"
#include "base/clock.h"
#include "base/json.h"
#include "store/session/session.h"

#define GRANT_TYPE "urn:ietf:params:oauth:grant-type:device_code"
/* A device may ask a second earlier than it was told: clocks and lines are not exact. */
enum { TOO_SOON_S = DEVICE_INTERVAL_S - 1 };

/* ---- What is sent ---- */
static const struct field look_fields[] = {
    TEXT("userCode", "The code that the device shows.", REQUIRED, .min = 1, .max = 20),
    END_OF_FIELDS,
};
static const struct schema look_schema = { "LookAtDevice", "Which device is looked for.", look_fields };

static const struct field decide_fields[] = {
    TEXT("deviceId", "The device, as it was shown.", REQUIRED, .min = 2 * SHA256_BYTES, .max = 2 * SHA256_BYTES),
    BOOL("approved", "Whether it is let in.", REQUIRED),
    END_OF_FIELDS,
};
static const struct schema decide_schema = { "DecideDevice", "Whether a device is let in.", decide_fields };

static struct key
device_key(struct request *req)
{
    return auth_key_for(req->api->auth, DEVICE_KEY_PURPOSE);
}

/* ---- The program's side ---- */
/* RFC 6749 section 5.2. Both texts are literals without anything to escape. */
static error
answer_problem(struct request *req, const char *code, const char *description)
{
    req->out = (struct response){
        .status = 400,
        .body = str_format(req->arena, "{\"error\":\"%s\",\"error_description\":\"%s\"}", code, description),
        .content_type = STR("application/json"),
    };
    response_header(&req->out, STR("Pragma"), STR("no-cache"));
    return req->out.body.len > 0 ? OK : fail(req->arena, OVERLOADED);
}

/* NULL, or what is wrong with the form. */
static const char *
read_form(struct request *req, struct oauth_form *ret_form)
{
    if (!oauth_is_form(req->in.content_type))
        return "The body must be application/x-www-form-urlencoded.";
    return oauth_form_parse(req->arena, req->in.body, ret_form)
               ? NULL
               : "The form is malformed, too large, or repeats a parameter.";
}

error
device_ask(struct request *req)
{
    struct oauth_form form;
    struct device device;
    str origin = auth_origin(req->api->auth);
    TRY(request_admit(req, OAUTH_FORM_MAX_BYTES));
    if (!req->api->has_console || origin.len == 0)
        return answer_problem(req, "unauthorized_client",
                              "This service has no pages on which a device could be let in.");
    const char *wrong = read_form(req, &form);
    if (wrong != NULL)
        return answer_problem(req, "invalid_request", wrong);
    str host = form.host.len == 0 ? STR("unnamed") : form.host;
    if (!device_host_is_good(host))
        return answer_problem(
            req, "invalid_request",
            "The parameter host is the name of a host: letters, digits, dots and hyphens, at most 100.");
    struct key key = device_key(req);
    int64_t now_s = clock_now_ms() / 1000;
    str code = device_code_new(req->arena, &key, now_s, &req->in.client, host);
    bool is_made = device_code_read(req->arena, &key, now_s, code, &device) == DEVICE_GOOD;
    crypto_wipe(&key, sizeof(key));
    if (!is_made)
        return fail(req->arena, OVERLOADED);
    str typed = device_user_code_text(req->arena, device.user_code);
    str page = str_format(req->arena, "%.*s/device", STR_ARG(req->api->base_url));
    str whole = str_format(req->arena, "%.*s?code=%.*s", STR_ARG(page), STR_ARG(typed));
    return sign_in_answer(req, json_pack("{s:s, s:s, s:s, s:s, s:i, s:i}", "device_code", code.data, "user_code",
                                         typed.data, "verification_uri", page.data, "verification_uri_complete",
                                         whole.data, "expires_in", DEVICE_LIFETIME_S, "interval", DEVICE_INTERVAL_S));
}

static str
kept_of(const struct device *device)
{
    return (str){ (const char *)device->hash, sizeof(device->hash) };
}

/* Somebody has typed what the device shows: they are told what it is. */
static error
meet(struct request *req, const struct device *device)
{
    TRY(tx_begin_service(req->api->store, req->arena, &req->tx));
    TRY(store_device_met(req->tx, str_from(device->user_code), kept_of(device), device->host,
                         net_address_text(req->arena, &device->address), device->expires_at_s - DEVICE_LIFETIME_S));
    TRY(tx_commit(req->tx));
    return answer_problem(req, "authorization_pending", "The person looks at it.");
}

/* Once: the code is used up in the transaction that begins the session. */
static error
let_in(struct request *req, const struct device *device)
{
    struct new_session wanted = {
        .session = id_new(store_cell(req->api->store)),
        .address = &req->in.client,
        .browser = req->in.user_agent,
    };
    bool is_first;
    str token;
    int64_t lasts_s;
    TRY(tx_begin_service(req->api->store, req->arena, &req->tx));
    TRY(store_challenge_use(req->tx, kept_of(device), device->expires_at_s, &is_first));
    if (!is_first)
        return answer_problem(req, "invalid_grant", "The code was used before.");
    TRY(auth_begin_device_session(req->api->auth, req->tx, &wanted, kept_of(device), &token, &lasts_s));
    if (token.len == 0)
        return answer_problem(req, "authorization_pending", "Nobody has let the device in.");
    TRY(sign_in_answer(req, json_pack("{s:s, s:s, s:I, s:s}", "access_token", token.data, "token_type", "Bearer",
                                      "expires_in", (json_int_t)lasts_s, "session_id",
                                      id_text(req->arena, wanted.session).data)));
    return tx_commit(req->tx);
}

static error
answer_fate(struct request *req, const struct device *device, enum device_fate fate)
{
    switch (fate) {
    case DEVICE_LOOKED_FOR: return meet(req, device);
    case DEVICE_APPROVED: return let_in(req, device);
    case DEVICE_DENIED: return answer_problem(req, "access_denied", "The person did not let the device in.");
    case DEVICE_USED: return answer_problem(req, "invalid_grant", "The code was used before.");
    default: return answer_problem(req, "authorization_pending", "Nobody has let the device in yet.");
    }
}

/* Whoever shows a code that is none of ours guesses. */
static error
ask_for_token(struct request *req, str code)
{
    static const str any = { "device", sizeof("device") - 1 };
    struct device device = { 0 };
    enum device_fate fate;
    TRY(auth_check_guard(req->api->auth, req->arena, &req->in.client, any));
    struct key key = device_key(req);
    enum device_state state = device_code_read(req->arena, &key, clock_now_ms() / 1000, code, &device);
    crypto_wipe(&key, sizeof(key));
    if (state == DEVICE_FOREIGN) {
        TRY(auth_count_failure(req->api->auth, req->arena, &req->in.client, any, OK));
        return answer_problem(req, "invalid_grant", "The code is not one of this service's.");
    }
    if (state == DEVICE_EXPIRED)
        return answer_problem(req, "expired_token", "The code has expired.");
    /* The person is shown from where it was asked: nobody else gets what they give to that. */
    struct net_address asked = net_host(&device.address), asks = net_host(&req->in.client);
    if (memcmp(asked.bytes, asks.bytes, sizeof(asked.bytes)) != 0)
        return answer_problem(req, "invalid_grant", "The code was given to another address.");
    str once = str_format(req->arena, "device:%s", str_hex(req->arena, device.hash, sizeof(device.hash)).data);
    if (once.len == 0)
        return fail(req->arena, OVERLOADED);
    if (!limit_use_once(req->api->limiter, once, TOO_SOON_S))
        return answer_problem(req, "slow_down", "Wait five seconds longer between two questions.");
    TRY(store_device_fate(req->api->store, req->arena, str_from(device.user_code), kept_of(&device), &fate));
    return answer_fate(req, &device, fate);
}

error
device_token(struct request *req)
{
    struct oauth_form form;
    TRY(request_admit(req, OAUTH_FORM_MAX_BYTES));
    if (!req->may_block)
        return WOULD_BLOCK;
    const char *wrong = read_form(req, &form);
    if (wrong != NULL)
        return answer_problem(req, "invalid_request", wrong);
    if (!str_is(form.grant_type, GRANT_TYPE))
        return answer_problem(req, "unsupported_grant_type", "The only grant_type here is " GRANT_TYPE ".");
    if (form.device_code.len == 0)
        return answer_problem(req, "invalid_request", "The parameter device_code is missing.");
    return ask_for_token(req, form.device_code);
}

error
device_end(struct request *req)
{
    struct credentials credentials = request_credentials(req);
    bool ended;
    if (credentials.authorization.len == 0)
        return fail(req->arena, SESSION_ENDED);
    TRY(request_admit(req, OAUTH_FORM_MAX_BYTES));
    if (!req->may_block)
        return WOULD_BLOCK;
    TRY(auth_authenticate(req->api->auth, req->arena, &credentials, true, false, &req->caller));
    if (!id_is_there(req->caller->session))
        return fail(req->arena, SESSION_ENDED);
    TRY(tx_begin_service(req->api->store, req->arena, &req->tx));
    TRY(store_session_end(req->tx, req->caller->id, req->caller->session, ID_NONE, &ended));
    TRY(tx_commit(req->tx));
    sign_in_answer_nothing(req);
    return OK;
}

/* ---- The person's side ---- */
static error
show(struct request *req, const struct device_claim *claim)
{
    str typed = device_user_code_text(req->arena, claim->user_code.data);
    if (str_is(claim->state, "LOOKING"))
        return sign_in_answer(req, json_pack("{s:s, s:s}", "userCode", typed.data, "state", "LOOKING"));
    return sign_in_answer(req, json_pack("{s:s, s:s%, s:s%, s:s%, s:s%, s:s%}", "userCode", typed.data, "state",
                                         claim->state.data, claim->state.len, "deviceId", claim->device.data,
                                         claim->device.len, "host", claim->host.data, claim->host.len, "address",
                                         claim->address.data, claim->address.len, "askedAt", claim->asked.data,
                                         claim->asked.len));
}

/* Another code than before: a try, until the device that shows it is found. */
static error
claim_code(struct request *req, const struct guard_try *try, str code, struct device_claim *ret_claim)
{
    bool put;
    TRY(auth_check_guard(req->api->auth, req->arena, try->address, try->credential));
    TRY(auth_count_failure(req->api->auth, req->arena, try->address, try->credential, OK));
    TRY(tx_begin_service(req->api->store, req->arena, &req->tx));
    TRY(store_device_claim_put(req->tx, req->caller->id, req->caller->session, code, &put));
    TRY(tx_commit(req->tx));
    if (!put)
        return passkey_refuse(req, "too many codes were tried in this session; sign out, and in again");
    *ret_claim = (struct device_claim){ .is_there = true, .user_code = code, .state = STR("LOOKING") };
    return OK;
}

error
device_look(struct request *req)
{
    char code[DEVICE_USER_CODE_LETTERS + 1];
    struct device_claim claim;
    TRY(sign_in_session(req));
    TRY(request_read_body(req, &look_schema));
    if (!device_user_code_read(json_text_at(req->body, "userCode"), code))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("userCode"), V("it has eight letters, and no vowels"));
    /* Not by the session's own name: that was right a moment ago, and so is never shut out. */
    struct guard_try try = {
        &req->in.client,
        str_format(req->arena, "device-of-%s", id_text(req->arena, req->caller->session).data),
    };
    TRY(store_device_claim(req->api->store, req->arena, req->caller->id, req->caller->session, &claim));
    if (!claim.is_there || !str_is(claim.user_code, code))
        TRY(claim_code(req, &try, str_dup(req->arena, str_from(code)), &claim));
    else if (str_is(claim.state, "FOUND"))
        limit_guard_note_success(req->api->limiter, try);
    return show(req, &claim);
}

error
device_decide(struct request *req)
{
    uint8_t hash[SHA256_BYTES];
    bool decided;
    TRY(sign_in_session(req));
    TRY(request_read_body(req, &decide_schema));
    bool approved = json_is_true(json_object_get(req->body, "approved"));
    if (!str_from_hex(json_text_at(req->body, "deviceId"), hash, sizeof(hash)))
        return request_not_found(req);
    if (approved)
        TRY(sign_in_confirmed_session(req));
    TRY(tx_begin_service(req->api->store, req->arena, &req->tx));
    TRY(store_device_decide(req->tx, req->caller->id, req->caller->session, (str){ (const char *)hash, sizeof(hash) },
                            approved, &decided));
    if (!decided)
        return passkey_refuse(req, "no such device waits; begin again on the device");
    TRY(tx_commit(req->tx));
    sign_in_answer_nothing(req);
    return OK;
}
