/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bucket as Redis keeps it: one key per set and owner, changed by one script that runs on Redis's own clock. Nobody
 * else reads or writes these keys.
 */
#ifndef LIMIT_BUCKET_SCRIPT_H
#define LIMIT_BUCKET_SCRIPT_H

#include <hiredis/hiredis.h>

#include "limit/limit.h"
#include "limit/redis_link.h"

enum {
    LEASE_MAX = 1024,     /* tokens in one lease */
    LEASE_PART = 16,      /* a lease is at most this part of what remains */
    LEASE_FLOOR = 64,     /* with no more than this left, or ... */
    LEASE_FLOOR_PART = 4, /* ... this part of the capacity, tokens are asked for one by one */
    SCRIPT_SHA_BYTES = 41,
};

struct bucket_script {
    char sha[SCRIPT_SHA_BYTES]; /* as Redis calls the script; written once, before the link is first up */
};

struct bucket_request {
    struct bucket_name name;
    struct bucket_size size;
    int64_t period_ms;
    int64_t need;           /* requests that wait for a token, always asked for; 0 when only giving back */
    int64_t want;           /* a block to lease, need included, when enough remains */
    int64_t returned;       /* tokens of an earlier lease that were not used ... */
    int64_t returned_start; /* ... and the period it was from */
};

struct bucket_answer {
    int64_t granted;
    int64_t remaining;    /* in Redis, after the grant */
    int64_t refill_in_ms; /* 1 to period_ms */
    int64_t start;        /* of the period, on Redis's clock: its name */
};

enum { BUCKET_KEY_BYTES = 64 };
/* "reeve:b:S17:" and the owner in hexadecimal: 24 digits for an id, 32 for an address. */
void bucket_key(const struct bucket_name *name, char ret_key[BUCKET_KEY_BYTES]);

MUST_USE bool bucket_script_load(struct bucket_script *script, redisContext *context, char ret_why[LINK_WHY_BYTES]);

MUST_USE bool bucket_script_run(const struct bucket_script *script, redisContext *context,
                                const struct bucket_request *request, struct bucket_answer *ret_answer,
                                char ret_why[LINK_WHY_BYTES]);

enum { BUCKET_BATCH_MAX = 256 };
/* Up to BUCKET_BATCH_MAX requests whose answers nobody needs, in one go. */
MUST_USE bool bucket_script_run_all(const struct bucket_script *script, redisContext *context,
                                    const struct bucket_request *requests, size_t count, char ret_why[LINK_WHY_BYTES]);

#endif
