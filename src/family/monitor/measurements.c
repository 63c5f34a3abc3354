/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Series over time. Steps shorter than an hour are made from points, which the stores keep for eight days. Hours and days come from the
 * database as far as they are made, and the rest from points, hour by hour, so that both say the same.
 */
#include <stdlib.h>

#include "api/api.h"
#include "base/clock.h"
#include "base/date.h"
#include "family/monitor/metrics.h"
#include "family/monitor/process.h"
#include "family/monitor/span.h"

enum { POINT_BYTES = 80, HEAD_BYTES = 16 * 1024 };

struct asked {
    struct request *req;
    id member;
    enum metric_scope scope;
    const char *field; /* of the answer, for the name; NULL: of the server itself */
    str name;
    size_t count; /* of metrics */
    const struct metric *metrics[METRIC_COUNT];
    struct steps steps;
    struct step *values; /* metric by metric */
};

static struct step *
values_of(const struct asked *asked, size_t metric)
{
    return asked->values + metric * asked->steps.count;
}

/* ---- Which metrics ---- */
static bool
has(const struct asked *asked, const struct metric *metric)
{
    for (size_t i = 0; i < asked->count; i++) {
        if (asked->metrics[i] == metric)
            return true;
    }
    return false;
}

/* In the order in which they were named; without any, all of the scope. Names were checked by the table of fields. */
static void
choose_metrics(struct asked *asked)
{
    const struct request *req = asked->req;
    for (size_t i = 0; i < req->query_count; i++) {
        const struct metric *metric = str_is(req->query[i].name, "m") ? metric_find(req->query[i].value) : NULL;
        if (metric != NULL && metric->scope == asked->scope && !has(asked, metric))
            asked->metrics[asked->count++] = metric;
    }
    bool is_chosen = asked->count > 0;
    for (size_t i = 0; !is_chosen && i < METRIC_COUNT; i++) {
        if (metric_table[i].scope == asked->scope)
            asked->metrics[asked->count++] = &metric_table[i];
    }
}

/* ---- From points ---- */
static error
read_points(const struct asked *asked, const struct steps *steps, struct series_list *ret_list)
{
    struct sample_query query = { .project = asked->req->project,
                                  .member = asked->member,
                                  .name = asked->name,
                                  .metric_count = asked->count,
                                  .metrics = asked->metrics,
                                  .from_ms = steps_look_back_ms(steps),
                                  .to_ms = steps->end_ms };
    return samples_read(asked->req->api->monitor, asked->req->arena, &query, ret_list);
}

static error
fill_from_points(const struct asked *asked)
{
    struct series_list list;
    TRY(read_points(asked, &asked->steps, &list));
    for (size_t i = 0; i < asked->count; i++) {
        const struct series *series = series_find(&list, asked->metrics[i], asked->name);
        if (series != NULL)
            steps_add(&asked->steps, series, values_of(asked, i));
    }
    return OK;
}

/* ---- From hours and days ---- */
static void
add(const struct asked *asked, size_t metric, int64_t at_ms, struct step more)
{
    int64_t index = (at_ms - asked->steps.start_ms) / asked->steps.length_ms;
    if (at_ms < asked->steps.start_ms || index >= (int64_t)asked->steps.count)
        return;
    values_of(asked, metric)[index].sum += more.sum;
    values_of(asked, metric)[index].count += more.count;
}

static str
numbers_of(const struct asked *asked)
{
    struct buf out = buf_in(asked->req->arena, METRIC_COUNT * 8);
    for (size_t i = 0; i < asked->count; i++)
        buf_format(&out, "%s%u", i > 0 ? "," : "", asked->metrics[i]->number);
    return buf_str(&out);
}

static error
fill_from_rows(const struct asked *asked, enum monitor_span span, int64_t from_ms, int64_t to_ms)
{
    char letter[] = { metric_scope_letter(asked->scope), '\0' };
    struct monitor_row_of of = { .member = asked->member, .scope = { letter, 1 }, .name = asked->name };
    const struct request *req = asked->req;
    struct rows rows;
    if (from_ms >= to_ms)
        return OK;
    TRY(store_monitor_list(req->api->store, req->arena, span, req->project, &of, numbers_of(asked), from_ms, to_ms,
                           &rows));
    for (int row = 0; row < rows.count; row++) {
        str metrics = rows_text(&rows, row, C_METRICS);
        for (size_t i = 0; i < asked->count; i++) {
            str one = str_cut(&metrics, ','), sum = str_cut(&one, ':');
            struct step step = { .sum = strtod(sum.data, NULL), .count = strtoll(one.data, NULL, 10) };
            add(asked, i, rows_int(&rows, row, C_AT_MS), step);
        }
    }
    return OK;
}

/* Hours that are not made yet, as they will be. */
static error
fill_the_rest(const struct asked *asked, int64_t from_ms)
{
    struct arena *arena = asked->req->arena;
    struct steps hours = steps_over(from_ms, asked->steps.end_ms, STEPS_HOUR_MS);
    struct series_list list;
    struct step *values = ARENA_ARRAY(arena, struct step, hours.count + 1);
    if (hours.count == 0)
        return OK;
    if (values == NULL)
        return fail(arena, OVERLOADED);
    TRY(read_points(asked, &hours, &list));
    for (size_t i = 0; i < asked->count; i++) {
        const struct series *series = series_find(&list, asked->metrics[i], asked->name);
        if (series == NULL)
            continue;
        memset(values, 0, hours.count * sizeof(*values));
        steps_add(&hours, series, values);
        for (size_t hour = 0; hour < hours.count; hour++)
            add(asked, i, hours.start_ms + (int64_t)hour * STEPS_HOUR_MS, values[hour]);
    }
    return OK;
}

