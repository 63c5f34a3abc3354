/* SPDX-License-Identifier: Apache-2.0 */
/* What can be restored, as it follows from what the programs of a seat say. */
#include "check.h"

#include "agent/seat/seat_view.h"
#include "base/clock.h"

/* Three full backups, of a day each, and WAL that begins a day before them. The second span began after a gap in the third night. */
static const char wal[] =
    "{'spans': [{'ordinal': 0, 'fromLsn': '0/1000000', 'toLsn': '0/6000000', 'fromTimeline': 1, 'toTimeline': 2, 'fromMs': 0, 'toMs': 350000000, "
    "'endedBy': 'A gap.'}, "
    "{'ordinal': 1, 'fromLsn': '0/8000000', 'toLsn': '0/A000000', 'fromTimeline': 2, 'toTimeline': 2, 'fromMs': 360000000, 'toMs': 500000000, "
    "'endedBy': ''}]}";

#define BACKUP(label, start, stop, stop_s)                                                 \
    "{'label': '" label "F', 'type': 'full', 'lsn': {'start': '" start "', 'stop': '" stop \
    "'}, 'archive': {'start': '000000020000000000000004'}, "                               \
    "'timestamp': {'stop': " #stop_s "}, 'annotation': {'snapshot': '" label "', 'skew': '500'}}"
#define FIRST  BACKUP("a00000000000000000000001", "0/2000028", "0/2000100", 86400)
#define SECOND BACKUP("a00000000000000000000002", "0/4000028", "0/4000100", 172800)
#define THIRD  BACKUP("a00000000000000000000003", "0/9000028", "0/9000100", 432000)

static json_t *
parse(struct arena *arena, str text)
{
    char *copy = ARENA_ARRAY(arena, char, text.len);
    for (size_t i = 0; i < text.len; i++)
        copy[i] = text.data[i] == '\'' ? '"' : text.data[i];
    json_t *parsed = json_parse_own(arena, (str){ copy, text.len });
    assert_non_null(parsed);
    return parsed;
}

static struct seat_view
view_of(struct arena *arena, const char *backups, long long shortened_ms, const char *holes)
{
    str kept = str_format(arena, "{'shortenedMs': %lld, 'info': [{'backup': [%s]}], 'holes': [%s]}", shortened_ms,
                          backups, holes);
    return seat_view_of(arena, parse(arena, str_from(wal)), parse(arena, kept));
}

static struct report_seat
reported_with(struct arena *arena, const char *backups, long long shortened_ms, const char *holes)
{
    struct seat_pass pass = { .arena = arena };
    struct report_seat report = { 0 };
    struct report_copy *copies;
    struct seat_view view = view_of(arena, backups, shortened_ms, holes);
    seat_view_report(&pass, &view, 0, &report, &copies);
    assert_non_null(copies);
    return report;
}

static struct report_seat
reported(struct arena *arena, const char *backups, long long shortened_ms)
{
    return reported_with(arena, backups, shortened_ms, "");
}

#define assert_text(found, expected) assert_string_equal((found).len == 0 ? "" : (found).data, expected)

static void
the_window_begins_with_the_first_backup_of_the_newest_span_that_has_one(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 22);
    struct report_seat all = reported(arena, FIRST ", " SECOND ", " THIRD, 0),
                       old = reported(arena, FIRST ", " SECOND, 0);
    assert_text(all.window_from, "1970-01-06T00:00:00.500Z");
    assert_text(all.window_to, "1970-01-06T18:53:20Z");
    assert_text(old.window_from, "1970-01-02T00:00:00.500Z");
    assert_text(old.window_to, "1970-01-05T01:13:20Z");
    assert_int_equal(old.span_count, 2);
    assert_text(old.spans[0].from_lsn, "0/1000000");
    arena_free(arena);
}

/* Also when the window that WAL was removed for is a longer one by now. */
static void
wal_that_was_removed_is_not_claimed(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 22);
    struct report_seat second = reported(arena, FIRST ", " SECOND, 172800000),
                       third = reported(arena, FIRST ", " SECOND ", " THIRD, 432000000);
    assert_text(second.window_from, "1970-01-03T00:00:00.500Z");
    assert_int_equal(second.span_count, 2);
    assert_text(second.spans[0].from_lsn, "0/4000028");
    assert_text(second.spans[0].from_at, "1970-01-03T00:00:00.500Z");
    assert_int_equal(second.spans[0].from_timeline, 2);
    assert_text(second.spans[0].to_lsn, "0/6000000");
    assert_text(second.spans[1].from_lsn, "0/8000000");
    assert_int_equal(third.span_count, 1); /* nothing is left of the span before */
    assert_int_equal(third.spans[0].ordinal, 1);
    assert_text(third.spans[0].from_lsn, "0/9000028");
    for (size_t i = 0; i < third.copy_count; i++) /* older backups have what they need for themselves */
        assert_int_equal(third.copies[i].state, COPY_COMPLETED);
    assert_int_equal(third.copy_count, 3);
    arena_free(arena);
}

/* ---- What is missing in the repository ---- */
#define HOLE(ordinal, from, to, before_ms, after_ms)                                                \
    "{'ordinal': " #ordinal ", 'fromLsn': '" from "', 'toLsn': '" to                                \
    "', 'beforeTimeline': 1, 'afterTimeline': 2, 'beforeMs': " #before_ms ", 'afterMs': " #after_ms \
    ", 'why': 'Gone.'}"

