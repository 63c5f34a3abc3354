/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables by how much they did. Of up to a day it is counted from points; of longer times by whole hours, and of those that are no longer
 * kept by whole days, as far as they are made; the rest from points.
 */
#include <stdlib.h>

#include "api/api.h"
#include "base/clock.h"
#include "base/json.h"
#include "family/monitor/span.h"
#include "family/monitor/table_statistics.h"
#include "family/monitor/table_view.h"

enum { MOST_RANKED = 20, MOST_OF_A_MEMBER = 200, MOST_NAMES = 4000, DOCUMENT_BYTES = 128 * 1024 };
static const int64_t day_ms = 24 * (int64_t)STEPS_HOUR_MS;

struct ranked {
    str name;
    double total;
    bool is_pinned;
};

struct ranking {
    struct request *req;
    struct viewed viewed;
    struct steps steps;
    size_t count;
    struct ranked *items;
};

/* There is always room for those that are pinned. */
static void
add(struct ranking *ranking, str name, double total)
{
    bool is_pinned = table_view_has_pinned(&ranking->viewed, name);
    size_t i = 0;
    while (i < ranking->count && !str_eq(ranking->items[i].name, name))
        i++;
    if (i == ranking->count && i >= MOST_NAMES && !is_pinned)
        return;
    if (i == ranking->count)
        ranking->items[ranking->count++] = (struct ranked){ .name = name, .is_pinned = is_pinned };
    ranking->items[i].total += total;
}

/* ---- From points ---- */
static error
add_points(struct ranking *ranking, id member, struct steps steps)
{
    static const struct metric *const metrics[] = { &metric_table[M_TOTAL_OPS] };
    struct request *req = ranking->req;
    struct sample_query query = { .project = req->project,
                                  .member = member,
                                  .all_names = true,
                                  .metric_count = LENGTH(metrics),
                                  .metrics = metrics,
                                  .from_ms = steps_look_back_ms(&steps),
                                  .to_ms = steps.end_ms };
    struct series_list list;
    struct step *values = ARENA_ARRAY(req->arena, struct step, steps.count + 1);
    if (values == NULL)
        return fail(req->arena, OVERLOADED);
    TRY(samples_read(req->api->monitor, req->arena, &query, &list));
    for (size_t i = 0; i < list.count; i++) {
        double total = 0;
        memset(values, 0, steps.count * sizeof(*values));
        steps_add(&steps, &list.items[i], values);
        for (size_t step = 0; step < steps.count; step++)
            total += values[step].sum;
        if (total > 0)
            add(ranking, list.items[i].name, total);
    }
    return OK;
}

/* ---- From hours and days ---- */
static error
add_rows(struct ranking *ranking, id member, enum monitor_span span, int64_t from_ms, int64_t to_ms)
{
    struct request *req = ranking->req;
    struct rows rows;
    if (from_ms >= to_ms)
        return OK;
    TRY(store_monitor_rank(req->api->store, req->arena, span, req->project, member, M_TOTAL_OPS, from_ms, to_ms,
                           MOST_OF_A_MEMBER, &rows));
    for (int row = 0; row < rows.count; row++)
        add(ranking, rows_text(&rows, row, C_NAME), strtod(rows_text(&rows, row, C_TOTAL).data, NULL));
    return OK;
}

static int64_t
later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t
earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static error
add_hours(struct ranking *ranking, id member)
{
    struct request *req = ranking->req;
    const struct steps *steps = &ranking->steps;
    int64_t made_ms, start_ms = steps->start_ms - steps->start_ms % STEPS_HOUR_MS, end_ms = steps->end_ms;
    int64_t oldest_ms = clock_now_ms() - SAMPLES_RAW_DAYS * day_ms;
    id last;
    TRY(store_monitor_cursor(req->api->store, req->arena, &made_ms, &last));
    int64_t days_ms = steps->length_ms == day_ms ? earlier(made_ms - made_ms % day_ms, end_ms) : start_ms;
    TRY(add_rows(ranking, member, MONITOR_DAYS, start_ms, days_ms));
    TRY(add_rows(ranking, member, MONITOR_HOURS, later(days_ms, start_ms), earlier(made_ms, end_ms)));
    int64_t rest_ms = later(later(made_ms, start_ms), oldest_ms);
    return rest_ms >= end_ms ? OK : add_points(ranking, member, steps_over(rest_ms, end_ms, STEPS_HOUR_MS));
}

/* ---- The answer ---- */
static int
compare(const void *first, const void *second)
{
    const struct ranked *a = first, *b = second;
    return a->total > b->total ? -1 : a->total < b->total ? 1 : str_compare(a->name, b->name);
}

/* The busiest, and all that are pinned, wherever they stand. */
static str
document_of(struct ranking *ranking, str identifier)
{
    struct buf out = buf_in(ranking->req->arena, DOCUMENT_BYTES);
    size_t busiest = 0;
    const char *comma = "";
    buf_format(&out, "{\"groupId\":\"%s\",\"identifierId\":", id_text(ranking->req->arena, ranking->req->project).data);
    buf_add_json(&out, identifier);
    buf_add(&out, STR(",\"rankedNamespaces\":["));
    for (size_t i = 0; i < ranking->count; i++) {
        const struct ranked *one = &ranking->items[i];
        if (!one->is_pinned && busiest++ >= MOST_RANKED)
            continue;
        buf_add_text(&out, comma);
        buf_add_json(&out, one->name);
        comma = ",";
    }
    buf_add(&out, STR("]}"));
    return buf_str(&out);
}

static error
rank(struct request *req, bool is_of_cluster)
{
    struct ranking ranking = { .req = req,
                               .items = ARENA_ARRAY(req->arena, struct ranked, MOST_NAMES + TABLE_MOST_PINNED) };
    const char *granularity;
    size_t i;
    json_t *name;
    if (ranking.items == NULL)
        return fail(req->arena, OVERLOADED);
    TRY(table_view_find(req, &ranking.viewed));
    TRY(span_choose(req, 1, &granularity, &ranking.steps));
    bool is_short = ranking.steps.length_ms < STEPS_HOUR_MS &&
                    ranking.steps.end_ms - ranking.steps.start_ms < day_ms + STEPS_HOUR_MS;
    for (i = 0; i < ranking.viewed.count; i++) {
        id member = ranking.viewed.members[i].id;
        TRY(is_short ? add_points(&ranking, member, ranking.steps) : add_hours(&ranking, member));
    }
    json_array_foreach(ranking.viewed.pinned, i, name)
    {
        add(&ranking, json_str(name), 0);
    }
    if (ranking.count > 0)
        qsort(ranking.items, ranking.count, sizeof(*ranking.items), compare);
    answer_entity(req,
                  document_of(&ranking, is_of_cluster ? id_text(req->arena, ranking.viewed.cluster)
                                                      : request_path_value(req, "processId")),
                  0);
    return OK;
}

error
process_tables_rank(struct request *req)
{
    return rank(req, false);
}

error
cluster_tables_rank(struct request *req)
{
    return rank(req, true);
}
