/* SPDX-License-Identifier: Apache-2.0 */
#include "job/alert/alert_metric.h"

#include "base/json.h"

/* Agents look every ten seconds: three points. What is on its way is not waited for. */
#define OF_MEMBER(expression) "max(" expression ") by (project, member)"
#define AVERAGE(metric)       OF_MEMBER("avg_over_time(reeve_" metric "[30s])")
#define LARGEST(metric)       OF_MEMBER("max_over_time(reeve_" metric "[60s])")
#define RATE(metric)          OF_MEMBER("rate(reeve_" metric "[30s])")
#define LARGEST_RATE(metric)  OF_MEMBER("max_over_time(rate(reeve_" metric "[20s])[60s:10s])")
#define IN_MS(query)          "1000 * " query
#define BEHIND                "OPLOG_SLAVE_LAG_MASTER_TIME"
/* Sizes of databases are looked at every few minutes. */
#define OF_DATABASES(metric) "sum(last_over_time(reeve_" metric "[15m])) by (project, member)"
#define MEMORY_PERCENT(used, available) \
    "100 * " used " / on (project, member) (" used " + on (project, member) " available ")"

/* Tables, indexes and WAL of a member are on one partition. */
#define OF_PARTITION(ROW, name, dimension, query) \
    ROW(name "_DATA", dimension, query)           \
    ROW(name "_INDEX", dimension, query)          \
    ROW(name "_JOURNAL", dimension, query)

