/* SPDX-License-Identifier: Apache-2.0 */
#include "auth/snapshot.h"

#include <pthread.h>
#include <stdlib.h>

#include "auth/cache.h"
#include "auth/entry.h"
#include "base/clock.h"

/* Longer than what can arrive during one load; a load that falls further behind is not kept. */
enum { RECENT_INVALIDATIONS = 1024, PUBLIC_KEY_MAX = ID_BYTES };

enum entry_kind { ENTRY_ORGANIZATION, ENTRY_PROJECT, ENTRY_USER, ENTRY_PRINCIPAL, ENTRY_SESSION, ENTRY_KINDS };
_Static_assert((int)ENTRY_ORGANIZATION == (int)FACTS_OF_ORGANIZATION && (int)ENTRY_PROJECT == (int)FACTS_OF_PROJECT &&
                   (int)ENTRY_USER == (int)FACTS_OF_USER,
               "the kinds of facts are the first kinds of entries");

struct invalidation {
    enum {
        CHANGED_ALL,
        CHANGED_ORGANIZATION,
        CHANGED_PROJECT,
        CHANGED_USER,
        CHANGED_PRINCIPAL,
        CHANGED_SESSION,
        CHANGED_PEOPLE
    } what;
    id id;
};

struct snapshot {
    struct store *store;
    struct freshness *freshness;
    struct key data_key_sealing;
    struct cache *entries[ENTRY_KINDS];
    struct cache *public_keys; /* to the principal's id */
    /* Invalidations are written down here before entries are removed. A load remembers where it began; when its result
     * is about to be kept, under the lock of its shard, what came since is looked through. So either the load sees the
     * invalidation, or the invalidation, which needs the same lock, finds the entry. */
    pthread_mutex_t recent_lock;
    struct invalidation recent[RECENT_INVALIDATIONS];
    uint64_t recent_count;
};

struct snapshot *
snapshot_new(struct store *store, struct freshness *freshness, const struct key *data_key_sealing)
{
    struct snapshot *snapshot = calloc(1, sizeof(*snapshot));
    if (snapshot == NULL)
        return NULL;
    snapshot->store = store;
    snapshot->freshness = freshness;
    snapshot->data_key_sealing = *data_key_sealing;
    pthread_mutex_init(&snapshot->recent_lock, NULL);
    bool complete = (snapshot->public_keys = cache_new(SNAPSHOT_CAP)) != NULL;
    for (int kind = 0; kind < ENTRY_KINDS; kind++)
        complete &= (snapshot->entries[kind] = cache_new(SNAPSHOT_CAP)) != NULL;
    if (complete)
        return snapshot;
    snapshot_free(snapshot);
    return NULL;
}

void
snapshot_free(struct snapshot *snapshot)
{
    if (snapshot == NULL)
        return;
    for (int kind = 0; kind < ENTRY_KINDS; kind++)
        cache_free(snapshot->entries[kind]);
    cache_free(snapshot->public_keys);
    pthread_mutex_destroy(&snapshot->recent_lock);
    crypto_wipe(&snapshot->data_key_sealing, sizeof(snapshot->data_key_sealing));
    free(snapshot);
}

size_t
snapshot_count(struct snapshot *snapshot)
{
    size_t count = 0;
    for (int kind = 0; kind < ENTRY_KINDS; kind++)
        count += cache_count(snapshot->entries[kind]);
    return count;
}

/* ---- Invalidation ---- */

static id
organization_of(enum entry_kind kind, const struct cached *value)
{
    if (kind == ENTRY_SESSION) /* it belongs to a person, and a person to none */
        return ID_NONE;
    return kind == ENTRY_PRINCIPAL ? ((const struct principal_entry *)value)->principal.organization
                                   : ((const struct facts_entry *)value)->facts.organization;
}

static bool
touches(const struct invalidation *change, enum entry_kind kind, id own, id organization)
{
    switch (change->what) {
    case CHANGED_ALL: return true;
    /* Whether a list is required, and the limits, come down from the organization. */
    case CHANGED_ORGANIZATION: return id_eq(change->id, organization);
    case CHANGED_SESSION: return kind == ENTRY_SESSION && id_eq(change->id, own);
    /* With what they sign in, and what that opens; people and their sessions belong to no organization. */
    case CHANGED_PEOPLE: return (kind == ENTRY_PRINCIPAL || kind == ENTRY_SESSION) && !id_is_there(organization);
    case CHANGED_PROJECT: return kind == ENTRY_PROJECT && id_eq(change->id, own);
    case CHANGED_USER: return kind == ENTRY_USER && id_eq(change->id, own);
    case CHANGED_PRINCIPAL: return (kind == ENTRY_PRINCIPAL || kind == ENTRY_USER) && id_eq(change->id, own);
    }
    return true;
}

