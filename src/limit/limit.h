/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Token buckets: one per endpoint set and scope instance, shared by all API nodes through Redis, refilled in whole
 * steps every REFILL_PERIOD_S. A process leases small blocks of tokens and spends them in memory. When a bucket has few
 * tokens left, each one is requested alone, so that the count stays exact across nodes. Without Redis each process
 * falls back to buckets of its own with the limit divided by the number of nodes last known.
 *
 * Thread safe. limit_take() with may_block = false never waits: it says TAKE_MUST_ASK when Redis has to be asked.
 */
#ifndef LIMIT_LIMIT_H
#define LIMIT_LIMIT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/id.h"
#include "base/net/net.h"
#include "limit/set_table.h"

struct limiter;

/* Where one more Redis is: a socket's path, or a host and its port. */
struct redis_place {
    const char *socket, *host;
    int port;
};

/* Copied by limiter_new(). */
struct limit_config {
    const char *redis_socket; /* path of a unix socket, or NULL */
    const char *redis_host;   /* used when there is no socket; NULL means 127.0.0.1 */
    int redis_port;           /* 0 means 6379 */
    /*
     * Used in this order while earlier ones do not answer. Every node needs the same list: a node that uses another
     * Redis counts alone.
     */
    const struct redis_place *others;
    size_t other_count;
    int redis_timeout_ms;          /* the longest that a request waits for Redis, in all; 0 means 50 */
    int guard_failures_per_minute; /* wrong tries of an address on a credential before they are refused; 0: no guard */
    int guard_tries_per_minute; /* wrong tries on a credential, or of an address, before more are refused unchecked; 0: no limit */
};

/* What a bucket is for: the set, and the organization, project, user or address that the set's scope names. */
struct bucket_name {
    enum set_label set;
    uint8_t owner[16]; /* an id (12 bytes, then zeros) or an address */
};
/* May change from call to call: the new size then applies. A refill below 1 counts as 1. */
struct bucket_size {
    int64_t capacity, refill;
};

enum take_outcome { TAKE_ALLOWED, TAKE_DENIED, TAKE_MUST_ASK };
struct take {
    enum take_outcome outcome;
    int64_t remaining; /* as far as this process knows; other nodes may have taken since */
    int retry_after_s; /* when denied: until the next refill, at least 1 */
};

/*
 * Works without Redis; connects in the background, in a thread of its own: call it after fork(). Ignores SIGPIPE unless
 * the program handles it. NULL only without memory.
 */
MUST_USE struct limiter *limiter_new(const struct limit_config *config);
/* Gives its leases back. No other call may be under way. NULL is allowed. */
void limiter_free(struct limiter *limiter);

/* Never fails: without Redis it answers from a bucket of this process. */
struct take limit_take(struct limiter *limiter, const struct bucket_name *name, struct bucket_size size,
                       bool may_block);

struct bucket_name bucket_of_id(enum set_label set, id owner);
/* An IPv6 address counts by its /64, here and for the guard: its owner has all of its addresses. */
struct bucket_name bucket_of_address(enum set_label set, const struct net_address *address);

/*
 * The guard of credentials. A wrong try counts for the credential that it names (a public key, a client id; empty when
 * it names none) at the address that it comes from. Wrong tries of others never delay a caller with the right one.
 * Never blocks; local to the process.
 */
struct guard_try {
    const struct net_address *address;
    str credential;
    bool is_password; /* somebody made it up: a hundred wrong tries in an hour, on it or of an address, are enough */
};
void limit_guard_count_failure(struct limiter *limiter, struct guard_try wrong);
void limit_guard_note_success(struct limiter *limiter, struct guard_try right);
/* After a wrong try: 0, or how many seconds its sender must wait because there were too many. */
int limit_guard_wait_s(struct limiter *limiter, struct guard_try wrong);
/*
 * 0 when the try must be checked. Otherwise there were so many wrong tries on this credential or from this address that
 * somebody is guessing. An address at which the credential was right before, or that has hardly tried it, is always
 * checked, so that nobody can lock out the owner of a credential. Of passwords only the former: many addresses with few tries each
 * would be many tries.
 */
int limit_guard_closed_s(struct limiter *limiter, struct guard_try next);

/* True the first time this text is seen within `ttl_s` on any node (in Redis; locally when it is gone). For the nonce
 * counts of Digest authentication. May block. */
bool limit_use_once(struct limiter *limiter, str text, int ttl_s);

struct limit_status {
    bool redis_is_up;
    int known_nodes;
};
struct limit_status limit_status(struct limiter *limiter);

#endif