// clang-format off
/* ROW(name, dimension, query) */
#define METRIC_TABLE(ROW) \
    ROW("CONNECTIONS",                    ALERT_RAW,  AVERAGE("CONNECTIONS")) \
    ROW("CONNECTIONS_MAX",                ALERT_RAW,  AVERAGE("CONNECTIONS_MAX")) \
    ROW("CONNECTIONS_PERCENT",            ALERT_RAW,  AVERAGE("CONNECTIONS_PERCENT")) \
    ROW("CACHE_BYTES_READ_INTO",          ALERT_DATA, RATE("CACHE_BYTES_READ_INTO")) \
    ROW("DB_DATA_SIZE_TOTAL",             ALERT_DATA, OF_DATABASES("DATABASE_DATA_SIZE")) \
    ROW("DB_INDEX_SIZE_TOTAL",            ALERT_DATA, OF_DATABASES("DATABASE_INDEX_SIZE")) \
    ROW("DB_STORAGE_TOTAL",               ALERT_DATA, OF_DATABASES("DATABASE_STORAGE_SIZE")) \
    ROW("LOGICAL_SIZE",                   ALERT_DATA, OF_DATABASES("DATABASE_DATA_SIZE")) \
    OF_PARTITION(ROW, "DISK_PARTITION_QUEUE_DEPTH",       ALERT_RAW,  RATE("DISK_QUEUE_DEPTH")) \
    OF_PARTITION(ROW, "DISK_PARTITION_READ_IOPS",         ALERT_RAW,  RATE("DISK_PARTITION_IOPS_READ")) \
    OF_PARTITION(ROW, "DISK_PARTITION_READ_LATENCY",      ALERT_TIME, AVERAGE("DISK_PARTITION_LATENCY_READ")) \
    OF_PARTITION(ROW, "DISK_PARTITION_SPACE_USED",        ALERT_RAW,  AVERAGE("DISK_PARTITION_SPACE_PERCENT_USED")) \
    OF_PARTITION(ROW, "DISK_PARTITION_WRITE_IOPS",        ALERT_RAW,  RATE("DISK_PARTITION_IOPS_WRITE")) \
    OF_PARTITION(ROW, "DISK_PARTITION_WRITE_LATENCY",     ALERT_TIME, AVERAGE("DISK_PARTITION_LATENCY_WRITE")) \
    OF_PARTITION(ROW, "MAX_DISK_PARTITION_QUEUE_DEPTH",   ALERT_RAW,  LARGEST_RATE("DISK_QUEUE_DEPTH")) \
    OF_PARTITION(ROW, "MAX_DISK_PARTITION_READ_IOPS",     ALERT_RAW,  LARGEST_RATE("DISK_PARTITION_IOPS_READ")) \
    OF_PARTITION(ROW, "MAX_DISK_PARTITION_READ_LATENCY",  ALERT_TIME, LARGEST("DISK_PARTITION_LATENCY_READ")) \
    OF_PARTITION(ROW, "MAX_DISK_PARTITION_SPACE_USED",    ALERT_RAW,  LARGEST("DISK_PARTITION_SPACE_PERCENT_USED")) \
    OF_PARTITION(ROW, "MAX_DISK_PARTITION_WRITE_IOPS",    ALERT_RAW,  LARGEST_RATE("DISK_PARTITION_IOPS_WRITE")) \
    OF_PARTITION(ROW, "MAX_DISK_PARTITION_WRITE_LATENCY", ALERT_TIME, LARGEST("DISK_PARTITION_LATENCY_WRITE")) \
    ROW("DOCUMENT_DELETED",               ALERT_RAW,  RATE("OPCOUNTER_DELETE")) \
    ROW("DOCUMENT_INSERTED",              ALERT_RAW,  RATE("OPCOUNTER_INSERT")) \
    ROW("DOCUMENT_RETURNED",              ALERT_RAW,  RATE("OPCOUNTER_QUERY")) \
    ROW("DOCUMENT_UPDATED",               ALERT_RAW,  RATE("OPCOUNTER_UPDATE")) \
    ROW("OPCOUNTER_DELETE",               ALERT_RAW,  RATE("OPCOUNTER_DELETE")) \
    ROW("OPCOUNTER_INSERT",               ALERT_RAW,  RATE("OPCOUNTER_INSERT")) \
    ROW("OPCOUNTER_QUERY",                ALERT_RAW,  RATE("OPCOUNTER_QUERY")) \
    ROW("OPCOUNTER_UPDATE",               ALERT_RAW,  RATE("OPCOUNTER_UPDATE")) \
    ROW("GLOBAL_LOCK_CURRENT_QUEUE_TOTAL", ALERT_RAW, AVERAGE("LOCKS_WAITING")) \
    ROW("JOURNALING_MB",                  ALERT_DATA, RATE("LOG_BYTES_WRITTEN")) \
    ROW("MEMORY_RESIDENT",                ALERT_DATA, AVERAGE("MEMORY_RESIDENT")) \
    ROW("MEMORY_VIRTUAL",                 ALERT_DATA, AVERAGE("MEMORY_VIRTUAL")) \
    ROW("MUNIN_CPU_IOWAIT",               ALERT_RAW,  RATE("SYSTEM_CPU_IOWAIT")) \
    ROW("MUNIN_CPU_STEAL",                ALERT_RAW,  RATE("SYSTEM_CPU_STEAL")) \
    ROW("MUNIN_CPU_SYSTEM",               ALERT_RAW,  RATE("SYSTEM_CPU_KERNEL")) \
    ROW("MUNIN_CPU_USER",                 ALERT_RAW,  RATE("SYSTEM_CPU_USER")) \
    ROW("NORMALIZED_SYSTEM_CPU_STEAL",    ALERT_RAW,  RATE("SYSTEM_NORMALIZED_CPU_STEAL")) \
    ROW("NORMALIZED_SYSTEM_CPU_USER",     ALERT_RAW,  RATE("SYSTEM_NORMALIZED_CPU_USER")) \
    ROW("MAX_NORMALIZED_SYSTEM_CPU_STEAL", ALERT_RAW, LARGEST_RATE("SYSTEM_NORMALIZED_CPU_STEAL")) \
    ROW("MAX_NORMALIZED_SYSTEM_CPU_USER", ALERT_RAW,  LARGEST_RATE("SYSTEM_NORMALIZED_CPU_USER")) \
    ROW("NETWORK_BYTES_IN",               ALERT_DATA, RATE("SYSTEM_NETWORK_IN")) \
    ROW("NETWORK_BYTES_OUT",              ALERT_DATA, RATE("SYSTEM_NETWORK_OUT")) \
    ROW("SYSTEM_NETWORK_IN",              ALERT_DATA, RATE("SYSTEM_NETWORK_IN")) \
    ROW("SYSTEM_NETWORK_OUT",             ALERT_DATA, RATE("SYSTEM_NETWORK_OUT")) \
    ROW("MAX_SYSTEM_NETWORK_IN",          ALERT_DATA, LARGEST_RATE("SYSTEM_NETWORK_IN")) \
    ROW("MAX_SYSTEM_NETWORK_OUT",         ALERT_DATA, LARGEST_RATE("SYSTEM_NETWORK_OUT")) \
    ROW(BEHIND,                           ALERT_TIME, IN_MS(AVERAGE("REPLICATION_LAG"))) \
    ROW("SWAP_USAGE_FREE",                ALERT_DATA, AVERAGE("SWAP_USAGE_FREE")) \
    ROW("SWAP_USAGE_USED",                ALERT_DATA, AVERAGE("SWAP_USAGE_USED")) \
    ROW("MAX_SWAP_USAGE_FREE",            ALERT_DATA, LARGEST("SWAP_USAGE_FREE")) \
    ROW("MAX_SWAP_USAGE_USED",            ALERT_DATA, LARGEST("SWAP_USAGE_USED")) \
    ROW("SYSTEM_MEMORY_AVAILABLE",        ALERT_DATA, AVERAGE("SYSTEM_MEMORY_AVAILABLE")) \
    ROW("SYSTEM_MEMORY_USED",             ALERT_DATA, AVERAGE("SYSTEM_MEMORY_USED")) \
    ROW("SYSTEM_MEMORY_PERCENT_USED",     ALERT_RAW,  MEMORY_PERCENT(AVERAGE("SYSTEM_MEMORY_USED"), AVERAGE("SYSTEM_MEMORY_AVAILABLE"))) \
    ROW("MAX_SYSTEM_MEMORY_AVAILABLE",    ALERT_DATA, LARGEST("SYSTEM_MEMORY_AVAILABLE")) \
    ROW("MAX_SYSTEM_MEMORY_USED",         ALERT_DATA, LARGEST("SYSTEM_MEMORY_USED")) \
    ROW("MAX_SYSTEM_MEMORY_PERCENT_USED", ALERT_RAW,  MEMORY_PERCENT(LARGEST("SYSTEM_MEMORY_USED"), LARGEST("SYSTEM_MEMORY_AVAILABLE"))) \
    ROW("TRANSACTION_ID_AGE",             ALERT_RAW,  AVERAGE("TRANSACTION_ID_AGE")) \
    ROW("LONGEST_TRANSACTION",            ALERT_TIME, IN_MS(AVERAGE("LONGEST_TRANSACTION"))) \
    ROW("SESSIONS_IDLE_IN_TRANSACTION",   ALERT_RAW,  AVERAGE("SESSIONS_IDLE_IN_TRANSACTION")) \
    ROW("DEADLOCKS",                      ALERT_RAW,  RATE("DEADLOCKS")) \
    ROW("TEMPORARY_FILE_BYTES",           ALERT_DATA, RATE("TEMPORARY_FILE_BYTES")) \
    ROW("REPLICATION_SLOT_RETAINED_BYTES", ALERT_DATA, AVERAGE("REPLICATION_SLOT_RETAINED_BYTES"))

