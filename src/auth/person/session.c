/* SPDX-License-Identifier: Apache-2.0 */
#include "auth/person/session.h"

#include "auth/credential.h"
#include "auth/internal.h"
#include "base/clock.h"
#include "store/session/session.h"

/* What cookies and tokens of sessions begin with: the MAC is over it, too, so neither is ever taken for the other. */
#define COOKIE_KIND     "cs"
#define DEVICE_KIND     "cd"
#define PREFIX_OF(kind) "reeve_" kind "_"
_Static_assert(sizeof(PREFIX_OF(COOKIE_KIND)) - 1 == SESSION_PREFIX_LENGTH, "the prefix of cookies");
_Static_assert(sizeof(PREFIX_OF(DEVICE_KIND)) - 1 == SESSION_PREFIX_LENGTH, "the prefix of devices' tokens");
enum { BROWSER_MAX = 200 };

/* ---- Cookies ---- */
bool
session_find_cookie(str header, const char *cookie, str *ret_value)
{
    bool found = false;
    while (header.len > 0) {
        str value = str_trim(str_cut(&header, ';'));
        str name = str_cut(&value, '=');
        if (!str_is(name, cookie))
            continue;
        if (found) /* somebody put a second one there, and nobody knows which is the person's */
            return false;
        found = true;
        *ret_value = value;
    }
    return found;
}

bool
session_has_cookie(str header, const char *cookie)
{
    while (header.len > 0) {
        str pair = str_trim(str_cut(&header, ';'));
        if (str_is(str_cut(&pair, '='), cookie))
            return true;
    }
    return false;
}

bool
session_is_shown(const struct credentials *credentials)
{
    return session_has_cookie(credentials->cookie, SESSION_COOKIE);
}

static bool
parse(str value, bool is_device, id *ret_session)
{
    return value.len == SESSION_TEXT_LENGTH &&
           str_starts_with(value, is_device ? STR(PREFIX_OF(DEVICE_KIND)) : STR(PREFIX_OF(COOKIE_KIND))) &&
           id_parse(str_slice(value, SESSION_PREFIX_LENGTH, SESSION_PREFIX_LENGTH + ID_DIGITS), ret_session);
}

/* A new value, and what is kept of the session. */
static error
draft_session(struct auth *auth, struct arena *arena, const struct new_session *wanted, const char *kind,
              struct session_draft *ret_draft, str *ret_value)
{
    uint8_t mac[SHA256_BYTES];
    str secret = secret_new(arena, kind);
    if (secret.len == 0)
        return fail(arena, OVERLOADED);
    str value = str_format(arena, PREFIX_OF("%s") "%s%.*s", kind, id_text(arena, wanted->session).data,
                           STR_ARG(str_slice(secret, SESSION_PREFIX_LENGTH, secret.len)));
    if (value.len != SESSION_TEXT_LENGTH)
        return fail(arena, OVERLOADED);
    credential_secret_mac(&auth->session_pepper, value, mac);
    bool is_readable = str_is_one_line(wanted->browser) && str_is_text(wanted->browser);
    *ret_draft = (struct session_draft){
        .session = wanted->session,
        .person = wanted->person,
        .mac = str_dup(arena, (str){ (const char *)mac, sizeof(mac) }),
        .pepper_version = PEPPER_VERSION,
        .address = net_address_text(arena, wanted->address),
        .browser = is_readable && wanted->browser.len <= BROWSER_MAX ? str_dup(arena, wanted->browser) : STR_EMPTY,
        .is_verified = wanted->is_verified,
        .provider = wanted->provider,
        .provider_epoch = wanted->provider_epoch,
    };
    *ret_value = value;
    return ret_draft->mac.len == sizeof(mac) ? OK : fail(arena, OVERLOADED);
}

error
auth_begin_session(struct auth *auth, struct tx *tx, const struct new_session *wanted, str *ret_cookie,
                   str *ret_expires)
{
    struct session_draft draft;
    TRY(draft_session(auth, tx_arena(tx), wanted, COOKIE_KIND, &draft, ret_cookie));
    return store_session_add(tx, &draft, ret_expires);
}

