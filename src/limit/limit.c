/* SPDX-License-Identifier: Apache-2.0 */
/* Takes a token: from the lease, from a denial that is still valid, from Redis, or from a bucket of this process. */
#include "limit/limit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/crypto/crypto.h"
#include "base/steady_cond.h"
#include "limit/limit_internal.h"

/* Far above every real limit, far below where the script's floating-point numbers stop to be exact. */
#define SIZE_MAX_TOKENS ((int64_t)1000000000000)

enum { ONCE_TEXT_MAX = 160, REFILL_CLOCK_DRIFT = 1024 };
/* Short spans: whoever is caught by somebody else's guessing is out for seconds. */
enum {
    GUARD_MINUTE_MS = 60 * 1000,
    GUARD_SPAN_MS = 10 * 1000,
    GUARD_SPANS_A_MINUTE = 6,
    GUARD_KNOWN_MS = 24 * 3600 * 1000,
    GUARD_PASSWORDS =
        100, /* wrong ones in an hour: nobody mistypes so often, and nobody guesses twelve characters so slowly */
    GUARD_PASSWORDS_MS = 3600 * 1000,
    GUARD_FREE_TRIES = 3,
};

/* ---- Life ---- */

/* hiredis writes to sockets without MSG_NOSIGNAL: a Redis that went away must not end the process. */
static void
ignore_broken_pipes(void)
{
    struct sigaction action;
    if (sigaction(SIGPIPE, NULL, &action) == 0 && action.sa_handler == SIG_DFL)
        signal(SIGPIPE, SIG_IGN);
}

/* The thread takes no signals: they are for the program that the limiter is part of. */
static bool
start_background(struct limiter *limiter)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&limiter->background, NULL, limit_background, limiter) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void
limiter_release(struct limiter *limiter)
{
    redis_link_free(limiter->link);
    guard_free(limiter->guard.pairs);
    guard_free(limiter->guard.addresses);
    guard_free(limiter->guard.credentials);
    guard_free(limiter->guard.known);
    guard_free(limiter->guard.passwords);
    seen_texts_free(limiter->once);
    pthread_mutex_destroy(&limiter->returns.mutex);
    free(limiter);
}

struct limiter *
limiter_new_tuned(const struct limit_config *config, const struct limit_tuning *tuning)
{
    struct limiter *limiter = aligned_alloc(_Alignof(struct limiter), sizeof(*limiter));
    if (limiter == NULL)
        return NULL;
    memset(limiter, 0, sizeof(*limiter));
    limiter->period_ms = tuning->period_ms > 0 ? tuning->period_ms : REFILL_PERIOD_S * 1000;
    limiter->link = redis_link_new(config);
    limiter->guard.pairs = guard_new(config->guard_failures_per_minute, GUARD_MINUTE_MS);
    limiter->guard.addresses = guard_new(config->guard_tries_per_minute / GUARD_SPANS_A_MINUTE, GUARD_SPAN_MS);
    limiter->guard.credentials = guard_new(config->guard_tries_per_minute / GUARD_SPANS_A_MINUTE, GUARD_SPAN_MS);
    limiter->guard.known = guard_new(1, GUARD_KNOWN_MS);
    limiter->guard.passwords =
        guard_new(config->guard_failures_per_minute > 0 ? GUARD_PASSWORDS : 0, GUARD_PASSWORDS_MS);
    limiter->once = seen_texts_new();
    pthread_mutex_init(&limiter->returns.mutex, NULL);
    atomic_init(&limiter->known_nodes, 1);

    uint8_t random[16];
    crypto_random(random, sizeof(random));
    for (size_t i = 0; i < sizeof(random); i++)
        snprintf(limiter->process_id + 2 * i, 3, "%02x", random[i]);

    if (limiter->link == NULL || limiter->guard.pairs == NULL || limiter->guard.addresses == NULL ||
        limiter->guard.credentials == NULL || limiter->guard.known == NULL || limiter->guard.passwords == NULL ||
        limiter->once == NULL ||
        !bucket_table_init(&limiter->table, tuning->buckets_max > 0 ? tuning->buckets_max : BUCKETS_MAX)) {
        limiter_release(limiter);
        return NULL;
    }
    ignore_broken_pipes();
    if (!start_background(limiter)) {
        bucket_table_done(&limiter->table);
        limiter_release(limiter);
        return NULL;
    }
    return limiter;
}

