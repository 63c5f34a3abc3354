/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <math.h>
#include <stdio.h>

#include "base/str.h"
#include "wire/points.h"

enum { ARENA_BYTES = 4 * 1024 * 1024 };

#define MEMBER "0000000000000000000000a1"

static id
member(void)
{
    id value;
    assert_true(id_parse(STR(MEMBER), &value));
    return value;
}

static void
what_was_written_is_read(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    struct buf out = buf_in(arena, POINTS_MOST_BYTES);
    struct points_writer writer = points_begin(&out, member(), 1794940800123, METRIC_PROCESS, STR_EMPTY);
    points_add(&writer, M_CONNECTIONS, 12);
    points_add(&writer, M_CACHE_HIT_RATIO, 99.25);
    points_add(&writer, M_LOG_BYTES_WRITTEN, 123456789012345678.0);
    points_end(&writer);
    writer = points_begin(&out, member(), 1794940800123, METRIC_DATABASE, STR("caf\xc3\xa9 \"x\"\n"));
    points_add(&writer, M_DATABASE_CONNECTIONS, -0.5);
    points_end(&writer);
    assert_string_equal(
        buf_str(&out).data,
        MEMBER " 1794940800123 p - CONNECTIONS=12,CACHE_HIT_RATIO=99.25,LOG_BYTES_WRITTEN=123456789012345680\n" MEMBER
               " 1794940800123 d caf%C3%A9%20%22x%22%0A DATABASE_CONNECTIONS=-0.5\n");

    struct points_reader reader = points_read(buf_str(&out));
    struct points_line line;
    assert_int_equal(points_next(&reader, &line), POINTS_LINE);
    assert_true(id_eq(line.member, member()));
    assert_int_equal(line.time_ms, 1794940800123);
    assert_int_equal(line.scope, METRIC_PROCESS);
    assert_int_equal(line.name.len, 0);
    assert_int_equal(line.value_count, 3);
    assert_int_equal(line.values[1].metric->number, M_CACHE_HIT_RATIO);
    assert_true(str_is(line.values[1].number, "99.25"));
    assert_int_equal(points_next(&reader, &line), POINTS_LINE);
    assert_true(str_is(line.name, "caf\xc3\xa9 \"x\"\n"));
    assert_int_equal(points_next(&reader, &line), POINTS_END);
    assert_int_equal(reader.line_number, 2);
    arena_free(arena);
}

static void
what_is_no_number_is_left_out(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    struct buf out = buf_in(arena, POINTS_MOST_BYTES);
    struct points_writer writer = points_begin(&out, member(), 1, METRIC_PROCESS, STR_EMPTY);
    points_add(&writer, M_CONNECTIONS, (double)NAN);
    points_add(&writer, M_CONNECTIONS_MAX, (double)INFINITY);
    points_add(&writer, M_DEADLOCKS, 1e300);
    points_end(&writer);
    assert_int_equal(out.len, 0); /* and a line without values is none */
    writer = points_begin(&out, member(), 1, METRIC_DISK, STR("-"));
    points_add(&writer, M_DISK_QUEUE_DEPTH, 0.0000001);
    points_end(&writer);
    assert_string_equal(buf_str(&out).data, MEMBER " 1 k %2D DISK_QUEUE_DEPTH=0\n");
    arena_free(arena);
}

/* What is written is read again, or not written: one line that cannot be read would take the whole round with it. */
static void
a_name_that_cannot_be_read_is_left_out(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    char longest[POINTS_NAME_BYTES + 2];
    memset(longest, 'x', sizeof(longest));
    const str names[] = { STR("\xff"), STR_EMPTY, { longest, POINTS_NAME_BYTES + 1 } };
    struct buf out = buf_in(arena, POINTS_MOST_BYTES);
    for (size_t i = 0; i < LENGTH(names); i++) {
        struct points_writer writer = points_begin(&out, member(), 1, METRIC_TABLE, names[i]);
        points_add(&writer, M_READS_OPS, 1);
        points_end(&writer);
        assert_int_equal(out.len, 0);
    }
    arena_free(arena);
}

