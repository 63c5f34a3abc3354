/* SPDX-License-Identifier: Apache-2.0 */
/* What the stages of a drill say is the word of somebody else: what is taken out of it, and what follows. */
#include "check.h"

#include "agent/seat/drill_view.h"
#include "base/clock.h"

enum { ARENA_BYTES = 1 << 24, MINUTE_MS = 60 * 1000 };

static const char fetched_text[] =
    "{'phases': [{'name': 'restore', 'startedMs': 1000, 'ms': 20}, {'name': 'wal', 'startedMs': 1020, 'ms': 3}], 'problem': '', 'isDone': true}";
#define PROVED(recovered, checks)                                                                                     \
    "{'phases': [{'name': 'recover', 'startedMs': 2000, 'ms': 100}, {'name': 'check', 'startedMs': 2100, 'ms': 5}], " \
    "'problem': '', 'isDone': true, 'recoveryPointMs': " recovered                                                    \
    ", 'dataBytes': 9, 'serverVersion': '17.6', 'checks': [" checks "]}"
#define FINE \
    "{'name': 'amcheck', 'database': 'shop', 'result': 'PASSED', 'sentence': 's'}, {'name': 'checksums', 'database': '', 'result': 'PASSED', 'sentence': 's'}"

static json_t *
view(struct arena *arena, const char *text)
{
    str copy = str_dup(arena, str_from(text));
    for (size_t i = 0; i < copy.len; i++)
        ((char *)(uintptr_t)copy.data)[i] = text[i] == '\'' ? '"' : text[i];
    return drill_view_of(arena, copy);
}

static const char *
judged(struct arena *arena, const char *fetched, const char *proved, int64_t promised_ms)
{
    const struct drill_promise promise = { .until_ms = promised_ms, .lsn = STR_EMPTY };
    error why = drill_view_judge(arena, view(arena, fetched), proved == NULL ? NULL : view(arena, proved), &promise);
    return why == OK ? "" : why->detail.data;
}

static void
it_has_passed_when_everything_was_looked_at(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    assert_string_equal(judged(arena, fetched_text, PROVED("600000", FINE), 650000), "");
    assert_string_equal(judged(arena, fetched_text, PROVED("600000", FINE), -1), "");
    assert_non_null(strstr(judged(arena, fetched_text, PROVED("600000", ""), -1), "did not say"));
    assert_non_null(strstr(judged(arena, fetched_text, PROVED("600000", "{'name': 'amcheck', 'result': 'PASSED'}"), -1),
                           "did not say"));
    assert_string_equal(
        judged(arena, fetched_text,
               PROVED("600000", FINE
                      ", {'name': 'assertion a', 'database': 'shop', 'result': 'FAILED', 'sentence': 'It is false.'}"),
               -1),
        "assertion a in shop: It is false.");
    assert_string_equal(judged(arena, "{'problem': 'No file.', 'isDone': true}", NULL, -1), "No file.");
    arena_free(arena);
}

/* A commit a minute is what an idle database has: what is further behind was lost. */
static void
what_was_promised_must_come_back(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    assert_string_equal(judged(arena, fetched_text, PROVED("600000", FINE), 600000 + 2 * MINUTE_MS), "");
    assert_non_null(
        strstr(judged(arena, fetched_text, PROVED("600000", FINE), 600000 + 3 * MINUTE_MS), "as was reported"));
    assert_non_null(strstr(judged(arena, fetched_text, PROVED("-1", FINE), 600000), "as was reported"));
    arena_free(arena);
}

/* PostgreSQL takes WAL that is damaged for the end of it, and an idle database has no commit by which that could be seen. */
static void
what_was_received_must_be_replayed(void **state)
{
    (void)state;
    static const struct {
        const char *reached, *received;
        int64_t timeline;
        bool is_fine;
    } rows[] = {
        { "0/5000100", "0/5000148", 2, true },  { "0/5000100", "0/7000148", 2, false },
        { "0/5000100", "0/6000000", 2, true },  /* a switch has filled the rest of the segment */
        { "0/4E00000", "0/6000000", 2, false }, /* but not the one before */
        { "0/5000100", "0/7000148", 1, true },  /* positions of another timeline say nothing */
        { "nowhere", "0/7000148", 2, true },    { "0/5000100", "", 2, true },
    };
    struct arena *arena = arena_new(ARENA_BYTES);
    const json_t *fetched = view(arena, "{'isDone': true, 'segmentBytes': 16777216, 'timeline': 2}");
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const struct drill_promise promise = { .until_ms = -1,
                                               .lsn = str_from(rows[i].received),
                                               .timeline = rows[i].timeline };
        str said = str_format(arena, "{'isDone': true, 'endLsn': '%s', 'checks': [" FINE "]}", rows[i].reached);
        error why = drill_view_judge(arena, fetched, view(arena, said.data), &promise);
        assert_int_equal(why == OK, rows[i].is_fine);
        assert_true(why == OK || strstr(why->detail.data, "WAL up to 0/") != NULL);
    }
    arena_free(arena);
}

