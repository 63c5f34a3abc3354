/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From points to the values of steps of one length. Steps begin at multiples of their length since 1970, in UTC.
 *
 * A gauge has the mean of the points in a step. A counter has what it rose by, and what it rose by between two points belongs to the
 * step of the later one, so that the sum over steps is exactly what was counted, however long they are. A counter that falls has
 * begun again at 0. When there were no points for a while, the rise is spread evenly over that time, so that a look that is late
 * makes no spike; and when there were none for long, it is left out.
 *
 * Sums and counts can be added to those of other steps: days are made from hours.
 */
#ifndef MONITOR_STEPS_H
#define MONITOR_STEPS_H

#include "monitor/samples.h"

struct steps {
    int64_t start_ms, length_ms; /* start_ms is the beginning of the first step */
    int64_t end_ms;              /* of what is asked for; may be within the last step */
    size_t count;
};

/* What was measured in a step. A count of 0: nothing. */
struct step {
    double sum;
    int64_t count;
};

enum {
    STEPS_HOUR_MS = 3600 * 1000,
    STEPS_USUAL_GAP_MS = 25 * 1000,        /* between two points, when nothing is wrong */
    STEPS_LONGEST_GAP_MS = 10 * 60 * 1000, /* after a longer one nobody knows when a counter rose: that is left out */
};

/* Those that cover the time from `from_ms`, rounded down, to `to_ms`. */
struct steps steps_over(int64_t from_ms, int64_t to_ms, int64_t length_ms);
/* From when on points are needed: a counter needs the one before. */
int64_t steps_look_back_ms(const struct steps *steps);

/* Adds the points of a series that lie before end_ms to `values`, which has steps->count. */
void steps_add(const struct steps *steps, const struct series *series, struct step *values);

/* The value of step `i` in the metric's units; false when there is none. */
MUST_USE bool steps_value(const struct steps *steps, const struct metric *metric, const struct step *values, size_t i,
                          double *ret_value);

#endif