struct limiter *
limiter_new(const struct limit_config *config)
{
    return limiter_new_tuned(config, &(struct limit_tuning){ 0 });
}

void
limiter_free(struct limiter *limiter)
{
    if (limiter == NULL)
        return;
    redis_link_stop(limiter->link);
    pthread_join(limiter->background, NULL);
    bucket_table_done(&limiter->table);
    limiter_release(limiter);
}

struct limit_status
limit_status(struct limiter *limiter)
{
    return (struct limit_status){
        .redis_is_up = link_state_of(redis_link_mode(limiter->link)) == LINK_UP,
        .known_nodes = atomic_load(&limiter->known_nodes),
    };
}

/* ---- Names ---- */

struct bucket_name
bucket_of_id(enum set_label set, id owner)
{
    struct bucket_name name = { .set = set };
    memcpy(name.owner, owner.bytes, sizeof(owner.bytes));
    return name;
}

struct bucket_name
bucket_of_address(enum set_label set, const struct net_address *address)
{
    struct net_address host = net_host(address);
    struct bucket_name name = { .set = set };
    memcpy(name.owner, host.bytes, sizeof(name.owner));
    return name;
}

/* ---- Take ---- */

static struct bucket_size
sane_size(struct bucket_size size)
{
    /* Without any refill an owner would be locked out for good. */
    if (size.refill < 1)
        size.refill = 1;
    if (size.refill > SIZE_MAX_TOKENS)
        size.refill = SIZE_MAX_TOKENS;
    if (size.capacity < 0)
        size.capacity = 0;
    if (size.capacity > SIZE_MAX_TOKENS)
        size.capacity = SIZE_MAX_TOKENS;
    return size;
}

static struct take
allowed(int64_t remaining)
{
    return (struct take){ .outcome = TAKE_ALLOWED, .remaining = remaining };
}

static struct take
denied(int64_t refill_in_ms)
{
    int64_t seconds = (refill_in_ms + 999) / 1000;
    return (struct take){ .outcome = TAKE_DENIED, .retry_after_s = seconds > 1 ? (int)seconds : 1 };
}

static int64_t
share(int64_t tokens, int nodes)
{
    return tokens == 0 || tokens / nodes > 0 ? tokens / nodes : 1;
}

/* The bucket of this process: its share of the limit, by the same rules as in Redis. */
static struct take
take_locally(struct limiter *limiter, struct bucket *bucket, struct bucket_size size, int64_t now_ms)
{
    int nodes = atomic_load_explicit(&limiter->known_nodes, memory_order_relaxed);
    int64_t capacity = share(size.capacity, nodes), refill = share(size.refill, nodes);
    if (!bucket->has_local) {
        bucket->has_local = true;
        bucket->local_tokens = capacity;
        bucket->local_start_ms = now_ms;
    }
    int64_t refills = (now_ms - bucket->local_start_ms) / limiter->period_ms;
    bucket->local_start_ms += refills * limiter->period_ms;
    /* Compared before it is multiplied, so that a bucket that slept long cannot overflow. */
    int64_t refills_to_full = (capacity - bucket->local_tokens + refill - 1) / refill;
    bucket->local_tokens = refills >= refills_to_full ? capacity : bucket->local_tokens + refills * refill;
    if (bucket->local_tokens < 1)
        return denied(bucket->local_start_ms + limiter->period_ms - now_ms);
    return allowed(--bucket->local_tokens);
}

static bool
same_size(struct bucket_size a, struct bucket_size b)
{
    return a.capacity == b.capacity && a.refill == b.refill;
}

struct bucket_request
bucket_give_back(const struct limiter *limiter, const struct bucket *bucket)
{
    return (struct bucket_request){
        .name = bucket->name,
        .size = bucket->size,
        .period_ms = limiter->period_ms,
        .returned = bucket->lease,
        .returned_start = bucket->lease_start,
    };
}

