/* SPDX-License-Identifier: Apache-2.0 */
/* Points as they are sent to a service: each once, under its own time, with what belongs to it. */
#include "arena_fixture.h"

#include <jansson.h>

#include "base/json.h"
#include "job/monitor/push_series.h"

static const struct push_origin origin = { { "h.example.test", 14 }, { "\"project:p\"", 11 } };

static const json_t *
made(enum metric_number metric, const char *name, const struct sample *samples, size_t count, int64_t after_ms,
     int64_t to_ms, size_t expected)
{
    struct buf out = buf_in(arena, 1 << 16);
    struct series series = { &metric_table[metric], str_from(name), count, samples };
    assert_int_equal(push_series_add(&out, &origin, &series, after_ms, to_ms), expected);
    assert_int_equal(push_series_count(&series, after_ms, to_ms), expected);
    if (expected == 0) {
        assert_int_equal(out.len, 0);
        return NULL;
    }
    const json_t *one = json_parse_own(arena, buf_str(&out));
    assert_non_null(one);
    return one;
}

static void
check_point(const json_t *series, size_t i, int64_t at_s, double value)
{
    const json_t *point = json_array_get(json_object_get(series, "points"), i);
    assert_int_equal(json_integer_value(json_array_get(point, 0)), at_s);
    double is = json_number_value(json_array_get(point, 1));
    if (is < value - 1e-12 || is > value + 1e-12)
        fail_msg("%.17g instead of %.17g", is, value);
}

static void
a_gauge_is_sent_as_it_is(void **state)
{
    (void)state;
    const struct sample samples[] = { { 10500, 1 }, { 20500, 0.1 }, { 30500, 3 }, { 40500, 4 } };
    const json_t *series = made(M_CONNECTIONS, "", samples, 4, 10500, 30500, 2);
    assert_string_equal(json_text_at(series, "metric").data, "reeve.connections");
    assert_string_equal(json_text_at(series, "type").data, "gauge");
    assert_string_equal(json_text_at(series, "host").data, "h.example.test");
    assert_int_equal(json_array_size(json_object_get(series, "tags")), 1);
    check_point(series, 0, 20, 0.1);
    check_point(series, 1, 30, 3);
    made(M_CONNECTIONS, "", samples, 4, 40500, 90000, 0);
}

static void
a_counter_is_sent_as_how_fast_it_rose(void **state)
{
    (void)state;
    enum { LONG_AGO = 11 * 60 * 1000 };
    /* The first has nothing before it, the third began anew, and of the last nobody knows when it rose. */
    const struct sample samples[] = {
        { 10000, 100 }, { 20000, 150 }, { 30000, 20 }, { 90000, 80 }, { 90000 + LONG_AGO, 900 }
    };
    const json_t *series = made(M_TRANSACTIONS_COMMITTED, "", samples, 5, 0, INT64_MAX, 3);
    assert_string_equal(json_text_at(series, "type").data, "rate");
    check_point(series, 0, 20, 5);
    check_point(series, 1, 30, 2);
    check_point(series, 2, 90, 1);
    /* What was sent before still says what came next. */
    check_point(made(M_TRANSACTIONS_COMMITTED, "", samples, 2, 10000, 20000, 1), 0, 20, 5);
}

static void
a_name_is_one_tag_whatever_is_in_it(void **state)
{
    (void)state;
    const struct sample samples[] = { { 1000, 1 } };
    const json_t *tags =
        json_object_get(made(M_DATABASE_DATA_SIZE, "a\",\"project:x\n\\", samples, 1, 0, 2000, 1), "tags");
    assert_int_equal(json_array_size(tags), 2);
    assert_string_equal(json_string_value(json_array_get(tags, 1)), "database:a\",\"project:x\n\\");
    tags = json_object_get(made(M_DISK_PARTITION_SPACE_USED, "data", samples, 1, 0, 2000, 1), "tags");
    assert_string_equal(json_string_value(json_array_get(tags, 1)), "disk:data");
}

static void
tags_of_people_are_not_taken_for_ours(void **state)
{
    (void)state;
    const str own = STR(
        "[{\"key\":\"Project\",\"value\":\"x\"},{\"key\":\"project:x\",\"value\":\"y\"},{\"key\":\"\",\"value\":\"z\"},"
        "{\"key\":\"a]\\\"\",\"value\":\"b,c\"}]");
    struct buf list = buf_in(arena, 1 << 16);
    id project;
    assert_true(id_parse(STR("650000000000000000000001"), &project));
    buf_format(&list, "[%s]", push_tags(arena, project, STR("c"), own).data);
    const json_t *tags = json_parse_own(arena, buf_str(&list));
    assert_int_equal(json_array_size(tags), 3);
    assert_string_equal(json_string_value(json_array_get(tags, 0)), "project:650000000000000000000001");
    assert_string_equal(json_string_value(json_array_get(tags, 1)), "cluster:c");
    assert_string_equal(json_string_value(json_array_get(tags, 2)), "a]\":b,c");
}

static void
a_long_tag_is_cut_between_characters(void **state)
{
    (void)state;
    struct buf name = buf_in(arena, 4096), list = buf_in(arena, 1 << 16);
    for (int i = 0; i < 300; i++)
        buf_add(&name, STR("\xc3\xa9"));
    buf_format(&list, "[%s]", push_tags(arena, (id){ { 1 } }, buf_str(&name), STR_EMPTY).data);
    const json_t *tags = json_parse_own(arena, buf_str(&list));
    size_t length = strlen(json_string_value(json_array_get(tags, 1)));
    assert_true(length == 199 || length == 200); /* valid UTF-8, or it could not be read */
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gauge_is_sent_as_it_is),
        cmocka_unit_test(a_counter_is_sent_as_how_fast_it_rose),
        cmocka_unit_test(a_name_is_one_tag_whatever_is_in_it),
        cmocka_unit_test(tags_of_people_are_not_taken_for_ours),
        cmocka_unit_test(a_long_tag_is_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
