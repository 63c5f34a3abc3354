/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long to wait after a failure, or before the next look: twice as long each time, up to a bound, with a random part. Where a statement has
 * to decide it, store/routines/backoff.sql does the same.
 */
#ifndef BASE_BACKOFF_H
#define BASE_BACKOFF_H

#include <stdint.h>

struct backoff {
    int64_t first_ms, most_ms;
};

/* The delay after this many failures, counted from 0: a random time between half of the bound for it and all of it. */
int64_t backoff_ms(struct backoff pace, int64_t failures);

#endif
