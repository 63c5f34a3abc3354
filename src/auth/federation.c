/* SPDX-License-Identifier: Apache-2.0 */
#include "auth/federation.h"

#include <stdlib.h>

#include "auth/cache.h"
#include "auth/internal.h"
#include "auth/jwt.h"
#include "auth/provider.h"
#include "base/clock.h"
#include "base/json.h"
#include "store/federation/federation.h"

enum {
    MEMORY_CAP = 100000,
    GROUPS_MAX = 1000,
    GROUP_BYTES_MAX = 1024,
    REACH_MAX = 1000, /* organizations that one token can open */
};

/* ---- Memory ---- */

struct sign_in {
    struct cached cached;
    uint64_t epoch; /* of the memory when the database was asked: an older one is not believed */
    uint8_t token[SHA256_BYTES];
    int64_t expires_s;
    id person;
    size_t reach_count;
    id reach[]; /* organizations */
};

struct federation_memory {
    atomic_ullong epoch;
    struct cache *sign_ins;
};

struct federation_memory *
federation_memory_new(void)
{
    struct federation_memory *memory = calloc(1, sizeof(*memory));
    if (memory == NULL)
        return NULL;
    memory->sign_ins = cache_new(MEMORY_CAP);
    if (memory->sign_ins != NULL)
        return memory;
    free(memory);
    return NULL;
}

void
federation_memory_free(struct federation_memory *memory)
{
    if (memory == NULL)
        return;
    cache_free(memory->sign_ins);
    free(memory);
}

void
federation_memory_forget(struct federation_memory *memory)
{
    atomic_fetch_add(&memory->epoch, 1);
}

static void
dispose_sign_in(struct cached *value)
{
    free(value);
}

static id
key_of(const uint8_t token[SHA256_BYTES])
{
    return id_of_bytes(token);
}

static bool
always(void *context)
{
    (void)context;
    return true;
}

/* NULL, or what is known about the token and may be believed; the arena holds it. */
static const struct sign_in *
recall(struct auth *auth, struct arena *arena, const uint8_t token[SHA256_BYTES])
{
    struct federation_memory *memory = auth->federation;
    struct sign_in *known = (struct sign_in *)cache_get(memory->sign_ins, key_of(token));
    if (known == NULL)
        return NULL;
    bool current =
        freshness_is_current(&auth->freshness, known->cached.loaded_at_ms) ||
        (freshness_is_cut_off(&auth->freshness) && freshness_is_young(&auth->freshness, known->cached.loaded_at_ms));
    bool good = current && known->epoch == atomic_load(&memory->epoch) &&
                memcmp(known->token, token, SHA256_BYTES) == 0 &&
                clock_now_ms() / 1000 < known->expires_s + JWT_LEEWAY_S;
    if (good && arena_on_free(arena, cached_release, known))
        return known;
    cached_release(known);
    return NULL;
}

/* ---- What a token says ---- */

struct claimed {
    struct jwt jwt;
    str address;
    str groups; /* JSON list */
    int64_t issued_s;
};

static bool
domain_is_of(const struct provider *provider, str address)
{
    ptrdiff_t at = str_find(address, '@');
    if (at <= 0)
        return false;
    str domain = str_slice(address, (size_t)at + 1, address.len);
    const json_t *domains = json_object_get(provider->row, "domains");
    for (size_t i = 0; i < json_array_size(domains); i++) {
        if (str_eq_nocase(json_str(json_array_get(domains, i)), domain))
            return true;
    }
    return false;
}

/* A list of texts, or one; NULL when the claim is something else. */
static json_t *
read_groups(struct arena *arena, const struct jwt *jwt, str claim)
{
    json_t *groups = json_in(arena, json_array());
    const json_t *named = claim.len == 0 ? NULL : json_object_get(jwt->claims, claim.data);
    if (named == NULL)
        return groups;
    if (json_is_string(named)) {
        json_array_append(groups, (json_t *)named);
        return groups;
    }
    if (!json_is_array(named) || json_array_size(named) > GROUPS_MAX)
        return NULL;
    for (size_t i = 0; i < json_array_size(named); i++) {
        json_t *one = json_array_get(named, i);
        if (json_is_string(one) && json_string_length(one) <= GROUP_BYTES_MAX)
            json_array_append(groups, one);
    }
    return groups;
}