struct removal {
    const struct invalidation *change;
    enum entry_kind kind;
};

static bool
is_removed(const struct cached *value, const void *context)
{
    const struct removal *removal = context;
    return touches(removal->change, removal->kind, ID_NONE, organization_of(removal->kind, value));
}

static void
apply(struct snapshot *snapshot, const struct invalidation *change)
{
    switch (change->what) {
    case CHANGED_ALL:
    case CHANGED_ORGANIZATION:
        for (int kind = 0; kind < ENTRY_KINDS; kind++)
            cache_remove_if(snapshot->entries[kind], is_removed, &(struct removal){ change, (enum entry_kind)kind });
        break;
    case CHANGED_PEOPLE:
        cache_remove_if(snapshot->entries[ENTRY_PRINCIPAL], is_removed, &(struct removal){ change, ENTRY_PRINCIPAL });
        cache_remove_if(snapshot->entries[ENTRY_SESSION], is_removed, &(struct removal){ change, ENTRY_SESSION });
        break;
    case CHANGED_PROJECT: cache_remove(snapshot->entries[ENTRY_PROJECT], change->id); break;
    case CHANGED_USER: cache_remove(snapshot->entries[ENTRY_USER], change->id); break;
    case CHANGED_SESSION: cache_remove(snapshot->entries[ENTRY_SESSION], change->id); break;
    case CHANGED_PRINCIPAL:
        cache_remove(snapshot->entries[ENTRY_PRINCIPAL], change->id);
        cache_remove(snapshot->entries[ENTRY_USER], change->id);
        break;
    }
}

void
snapshot_invalidate(struct snapshot *snapshot, str payload)
{
    struct invalidation change = { .what = CHANGED_ALL };
    str digits = payload;
    str what = str_cut(&digits, ':');
    if (id_parse(digits, &change.id)) {
        if (str_is(what, "principal"))
            change.what = CHANGED_PRINCIPAL;
        else if (str_is(what, "org"))
            change.what = CHANGED_ORGANIZATION;
        else if (str_is(what, "project"))
            change.what = CHANGED_PROJECT;
        else if (str_is(what, "user"))
            change.what = CHANGED_USER;
        else if (str_is(what, "federation"))
            change.what = CHANGED_PEOPLE;
        else if (str_is(what, "session"))
            change.what = CHANGED_SESSION;
    }
    pthread_mutex_lock(&snapshot->recent_lock);
    snapshot->recent[snapshot->recent_count++ % RECENT_INVALIDATIONS] = change;
    pthread_mutex_unlock(&snapshot->recent_lock);
    apply(snapshot, &change);
}

/* ---- Loading ---- */

struct keeping {
    struct snapshot *snapshot;
    uint64_t began_at_count;
    enum entry_kind kind;
    id own, organization;
};

static bool
may_keep(void *context)
{
    const struct keeping *keeping = context;
    struct snapshot *snapshot = keeping->snapshot;
    pthread_mutex_lock(&snapshot->recent_lock);
    uint64_t now_count = snapshot->recent_count;
    bool keep = now_count - keeping->began_at_count <= RECENT_INVALIDATIONS;
    for (uint64_t i = keeping->began_at_count; keep && i < now_count; i++)
        keep =
            !touches(&snapshot->recent[i % RECENT_INVALIDATIONS], keeping->kind, keeping->own, keeping->organization);
    pthread_mutex_unlock(&snapshot->recent_lock);
    return keep;
}

static bool
always(void *context)
{
    (void)context;
    return true;
}

/* A public key as the key of a cache; false when it cannot be one of ours. */
static bool
key_of_public_key(str public_key, id *ret_key)
{
    if (public_key.len == 0 || public_key.len > PUBLIC_KEY_MAX)
        return false;
    char bytes[ID_BYTES] = { 0 };
    memcpy(bytes, public_key.data, public_key.len);
    *ret_key = id_of_bytes(bytes);
    return true;
}

