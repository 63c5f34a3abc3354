/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settings of the database server: those that tenants may change (`processArgs`), one row each, and those that follow from the
 * size of the members. Together they are the cluster's parameters, in PostgreSQL's words.
 */
#ifndef CLUSTER_SETTINGS_H
#define CLUSTER_SETTINGS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "cluster/audit.h"

// clang-format off
/*
 * INT(name in the API, PostgreSQL's name, unit that PostgreSQL is told, least, most, needs a restart, sentence) NUM
 * likewise for decimal numbers, SWITCH without bounds, WORD with its list of values. Names of the specification are
 * used where they mean the same; the others are PostgreSQL's.
 */
#define CLUSTER_SETTING_TABLE(INT, NUM, SWITCH, WORD) \
    WORD("minimumEnabledTlsProtocol", "ssl_min_protocol_version", tls_protocols, false, \
         "Oldest version of TLS that clients may use.") \
    INT("defaultMaxTimeMS", "statement_timeout", "ms", 0, 86400000, false, \
        "Statements that run longer are cancelled; 0 for never. A session may choose another value.") \
    INT("transactionLifetimeLimitSeconds", "transaction_timeout", "s", 0, 86400, false, \
        "Transactions that last longer are ended; 0 for never. From version 17 on.") \
    INT("oplogSizeMB", "wal_keep_size", "MB", 0, 1048576, false, \
        "Size of the write-ahead log that is kept for replicas that were disconnected.") \
    INT("max_connections", "max_connections", "", 10, 10000, true, \
        "How many clients can be connected at once. Default: by the size of the members.") \
    INT("max_prepared_transactions", "max_prepared_transactions", "", 0, 10000, true, \
        "How many transactions can be prepared for a two-phase commit.") \
    INT("max_locks_per_transaction", "max_locks_per_transaction", "", 10, 10000, true, \
        "Room for locks, for each connection.") \
    INT("max_worker_processes", "max_worker_processes", "", 2, 256, true, \
        "How many background processes there can be.") \
    INT("max_parallel_workers", "max_parallel_workers", "", 0, 256, false, \
        "How many of them can work on parallel statements.") \
    INT("max_parallel_workers_per_gather", "max_parallel_workers_per_gather", "", 0, 64, false, \
        "How many can work on one part of one statement.") \
    INT("work_mem", "work_mem", "kB", 64, 16777216, false, \
        "Memory in kB for one sort or hash of a statement before it uses the disk.") \
    INT("maintenance_work_mem", "maintenance_work_mem", "kB", 1024, 16777216, false, \
        "Memory in kB for building indexes and for vacuum.") \
    INT("lock_timeout", "lock_timeout", "ms", 0, 86400000, false, \
        "Milliseconds that a statement waits for a lock; 0 for no limit.") \
    INT("idle_in_transaction_session_timeout", "idle_in_transaction_session_timeout", "ms", 0, 86400000, false, \
        "Milliseconds after which a session that is idle in a transaction is ended; 0 for never.") \
    INT("idle_session_timeout", "idle_session_timeout", "ms", 0, 86400000, false, \
        "Milliseconds after which an idle session is ended; 0 for never.") \
    INT("deadlock_timeout", "deadlock_timeout", "ms", 1, 60000, false, \
        "Milliseconds of waiting for a lock before a deadlock is searched for.") \
    INT("log_min_duration_statement", "log_min_duration_statement", "ms", 0, 86400000, false, \
        "Statements that take at least this many milliseconds are logged; by default none.") \
    INT("default_statistics_target", "default_statistics_target", "", 1, 10000, false, \
        "How detailed the planner's statistics are.") \
    INT("effective_io_concurrency", "effective_io_concurrency", "", 0, 1000, false, \
        "How many disk reads can usefully be started at once.") \
    INT("checkpoint_timeout", "checkpoint_timeout", "s", 30, 86400, false, \
        "Seconds between checkpoints.") \
    INT("max_wal_size", "max_wal_size", "MB", 32, 1048576, false, \
        "Megabytes of write-ahead log after which a checkpoint begins.") \
    INT("autovacuum_naptime", "autovacuum_naptime", "s", 1, 86400, false, \
        "Seconds between two checks for tables that need vacuum.") \
    NUM("autovacuum_vacuum_scale_factor", "autovacuum_vacuum_scale_factor", 0, 100, false, \
        "Part of a table that must have changed before it is vacuumed.") \
    NUM("autovacuum_analyze_scale_factor", "autovacuum_analyze_scale_factor", 0, 100, false, \
        "Part of a table that must have changed before its statistics are renewed.") \
    NUM("random_page_cost", "random_page_cost", 0, 1000, false, \
        "The planner's estimate for reading a page out of order.") \
    SWITCH("jit", "jit", false, "Whether long statements are compiled.") \
    SWITCH("track_io_timing", "track_io_timing", false, "Whether the time of disk access is measured.") \
    WORD("synchronous_commit", "synchronous_commit", commit_levels, false, \
         "When a commit is answered: after the replica has it on disk (on), has applied it (remote_apply), or before (local, off).") \
    WORD("default_transaction_isolation", "default_transaction_isolation", isolation_levels, false, \
         "Isolation of transactions that do not choose one.")
// clang-format on

extern const char *const tls_protocols[], *const commit_levels[], *const isolation_levels[];

/* What servers of new clusters load when they start: what records, and what counts statements. */
#define SERVER_LIBRARIES AUDIT_LIBRARY ",pg_stat_statements"

struct offered_size; /* store/offer/fleet_offer.h */

/* What of its memory a size of member gives to shared buffers. */
int64_t settings_shared_buffers_mb(int64_t memory_mb);
/*
 * All parameters of a cluster, name to text: what the size gives, then what the tenant set. `settings` may be NULL. NULL when
 * there is no memory. `major_version` decides what the server knows at all.
 */
json_t *settings_to_parameters(struct arena *arena, const struct offered_size *size, int64_t disk_gb,
                               const json_t *settings, str major_version);
/*
 * What of these is another value on a member with a size of its own, `size`, in a cluster whose other members have `of_cluster`: its memory's. How many clients,
 * locks and processes there can be stays the cluster's, because a replica needs room for all that its primary may have. NULL when there is no memory.
 */
json_t *settings_of_own_size(struct arena *arena, const struct offered_size *of_cluster,
                             const struct offered_size *size, int64_t disk_gb, const json_t *settings,
                             str major_version);
/*
 * The first setting that servers of this version do not have; NULL: none. The value 0 is allowed: it switches off what
 * they do not have.
 */
const char *settings_unknown_to(const json_t *settings, str major_version);
/* What extensions need beside: {"pg_cron": {"cron.database_name": "shop"}}, libraries and their parameters; NULL: nothing. */
void settings_add_libraries(struct arena *arena, json_t *parameters, const json_t *libraries);
/* Whether servers that run with `before` must restart for `after`. */
bool settings_need_restart(const json_t *before, const json_t *after);
/*
 * Puts the libraries of `before` into `after`, unless servers restart anyway: a release that loads more must not restart, or mark for a restart, what
 * runs already. A cluster that loads nothing that records gets all of them, and restarts: that was so before. So does one whose extensions need others,
 * `libraries`, than it loads.
 */
void settings_keep_libraries(const json_t *before, json_t *after, const json_t *libraries);

#endif
