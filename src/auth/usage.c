/* SPDX-License-Identifier: Apache-2.0 */
#include "auth/usage.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/steady_cond.h"

enum {
    SLOTS = 4096, /* callers and addresses that are counted at the same time; what finds no room is written at once */
    REACH = 8,    /* slots in which a caller may be found */
    QUEUED = 1024,
    BATCH = 256,
    TICK_MS = 250,
    WRITTEN_EACH_MS = 10 * 1000, /* a busy caller costs the database one write in this time */
    ARENA_BYTES = 64 * 1024,
};

struct note {
    id organization, principal;
    struct net_address address;
    int64_t count; /* of requests that are not written down yet */
};
struct slot {
    struct note note;
    int64_t
        due_ms; /* when it may be written again; the past: the slot is free for others when it has nothing to write */
};

struct usage {
    struct store *store;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool stopping;
    size_t waiting; /* slots that have something to write */
    size_t queued;
    struct note queue[QUEUED];
    struct slot slots[SLOTS];
};

static bool
write_down(struct store *store, const struct note *note)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(ARENA_BYTES);
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    if (arena == NULL)
        return false;
    params_id(&params, P_ORGANIZATION, note->organization);
    params_id(&params, P_PRINCIPAL, note->principal);
    params_text(&params, P_ADDRESS, net_address_text(arena, &note->address));
    params_int(&params, P_COUNT, note->count);
    return tx_begin(store, arena, note->organization, &tx) == OK &&
           tx_query(tx, SQL_AUTH_ACCESS_LIST_TOUCH, &params, &rows, NULL) == OK && tx_commit(tx) == OK;
}

/* What is to be written now, at most BATCH; all of it when the process ends. The lock is held. */
static size_t
take_batch(struct usage *usage, struct note *batch)
{
    size_t count = 0;
    int64_t now_ms = clock_steady_ms();
    while (count < BATCH && usage->queued > 0)
        batch[count++] = usage->queue[--usage->queued]; /* no order matters */
    for (size_t i = 0; count < BATCH && usage->waiting > 0 && i < SLOTS; i++) {
        struct slot *slot = &usage->slots[i];
        if (slot->note.count == 0 || (slot->due_ms > now_ms && !usage->stopping))
            continue;
        batch[count++] = slot->note;
        slot->note.count = 0;
        slot->due_ms = now_ms + WRITTEN_EACH_MS;
        usage->waiting--;
    }
    return count;
}

static void
wait_for_work(struct usage *usage)
{
    if (usage->waiting == 0 && usage->queued == 0) {
        pthread_cond_wait(&usage->wake, &usage->lock);
        return;
    }
    steady_cond_wait(&usage->wake, &usage->lock, clock_steady_ms() + TICK_MS);
}

static void *
work(void *argument)
{
    struct usage *usage = argument;
    struct note batch[BATCH];
    bool reachable = true;
    pthread_mutex_lock(&usage->lock);
    for (;;) {
        size_t count = take_batch(usage, batch);
        pthread_mutex_unlock(&usage->lock);
        for (size_t i = 0; i < count && (reachable || i == 0); i++)
            reachable = write_down(usage->store, &batch[i]); /* what cannot be written is forgotten */
        pthread_mutex_lock(&usage->lock);
        if (usage->stopping && (count == 0 || !reachable))
            break;
        if (count < BATCH && !usage->stopping)
            wait_for_work(usage);
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
    steady_cond_init(&usage->wake);
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

static bool
is_of(const struct note *note, id principal, const struct net_address *address)
{
    return id_eq(note->principal, principal) &&
           memcmp(note->address.bytes, address->bytes, sizeof(address->bytes)) == 0;
}

/* Where this caller is counted: its slot, else a free one, else the first of those that it may have. */
static struct slot *
slot_for(struct usage *usage, id principal, const struct net_address *address)
{
    size_t first = hash_of(principal, address) % SLOTS;
    int64_t now_ms = clock_steady_ms();
    struct slot *free_slot = NULL;
    for (size_t i = 0; i < REACH; i++) {
        struct slot *slot = &usage->slots[(first + i) % SLOTS];
        if (is_of(&slot->note, principal, address))
            return slot;
        if (free_slot == NULL && slot->note.count == 0 && slot->due_ms <= now_ms)
            free_slot = slot;
    }
    return free_slot != NULL ? free_slot : &usage->slots[first];
}

void
usage_note(struct usage *usage, const struct principal *principal, const struct net_address *address)
{
    if (principal->block_count == 0)
        return;
    pthread_mutex_lock(&usage->lock);
    struct slot *slot = slot_for(usage, principal->id, address);
    if (!is_of(&slot->note, principal->id, address)) {
        if (slot->note.count > 0) { /* whoever was counted here is written down now */
            usage->waiting--;
            if (usage->queued < QUEUED)
                usage->queue[usage->queued++] = slot->note;
        }
        *slot = (struct slot){
            .note = { .organization = principal->organization, .principal = principal->id, .address = *address }
        };
    }
    if (slot->note.count++ == 0 && usage->waiting++ == 0)
        pthread_cond_signal(&usage->wake);
    pthread_mutex_unlock(&usage->lock);
}
