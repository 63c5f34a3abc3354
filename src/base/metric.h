/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every metric of /metrics, one row each. /metrics prints the help of a row before its values, and the reference lists
 * the rows, so every metric is explained.
 */
#ifndef BASE_METRIC_H
#define BASE_METRIC_H

#include "base/str.h"

// clang-format off
/* ROW(identifier, name, type, labels, help, more for the reference) */
#define METRIC_TABLE(ROW) \
    ROW(BUILD_INFO, "reeve_build_info", "gauge", "version", "The version that runs.", \
        "Always 1; the label has the version.") \
    ROW(HTTP_REQUESTS, "reeve_http_requests_total", "counter", "operation, status", "Requests answered, by operation and status.", \
        "`operation` is empty for paths that do not exist and for what nginx refused. A status that Reeve does not answer with is counted as `other`.") \
    ROW(HTTP_DURATION, "reeve_http_request_duration_seconds", "histogram", "operation, le", "Time from the arrival of the whole request to its answer.", \
        "Buckets from 0.5 ms to 10 s, with `_sum` and `_count`; only for operations that were used.") \
    ROW(RATE_LIMIT_DENIED, "reeve_rate_limit_denied_total", "counter", "set", "Requests refused because a bucket was empty, by endpoint set.", \
        "Answers with 429. The sets are those of the page on rate limits.") \
    ROW(PROCESSES, "reeve_processes", "gauge", "", "Worker processes that answer requests.", \
        "As many as `workers` of reeve.conf says, and more for a moment while a reload drains the old ones.") \
    ROW(POOL_CONNECTIONS, "reeve_pool_connections", "gauge", "state", "Database connections for transactions, by state.", \
        "`in_use`, and `max` for the limit.") \
    ROW(POOL_WAITING, "reeve_pool_waiting", "gauge", "", "Requests that wait for a database connection.", \
        "If it is above 0 for minutes, the database is slow or `transactions` in reeve.conf is too small.") \
    ROW(THREADS_BUSY, "reeve_threads_busy", "gauge", "", "Requests that a thread is working on or that wait for one.", \
        "How busy the node is.") \
    ROW(REQUESTS_OPEN, "reeve_requests_open", "gauge", "", "Requests that are being answered.", \
        "Includes waiting polls of hosts and open event streams.") \
    ROW(REDIS_UP, "reeve_redis_up", "gauge", "", "1 when every process reaches Redis.", \
        "At 0 each node counts limits on its own, with its share of them.") \
    ROW(INVALIDATIONS, "reeve_invalidations_listening", "gauge", "", "1 when every process is told about changed credentials.", \
        "At 0 processes ask the database for changed credentials.") \
    ROW(READ_PIPELINES, "reeve_read_pipelines_ready", "gauge", "", "Processes whose own read connection is up.", \
        "When it is below `reeve_processes`, reads go to threads and are slower.") \
    ROW(JOBS, "reeve_jobs", "gauge", "kind, state", "Jobs by kind and state; finished ones are kept for 30 days.", \
        "From the database, so the same on every node; missing while it cannot be asked. Take the maximum over the nodes, not the sum.") \
    ROW(JOBS_OVERDUE, "reeve_jobs_overdue", "gauge", "", "Jobs that are past the deadline of their step.", \
        "As above. If it is not 0, look at `reeved jobs`.") \
    ROW(JOBS_OLDEST, "reeve_jobs_oldest_seconds", "gauge", "", "Age of the oldest job that is not finished.", \
        "As above.") \
    ROW(SWEEP_AGE, "reeve_sweep_age_seconds", "gauge", "sweep", "Time since each sweep last succeeded; -1 for never.", \
        "As above. When all of them grow, no worker runs.") \
    ROW(BACKUP_SEATS, "reeve_backup_seats", "gauge", "state", "Seats on repository hosts: WORKING, FAILING, or DAMAGED.", \
        "As above. FAILING: nothing is taken in, or not everything. DAMAGED: something that was kept is lost, and no full backup was made since. The events BACKUP_FAILING and BACKUP_DAMAGED say of which cluster, and why.") \
    ROW(OWN_BACKUP, "reeve_own_backup", "gauge", "state", "Hosts that keep the control plane's own database: WORKING, FAILING, or UNPROVEN.", \
        "As above. FAILING: what is written now would be lost. UNPROVEN: no control plane could be started from it for three days. `reeved fleet own-backup` says why.") \
    ROW(OWN_BACKUP_BEHIND, "reeve_own_backup_behind_seconds", "gauge", "", "How much of the control plane's own database would be lost if it was lost now; absent: all of it.", \
        "As above. Alarm when it grows beyond a few minutes, or is absent though a host should keep it.") \
    ROW(DRILLS, "reeve_backup_drills", "gauge", "result", "Clusters with backups, by how their last drill ended; NONE: there was none.", \
        "As above. FAILED: the newest backup could not be restored, or something was missing.") \
    ROW(DRILLS_OVERDUE, "reeve_backup_drills_overdue", "gauge", "", "Clusters of which it was not proven for too long that their backups can be restored.", \
        "As above. `reeved fleet host list` shows whether repository hosts are there; the drill itself says why it was not run.")
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
