/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/maintenance.h"

enum { HOURS_OF_DAY = 24, HOURS_OF_WEEK = 7 * HOURS_OF_DAY, EPOCH_HOUR_OF_WEEK = 4 * HOURS_OF_DAY /* a Thursday */ };

static int
integer(const json_t *object, const char *name)
{
    return (int)json_integer_value(json_object_get(object, name));
}

struct maintenance
maintenance_read(const json_t *document)
{
    const json_t *hours = json_object_get(document, "protectedHours");
    const json_t *round = json_object_get(document, MAINTENANCE_ROUND);
    return (struct maintenance){
        .day = integer(document, "dayOfWeek"),
        .hour = integer(document, "hourOfDay"),
        .starts_asap = json_is_true(json_object_get(document, "startASAP")),
        .defers_once = json_is_true(json_object_get(document, "autoDeferOnceEnabled")),
        .has_protected = json_is_object(hours),
        .protected_from = integer(hours, "startHourOfDay"),
        .protected_to = integer(hours, "endHourOfDay"),
        .starts_ms = json_integer_value(json_object_get(round, "startsAt")),
        .has_begun = json_is_true(json_object_get(round, "hasBegun")),
        .deferrals = integer(document, "numberOfDeferrals"),
    };
}

void
maintenance_write_round(json_t *document, const struct maintenance *window)
{
    json_object_set_new(document, "numberOfDeferrals", json_integer(window->deferrals));
    json_object_set_new(
        document, MAINTENANCE_ROUND,
        json_pack("{s:I, s:b}", "startsAt", (json_int_t)window->starts_ms, "hasBegun", (int)window->has_begun));
}

bool
maintenance_is_protected(const struct maintenance *window, int hour)
{
    if (!window->has_protected)
        return false;
    if (window->protected_from <= window->protected_to)
        return hour >= window->protected_from && hour < window->protected_to;
    return hour >= window->protected_from || hour < window->protected_to; /* over midnight */
}

static bool
is_open(const struct maintenance *window, int64_t hours)
{
    int hour_of_week = (int)((hours + EPOCH_HOUR_OF_WEEK) % HOURS_OF_WEEK);
    if (maintenance_is_protected(window, hour_of_week % HOURS_OF_DAY))
        return false;
    return window->day == 0 || window->starts_asap || hour_of_week == (window->day - 1) * HOURS_OF_DAY + window->hour;
}

int64_t
maintenance_next(const struct maintenance *window, int64_t now_ms)
{
    int64_t hours = now_ms / MAINTENANCE_HOUR_MS;
    for (int ahead = 0; ahead < HOURS_OF_WEEK; ahead++) {
        if (is_open(window, hours + ahead))
            return (hours + ahead) * MAINTENANCE_HOUR_MS;
    }
    return hours * MAINTENANCE_HOUR_MS; /* the window was refused where it was set: rather now than never */
}

bool
maintenance_may_begin(struct maintenance *window, int64_t now_ms, int64_t *ret_when)
{
    bool is_over = now_ms >= window->starts_ms + MAINTENANCE_HOUR_MS;
    bool is_new = window->starts_ms == 0 || (window->has_begun && is_over);
    if (window->day == 0 || window->starts_asap) {
        *ret_when = maintenance_next(window, now_ms);
        if (*ret_when > now_ms)
            return false;
        window->starts_ms = is_new || !window->has_begun ? *ret_when : window->starts_ms;
    } else if (is_new) {
        window->starts_ms = maintenance_next(window, now_ms);
        window->has_begun = false;
        window->deferrals = 0;
        if (window->defers_once)
            maintenance_defer(window);
    } else if (is_over) {
        window->starts_ms = maintenance_next(window, now_ms);
    }
    *ret_when = window->starts_ms;
    if (window->starts_ms > now_ms)
        return false;
    window->has_begun = true;
    window->deferrals = 0;
    return true;
}

bool
maintenance_defer(struct maintenance *window)
{
    if (window->deferrals >= MAINTENANCE_MOST_DEFERRALS)
        return false;
    window->deferrals++;
    window->starts_ms += MAINTENANCE_WEEK_MS;
    return true;
}

void
maintenance_plan_again(struct maintenance *window, int64_t now_ms)
{
    if (window->starts_ms == 0 || window->has_begun)
        return;
    window->starts_ms = maintenance_next(window, now_ms) + (int64_t)window->deferrals * MAINTENANCE_WEEK_MS;
}
