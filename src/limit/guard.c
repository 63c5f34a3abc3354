/* SPDX-License-Identifier: Apache-2.0 */
#include "limit/guard.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/crypto/crypto.h"
#include "limit/seeded_hash.h"

enum { GROUP_COUNT = 8192, GROUP_SIZE = 8, LOCK_COUNT = 64 };

struct guard_entry {
    struct guard_key key;
    int64_t ends_ms;
    int count; /* 0: the entry is free */
};

struct guard {
    int most;
    int64_t window_ms;
    struct hash_seed seed;
    pthread_mutex_t locks[LOCK_COUNT];
    struct guard_entry groups[GROUP_COUNT][GROUP_SIZE]; /* a key lives in one group */
};

struct guard *
guard_new(int most, int64_t window_ms)
{
    struct guard *guard = calloc(1, sizeof(*guard));
    if (guard == NULL)
        return NULL;
    guard->most = most;
    guard->window_ms = window_ms;
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

struct guard_key
guard_key_of(str first, str second)
{
    enum { MOST_BYTES = 512 };
    char text[MOST_BYTES];
    uint8_t hash[SHA256_BYTES];
    struct guard_key key;
    size_t first_len = first.len < MOST_BYTES / 2 ? first.len : MOST_BYTES / 2 - 1;
    size_t second_len = second.len < MOST_BYTES / 2 ? second.len : MOST_BYTES / 2 - 1;
    memcpy(text, first.data, first_len);
    text[first_len] = '\0';
    if (second_len > 0)
        memcpy(text + first_len + 1, second.data, second_len);
    crypto_sha256((str){ text, first_len + 1 + second_len }, hash);
    memcpy(key.bytes, hash, sizeof(key.bytes));
    return key;
}

static struct guard_entry *
find(struct guard_entry *group, struct guard_key key, int64_t now_ms)
{
    for (int i = 0; i < GROUP_SIZE; i++)
        if (group[i].count > 0 && group[i].ends_ms > now_ms && memcmp(&group[i].key, &key, sizeof(key)) == 0)
            return &group[i];
    return NULL;
}

/* A free or finished entry, or the one that was counted least: who failed most is held longest. */
static struct guard_entry *
find_place(struct guard_entry *group, int64_t now_ms)
{
    struct guard_entry *best = &group[0];
    for (int i = 0; i < GROUP_SIZE; i++) {
        if (group[i].count == 0 || group[i].ends_ms <= now_ms)
            return &group[i];
        if (group[i].count < best->count)
            best = &group[i];
    }
    return best;
}

static uint64_t
group_of(const struct guard *guard, struct guard_key key)
{
    return seeded_hash(&guard->seed, key.bytes, 0) % GROUP_COUNT;
}

void
guard_count(struct guard *guard, struct guard_key key, int64_t now_ms)
{
    if (guard->most <= 0)
        return;
    uint64_t number = group_of(guard, key);
    pthread_mutex_t *lock = &guard->locks[number % LOCK_COUNT];
    pthread_mutex_lock(lock);
    struct guard_entry *entry = find(guard->groups[number], key, now_ms);
    if (entry == NULL) {
        entry = find_place(guard->groups[number], now_ms);
        *entry = (struct guard_entry){ .key = key, .ends_ms = now_ms + guard->window_ms };
    }
    if (entry->count < guard->most)
        entry->count++;
    pthread_mutex_unlock(lock);
}

static struct guard_entry
look_up(struct guard *guard, struct guard_key key, int64_t now_ms)
{
    struct guard_entry found = { .count = 0 };
    if (guard->most <= 0)
        return found;
    uint64_t number = group_of(guard, key);
    pthread_mutex_t *lock = &guard->locks[number % LOCK_COUNT];
    pthread_mutex_lock(lock);
    const struct guard_entry *entry = find(guard->groups[number], key, now_ms);
    if (entry != NULL)
        found = *entry;
    pthread_mutex_unlock(lock);
    return found;
}

int
guard_counted(struct guard *guard, struct guard_key key, int64_t now_ms)
{
    return look_up(guard, key, now_ms).count;
}

int
guard_wait_s(struct guard *guard, struct guard_key key, int64_t now_ms)
{
    struct guard_entry entry = look_up(guard, key, now_ms);
    if (entry.count == 0 || entry.count < guard->most)
        return 0;
    return (int)((entry.ends_ms - now_ms + 999) / 1000);
}
