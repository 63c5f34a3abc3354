/* SPDX-License-Identifier: Apache-2.0 */
#include "backup/schedule.h"

#include "base/date.h"

static const int64_t minute_ms = 60 * INT64_C(1000), hour_ms = 3600 * INT64_C(1000), day_ms = 24 * 3600 * INT64_C(1000);

enum { DAYS_OF_WEEK = 7, MONTHS_OF_YEAR = 12, EPOCH_DAY_OF_WEEK = 3 /* Thursday, when Monday is 0 */ };

const char *const schedule_frequency_words[] = { "hourly", "daily", "weekly", "monthly", "yearly", NULL };
const char *const schedule_unit_words[] = { "days", "weeks", "months", "years", NULL };
const char *const schedule_type_words[] = { "FULL", "INCR", NULL };

bool
schedule_interval_is_allowed(enum schedule_frequency frequency, int interval)
{
    switch (frequency) {
    case SCHEDULE_HOURLY:
        return interval == 1 || interval == 2 || interval == 4 || interval == 6 || interval == 8 || interval == 12;
    case SCHEDULE_DAILY: return interval == 1;
    case SCHEDULE_WEEKLY: return interval >= 1 && interval <= 7;
    case SCHEDULE_MONTHLY: return (interval >= 1 && interval <= 28) || interval == SCHEDULE_LAST_DAY;
    case SCHEDULE_YEARLY: return interval >= 1 && interval <= 12;
    }
    return false;
}

/* The quotient that is rounded down, also before 1970. */
static int64_t
floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* ---- When ---- */

/* The day of the month on which an item is due. */
static int
day_of_month(const struct schedule_item *item, int year, int month)
{
    if (item->frequency == SCHEDULE_YEARLY)
        return 1;
    return item->interval == SCHEDULE_LAST_DAY ? date_days_in_month(year, month) : item->interval;
}

/* The first day not before `from` on which an item is due; days are numbered from 1970. */
static int64_t
first_day(const struct schedule_item *item, int64_t from)
{
    if (item->frequency == SCHEDULE_WEEKLY) {
        int64_t weekday = (from + EPOCH_DAY_OF_WEEK) - floor_div(from + EPOCH_DAY_OF_WEEK, DAYS_OF_WEEK) * DAYS_OF_WEEK;
        return from + (item->interval - 1 - weekday + DAYS_OF_WEEK) % DAYS_OF_WEEK;
    }
    if (item->frequency != SCHEDULE_MONTHLY && item->frequency != SCHEDULE_YEARLY)
        return from;
    int year, month, day;
    date_of_day(from, &year, &month, &day);
    /* In this month, or in one of the next twelve. */
    for (;;) {
        bool is_month = item->frequency == SCHEDULE_MONTHLY || item->interval == month;
        if (is_month && day <= day_of_month(item, year, month))
            return date_day_number(year, month, day_of_month(item, year, month));
        day = 1;
        month = month % MONTHS_OF_YEAR + 1;
        year += month == 1;
    }
}

static int64_t
next_of_item(const struct schedule *schedule, const struct schedule_item *item, int64_t after_ms)
{
    int64_t reference = schedule->reference_hour * hour_ms + schedule->reference_minute * minute_ms;
    if (item->frequency == SCHEDULE_HOURLY) {
        /* The interval divides a day, so that counting from the first day's reference time gives the same hours each day. */
        int64_t step = item->interval * hour_ms;
        return reference + (floor_div(after_ms - reference, step) + 1) * step;
    }
    /* The first reference time after it is on this day or on the next. */
    return first_day(item, floor_div(after_ms - reference, day_ms) + 1) * day_ms + reference;
}

bool
schedule_next(const struct schedule *schedule, int64_t after_ms, int64_t *ret_at_ms, schedule_items *ret_items)
{
    int64_t soonest = INT64_MAX;
    schedule_items items = 0;
    for (size_t i = 0; i < schedule->count; i++) {
        int64_t at = next_of_item(schedule, &schedule->items[i], after_ms);
        if (at < soonest) {
            soonest = at;
            items = 0;
        }
        if (at == soonest)
            items |= (schedule_items)1 << i;
    }
    if (items == 0)
        return false;
    *ret_at_ms = soonest;
    *ret_items = items;
    return true;
}

