/* SPDX-License-Identifier: Apache-2.0 */
#include "auth/auth.h"

#include <stdlib.h>

#include "auth/authorization.h"
#include "auth/digest.h"
#include "auth/federation.h"
#include "auth/internal.h"
#include "auth/person/session.h"
#include "auth/token.h"
#include "base/clock.h"
#include "store/auth/principal.h"

enum {
    MAX_TOKEN_LIFETIME_S = 3600,
    NONCE_REMEMBERED_S = DIGEST_NONCE_LIFETIME_S + 30,
    MAX_NONCE_KEYS = 8,
    KEYS_CHECKED_MS = 2000,
    ORIGIN_ARENA_BYTES = 4096
};

/* ---- Life ---- */

static void
on_notify(void *owner, str payload)
{
    struct auth *auth = owner;
    if (str_is(payload, "keys") || str_is(payload, "all"))
        keyring_mark_stale(auth->keyring);
    bool is_of_federation = str_starts_with(payload, STR("federation:"));
    if (is_of_federation || str_is(payload, "all"))
        federation_memory_forget(auth->federation);
    if (!str_is(payload, "keys"))
        snapshot_invalidate(auth->snapshot, payload);
}

static void
on_state(void *owner, bool connected)
{
    struct auth *auth = owner;
    freshness_set_listening(&auth->freshness, connected);
}

struct auth *
auth_new(struct store *store, struct limiter *limiter, const struct auth_config *config)
{
    struct auth *auth = calloc(1, sizeof(*auth));
    if (auth == NULL)
        return NULL;
    auth->store = store;
    auth->limiter = limiter;
    auth->token_lifetime_s = config->token_lifetime_s;
    if (auth->token_lifetime_s < 1 || auth->token_lifetime_s > MAX_TOKEN_LIFETIME_S)
        auth->token_lifetime_s = MAX_TOKEN_LIFETIME_S;
    auth->master_key = config->master_key;
    auth->pepper = crypto_derive(&config->master_key, "pepper v1");
    auth->session_pepper = crypto_derive(&config->master_key, SESSION_PEPPER_PURPOSE);
    auth->arena = arena_new(ORIGIN_ARENA_BYTES);
    if (auth->arena != NULL)
        auth->origin = session_origin_of(auth->arena, config->base_url);
    auth->data_key_sealing = crypto_derive(&config->master_key, "data key v1");
    auth->no_secret = crypto_derive(&config->master_key, "no such api key v1");
    struct key signing_key_sealing = crypto_derive(&config->master_key, "signing key v1");
    freshness_init(&auth->freshness);
    auth->keyring = keyring_new(store, &signing_key_sealing);
    auth->snapshot = snapshot_new(store, &auth->freshness, &auth->data_key_sealing);
    crypto_wipe(&signing_key_sealing, sizeof(signing_key_sealing));
    auth->usage = usage_new(store);
    auth->federation = federation_memory_new();
    if (auth->arena != NULL && auth->federation != NULL && auth->keyring != NULL && auth->snapshot != NULL &&
        auth->usage != NULL)
        auth->listener = listener_new(config->dsn, AUTHORITY_CHANNEL, on_notify, on_state, auth);
    if (auth->listener != NULL)
        return auth;
    auth_free(auth);
    return NULL;
}

void
auth_free(struct auth *auth)
{
    if (auth == NULL)
        return;
    /* First, because it calls into the others. */
    if (auth->listener != NULL)
        listener_free(auth->listener);
    usage_free(auth->usage);
    federation_memory_free(auth->federation);
    snapshot_free(auth->snapshot);
    keyring_free(auth->keyring);
    arena_free(auth->arena);
    crypto_wipe(auth, sizeof(*auth));
    free(auth);
}

struct key
auth_key_for(struct auth *auth, const char *purpose)
{
    return crypto_derive(&auth->master_key, purpose);
}

struct auth_status
auth_status(struct auth *auth)
{
    return (struct auth_status){
        .listening = freshness_is_listening(&auth->freshness),
        .entries = (int64_t)snapshot_count(auth->snapshot),
    };
}

