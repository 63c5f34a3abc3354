/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The counters of a node, in memory that all its processes share. It is made once before they are forked, written
 * without locks, and never cleared while the node runs, so that a reload loses no count.
 */
#ifndef API_METRICS_H
#define API_METRICS_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "limit/set_table.h"

struct metrics;

/* For requests that belong to no operation: unknown paths, what nginx refused. */
#define METRICS_NO_OPERATION SIZE_MAX

/* Counters for operations 0 to `operations` - 1. NULL when the system has no memory. */
MUST_USE struct metrics *metrics_new(size_t operations);
void metrics_free(struct metrics *metrics);

/* ---- Counters: safe in any thread of any process ---- */
void metrics_count_request(struct metrics *metrics, size_t operation, unsigned status, int64_t duration_us);
void metrics_count_denial(struct metrics *metrics, enum set_label set);

/* ---- Gauges: each process has its own; the exposition adds up those of the processes that live ---- */
struct gauges {
    int transactions_open, transactions_max, transactions_waiting;
    int threads_busy, requests_open;
    int redis_up, listening, pipeline_ready; /* 0 or 1 */
};
/* A slot for this process; slots of dead processes are reused. -1 when all are in use. */
int metrics_join(struct metrics *metrics);
void metrics_leave(struct metrics *metrics, int place);
void metrics_set_gauges(struct metrics *metrics, int place, const struct gauges *gauges);

/* ---- Exposition: Prometheus text format 0.0.4 ---- */
enum { METRICS_MAX_BYTES = 8 * 1024 * 1024 };
/* `name_of(context, index)` gives the name of an operation. Empty when the arena is full. */
str metrics_text(struct metrics *metrics, struct arena *arena,
                 const char *(*name_of)(const void *context, size_t index), const void *context);

#endif
