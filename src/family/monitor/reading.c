/* SPDX-License-Identifier: Apache-2.0 */
#include "family/monitor/reading.h"

#include <stdlib.h>

#include "api/api.h"
#include "base/clock.h"
#include "base/date.h"
#include "store/monitor/monitor.h"

enum { POINT_BYTES = 80, SERIES_BYTES = 1024 };

static struct step *
values_of(const struct reading *reading, size_t metric)
{
    return reading->values + metric * reading->steps.count;
}

void
reading_add_metric(struct reading *reading, const struct metric *metric)
{
    for (size_t i = 0; i < reading->count; i++) {
        if (reading->metrics[i] == metric)
            return;
    }
    reading->metrics[reading->count++] = metric;
}

error
reading_begin(struct reading *reading)
{
    struct arena *arena = reading->req->arena;
    const struct steps *steps = &reading->steps;
    str *dates = ARENA_ARRAY(arena, str, steps->count + 1);
    reading->values = ARENA_ARRAY(arena, struct step, reading->count * steps->count + 1);
    if (reading->values == NULL || dates == NULL)
        return fail(arena, OVERLOADED);
    for (size_t i = 0; i < steps->count; i++)
        dates[i] = date_text(arena, steps->start_ms + (int64_t)i * steps->length_ms);
    reading->dates = dates;
    return OK;
}

/* ---- From points ---- */
static error
read_points(const struct reading *reading, const struct steps *steps, struct series_list *ret_list)
{
    struct sample_query query = { .project = reading->req->project,
                                  .member = reading->member,
                                  .name = reading->name,
                                  .metric_count = reading->count,
                                  .metrics = reading->metrics,
                                  .from_ms = steps_look_back_ms(steps),
                                  .to_ms = steps->end_ms };
    return samples_read(reading->req->api->monitor, reading->req->arena, &query, ret_list);
}

static error
fill_from_points(const struct reading *reading)
{
    struct series_list list;
    TRY(read_points(reading, &reading->steps, &list));
    for (size_t i = 0; i < reading->count; i++) {
        const struct series *series = series_find(&list, reading->metrics[i], reading->name);
        if (series != NULL)
            steps_add(&reading->steps, series, values_of(reading, i));
    }
    return OK;
}

/* ---- From hours and days ---- */
static void
add(const struct reading *reading, size_t metric, int64_t at_ms, struct step more)
{
    int64_t index = (at_ms - reading->steps.start_ms) / reading->steps.length_ms;
    if (at_ms < reading->steps.start_ms || index >= (int64_t)reading->steps.count)
        return;
    values_of(reading, metric)[index].sum += more.sum;
    values_of(reading, metric)[index].count += more.count;
}

static str
numbers_of(const struct reading *reading)
{
    struct buf out = buf_in(reading->req->arena, METRIC_COUNT * 8);
    for (size_t i = 0; i < reading->count; i++)
        buf_format(&out, "%s%u", i > 0 ? "," : "", reading->metrics[i]->number);
    return buf_str(&out);
}

static error
fill_from_rows(const struct reading *reading, enum monitor_span span, int64_t from_ms, int64_t to_ms)
{
    char letter[] = { metric_scope_letter(reading->scope), '\0' };
    struct monitor_row_of of = { .member = reading->member, .scope = { letter, 1 }, .name = reading->name };
    const struct request *req = reading->req;
    struct rows rows;
    if (from_ms >= to_ms)
        return OK;
    TRY(store_monitor_list(req->api->store, req->arena, span, req->project, &of, numbers_of(reading), from_ms, to_ms,
                           &rows));
    for (int row = 0; row < rows.count; row++) {
        str metrics = rows_text(&rows, row, C_METRICS);
        for (size_t i = 0; i < reading->count; i++) {
            str one = str_cut(&metrics, ','), sum = str_cut(&one, ':');
            struct step step = { .sum = strtod(sum.data, NULL), .count = strtoll(one.data, NULL, 10) };
            add(reading, i, rows_int(&rows, row, C_AT_MS), step);
        }
    }
    return OK;
}

