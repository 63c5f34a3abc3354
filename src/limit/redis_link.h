/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The connections of one process to Redis, and the breaker in front of them: the first failure declares Redis lost, and
 * from then on nobody waits for it until the background thread has reached it again. Only the background thread
 * connects; a request borrows a connection that is already there, for at most one time-out in all.
 */
#ifndef LIMIT_REDIS_LINK_H
#define LIMIT_REDIS_LINK_H

#include <hiredis/hiredis.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "limit/limit.h"

/* ---- Types ---- */

/* STARTING: the first attempt is not over. Nothing is known yet, so callers that may wait do. */
enum link_state { LINK_STARTING, LINK_UP, LINK_DOWN };

/*
 * The state together with a number that grows with every change of it. What was learned from Redis in one mode is not
 * valid in the next.
 */
typedef uint64_t link_mode;

static inline enum link_state
link_state_of(link_mode mode)
{
    return (enum link_state)(mode & 3);
}

enum { LINK_WHY_BYTES = 160 };

struct redis_link;

struct redis_connection {
    redisContext *context;
    link_mode mode;           /* in which it was borrowed */
    bool has_shorter_timeout; /* since part of it was spent on waiting for a connection */
    char why[LINK_WHY_BYTES]; /* what failed, for the log: the borrower writes it */
};

/* ---- Create and destroy ---- */

MUST_USE struct redis_link *redis_link_new(const struct limit_config *config);
void redis_link_free(struct redis_link *link);

/* A connection to the first place, beside the pool, which the caller frees; NULL with the reason (LINK_WHY_BYTES). */
MUST_USE redisContext *redis_link_open(const struct redis_link *link, char *ret_why);

/* ---- For requests ---- */

/* A read of memory, nothing else. */
link_mode redis_link_mode(struct redis_link *link);
int redis_link_timeout_ms(const struct redis_link *link);

/* False when Redis is lost, or could not be had until `deadline_ms` (steady time), which declares it lost. */
MUST_USE bool redis_link_borrow(struct redis_link *link, int64_t deadline_ms, struct redis_connection *ret_connection);
/* Every borrowed connection comes back here. `worked` = false closes it and declares Redis lost. */
void redis_link_give_back(struct redis_link *link, struct redis_connection *connection, bool worked);

/* Why a command got no reply, for the log. Call it right after the command: it reads errno. */
const char *redis_link_failure(const redisContext *context);

/* Declares Redis lost, unless the mode is no longer `seen`: then somebody else already did. */
void redis_link_lose(struct redis_link *link, link_mode seen, const char *why);

/* ---- For the background thread alone ---- */

/* Says whether Redis answers as it should, and if not, why. */
typedef bool link_prepare(void *argument, redisContext *context, char ret_why[LINK_WHY_BYTES]);
/* Connects to the first place that can be prepared; then the link is up. */
bool redis_link_connect(struct redis_link *link, link_prepare *prepare, void *argument);
/* The background thread's own connection, NULL while the link is not up. */
redisContext *redis_link_own(struct redis_link *link);
/* Whether the link is up at another place than the first, and one before it answers again. */
bool redis_link_could_be_better(struct redis_link *link, link_prepare *prepare, void *argument);
/* Pings idle connections: Redis may be configured to close them. */
void redis_link_ping_idle(struct redis_link *link);
/* Sleeps until the mode is no longer `seen`, the time is over, or redis_link_stop(); false after the last. */
bool redis_link_sleep(struct redis_link *link, link_mode seen, int64_t milliseconds);
/* Any thread: ends the background thread's sleep permanently. */
void redis_link_stop(struct redis_link *link);

#endif
