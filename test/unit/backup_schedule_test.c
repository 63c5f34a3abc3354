/* SPDX-License-Identifier: Apache-2.0 */
/* When snapshots are due and how long they are kept, compared with a calendar that is not our own: libc's. */
#include "arena_fixture.h"

#include <time.h>

#include "backup/schedule.h"
#include "backup/snapshot_id.h"
#include "base/date.h"

enum { MINUTE_MS = 60 * 1000, DAY_MS = 24 * 3600 * 1000, MOST_CASES = 64 };

static int64_t
at(const char *date)
{
    int64_t ms = 0;
    assert_true(date_parse(str_from(date), &ms));
    return ms;
}

static const char *
when(int64_t ms)
{
    return date_text(arena, ms).data;
}

/* The schedule that a cluster gets. */
static struct schedule
usual(void)
{
    return (struct schedule){
        .reference_hour = 3,
        .reference_minute = 17,
        .count = 4,
        .items = { { SCHEDULE_HOURLY, 6, SCHEDULE_DAYS, 2 },
                   { SCHEDULE_DAILY, 1, SCHEDULE_DAYS, 7 },
                   { SCHEDULE_WEEKLY, 6, SCHEDULE_WEEKS, 4 },
                   { SCHEDULE_MONTHLY, SCHEDULE_LAST_DAY, SCHEDULE_MONTHS, 12 } },
    };
}

static struct schedule
single(enum schedule_frequency frequency, int interval, int hour, int minute)
{
    return (struct schedule){ .reference_hour = hour,
                              .reference_minute = minute,
                              .count = 1,
                              .items = { { frequency, interval, SCHEDULE_DAYS, 1 } } };
}

static int64_t
next_of(const struct schedule *schedule, int64_t after_ms)
{
    int64_t found = 0;
    schedule_items items = 0;
    assert_true(schedule_next(schedule, after_ms, &found, &items));
    assert_true(items != 0);
    return found;
}

/* ---- Which intervals there are ---- */

static size_t
all_intervals(struct schedule *ret_cases, int hour, int minute)
{
    size_t count = 0;
    for (int frequency = 0; frequency < SCHEDULE_FREQUENCIES; frequency++) {
        for (int interval = -1; interval <= 60; interval++) {
            if (!schedule_interval_is_allowed((enum schedule_frequency)frequency, interval))
                continue;
            assert_true(count < MOST_CASES);
            ret_cases[count++] = single((enum schedule_frequency)frequency, interval, hour, minute);
        }
    }
    return count;
}

