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
        "As above. FAILING: what is written now would be lost. UNPROVEN: no control plane could be started from it for three days. `reeved fleet own-backups list` says why.") \
    ROW(OWN_BACKUP_BEHIND, "reeve_own_backup_behind_seconds", "gauge", "", "How much of the control plane's own database would be lost if it was lost now; absent: all of it.", \
        "As above. Alarm when it grows beyond a few minutes, or is absent though a host should keep it.") \
    ROW(DRILLS, "reeve_backup_drills", "gauge", "result", "Clusters with backups, by how their last drill ended; NONE: there was none.", \
        "As above. FAILED: the newest backup could not be restored, or something was missing.") \
    ROW(DRILLS_OVERDUE, "reeve_backup_drills_overdue", "gauge", "", "Clusters of which it was not proven for too long that their backups can be restored.", \
        "As above. `reeved fleet hosts list` shows whether repository hosts are there; the drill itself says why it was not run.") \
    ROW(FLEET_AGE, "reeve_fleet_age_seconds", "gauge", "", "How old the figures about the fleet are.", \
        "A worker takes them every 15 seconds for all nodes, whoever asks, and everything below that begins with `reeve_fleet_` is from there. After five minutes without a worker they are absent, and only this one is left. Take the maximum over the nodes, not the sum.") \
    ROW(FLEET_TOOK, "reeve_fleet_took_seconds", "gauge", "", "How long it took to take the figures about the fleet.", \
        "") \
    ROW(FLEET_INSTANCES, "reeve_fleet_instances", "gauge", "kind", "Processes of the control plane that were there in the last two minutes: API, WORKER.", \
        "A node with several processes counts once.") \
    ROW(FLEET_HOSTS, "reeve_fleet_hosts", "gauge", "purpose, state", "Hosts, by what they are for and by state.", \
        "Without those that were removed.") \
    ROW(FLEET_HOSTS_SILENT, "reeve_fleet_hosts_silent", "gauge", "purpose", "Hosts whose agent has said nothing for more than a minute.", \
        "Their databases run on.") \
    ROW(FLEET_HOST_SILENT, "reeve_fleet_host_silent_seconds", "gauge", "host", "For how long a host has been silent.", \
        "Only of hosts that were silent for more than a minute, and of at most 50: the longest. The metric above counts all.") \
    ROW(FLEET_STRAYS, "reeve_fleet_strays", "gauge", "", "Units on hosts that the agents do not know.", \
        "") \
    ROW(FLEET_HOST_STRAYS, "reeve_fleet_host_strays", "gauge", "host", "Units on one host that its agent does not know.", \
        "Only of hosts that have any, and of at most 50.") \
    ROW(FLEET_ROOM, "reeve_fleet_room", "gauge", "provider, region, size", "Members of a size that could be placed now.", \
        "Each size by itself, as if nothing else was placed: on hosts that are ACTIVE and report, with processors, memory, disk and addresses. At most 100 a host are counted.") \
    ROW(FLEET_CPUS, "reeve_fleet_cpus", "gauge", "provider, region, state", "Processors of ACTIVE hosts: total, and reserved by members.", \
        "") \
    ROW(FLEET_MEMORY, "reeve_fleet_memory_bytes", "gauge", "provider, region, state", "Memory of ACTIVE hosts: total, and reserved by members.", \
        "") \
    ROW(FLEET_DISK, "reeve_fleet_disk_bytes", "gauge", "provider, region, state", "Disk of ACTIVE hosts: total, and reserved by members.", \
        "") \
    ROW(FLEET_CERTIFICATE_DAYS, "reeve_fleet_certificate_days", "gauge", "kind", "Days until the first certificate of a kind ends: HOST, MEMBER, SERVICE, USER, and authorities.", \
        "Below 0 it has ended. Of an owner with several the last one counts. Hosts and members renew theirs long before, services' are made again by you, USER are the tenants' own.") \
    ROW(FLEET_CERTIFICATES_ENDING, "reeve_fleet_certificates_ending", "gauge", "kind, within", "Certificates that end within 7 or 30 days.", \
        "`within` is `7d` or `30d`; those of 7 are among those of 30.") \
    ROW(FLEET_CLUSTERS, "reeve_fleet_clusters", "gauge", "primary", "Clusters, by their primary: HEALTHY, SILENT, NONE, STARTING, STOPPED.", \
        "SILENT: its host has not reported for 90 seconds. NONE: no member says that it is the primary, and no job is about to make one. STOPPED: the cluster is paused or goes.") \
    ROW(FLEET_MEMBERS, "reeve_fleet_members", "gauge", "desired, unit", "Members, by what they should do and what their unit does.", \
        "") \
    ROW(FLEET_MEMBERS_PROBLEM, "reeve_fleet_members_with_problem", "gauge", "", "Members of which the agent reports a problem.", \
        "`reeve fleet hosts show HOST` has the sentence.") \
    ROW(FLEET_ETCD_GROUPS, "reeve_fleet_etcd_groups", "gauge", "state, auth", "Groups of etcd servers, by state and by whether they have users.", \
        "") \
    ROW(FLEET_ETCD_WAITING, "reeve_fleet_etcd_groups_waiting", "gauge", "", "Groups of etcd servers that wait for something.", \
        "`reeve fleet etcd list` says for what.") \
    ROW(FLEET_ETCD_CLUSTERS, "reeve_fleet_etcd_clusters", "gauge", "group", "Clusters in a group of etcd servers.", \
        "Of at most 50 groups: the fullest.") \
    ROW(FLEET_ETCD_CAPACITY, "reeve_fleet_etcd_capacity", "gauge", "group", "Clusters that a group of etcd servers takes.", \
        "Absent for a group without a limit.") \
    ROW(FLEET_WINDOWS, "reeve_fleet_windows", "gauge", "state", "Clusters with backups that run, by how far they can be restored: CURRENT, BEHIND, MISSING.", \
        "BEHIND: not the last five minutes. MISSING: nothing yet.") \
    ROW(FLEET_WINDOW_AGE, "reeve_fleet_window_age_seconds", "gauge", "", "How much of its last changes the cluster would lose that is furthest behind, if it was lost now.", \
        "") \
    ROW(FLEET_REPOSITORY_DISK, "reeve_fleet_repository_disk_bytes", "gauge", "host", "Disk of a repository host.", \
        "Of at most 50 hosts: the fullest.") \
    ROW(FLEET_REPOSITORY_RESERVED, "reeve_fleet_repository_reserved_bytes", "gauge", "host", "What backups have reserved on the disk of a repository host.", \
        "As above.") \
    ROW(FLEET_REPOSITORY_USED, "reeve_fleet_repository_used_bytes", "gauge", "host", "What backups take on the disk of a repository host, without object stores.", \
        "As above.") \
    ROW(FLEET_JOB_AGE, "reeve_fleet_job_age_seconds", "gauge", "kind, state", "Age of the oldest job of a kind that waits or runs.", \
        "`state` is WAITING or RUNNING. Kinds without such a job are absent.")
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
/* One of its values, with a value for each of its labels, in their order. */
enum { METRIC_LABELS_MAX = 3 };
void metric_add(struct buf *out, enum metric metric, const str labels[METRIC_LABELS_MAX], str value);

#endif
