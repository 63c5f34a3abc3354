/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this process knows about buckets: a hash table in shards, each with a mutex of its own that is never held while
 * waiting for Redis. Bounded: a full shard forgets the bucket that was used longest ago.
 */
#ifndef LIMIT_BUCKET_TABLE_H
#define LIMIT_BUCKET_TABLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "limit/limit.h"
#include "limit/redis_link.h"
#include "limit/seeded_hash.h"

/* ---- Types ---- */

enum { SHARD_COUNT = 64, SHARD_CHAINS = 4096, BUCKETS_MAX = 200000 };

struct bucket {
    struct bucket_name name;
    uint64_t hash;
    struct bucket *next; /* in its chain */
    struct bucket *newer, *older;
    int64_t used_at_ms; /* to about a second */

    /*
     * The request to Redis that is under way. Each thread that waits for it is in exactly one of the three counts; an
     * answer moves them out of `waiters` at once, so that a thread that never sleeps cannot take tokens that others
     * have waited for.
     */
    bool is_asking;
    int waiters; /* not served yet */
    int handed;  /* tokens that belong to waiters who have not woken up yet */
    int refused; /* the same for denials */

    /* Everything below is valid only in this mode of the link. */
    link_mode mode;

    /* From Redis, for this size. */
    struct bucket_size size;
    int64_t lease; /* tokens left of it */
    int64_t lease_start;
    int64_t lease_until_ms; /* it must end with its period: the refill relies on that */
    int64_t leased_at_ms;
    int64_t want; /* the block to ask for */
    int64_t remaining;
    int64_t refill_at_ms;
    int64_t denied_until_ms;

    /* Of this process alone, while Redis is lost. */
    bool has_local;
    int64_t local_tokens, local_start_ms;
};

struct shard {
    pthread_mutex_t mutex;
    pthread_cond_t answered; /* a request to Redis for one of its buckets has ended */
    struct bucket **chains;
    struct bucket *newest, *oldest;
    size_t count;
} __attribute__((aligned(64)));

struct bucket_table {
    struct shard shards[SHARD_COUNT];
    struct hash_seed seed;
    size_t shard_max;
};

/* ---- Create and destroy ---- */

MUST_USE bool bucket_table_init(struct bucket_table *table, size_t buckets_max);
void bucket_table_done(struct bucket_table *table);

/* ---- Use ---- */

uint64_t bucket_table_hash(const struct bucket_table *table, const struct bucket_name *name);
static inline struct shard *
bucket_table_shard(struct bucket_table *table, uint64_t hash)
{
    return &table->shards[hash >> 58];
}

/* These with the shard's mutex held. */
struct bucket *shard_find(struct shard *shard, uint64_t hash, const struct bucket_name *name);
/*
 * Finds or adds a bucket, and marks it as used. If that removed another bucket, *ret_evicted is a copy of it, so that
 * its lease can be given back; otherwise its lease is 0. NULL without memory.
 */
struct bucket *shard_use(struct bucket_table *table, struct shard *shard, uint64_t hash, const struct bucket_name *name,
                         int64_t now_ms, struct bucket *ret_evicted);
/* Frees the buckets that nobody used since then and that hold nothing. */
void shard_forget_older(struct shard *shard, int64_t used_before_ms);

/* Drops everything that was learned in another mode. */
static inline void
bucket_enter_mode(struct bucket *bucket, link_mode mode)
{
    if (bucket->mode == mode)
        return;
    bucket->mode = mode;
    bucket->lease = 0;
    bucket->denied_until_ms = 0;
    bucket->has_local = false;
}

#endif