static void
intervals_are_those_of_the_specification(void **state)
{
    (void)state;
    struct schedule cases[MOST_CASES];
    assert_int_equal(all_intervals(cases, 0, 0), 6 + 1 + 7 + 29 + 12);
    static const int refused[][2] = {
        { SCHEDULE_HOURLY, 0 },   { SCHEDULE_HOURLY, 3 },   { SCHEDULE_HOURLY, 5 },   { SCHEDULE_HOURLY, 24 },
        { SCHEDULE_DAILY, 2 },    { SCHEDULE_WEEKLY, 0 },   { SCHEDULE_WEEKLY, 8 },   { SCHEDULE_MONTHLY, 0 },
        { SCHEDULE_MONTHLY, 29 }, { SCHEDULE_MONTHLY, 31 }, { SCHEDULE_MONTHLY, 39 }, { SCHEDULE_MONTHLY, 41 },
        { SCHEDULE_YEARLY, 0 },   { SCHEDULE_YEARLY, 13 },  { SCHEDULE_YEARLY, 40 },
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        assert_false(schedule_interval_is_allowed((enum schedule_frequency)refused[i][0], refused[i][1]));
}

/* ---- When ---- */

/* What the documentation promises, said a second time of one minute as cron would. */
static bool
is_due_in(const struct schedule *schedule, const struct tm *now, const struct tm *tomorrow)
{
    const struct schedule_item *item = &schedule->items[0];
    if (now->tm_min != schedule->reference_minute)
        return false;
    if (item->frequency == SCHEDULE_HOURLY)
        return (now->tm_hour - schedule->reference_hour + 24) % item->interval == 0;
    if (now->tm_hour != schedule->reference_hour)
        return false;
    switch (item->frequency) {
    case SCHEDULE_WEEKLY: return now->tm_wday == item->interval % 7;
    case SCHEDULE_MONTHLY: return item->interval == 40 ? tomorrow->tm_mday == 1 : now->tm_mday == item->interval;
    case SCHEDULE_YEARLY: return now->tm_mday == 1 && now->tm_mon + 1 == item->interval;
    default: return true;
    }
}

/* Every minute of the time is looked at: the next moment is the first that is due, and none is left out. */
static void
walk(const char *from, const char *to, int hour, int minute)
{
    struct schedule cases[MOST_CASES];
    int64_t next[MOST_CASES];
    size_t count = all_intervals(cases, hour, minute);
    int64_t end = at(to), met = 0;
    for (size_t i = 0; i < count; i++)
        next[i] = next_of(&cases[i], at(from) - 1);
    for (int64_t now = at(from); now < end; now += MINUTE_MS) {
        time_t seconds = (time_t)(now / 1000), a_day_later = seconds + 24 * 3600;
        struct tm today, tomorrow;
        assert_non_null(gmtime_r(&seconds, &today));
        assert_non_null(gmtime_r(&a_day_later, &tomorrow));
        for (size_t i = 0; i < count; i++) {
            bool is_due = is_due_in(&cases[i], &today, &tomorrow);
            if (is_due != (next[i] == now))
                fail_msg("%s, interval %d, at %02d:%02d: %s is%s due, and the next is said to be %s",
                         schedule_frequency_words[cases[i].items[0].frequency], cases[i].items[0].interval, hour,
                         minute, when(now), is_due ? "" : " not", when(next[i]));
            if (!is_due)
                continue;
            met++;
            assert_int_equal(next_of(&cases[i], now - 1), now);
            next[i] = next_of(&cases[i], now);
        }
    }
    assert_true(met > 10000);
}

static void
every_interval_is_right_in_every_minute_of_a_year(void **state)
{
    (void)state;
    walk("2026-11-16", "2027-11-16", 3, 17);
}

static void
a_leap_year_has_one_day_more(void **state)
{
    (void)state;
    walk("2027-12-30", "2029-01-03", 23, 59);
    walk("2100-01-01", "2101-01-01", 0, 0); /* 2100 has no 29 February */
}

static void
moments_before_1970_are_counted_as_well(void **state)
{
    (void)state;
    walk("1968-01-01", "1970-02-01", 11, 30);
}

static void
the_next_moment_is_after_the_given_one(void **state)
{
    (void)state;
    struct schedule daily = single(SCHEDULE_DAILY, 1, 3, 17);
    assert_string_equal(when(next_of(&daily, at("2026-11-16T03:16:59.999Z"))), "2026-11-16T03:17:00Z");
    assert_string_equal(when(next_of(&daily, at("2026-11-16T03:17:00Z"))), "2026-11-17T03:17:00Z");
    struct schedule hourly = single(SCHEDULE_HOURLY, 6, 3, 17);
    assert_string_equal(when(next_of(&hourly, at("2026-11-16T00:00:00Z"))), "2026-11-16T03:17:00Z");
    assert_string_equal(when(next_of(&hourly, at("2026-11-16T21:17:00Z"))), "2026-11-17T03:17:00Z");
}

static void
without_rules_nothing_is_due(void **state)
{
    (void)state;
    struct schedule none = { .reference_hour = 3 };
    int64_t found = 7;
    schedule_items items = 7;
    assert_false(schedule_next(&none, at("2026-11-16"), &found, &items));
    assert_int_equal(found, 7);
    assert_int_equal(items, 7);
    assert_int_equal(schedule_missed(&none, 0, at("2026-11-16")), 0);
}

static void
what_is_due_at_the_same_moment_comes_together(void **state)
{
    (void)state;
    struct schedule schedule = usual();
    static const struct {
        const char *after, *at;
        schedule_items items;
    } expected[] = {
        { "2026-11-16T00:00:00Z", "2026-11-16T03:17:00Z", 0x3 }, /* a Monday */
        { "2026-11-16T03:17:00Z", "2026-11-16T09:17:00Z", 0x1 },
        { "2026-11-20T21:17:00Z", "2026-11-21T03:17:00Z", 0x7 }, /* a Saturday */
        { "2026-11-29T21:17:00Z", "2026-11-30T03:17:00Z", 0xb }, /* the last day of the month */
        { "2026-10-30T21:17:00Z", "2026-10-31T03:17:00Z", 0xf }, /* both */
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        int64_t found = 0;
        schedule_items items = 0;
        assert_true(schedule_next(&schedule, at(expected[i].after), &found, &items));
        assert_string_equal(when(found), expected[i].at);
        assert_int_equal(items, expected[i].items);
    }
}

static void
what_was_missed_is_taken_once(void **state)
{
    (void)state;
    struct schedule schedule = usual();
    int64_t friday = at("2026-11-20T03:17:00Z");
    assert_int_equal(schedule_missed(&schedule, friday, friday), 0);
    assert_int_equal(schedule_missed(&schedule, friday, at("2026-11-20T09:16:59Z")), 0);
    assert_int_equal(schedule_missed(&schedule, friday, at("2026-11-20T09:17:00Z")), 0x1);
    assert_int_equal(schedule_missed(&schedule, friday, at("2026-11-22T12:00:00Z")), 0x7);
    assert_int_equal(schedule_missed(&schedule, friday, at("2027-11-22T12:00:00Z")), 0xf);
}

static void
the_last_moment_does_not_depend_on_how_long_one_was_away(void **state)
{
    (void)state;
    struct schedule schedule = usual(), yearly = { .reference_hour = 3, .reference_minute = 17 };
    yearly.items[yearly.count++] = (struct schedule_item){ SCHEDULE_YEARLY, 1, SCHEDULE_YEARS, 10 };
    int64_t friday = at("2026-11-20T03:17:00Z");
    assert_int_equal(schedule_last(&schedule, friday, friday), friday);
    assert_int_equal(schedule_last(&schedule, friday, at("2026-11-20T09:16:59Z")), friday);
    assert_string_equal(when(schedule_last(&schedule, friday, at("2026-11-20T09:17:00Z"))), "2026-11-20T09:17:00Z");
    assert_string_equal(when(schedule_last(&schedule, friday, at("2026-11-22T12:00:00Z"))), "2026-11-22T09:17:00Z");
    assert_string_equal(when(schedule_last(&schedule, 0, at("2026-11-22T12:00:00Z"))), "2026-11-22T09:17:00Z");
    assert_string_equal(when(schedule_last(&yearly, 0, at("2028-12-31T12:00:00Z"))), "2028-01-01T03:17:00Z");
    /* Every moment that is due is the last one from then on, until the next. */
    int64_t moment = friday, next = 0;
    for (int i = 0; i < 1000; i++, moment = next) {
        schedule_items items;
        assert_true(schedule_next(&schedule, moment, &next, &items));
        assert_int_equal(schedule_last(&schedule, moment, next), next);
        assert_int_equal(schedule_last(&schedule, friday, next - 1), moment);
    }
}

static void
seats_name_a_snapshot_alike_and_nobody_else_does(void **state)
{
    (void)state;
    int64_t due = at("2026-11-20T09:17:00Z");
    id one = snapshot_id_scheduled(arena, STR("s"), STR("k3x9aq-1"), due, STR("a,b"));
    assert_true(id_eq(one, snapshot_id_scheduled(arena, STR("s"), STR("k3x9aq-1"), due, STR("a,b"))));
    const id others[] = {
        snapshot_id_scheduled(arena, STR("t"), STR("k3x9aq-1"), due, STR("a,b")),
        snapshot_id_scheduled(arena, STR("s"), STR("k3x9aq-2"), due, STR("a,b")),
        snapshot_id_scheduled(arena, STR("s"), STR("k3x9aq-1"), due + 1, STR("a,b")),
        snapshot_id_scheduled(arena, STR("s"), STR("k3x9aq-1"), due, STR("a")),
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_false(id_eq(one, others[i]));
        assert_memory_equal(one.bytes, others[i].bytes, 4); /* sorted by when it was due */
    }
}

/* ---- What ---- */

static void
what_is_kept_long_is_full(void **state)
{
    (void)state;
    struct schedule schedule = usual();
    schedule.items[schedule.count++] = (struct schedule_item){ SCHEDULE_YEARLY, 1, SCHEDULE_YEARS, 10 };
    int64_t now = at("2026-11-16T03:17:00Z"), yesterday = now - DAY_MS;
    for (schedule_items items = 0; items < 0x20; items++) {
        bool is_kept_long = items == 0 || (items & 0x1c) != 0;
        assert_int_equal(schedule_type_of(&schedule, items, yesterday, now),
                         is_kept_long ? SCHEDULE_FULL : SCHEDULE_INCR);
        assert_int_equal(schedule_type_of(&schedule, items, -1, now), SCHEDULE_FULL);
    }
}

static void
a_full_one_is_built_upon_for_eight_days(void **state)
{
    (void)state;
    struct schedule schedule = usual();
    int64_t full = at("2026-11-14T03:17:00Z");
    assert_int_equal(schedule_type_of(&schedule, 0x1, full, full + 8 * (int64_t)DAY_MS), SCHEDULE_INCR);
    assert_int_equal(schedule_type_of(&schedule, 0x1, full, full + 8 * (int64_t)DAY_MS + 1), SCHEDULE_FULL);
}

static void
the_most_seldom_rule_gives_its_name(void **state)
{
    (void)state;
    struct schedule schedule = usual();
    assert_int_equal(schedule_frequency_of(&schedule, 0x1), SCHEDULE_HOURLY);
    assert_int_equal(schedule_frequency_of(&schedule, 0x3), SCHEDULE_DAILY);
    assert_int_equal(schedule_frequency_of(&schedule, 0x7), SCHEDULE_WEEKLY);
    assert_int_equal(schedule_frequency_of(&schedule, 0x9), SCHEDULE_MONTHLY);
}

/* ---- How long ---- */

static const char *
later(const char *from, enum schedule_unit unit, int value)
{
    return when(schedule_add(at(from), unit, value));
}

static void
months_end_where_the_calendar_ends_them(void **state)
{
    (void)state;
    assert_string_equal(later("2026-11-16T03:17:00Z", SCHEDULE_DAYS, 2), "2026-11-18T03:17:00Z");
    assert_string_equal(later("2026-11-16T03:17:00Z", SCHEDULE_WEEKS, 4), "2026-12-14T03:17:00Z");
    assert_string_equal(later("2026-11-16T03:17:00Z", SCHEDULE_MONTHS, 1), "2026-12-16T03:17:00Z");
    assert_string_equal(later("2026-11-16T03:17:00Z", SCHEDULE_MONTHS, 2), "2027-01-16T03:17:00Z");
    assert_string_equal(later("2026-12-31T23:59:59.999Z", SCHEDULE_MONTHS, 1), "2027-01-31T23:59:59.999Z");
    assert_string_equal(later("2027-01-31T03:17:00Z", SCHEDULE_MONTHS, 1), "2027-02-28T03:17:00Z");
    assert_string_equal(later("2028-01-31T03:17:00Z", SCHEDULE_MONTHS, 1), "2028-02-29T03:17:00Z");
    assert_string_equal(later("2028-01-31T03:17:00Z", SCHEDULE_MONTHS, 3), "2028-04-30T03:17:00Z");
    assert_string_equal(later("2028-02-29T03:17:00Z", SCHEDULE_MONTHS, 12), "2029-02-28T03:17:00Z");
    assert_string_equal(later("2028-02-29T03:17:00Z", SCHEDULE_YEARS, 1), "2029-02-28T03:17:00Z");
    assert_string_equal(later("2028-02-29T03:17:00Z", SCHEDULE_YEARS, 4), "2032-02-29T03:17:00Z");
    assert_string_equal(later("2026-11-16T03:17:00Z", SCHEDULE_DAYS, 3650), "2036-11-13T03:17:00Z");
    assert_string_equal(later("2026-11-16T03:17:00Z", SCHEDULE_YEARS, 3650), "5676-11-16T03:17:00Z");
    assert_string_equal(later("1969-12-31T23:00:00Z", SCHEDULE_MONTHS, 2), "1970-02-28T23:00:00Z");
}

/* Of every day of four years: n months later is in the n-th month from there, on the same day or on its last. */
static void
a_month_later_is_in_the_next_month(void **state)
{
    (void)state;
    for (int64_t day = at("2027-01-01T05:06:07Z"); day < at("2031-01-01"); day += DAY_MS) {
        for (int months = 1; months <= 25; months++) {
            int64_t found = schedule_add(day, SCHEDULE_MONTHS, months);
            time_t before_s = (time_t)(day / 1000), after_s = (time_t)(found / 1000), next_s = after_s + 24 * 3600;
            struct tm before, after, next;
            gmtime_r(&before_s, &before);
            gmtime_r(&after_s, &after);
            gmtime_r(&next_s, &next);
            assert_int_equal(after.tm_year * 12 + after.tm_mon, before.tm_year * 12 + before.tm_mon + months);
            assert_true(after.tm_mday == before.tm_mday || (after.tm_mday < before.tm_mday && next.tm_mday == 1));
            assert_int_equal(found % DAY_MS, day % DAY_MS);
        }
    }
}

static void
the_longest_retention_wins(void **state)
{
    (void)state;
    struct schedule schedule = usual();
    int64_t now = at("2026-10-31T03:17:00Z");
    assert_string_equal(when(schedule_expires(&schedule, 0x1, now)), "2026-11-02T03:17:00Z");
    assert_string_equal(when(schedule_expires(&schedule, 0x3, now)), "2026-11-07T03:17:00Z");
    assert_string_equal(when(schedule_expires(&schedule, 0x7, now)), "2026-11-28T03:17:00Z");
    assert_string_equal(when(schedule_expires(&schedule, 0xf, now)), "2027-10-31T03:17:00Z");
    /* Not the most seldom one: a daily rule may keep longer than a weekly one. */
    schedule.items[1].value = 60;
    assert_string_equal(when(schedule_expires(&schedule, 0x7, now)), "2026-12-30T03:17:00Z");
    schedule.extra_days[SCHEDULE_WEEKLY] = 40;
    assert_string_equal(when(schedule_expires(&schedule, 0x7, now)), "2027-01-07T03:17:00Z");
    assert_string_equal(when(schedule_item_expires(&schedule, 1, now)), "2026-12-30T03:17:00Z");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_are_those_of_the_specification),
        cmocka_unit_test(every_interval_is_right_in_every_minute_of_a_year),
        cmocka_unit_test(a_leap_year_has_one_day_more),
        cmocka_unit_test(moments_before_1970_are_counted_as_well),
        cmocka_unit_test(the_next_moment_is_after_the_given_one),
        cmocka_unit_test(without_rules_nothing_is_due),
        cmocka_unit_test(what_is_due_at_the_same_moment_comes_together),
        cmocka_unit_test(what_was_missed_is_taken_once),
        cmocka_unit_test(the_last_moment_does_not_depend_on_how_long_one_was_away),
        cmocka_unit_test(seats_name_a_snapshot_alike_and_nobody_else_does),
        cmocka_unit_test(what_is_kept_long_is_full),
        cmocka_unit_test(a_full_one_is_built_upon_for_eight_days),
        cmocka_unit_test(the_most_seldom_rule_gives_its_name),
        cmocka_unit_test(months_end_where_the_calendar_ends_them),
        cmocka_unit_test(a_month_later_is_in_the_next_month),
        cmocka_unit_test(the_longest_retention_wins),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
