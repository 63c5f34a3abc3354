/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Points as they were taken, read from the stores. What the first store that answers does not have is filled from the next: both hold
 * the same points, each with gaps of its own.
 */
#ifndef MONITOR_SAMPLES_H
#define MONITOR_SAMPLES_H

#include "base/id.h"
#include "monitor/stores.h"
#include "wire/metric_table.h"

enum {
    SAMPLES_RAW_DAYS = 8,         /* how long stores keep points */
    SAMPLES_EVERY_MS = 10 * 1000, /* how often agents look */
    SAMPLES_MOST = 600 * 1000,    /* in one reading: 10 MB */
    SAMPLES_MOST_NAMES = 2000,
};

struct sample {
    int64_t at_ms;
    double value;
};

/* One metric of one thing, oldest first, no time twice. */
struct series {
    const struct metric *metric;
    str name; /* of the database, disk or table; empty for processes */
    size_t count;
    const struct sample *samples;
};

struct series_list {
    size_t count;
    struct series *items;
    bool is_partial; /* it has gaps, and a store that could fill them did not answer */
};

struct sample_query {
    id project, member;
    str name;       /* of the thing; not used for processes */
    bool all_names; /* of everything in the scope instead */
    size_t metric_count;
    const struct metric *const *metrics; /* of one scope, unless all names are asked for */
    int64_t from_ms, to_ms;              /* both included */
};

/* Series without any sample are not in the list. 503 when no store answers, 400 when there would be more than SAMPLES_MOST. */
MUST_USE error samples_read(struct monitor_stores *stores, struct arena *arena, const struct sample_query *query,
                            struct series_list *ret_list);
/* NULL when it is not in the list. */
const struct series *series_find(const struct series_list *list, const struct metric *metric, str name);

/* ---- What was measured at all ---- */
struct name_list {
    size_t count;
    str *items; /* sorted */
};
/* Databases, disks or tables of a member that had points within the last `span_s` before now. */
MUST_USE error samples_names(struct monitor_stores *stores, struct arena *arena, id project, id member,
                             enum metric_scope scope, int64_t span_s, struct name_list *ret_names);

#endif
