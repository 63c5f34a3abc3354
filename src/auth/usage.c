/* SPDX-License-Identifier: Apache-2.0 */
#include "auth/usage.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"

enum {
    SLOTS = 4096, /* callers and addresses that are known to be noted; two that share one are noted more often */
    QUEUED = 1024,
    MINUTE_BITS = 24,
    MINUTE_MS = 60 * 1000,
    ARENA_BYTES = 64 * 1024,
};

struct note {
    id organization, principal;
    struct net_address address;
};

struct usage {
    struct store *store;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool stopping;
    size_t count;
    struct note queue[QUEUED];
    atomic_uint_least64_t noted[SLOTS]; /* who, in the upper bits, and in which minute */
};

static void
write_down(struct store *store, const struct note *note)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(ARENA_BYTES);
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    if (arena == NULL)
        return;
    params_id(&params, note->organization);
    params_id(&params, note->principal);
    params_text(&params, net_address_text(arena, &note->address));
    if (tx_begin(store, arena, note->organization, &tx) == OK &&
        tx_query(tx, SQL_AUTH_ACCESS_LIST_TOUCH, &params, &rows, NULL) == OK && tx_commit(tx) == OK)
        return;
}

static void *
work(void *argument)
{
    struct usage *usage = argument;
    pthread_mutex_lock(&usage->lock);
    for (;;) {
        while (usage->count == 0 && !usage->stopping)
            pthread_cond_wait(&usage->wake, &usage->lock);
        if (usage->stopping)
            break;
        struct note note = usage->queue[--usage->count]; /* the newest first: no order matters */
        pthread_mutex_unlock(&usage->lock);
        write_down(usage->store, &note);
        pthread_mutex_lock(&usage->lock);
    }
    pthread_mutex_unlock(&usage->lock);
    return NULL;
}

struct usage *
usage_new(struct store *store)
{
    struct usage *usage = calloc(1, sizeof(*usage));
    if (usage == NULL)
        return NULL;
    usage->store = store;
    pthread_mutex_init(&usage->lock, NULL);
    pthread_cond_init(&usage->wake, NULL);
    if (pthread_create(&usage->thread, NULL, work, usage) == 0)
        return usage;
    pthread_cond_destroy(&usage->wake);
    pthread_mutex_destroy(&usage->lock);
    free(usage);
    return NULL;
}

void
usage_free(struct usage *usage)
{
    if (usage == NULL)
        return;
    pthread_mutex_lock(&usage->lock);
    usage->stopping = true;
    pthread_cond_signal(&usage->wake);
    pthread_mutex_unlock(&usage->lock);
    pthread_join(usage->thread, NULL);
    pthread_cond_destroy(&usage->wake);
    pthread_mutex_destroy(&usage->lock);
    free(usage);
}

/* FNV-1a: nobody gains by choosing an address, whose note would only be written once more. */
static uint64_t
hash_of(id principal, const struct net_address *address)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < ID_BYTES; i++)
        hash = (hash ^ principal.bytes[i]) * 1099511628211u;
    for (size_t i = 0; i < sizeof(address->bytes); i++)
        hash = (hash ^ address->bytes[i]) * 1099511628211u;
    return hash;
}

void
usage_note(struct usage *usage, const struct principal *principal, const struct net_address *address)
{
    if (principal->block_count == 0)
        return;
    uint64_t hash = hash_of(principal->id, address);
    uint64_t minute = (uint64_t)(clock_steady_ms() / MINUTE_MS) + 1; /* never what an empty slot says */
    uint64_t mark = hash << MINUTE_BITS | (minute & ((1u << MINUTE_BITS) - 1));
    atomic_uint_least64_t *slot = &usage->noted[(hash >> (64 - MINUTE_BITS)) % SLOTS];
    if (atomic_load_explicit(slot, memory_order_relaxed) == mark)
        return;
    atomic_store_explicit(slot, mark, memory_order_relaxed);
    pthread_mutex_lock(&usage->lock);
    if (usage->count < QUEUED)
        usage->queue[usage->count++] =
            (struct note){ .organization = principal->organization, .principal = principal->id, .address = *address };
    pthread_cond_signal(&usage->wake);
    pthread_mutex_unlock(&usage->lock);
}
