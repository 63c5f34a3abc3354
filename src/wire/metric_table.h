/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything that is measured, once, for the agent that collects it and the control plane that keeps and answers it.
 *
 * The number of a metric is its place in this table. Roll-ups store arrays by it, so the table only grows at its end: a
 * row is never removed, moved or given another meaning.
 *
 * A GAUGE is sent as it is. A COUNTER only rises, until what counts starts again at 0; the value that the API answers is
 * how fast it rises, per second. So a counter is kept in units of (answered unit × second): a counter that is answered in
 * PERCENT rises by 100 in a second in which one processor did nothing else.
 */
#ifndef WIRE_METRIC_TABLE_H
#define WIRE_METRIC_TABLE_H

#include "base/str.h"

enum metric_scope { METRIC_PROCESS, METRIC_DATABASE, METRIC_DISK, METRIC_TABLE, METRIC_SCOPES };
enum metric_kind { METRIC_GAUGE, METRIC_COUNTER };

// clang-format off
/*   name                               scope     kind     units                what it is */
#define METRIC_LIST(M) \
    M(CONNECTIONS,                       PROCESS,  GAUGE,   "SCALAR",            "sessions of clients") \
    M(CONNECTIONS_MAX,                   PROCESS,  GAUGE,   "SCALAR",            "how many there may be (max_connections)") \
    M(SESSIONS_ACTIVE,                   PROCESS,  GAUGE,   "SCALAR",            "sessions that run a statement") \
    M(SESSIONS_IDLE_IN_TRANSACTION,      PROCESS,  GAUGE,   "SCALAR",            "sessions that keep a transaction open and do nothing") \
    M(LOCKS_WAITING,                     PROCESS,  GAUGE,   "SCALAR",            "sessions that wait for a lock") \
    M(DEADLOCKS,                         PROCESS,  COUNTER, "SCALAR_PER_SECOND", "deadlocks") \
    M(TRANSACTIONS_COMMITTED,            PROCESS,  COUNTER, "SCALAR_PER_SECOND", "transactions that committed") \
    M(TRANSACTIONS_ROLLED_BACK,          PROCESS,  COUNTER, "SCALAR_PER_SECOND", "transactions that rolled back") \
    M(OPCOUNTER_QUERY,                   PROCESS,  COUNTER, "SCALAR_PER_SECOND", "rows that scans returned") \
    M(OPCOUNTER_INSERT,                  PROCESS,  COUNTER, "SCALAR_PER_SECOND", "rows inserted") \
    M(OPCOUNTER_UPDATE,                  PROCESS,  COUNTER, "SCALAR_PER_SECOND", "rows updated") \
    M(OPCOUNTER_DELETE,                  PROCESS,  COUNTER, "SCALAR_PER_SECOND", "rows deleted") \
    M(CACHE_BYTES_READ_INTO,             PROCESS,  COUNTER, "BYTES_PER_SECOND",  "blocks read into shared buffers") \
    M(CACHE_HIT_RATIO,                   PROCESS,  GAUGE,   "PERCENT",           "blocks found in shared buffers, of those asked for since the last point") \
    M(TEMPORARY_FILE_BYTES,              PROCESS,  COUNTER, "BYTES_PER_SECOND",  "written to temporary files") \
    M(CHECKPOINTS,                       PROCESS,  COUNTER, "SCALAR_PER_SECOND", "checkpoints, timed and requested") \
    M(LOG_BYTES_WRITTEN,                 PROCESS,  COUNTER, "BYTES_PER_SECOND",  "WAL") \
    M(REPLICATION_LAG,                   PROCESS,  GAUGE,   "SECONDS",           "age of the last transaction that a replica replayed; 0 when it has all") \
    M(REPLICATION_LAG_BYTES,             PROCESS,  GAUGE,   "BYTES",             "WAL that was received and not yet replayed") \
    M(PROCESS_CPU_USER,                  PROCESS,  COUNTER, "PERCENT",           "processor time of the member, 100 for one core") \
    M(PROCESS_CPU_KERNEL,                PROCESS,  COUNTER, "PERCENT",           "the same in the kernel") \
    M(PROCESS_NORMALIZED_CPU_USER,       PROCESS,  COUNTER, "PERCENT",           "the same, 100 for all cores that the member may use") \
    M(PROCESS_NORMALIZED_CPU_KERNEL,     PROCESS,  COUNTER, "PERCENT",           "the same in the kernel") \
    M(MEMORY_RESIDENT,                   PROCESS,  GAUGE,   "BYTES",             "memory of the member, without cached files") \
    M(MEMORY_VIRTUAL,                    PROCESS,  GAUGE,   "BYTES",             "address space of the server's first process") \
    M(SYSTEM_CPU_USER,                   PROCESS,  COUNTER, "PERCENT",           "processor time of the host, 100 for one core") \
    M(SYSTEM_CPU_KERNEL,                 PROCESS,  COUNTER, "PERCENT",           "the same in the kernel") \
    M(SYSTEM_CPU_IOWAIT,                 PROCESS,  COUNTER, "PERCENT",           "idle while a disk was waited for") \
    M(SYSTEM_CPU_STEAL,                  PROCESS,  COUNTER, "PERCENT",           "taken by other guests of the machine") \
    M(SYSTEM_NORMALIZED_CPU_USER,        PROCESS,  COUNTER, "PERCENT",           "SYSTEM_CPU_USER, 100 for all cores") \
    M(SYSTEM_NORMALIZED_CPU_KERNEL,      PROCESS,  COUNTER, "PERCENT",           "SYSTEM_CPU_KERNEL, 100 for all cores") \
    M(SYSTEM_NORMALIZED_CPU_IOWAIT,      PROCESS,  COUNTER, "PERCENT",           "SYSTEM_CPU_IOWAIT, 100 for all cores") \
    M(SYSTEM_MEMORY_USED,                PROCESS,  GAUGE,   "BYTES",             "memory of the host that is not available") \
    M(SYSTEM_MEMORY_AVAILABLE,           PROCESS,  GAUGE,   "BYTES",             "memory of the host that can be had without swapping") \
    M(SYSTEM_NETWORK_IN,                 PROCESS,  COUNTER, "BYTES_PER_SECOND",  "received by the host, without loopback") \
    M(SYSTEM_NETWORK_OUT,                PROCESS,  COUNTER, "BYTES_PER_SECOND",  "sent by the host, without loopback") \
    M(SWAP_USAGE_USED,                   PROCESS,  GAUGE,   "BYTES",             "swap of the host in use") \
    M(SWAP_USAGE_FREE,                   PROCESS,  GAUGE,   "BYTES",             "swap of the host left") \
    M(DATABASE_DATA_SIZE,                DATABASE, GAUGE,   "BYTES",             "tables, without indexes") \
    M(DATABASE_STORAGE_SIZE,             DATABASE, GAUGE,   "BYTES",             "everything of the database on disk") \
    M(DATABASE_INDEX_SIZE,               DATABASE, GAUGE,   "BYTES",             "indexes") \
    M(DATABASE_COLLECTION_COUNT,         DATABASE, GAUGE,   "SCALAR",            "tables") \
    M(DATABASE_INDEX_COUNT,              DATABASE, GAUGE,   "SCALAR",            "indexes") \
    M(DATABASE_VIEW_COUNT,               DATABASE, GAUGE,   "SCALAR",            "views, materialized ones too") \
    M(DATABASE_OBJECT_COUNT,             DATABASE, GAUGE,   "SCALAR",            "rows in all tables, as estimated by the server") \
    M(DATABASE_CONNECTIONS,              DATABASE, GAUGE,   "SCALAR",            "sessions in the database") \
    M(DISK_PARTITION_SPACE_FREE,         DISK,     GAUGE,   "BYTES",             "free for the server") \
    M(DISK_PARTITION_SPACE_USED,         DISK,     GAUGE,   "BYTES",             "used") \
    M(DISK_PARTITION_SPACE_PERCENT_FREE, DISK,     GAUGE,   "PERCENT",           "free, of both") \
    M(DISK_PARTITION_SPACE_PERCENT_USED, DISK,     GAUGE,   "PERCENT",           "used, of both") \
    M(DISK_PARTITION_IOPS_READ,          DISK,     COUNTER, "SCALAR_PER_SECOND", "reads of the device") \
    M(DISK_PARTITION_IOPS_WRITE,         DISK,     COUNTER, "SCALAR_PER_SECOND", "writes of the device") \
    M(DISK_PARTITION_IOPS_TOTAL,         DISK,     COUNTER, "SCALAR_PER_SECOND", "both") \
    M(DISK_PARTITION_THROUGHPUT_READ,    DISK,     COUNTER, "BYTES_PER_SECOND",  "read from the device") \
    M(DISK_PARTITION_THROUGHPUT_WRITE,   DISK,     COUNTER, "BYTES_PER_SECOND",  "written to the device") \
    M(DISK_PARTITION_LATENCY_READ,       DISK,     GAUGE,   "MILLISECONDS",      "a read, on average since the last point") \
    M(DISK_PARTITION_LATENCY_WRITE,      DISK,     GAUGE,   "MILLISECONDS",      "a write, on average since the last point") \
    M(DISK_PARTITION_UTILIZATION,        DISK,     COUNTER, "PERCENT",           "time in which the device had something to do") \
    M(DISK_QUEUE_DEPTH,                  DISK,     COUNTER, "SCALAR",            "requests under way, on average") \
    M(READS_OPS,                         TABLE,    COUNTER, "SCALAR_PER_SECOND", "scans of the table") \
    M(READS_LATENCY,                     TABLE,    COUNTER, "MILLISECONDS",      "time spent in reads, of every second") \
    M(AVERAGE_READS_LATENCY,             TABLE,    GAUGE,   "MILLISECONDS",      "a read, on average") \
    M(READS_P50_VALUE,                   TABLE,    GAUGE,   "MILLISECONDS",      "half of the reads took less") \
    M(READS_P95_VALUE,                   TABLE,    GAUGE,   "MILLISECONDS",      "95 of 100 reads took less") \
    M(READS_P99_VALUE,                   TABLE,    GAUGE,   "MILLISECONDS",      "99 of 100 reads took less") \
    M(WRITES_OPS,                        TABLE,    COUNTER, "SCALAR_PER_SECOND", "rows inserted, updated and deleted") \
    M(WRITES_LATENCY,                    TABLE,    COUNTER, "MILLISECONDS",      "time spent in writes, of every second") \
    M(AVERAGE_WRITES_LATENCY,            TABLE,    GAUGE,   "MILLISECONDS",      "a write, on average") \
    M(WRITES_P50_VALUE,                  TABLE,    GAUGE,   "MILLISECONDS",      "half of the writes took less") \
    M(WRITES_P95_VALUE,                  TABLE,    GAUGE,   "MILLISECONDS",      "95 of 100 writes took less") \
    M(WRITES_P99_VALUE,                  TABLE,    GAUGE,   "MILLISECONDS",      "99 of 100 writes took less") \
    M(TOTAL_OPS,                         TABLE,    COUNTER, "SCALAR_PER_SECOND", "reads and writes") \
    M(TOTAL_LATENCY,                     TABLE,    COUNTER, "MILLISECONDS",      "time spent in both, of every second") \
    M(AVERAGE_TOTAL_OPS_LATENCY,         TABLE,    GAUGE,   "MILLISECONDS",      "either, on average") \
    M(TOTAL_OPS_P50_VALUE,               TABLE,    GAUGE,   "MILLISECONDS",      "half of both took less") \
    M(TOTAL_OPS_P95_VALUE,               TABLE,    GAUGE,   "MILLISECONDS",      "95 of 100 took less") \
    M(TOTAL_OPS_P99_VALUE,               TABLE,    GAUGE,   "MILLISECONDS",      "99 of 100 took less") \
    M(CONNECTIONS_PERCENT,               PROCESS,  GAUGE,   "PERCENT",           "CONNECTIONS, of CONNECTIONS_MAX") \
    M(LONGEST_TRANSACTION,               PROCESS,  GAUGE,   "SECONDS",           "age of the oldest open transaction of a client") \
    M(LONGEST_QUERY,                     PROCESS,  GAUGE,   "SECONDS",           "age of the oldest running statement of a client") \
    M(TRANSACTION_ID_AGE,                PROCESS,  GAUGE,   "SCALAR",            "transactions since the oldest that is not frozen, in the oldest database") \
    M(REPLICATION_SLOT_RETAINED_BYTES,   PROCESS,  GAUGE,   "BYTES",             "WAL kept for the replication slot that is furthest behind") \
    M(ARCHIVE_FAILURES,                  PROCESS,  COUNTER, "SCALAR_PER_SECOND", "failed attempts to archive WAL") \
    M(ARCHIVE_AGE,                       PROCESS,  GAUGE,   "SECONDS",           "since WAL was last archived") \
    M(CHECKPOINT_WRITE_TIME,             PROCESS,  COUNTER, "MILLISECONDS",      "time in which checkpoints wrote, of every second") \
    M(SESSIONS_WAITING_IO,               PROCESS,  GAUGE,   "SCALAR",            "sessions that wait for a disk") \
    M(SYSTEM_NORMALIZED_CPU_STEAL,       PROCESS,  COUNTER, "PERCENT",           "SYSTEM_CPU_STEAL, 100 for all cores")
// clang-format on

#define METRIC_ENUM(name, scope, kind, units, about) M_##name,
enum metric_number { METRIC_LIST(METRIC_ENUM) METRIC_COUNT };
#undef METRIC_ENUM

struct metric {
    const char *name, *units, *about;
    enum metric_scope scope;
    enum metric_kind kind;
    unsigned number;
};

extern const struct metric metric_table[METRIC_COUNT];

/* NULL when there is no such metric. */
const struct metric *metric_find(str name);

/* The letter of a scope on the wire: p, d, k or t. */
char metric_scope_letter(enum metric_scope scope);
/* False when no scope has this letter. */
MUST_USE bool metric_scope_of_letter(char letter, enum metric_scope *ret_scope);

#endif
