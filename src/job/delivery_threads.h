/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads for deliveries. Each takes turns as long as a turn did something; otherwise it waits for a notification on a
 * channel of the database, or for a second.
 */
#ifndef JOB_DELIVERY_THREADS_H
#define JOB_DELIVERY_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"

struct delivery_threads;

enum { DELIVERY_BACKOFF_FIRST_MS = 1000 };

/* One turn; true when anything was done. Several threads call it at the same time. */
typedef bool delivery_turn(void *context);

/* What it is given must outlive it. NULL without memory or threads. */
MUST_USE struct delivery_threads *delivery_threads_new(const char *dsn, const char *channel, int threads,
                                                       delivery_turn *take, void *context);
/* Ends after the turns that are under way. */
void delivery_threads_free(struct delivery_threads *turns);

/*
 * Doubles with each failure up to five minutes; half of it is random, so that deliveries that failed together are not
 * retried together.
 */
int64_t delivery_threads_backoff_ms(int64_t failures);

#endif