/* Every metric of a scope with the longest number, and the longest name: nothing of ours is longer than a line may be. */
static void
the_longest_line_fits(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    char name[POINTS_NAME_BYTES + 1];
    memset(name, '"', sizeof(name));
    for (int scope = 0; scope < METRIC_SCOPES; scope++) {
        struct buf out = buf_in(arena, POINTS_MOST_BYTES);
        struct points_writer writer =
            points_begin(&out, member(), 1794940800123, (enum metric_scope)scope, (str){ name, POINTS_NAME_BYTES });
        size_t count = 0;
        for (int i = 0; i < METRIC_COUNT; i++) {
            if (metric_table[i].scope == (enum metric_scope)scope) {
                points_add(&writer, (enum metric_number)i, -999999999999999.875);
                count++;
            }
        }
        points_end(&writer);
        struct points_reader reader = points_read(buf_str(&out));
        struct points_line line;
        assert_int_equal(points_next(&reader, &line), POINTS_LINE);
        assert_int_equal(line.value_count, count);
    }
    arena_free(arena);
}

/* Writer and reader agree about which characters stand for themselves. */
static void
every_character_of_a_name_comes_back(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    for (int c = 1; c < 128; c++) {
        const char name[] = { (char)c, '\0' };
        struct buf out = buf_in(arena, POINTS_MOST_BYTES);
        struct points_writer writer = points_begin(&out, member(), 1, METRIC_DATABASE, str_from(name));
        points_add(&writer, M_DATABASE_CONNECTIONS, 1);
        points_end(&writer);
        struct points_reader reader = points_read(buf_str(&out));
        struct points_line line;
        assert_int_equal(points_next(&reader, &line), POINTS_LINE);
        assert_true(str_is(line.name, name));
    }
    arena_free(arena);
}

static void
metrics_of_later_versions_are_passed_over(void **state)
{
    (void)state;
    struct points_reader reader = points_read(STR(MEMBER " 5 p - NEW_ONE=1,CONNECTIONS=2,OTHER=3\n"));
    struct points_line line;
    assert_int_equal(points_next(&reader, &line), POINTS_LINE);
    assert_int_equal(line.value_count, 1);
    assert_int_equal(reader.unknown, 2);
}

// clang-format off
static const char *const bad_lines[] = {
    "",                                                     /* an empty line */
    " ",
    MEMBER,
    MEMBER " 5 p -",
    MEMBER " 5 p - ",
    MEMBER " 5 p -  CONNECTIONS=1",                         /* two spaces */
    " " MEMBER " 5 p - CONNECTIONS=1",
    MEMBER " 5 p - CONNECTIONS=1\r",
    MEMBER " 5 p - CONNECTIONS=1 ",
    MEMBER " 5 p - CONNECTIONS=1,",
    MEMBER " 5 p - ,CONNECTIONS=1",
    MEMBER " 5 p - CONNECTIONS=1,,DEADLOCKS=2",
    MEMBER " 5 p - CONNECTIONS=1,CONNECTIONS=1",
    MEMBER " 5 p - CONNECTIONS",
    MEMBER " 5 p - CONNECTIONS=",
    MEMBER " 5 p - CONNECTIONS==1",
    MEMBER " 5 p - connections=1",
    MEMBER " 5 p - CONNECTIONS{a=\"b\"}=1",
    MEMBER " 5 p - =1",
    MEMBER " 5 p - CONNECTIONS=nan",
    MEMBER " 5 p - CONNECTIONS=inf",
    MEMBER " 5 p - CONNECTIONS=-",
    MEMBER " 5 p - CONNECTIONS=+1",
    MEMBER " 5 p - CONNECTIONS=.5",
    MEMBER " 5 p - CONNECTIONS=1.",
    MEMBER " 5 p - CONNECTIONS=1.2.3",
    MEMBER " 5 p - CONNECTIONS=1e3",
    MEMBER " 5 p - CONNECTIONS=0x10",
    MEMBER " 5 p - CONNECTIONS=1i",
    MEMBER " 5 p - CONNECTIONS=1234567890123456789012345",  /* 25 characters */
    MEMBER " 5 p - UNKNOWN=x",
    MEMBER " 5 p - DATABASE_CONNECTIONS=1",                 /* of another scope */
    MEMBER " 5 p shop CONNECTIONS=1",                       /* processes have no name */
    MEMBER " 5 d - DATABASE_CONNECTIONS=1",                 /* databases have one */
    MEMBER " 5 d  DATABASE_CONNECTIONS=1",
    MEMBER " 5 d a%2 DATABASE_CONNECTIONS=1",
    MEMBER " 5 d a%zz DATABASE_CONNECTIONS=1",
    MEMBER " 5 d a%00 DATABASE_CONNECTIONS=1",
    MEMBER " 5 d %ff DATABASE_CONNECTIONS=1",               /* no UTF-8 */
    MEMBER " 5 d a,b=c DATABASE_CONNECTIONS=1",             /* what Influx lines end a label with */
    MEMBER " 5 d a\tb DATABASE_CONNECTIONS=1",
    MEMBER " 5 x - CONNECTIONS=1",
    MEMBER " 5 pp - CONNECTIONS=1",
    MEMBER " 0 p - CONNECTIONS=1",
    MEMBER " -5 p - CONNECTIONS=1",
    MEMBER " 5.5 p - CONNECTIONS=1",
    MEMBER " 12345678901234 p - CONNECTIONS=1",             /* more digits than milliseconds have until 2286 */
    "0000000000000000000000A1 5 p - CONNECTIONS=1",
    "a1 5 p - CONNECTIONS=1",
};
// clang-format on