error
auth_rotate_signing_key(struct auth *auth, struct arena *arena)
{
    return keyring_rotate(auth->keyring, arena);
}

error
auth_ready_keys(struct auth *auth, struct arena *arena, bool may_block)
{
    int64_t loaded_at_ms = keyring_loaded_at_ms(auth->keyring);
    /* Keys change so rarely that without a listener, too, one look every two seconds is enough. */
    if (freshness_is_current(&auth->freshness, loaded_at_ms) ||
        (loaded_at_ms >= 0 && clock_steady_ms() - loaded_at_ms <= KEYS_CHECKED_MS))
        return OK;
    bool loaded = keyring_is_loaded(auth->keyring);
    if (loaded && freshness_is_cut_off(&auth->freshness))
        return OK;
    if (!may_block)
        return WOULD_BLOCK;
    error problem = keyring_load(auth->keyring, arena);
    /* Who may still call is decided by the principal's entry, which is given up after a minute. */
    if (problem != OK && problem->code == DATABASE_UNAVAILABLE && loaded)
        return OK;
    return problem;
}

/* ---- Bearer ---- */

error
auth_check_token(struct auth *auth, struct arena *arena, str text, bool may_block, struct token *ret_token,
                 enum token_state *ret_state)
{
    struct key key;
    *ret_state = TOKEN_FOREIGN;
    if (!token_parse(text, ret_token))
        return OK;
    TRY(auth_ready_keys(auth, arena, may_block));
    if (!keyring_find(auth->keyring, ret_token->key_id, &key)) {
        if (!may_block)
            return WOULD_BLOCK;
        TRY(keyring_load_sparingly(auth->keyring, arena));
        if (!keyring_find(auth->keyring, ret_token->key_id, &key))
            return OK;
    }
    if (token_is_signed_by(ret_token, &key))
        *ret_state = clock_now_ms() / 1000 < ret_token->expires_at_s ? TOKEN_GOOD : TOKEN_EXPIRED;
    crypto_wipe(&key, sizeof(key));
    return OK;
}

static int
compare_fingerprints(const void *a, const void *b)
{
    return memcmp(a, b, TOKEN_FINGERPRINT_BYTES);
}

/* NULL, or why this principal's token is not good any more. */
static const char *
token_refusal(const struct principal *principal, const struct token *token)
{
    if (principal == NULL)
        return "the service account no longer exists";
    if ((uint32_t)principal->generation != token->generation)
        return "the token was revoked";
    /* In order of the fingerprints, as they were loaded. */
    if (principal->revoked_count > 0 && bsearch(token_fingerprint(token), principal->revoked, principal->revoked_count,
                                                TOKEN_FINGERPRINT_BYTES, compare_fingerprints) != NULL)
        return "the token was revoked";
    return NULL;
}

static error
authenticate_bearer(struct auth *auth, struct arena *arena, str text, bool may_block, bool fresh,
                    const struct principal **ret_principal)
{
    struct token token;
    enum token_state state;
    TRY(auth_check_token(auth, arena, text, may_block, &token, &state));
    /* These two need no confirmation: no row of the database could change them. */
    if (state == TOKEN_FOREIGN)
        return fail(arena, INVALID_CREDENTIALS, V("this service did not issue the token"));
    if (state == TOKEN_EXPIRED)
        return fail(arena, INVALID_CREDENTIALS, V("the token has expired"));
    for (;; fresh = true) {
        const struct principal *principal;
        TRY(snapshot_principal(auth->snapshot, arena, token.principal, may_block, fresh, &principal));
        const char *refusal = token_refusal(principal, &token);
        if (refusal == NULL) {
            *ret_principal = principal;
            return OK;
        }
        if (!may_block)
            return WOULD_BLOCK;
        if (fresh)
            return fail(arena, INVALID_CREDENTIALS, V(refusal));
    }
}

/* ---- Digest ---- */

/* A refusal that the client mends by using a new nonce. */
static error
stale_nonce(struct arena *arena, const char *why)
{
    struct failure *failure = ARENA_NEW(arena, struct failure);
    if (failure == NULL)
        return fail(arena, OVERLOADED);
    *failure = *fail(arena, INVALID_CREDENTIALS, V(why));
    failure->stale_nonce = true;
    return failure;
}