/* What this bucket's next block should be, judged by how long the last one lasted. */
static int64_t
next_want(const struct bucket *bucket, int64_t now_ms)
{
    int64_t age_ms = now_ms - bucket->leased_at_ms;
    if (bucket->lease == 0 && age_ms < LEASE_QUICK_MS)
        return bucket->want * 2 < LEASE_MAX ? bucket->want * 2 : LEASE_MAX;
    if (age_ms > LEASE_OLD_MS && bucket->want > 1)
        return bucket->want / 2;
    return bucket->want;
}

/* Waiters are served from an answer before anybody else; returns how many tokens that took. */
static int64_t
serve_waiters(struct bucket *bucket, const struct bucket_answer *answer)
{
    if (answer->granted == 0) {
        bucket->refused += bucket->waiters;
        bucket->waiters = 0;
        return 0;
    }
    int64_t spare = answer->granted - 1;
    int served = spare < bucket->waiters ? (int)spare : bucket->waiters;
    bucket->handed += served;
    bucket->waiters -= served;
    return served;
}

static void
remember_answer(struct bucket *bucket, const struct bucket_answer *answer, int64_t lease, int64_t asked_at_ms,
                int64_t now_ms)
{
    bucket->remaining = answer->remaining;
    bucket->refill_at_ms = asked_at_ms + answer->refill_in_ms;
    if (answer->granted == 0) {
        int64_t until_ms = now_ms + DENIAL_MEMORY_MS;
        bucket->denied_until_ms = until_ms < bucket->refill_at_ms ? until_ms : bucket->refill_at_ms;
        return;
    }
    bucket->denied_until_ms = 0;
    bucket->lease = lease;
    bucket->lease_start = answer->start;
    bucket->leased_at_ms = now_ms;
    /* Earlier than the refill in Redis, whatever the two clocks do: asked_at is before Redis looked at its clock, one
     * millisecond is what rounding may cost, and clocks are slewed by less than one part in a thousand. */
    bucket->lease_until_ms = bucket->refill_at_ms - answer->refill_in_ms / REFILL_CLOCK_DRIFT - 1;
}

/*
 * One flight to Redis, with the shard unlocked meanwhile; others who need this bucket wait for its end. False when Redis
 * did not answer.
 */
static bool
ask(struct limiter *limiter, struct shard *shard, struct bucket *bucket, struct bucket_size size, int64_t now_ms,
    int64_t deadline_ms, struct take *ret_take)
{
    struct bucket_request request = bucket_give_back(limiter, bucket);
    request.size = size;
    request.need = 1 + bucket->waiters;
    request.want = bucket->want = next_want(bucket, now_ms);
    bucket->lease = 0;
    bucket->is_asking = true;
    pthread_mutex_unlock(&shard->mutex);

    struct redis_connection connection;
    struct bucket_answer answer;
    int64_t asked_at_ms = 0;
    bool answered = false;
    if (redis_link_borrow(limiter->link, deadline_ms, &connection)) {
        asked_at_ms = clock_steady_ms();
        answered = bucket_script_run(&limiter->script, connection.context, &request, &answer, connection.why);
        redis_link_give_back(limiter->link, &connection, answered);
    }

    pthread_mutex_lock(&shard->mutex);
    bucket->is_asking = false;
    if (bucket->waiters > 0)
        pthread_cond_broadcast(&shard->answered);
    if (!answered)
        return false;
    int64_t lease = answer.granted - 1 - serve_waiters(bucket, &answer);
    /* The answer of a link that was lost meanwhile still counts for those who wait, but leaves no lease behind. */
    if (redis_link_mode(limiter->link) == connection.mode) {
        bucket_enter_mode(bucket, connection.mode);
        bucket->size = size;
        remember_answer(bucket, &answer, lease, asked_at_ms, clock_steady_ms());
    }
    *ret_take = answer.granted > 0 ? allowed(answer.remaining + answer.granted - 1) : denied(answer.refill_in_ms);
    return true;
}

