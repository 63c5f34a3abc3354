/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What signing in with an identity provider is whatever the provider speaks. A browser is sent there with a cookie that only it has (auth/person/visit.h), and what it brings back
 * counts only together with that cookie, and once.
 */
#include <pthread.h>

#include "api/api.h"
#include "api/sign_in/provider_parts.h"
#include "api/sign_in/sign_in.h"
#include "api/sign_in/step_up.h"
#include "auth/jwt.h"
#include "auth/person/session.h"
#include "base/clock.h"
#include "base/json.h"
#include "store/federation/federation.h"

/* Somebody else's server is waited for, or a stranger's document is read: however slow some are, threads are left for others, and for other organizations. */
enum { EXCHANGES_AT_ONCE = 4, EXCHANGES_OF_A_FEDERATION = 2, WAIT_S = 1 };

str
provider_text(const json_t *row, const char *name)
{
    return json_str(json_object_get(row, name));
}

bool
provider_speaks_saml(const json_t *row)
{
    return str_is(provider_text(row, "protocol"), "SAML");
}

error
provider_check_offered(struct request *req)
{
    return req->api->has_console && req->api->send_form != NULL
               ? OK
               : passkey_refuse(req, "this service has no pages to which a provider could send anybody back");
}

/* It may be known again in a moment, and says nothing of whether a session goes on. */
error
provider_refuse_closed(struct request *req)
{
    return passkey_refuse(
        req, "the provider takes nobody at the moment: no organization uses it, or its pages are not known; try later");
}

error
provider_find(struct request *req, const struct visit *visit, bool saml, const json_t **ret_row)
{
    TRY(store_federation_provider(req->api->store, req->arena, visit->provider, ret_row));
    if (*ret_row == NULL)
        return provider_refuse_closed(req);
    return provider_speaks_saml(*ret_row) == saml ? OK : passkey_refuse(req, "the answer is another provider's");
}

/* ---- The visit ---- */
static struct key
visit_key(struct request *req)
{
    return auth_key_for(req->api->auth, VISIT_KEY_PURPOSE);
}

/* Strict, although another site sends the browser back: what needs the cookie is sent by our own page. */
static void
set_cookie(struct request *req, str value, int lasts_s)
{
    response_header(&req->out, STR("Set-Cookie"),
                    str_format(req->arena, VISIT_COOKIE "=%.*s; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=%d",
                               STR_ARG(value), lasts_s));
}

error
provider_new_visit(struct request *req, const json_t *row, id session, struct visit *ret_visit, str *ret_cookie)
{
    id provider;
    struct key key = visit_key(req);
    int64_t now_s = clock_now_ms() / 1000;
    if (!id_parse(provider_text(row, "id"), &provider))
        return fail(req->arena, OVERLOADED);
    *ret_cookie = visit_new(req->arena, &key, now_s, provider, session);
    bool is_made = visit_read(req->arena, &key, now_s, *ret_cookie, ret_visit);
    crypto_wipe(&key, sizeof(key));
    return is_made ? OK : fail(req->arena, OVERLOADED);
}

error
provider_answer_way(struct request *req, str url, str cookie)
{
    TRY(sign_in_answer(req, json_pack("{s:s%}", "authorizationUrl", url.data, url.len)));
    set_cookie(req, cookie, VISIT_LIFETIME_S);
    return OK;
}

error
provider_visit_of_browser(struct request *req, struct visit *ret_visit)
{
    str cookie;
    bool is_good = session_find_cookie(req->in.cookie, VISIT_COOKIE, &cookie);
    if (is_good) {
        struct key key = visit_key(req);
        is_good = visit_read(req->arena, &key, clock_now_ms() / 1000, cookie, ret_visit);
        crypto_wipe(&key, sizeof(key));
    }
    return is_good ? OK : passkey_refuse(req, "this browser did not begin here, or more than ten minutes ago");
}