#define ROW(name, dimension, query) { name, dimension, query },
const struct alert_metric alert_metrics[] = { METRIC_TABLE(ROW) { NULL, ALERT_RAW, NULL } };
#undef ROW
#define ROW(name, dimension, query) name,
const char *const alert_metric_names[] = { METRIC_TABLE(ROW) NULL };
#undef ROW

/* ROW(name, dimension, what one of it is in the store's unit). The words are the specification's. */
#define UNIT_TABLE(ROW) \
    ROW("RAW",             ALERT_RAW,  1) \
    ROW("BITS",            ALERT_DATA, 0.125) \
    ROW("KILOBITS",        ALERT_DATA, 128) \
    ROW("MEGABITS",        ALERT_DATA, 131072) \
    ROW("GIGABITS",        ALERT_DATA, 134217728) \
    ROW("BYTES",           ALERT_DATA, 1) \
    ROW("KILOBYTES",       ALERT_DATA, 1024) \
    ROW("MEGABYTES",       ALERT_DATA, 1048576) \
    ROW("GIGABYTES",       ALERT_DATA, 1073741824) \
    ROW("TERABYTES",       ALERT_DATA, 1099511627776) \
    ROW("PETABYTES",       ALERT_DATA, 1125899906842624) \
    ROW("NANOSECO",        ALERT_TIME, 0.000001) \
    ROW("MILLISECO",       ALERT_TIME, 1) \
    ROW("SECO",            ALERT_TIME, 1000) \
    ROW("MINUTES",         ALERT_TIME, 60000) \
    ROW("HOURS",           ALERT_TIME, 3600000) \
    ROW("DAYS",            ALERT_TIME, 86400000) \
    ROW("MILLION_MINUTES", ALERT_TIME, 60000000000)