/* What can be said without asking anybody. */
static bool
take_from_memory(struct bucket *bucket, struct bucket_size size, int64_t now_ms, struct take *ret_take)
{
    if (!same_size(bucket->size, size))
        return false;
    if (bucket->lease > 0 && now_ms < bucket->lease_until_ms) {
        bucket->lease--;
        *ret_take = allowed(bucket->remaining + bucket->lease);
        return true;
    }
    /* A denial also holds while somebody asks whether it still does, so that a flood waits for nothing in any thread. */
    bool is_doubted = bucket->is_asking && bucket->denied_until_ms != 0 && now_ms < bucket->refill_at_ms;
    if (now_ms < bucket->denied_until_ms || is_doubted) {
        *ret_take = denied(bucket->refill_at_ms - now_ms);
        return true;
    }
    return false;
}

/* Waits for the flight of another thread; false when that did not decide this request. */
static bool
wait_for_answer(struct shard *shard, struct bucket *bucket, int64_t deadline_ms, struct take *ret_take)
{
    bucket->waiters++;
    steady_cond_wait(&shard->answered, &shard->mutex, deadline_ms);
    if (bucket->handed > 0) {
        bucket->handed--;
        *ret_take = allowed(bucket->remaining + bucket->lease);
        return true;
    }
    if (bucket->refused > 0) {
        bucket->refused--;
        *ret_take = denied(bucket->refill_at_ms - clock_steady_ms());
        return true;
    }
    bucket->waiters--;
    return false;
}

static struct take
take_from(struct limiter *limiter, struct shard *shard, struct bucket *bucket, struct bucket_size size, int64_t now_ms,
          bool may_block)
{
    int64_t deadline_ms = now_ms + redis_link_timeout_ms(limiter->link);
    for (;; now_ms = clock_steady_ms()) {
        struct take take;
        link_mode mode = redis_link_mode(limiter->link);
        bucket_enter_mode(bucket, mode);
        if (link_state_of(mode) == LINK_DOWN)
            break;
        if (take_from_memory(bucket, size, now_ms, &take))
            return take;
        if (!may_block)
            return (struct take){ .outcome = TAKE_MUST_ASK };
        if (now_ms >= deadline_ms) {
            redis_link_lose(limiter->link, mode, "a request waited for it longer than the time-out");
            break;
        }
        if (!bucket->is_asking) {
            if (ask(limiter, shard, bucket, size, now_ms, deadline_ms, &take))
                return take;
            break;
        }
        if (wait_for_answer(shard, bucket, deadline_ms, &take))
            return take;
    }
    bucket_enter_mode(bucket, redis_link_mode(limiter->link));
    return take_locally(limiter, bucket, size, now_ms);
}

static void
keep_for_return(struct limiter *limiter, const struct bucket *evicted)
{
    struct returns *returns = &limiter->returns;
    if (evicted->lease == 0 || evicted->mode != redis_link_mode(limiter->link))
        return;
    pthread_mutex_lock(&returns->mutex);
    if (returns->count < RETURNS_MAX)
        returns->list[returns->count++] = bucket_give_back(limiter, evicted);
    pthread_mutex_unlock(&returns->mutex);
}

struct take
limit_take(struct limiter *limiter, const struct bucket_name *name, struct bucket_size size, bool may_block)
{
    int64_t now_ms = clock_steady_ms();
    uint64_t hash = bucket_table_hash(&limiter->table, name);
    struct shard *shard = bucket_table_shard(&limiter->table, hash);
    struct bucket evicted;
    struct take take = allowed(0); /* without memory for a bucket: rather no limit than no service */
    size = sane_size(size);
    pthread_mutex_lock(&shard->mutex);
    struct bucket *bucket = shard_use(&limiter->table, shard, hash, name, now_ms, &evicted);
    if (bucket != NULL)
        take = take_from(limiter, shard, bucket, size, now_ms, may_block);
    pthread_mutex_unlock(&shard->mutex);
    if (evicted.lease > 0)
        keep_for_return(limiter, &evicted);
    return take;
}

/* ---- Guard and once ---- */

