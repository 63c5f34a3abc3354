/* SPDX-License-Identifier: Apache-2.0 */
/* The background thread: connects, counts the nodes, and gives idle leases back. */
#include <stdlib.h>

#include "base/clock.h"
#include "limit/limit_internal.h"

/* On Redis's clock, so that nodes whose clocks differ count the same. A key that is something else makes room: see bucket_script.c. */
static const char heartbeat_text[] = "local now = tonumber(redis.call('TIME')[1])\n"
                                     "if type(redis.pcall('ZADD', KEYS[1], now, ARGV[1])) == 'table' then\n"
                                     "  redis.call('DEL', KEYS[1])\n"
                                     "  redis.call('ZADD', KEYS[1], now, ARGV[1])\n"
                                     "end\n"
                                     "redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])\n"
                                     "redis.call('EXPIRE', KEYS[1], ARGV[2])\n"
                                     "return redis.call('ZCARD', KEYS[1])";

static bool
prepare(void *argument, redisContext *context, char ret_why[LINK_WHY_BYTES])
{
    struct limiter *limiter = argument;
    return bucket_script_load(&limiter->script, context, ret_why);
}

static void
beat(struct limiter *limiter, link_mode mode)
{
    redisContext *context = redis_link_own(limiter->link);
    if (context == NULL)
        return;
    redisReply *reply =
        redisCommand(context, "EVAL %s 1 reeve:nodes %s %d", heartbeat_text, limiter->process_id, NODE_GONE_S);
    if (reply == NULL)
        redis_link_lose(limiter->link, mode, redis_link_failure(context));
    else if (reply->type == REDIS_REPLY_ERROR)
        redis_link_lose(limiter->link, mode, reply->str);
    else if (reply->type == REDIS_REPLY_INTEGER && reply->integer > 0)
        atomic_store(&limiter->known_nodes, (int)reply->integer);
    freeReplyObject(reply);
    redis_link_ping_idle(limiter->link);
}

/* ---- Giving back ---- */

/* Tokens are back in Redis, so a denial that this process remembers no longer holds. */
static void
forget_denials(struct limiter *limiter, const struct bucket_request *requests, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t hash = bucket_table_hash(&limiter->table, &requests[i].name);
        struct shard *shard = bucket_table_shard(&limiter->table, hash);
        pthread_mutex_lock(&shard->mutex);
        struct bucket *bucket = shard_find(shard, hash, &requests[i].name);
        if (bucket != NULL)
            bucket->denied_until_ms = 0;
        pthread_mutex_unlock(&shard->mutex);
    }
}

static bool
give_back(struct limiter *limiter, link_mode mode, const struct bucket_request *requests, size_t count)
{
    redisContext *context = redis_link_own(limiter->link);
    char why[LINK_WHY_BYTES] = "";
    if (count == 0)
        return true;
    if (context == NULL || redis_link_mode(limiter->link) != mode)
        return false;
    if (!bucket_script_run_all(&limiter->script, context, requests, count, why)) {
        redis_link_lose(limiter->link, mode, why);
        return false;
    }
    forget_denials(limiter, requests, count);
    return true;
}

/* Takes up to a batch of old leases out of a shard. */
static size_t
collect_old_leases(struct limiter *limiter, struct shard *shard, link_mode mode, int64_t leased_before_ms,
                   struct bucket_request *ret_requests)
{
    size_t count = 0;
    pthread_mutex_lock(&shard->mutex);
    for (struct bucket *bucket = shard->newest; bucket != NULL && count < BUCKET_BATCH_MAX; bucket = bucket->older) {
        /* Modes only grow: one that is ahead of this sweep has nothing to do with it. */
        if (bucket->mode < mode)
            bucket_enter_mode(bucket, mode);
        if (bucket->mode != mode || bucket->lease == 0 || bucket->leased_at_ms > leased_before_ms)
            continue;
        ret_requests[count++] = bucket_give_back(limiter, bucket);
        bucket->remaining += bucket->lease;
        bucket->lease = 0;
        bucket->want = bucket->want > 1 ? bucket->want / 2 : 1;
    }
    pthread_mutex_unlock(&shard->mutex);
    return count;
}