/* Some providers say nothing of it, and some write it as a text. */
static bool
is_verified(const json_t *said)
{
    return said == NULL || json_is_true(said) || str_is(json_str(said), "true");
}

/* NULL, or why this provider does not stand for the person. The signature has been checked. */
static const char *
judge_person(struct arena *arena, const struct provider *provider, struct claimed *claimed)
{
    const struct jwt *jwt = &claimed->jwt;
    str claim = provider_setting(provider, "userClaim");
    claimed->address = json_str(json_object_get(jwt->claims, claim.data));
    if (claimed->address.len == 0 || !str_is_text(claimed->address))
        return "the token does not name a user in the claim that the provider's settings name";
    if (str_is(claim, "email") && !is_verified(json_object_get(jwt->claims, "email_verified")))
        return "the provider has not verified the address";
    if (!domain_is_of(provider, claimed->address))
        return "the domain of the address is not associated with the provider";
    const json_t *groups = read_groups(arena, jwt, provider_setting(provider, "groupsClaim"));
    if (groups == NULL)
        return "the claim with the groups is not a list of texts";
    claimed->groups = json_text(arena, groups);
    claimed->issued_s = jwt_time(jwt, "iat");
    return claimed->groups.len == 0 ? "it cannot be read" : NULL;
}

/* ---- Signing in ---- */

struct reach {
    id person;
    size_t count;
    id organizations[REACH_MAX];
    bool changed; /* what the person may do is other than before */
};

/* Everywhere where the provider is used and the person belongs to: what the token says is written down if it is news. */
static error
sign_in(struct auth *auth, struct arena *arena, const struct net_address *client, const struct provider *provider,
        const struct claimed *claimed, struct reach *reach)
{
    struct federated_place places[REACH_MAX];
    size_t count;
    TRY(store_federation_sign_in(auth->store, arena, provider->id, claimed->address, claimed->groups, claimed->issued_s,
                                 places, REACH_MAX - reach->count, &count));
    for (size_t i = 0; i < count; i++) {
        /* Two providers may read one token differently; it stands for one person all the same. */
        if (reach->count > 0 && !id_eq(reach->person, places[i].person))
            continue;
        reach->person = places[i].person;
        reach->organizations[reach->count++] = places[i].organization;
        if (!places[i].is_news)
            continue;
        struct federated_news news = {
            .place = places[i],
            .provider = provider->id,
            .address = claimed->address,
            .issued_s = claimed->issued_s,
            .client = net_address_text(arena, client),
        };
        TRY(store_federation_signed_in(auth->store, arena, &news));
        reach->changed |= places[i].changes_roles;
    }
    return OK;
}

/* Where the person belongs that the provider stands for; what it says is written down. *ret_why is NULL when there is such a person. */
static error
let_in(struct auth *auth, struct arena *arena, const struct net_address *client, const struct provider *provider,
       const struct claimed *claimed, struct reach *reach, const char **ret_why)
{
    size_t before = reach->count;
    TRY(sign_in(auth, arena, client, provider, claimed, reach));
    *ret_why = reach->count > before ? NULL : "no organization that uses the provider has a user with this address";
    return OK;
}

/* Whom the token names, and where that counts. */
static error
take_person(struct auth *auth, struct arena *arena, const struct net_address *client, const struct provider *provider,
            struct claimed *claimed, struct reach *reach, const char **ret_why)
{
    *ret_why = judge_person(arena, provider, claimed);
    return *ret_why != NULL ? OK : let_in(auth, arena, client, provider, claimed, reach, ret_why);
}

/* What one provider says about the token; *ret_why is NULL when it stands for it. */
static error
ask_provider(struct auth *auth, struct arena *arena, const struct credentials *credentials,
             const struct provider *provider, struct claimed *claimed, struct reach *reach, const char **ret_why)
{
    TRY(provider_judge(auth, arena, provider, &claimed->jwt, ret_why));
    return *ret_why != NULL ? OK : take_person(auth, arena, &credentials->client, provider, claimed, reach, ret_why);
}

