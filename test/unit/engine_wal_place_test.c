/* SPDX-License-Identifier: Apache-2.0 */
/* What must come after what in WAL, across promotions. */
#include "check.h"

#include "engine/postgres/backup/wal_place.h"

enum { MB = 1024 * 1024, SEGMENT = 4 * MB };

static struct wal_history
history(uint32_t timeline, const char *text)
{
    struct wal_history made;
    if (!wal_history_parse(timeline, str_from(text), &made))
        fail_msg("refused: %s", text);
    return made;
}

static void
names_are_read_and_written_by_the_size_of_segments(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 20);
    struct wal_place place;
    assert_true(wal_place_parse(STR("0000000A00000002000003FF"), SEGMENT, &place));
    assert_int_equal(place.timeline, 10);
    assert_int_equal(place.segment, 2 * 1024 + 1023);
    assert_string_equal(wal_place_text(arena, place, SEGMENT).data, "0000000A00000002000003FF");
    assert_string_equal(wal_place_text(arena, (struct wal_place){ 10, 3 * 1024 }, SEGMENT).data,
                        "0000000A0000000300000000");
    const char *none[] = { "0000000A0000000200000400", /* a segment of 4 MB has no such number */
                           "0000000A00000002000003FF.partial",
                           "0000000A.history",
                           "000000000000000200000001",
                           "0000000A0000000200000xFF",
                           "" };
    for (size_t i = 0; i < LENGTH(none); i++)
        assert_false(wal_place_parse(str_from(none[i]), SEGMENT, &place));
    uint64_t lsn;
    assert_true(lsn_parse(STR("2A/5000148"), &lsn));
    assert_string_equal(lsn_text(arena, lsn).data, "2A/5000148");
    assert_false(lsn_parse(STR("2A"), &lsn) || lsn_parse(STR("2A/x"), &lsn) || lsn_parse(STR("/1"), &lsn));
    arena_free(arena);
}

static void
histories_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    struct wal_history made = history(3, "1\t0/3000148\tno recovery target specified\n\n# remark\n2\t0/5000000\tx\n");
    uint64_t lsn;
    assert_int_equal(made.count, 2);
    assert_true(wal_history_fork(&made, 2, &lsn));
    assert_int_equal(lsn, 0x5000000);
    assert_false(wal_history_fork(&made, 3, &lsn));
    const char *none[] = { "", "x\t0/1\t", "1\t0\t", "3\t0/1\t", "4\t0/1\t", "1 0/1" };
    for (size_t i = 0; i < LENGTH(none); i++)
        assert_false(wal_history_parse(3, str_from(none[i]), &made));
    assert_true(wal_history_parse(1, STR(""), &made));
}