static bool
give_evicted_back(struct limiter *limiter, link_mode mode, struct bucket_request *batch)
{
    struct returns *returns = &limiter->returns;
    size_t count;
    do {
        pthread_mutex_lock(&returns->mutex);
        for (count = 0; count < BUCKET_BATCH_MAX && returns->count > 0; count++)
            batch[count] = returns->list[--returns->count];
        pthread_mutex_unlock(&returns->mutex);
        if (!give_back(limiter, mode, batch, count))
            return false;
    } while (count == BUCKET_BATCH_MAX);
    return true;
}

static void
sweep(struct limiter *limiter, link_mode mode, int64_t leased_before_ms, struct bucket_request *batch)
{
    if (!give_evicted_back(limiter, mode, batch))
        return;
    for (int i = 0; i < SHARD_COUNT; i++) {
        struct shard *shard = &limiter->table.shards[i];
        size_t count;
        do {
            count = collect_old_leases(limiter, shard, mode, leased_before_ms, batch);
            if (!give_back(limiter, mode, batch, count))
                return;
        } while (count == BUCKET_BATCH_MAX);
        pthread_mutex_lock(&shard->mutex);
        shard_forget_older(shard, clock_steady_ms() - BUCKET_IDLE_MS);
        pthread_mutex_unlock(&shard->mutex);
    }
}

/* ---- The thread ---- */

/* A process that ends in order leaves nothing behind: no lease, no node. */
static void
leave(struct limiter *limiter, struct bucket_request *batch)
{
    link_mode mode = redis_link_mode(limiter->link);
    if (link_state_of(mode) != LINK_UP)
        return;
    sweep(limiter, mode, INT64_MAX, batch);
    redisContext *context = redis_link_own(limiter->link);
    if (context != NULL)
        freeReplyObject(redisCommand(context, "ZREM reeve:nodes %s", limiter->process_id));
}

/* Beats and sweeps until the link is lost or there is a better one (true), or the limiter ends (false). */
static bool
serve(struct limiter *limiter, link_mode mode, struct bucket_request *batch)
{
    int64_t beat_at_ms = 0, sweep_at_ms = clock_steady_ms() + SWEEP_EVERY_MS;
    while (link_state_of(mode) == LINK_UP && redis_link_mode(limiter->link) == mode) {
        int64_t now_ms = clock_steady_ms();
        if (now_ms >= beat_at_ms) {
            beat(limiter, mode);
            beat_at_ms = now_ms + HEARTBEAT_EVERY_MS;
            if (redis_link_could_be_better(limiter->link, prepare, limiter))
                return true;
        }
        if (now_ms >= sweep_at_ms) {
            sweep(limiter, mode, now_ms - LEASE_OLD_MS, batch);
            sweep_at_ms = now_ms + SWEEP_EVERY_MS;
        }
        int64_t next_ms = beat_at_ms < sweep_at_ms ? beat_at_ms : sweep_at_ms;
        if (!redis_link_sleep(limiter->link, mode, next_ms - clock_steady_ms()))
            return false;
    }
    return true;
}

void *
limit_background(void *argument)
{
    struct limiter *limiter = argument;
    struct bucket_request *batch = calloc(BUCKET_BATCH_MAX, sizeof(*batch));
    bool goes_on = batch != NULL;
    while (goes_on) {
        if (redis_link_connect(limiter->link, prepare, limiter))
            goes_on = serve(limiter, redis_link_mode(limiter->link), batch);
        /* Also after a loss: a Redis that stumbles must not be lost and found many times a second. */
        goes_on = goes_on && redis_link_sleep(limiter->link, redis_link_mode(limiter->link), RECONNECT_EVERY_MS);
    }
    if (batch != NULL)
        leave(limiter, batch);
    free(batch);
    return NULL;
}
