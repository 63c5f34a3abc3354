/* SPDX-License-Identifier: Apache-2.0 */
#include "auth/oauth.h"

#include "auth/auth.h"
#include "auth/authorization.h"
#include "auth/credential.h"
#include "auth/internal.h"
#include "auth/program.h"
#include "auth/token.h"
#include "base/clock.h"
#include "store/auth/principal.h"

/* A principal's list of revoked tokens is looked through at every request. When it gets longer than this, all of its
 * tokens end instead. */
enum { MAX_REVOKED_TOKENS = 10000 };

#define ASSERTION_TYPE "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

/* ---- The form ---- */

bool
oauth_is_form(str content_type)
{
    str rest = content_type;
    return str_eq_nocase(str_trim(str_cut(&rest, ';')), STR("application/x-www-form-urlencoded"));
}

bool
oauth_form_parse(struct arena *arena, str form, struct oauth_form *ret_form)
{
    struct oauth_form parsed = {
        STR_EMPTY, STR_EMPTY, STR_EMPTY, STR_EMPTY, STR_EMPTY, STR_EMPTY, STR_EMPTY, STR_EMPTY
    };
    const struct {
        const char *name;
        str *value;
    } known[] = {
        { "grant_type", &parsed.grant_type },
        { "client_id", &parsed.client_id },
        { "client_secret", &parsed.client_secret },
        { "client_assertion", &parsed.client_assertion },
        { "client_assertion_type", &parsed.client_assertion_type },
        { "token", &parsed.token },
        { "device_code", &parsed.device_code },
        { "host", &parsed.host },
    };
    str names[OAUTH_FORM_MAX_PARAMETERS];
    size_t count = 0;
    if (form.len > OAUTH_FORM_MAX_BYTES)
        return false;
    while (form.len > 0) {
        str value = str_cut(&form, '&');
        if (value.len == 0)
            continue;
        str name = str_cut(&value, '=');
        if (count == OAUTH_FORM_MAX_PARAMETERS || !str_percent_decode(arena, name, true, &name) ||
            !str_percent_decode(arena, value, true, &value) || !str_is_text(name) || !str_is_text(value))
            return false;
        for (size_t i = 0; i < count; i++) {
            if (str_eq(names[i], name))
                return false;
        }
        names[count++] = name;
        for (size_t i = 0; i < LENGTH(known); i++) {
            if (str_is(name, known[i].name))
                *known[i].value = value;
        }
    }
    *ret_form = parsed;
    return true;
}

/* ---- Answers ---- */

static struct oauth_answer
answer_error(struct arena *arena, unsigned status, const char *code, const char *description)
{
    /* Both are literals without anything to escape. */
    return (struct oauth_answer){
        .status = status,
        .body = str_format(arena, "{\"error\":\"%s\",\"error_description\":\"%s\"}", code, description),
        .www_authenticate = status == 401 ? STR("Basic realm=\"reeve\", charset=\"UTF-8\"") : STR_EMPTY,
        .retry_after_s = status == 503 ? 1 : 0,
    };
}

static struct oauth_answer
answer_unavailable(struct arena *arena, error problem)
{
    bool is_ours = problem->code == INTERNAL_ERROR;
    struct oauth_answer answer = answer_error(
        arena, is_ours ? 500 : 503, is_ours ? "server_error" : "temporarily_unavailable",
        is_ours ? "The service failed unexpectedly." : "The service cannot reach its database. Retry later.");
    if (problem->retry_after_s > 0)
        answer.retry_after_s = problem->retry_after_s;
    return answer;
}

/* One text for everything that can be wrong: a stolen secret, tried from elsewhere, is not told that it is right. */
static struct oauth_answer
answer_wrong_client(struct arena *arena)
{
    return answer_error(
        arena, 401, "invalid_client",
        "Client authentication failed: the client is unknown, its secret is wrong or has expired, the assertion is not "
        "one that it trusts, or the caller's address is not on its access list.");
}

/* ---- The client ---- */

