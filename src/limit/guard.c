/* SPDX-License-Identifier: Apache-2.0 */
#include "limit/guard.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/crypto.h"
#include "limit/seeded_hash.h"

enum { GROUP_COUNT = 8192, GROUP_SIZE = 8, LOCK_COUNT = 64, WINDOW_MS = 60 * 1000 };

struct guard_entry {
    struct net_address address;
    int64_t ends_ms;
    int failures; /* 0: the entry is free */
};

struct guard {
    int failures_max;
    struct hash_seed seed;
    pthread_mutex_t locks[LOCK_COUNT];
    struct guard_entry groups[GROUP_COUNT][GROUP_SIZE]; /* an address lives in one group */
};

struct guard *
guard_new(int failures_per_minute)
{
    struct guard *guard = calloc(1, sizeof(*guard));
    if (guard == NULL)
        return NULL;
    guard->failures_max = failures_per_minute;
    crypto_random(&guard->seed, sizeof(guard->seed));
    for (int i = 0; i < LOCK_COUNT; i++)
        pthread_mutex_init(&guard->locks[i], NULL);
    return guard;
}

void
guard_free(struct guard *guard)
{
    if (guard == NULL)
        return;
    for (int i = 0; i < LOCK_COUNT; i++)
        pthread_mutex_destroy(&guard->locks[i]);
    free(guard);
}

static struct guard_entry *
find(struct guard_entry *group, const struct net_address *address, int64_t now_ms)
{
    for (int i = 0; i < GROUP_SIZE; i++)
        if (group[i].failures > 0 && group[i].ends_ms > now_ms &&
            memcmp(&group[i].address, address, sizeof(*address)) == 0)
            return &group[i];
    return NULL;
}

/* A free or finished entry, or the one with the fewest failures: who failed most is held longest. */
static struct guard_entry *
find_place(struct guard_entry *group, int64_t now_ms)
{
    struct guard_entry *best = &group[0];
    for (int i = 0; i < GROUP_SIZE; i++) {
        if (group[i].failures == 0 || group[i].ends_ms <= now_ms)
            return &group[i];
        if (group[i].failures < best->failures)
            best = &group[i];
    }
    return best;
}

void
guard_count_failure(struct guard *guard, const struct net_address *address, int64_t now_ms)
{
    if (guard->failures_max <= 0)
        return;
    uint64_t number = seeded_hash(&guard->seed, address->bytes, 0) % GROUP_COUNT;
    pthread_mutex_t *lock = &guard->locks[number % LOCK_COUNT];
    pthread_mutex_lock(lock);
    struct guard_entry *entry = find(guard->groups[number], address, now_ms);
    if (entry == NULL) {
        entry = find_place(guard->groups[number], now_ms);
        *entry = (struct guard_entry){ .address = *address, .ends_ms = now_ms + WINDOW_MS };
    }
    if (entry->failures < guard->failures_max)
        entry->failures++;
    pthread_mutex_unlock(lock);
}

int
guard_wait_s(struct guard *guard, const struct net_address *address, int64_t now_ms)
{
    if (guard->failures_max <= 0)
        return 0;
    uint64_t number = seeded_hash(&guard->seed, address->bytes, 0) % GROUP_COUNT;
    pthread_mutex_t *lock = &guard->locks[number % LOCK_COUNT];
    int64_t left_ms = 0;
    pthread_mutex_lock(lock);
    const struct guard_entry *entry = find(guard->groups[number], address, now_ms);
    if (entry != NULL && entry->failures >= guard->failures_max)
        left_ms = entry->ends_ms - now_ms;
    pthread_mutex_unlock(lock);
    return (int)((left_ms + 999) / 1000);
}
