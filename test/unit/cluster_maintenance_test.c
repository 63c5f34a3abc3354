/* SPDX-License-Identifier: Apache-2.0 */
/* When maintenance begins, at times that the tests say. */
#include "arena_fixture.h"

#include "base/date.h"
#include "base/json.h"
#include "cluster/maintenance.h"

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

static struct maintenance
sundays_at_three(void)
{
    return (struct maintenance){ .day = 1, .hour = 3 };
}

static const char *
waits_until(struct maintenance *window, const char *now)
{
    int64_t starts = 0;
    return maintenance_may_begin(window, at(now), &starts) ? "now" : when(starts);
}

static void
the_next_hour_of_the_week_is_found(void **state)
{
    (void)state;
    struct maintenance window = sundays_at_three();
    static const char *const days[] = { "2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04",
                                        "2026-03-05", "2026-03-06", "2026-03-07" };
    assert_string_equal(when(maintenance_next(&window, at("2026-03-01T02:59:59Z"))), "2026-03-01T03:00:00Z");
    assert_string_equal(when(maintenance_next(&window, at("2026-03-01T03:59:59Z"))), "2026-03-01T03:00:00Z");
    assert_string_equal(when(maintenance_next(&window, at("2026-03-01T04:00:00Z"))), "2026-03-08T03:00:00Z");
    for (window.day = 1; window.day <= 7; window.day++)
        assert_memory_equal(when(maintenance_next(&window, at("2026-03-01T00:00:00Z"))), days[window.day - 1], 10);
}

static void
it_begins_in_the_hour_and_not_before(void **state)
{
    (void)state;
    struct maintenance window = sundays_at_three();
    assert_string_equal(waits_until(&window, "2026-03-04T12:00:00Z"), "2026-03-08T03:00:00Z");
    assert_string_equal(waits_until(&window, "2026-03-08T02:59:59Z"), "2026-03-08T03:00:00Z");
    assert_string_equal(waits_until(&window, "2026-03-08T03:00:00Z"), "now");
    assert_string_equal(waits_until(&window, "2026-03-08T03:59:59Z"), "now");
    assert_string_equal(waits_until(&window, "2026-03-08T04:00:00Z"), "2026-03-15T03:00:00Z");
}

static void
it_is_put_off_twice_and_then_begins(void **state)
{
    (void)state;
    struct maintenance window = sundays_at_three();
    waits_until(&window, "2026-03-04T12:00:00Z");
    assert_true(maintenance_defer(&window));
    assert_string_equal(waits_until(&window, "2026-03-08T03:30:00Z"), "2026-03-15T03:00:00Z");
    assert_true(maintenance_defer(&window));
    assert_false(maintenance_defer(&window));
    assert_string_equal(waits_until(&window, "2026-03-15T03:30:00Z"), "2026-03-22T03:00:00Z");
    assert_int_equal(window.deferrals, 2);
    assert_string_equal(waits_until(&window, "2026-03-22T03:30:00Z"), "now");
    assert_int_equal(window.deferrals, 0); /* the next one can be put off again */
}

static void
automatic_deferral_happens_once_for_each(void **state)
{
    (void)state;
    struct maintenance window = sundays_at_three();
    window.defers_once = true;
    assert_string_equal(waits_until(&window, "2026-03-04T12:00:00Z"), "2026-03-15T03:00:00Z");
    assert_string_equal(waits_until(&window, "2026-03-08T03:00:00Z"), "2026-03-15T03:00:00Z");
    assert_int_equal(window.deferrals, 1);
    assert_true(maintenance_defer(&window));
    assert_false(maintenance_defer(&window));
    assert_string_equal(waits_until(&window, "2026-03-22T03:00:00Z"), "now");
    assert_string_equal(waits_until(&window, "2026-03-22T05:00:00Z"), "2026-04-05T03:00:00Z");
}

static void
a_window_that_was_missed_is_followed_by_the_next_and_not_put_off_again(void **state)
{
    (void)state;
    struct maintenance window = sundays_at_three();
    window.defers_once = true;
    waits_until(&window, "2026-03-04T12:00:00Z");
    assert_string_equal(waits_until(&window, "2026-03-16T12:00:00Z"), "2026-03-22T03:00:00Z");
    assert_int_equal(window.deferrals, 1);
}

static void
another_hour_moves_what_waits(void **state)
{
    (void)state;
    struct maintenance window = sundays_at_three();
    waits_until(&window, "2026-03-04T12:00:00Z");
    assert_true(maintenance_defer(&window));
    window.day = 5;
    window.hour = 22;
    maintenance_plan_again(&window, at("2026-03-04T12:00:00Z"));
    assert_string_equal(waits_until(&window, "2026-03-04T12:00:00Z"), "2026-03-12T22:00:00Z");
}

static void
protected_hours_hold_even_without_a_window(void **state)
{
    (void)state;
    struct maintenance window = { .has_protected = true, .protected_from = 22, .protected_to = 6 };
    assert_string_equal(waits_until(&window, "2026-03-04T21:59:59Z"), "now");
    assert_string_equal(waits_until(&window, "2026-03-04T22:00:00Z"), "2026-03-05T06:00:00Z");
    window = sundays_at_three();
    window.starts_asap = true;
    assert_string_equal(waits_until(&window, "2026-03-04T12:00:00Z"), "now");
    window.has_protected = true;
    window.protected_from = 8;
    window.protected_to = 18;
    assert_string_equal(waits_until(&window, "2026-03-04T12:00:00Z"), "2026-03-04T18:00:00Z");
}

static void
what_is_written_is_read_again(void **state)
{
    (void)state;
    json_t *document = json_in(arena, json_pack("{s:i, s:i}", "dayOfWeek", 1, "hourOfDay", 3));
    struct maintenance window = maintenance_read(document);
    waits_until(&window, "2026-03-04T12:00:00Z");
    assert_true(maintenance_defer(&window));
    maintenance_write_round(document, &window);
    struct maintenance again = maintenance_read(document);
    assert_true(again.starts_ms == window.starts_ms && again.starts_ms > 0);
    assert_int_equal(again.deferrals, 1);
    assert_int_equal(again.day * 100 + again.hour, 103);
    assert_false(again.has_begun);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_hour_of_the_week_is_found),
        cmocka_unit_test(it_begins_in_the_hour_and_not_before),
        cmocka_unit_test(it_is_put_off_twice_and_then_begins),
        cmocka_unit_test(automatic_deferral_happens_once_for_each),
        cmocka_unit_test(a_window_that_was_missed_is_followed_by_the_next_and_not_put_off_again),
        cmocka_unit_test(another_hour_moves_what_waits),
        cmocka_unit_test(protected_hours_hold_even_without_a_window),
        cmocka_unit_test(what_is_written_is_read_again),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