/* Hours that are not made yet, as they will be. */
static error
fill_the_rest(const struct reading *reading, int64_t from_ms)
{
    struct arena *arena = reading->req->arena;
    struct steps hours = steps_over(from_ms, reading->steps.end_ms, STEPS_HOUR_MS);
    struct series_list list;
    struct step *values = ARENA_ARRAY(arena, struct step, hours.count + 1);
    if (hours.count == 0)
        return OK;
    if (values == NULL)
        return fail(arena, OVERLOADED);
    TRY(read_points(reading, &hours, &list));
    for (size_t i = 0; i < reading->count; i++) {
        const struct series *series = series_find(&list, reading->metrics[i], reading->name);
        if (series == NULL)
            continue;
        memset(values, 0, hours.count * sizeof(*values));
        steps_add(&hours, series, values);
        for (size_t hour = 0; hour < hours.count; hour++)
            add(reading, i, hours.start_ms + (int64_t)hour * STEPS_HOUR_MS, values[hour]);
    }
    return OK;
}

static error
fill_from_all(const struct reading *reading)
{
    static const int64_t day_ms = 24 * (int64_t)STEPS_HOUR_MS;
    const struct request *req = reading->req;
    int64_t made_ms, oldest_ms = clock_now_ms() - SAMPLES_RAW_DAYS * day_ms, start_ms = reading->steps.start_ms;
    id last;
    TRY(store_monitor_cursor(req->api->store, req->arena, &made_ms, &last));
    int64_t days_ms = reading->steps.length_ms == day_ms ? made_ms - made_ms % day_ms : start_ms;
    TRY(fill_from_rows(reading, MONITOR_DAYS, start_ms, days_ms));
    TRY(fill_from_rows(reading, MONITOR_HOURS, days_ms > start_ms ? days_ms : start_ms, made_ms));
    int64_t rest_ms = made_ms > start_ms ? made_ms : start_ms;
    return fill_the_rest(reading, rest_ms > oldest_ms ? rest_ms : oldest_ms);
}

error
reading_fill(const struct reading *reading)
{
    return reading->steps.length_ms < STEPS_HOUR_MS ? fill_from_points(reading) : fill_from_all(reading);
}

/* ---- What came of it ---- */
bool
reading_is_empty(const struct reading *reading)
{
    for (size_t i = 0; i < reading->count * reading->steps.count; i++) {
        if (reading->values[i].count > 0)
            return false;
    }
    return true;
}

size_t
reading_bytes(const struct reading *reading)
{
    return reading->count * (SERIES_BYTES + reading->steps.count * POINT_BYTES);
}

static void
add_series(struct buf *out, const struct reading *reading, size_t metric, str process)
{
    const struct steps *steps = &reading->steps;
    buf_format(out, "{\"name\":\"%s\",\"units\":\"%s\",", reading->metrics[metric]->name,
               reading->metrics[metric]->units);
    if (process.len > 0) {
        buf_add(out, STR("\"processId\":"));
        buf_add_json(out, process);
        buf_add_char(out, ',');
    }
    buf_add(out, STR("\"dataPoints\":["));
    for (size_t i = 0; i < steps->count; i++) {
        double value;
        buf_add(out, i > 0 ? STR(",{\"timestamp\":\"") : STR("{\"timestamp\":\""));
        buf_add(out, reading->dates[i]);
        buf_add(out, STR("\",\"value\":"));
        if (steps_value(steps, reading->metrics[metric], values_of(reading, metric), i, &value))
            buf_add_number(out, value);
        else
            buf_add(out, STR("null"));
        buf_add_char(out, '}');
    }
    buf_add(out, STR("]}"));
}

void
reading_add_series(struct buf *out, const struct reading *reading, str process)
{
    for (size_t i = 0; i < reading->count; i++) {
        if (i > 0)
            buf_add_char(out, ',');
        add_series(out, reading, i, process);
    }
}