static void
wal_that_is_missing_splits_its_span(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 22);
    struct report_seat split =
        reported_with(arena, FIRST ", " SECOND, 0, HOLE(0, "0/3000000", "0/3800000", 100000000, 110000000));
    assert_int_equal(split.span_count, 3);
    assert_text(split.spans[0].to_lsn, "0/3000000");
    assert_text(split.spans[0].to_at, "1970-01-02T03:46:40Z");
    assert_text(split.spans[0].ended_by, "Gone.");
    assert_int_equal(split.spans[0].to_timeline, 1);
    assert_text(split.spans[1].from_lsn, "0/3800000");
    assert_text(split.spans[1].from_at, "1970-01-02T06:33:20Z");
    assert_int_equal(split.spans[1].from_timeline, 2);
    assert_text(split.spans[1].ended_by, "A gap.");
    for (int i = 0; i < 3; i++)
        assert_int_equal(split.spans[i].ordinal, i);
    assert_text(split.window_from,
                "1970-01-03T00:00:00.500Z"); /* of the second backup: what is before it ends at the hole */
    assert_text(split.window_to, "1970-01-05T01:13:20Z");
    for (size_t i = 0; i < split.copy_count; i++)
        assert_int_equal(split.copies[i].state, COPY_COMPLETED);
    arena_free(arena);
}

/* What nobody knows is not promised. */
static void
the_window_ends_at_a_hole_until_there_is_a_backup_behind_it(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 22);
    static const char behind[] = HOLE(1, "0/9800000", "0/A000000", 440000000, -1);
    struct report_seat ended = reported_with(arena, FIRST ", " THIRD, 0, behind);
    assert_text(ended.window_from, "1970-01-06T00:00:00.500Z");
    assert_text(ended.window_to, "1970-01-06T02:13:20Z");
    assert_int_equal(ended.span_count, 3);
    assert_text(ended.spans[2].from_lsn, "0/A000000"); /* it goes on there, with nothing in it yet */
    assert_text(ended.spans[2].ended_by, "");
    struct seat_view view = view_of(arena, FIRST ", " THIRD, 0, behind);
    assert_int_equal(seat_view_newest_full_ms(&view), -1); /* so one is begun */
    struct report_seat unknown = reported_with(arena, THIRD, 0, HOLE(1, "0/9800000", "0/A000000", -1, -1));
    assert_text(unknown.window_to, "");
    struct report_seat own = reported_with(arena, THIRD, 0, HOLE(1, "0/9000000", "0/9800000", 440000000, -1));
    assert_int_equal(own.copies[0].state, COPY_FAILED);
    assert_text(own.copies[0].problem, "WAL that it needs is missing.");
    struct report_seat foreign = reported_with(arena, THIRD, 0, HOLE(7, "0/9000000", "0/9800000", 1, 1));
    assert_int_equal(foreign.span_count, 2);
    arena_free(arena);
}

/* ---- What is damaged ---- */
#define DAMAGED(label, start, stop, stop_s)                                                                 \
    "{'label': '" label "F', 'type': 'full', 'error': true, 'damage': 'Damaged.', 'lsn': {'start': '" start \
    "', 'stop': '" stop "'}, 'timestamp': {'stop': " #stop_s "}, 'annotation': {'snapshot': '" label "'}}"

static void
nothing_is_built_on_a_damaged_backup(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 22);
    static const char both[] = THIRD ", " DAMAGED("a00000000000000000000004", "0/9800028", "0/9800100", 450000);
    struct seat_view view = view_of(arena, THIRD, 0, ""), damaged = view_of(arena, both, 0, "");
    struct report_seat report = reported(arena, both, 0);
    assert_int_equal(seat_view_newest_full_ms(&view), 432000000);
    assert_int_equal(seat_view_newest_full_ms(&damaged), -1);
    assert_int_equal(report.copies[0].state, COPY_COMPLETED);
    assert_int_equal(report.copies[1].state, COPY_FAILED);
    assert_text(report.copies[1].problem, "Damaged.");
    assert_text(report.window_from, "1970-01-06T00:00:00.500Z");
    arena_free(arena);
}

/* ---- Clocks ---- */
static void
clocks_that_differ_are_said(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 22);
    static const struct {
        long long skew_ms;
        const char *said;
    } rows[] = {
        { 250, "" },
        { -200000, "" },
        { 1209600000, "The primary's clock is 1209600 s ahead of the repository host's" },
        { -1209600000, "The primary's clock is 1209600 s behind the repository host's" },
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct seat_pass pass = { .arena = arena };
        struct report_seat report = { 0 };
        struct report_copy *copies;
        str told = str_format(arena, "{'spans': [], 'skewMs': %lld, 'atMs': %lld}", rows[i].skew_ms,
                              (long long)clock_now_ms());
        struct seat_view view = seat_view_of(arena, parse(arena, told), NULL);
        seat_view_report(&pass, &view, 0, &report, &copies);
        assert_true(rows[i].said[0] == '\0' ? report.problem.len == 0
                                            : str_starts_with(report.problem, str_from(rows[i].said)));
        assert_int_equal(seat_view_clocks_differ(&view), rows[i].said[0] != '\0');
    }
    arena_free(arena);
}

int
main(void)
{
    json_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_window_begins_with_the_first_backup_of_the_newest_span_that_has_one),
        cmocka_unit_test(wal_that_was_removed_is_not_claimed),
        cmocka_unit_test(wal_that_is_missing_splits_its_span),
        cmocka_unit_test(the_window_ends_at_a_hole_until_there_is_a_backup_behind_it),
        cmocka_unit_test(clocks_that_differ_are_said),
        cmocka_unit_test(nothing_is_built_on_a_damaged_backup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
