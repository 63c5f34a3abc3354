/* SPDX-License-Identifier: Apache-2.0 */
#include "operator/session.h"

#include "api/sign_in/step_up.h"
#include "auth/person/session.h"
#include "base/clock.h"
#include "store/operator/session.h"

#define COOKIE_KIND "os"
#define PREFIX      "reeve_" COOKIE_KIND "_"
enum { PREFIX_LENGTH = sizeof(PREFIX) - 1, BROWSER_MAX = 200 };
_Static_assert((int)PREFIX_LENGTH == (int)SESSION_PREFIX_LENGTH, "cookies of people and of operators are as long");

/* ---- Where a request comes from ---- */
str
operator_origin(const struct request *req)
{
    return session_origin_of(req->arena, req->api->base_url);
}

error
operator_session_check_site(struct request *req, bool reads)
{
    struct credentials credentials = { .origin = req->in.origin, .fetch_site = req->in.fetch_site };
    return session_check_origin(req->arena, operator_origin(req), "operator_base_url", &credentials, reads);
}

/* ---- Cookies ---- */
bool
operator_session_is_shown(const struct request *req)
{
    return req->in.authorization.len == 0 && session_has_cookie(req->in.cookie, OPERATOR_COOKIE);
}

error
operator_session_begin(struct request *req, id operator_id, id session, str *ret_cookie, str *ret_expires)
{
    uint8_t mac[SHA256_BYTES];
    str secret = secret_new(req->arena, COOKIE_KIND), browser = req->in.user_agent;
    if (secret.len == 0)
        return fail(req->arena, OVERLOADED);
    str value = str_format(req->arena, PREFIX "%s%.*s", id_text(req->arena, session).data,
                           STR_ARG(str_slice(secret, PREFIX_LENGTH, secret.len)));
    if (value.len != SESSION_TEXT_LENGTH)
        return fail(req->arena, OVERLOADED);
    crypto_hmac_sha256(&operator_api_of(req)->session_key, value, mac);
    bool is_readable = browser.len <= BROWSER_MAX && str_is_one_line(browser) && str_is_text(browser);
    struct operator_session_draft draft = {
        .session = session,
        .operator_id = operator_id,
        .mac = { (const char *)mac, sizeof(mac) },
        .address = net_address_text(req->arena, &req->in.client),
        .browser = is_readable ? str_dup(req->arena, browser) : STR_EMPTY,
    };
    TRY(store_operator_session_add(req->tx, &draft, ret_expires));
    *ret_cookie = value;
    return OK;
}

static bool
parse(str value, id *ret_session)
{
    return value.len == SESSION_TEXT_LENGTH && str_starts_with(value, STR(PREFIX)) &&
           id_parse(str_slice(value, PREFIX_LENGTH, PREFIX_LENGTH + ID_DIGITS), ret_session);
}

static bool
is_right(struct request *req, str value, const struct operator_session_row *row)
{
    uint8_t mac[SHA256_BYTES];
    crypto_hmac_sha256(&operator_api_of(req)->session_key, value, mac);
    return row->is_found && row->mac.len == sizeof(mac) &&
           crypto_equal(mac, (const uint8_t *)row->mac.data, sizeof(mac));
}

error
operator_session_find(struct request *req, const struct principal **ret_caller)
{
    struct operator_session_row row;
    str value;
    id session;
    bool reads = str_is(req->in.method, "GET") || str_is(req->in.method, "HEAD");
    TRY(operator_session_check_site(req, reads));
    if (!session_find_cookie(req->in.cookie, OPERATOR_COOKIE, &value) || !parse(value, &session))
        return fail(req->arena, SESSION_ENDED);
    TRY(store_operator_session_load(req->api->store, req->arena, session, &row));
    if (!is_right(req, value, &row))
        return fail(req->arena, SESSION_ENDED);
    if (row.is_due)
        TRY(store_operator_session_touch(req->api->store, req->arena, session));
    struct principal *caller = ARENA_NEW(req->arena, struct principal);
    if (caller == NULL)
        return fail(req->arena, OVERLOADED);
    *caller = (struct principal){
        .id = row.operator_id,
        .kind = PRINCIPAL_OPERATOR,
        .name = row.name,
        .session = session,
        .verified_at_ms = clock_steady_ms() - row.verified_ms,
    };
    *ret_caller = caller;
    return OK;
}

/* ---- Once more ---- */
/* What lets machines in, or somebody into a tenant's cluster, moves or opens backups, cannot be taken back, or is money. By parts of the path, so that what is added to a subject is not forgotten. */
static const char *const grave[] = { "/tokens", "/objectStores", "/supportSessions", ":secure", "/invoices", ":agree" };

static bool
is_grave(const struct endpoint *endpoint)
{
    if (step_up_is_for(endpoint))
        return true;
    for (size_t i = 0; i < LENGTH(grave); i++) {
        if (endpoint->method != GET && strstr(endpoint->path, grave[i]) != NULL)
            return true;
    }
    return false;
}

static error
check_presence(struct request *req)
{
    if (!id_is_there(req->caller->session))
        return OK;
    bool is_fresh = clock_steady_ms() - req->caller->verified_at_ms <= STEP_UP_LASTS_MS;
    return is_fresh ? OK : fail(req->arena, STEP_UP_REQUIRED);
}

error
operator_session_check_presence(struct request *req)
{
    return is_grave(req->endpoint) ? check_presence(req) : OK;
}

error
operator_session_demand_presence(struct request *req)
{
    return req->dry_run ? OK : check_presence(req);
}