error
auth_begin_device_session(struct auth *auth, struct tx *tx, const struct new_session *wanted, str device,
                          str *ret_token, int64_t *ret_lasts_s)
{
    struct session_draft draft;
    str token;
    TRY(draft_session(auth, tx_arena(tx), wanted, DEVICE_KIND, &draft, &token));
    TRY(store_device_session_add(tx, &draft, device, ret_lasts_s));
    *ret_token = *ret_lasts_s > 0 ? token : STR_EMPTY;
    return OK;
}

/* ---- Where a request comes from ---- */
str
session_origin_of(struct arena *arena, str url)
{
    static const str scheme = { "https://", sizeof("https://") - 1 };
    if (!str_starts_with(url, scheme))
        return STR_EMPTY;
    str rest = str_slice(url, scheme.len, url.len);
    str host = str_cut(&rest, '/');
    /* Browsers leave the usual port out. */
    if (str_ends_with(host, STR(":443")))
        host = str_slice(host, 0, host.len - (sizeof(":443") - 1));
    char *copy = ARENA_ARRAY(arena, char, scheme.len + host.len + 1);
    if (copy == NULL || host.len == 0)
        return STR_EMPTY;
    memcpy(copy, scheme.data, scheme.len);
    for (size_t i = 0; i < host.len; i++)
        copy[scheme.len + i] = (char)(host.data[i] >= 'A' && host.data[i] <= 'Z' ? host.data[i] | 0x20 : host.data[i]);
    copy[scheme.len + host.len] = '\0';
    return (str){ copy, scheme.len + host.len };
}

error
session_check_origin(struct arena *arena, str origin, const char *setting, const struct credentials *credentials,
                     bool reads)
{
    str site = credentials->fetch_site;
    bool is_ours = str_is(site, "same-origin");
    if (origin.len == 0)
        return fail(arena, CROSS_SITE_REQUEST, V(str_format(arena, "%s is not an address with https", setting)));
    /* What a person types into the address line has no page that it comes from. Programs that are no browsers send neither header. */
    if (reads)
        return is_ours || site.len == 0 || str_is(site, "none")
                   ? OK
                   : fail(arena, CROSS_SITE_REQUEST, V("Sec-Fetch-Site is not same-origin"));
    if (!str_eq(credentials->origin, origin))
        return fail(arena, CROSS_SITE_REQUEST, V(str_format(arena, "Origin is not that of %s", setting)));
    return is_ours ? OK : fail(arena, CROSS_SITE_REQUEST, V("Sec-Fetch-Site is not same-origin"));
}

error
session_check_site(struct auth *auth, struct arena *arena, const struct credentials *credentials, bool reads)
{
    return session_check_origin(arena, auth->origin, "base_url", credentials, reads);
}

/* ---- From the cookie to the person ---- */
static bool
is_right(struct auth *auth, str value, bool is_device, const struct session_facts *facts)
{
    uint8_t mac[SHA256_BYTES];
    if (facts == NULL || facts->is_device != is_device)
        return false;
    credential_secret_mac(&auth->session_pepper, value, mac);
    return crypto_equal(mac, facts->mac, SHA256_BYTES) && clock_steady_ms() < facts->ends_at_ms;
}

/*
 * Where people sign in with the organization's own provider, that decides who gets in, and no passkey does. So a session that began with a provider opens
 * the organizations that use it, and any other one those that use none.
 */
static bool
is_opened(const struct grant *grant, id provider)
{
    return id_is_there(provider) ? id_eq(grant->provider, provider) : !id_is_there(grant->provider);
}

/* A provider stands for nobody where it is not used. */
static bool
opens_nothing(const struct principal *person, id provider)
{
    for (size_t i = 0; i < person->grant_count; i++) {
        if (is_opened(&person->grants[i], provider))
            return false;
    }
    return id_is_there(provider);
}

