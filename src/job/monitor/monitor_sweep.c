/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes hours and days of measurements from the points that stores keep for eight days (docs/internals/monitor.md). An hour is made some
 * minutes after its end, for all members in the order of their ids; a cursor says how far that came. Points that come later mark
 * their hour, and it is made again; so is an hour with gaps that a store which is away could fill. Whatever is made twice comes to the same.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "job/kinds.h"
#include "monitor/steps.h"
#include "store/monitor/monitor.h"

enum {
    READY_AFTER_MS = 5 * 60 * 1000,
    MEMBERS_AT_ONCE = 8, /* a transaction waits while their points are read */
    LATE_AT_ONCE = 8,
    RUN_MS = 60 * 1000, /* a sweep that takes longer goes on in its next run */
    BATCH_ARENA_BYTES = 64 * 1024 * 1024,
    ARRAY_BYTES = METRIC_COUNT * 40,
};

static int64_t
now_ms(const struct sweep_context *context)
{
    return context->environment->now_ms != NULL ? context->environment->now_ms() : clock_now_ms();
}

/* ---- One member's hour ---- */
struct hour {
    struct arena *arena;
    struct tx *tx;
    id project, member;
    int64_t at_ms;
};

static error
read_hour(struct sweep_context *context, const struct hour *hour, const struct steps *steps,
          struct series_list *ret_list)
{
    const struct metric *metrics[METRIC_COUNT];
    struct sample_query query = { .project = hour->project,
                                  .member = hour->member,
                                  .all_names = true,
                                  .metrics = metrics,
                                  .from_ms = steps_look_back_ms(steps),
                                  .to_ms = steps->end_ms - 1 };
    for (size_t i = 0; i < METRIC_COUNT; i++)
        metrics[query.metric_count++] = &metric_table[i];
    error problem = samples_read(context->environment->monitor, hour->arena, &query, ret_list);
    if (problem == OK || problem->code != MEASUREMENTS_TOO_MANY)
        return problem;
    /* Thousands of databases: then only the server's own. Nobody else has to wait for it. */
    log_line(LOG_WARNING, "monitor_hour_cut", "A member has too many databases or tables to keep hours of them.");
    query.metric_count = 0;
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        if (metric_table[i].scope == METRIC_PROCESS)
            metrics[query.metric_count++] = &metric_table[i];
    }
    return samples_read(context->environment->monitor, hour->arena, &query, ret_list);
}

static error
put_row(const struct hour *hour, enum metric_scope scope, str name, const struct step values[METRIC_COUNT])
{
    struct buf sums = buf_in(hour->arena, ARRAY_BYTES), counts = buf_in(hour->arena, ARRAY_BYTES);
    char letter[] = { metric_scope_letter(scope), '\0' };
    struct monitor_row_of of = { .member = hour->member, .scope = { letter, 1 }, .name = name };
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        buf_add_char(&sums, i == 0 ? '{' : ',');
        buf_add_char(&counts, i == 0 ? '{' : ',');
        if (values[i].count > 0) {
            buf_format(&sums, "%.17g", values[i].sum);
            buf_format(&counts, "%lld", (long long)values[i].count);
        } else { /* takes no room: a table has three metrics of more than eighty */
            buf_add(&sums, STR("NULL"));
            buf_add(&counts, STR("NULL"));
        }
    }
    buf_add_char(&sums, '}');
    buf_add_char(&counts, '}');
    return store_monitor_hour_put(hour->tx, &of, hour->at_ms, buf_str(&sums), buf_str(&counts));
}

/* What has the same scope and name is one row. */
static int
compare_things(const void *first, const void *second)
{
    const struct series *a = first, *b = second;
    if (a->metric->scope != b->metric->scope)
        return a->metric->scope < b->metric->scope ? -1 : 1;
    return str_compare(a->name, b->name);
}

/* Of what stores are about to forget an hour would be made that has less than the one before. */
static bool
is_kept_longer(const struct sweep_context *context, const struct hour *hour)
{
    return hour->at_ms > now_ms(context) - (int64_t)(SAMPLES_RAW_DAYS - 1) * 24 * STEPS_HOUR_MS;
}

static error
make_hour(struct sweep_context *context, const struct hour *hour)
{
    struct steps steps = steps_over(hour->at_ms, hour->at_ms + STEPS_HOUR_MS, STEPS_HOUR_MS);
    struct series_list list;
    TRY(read_hour(context, hour, &steps, &list));
    if (list.count > 0)
        qsort(list.items, list.count, sizeof(*list.items), compare_things);
    for (size_t from = 0, to; from < list.count; from = to) {
        struct step values[METRIC_COUNT] = { { 0 } };
        bool has_any = false;
        for (to = from; to < list.count && compare_things(&list.items[from], &list.items[to]) == 0; to++) {
            struct step *value = &values[list.items[to].metric->number];
            steps_add(&steps, &list.items[to], value);
            has_any |= value->count > 0;
        }
        if (has_any)
            TRY(put_row(hour, list.items[from].metric->scope, list.items[from].name, values));
    }
    if (list.count > 0)
        TRY(store_monitor_day_make(hour->tx, hour->member, hour->at_ms));
    return list.is_partial && is_kept_longer(context, hour)
               ? store_monitor_late_again(hour->tx, hour->member, hour->at_ms)
               : OK;
}

