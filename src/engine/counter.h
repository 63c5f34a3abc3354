/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A count that only rises, made of one that may fall without having begun anew: the sum over databases falls when one of them is dropped, and processor time
 * divided by the number of processors falls when there are more. Whoever computes rates would take that for a new beginning, and all that was ever counted
 * for what happened since.
 */
#ifndef ENGINE_COUNTER_H
#define ENGINE_COUNTER_H

#include <stdbool.h>

struct counter {
    double raw, total;
    bool is_known; /* there was a first look */
};

/* Since the first look. `is_new`: what counts began at 0 since the last look. */
static inline double
counter_follow(struct counter *counter, double raw, bool is_new)
{
    if (counter->is_known && raw >= counter->raw)
        counter->total += raw - counter->raw;
    else if (counter->is_known && is_new)
        counter->total += raw;
    counter->raw = raw;
    counter->is_known = true;
    return counter->total;
}

#endif