static void
remember_public_key(struct snapshot *snapshot, const struct principal *principal)
{
    id key;
    if (principal->kind != PRINCIPAL_API_KEY || !key_of_public_key(principal->name, &key))
        return;
    struct key_entry *entry = entry_of_key(principal->id, principal->loaded_at_ms);
    if (entry == NULL)
        return;
    cache_put(snapshot->public_keys, key, &entry->cached, always, NULL);
    cached_release(entry);
}

/* Asks the database. *ret_value has a reference for the caller, or is NULL when there is no such thing. `own` is not known
 * beforehand when a principal is asked for by its public key; then it is none. */
static error
load(struct snapshot *snapshot, struct arena *arena, enum entry_kind kind, id own, str public_key,
     struct cached **ret_value)
{
    static const enum sql statements[ENTRY_KINDS] = {
        [ENTRY_ORGANIZATION] = SQL_AUTH_ORGANIZATION_FACTS,
        [ENTRY_PROJECT] = SQL_AUTH_PROJECT_FACTS,
        [ENTRY_USER] = SQL_AUTH_USER_FACTS,
        [ENTRY_PRINCIPAL] = SQL_AUTH_PRINCIPAL_LOAD,
        [ENTRY_SESSION] = SQL_SESSION_LOAD,
    };
    struct params params = { 0 };
    struct rows rows;
    params_id_or_null(&params, P_ID, own);
    if (kind == ENTRY_PRINCIPAL && public_key.len > 0)
        params_text(&params, P_PUBLIC_KEY, str_dup(arena, public_key));
    else if (kind == ENTRY_PRINCIPAL)
        params_null(&params, P_PUBLIC_KEY);

    pthread_mutex_lock(&snapshot->recent_lock);
    struct keeping keeping = { .snapshot = snapshot, .began_at_count = snapshot->recent_count, .kind = kind };
    pthread_mutex_unlock(&snapshot->recent_lock);
    int64_t began_at_ms = clock_steady_ms();
    error problem = store_read(snapshot->store, arena, statements[kind], &params, &rows);
    freshness_note_reachable(snapshot->freshness, problem == OK || problem->code != DATABASE_UNAVAILABLE);
    TRY(problem);
    if (rows.count == 0) {
        /* Gone, so it must not come back when the database is out of reach next. */
        cache_remove(snapshot->entries[kind], own);
        *ret_value = NULL;
        return OK;
    }
    if (kind == ENTRY_PRINCIPAL) {
        struct principal_entry *entry;
        TRY(entry_of_principal(arena, &rows, &snapshot->data_key_sealing, began_at_ms, &entry));
        own = entry->principal.id;
        remember_public_key(snapshot, &entry->principal);
        *ret_value = &entry->cached;
    } else if (kind == ENTRY_SESSION) {
        struct session_entry *entry;
        TRY(entry_of_session(arena, &rows, began_at_ms, &entry));
        *ret_value = &entry->cached;
    } else {
        struct facts_entry *entry;
        TRY(entry_of_facts(arena, &rows, began_at_ms, &entry));
        *ret_value = &entry->cached;
    }
    keeping.own = own;
    keeping.organization = organization_of(kind, *ret_value);
    cache_put(snapshot->entries[kind], own, *ret_value, may_keep, &keeping);
    return OK;
}

/* The heart of it: `known` (may be NULL, its reference is taken over) when it may be believed, else the database's answer,
 * else `known` again when the database cannot be reached and it is young enough. */
static error
choose(struct snapshot *snapshot, struct arena *arena, enum entry_kind kind, id own, str public_key, bool may_block,
       struct cached *known, struct cached **ret_value)
{
    struct freshness *freshness = snapshot->freshness;
    if (known != NULL && freshness_is_current(freshness, known->loaded_at_ms)) {
        *ret_value = known;
        return OK;
    }
    bool young = known != NULL && freshness_is_young(freshness, known->loaded_at_ms);
    if (young && freshness_is_cut_off(freshness)) {
        *ret_value = known;
        return OK;
    }
    struct cached *loaded = NULL;
    error problem = may_block ? load(snapshot, arena, kind, own, public_key, &loaded) : WOULD_BLOCK;
    bool unreachable =
        may_block && problem != OK && (problem->code == DATABASE_UNAVAILABLE || problem->code == OVERLOADED);
    if (unreachable && young) {
        *ret_value = known;
        return OK;
    }
    cached_release(known);
    *ret_value = loaded;
    return problem;
}