static enum nonce_state
check_nonce(struct auth *auth, str nonce)
{
    struct key keys[MAX_NONCE_KEYS];
    size_t count = keyring_nonce_keys(auth->keyring, keys, MAX_NONCE_KEYS);
    enum nonce_state state = NONCE_FOREIGN;
    for (size_t i = 0; i < count && state == NONCE_FOREIGN; i++)
        state = digest_nonce_check(&keys[i], nonce, clock_now_ms() / 1000);
    crypto_wipe(keys, sizeof(keys));
    return state;
}

static bool
response_is_right(struct auth *auth, struct arena *arena, const struct digest_header *header, str method,
                  const struct digest_secret *secret)
{
    /* A key that does not exist is worked out like any other one, so that the time tells nothing. */
    struct digest_secret stand_in;
    if (secret == NULL) {
        memset(&stand_in, 'f', sizeof(stand_in));
        memcpy(&stand_in, auth->no_secret.bytes, KEY_BYTES);
    }
    const struct digest_secret *used = secret == NULL ? &stand_in : secret;
    char expected[DIGEST_HEX_MAX], given[DIGEST_HEX_MAX];
    size_t length = digest_hex_length(header->algorithm);
    digest_response(arena, header, method, header->algorithm == DIGEST_MD5 ? used->md5_hex : used->sha256_hex,
                    expected);
    for (size_t i = 0; i < length; i++) {
        char c = header->response.data[i];
        given[i] = (char)(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
    }
    return crypto_equal(expected, given, length) && secret != NULL && !arena_is_exhausted(arena);
}

/* At most once a minute, and never at the price of the request. */
static void
note_use(struct auth *auth, struct arena *arena, const struct principal *principal)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, principal->organization);
    params_id(&params, P_PRINCIPAL, principal->id);
    if (tx_begin(auth->store, arena, principal->organization, &tx) == OK &&
        tx_query(tx, SQL_AUTH_API_KEY_TOUCH, &params, &rows, NULL) == OK && tx_commit(tx) == OK)
        return;
}

static error
authenticate_digest(struct auth *auth, struct arena *arena, const struct credentials *credentials, str parameters,
                    bool may_block, bool fresh, str *ret_named, const struct principal **ret_principal)
{
    struct digest_header header;
    if (!digest_parse(arena, parameters, &header) || !str_is(header.realm, DIGEST_REALM))
        return fail(arena, INVALID_CREDENTIALS, V("the Digest header cannot be read"));
    if (!str_eq(header.uri, credentials->target))
        return fail(arena, INVALID_CREDENTIALS, V("the uri is not that of the request"));
    *ret_named = header.username;
    TRY(auth_check_guard(auth, arena, &credentials->client, header.username));
    /* Whether a nonce count is new is known only to Redis. */
    if (!may_block)
        return WOULD_BLOCK;
    TRY(auth_ready_keys(auth, arena, may_block));
    enum nonce_state nonce = check_nonce(auth, header.nonce);
    if (nonce == NONCE_FOREIGN) {
        TRY(keyring_load_sparingly(auth->keyring, arena));
        nonce = check_nonce(auth, header.nonce);
    }
    if (nonce == NONCE_FOREIGN)
        return fail(arena, INVALID_CREDENTIALS, V("this service did not issue the nonce"));
    if (nonce == NONCE_STALE)
        return stale_nonce(arena, "the nonce is too old");

    const struct principal *principal;
    const struct digest_secret *secret;
    for (;; fresh = true) {
        TRY(snapshot_api_key(auth->snapshot, arena, header.username, may_block, fresh, &principal, &secret));
        if (response_is_right(auth, arena, &header, credentials->method, secret))
            break;
        if (fresh)
            return fail(arena, INVALID_CREDENTIALS, V("the public key or the response is wrong"));
    }
    /* Only now: nobody without the key can use up another one's counts, or fill Redis with them. */
    str once = str_format(arena, "digest:%.*s:%.*s", STR_ARG(header.nonce), STR_ARG(header.nc));
    if (once.len == 0)
        return fail(arena, OVERLOADED);
    if (!limit_use_once(auth->limiter, once, NONCE_REMEMBERED_S))
        return stale_nonce(arena, "the nonce count was used before");
    limit_guard_note_success(auth->limiter, (struct guard_try){ &credentials->client, header.username });
    if (snapshot_is_first_use(secret))
        note_use(auth, arena, principal);
    *ret_principal = principal;
    return OK;
}