/* "a" of an address, "c" of a credential, "p" of both. */
struct try_keys {
    struct guard_key address, credential, pair;
};

static struct try_keys
keys_of(struct guard_try one)
{
    struct net_address host = net_host(one.address);
    str at = { (const char *)host.bytes, sizeof(host.bytes) };
    return (struct try_keys){
        .address = guard_key_of(at, STR_EMPTY),
        .credential = guard_key_of(STR("credential"), one.credential),
        .pair = guard_key_of(at, one.credential),
    };
}

void
limit_guard_count_failure(struct limiter *limiter, struct guard_try wrong)
{
    struct try_keys keys = keys_of(wrong);
    int64_t now_ms = clock_steady_ms();
    guard_count(limiter->guard.pairs, keys.pair, now_ms);
    guard_count(limiter->guard.addresses, keys.address, now_ms);
    if (wrong.credential.len > 0)
        guard_count(limiter->guard.credentials, keys.credential, now_ms);
    if (wrong.is_password) {
        guard_count(limiter->guard.passwords, keys.credential, now_ms);
        guard_count(limiter->guard.passwords, keys.address, now_ms);
    }
}

void
limit_guard_note_success(struct limiter *limiter, struct guard_try right)
{
    guard_count(limiter->guard.known, keys_of(right).pair, clock_steady_ms());
}

int
limit_guard_wait_s(struct limiter *limiter, struct guard_try wrong)
{
    return guard_wait_s(limiter->guard.pairs, keys_of(wrong).pair, clock_steady_ms());
}

int
limit_guard_closed_s(struct limiter *limiter, struct guard_try next)
{
    struct try_keys keys = keys_of(next);
    int64_t now_ms = clock_steady_ms();
    int by_address = guard_wait_s(limiter->guard.addresses, keys.address, now_ms);
    int by_credential = guard_wait_s(limiter->guard.credentials, keys.credential, now_ms);
    if (next.is_password) {
        int on_it = guard_wait_s(limiter->guard.passwords, keys.credential, now_ms);
        int of_address = guard_wait_s(limiter->guard.passwords, keys.address, now_ms);
        by_credential = on_it > by_credential ? on_it : by_credential;
        by_address = of_address > by_address ? of_address : by_address;
    }
    if (by_address == 0 && by_credential == 0)
        return 0;
    if (guard_counted(limiter->guard.known, keys.pair, now_ms) > 0)
        return 0;
    if (!next.is_password && by_address == 0 &&
        guard_counted(limiter->guard.pairs, keys.pair, now_ms) < GUARD_FREE_TRIES)
        return 0;
    return by_address > by_credential ? by_address : by_credential;
}

bool
limit_use_once(struct limiter *limiter, str text, int ttl_s)
{
    uint8_t digest[SHA256_BYTES];
    crypto_sha256(text, digest);
    int64_t now_ms = clock_steady_ms();
    if (ttl_s < 1)
        ttl_s = 1;
    /* Also while Redis is there, so that what was used just before it is lost stays used here. */
    if (!seen_texts_is_first(limiter->once, digest, now_ms, now_ms + (int64_t)ttl_s * 1000))
        return false;

    struct redis_connection connection;
    if (!redis_link_borrow(limiter->link, now_ms + redis_link_timeout_ms(limiter->link), &connection))
        return true;
    /* A long text goes by its digest: what a client sends must not become a large key. */
    str key = text.len <= ONCE_TEXT_MAX ? text : (str){ (const char *)digest, sizeof(digest) };
    redisReply *reply = redisCommand(connection.context, "SET reeve:once:%b 1 NX EX %d", key.data, key.len, ttl_s);
    bool worked = reply != NULL && reply->type != REDIS_REPLY_ERROR;
    bool is_first = !worked || reply->type != REDIS_REPLY_NIL;
    if (!worked)
        snprintf(connection.why, sizeof(connection.why), "%.*s", LINK_WHY_BYTES - 1,
                 reply != NULL ? reply->str : redis_link_failure(connection.context));
    freeReplyObject(reply);
    redis_link_give_back(limiter->link, &connection, worked);
    return is_first;
}