/* What it shows: a secret, or else a token of a provider that it trusts. */
struct shown {
    str client_id, secret, assertion;
};

static bool
read_client(struct arena *arena, const struct credentials *credentials, const struct oauth_form *form,
            struct shown *ret_shown, struct oauth_answer *ret_answer)
{
    struct authorization header;
    bool has_header = credentials->authorization.len > 0, has_assertion = form->client_assertion.len > 0;
    int ways = has_header + (form->client_secret.len > 0) + has_assertion;
    *ret_shown = (struct shown){ form->client_id, form->client_secret, form->client_assertion };
    if (has_assertion != str_is(form->client_assertion_type, ASSERTION_TYPE)) {
        *ret_answer = answer_error(arena, 400, "invalid_request",
                                   "With client_assertion goes client_assertion_type, which is " ASSERTION_TYPE ".");
        return false;
    }
    if (has_header &&
        (!authorization_parse(credentials->authorization, &header) || !str_eq_nocase(header.scheme, STR("Basic")) ||
         !authorization_parse_basic(arena, header.rest, &ret_shown->client_id, &ret_shown->secret))) {
        *ret_answer = answer_wrong_client(arena);
        return false;
    }
    if (ways > 1 || (form->client_id.len > 0 && !str_eq(form->client_id, ret_shown->client_id))) {
        *ret_answer = answer_error(arena, 400, "invalid_request", "The client authenticated in more than one way.");
        return false;
    }
    return true;
}

/* Which of the account's secrets this is; all are compared, whichever it is. */
static int
find_secret(struct auth *auth, struct arena *arena, const struct rows *secrets, str secret)
{
    uint8_t mac[SHA256_BYTES];
    int found = -1;
    credential_secret_mac(&auth->pepper, secret, mac);
    for (int i = 0; i < secrets->count; i++) {
        str stored = rows_bytes(arena, secrets, i, C_MAC);
        if (stored.len == sizeof(mac) && rows_int(secrets, i, C_PEPPER_VERSION) == PEPPER_VERSION &&
            crypto_equal(stored.data, mac, sizeof(mac)))
            found = i;
    }
    return found;
}

static void
note_use(struct auth *auth, struct arena *arena, id organization, id secret)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_SECRET, secret);
    /* Never at the price of the token. */
    if (tx_begin(auth->store, arena, organization, &tx) == OK &&
        tx_query(tx, SQL_AUTH_SECRET_TOUCH, &params, &rows, NULL) == OK && tx_commit(tx) == OK)
        return;
}

/* Whether what it shows is the account's. Its use is noted later, when the caller's address is known to be right. */
static error
check_shown(struct auth *auth, struct arena *arena, id account, const struct shown *shown, bool *ret_is_right,
            struct rows *ret_secrets, int *ret_secret)
{
    struct params params = { 0 };
    *ret_secret = -1;
    if (shown->assertion.len > 0)
        return program_is_trusted(auth, arena, account, shown->assertion, ret_is_right);
    params_id(&params, P_ACCOUNT, account);
    TRY(store_read(auth->store, arena, SQL_AUTH_SECRET_LIST, &params, ret_secrets));
    *ret_secret = find_secret(auth, arena, ret_secrets, shown->secret);
    *ret_is_right = *ret_secret >= 0;
    return OK;
}

/* NULL when the client is not who it says, or may not call from there. Right and wrong clients cost the same queries. */
static error
check_client(struct auth *auth, struct arena *arena, const struct credentials *credentials, const struct shown *shown,
             const struct principal **ret_client)
{
    id account = id_new(store_cell(auth->store)); /* nobody's, for a name that is none of ours */
    struct rows secrets;
    const struct principal *principal;
    bool named = credential_parse_client_id(shown->client_id, &account), is_right = false;
    int secret;
    TRY(check_shown(auth, arena, account, shown, &is_right, &secrets, &secret));
    TRY(snapshot_principal(auth->snapshot, arena, account, true, true, &principal));
    *ret_client = NULL;
    if (!named || !is_right || principal == NULL ||
        principal_check_origin(principal, &credentials->client) != ORIGIN_ALLOWED)
        return OK;
    if (secret >= 0 && rows_bool(&secrets, secret, C_SHOULD_NOTE))
        note_use(auth, arena, rows_id(&secrets, secret, C_ORGANIZATION), rows_id(&secrets, secret, C_ID));
    usage_note(auth->usage, principal, &credentials->client);
    *ret_client = principal;
    return OK;
}