static error
fill_from_all(const struct asked *asked)
{
    static const int64_t day_ms = 24 * (int64_t)STEPS_HOUR_MS;
    const struct request *req = asked->req;
    int64_t made_ms, oldest_ms = clock_now_ms() - SAMPLES_RAW_DAYS * day_ms, start_ms = asked->steps.start_ms;
    id last;
    TRY(store_monitor_cursor(req->api->store, req->arena, &made_ms, &last));
    int64_t days_ms = asked->steps.length_ms == day_ms ? made_ms - made_ms % day_ms : start_ms;
    TRY(fill_from_rows(asked, MONITOR_DAYS, start_ms, days_ms));
    TRY(fill_from_rows(asked, MONITOR_HOURS, days_ms > start_ms ? days_ms : start_ms, made_ms));
    int64_t rest_ms = made_ms > start_ms ? made_ms : start_ms;
    return fill_the_rest(asked, rest_ms > oldest_ms ? rest_ms : oldest_ms);
}

/* ---- The answer ---- */
static void
add_series(struct buf *out, const struct asked *asked, size_t metric, const str *dates)
{
    const struct steps *steps = &asked->steps;
    buf_format(out, "{\"name\":\"%s\",\"units\":\"%s\",\"dataPoints\":[", asked->metrics[metric]->name,
               asked->metrics[metric]->units);
    for (size_t i = 0; i < steps->count; i++) {
        double value;
        buf_add(out, i > 0 ? STR(",{\"timestamp\":\"") : STR("{\"timestamp\":\""));
        buf_add(out, dates[i]);
        buf_add(out, STR("\",\"value\":"));
        if (steps_value(steps, asked->metrics[metric], values_of(asked, metric), i, &value))
            buf_add_number(out, value);
        else
            buf_add(out, STR("null"));
        buf_add_char(out, '}');
    }
    buf_add(out, STR("]}"));
}

static void
add_text(struct buf *out, const char *name, str value)
{
    buf_format(out, "\"%s\":", name);
    buf_add_json(out, value);
    buf_add_char(out, ',');
}

/* Written once for all series. */
static const str *
dates_of(const struct asked *asked)
{
    str *dates = ARENA_ARRAY(asked->req->arena, str, asked->steps.count + 1);
    for (size_t i = 0; dates != NULL && i < asked->steps.count; i++)
        dates[i] = date_text(asked->req->arena, asked->steps.start_ms + (int64_t)i * asked->steps.length_ms);
    return dates;
}

static str
document_of(const struct asked *asked, const str *dates)
{
    struct request *req = asked->req;
    struct buf out = buf_in(req->arena, HEAD_BYTES + asked->count * (256 + asked->steps.count * POINT_BYTES));
    buf_add_char(&out, '{');
    add_text(&out, "groupId", id_text(req->arena, req->project));
    add_text(&out, "processId", request_path_value(req, "processId"));
    add_text(&out, "hostId", request_path_value(req, "processId"));
    if (asked->field != NULL)
        add_text(&out, asked->field, asked->name);
    add_text(&out, "granularity", request_query(req, "granularity"));
    add_text(&out, "start", date_text(req->arena, asked->steps.start_ms));
    add_text(&out, "end", date_text(req->arena, asked->steps.end_ms));
    buf_add(&out, STR("\"measurements\":["));
    for (size_t i = 0; i < asked->count; i++) {
        if (i > 0)
            buf_add_char(&out, ',');
        add_series(&out, asked, i, dates);
    }
    buf_add(&out, STR("]}"));
    return buf_str(&out);
}

/* ---- ---- */
static bool
is_all_empty(const struct asked *asked)
{
    for (size_t i = 0; i < asked->count * asked->steps.count; i++) {
        if (asked->values[i].count > 0)
            return false;
    }
    return true;
}

/* A database or disk of which nothing is known at all is not there. */
static error
check_name(const struct asked *asked)
{
    struct name_list names;
    if (asked->field == NULL || !is_all_empty(asked))
        return OK;
    TRY(process_names(asked->req, asked->member, asked->scope, &names));
    return name_list_has(&names, asked->name) ? OK : request_not_found(asked->req);
}

static error
measure(struct request *req, enum metric_scope scope, const char *field)
{
    struct asked *asked = ARENA_NEW(req->arena, struct asked);
    if (asked == NULL)
        return fail(req->arena, OVERLOADED);
    *asked = (struct asked){
        .req = req, .scope = scope, .field = field, .name = field == NULL ? STR_EMPTY : request_path_value(req, field)
    };
    choose_metrics(asked);
    TRY(span_read(req, asked->count, &asked->steps));
    TRY(process_find(req, &asked->member));
    asked->values = ARENA_ARRAY(req->arena, struct step, asked->count * asked->steps.count + 1);
    if (asked->values == NULL)
        return fail(req->arena, OVERLOADED);
    TRY(asked->steps.length_ms < STEPS_HOUR_MS ? fill_from_points(asked) : fill_from_all(asked));
    TRY(check_name(asked));
    const str *dates = dates_of(asked);
    if (dates == NULL)
        return fail(req->arena, OVERLOADED);
    answer_entity(req, document_of(asked, dates), 0);
    return OK;
}

error
process_measurements(struct request *req)
{
    return measure(req, METRIC_PROCESS, NULL);
}

error
database_measurements(struct request *req)
{
    return measure(req, METRIC_DATABASE, "databaseName");
}

error
disk_measurements(struct request *req)
{
    return measure(req, METRIC_DISK, "partitionName");
}
