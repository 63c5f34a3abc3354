/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Points as Datadog's API for series (v1) takes them. Each point that was taken becomes one point, under its own time in seconds: of a gauge
 * its value, of a counter how fast it rose since the point before it, in the units that the API answers. So a repetition is the same point again.
 */
#ifndef JOB_MONITOR_PUSH_SERIES_H
#define JOB_MONITOR_PUSH_SERIES_H

#include "monitor/samples.h"

struct push_origin { /* what every series of a member carries */
    str hostname;
    str tags; /* of push_tags() */
};

/* A list in JSON without its brackets. `own_tags` are those that people gave the cluster, [{"key", "value"}, …], or empty; one that would be
 * taken for a tag of ours is left out. */
str push_tags(struct arena *arena, id project, str cluster, str own_tags);

/* Adds what a series has after `after_ms` up to `to_ms`, as one more element of a list; how many points that were. */
size_t push_series_add(struct buf *out, const struct push_origin *origin, const struct series *series, int64_t after_ms,
                       int64_t to_ms);
/* How many it would have been. */
size_t push_series_count(const struct series *series, int64_t after_ms, int64_t to_ms);

#endif