static void
remember(struct auth *auth, const uint8_t token[SHA256_BYTES], const struct reach *reach, uint64_t epoch,
         int64_t began_at_ms, int64_t expires_s)
{
    struct sign_in *entry = calloc(1, sizeof(*entry) + reach->count * sizeof(id));
    if (entry == NULL)
        return;
    atomic_init(&entry->cached.references, 1);
    entry->cached.loaded_at_ms = began_at_ms;
    entry->cached.dispose = dispose_sign_in;
    entry->epoch = epoch;
    memcpy(entry->token, token, SHA256_BYTES);
    entry->expires_s = expires_s;
    entry->person = reach->person;
    entry->reach_count = reach->count;
    memcpy(entry->reach, reach->organizations, reach->count * sizeof(id));
    cache_put(auth->federation->sign_ins, key_of(token), &entry->cached, always, NULL);
    cached_release(entry);
}

/* ---- The principal ---- */

/* The person with the roles that it holds in the organizations that the token opens. */
static error
confine(struct arena *arena, const struct principal *person, const id *reach, size_t reach_count,
        const struct principal **ret_principal)
{
    struct principal *confined = ARENA_NEW(arena, struct principal);
    struct grant *grants = ARENA_ARRAY(arena, struct grant, person->grant_count + 1);
    id *copy = ARENA_ARRAY(arena, id, reach_count + 1);
    if (confined == NULL || grants == NULL || copy == NULL)
        return fail(arena, OVERLOADED);
    *confined = *person;
    confined->is_confined = true;
    confined->grants = grants;
    confined->grant_count = 0;
    confined->reach = copy;
    confined->reach_count = reach_count;
    memcpy(copy, reach, reach_count * sizeof(id));
    for (size_t i = 0; i < person->grant_count; i++) {
        for (size_t k = 0; k < reach_count; k++) {
            if (id_eq(person->grants[i].organization, reach[k])) {
                grants[confined->grant_count++] = person->grants[i];
                break;
            }
        }
    }
    *ret_principal = confined;
    return OK;
}

static error
find_person(struct auth *auth, struct arena *arena, id person, const id *reach, size_t reach_count, bool may_block,
            bool fresh, const struct principal **ret_principal)
{
    const struct principal *found;
    TRY(snapshot_principal(auth->snapshot, arena, person, may_block, fresh, &found));
    if (found == NULL || found->kind != PRINCIPAL_PERSON)
        return fail(arena, INVALID_CREDENTIALS, V("the user no longer exists"));
    return confine(arena, found, reach, reach_count, ret_principal);
}

bool
federation_is_token(str text)
{
    return jwt_is_likely(text);
}

error
federation_authenticate(struct auth *auth, struct arena *arena, const struct credentials *credentials, str text,
                        bool may_block, bool fresh, const struct principal **ret_principal)
{
    uint8_t token[SHA256_BYTES];
    struct claimed claimed = { 0 };
    const char *why;
    crypto_sha256(text, token);
    const struct sign_in *known = fresh ? NULL : recall(auth, arena, token);
    if (known != NULL)
        return find_person(auth, arena, known->person, known->reach, known->reach_count, may_block, false,
                           ret_principal);
    /* What no row of the database could change is refused at once. */
    if (!jwt_parse(arena, text, &claimed.jwt, &why))
        return fail(arena, INVALID_CREDENTIALS, V(why));
    why = jwt_check_times(&claimed.jwt, clock_now_ms() / 1000);
    if (why != NULL)
        return fail(arena, INVALID_CREDENTIALS, V(why));
    str issuer = json_str(json_object_get(claimed.jwt.claims, "iss"));
    if (issuer.len == 0 || !str_is_text(issuer))
        return fail(arena, INVALID_CREDENTIALS, V("the token does not name its issuer"));
    if (!may_block)
        return WOULD_BLOCK;

    uint64_t epoch = atomic_load(&auth->federation->epoch);
    int64_t began_at_ms = clock_steady_ms();
    const json_t *rows;
    error problem = store_federation_issuer(auth->store, arena, issuer, &rows);
    freshness_note_reachable(&auth->freshness, problem == OK || problem->code != DATABASE_UNAVAILABLE);
    TRY(problem);
    struct reach *reach = ARENA_NEW(arena, struct reach);
    if (reach == NULL)
        return fail(arena, OVERLOADED);
    why = "no identity provider with this issuer is in use here";
    for (size_t i = 0; i < json_array_size(rows); i++) {
        struct provider provider;
        const char *refusal;
        if (!provider_read(json_array_get(rows, i), &provider))
            continue;
        TRY(ask_provider(auth, arena, credentials, &provider, &claimed, reach, &refusal));
        why = refusal == NULL ? why : refusal;
    }
    if (reach->count == 0)
        return fail(arena, INVALID_CREDENTIALS, V(why));
    remember(auth, token, reach, epoch, began_at_ms, jwt_time(&claimed.jwt, "exp"));
    return find_person(auth, arena, reach->person, reach->organizations, reach->count, may_block,
                       fresh || reach->changed, ret_principal);
}

