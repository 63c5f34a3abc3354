/* SPDX-License-Identifier: Apache-2.0 */
/* From points in the stores to minutes of one member. */
#include <math.h>

#include "job/cluster/scaling.h"
#include "monitor/steps.h"

enum {
    LATE_MS = 15 * 1000,         /* agents send every ten seconds */
    OWN_PARTITION_PERCENT = 135, /* a volume of 1 GB has 131: docs/internals/volumes.md */
    BESIDE_PERCENT =
        10, /* of a disk, that is neither a table nor free: its file system, the reserve, temporary files */
};
#define BESIDE_GB 0.25

static const double gigabyte = 1024.0 * 1024 * 1024;

/* The columns of a member's minutes. */
enum { CPU_USER, CPU_KERNEL, MEMORY, CONNECTIONS, SPACE_USED, SPACE_FREE, COLUMNS };
static const enum metric_number columns[COLUMNS] = {
    [CPU_USER] = M_PROCESS_NORMALIZED_CPU_USER,
    [CPU_KERNEL] = M_PROCESS_NORMALIZED_CPU_KERNEL,
    [MEMORY] = M_MEMORY_RESIDENT,
    [CONNECTIONS] = M_CONNECTIONS,
    [SPACE_USED] = M_DISK_PARTITION_SPACE_USED,
    [SPACE_FREE] = M_DISK_PARTITION_SPACE_FREE,
};

int64_t
scaling_end_ms(int64_t now_ms)
{
    int64_t end_ms = now_ms - LATE_MS;
    return end_ms - end_ms % SCALING_MINUTE_MS;
}

static void
forget(struct scaling_member *member)
{
    for (int i = 0; i < SCALING_MINUTES; i++)
        member->cpu_percent[i] = member->memory_mb[i] = member->connections[i] = member->disk_gb[i] = NAN;
}

static void
read_column(const struct steps *steps, const struct series_list *list, const struct metric *metric,
            double values[SCALING_MINUTES])
{
    struct step sums[SCALING_MINUTES] = { { 0 } };
    for (size_t i = 0; i < list->count; i++) { /* a member has one disk, and so one series of each */
        if (list->items[i].metric == metric)
            steps_add(steps, &list->items[i], sums);
    }
    for (int i = 0; i < SCALING_MINUTES; i++) {
        double value;
        values[i] = steps_value(steps, metric, sums, (size_t)i, &value) ? value : NAN;
    }
}

/* What all databases take, by the last that was measured of each. NAN: of none anything was. */
static double
databases_gb(const struct series_list *list, int64_t from_ms)
{
    double bytes = NAN;
    for (size_t i = 0; i < list->count; i++) {
        const struct series *series = &list->items[i];
        if (series->metric->number != M_DATABASE_STORAGE_SIZE || series->count == 0)
            continue;
        const struct sample *last = &series->samples[series->count - 1];
        if (last->at_ms >= from_ms)
            bytes = (isnan(bytes) ? 0 : bytes) + last->value;
    }
    return bytes / gigabyte;
}

/*
 * A member with a disk of its own fills that. On a disk of several, its databases are what is its own. Which it is can only be guessed from the size, so nothing of others
 * counts for much: they would make it larger, and its owner pay.
 */
static void
read_disk(const struct series_list *list, double used[SCALING_MINUTES], double space[SCALING_MINUTES], int64_t end_ms,
          int64_t disk_gb, struct scaling_member *member)
{
    enum { LAST = SCALING_MINUTES - 1 };
    bool is_own = false;
    for (int i = 0; i < SCALING_MINUTES; i++) {
        double whole_gb = (used[i] + space[i]) / gigabyte;
        is_own = isnan(whole_gb) ? is_own : whole_gb <= (double)disk_gb * OWN_PARTITION_PERCENT / 100;
    }
    double databases = databases_gb(list, end_ms - SCALING_DISK_MINUTES * SCALING_MINUTE_MS);
    double most = databases + BESIDE_GB + (double)disk_gb * BESIDE_PERCENT / 100;
    for (int i = 0; is_own && i < SCALING_MINUTES; i++)
        member->disk_gb[i] = used[i] / gigabyte < most || isnan(most) ? used[i] / gigabyte : most;
    if (!is_own)
        member->disk_gb[LAST] = databases;
}

error
scaling_measure(struct sweep_context *context, id project, id member, int64_t end_ms, int64_t disk_gb,
                struct scaling_member *ret_member)
{
    enum { ARENA_BYTES = 64 * 1024 * 1024 };
    const struct metric *metrics[COLUMNS + 1];
    double values[COLUMNS][SCALING_MINUTES];
    struct series_list list;
    struct steps steps = steps_over(end_ms - SCALING_MINUTES * SCALING_MINUTE_MS, end_ms, SCALING_MINUTE_MS);
    struct sample_query query = { .project = project,
                                  .member = member,
                                  .all_names = true,
                                  .metric_count = COLUMNS + 1,
                                  .metrics = metrics,
                                  .from_ms = steps_look_back_ms(&steps),
                                  .to_ms = end_ms - 1 };
    forget(ret_member);
    if (monitor_stores_count(context->environment->monitor) == 0)
        return OK;
    for (int i = 0; i < COLUMNS; i++)
        metrics[i] = &metric_table[columns[i]];
    metrics[COLUMNS] = &metric_table[M_DATABASE_STORAGE_SIZE];
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(ARENA_BYTES);
    if (arena == NULL)
        return fail(context->arena, OVERLOADED);
    error problem = samples_read(context->environment->monitor, arena, &query, &list);
    if (problem != OK && problem->code == MEASUREMENTS_UNAVAILABLE)
        return failure_new(context->arena, problem->code, problem->parameter_count, problem->parameters);
    if (problem != OK)
        return OK; /* thousands of databases: nothing is decided about what cannot be read */
    for (int i = 0; i < COLUMNS; i++)
        read_column(&steps, &list, metrics[i], values[i]);
    for (int i = 0; i < SCALING_MINUTES; i++) {
        ret_member->cpu_percent[i] = values[CPU_USER][i] + values[CPU_KERNEL][i];
        ret_member->memory_mb[i] = values[MEMORY][i] / (1024 * 1024);
        ret_member->connections[i] = values[CONNECTIONS][i];
    }
    read_disk(&list, values[SPACE_USED], values[SPACE_FREE], end_ms, disk_gb, ret_member);
    return OK;
}