/* ---- Hour by hour ---- */
/* Rows, day and cursor are committed together. */
static error
make_batch(struct sweep_context *context, struct arena *arena, int64_t at_ms, id after, bool *ret_is_last)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct monitored_member *members;
    size_t count;
    TRY(store_monitor_members(context->store, arena, after, MEMBERS_AT_ONCE, &members, &count));
    TRY(tx_begin_service(context->store, arena, &tx));
    for (size_t i = 0; i < count; i++) {
        struct arena *own CLEANUP(arena_cleanup) = arena_new(BATCH_ARENA_BYTES);
        struct hour hour = {
            .arena = own, .tx = tx, .project = members[i].project, .member = members[i].member, .at_ms = at_ms
        };
        if (own == NULL)
            return fail(arena, OVERLOADED);
        error problem = make_hour(context, &hour);
        if (problem != OK)
            return failure_new(arena, problem->code, problem->parameter_count, problem->parameters);
    }
    *ret_is_last = count < MEMBERS_AT_ONCE;
    if (*ret_is_last)
        TRY(store_monitor_cursor_set(tx, at_ms + STEPS_HOUR_MS, ID_NONE));
    else
        TRY(store_monitor_cursor_set(tx, at_ms, members[count - 1].member));
    return tx_commit(tx);
}

/* Where to go on. What the stores have no points of any more is left out, and in the beginning nothing was measured. */
static error
find_place(struct sweep_context *context, int64_t *ret_at_ms, id *ret_after)
{
    int64_t now = now_ms(context), this_hour = now - now % STEPS_HOUR_MS;
    int64_t oldest = this_hour - (int64_t)SAMPLES_RAW_DAYS * 24 * STEPS_HOUR_MS;
    TRY(store_monitor_cursor(context->store, context->arena, ret_at_ms, ret_after));
    if (*ret_at_ms == 0)
        *ret_at_ms = this_hour - STEPS_HOUR_MS;
    if (*ret_at_ms < oldest) {
        *ret_at_ms = oldest;
        *ret_after = ID_NONE;
    }
    return OK;
}

static error
make_hours(struct sweep_context *context, int64_t until_steady_ms)
{
    int64_t at_ms;
    id after;
    bool is_last;
    TRY(find_place(context, &at_ms, &after));
    while (at_ms + STEPS_HOUR_MS + READY_AFTER_MS <= now_ms(context) && clock_steady_ms() < until_steady_ms) {
        struct arena *arena CLEANUP(arena_cleanup) = arena_new(BATCH_ARENA_BYTES);
        if (arena == NULL)
            return fail(context->arena, OVERLOADED);
        error problem = make_batch(context, arena, at_ms, after, &is_last);
        if (problem != OK)
            return failure_new(context->arena, problem->code, problem->parameter_count, problem->parameters);
        TRY(find_place(context, &at_ms, &after));
    }
    return OK;
}

/* ---- Points that came late ---- */
static error
make_late(struct sweep_context *context, struct arena *arena, size_t *ret_count)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct late_hour *late;
    TRY(tx_begin_service(context->store, arena, &tx));
    TRY(store_monitor_late_take(tx, LATE_AT_ONCE, &late, ret_count));
    for (size_t i = 0; i < *ret_count; i++) {
        struct arena *own CLEANUP(arena_cleanup) = arena_new(BATCH_ARENA_BYTES);
        struct hour hour = {
            .arena = own, .tx = tx, .project = late[i].project, .member = late[i].member, .at_ms = late[i].at_ms
        };
        if (own == NULL)
            return fail(arena, OVERLOADED);
        error problem = make_hour(context, &hour);
        if (problem != OK)
            return failure_new(arena, problem->code, problem->parameter_count, problem->parameters);
    }
    return tx_commit(tx);
}

static error
make_all(struct sweep_context *context)
{
    int64_t until = clock_steady_ms() + RUN_MS;
    size_t count = LATE_AT_ONCE;
    int64_t at_ms;
    id after;
    TRY(find_place(context, &at_ms, &after)); /* without a database it says so, stores or none */
    if (monitor_stores_count(context->environment->monitor) == 0)
        return OK;
    TRY(make_hours(context, until));
    while (count == LATE_AT_ONCE && clock_steady_ms() < until) {
        struct arena *arena CLEANUP(arena_cleanup) = arena_new(BATCH_ARENA_BYTES);
        error problem = arena == NULL ? fail(context->arena, OVERLOADED) : make_late(context, arena, &count);
        if (problem != OK)
            return failure_new(context->arena, problem->code, problem->parameter_count, problem->parameters);
    }
    return OK;
}

const struct sweep measurements_sweep = {
    .name = "measurements",
    .doc = "Makes hours and days of measurements.",
    .every_s = 60,
    .run = make_all,
};
