/* SPDX-License-Identifier: Apache-2.0 */
/* Which steps a request for measurements asks for. */
#ifndef FAMILY_MONITOR_SPAN_H
#define FAMILY_MONITOR_SPAN_H

#include "api/request.h"
#include "monitor/steps.h"

enum { MEASUREMENTS_MOST_POINTS = 100 * 1000 }; /* of an answer: 6 MB */

/*
 * From granularity, and period or start and end. The steps begin with the one that has `start` in it and end with the one that has `end`
 * in it, or now. 400 when they are not given, contradict each other, reach further back than is kept, or are too many for so many
 * series.
 */
MUST_USE error span_read(struct request *req, size_t series_count, struct steps *ret_steps);

/*
 * Where nobody chooses: from period, or start and end, or neither, which is the last day. Minutes for up to two days, then five minutes, as
 * far as points are kept; then hours, then days. 400 as above.
 */
MUST_USE error span_choose(struct request *req, size_t series_count, const char **ret_granularity,
                           struct steps *ret_steps);

#endif
