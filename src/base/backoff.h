/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long to wait after a failure, or before the next look: twice as long each time, up to a bound, and not the same for all who began at
 * the same moment. Where a statement has to decide it, store/routines/backoff.sql does the same.
 */
#ifndef BASE_BACKOFF_H
#define BASE_BACKOFF_H

#include <stdint.h>

struct backoff {
    int64_t first_ms, most_ms;
};

/* After `failures` earlier ones (0 at the first): anything between half of the time and all of it. */
int64_t backoff_ms(struct backoff pace, int64_t failures);

#endif