/* ---- Guard ---- */

static error
refuse_guesses(struct arena *arena, const struct net_address *client, int wait_s)
{
    str address = net_address_text(arena, client);
    return error_retry_after(arena, fail(arena, TOO_MANY_FAILURES, V(address)), wait_s);
}

error
auth_check_guard(struct auth *auth, struct arena *arena, const struct net_address *client, str credential)
{
    int closed_s = limit_guard_closed_s(auth->limiter, (struct guard_try){ client, credential });
    return closed_s == 0 ? OK : refuse_guesses(arena, client, closed_s);
}

error
auth_count_failure(struct auth *auth, struct arena *arena, const struct net_address *client, str credential,
                   error refusal)
{
    struct guard_try wrong = { client, credential };
    int wait_s = limit_guard_wait_s(auth->limiter, wrong);
    limit_guard_count_failure(auth->limiter, wrong);
    return wait_s == 0 ? refusal : refuse_guesses(arena, client, wait_s);
}

error
auth_check_password_guard(struct auth *auth, struct arena *arena, const struct net_address *client, str username)
{
    int closed_s = limit_guard_closed_s(auth->limiter, (struct guard_try){ client, username, .is_password = true });
    return closed_s == 0 ? OK : refuse_guesses(arena, client, closed_s);
}

error
auth_count_wrong_password(struct auth *auth, struct arena *arena, const struct net_address *client, str username,
                          error refusal)
{
    struct guard_try wrong = { client, username, .is_password = true };
    limit_guard_count_failure(auth->limiter, wrong);
    int closed_s = limit_guard_closed_s(auth->limiter, wrong);
    return closed_s == 0 ? refusal : refuse_guesses(arena, client, closed_s);
}

/* ---- Both ---- */

/* `ret_named` is what names the credential that was shown; empty when nothing does. */
static error
authenticate(struct auth *auth, struct arena *arena, const struct credentials *credentials, bool may_block, bool fresh,
             str *ret_named, const struct principal **ret_principal)
{
    struct authorization header;
    if (credentials->authorization.len == 0 && session_is_shown(credentials))
        return session_authenticate(auth, arena, credentials, may_block, fresh, ret_named, ret_principal);
    if (credentials->authorization.len == 0) {
        /* The challenge needs a nonce, and so the keys. Without the database it goes without Digest. */
        error keys = auth_ready_keys(auth, arena, may_block);
        return keys == WOULD_BLOCK ? WOULD_BLOCK : fail(arena, NOT_AUTHENTICATED);
    }
    if (!authorization_parse(credentials->authorization, &header))
        return fail(arena, INVALID_CREDENTIALS, V("the Authorization header cannot be read"));
    bool is_bearer = str_eq_nocase(header.scheme, STR("Bearer"));
    if (is_bearer && federation_is_token(header.rest))
        return federation_authenticate(auth, arena, credentials, header.rest, may_block, fresh, ret_principal);
    if (is_bearer && session_is_token(header.rest))
        return session_authenticate_device(auth, arena, credentials, header.rest, may_block, fresh, ret_named,
                                           ret_principal);
    if (is_bearer)
        return authenticate_bearer(auth, arena, header.rest, may_block, fresh, ret_principal);
    if (str_eq_nocase(header.scheme, STR("Digest")))
        return authenticate_digest(auth, arena, credentials, header.rest, may_block, fresh, ret_named, ret_principal);
    return fail(arena, INVALID_CREDENTIALS, V("the scheme is neither Bearer nor Digest"));
}