/* What both endpoints begin with; false when *ret_answer is the answer already. */
static bool
begin(struct auth *auth, struct arena *arena, const struct credentials *credentials, str content_type, str text,
      const char *required_grant, struct oauth_form *ret_form, const struct principal **ret_client,
      struct oauth_answer *ret_answer)
{
    struct shown shown;
    if (!oauth_is_form(content_type)) {
        *ret_answer =
            answer_error(arena, 400, "invalid_request", "The body must be application/x-www-form-urlencoded.");
        return false;
    }
    if (!oauth_form_parse(arena, text, ret_form)) {
        *ret_answer =
            answer_error(arena, 400, "invalid_request", "The form is malformed, too large, or repeats a parameter.");
        return false;
    }
    /* What is wrong with the request itself is said before anybody is asked who sends it. */
    if (required_grant != NULL && ret_form->grant_type.len == 0) {
        *ret_answer = answer_error(arena, 400, "invalid_request", "The parameter grant_type is missing.");
        return false;
    }
    if (required_grant != NULL && !str_is(ret_form->grant_type, required_grant)) {
        *ret_answer = answer_error(arena, 400, "unsupported_grant_type", "The only grant_type is client_credentials.");
        return false;
    }
    if (required_grant == NULL && ret_form->token.len == 0) {
        *ret_answer = answer_error(arena, 400, "invalid_request", "The parameter token is missing.");
        return false;
    }
    if (!read_client(arena, credentials, ret_form, &shown, ret_answer))
        return false;
    ret_answer->refused = auth_check_guard(auth, arena, &credentials->client, shown.client_id);
    if (ret_answer->refused != OK)
        return false;
    error problem = check_client(auth, arena, credentials, &shown, ret_client);
    if (problem == OK && *ret_client != NULL) {
        limit_guard_note_success(auth->limiter, (struct guard_try){ &credentials->client, shown.client_id });
        return true;
    }
    *ret_answer = problem != OK ? answer_unavailable(arena, problem) : answer_wrong_client(arena);
    if (problem == OK)
        ret_answer->refused = auth_count_failure(auth, arena, &credentials->client, shown.client_id, OK);
    return false;
}

/* ---- The endpoints ---- */

void
oauth_token(struct auth *auth, struct arena *arena, const struct credentials *credentials, str content_type, str form,
            struct oauth_answer *ret_answer)
{
    struct oauth_form parsed;
    const struct principal *client;
    if (!begin(auth, arena, credentials, content_type, form, "client_credentials", &parsed, &client, ret_answer))
        return;
    uint8_t key_id;
    struct key key;
    error problem = auth_ready_keys(auth, arena, true);
    if (problem == OK && !keyring_newest(auth->keyring, &key_id, &key))
        problem = fail(arena, DATABASE_UNAVAILABLE);
    if (problem != OK) {
        *ret_answer = answer_unavailable(arena, problem);
        return;
    }
    uint32_t expires_at_s = (uint32_t)(clock_now_ms() / 1000 + auth->token_lifetime_s);
    str token = token_new(arena, &key, key_id, client->id, expires_at_s, (uint32_t)client->generation);
    crypto_wipe(&key, sizeof(key));
    *ret_answer = (struct oauth_answer){
        .status = 200,
        .body = str_format(arena, "{\"access_token\":\"%.*s\",\"token_type\":\"Bearer\",\"expires_in\":%d}",
                           STR_ARG(token), auth->token_lifetime_s),
        .www_authenticate = STR_EMPTY,
    };
}