/* "was" is the timeline and segment that came last, "is" what came now. Segments of 4 MB: 0/3000148 is in segment 12. */
static void
only_what_leaves_no_gap_follows(void **state)
{
    (void)state;
    static const struct {
        const char *sentence;
        struct wal_place was, is;
        const char *own, *to;
        bool follows;
    } rows[] = {
        { "the next", { 1, 10 }, { 1, 11 }, "", "", true },
        { "one is missing", { 1, 10 }, { 1, 12 }, "", "", false },
        { "the same again", { 1, 10 }, { 1, 10 }, "", "", false },
        { "a promotion in the next segment", { 1, 11 }, { 2, 12 }, "", "1\t0/3000148\t", true },
        { "a promotion, but the segment before the fork is missing",
          { 1, 10 },
          { 2, 12 },
          "",
          "1\t0/3000148\t",
          false },
        { "a promotion, but the fork's own segment is missing", { 1, 11 }, { 2, 13 }, "", "1\t0/3000148\t", false },
        { "the receiver was ahead of the fork", { 1, 12 }, { 2, 12 }, "", "1\t0/3000148\t", true },
        { "the receiver was far ahead of the fork", { 1, 15 }, { 2, 12 }, "", "1\t0/3000148\t", true },
        { "a fork exactly between segments", { 1, 11 }, { 2, 12 }, "", "1\t0/3000000\t", true },
        { "two promotions in one segment", { 1, 11 }, { 3, 12 }, "", "1\t0/3000148\t\n2\t0/3000200\t", true },
        { "two promotions, and the file of the one between is missing",
          { 1, 11 },
          { 3, 12 },
          "",
          "1\t0/3000148\t\n2\t0/3400200\t",
          false },
        { "of the timeline between", { 1, 11 }, { 2, 12 }, "", "1\t0/3000148\t", true },
        { "a timeline that was left for good: back to the fork of both",
          { 2, 14 },
          { 3, 12 },
          "1\t0/3000148\t",
          "1\t0/3000300\t",
          true },
        { "the same, forked earlier", { 2, 14 }, { 3, 11 }, "1\t0/3000148\t", "1\t0/2C00000\t", true },
        { "the same, with a gap", { 2, 14 }, { 3, 13 }, "1\t0/3000148\t", "1\t0/3000300\t", false },
        { "nothing in common", { 5, 14 }, { 3, 15 }, "4\t0/1\t", "1\t0/3000300\t", false },
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct wal_history own, to;
        assert_true(wal_history_parse(rows[i].was.timeline, str_from(rows[i].own), &own) || rows[i].own[0] == '\0');
        assert_true(wal_history_parse(rows[i].is.timeline, str_from(rows[i].to), &to) || rows[i].to[0] == '\0');
        if (wal_follows(rows[i].was, rows[i].is, &own, &to, SEGMENT) != rows[i].follows)
            fail_msg("%s", rows[i].sentence);
    }
}

static void
files_beyond_the_fork_are_not_of_the_new_timeline(void **state)
{
    (void)state;
    struct wal_history to = history(2, "1\t0/3000148\t");
    assert_true(wal_is_of((struct wal_place){ 1, 11 }, true, &to, SEGMENT));
    assert_false(wal_is_of((struct wal_place){ 1, 12 }, true, &to, SEGMENT));
    assert_true(wal_is_of((struct wal_place){ 1, 12 }, false, &to, SEGMENT));
    assert_false(wal_is_of((struct wal_place){ 1, 13 }, false, &to, SEGMENT));
    assert_true(wal_is_of((struct wal_place){ 2, 99 }, true, &to, SEGMENT));
    assert_false(wal_is_of((struct wal_place){ 3, 12 }, false, &to, SEGMENT));
}

/* A fork where a segment ends: nobody has anything of the old timeline after it, and a receiver that asked for it was stuck. */
static void
a_fork_where_a_segment_ends_belongs_to_the_next_timeline(void **state)
{
    (void)state;
    static const struct wal_history to = { .timeline = 3,
                                           .count = 2,
                                           .forks = { { 1, 5 * SEGMENT + 100 }, { 2, 16 * SEGMENT } } };
    assert_true(wal_is_of((struct wal_place){ 2, 15 }, true, &to, SEGMENT));
    assert_false(wal_is_of((struct wal_place){ 2, 16 }, false, &to, SEGMENT));
    assert_int_equal(wal_timeline_at(&to, 5 * SEGMENT), 1);
    assert_int_equal(wal_timeline_at(&to, 6 * SEGMENT), 2);
    assert_int_equal(wal_timeline_at(&to, 15 * SEGMENT), 2);
    assert_int_equal(wal_timeline_at(&to, 16 * SEGMENT), 3);
    assert_true(wal_is_mark((struct wal_place){ 3, 15 }, &to, SEGMENT));
    assert_false(wal_is_mark((struct wal_place){ 3, 16 }, &to, SEGMENT));
    static const struct wal_history first = { .timeline = 1 };
    assert_false(wal_is_mark((struct wal_place){ 1, 1 }, &first, SEGMENT));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_read_and_written_by_the_size_of_segments),
        cmocka_unit_test(histories_that_make_no_sense_are_refused),
        cmocka_unit_test(only_what_leaves_no_gap_follows),
        cmocka_unit_test(files_beyond_the_fork_are_not_of_the_new_timeline),
        cmocka_unit_test(a_fork_where_a_segment_ends_belongs_to_the_next_timeline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
