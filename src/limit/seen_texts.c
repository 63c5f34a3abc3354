/* SPDX-License-Identifier: Apache-2.0 */
#include "limit/seen_texts.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_COUNT = 8192, GROUP_SIZE = 8, LOCK_COUNT = 64, KEPT_BYTES = 16 };

struct seen_texts_entry {
    uint8_t digest[KEPT_BYTES];
    int64_t until_ms; /* 0: free */
};

struct seen_texts {
    pthread_mutex_t locks[LOCK_COUNT];
    struct seen_texts_entry groups[GROUP_COUNT][GROUP_SIZE];
};

struct seen_texts *
seen_texts_new(void)
{
    struct seen_texts *once = calloc(1, sizeof(*once));
    if (once == NULL)
        return NULL;
    for (int i = 0; i < LOCK_COUNT; i++)
        pthread_mutex_init(&once->locks[i], NULL);
    return once;
}

void
seen_texts_free(struct seen_texts *once)
{
    if (once == NULL)
        return;
    for (int i = 0; i < LOCK_COUNT; i++)
        pthread_mutex_destroy(&once->locks[i]);
    free(once);
}

bool
seen_texts_is_first(struct seen_texts *once, const uint8_t digest[SHA256_BYTES], int64_t now_ms, int64_t until_ms)
{
    uint32_t number;
    memcpy(&number, digest + KEPT_BYTES, sizeof(number));
    number %= GROUP_COUNT;
    struct seen_texts_entry *group = once->groups[number];
    pthread_mutex_t *lock = &once->locks[number % LOCK_COUNT];
    struct seen_texts_entry *place = &group[0];
    bool is_known = false;
    pthread_mutex_lock(lock);
    for (int i = 0; i < GROUP_SIZE && !is_known; i++) {
        is_known = group[i].until_ms > now_ms && memcmp(group[i].digest, digest, KEPT_BYTES) == 0;
        if (group[i].until_ms < place->until_ms)
            place = &group[i];
    }
    if (!is_known) {
        memcpy(place->digest, digest, KEPT_BYTES);
        place->until_ms = until_ms;
    }
    pthread_mutex_unlock(lock);
    return !is_known;
}