error
provider_read_visit(struct request *req, str state, struct visit *ret_visit)
{
    id provider;
    TRY(provider_visit_of_browser(req, ret_visit));
    if (state.len != VISIT_WORD_LENGTH || !crypto_equal(state.data, ret_visit->state.data, VISIT_WORD_LENGTH))
        return passkey_refuse(req, "the answer is to another browser's question, or to an older one");
    if (!id_parse(json_text_at(req->body, "identityProviderId"), &provider) || !id_eq(provider, ret_visit->provider))
        return passkey_refuse(req, "the answer is another provider's");
    if (!id_is_there(ret_visit->session))
        return OK;
    TRY(sign_in_session(req));
    return id_eq(req->caller->session, ret_visit->session) ? OK : passkey_refuse(req, "another session began it");
}

/* ---- Turns ---- */
static pthread_mutex_t turns_lock = PTHREAD_MUTEX_INITIALIZER;
static id turns[EXCHANGES_AT_ONCE]; /* federations whose providers are being waited for */

error
provider_take_turn(struct request *req, const json_t *row, id **ret_turn)
{
    id federation, *turn = NULL;
    int own = 0;
    if (!id_parse(provider_text(row, "federation"), &federation))
        return fail(req->arena, OVERLOADED);
    pthread_mutex_lock(&turns_lock);
    for (int i = 0; i < EXCHANGES_AT_ONCE; i++) {
        own += id_eq(turns[i], federation);
        turn = id_is_there(turns[i]) ? turn : &turns[i];
    }
    turn = own < EXCHANGES_OF_A_FEDERATION ? turn : NULL;
    if (turn != NULL)
        *turn = federation;
    pthread_mutex_unlock(&turns_lock);
    *ret_turn = turn;
    return turn != NULL ? OK : error_retry_after(req->arena, fail(req->arena, OVERLOADED), WAIT_S);
}

void
provider_end_turn(id *turn)
{
    pthread_mutex_lock(&turns_lock);
    *turn = ID_NONE;
    pthread_mutex_unlock(&turns_lock);
}

/* ---- The session ---- */
/* Whether they showed the provider lately who they are: not everybody who comes back was asked. */
static bool
is_recent(const struct federated_person *person, int64_t not_before_s)
{
    int64_t now_s = clock_now_ms() / 1000;
    return person->authenticated_at_s >= not_before_s && person->authenticated_at_s <= now_s + JWT_LEEWAY_S &&
           now_s - person->authenticated_at_s <= STEP_UP_LASTS_MS / 1000;
}

/* In the transaction of the request: a visit counts once, at all nodes and without Redis. */
static error
use_visit(struct request *req, const struct visit *visit)
{
    bool is_first;
    str kept = str_dup(req->arena, (str){ (const char *)visit->hash, sizeof(visit->hash) });
    TRY(tx_begin_service(req->api->store, req->arena, &req->tx));
    TRY(store_challenge_use(req->tx, kept, visit->began_at_s + VISIT_LIFETIME_S, &is_first));
    return is_first ? OK : passkey_refuse(req, "the answer was used before");
}

static error
begin_session(struct request *req, const json_t *row, const struct visit *visit, const struct federated_person *person)
{
    struct signed_in who = {
        .person = person->person,
        .username = person->username,
        .way = WITH_PROVIDER,
        .is_verified = is_recent(person, 0),
        .provider = visit->provider,
        .provider_epoch = json_integer_value(json_object_get(row, "epoch")),
    };
    TRY(use_visit(req, visit));
    return sign_in_begin(req, &who);
}

static error
confirm(struct request *req, const struct visit *visit, const struct federated_person *person)
{
    if (!id_eq(person->person, req->caller->id))
        return passkey_refuse(req, "the provider names another person");
    if (!is_recent(person, visit->began_at_s - JWT_LEEWAY_S))
        return passkey_refuse(req, "the provider does not say that it asked you just now (auth_time, AuthnInstant)");
    TRY(use_visit(req, visit));
    TRY(store_session_verified(req->tx, req->caller->id, req->caller->session));
    TRY(sign_in_answer(req, json_pack("{s:s%}", "username", person->username.data, person->username.len)));
    return tx_commit(req->tx);
}

error
provider_let_in(struct request *req, const json_t *row, const struct visit *visit,
                const struct federated_person *person)
{
    TRY(id_is_there(visit->session) ? confirm(req, visit, person) : begin_session(req, row, visit, person));
    set_cookie(req, STR_EMPTY, 0);
    return OK;
}