static void
only_what_has_a_meaning_is_taken(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    struct report_drill report = { 0 };
    static const char *const nonsense[] = {
        "", "[]", "7", "{", "{'isDone': true, 'isDone': true}", "{'problem': '\\u0000'}"
    };
    for (size_t i = 0; i < LENGTH(nonsense); i++)
        assert_null(view(arena, nonsense[i]));
    json_t *odd = view(
        arena,
        "{'isDone': 1, 'phases': [7, {'name': 'party'}, {'name': 'wal', 'ms': -5, 'startedMs': 99999999999999}], 'checks': {'a': 1}, 'recoveryPointMs': 99999999999999, "
        "'problem': [], 'dataBytes': 'x', 'serverVersion': {}}");
    assert_non_null(odd);
    assert_false(drill_view_is_done(odd));
    drill_view_report(arena, odd, odd, 0, &report);
    assert_int_equal(report.phase_count, 2);
    assert_int_equal(report.phases[0].ms, -1);
    assert_int_equal(report.check_count, 0);
    assert_int_equal(report.recovery_point.len, 0);
    assert_int_equal(report.rto_ms, -1);
    arena_free(arena);
}

static void
there_is_an_end_to_it(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    struct report_drill report = { 0 };
    struct buf many = buf_in(arena, 1 << 20);
    buf_add_text(&many, "{'checks': [");
    for (int i = 0; i < 1000; i++)
        buf_format(&many, "%s{'name': 'a', 'result': 'PASSED', 'sentence': '%0600d'}", i == 0 ? "" : ",", 7);
    buf_add_text(&many, "]}");
    drill_view_report(arena, NULL, view(arena, buf_str(&many).data), 0, &report);
    assert_int_equal(report.check_count, 256);
    assert_int_equal(report.checks[0].sentence.len, 512);
    arena_free(arena);
}

static void
the_time_until_it_could_be_used_is_without_the_checks(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    struct report_drill report = { 0 };
    drill_view_report(arena, view(arena, fetched_text), view(arena, PROVED("600000", FINE)), 0, &report);
    assert_int_equal(report.rto_ms, 123);
    assert_int_equal(report.phase_count, 4);
    assert_int_equal(report.data_bytes, 9);
    drill_view_report(arena, view(arena, fetched_text), NULL, 0, &report);
    assert_int_equal(report.rto_ms, -1);
    arena_free(arena);
}

/* A cluster that was idle since its backup has no commit by which its recovery point could be told: the answer said nothing then. */
static void
what_came_back_reaches_to_the_backup_at_least(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    struct report_drill report = { 0 };
    drill_view_report(arena, view(arena, fetched_text), view(arena, PROVED("-1", FINE)), 500000, &report);
    assert_true(str_is(report.recovery_point, "1970-01-01T00:08:20Z"));
    drill_view_report(arena, view(arena, fetched_text), view(arena, PROVED("600000", FINE)), 500000, &report);
    assert_true(str_is(report.recovery_point, "1970-01-01T00:10:00Z"));
    drill_view_report(arena, view(arena, fetched_text), NULL, 500000, &report);
    assert_int_equal(report.recovery_point.len, 0); /* nothing has come back yet */
    arena_free(arena);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_has_passed_when_everything_was_looked_at),
        cmocka_unit_test(what_was_promised_must_come_back),
        cmocka_unit_test(what_was_received_must_be_replayed),
        cmocka_unit_test(only_what_has_a_meaning_is_taken),
        cmocka_unit_test(there_is_an_end_to_it),
        cmocka_unit_test(the_time_until_it_could_be_used_is_without_the_checks),
        cmocka_unit_test(what_came_back_reaches_to_the_backup_at_least),
    };
    json_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