schedule_items
schedule_missed(const struct schedule *schedule, int64_t after_ms, int64_t until_ms)
{
    schedule_items items = 0;
    for (size_t i = 0; i < schedule->count; i++) {
        if (next_of_item(schedule, &schedule->items[i], after_ms) <= until_ms)
            items |= (schedule_items)1 << i;
    }
    return items;
}

int64_t
schedule_last(const struct schedule *schedule, int64_t after_ms, int64_t until_ms)
{
    /* Within such a time each is due at least once. */
    static const int days[SCHEDULE_FREQUENCIES] = { [SCHEDULE_HOURLY] = 1,
                                                    [SCHEDULE_DAILY] = 1,
                                                    [SCHEDULE_WEEKLY] = DAYS_OF_WEEK,
                                                    [SCHEDULE_MONTHLY] = 31,
                                                    [SCHEDULE_YEARLY] = 366 };
    int64_t last = after_ms;
    for (size_t i = 0; i < schedule->count; i++) {
        const struct schedule_item *item = &schedule->items[i];
        int64_t from = until_ms - days[item->frequency] * day_ms;
        int64_t at = next_of_item(schedule, item, from > after_ms ? from : after_ms);
        for (; at <= until_ms; at = next_of_item(schedule, item, at))
            last = at > last ? at : last;
    }
    return last;
}

/* ---- What ---- */

static bool
has_item(schedule_items items, size_t i)
{
    return (items >> i & 1) != 0;
}

enum schedule_frequency
schedule_frequency_of(const struct schedule *schedule, schedule_items items)
{
    enum schedule_frequency most_seldom = SCHEDULE_HOURLY;
    for (size_t i = 0; i < schedule->count; i++) {
        if (has_item(items, i) && schedule->items[i].frequency > most_seldom)
            most_seldom = schedule->items[i].frequency;
    }
    return most_seldom;
}

enum schedule_type
schedule_type_of(const struct schedule *schedule, schedule_items items, int64_t newest_full_ms, int64_t at_ms)
{
    /* What is kept long stands by itself: it would keep what it builds upon as well. */
    if (items == 0 || schedule_frequency_of(schedule, items) >= SCHEDULE_WEEKLY)
        return SCHEDULE_FULL;
    bool has_full = newest_full_ms >= 0 && at_ms - newest_full_ms <= SCHEDULE_FULL_LASTS_DAYS * day_ms;
    return has_full ? SCHEDULE_INCR : SCHEDULE_FULL;
}

/* ---- How long ---- */

int64_t
schedule_add(int64_t from_ms, enum schedule_unit unit, int value)
{
    if (unit == SCHEDULE_DAYS)
        return from_ms + value * day_ms;
    if (unit == SCHEDULE_WEEKS)
        return from_ms + value * DAYS_OF_WEEK * day_ms;
    int64_t from_day = floor_div(from_ms, day_ms);
    int year, month, day;
    date_of_day(from_day, &year, &month, &day);
    int months = month - 1 + (unit == SCHEDULE_YEARS ? value * MONTHS_OF_YEAR : value);
    year += months / MONTHS_OF_YEAR;
    month = months % MONTHS_OF_YEAR + 1;
    int last = date_days_in_month(year, month);
    return date_day_number(year, month, day < last ? day : last) * day_ms + (from_ms - from_day * day_ms);
}

int64_t
schedule_item_expires(const struct schedule *schedule, size_t item, int64_t at_ms)
{
    const struct schedule_item *rule = &schedule->items[item];
    return schedule_add(at_ms, rule->unit, rule->value) + schedule->extra_days[rule->frequency] * day_ms;
}

int64_t
schedule_expires(const struct schedule *schedule, schedule_items items, int64_t at_ms)
{
    int64_t latest = at_ms;
    for (size_t i = 0; i < schedule->count; i++) {
        if (!has_item(items, i))
            continue;
        int64_t expires = schedule_item_expires(schedule, i, at_ms);
        latest = expires > latest ? expires : latest;
    }
    return latest;
}
