/* SPDX-License-Identifier: Apache-2.0 */
#include "family/monitor/span.h"

#include "base/clock.h"
#include "base/date.h"
#include "store/monitor/monitor.h"

enum { SECOND_MS = 1000, MINUTE_MS = 60 * SECOND_MS, HOUR_MS = 60 * MINUTE_MS };
static const int64_t day_ms = 24 * (int64_t)HOUR_MS;

/* Shortest first. */
static const struct grain {
    const char *name;
    int64_t length_ms;
    int64_t reach_days; /* how long it can be asked for; 0: for ever */
} grains[] = {
    { "PT10S", 10 * SECOND_MS, SAMPLES_RAW_DAYS }, { "PT1M", MINUTE_MS, SAMPLES_RAW_DAYS },
    { "PT5M", 5 * MINUTE_MS, SAMPLES_RAW_DAYS },   { "PT1H", HOUR_MS, MONITOR_HOUR_DAYS },
    { "P1D", 24 * (int64_t)HOUR_MS, 0 },
};

static error
wrong(struct request *req, const char *parameter, str why)
{
    return fail(req->arena, INVALID_QUERY_PARAMETER, V(parameter), V(why));
}

/* ---- How long ---- */
/* A number before this letter, of the beginning of *rest; 0 when there is none. */
static int64_t
take_number(str *rest, char letter)
{
    ptrdiff_t at = str_find(*rest, letter);
    int64_t number = 0;
    if (at <= 0 || !str_to_int(str_slice(*rest, 0, (size_t)at), 0, 1000000, &number))
        return 0;
    *rest = str_slice(*rest, (size_t)at + 1, rest->len);
    return number;
}

/* "P1DT2H3M"; its form was checked by the table of fields. */
static int64_t
period_ms(str text)
{
    str time = str_slice(text, 1, text.len), date = str_cut(&time, 'T');
    int64_t days = take_number(&date, 'D'), hours = take_number(&time, 'H'), minutes = take_number(&time, 'M');
    return days * day_ms + hours * HOUR_MS + minutes * MINUTE_MS;
}

/* ---- From when to when ---- */
static error
read_dates(struct request *req, str start, str end, int64_t *ret_from_ms, int64_t *ret_to_ms)
{
    if (start.len == 0)
        return wrong(req, "start", STR("it is missing: give start and end, or period"));
    if (end.len == 0)
        return wrong(req, "end", STR("it is missing: give start and end, or period"));
    if (!date_parse(start, ret_from_ms) || !date_parse(end, ret_to_ms))
        return wrong(req, "start", STR("it must be a date"));
    if (*ret_from_ms >= *ret_to_ms)
        return wrong(req, "end", STR("it must be after start"));
    return OK;
}

static error
read_times(struct request *req, int64_t now_ms, int64_t *ret_from_ms, int64_t *ret_to_ms)
{
    str period = request_query(req, "period"), start = request_query(req, "start"), end = request_query(req, "end");
    if (period.len == 0 && start.len == 0 && end.len == 0)
        return wrong(req, "period", STR("it is missing: give period, or start and end"));
    if (period.len > 0 && (start.len > 0 || end.len > 0))
        return wrong(req, "period", STR("send either period, or start and end"));
    if (period.len == 0)
        return read_dates(req, start, end, ret_from_ms, ret_to_ms);
    int64_t length_ms = period_ms(period);
    if (length_ms == 0)
        return wrong(req, "period", STR("it must be at least a minute, such as PT1M"));
    *ret_to_ms = now_ms;
    *ret_from_ms = length_ms < now_ms ? now_ms - length_ms : 0;
    return OK;
}

/* ---- How much ---- */
static error
check_reach(struct request *req, const struct grain *grain, int64_t from_ms, int64_t now_ms)
{
    if (grain->reach_days == 0 || from_ms >= now_ms - grain->reach_days * day_ms - HOUR_MS)
        return OK;
    return wrong(req, "granularity",
                 str_format(req->arena, "%s reaches back %d days: ask for %s", grain->name, (int)grain->reach_days,
                            grain->reach_days == SAMPLES_RAW_DAYS ? "PT1H or P1D" : "P1D"));
}

