/* SPDX-License-Identifier: Apache-2.0 */
/* What can be restored, as it follows from what the programs of a seat say. */
#include "check.h"

#include "agent/seat/seat_view.h"

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

static struct report_seat
reported(struct arena *arena, const char *backups, long long shortened_ms)
{
    struct seat_pass pass = { .arena = arena };
    struct report_seat report = { 0 };
    struct report_copy *copies;
    str kept = str_format(arena, "{'shortenedMs': %lld, 'info': [{'backup': [%s]}]}", shortened_ms, backups);
    struct seat_view view = { parse(arena, str_from(wal)), parse(arena, kept) };
    seat_view_report(&pass, &view, 0, &report, &copies);
    assert_non_null(copies);
    return report;
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

int
main(void)
{
    json_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_window_begins_with_the_first_backup_of_the_newest_span_that_has_one),
        cmocka_unit_test(wal_that_was_removed_is_not_claimed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
