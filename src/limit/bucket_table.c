/* SPDX-License-Identifier: Apache-2.0 */
#include "limit/bucket_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/crypto/crypto.h"
#include "base/steady_cond.h"

/* A bucket moves to the front of its shard's list at most this often: the order need not be exact, a take be cheap. */
enum { USE_GRAIN_MS = 1000 };

bool
bucket_table_init(struct bucket_table *table, size_t buckets_max)
{
    memset(table, 0, sizeof(*table));
    crypto_random(&table->seed, sizeof(table->seed));
    table->shard_max = buckets_max / SHARD_COUNT > 0 ? buckets_max / SHARD_COUNT : 1;
    bool has_memory = true;
    for (int i = 0; i < SHARD_COUNT; i++) {
        struct shard *shard = &table->shards[i];
        pthread_mutex_init(&shard->mutex, NULL);
        steady_cond_init(&shard->answered);
        shard->chains = calloc(SHARD_CHAINS, sizeof(shard->chains[0]));
        has_memory = has_memory && shard->chains != NULL;
    }
    if (!has_memory)
        bucket_table_done(table);
    return has_memory;
}

void
bucket_table_done(struct bucket_table *table)
{
    for (int i = 0; i < SHARD_COUNT; i++) {
        struct shard *shard = &table->shards[i];
        while (shard->newest != NULL) {
            struct bucket *bucket = shard->newest;
            shard->newest = bucket->older;
            free(bucket);
        }
        free(shard->chains);
        pthread_cond_destroy(&shard->answered);
        pthread_mutex_destroy(&shard->mutex);
    }
}

uint64_t
bucket_table_hash(const struct bucket_table *table, const struct bucket_name *name)
{
    return seeded_hash(&table->seed, name->owner, (uint64_t)name->set);
}

static struct bucket **
chain_of(struct shard *shard, uint64_t hash)
{
    return &shard->chains[hash % SHARD_CHAINS];
}

static void
list_add(struct shard *shard, struct bucket *bucket)
{
    bucket->newer = NULL;
    bucket->older = shard->newest;
    if (shard->newest != NULL)
        shard->newest->newer = bucket;
    else
        shard->oldest = bucket;
    shard->newest = bucket;
}

static void
list_remove(struct shard *shard, struct bucket *bucket)
{
    if (bucket->newer != NULL)
        bucket->newer->older = bucket->older;
    else
        shard->newest = bucket->older;
    if (bucket->older != NULL)
        bucket->older->newer = bucket->newer;
    else
        shard->oldest = bucket->newer;
}

static void
shard_remove(struct shard *shard, struct bucket *bucket)
{
    struct bucket **link = chain_of(shard, bucket->hash);
    while (*link != bucket)
        link = &(*link)->next;
    *link = bucket->next;
    list_remove(shard, bucket);
    shard->count--;
    free(bucket);
}

static bool
is_in_flight(const struct bucket *bucket)
{
    return bucket->is_asking || bucket->waiters + bucket->handed + bucket->refused > 0;
}

struct bucket *
shard_find(struct shard *shard, uint64_t hash, const struct bucket_name *name)
{
    for (struct bucket *bucket = *chain_of(shard, hash); bucket != NULL; bucket = bucket->next)
        if (bucket->hash == hash && bucket->name.set == name->set &&
            memcmp(bucket->name.owner, name->owner, sizeof(name->owner)) == 0)
            return bucket;
    return NULL;
}

/* Buckets in flight may make a shard larger than its bound, but only by the number of threads. */
static void
evict_oldest(struct shard *shard, struct bucket *ret_evicted)
{
    struct bucket *bucket = shard->oldest;
    while (bucket != NULL && is_in_flight(bucket))
        bucket = bucket->newer;
    if (bucket == NULL)
        return;
    *ret_evicted = *bucket;
    shard_remove(shard, bucket);
}

struct bucket *
shard_use(struct bucket_table *table, struct shard *shard, uint64_t hash, const struct bucket_name *name,
          int64_t now_ms, struct bucket *ret_evicted)
{
    ret_evicted->lease = 0;
    struct bucket *bucket = shard_find(shard, hash, name);
    if (bucket != NULL) {
        if (now_ms - bucket->used_at_ms >= USE_GRAIN_MS) {
            bucket->used_at_ms = now_ms;
            list_remove(shard, bucket);
            list_add(shard, bucket);
        }
        return bucket;
    }

    if (shard->count >= table->shard_max)
        evict_oldest(shard, ret_evicted);
    bucket = calloc(1, sizeof(*bucket));
    if (bucket == NULL)
        return NULL;
    bucket->name = *name;
    bucket->hash = hash;
    bucket->used_at_ms = now_ms;
    bucket->want = 1;
    bucket->next = *chain_of(shard, hash);
    *chain_of(shard, hash) = bucket;
    list_add(shard, bucket);
    shard->count++;
    return bucket;
}

void
shard_forget_older(struct shard *shard, int64_t used_before_ms)
{
    struct bucket *bucket = shard->oldest;
    while (bucket != NULL && bucket->used_at_ms < used_before_ms) {
        struct bucket *newer = bucket->newer;
        if (bucket->lease == 0 && !is_in_flight(bucket))
            shard_remove(shard, bucket);
        bucket = newer;
    }
}