static error
confine(struct arena *arena, struct principal *copy)
{
    struct grant *grants = ARENA_ARRAY(arena, struct grant, copy->grant_count + 1);
    id *reach = ARENA_ARRAY(arena, id, copy->grant_count + 1);
    if (grants == NULL || reach == NULL)
        return fail(arena, OVERLOADED);
    size_t count = 0, reached = 0;
    for (size_t i = 0; i < copy->grant_count; i++) {
        if (!is_opened(&copy->grants[i], copy->provider))
            continue;
        grants[count] = copy->grants[i];
        /* In the order of organizations, as they were loaded. */
        if (reached == 0 || !id_eq(reach[reached - 1], grants[count].organization))
            reach[reached++] = grants[count].organization;
        count++;
    }
    if (count == copy->grant_count && !id_is_there(copy->provider))
        return OK;
    copy->is_confined = true;
    copy->grants = grants;
    copy->grant_count = count;
    copy->reach = reach;
    copy->reach_count = reached;
    return OK;
}

static error
as_session(struct arena *arena, const struct principal *person, id session, const struct session_facts *facts,
           const struct principal **ret_principal)
{
    struct principal *copy = ARENA_NEW(arena, struct principal);
    if (copy == NULL)
        return fail(arena, OVERLOADED);
    *copy = *person;
    copy->session = session;
    copy->provider = facts->provider;
    copy->verified_at_ms = facts->verified_at_ms;
    TRY(confine(arena, copy));
    *ret_principal = copy;
    return OK;
}

/* `value` is that of the cookie or of the token. */
static error
find_person(struct auth *auth, struct arena *arena, const struct credentials *credentials, str value, bool is_device,
            bool may_block, bool fresh, str *ret_named, const struct principal **ret_principal)
{
    id session;
    if (!parse(value, is_device, &session))
        return fail(arena, SESSION_ENDED);
    *ret_named = id_text(arena, session);
    const struct session_facts *facts;
    for (;; fresh = true) {
        if (fresh || may_block)
            TRY(auth_check_guard(auth, arena, &credentials->client, *ret_named));
        TRY(snapshot_session(auth->snapshot, arena, session, may_block, fresh, &facts));
        if (is_right(auth, value, is_device, facts))
            break;
        if (!may_block)
            return WOULD_BLOCK;
        if (fresh)
            return fail(arena, SESSION_ENDED);
    }
    const struct principal *person;
    TRY(snapshot_principal(auth->snapshot, arena, facts->person, may_block, fresh, &person));
    if (may_block && !fresh && person != NULL && opens_nothing(person, facts->provider))
        TRY(snapshot_principal(auth->snapshot, arena, facts->person, true, true, &person));
    if (person == NULL || person->kind != PRINCIPAL_PERSON || opens_nothing(person, facts->provider))
        return may_block ? fail(arena, SESSION_ENDED) : WOULD_BLOCK;
    /* A stream goes on by itself: that is no use of the session. */
    if (!credentials->goes_on && !may_block && snapshot_is_unused_session(facts))
        return WOULD_BLOCK;
    if (!credentials->goes_on && snapshot_is_first_use_of_session(facts)) {
        limit_guard_note_success(auth->limiter, (struct guard_try){ &credentials->client, *ret_named });
        error problem = store_session_touch(auth->store, arena, session);
        if (problem != OK && problem->code != DATABASE_UNAVAILABLE && problem->code != OVERLOADED)
            return problem;
    }
    return as_session(arena, person, session, facts, ret_principal);
}

error
session_authenticate(struct auth *auth, struct arena *arena, const struct credentials *credentials, bool may_block,
                     bool fresh, str *ret_named, const struct principal **ret_principal)
{
    bool reads = str_is(credentials->method, "GET") || str_is(credentials->method, "HEAD");
    str value;
    TRY(session_check_site(auth, arena, credentials, reads));
    if (!session_find_cookie(credentials->cookie, SESSION_COOKIE, &value))
        return fail(arena, SESSION_ENDED);
    return find_person(auth, arena, credentials, value, false, may_block, fresh, ret_named, ret_principal);
}

bool
session_is_token(str text)
{
    return str_starts_with(text, STR(PREFIX_OF(DEVICE_KIND)));
}

error
session_authenticate_device(struct auth *auth, struct arena *arena, const struct credentials *credentials, str token,
                            bool may_block, bool fresh, str *ret_named, const struct principal **ret_principal)
{
    return find_person(auth, arena, credentials, token, true, may_block, fresh, ret_named, ret_principal);
}