// clang-format on

static const struct {
    const char *name;
    enum alert_dimension dimension;
    double factor;
} units[] = {
#define ROW(name, dimension, factor) { name, dimension, (double)(factor) },
    UNIT_TABLE(ROW)
#undef ROW
};
#define ROW(name, dimension, factor) name,
const char *const alert_unit_names[] = { UNIT_TABLE(ROW) NULL };
#undef ROW

const struct alert_metric *
alert_metric_find(str name)
{
    for (const struct alert_metric *metric = alert_metrics; metric->name != NULL; metric++) {
        if (str_is(name, metric->name))
            return metric;
    }
    return NULL;
}

bool
alert_metric_is_meant(const struct alert_metric *metric, bool is_for_analytics)
{
    return !is_for_analytics || strcmp(metric->name, BEHIND) != 0;
}

bool
alert_unit_find(enum alert_dimension dimension, str name, double *ret_factor)
{
    for (size_t i = 0; i < LENGTH(units); i++) {
        if (units[i].dimension == dimension && str_is(name, units[i].name)) {
            *ret_factor = units[i].factor;
            return true;
        }
    }
    return false;
}

const char *
alert_unit_fallback(enum alert_dimension dimension)
{
    static const char *const names[ALERT_DIMENSIONS] = { "RAW", "BYTES", "HOURS" };
    return names[dimension];
}

bool
alert_threshold_read(const json_t *document, struct alert_threshold *ret_threshold)
{
    const struct alert_metric *metric = alert_metric_find(json_str(json_object_get(document, "metricName")));
    *ret_threshold = (struct alert_threshold){ .metric = metric };
    ret_threshold->is_less = str_is(json_str(json_object_get(document, "operator")), "LESS_THAN");
    ret_threshold->threshold = json_number_value(json_object_get(document, "threshold"));
    ret_threshold->units = json_str(json_object_get(document, "units"));
    return metric != NULL && json_is_number(json_object_get(document, "threshold")) &&
           alert_unit_find(metric->dimension, ret_threshold->units, &ret_threshold->factor);
}

bool
alert_threshold_is_passed(const struct alert_threshold *threshold, double value)
{
    double limit = threshold->threshold * threshold->factor;
    return threshold->is_less ? value < limit : value > limit;
}