static error
check_size(struct request *req, const char *parameter, const struct grain *grain, const struct steps *steps,
           size_t series_count)
{
    int64_t points = (int64_t)steps->count * (int64_t)series_count;
    int64_t read =
        grain->length_ms < HOUR_MS ? (steps->end_ms - steps->start_ms) / SAMPLES_EVERY_MS * (int64_t)series_count : 0;
    const char *longer = grain->reach_days == 0 ? "a shorter time" : grain[1].name;
    if (points > MEASUREMENTS_MOST_POINTS)
        return wrong(req, parameter,
                     str_format(req->arena,
                                "that would be %lld values, and an answer has %d at most: ask for fewer metrics, a "
                                "shorter time or %s",
                                (long long)points, MEASUREMENTS_MOST_POINTS, longer));
    if (read > SAMPLES_MOST)
        return wrong(req, parameter,
                     str_format(req->arena,
                                "%lld points would have to be read, and %d can be: ask for fewer metrics, a shorter "
                                "time or PT1H",
                                (long long)read, SAMPLES_MOST));
    return OK;
}

/* `parameter` is what the caller can change when it is too much. */
static error
finish(struct request *req, const char *parameter, const struct grain *grain, int64_t from_ms, int64_t to_ms,
       int64_t now_ms, size_t series_count, struct steps *ret_steps)
{
    to_ms = to_ms % grain->length_ms == 0 ? to_ms : to_ms - to_ms % grain->length_ms + grain->length_ms;
    *ret_steps = steps_over(from_ms, to_ms < now_ms ? to_ms : now_ms, grain->length_ms);
    return check_size(req, parameter, grain, ret_steps, series_count);
}

static error
check_past(struct request *req, int64_t from_ms, int64_t now_ms)
{
    if (from_ms < 0 || from_ms >= now_ms)
        return wrong(req, "start", STR("it must be in the past, and after 1970"));
    return OK;
}

error
span_read(struct request *req, size_t series_count, struct steps *ret_steps)
{
    int64_t now_ms = clock_now_ms() / SECOND_MS * SECOND_MS, from_ms, to_ms;
    const struct grain *grain = grains;
    while (!str_is(request_query(req, "granularity"), grain->name)) {
        if (++grain == grains + LENGTH(grains))
            return wrong(req, "granularity", STR("it is missing"));
    }
    TRY(read_times(req, now_ms, &from_ms, &to_ms));
    TRY(check_past(req, from_ms, now_ms));
    TRY(check_reach(req, grain, from_ms, now_ms));
    return finish(req, "granularity", grain, from_ms, to_ms, now_ms, series_count, ret_steps);
}

/* ---- Where nobody says how long steps are ---- */
enum { BY_MINUTES = 1, FINE_DAYS = 2 };

/* The shortest that reaches so far, and gives no more values than a picture has points. Nothing is looked at more often than every minute. */
static const struct grain *
choose_grain(int64_t from_ms, int64_t to_ms, int64_t now_ms)
{
    const struct grain *grain = &grains[BY_MINUTES];
    if (to_ms - from_ms > FINE_DAYS * day_ms)
        grain++;
    while (grain->reach_days > 0 && from_ms < now_ms - grain->reach_days * day_ms)
        grain++;
    return grain;
}

error
span_choose(struct request *req, size_t series_count, const char **ret_granularity, struct steps *ret_steps)
{
    int64_t now_ms = clock_now_ms() / SECOND_MS * SECOND_MS, from_ms = now_ms - day_ms, to_ms = now_ms;
    bool is_asked = request_query(req, "period").len > 0 || request_query(req, "start").len > 0 ||
                    request_query(req, "end").len > 0;
    if (is_asked)
        TRY(read_times(req, now_ms, &from_ms, &to_ms));
    TRY(check_past(req, from_ms, now_ms));
    const struct grain *grain = choose_grain(from_ms, to_ms < now_ms ? to_ms : now_ms, now_ms);
    *ret_granularity = grain->name;
    return finish(req, "period", grain, from_ms, to_ms, now_ms, series_count, ret_steps);
}
