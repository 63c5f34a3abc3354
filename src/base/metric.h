/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every metric of /metrics, one row each. The exposition begins each with its row, and the reference lists the rows: there is no
 * metric that is not explained.
 */
#ifndef BASE_METRIC_H
#define BASE_METRIC_H

#include "base/str.h"

// clang-format off
/* ROW(identifier, name, type, labels, help, what a reader should know beyond it) */
#define METRIC_TABLE(ROW) \
    ROW(BUILD_INFO, "reeve_build_info", "gauge", "version", "The version that runs.", \
        "Always 1; the label is what is told.") \
    ROW(HTTP_REQUESTS, "reeve_http_requests_total", "counter", "operation, status", "Requests answered, by operation and status.", \
        "`operation` is empty for paths that do not exist and for what nginx refused. A status that Reeve does not answer with is counted as `other`.") \
    ROW(HTTP_DURATION, "reeve_http_request_duration_seconds", "histogram", "operation, le", "Time from the whole request's arrival to its answer.", \
        "From 0.5 ms to 10 s; only operations that were used. `_sum` and `_count` are beside the buckets.") \
    ROW(RATE_LIMIT_DENIED, "reeve_rate_limit_denied_total", "counter", "set", "Requests refused because a bucket was empty, by endpoint set.", \
        "Answers with 429. The sets are those of the page on rate limits.") \
    ROW(PROCESSES, "reeve_processes", "gauge", "", "Worker processes that answer requests.", \
        "As many as `workers` of reeve.conf says, and more for a moment while a reload drains the old ones.") \
    ROW(POOL_CONNECTIONS, "reeve_pool_connections", "gauge", "state", "Database connections for transactions, by state.", \
        "`in_use`, and `max`: how many there may be.") \
    ROW(POOL_WAITING, "reeve_pool_waiting", "gauge", "", "Requests that wait for a database connection.", \
        "Above 0 for minutes: the database is slow, or `transactions` of reeve.conf too small.") \
    ROW(THREADS_BUSY, "reeve_threads_busy", "gauge", "", "Requests that a thread is working on or that wait for one.", \
        "How busy the node is.") \
    ROW(REQUESTS_OPEN, "reeve_requests_open", "gauge", "", "Requests that are being answered.", \
        "Parked polls of hosts and open event streams are counted, too.") \
    ROW(REDIS_UP, "reeve_redis_up", "gauge", "", "1 when every process reaches Redis.", \
        "0: each node counts limits on its own, with its share of them.") \
    ROW(INVALIDATIONS, "reeve_invalidations_listening", "gauge", "", "1 when every process hears of changed credentials.", \
        "0: changed credentials are noticed by asking, not by being told.") \
    ROW(READ_PIPELINES, "reeve_read_pipelines_ready", "gauge", "", "Processes whose own read connection is up.", \
        "Below `reeve_processes`: reads go to threads, and are slower.") \
    ROW(JOBS, "reeve_jobs", "gauge", "kind, state", "Jobs by kind and state; finished ones are kept for 30 days.", \
        "From the database, so the same on every node; missing while it cannot be asked. Take the maximum over the nodes, not the sum.") \
    ROW(JOBS_OVERDUE, "reeve_jobs_overdue", "gauge", "", "Jobs that are past the deadline of their step.", \
        "As above. Anything but 0 wants to be looked at: `reeved jobs`.") \
    ROW(JOBS_OLDEST, "reeve_jobs_oldest_seconds", "gauge", "", "Age of the oldest job that is not finished.", \
        "As above.") \
    ROW(SWEEP_AGE, "reeve_sweep_age_seconds", "gauge", "sweep", "Time since each sweep last succeeded; -1: never.", \
        "As above. All of them growing together means that no worker runs.")
// clang-format on

#define ROW(identifier, name, type, labels, help, more) METRIC_##identifier,
enum metric { METRIC_TABLE(ROW) METRIC_COUNT };
#undef ROW

struct metric_row {
    const char *name, *type, *labels, *help, *more;
};
extern const struct metric_row metric_rows[METRIC_COUNT];

/* The lines before its values, as Prometheus reads them. */
void metric_begin(struct buf *out, enum metric metric);

#endif