static error
revoke(struct auth *auth, struct arena *arena, const struct principal *client, const struct token *token)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 }, whose = { 0 };
    struct rows rows;
    params_id(&params, P_PRINCIPAL, client->id);
    params_bytes(&params, P_FINGERPRINT, (str){ (const char *)token_fingerprint(token), TOKEN_FINGERPRINT_BYTES });
    params_int(&params, P_EXPIRES_AT_S, token->expires_at_s);
    params_id(&whose, P_PRINCIPAL, client->id);
    TRY(tx_begin(auth->store, arena, client->organization, &tx));
    TRY(tx_query(tx, SQL_AUTH_TOKEN_REVOKE, &params, &rows, NULL));
    TRY(tx_query(tx, SQL_AUTH_TOKEN_REVOKED_COUNT, &whose, &rows, NULL));
    if (rows_int(&rows, 0, C_COUNT) > MAX_REVOKED_TOKENS) {
        TRY(revoke_tokens(tx, client->id));
        TRY(tx_query(tx, SQL_AUTH_TOKEN_FORGET_REVOKED, &whose, &rows, NULL));
    }
    TRY(authority_changed(tx, "principal", client->id));
    TRY(tx_commit(tx));
    /* The other nodes hear of it in a moment; this one has just said that it is done. */
    snapshot_invalidate(auth->snapshot, str_format(arena, "principal:%s", id_text(arena, client->id).data));
    return OK;
}

void
oauth_revoke(struct auth *auth, struct arena *arena, const struct credentials *credentials, str content_type, str form,
             struct oauth_answer *ret_answer)
{
    struct oauth_form parsed;
    const struct principal *client;
    if (!begin(auth, arena, credentials, content_type, form, NULL, &parsed, &client, ret_answer))
        return;
    struct token token;
    enum token_state state;
    error problem = auth_check_token(auth, arena, parsed.token, true, &token, &state);
    /* A token of somebody else, or none at all, is answered like one that was revoked (RFC 7009 section 2.2). */
    if (problem == OK && state == TOKEN_GOOD && id_eq(token.principal, client->id))
        problem = revoke(auth, arena, client, &token);
    *ret_answer = problem != OK
                      ? answer_unavailable(arena, problem)
                      : (struct oauth_answer){ .status = 200, .body = STR_EMPTY, .www_authenticate = STR_EMPTY };
}

#define AUTH_METHODS "[\"client_secret_basic\",\"client_secret_post\",\"private_key_jwt\"]"
#define ALGORITHMS   "[\"RS256\",\"ES256\"]"

str
oauth_metadata(struct arena *arena, str base_url, bool offers_device)
{
    while (base_url.len > 0 && base_url.data[base_url.len - 1] == '/')
        base_url.len--;
    struct buf out = buf_in(arena, 8 * 1024);
    buf_add_text(&out, "{\"issuer\":");
    buf_add_json(&out, base_url);
    buf_add_text(&out, ",\"token_endpoint\":");
    buf_add_json(&out, str_format(arena, "%.*s/api/oauth/token", STR_ARG(base_url)));
    buf_add_text(&out, ",\"revocation_endpoint\":");
    buf_add_json(&out, str_format(arena, "%.*s/api/oauth/revoke", STR_ARG(base_url)));
    if (offers_device) {
        buf_add_text(&out, ",\"device_authorization_endpoint\":");
        buf_add_json(&out, str_format(arena, "%.*s" DEVICE_PATH, STR_ARG(base_url)));
    }
    buf_add_text(&out, ",\"grant_types_supported\":[\"client_credentials\"],\"response_types_supported\":[],"
                       "\"token_endpoint_auth_methods_supported\":" AUTH_METHODS
                       ",\"token_endpoint_auth_signing_alg_values_supported\":" ALGORITHMS
                       ",\"revocation_endpoint_auth_methods_supported\":" AUTH_METHODS
                       ",\"revocation_endpoint_auth_signing_alg_values_supported\":" ALGORITHMS "}");
    return buf_str(&out);
}