/* The arena holds the reference from here on. */
static error
hand_over(struct arena *arena, struct cached *value)
{
    if (value != NULL && !arena_on_free(arena, cached_release, value))
        return fail(arena, OVERLOADED);
    return OK;
}

error
snapshot_principal(struct snapshot *snapshot, struct arena *arena, id principal, bool may_block, bool fresh,
                   const struct principal **ret_principal)
{
    struct cached *value = fresh ? NULL : cache_get(snapshot->entries[ENTRY_PRINCIPAL], principal);
    TRY(choose(snapshot, arena, ENTRY_PRINCIPAL, principal, STR_EMPTY, may_block, value, &value));
    TRY(hand_over(arena, value));
    *ret_principal = value == NULL ? NULL : &((const struct principal_entry *)value)->principal;
    return OK;
}

error
snapshot_session(struct snapshot *snapshot, struct arena *arena, id session, bool may_block, bool fresh,
                 const struct session_facts **ret_facts)
{
    struct cached *value = fresh ? NULL : cache_get(snapshot->entries[ENTRY_SESSION], session);
    TRY(choose(snapshot, arena, ENTRY_SESSION, session, STR_EMPTY, may_block, value, &value));
    TRY(hand_over(arena, value));
    *ret_facts = value == NULL ? NULL : &((const struct session_entry *)value)->facts;
    return OK;
}

bool
snapshot_is_unused_session(const struct session_facts *facts)
{
    return !atomic_load_explicit(&facts->used, memory_order_relaxed);
}

bool
snapshot_is_first_use_of_session(const struct session_facts *facts)
{
    return snapshot_is_unused_session(facts) && !atomic_exchange(&((struct session_facts *)facts)->used, true);
}

static struct cached *
get_by_public_key(struct snapshot *snapshot, id key)
{
    struct cached *owner = cache_get(snapshot->public_keys, key);
    if (owner == NULL)
        return NULL;
    struct cached *value = cache_get(snapshot->entries[ENTRY_PRINCIPAL], ((struct key_entry *)owner)->principal);
    cached_release(owner);
    return value;
}

/* The database says that there is no such key: whoever owned it is gone too. */
static void
forget_public_key(struct snapshot *snapshot, id key)
{
    struct cached *owner = cache_get(snapshot->public_keys, key);
    if (owner == NULL)
        return;
    cache_remove(snapshot->entries[ENTRY_PRINCIPAL], ((struct key_entry *)owner)->principal);
    cache_remove(snapshot->public_keys, key);
    cached_release(owner);
}

error
snapshot_api_key(struct snapshot *snapshot, struct arena *arena, str public_key, bool may_block, bool fresh,
                 const struct principal **ret_principal, const struct digest_secret **ret_secret)
{
    id key;
    struct cached *value = NULL;
    /* What cannot be a public key is not one; the database need not be asked with whatever bytes these are. */
    if (key_of_public_key(public_key, &key) && str_is_text(public_key)) {
        value = fresh ? NULL : get_by_public_key(snapshot, key);
        TRY(choose(snapshot, arena, ENTRY_PRINCIPAL, ID_NONE, public_key, may_block, value, &value));
        if (value == NULL)
            forget_public_key(snapshot, key);
        TRY(hand_over(arena, value));
    }
    const struct principal_entry *entry = (const struct principal_entry *)value;
    bool found = entry != NULL && entry->has_secret;
    *ret_principal = found ? &entry->principal : NULL;
    *ret_secret = found ? &entry->secret : NULL;
    return OK;
}

bool
snapshot_is_first_use(const struct digest_secret *secret)
{
    /* The one thing in an entry that changes. */
    return !atomic_exchange(&((struct digest_secret *)secret)->used, true);
}

error
snapshot_facts(struct snapshot *snapshot, struct arena *arena, enum facts_kind kind, id owner, bool may_block,
               bool fresh, const struct context_facts **ret_facts)
{
    static const struct context_facts nothing = { .exists = false };
    struct cached *value = fresh ? NULL : cache_get(snapshot->entries[kind], owner);
    TRY(choose(snapshot, arena, (enum entry_kind)kind, owner, STR_EMPTY, may_block, value, &value));
    TRY(hand_over(arena, value));
    *ret_facts = value == NULL ? &nothing : &((const struct facts_entry *)value)->facts;
    return OK;
}