error
auth_authenticate(struct auth *auth, struct arena *arena, const struct credentials *credentials, bool may_block,
                  bool fresh, const struct principal **ret_principal)
{
    str named = STR_EMPTY;
    error problem = authenticate(auth, arena, credentials, may_block, fresh, &named, ret_principal);
    /* A request without credentials asks how to show them, and one with an old nonce how to go on: neither is a guess. */
    bool is_wrong = problem != OK && (problem->code == INVALID_CREDENTIALS || problem->code == SESSION_ENDED);
    if (!is_wrong || auth_is_stale_nonce(problem))
        return problem;
    return auth_count_failure(auth, arena, &credentials->client, named, problem);
}

error
auth_reload_principal(struct auth *auth, struct arena *arena, const struct credentials *credentials,
                      const struct principal *known, const struct principal **ret_principal)
{
    const struct principal *found;
    /* Where such credentials count is decided with them, and they can be looked at any number of times. */
    if (known->is_confined || id_is_there(known->session))
        return auth_authenticate(auth, arena, credentials, true, true, ret_principal);
    TRY(snapshot_principal(auth->snapshot, arena, known->id, true, true, &found));
    if (found == NULL)
        return fail(arena, INVALID_CREDENTIALS, V("they were deleted"));
    *ret_principal = found;
    return OK;
}

void
auth_note_origin(struct auth *auth, const struct principal *principal, const struct net_address *address)
{
    usage_note(auth->usage, principal, address);
}

bool
auth_is_stale_nonce(error problem)
{
    return problem != OK && problem->stale_nonce;
}

void
auth_challenges(struct auth *auth, struct arena *arena, bool stale_nonce, str ret_challenges[3])
{
    struct key key;
    ret_challenges[0] = STR("Bearer realm=\"" DIGEST_REALM "\"");
    ret_challenges[1] = ret_challenges[2] = STR_EMPTY;
    if (keyring_nonce_keys(auth->keyring, &key, 1) == 0)
        return;
    str nonce = digest_nonce_new(arena, &key, clock_now_ms() / 1000);
    crypto_wipe(&key, sizeof(key));
    static const enum digest_algorithm offered[] = { DIGEST_SHA256, DIGEST_MD5 };
    for (size_t i = 0; i < LENGTH(offered); i++) {
        ret_challenges[1 + i] =
            str_format(arena, "Digest realm=\"" DIGEST_REALM "\", qop=\"auth\", algorithm=%s, nonce=\"%.*s\"%s",
                       digest_algorithm_name(offered[i]), STR_ARG(nonce), stale_nonce ? ", stale=true" : "");
    }
}

str
auth_origin(struct auth *auth)
{
    return auth->origin;
}

/* ---- Contexts ---- */

error
auth_organization_facts(struct auth *auth, struct arena *arena, id organization, bool may_block, bool fresh,
                        const struct context_facts **ret_facts)
{
    return snapshot_facts(auth->snapshot, arena, FACTS_OF_ORGANIZATION, organization, may_block, fresh, ret_facts);
}

error
auth_project_facts(struct auth *auth, struct arena *arena, id project, bool may_block, bool fresh,
                   const struct context_facts **ret_facts)
{
    return snapshot_facts(auth->snapshot, arena, FACTS_OF_PROJECT, project, may_block, fresh, ret_facts);
}

error
auth_user_facts(struct auth *auth, struct arena *arena, id principal, bool may_block, bool fresh,
                const struct context_facts **ret_facts)
{
    return snapshot_facts(auth->snapshot, arena, FACTS_OF_USER, principal, may_block, fresh, ret_facts);
}

error
auth_federation_organizations(struct auth *auth, struct arena *arena, id federation, size_t *ret_count,
                              const id **ret_organizations)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_FEDERATION, federation);
    TRY(store_read(auth->store, arena, SQL_AUTH_FEDERATION_ORGANIZATIONS, &params, &rows));
    id *organizations = ARENA_ARRAY(arena, id, (size_t)rows.count);
    if (organizations == NULL)
        return fail(arena, OVERLOADED);
    for (int i = 0; i < rows.count; i++)
        organizations[i] = rows_id(&rows, i, C_ORGANIZATION);
    *ret_count = (size_t)rows.count;
    *ret_organizations = organizations;
    return OK;
}
