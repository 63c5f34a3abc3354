/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <stdio.h>
#include <time.h>

#include "base/date.h"

static void
expect_ms(const char *text, int64_t expected)
{
    int64_t ms;
    if (!date_parse(str_from(text), &ms))
        fail_msg("refused: %s", text);
    if (ms != expected)
        fail_msg("%s is %lld, not %lld", text, (long long)ms, (long long)expected);
}

static void
dates_are_read_with_and_without_time_and_zone(void **state)
{
    (void)state;
    expect_ms("1970-01-01", 0);
    expect_ms("1970-01-01T00:00", 0);
    expect_ms("1970-01-01T00:00Z", 0);
    expect_ms("1970-01-01t00:00:01z", 1000);
    expect_ms("2025-03-12T10:15:30Z", 1741774530000);
    expect_ms("2025-03-12T10:15:30", 1741774530000);
    expect_ms("2025-03-12T12:15:30+02:00", 1741774530000);
    expect_ms("2025-03-12T04:45:30-05:30", 1741774530000);
    expect_ms("2025-03-12T10:15:30.25Z", 1741774530250);
    expect_ms("2025-03-12T10:15:30.123456789Z", 1741774530123);
    expect_ms("1969-12-31T23:59:59.999Z", -1);
    expect_ms("2016-12-31T23:59:60Z", 1483228800000);
    expect_ms("0001-01-01T00:00:00Z", -62135596800000);
    expect_ms("9999-12-31T23:59:59.999Z", 253402300799999);
}

static void
what_is_no_date_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",
        "2025",
        "2025-03",
        "2025-3-12",
        "2025-02-29",
        "2025-02-30",
        "2025-13-01",
        "2025-00-01",
        "2025-01-00",
        "2025-04-31",
        "1900-02-29",
        "0000-01-01",
        "-001-01-01",
        "2025-03-12T",
        "2025-03-12T10",
        "2025-03-12T24:00",
        "2025-03-12T10:60",
        "2025-03-12T10:15:61",
        "2025-03-12T10:15:30.",
        "2025-03-12T10:15:30.1234567890",
        "2025-03-12T10:15:30+",
        "2025-03-12T10:15:30+2",
        "2025-03-12T10:15:30+02:",
        "2025-03-12T10:15:30+02:0",
        "2025-03-12T10:15:30+24:00",
        "2025-03-12T10:15:30Zx",
        "2025-03-12Z",
        "2025-03-12T10:15:30 Z",
        " 2025-03-12",
        "2025-03-12 ",
        "20250312",
        "2025/03/12",
        "2025-03-12T-1:00",
        "2025-03-12T10:15:30+02:00:00",
        "+025-01-01",
        /* D4: other forms of ISO 8601, and a blank, are no RFC 3339 */
        "2025-03-12 10:15:30Z",
        "2025-03-12T10:15:30,5Z",
        "2025-03-12T10:15:30+02",
        "2025-03-12T10:15:30-0530",
        "20250312T101530Z",
        "2025-W11-3",
        "2025-071",
    };
    int64_t ms = 5;
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        if (date_parse(str_from(wrong[i]), &ms))
            fail_msg("accepted: %s", wrong[i]);
    }
    assert_int_equal(ms, 5);
}

static void
date_that_its_zone_moves_out_of_the_calendar_is_refused(void **state)
{
    (void)state;
    int64_t ms;
    assert_false(date_parse(STR("0001-01-01T00:00:00+00:01"), &ms));
    assert_false(date_parse(STR("9999-12-31T23:59:59-00:01"), &ms));
    assert_false(date_parse(STR("9999-12-31T23:59:60Z"), &ms));
}

static void
leap_years_follow_the_gregorian_rule(void **state)
{
    (void)state;
    int day;
    assert_true(date_parse_day(STR("2000-02-29"), &day));
    assert_int_equal(day, 20000229);
    assert_true(date_parse_day(STR("2024-02-29"), &day));
    assert_false(date_parse_day(STR("2100-02-29"), &day));
    assert_false(date_parse_day(STR("2024-02-29T00:00"), &day));
}

static void
written_dates_are_read_back_and_agree_with_the_c_library(void **state)
{
    (void)state;
    struct arena *arena = arena_new(64 << 20);
    for (int64_t ms = -62135596800000; ms < 253402300799999; ms += 86400000LL * 137 + 3723457) {
        str text = date_text(arena, ms);
        int64_t back;
        assert_true(date_parse(text, &back));
        assert_true(back == ms);
        time_t seconds = (time_t)((ms - (ms % 1000 + 1000) % 1000) / 1000);
        struct tm tm;
        char expected[80];
        gmtime_r(&seconds, &tm);
        snprintf(expected, sizeof(expected), "%04d-%02d-%02dT%02d:%02d:%02d", tm.tm_year + 1900, tm.tm_mon + 1,
                 tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
        assert_memory_equal(text.data, expected, 19);
    }
    assert_string_equal(date_text(arena, 0).data, "1970-01-01T00:00:00Z");
    assert_string_equal(date_text(arena, -1).data, "1969-12-31T23:59:59.999Z");
    assert_string_equal(date_text(arena, 1741774530250).data, "2025-03-12T10:15:30.250Z");
    arena_free(arena);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dates_are_read_with_and_without_time_and_zone),
        cmocka_unit_test(what_is_no_date_is_refused),
        cmocka_unit_test(date_that_its_zone_moves_out_of_the_calendar_is_refused),
        cmocka_unit_test(leap_years_follow_the_gregorian_rule),
        cmocka_unit_test(written_dates_are_read_back_and_agree_with_the_c_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
