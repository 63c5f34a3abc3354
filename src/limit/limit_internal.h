/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of the limiter, for its own files and its tests. */
#ifndef LIMIT_LIMIT_INTERNAL_H
#define LIMIT_LIMIT_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "limit/bucket_script.h"
#include "limit/bucket_table.h"
#include "limit/guard.h"
#include "limit/limit.h"
#include "limit/redis_link.h"
#include "limit/seen_texts.h"

enum {
    DENIAL_MEMORY_MS = 50, /* so that many requests for an empty bucket do not flood Redis */
    LEASE_QUICK_MS = 100,  /* a lease that was used up faster than this was too small */
    LEASE_OLD_MS = 1000,   /* what is left of a lease after this is given back */
    SWEEP_EVERY_MS = 1000,
    HEARTBEAT_EVERY_MS = 2000,
    NODE_GONE_S = 10,
    RECONNECT_EVERY_MS = 500,
    BUCKET_IDLE_MS = 120 * 1000,
};

/* What tests change; 0 means the ordinary value. */
struct limit_tuning {
    int64_t period_ms;
    size_t buckets_max;
};
MUST_USE struct limiter *limiter_new_tuned(const struct limit_config *config, const struct limit_tuning *tuning);

/*
 * Leases of buckets that were removed from the table, until the background thread gives them back. Those that do not
 * fit are lost until the bucket's next refill.
 */
enum { RETURNS_MAX = 512 };
struct returns {
    pthread_mutex_t mutex;
    struct bucket_request list[RETURNS_MAX];
    size_t count;
};

struct limiter {
    int64_t period_ms;
    struct redis_link *link;
    struct bucket_script script;
    struct bucket_table table;
    struct returns returns;
    struct {
        struct guard *pairs;                   /* wrong tries on a credential at an address */
        struct guard *addresses, *credentials; /* those of an address, and on a credential wherever they come from */
        struct guard *known;                   /* where a credential was right */
        struct guard *passwords;               /* wrong ones, on a password and of an address */
    } guard;
    struct seen_texts *once;
    atomic_int known_nodes;
    char process_id[2 * 16 + 1];
    pthread_t background;
};

/* The unused rest of a bucket's lease, as a request that gives it back. */
struct bucket_request bucket_give_back(const struct limiter *limiter, const struct bucket *bucket);

/* The thread that connects, counts nodes and gives leases back; ends after redis_link_stop(). */
void *limit_background(void *limiter);

#endif