static void
bad_lines_are_named(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    for (size_t i = 0; i < LENGTH(bad_lines); i++) {
        str body = str_format(arena, MEMBER " 5 p - CONNECTIONS=1\n%s\n", bad_lines[i]);
        struct points_reader reader = points_read(body);
        struct points_line line;
        assert_int_equal(points_next(&reader, &line), POINTS_LINE);
        if (points_next(&reader, &line) != POINTS_BAD)
            fail_msg("taken: %s", bad_lines[i]);
        assert_int_equal(reader.line_number, 2);
        assert_non_null(reader.problem);
    }
    arena_free(arena);
}

static void
a_line_that_is_cut_off_or_too_long_is_bad(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    struct points_line line;
    struct points_reader reader = points_read(STR(MEMBER " 5 p - CONNECTIONS=1"));
    assert_int_equal(points_next(&reader, &line), POINTS_BAD);
    char *letters = arena_alloc(arena, POINTS_LINE_BYTES);
    memset(letters, 'a', POINTS_LINE_BYTES);
    str long_name = str_format(arena, MEMBER " 5 d %.*s DATABASE_CONNECTIONS=1\n", POINTS_NAME_BYTES + 1, letters);
    reader = points_read(long_name);
    assert_int_equal(points_next(&reader, &line), POINTS_BAD);
    reader = points_read(str_format(arena, "%.*s\n", POINTS_LINE_BYTES, letters));
    assert_int_equal(points_next(&reader, &line), POINTS_BAD);
    reader = points_read(STR_EMPTY);
    assert_int_equal(points_next(&reader, &line), POINTS_END);
    arena_free(arena);
}

/* Whatever a host sends: bytes of a good batch, changed anywhere, never do more than be refused. */
static void
changed_bytes_do_no_harm(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    static const char good[] = MEMBER " 1794940800123 p - CONNECTIONS=12,CACHE_HIT_RATIO=99.25\n" MEMBER
                                      " 1794940800123 t shop.public.a%20b READS_OPS=5,WRITES_OPS=7\n";
    unsigned seed = 7;
    for (int i = 0; i < 20000; i++) {
        char body[sizeof(good)];
        memcpy(body, good, sizeof(good));
        for (int k = 0; k < 3; k++) {
            seed = seed * 1103515245u + 12345u;
            body[(seed >> 8) % (sizeof(good) - 1)] = (char)(seed >> 24);
        }
        char *copy = arena_alloc(arena, sizeof(good)); /* where a sanitizer sees its end */
        if (copy == NULL)
            break;
        memcpy(copy, body, sizeof(good));
        struct points_reader reader = points_read((str){ copy, sizeof(good) - 1 });
        struct points_line line;
        while (points_next(&reader, &line) == POINTS_LINE)
            assert_true(line.value_count <= POINTS_MOST_VALUES);
    }
    arena_free(arena);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_read),
        cmocka_unit_test(what_is_no_number_is_left_out),
        cmocka_unit_test(the_longest_line_fits),
        cmocka_unit_test(metrics_of_later_versions_are_passed_over),
        cmocka_unit_test(bad_lines_are_named),
        cmocka_unit_test(a_line_that_is_cut_off_or_too_long_is_bad),
        cmocka_unit_test(changed_bytes_do_no_harm),
        cmocka_unit_test(every_character_of_a_name_comes_back),
        cmocka_unit_test(a_name_that_cannot_be_read_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
