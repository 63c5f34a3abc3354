/* SPDX-License-Identifier: Apache-2.0 */
/* How long to wait after a failure: twice as long after each one, up to a bound, and not all who failed at the same moment. */
#ifndef BASE_BACKOFF_H
#define BASE_BACKOFF_H

#include <stdint.h>

struct backoff {
    int64_t first_ms, most_ms;
};

/* After so many failures, of which the first is 0: anything between half of the time and all of it. */
int64_t backoff_ms(struct backoff pace, int64_t failures);

#endif