/* ---- Back from the provider's pages ---- */

/* OpenID Connect Core, 3.1.3.7: an ID token is for the client that asked, and answers what it asked. */
static const char *
judge_id_token(const struct provider *provider, const struct jwt *jwt, str nonce)
{
    str client = provider_setting(provider, "clientId");
    const json_t *audience = json_object_get(jwt->claims, "aud"), *party = json_object_get(jwt->claims, "azp");
    const char *why = jwt_check_times(jwt, clock_now_ms() / 1000);
    if (why != NULL)
        return why;
    if (!str_eq(json_str(json_object_get(jwt->claims, "iss")), provider_setting(provider, "issuer")))
        return "the token is another issuer's";
    if (client.len == 0 || !jwt_is_for(jwt, client))
        return "the token is meant for another client";
    if ((party != NULL || json_array_size(audience) > 1) && !str_eq(json_str(party), client))
        return "the token was issued to another client";
    if (nonce.len == 0 || !str_eq(json_str(json_object_get(jwt->claims, "nonce")), nonce))
        return "the token does not answer what this browser asked";
    return NULL;
}

/* Who was let in, as their session names them. */
static error
name_person(struct auth *auth, struct arena *arena, const struct reach *reach, int64_t authenticated_at_s,
            struct federated_person *ret_person)
{
    const struct principal *person;
    TRY(find_person(auth, arena, reach->person, reach->organizations, reach->count, true, true, &person));
    *ret_person = (struct federated_person){
        .person = person->id,
        .username = person->name,
        .authenticated_at_s = authenticated_at_s,
    };
    return OK;
}

error
federation_take_id_token(struct auth *auth, struct arena *arena, const struct net_address *client, const json_t *row,
                         str text, str nonce, struct federated_person *ret_person, const char **ret_why)
{
    struct provider provider;
    struct claimed claimed = { 0 };
    struct reach *reach = ARENA_NEW(arena, struct reach);
    if (reach == NULL || !provider_read(row, &provider))
        return fail(arena, OVERLOADED);
    if (!jwt_parse(arena, text, &claimed.jwt, ret_why))
        return OK;
    *ret_why = judge_id_token(&provider, &claimed.jwt, nonce);
    if (*ret_why == NULL)
        TRY(provider_check_signature(auth, arena, &provider, &claimed.jwt, ret_why));
    if (*ret_why == NULL)
        TRY(take_person(auth, arena, client, &provider, &claimed, reach, ret_why));
    if (*ret_why != NULL)
        return OK;
    return name_person(auth, arena, reach, jwt_time(&claimed.jwt, "auth_time"), ret_person);
}

error
federation_take_assertion(struct auth *auth, struct arena *arena, const struct net_address *client, const json_t *row,
                          const struct federated_claim *claim, struct federated_person *ret_person,
                          const char **ret_why)
{
    struct provider provider;
    struct claimed claimed = { .address = claim->address,
                               .groups = json_text(arena, claim->groups),
                               .issued_s = claim->issued_s };
    struct reach *reach = ARENA_NEW(arena, struct reach);
    if (reach == NULL || claimed.groups.len == 0 || !provider_read(row, &provider))
        return fail(arena, OVERLOADED);
    *ret_why = domain_is_of(&provider, claim->address)
                   ? NULL
                   : "the domain of the address is not associated with the provider";
    if (*ret_why == NULL)
        TRY(let_in(auth, arena, client, &provider, &claimed, reach, ret_why));
    if (*ret_why != NULL)
        return OK;
    return name_person(auth, arena, reach, claim->authenticated_at_s, ret_person);
}
