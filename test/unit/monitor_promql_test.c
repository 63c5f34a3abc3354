/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of tenants: which ones a store gets to see, and that each selector in them has the project. */
#include "arena_fixture.h"

#include "monitor/promql.h"

enum { SECOND = 1000, DAY = 86400 * SECOND };
#define PROJECT "0123456789abcdef01234567"
#define P       "project=\"" PROJECT "\""

static const struct promql_span moment = { 0, PROMQL_DEFAULT_STEP_MS };

static id
project(void)
{
    id value;
    assert_true(id_parse(STR(PROJECT), &value));
    return value;
}

static void
expressions_get_the_project_in_every_selector(void **state)
{
    (void)state;
    static const struct {
        const char *sent, *passed_on;
    } rows[] = {
        { "1+1", "1+1" },
        { "reeve_X", "reeve_X{" P "}" },
        { "reeve_X{}", "reeve_X{" P ",}" },
        { "{__name__=~\"reeve_.*\"}", "{" P ",__name__=~\"reeve_.*\"}" },
        { "reeve_X{project=\"ffffffffffffffffffffffff\"}", "reeve_X{" P ",project=\"ffffffffffffffffffffffff\"}" },
        { "sum by (member) (rate(reeve_X{name!=\"a\"}[5m]))",
          "sum by (member) (rate(reeve_X{" P ",name!=\"a\"}[5m]))" },
        { "reeve_A / on(member) group_left(name) reeve_B",
          "reeve_A {" P "}/ on(member) group_left(name) reeve_B{" P "}" },
        { "max_over_time(rate(reeve_X[1m])[1h:30s]) offset 5m",
          "max_over_time(rate(reeve_X{" P "}[1m])[1h:30s]) offset 5m" },
        { "reeve_X @ end() > bool -1.5e3", "reeve_X {" P "}@ end() > bool -1.5e3" },
        { "topk(3, reeve_X) or vector(Inf) unless NaN", "topk(3, reeve_X{" P "}) or vector(Inf) unless NaN" },
        { "label_replace(reeve_X,\"a\",'$1',\"b\",\"(.*)\\\\}\")",
          "label_replace(reeve_X{" P "},\"a\",'$1',\"b\",\"(.*)\\\\}\")" },
        { "count(reeve_X) without(name)", "count(reeve_X{" P "}) without(name)" },
        { " ( ( reeve_X ) ) ", " ( ( reeve_X {" P "}) ) " },
        { "sum", "sum{" P "}" },
        { "time() - timestamp(up)", "time() - timestamp(up{" P "})" },
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        str text, why = STR_EMPTY;
        bool fine = promql_confine(arena, str_from(rows[i].sent), moment, project(), &text, &why);
        if (!fine || !str_is(text, rows[i].passed_on))
            fail_msg("%s: %.*s%.*s", rows[i].sent, STR_ARG(fine ? text : STR_EMPTY), STR_ARG(why));
    }
}

static void
what_is_no_promql_is_refused(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "",
        " ",
        "1M",
        "reeve_X[1M]",
        "reeve_X[5]",
        "reeve_X[1i]",
        "reeve_X[1.5h]",
        "reeve_X[-5m]",
        "reeve_X[0s]",
        "reeve_X[99999999999999y]",
        "reeve_X[5m",
        "reeve_X[1h:0s]",
        "reeve_X[1h:1M]",
        "WITH (x = reeve_X) x",
        "with (x = reeve_X) x",
        "reeve_X if reeve_Y",
        "reeve_X default 1",
        "reeve_X ifnot 1",
        "reeve_X keep_metric_names",
        "with",
        "sum(reeve_X) limit 1",
        "union(reeve_X, reeve_Y)",
        "(reeve_X, reeve_Y)",
        "rollup(reeve_X[5m])",
        "quantiles_over_time(\"a\", 0.5, reeve_X[5m])",
        "SUM(reeve_X)",
        "{__graphite__=\"*\"}",
        "{project=\"a\" or project=\"b\"}",
        "{\"reeve_X\"}",
        "reeve_X{a=~`b`}",
        "reeve_X{a=\"\\x41\"}",
        "reeve_X{a=\"b}",
        "reeve_X{a=b}",
        "reeve_X{a=\"b\"",
        "reeve_X{a=\"b\"}{c=\"d\"}",
        "reeve_X} or {a=\"b\"",
        "reeve_X\1",
        "reeve_X\xff",
        "\xc3\xa9",
        "1 2",
        "1e",
        "1.2.3",
        "0x1f",
        "1Ki",
        "reeve_X # or {}",
        "reeve_X offset 1",
        "reeve_X @ x",
        "a b",
        "+",
        "()",
        "sum by member (x)",
        "1 / on x",
        "absent(",
        "reeve_X[5m:1m:1m]",
        "rate(reeve_X[5m]))",
        ";",
        "$__interval",
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        str text, why = STR_EMPTY;
        if (promql_confine(arena, str_from(rows[i]), moment, project(), &text, &why))
            fail_msg("passed on: %s", rows[i]);
        assert_true(why.len > 0);
    }
}

static void
parentheses_and_length_have_a_bound(void **state)
{
    (void)state;
    static char deep[200], many[PROMQL_MOST_BYTES + 2];
    str text, why;
    memset(deep, '(', 100);
    assert_false(promql_confine(arena, str_from(deep), moment, project(), &text, &why));
    memset(many, '1', sizeof(many) - 1);
    assert_false(promql_confine(arena, str_from(many), moment, project(), &text, &why));
    assert_true(promql_confine(arena, str_slice(str_from(many), 0, PROMQL_MOST_BYTES), moment, project(), &text, &why));
}

/* A store looks at its clock between two series only. */
static void
windows_are_short_where_points_are_many(void **state)
{
    (void)state;
    const struct {
        const char *sent;
        struct promql_span span;
        bool passes;
    } rows[] = {
        { "avg_over_time(reeve_X[8d])", moment, true },
        { "avg_over_time(reeve_X[1d])", { 7LL * DAY, 600 * SECOND }, true },
        { "rate(reeve_X[1m])", { 8LL * DAY, 63 * SECOND }, true },
        { "quantile_over_time(0.5, reeve_X[8d])", { 8LL * DAY, 100 * SECOND }, false },
        { "max_over_time(quantile_over_time(0.5, reeve_X[8d])[1d:10s])", moment, false },
        { "max_over_time(rate(reeve_X[5m])[1h:1s])", moment, true },
        { "max_over_time(rate(reeve_X[5m])[1d:1s])", moment, false },
        { "max_over_time(rate(reeve_X[5m])[1d:])", moment, true },
        { "max_over_time(rate(reeve_X[5m])[8d:])", { DAY, 10 * SECOND }, false },
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        str text, why = STR_EMPTY;
        if (promql_confine(arena, str_from(rows[i].sent), rows[i].span, project(), &text, &why) != rows[i].passes)
            fail_msg("row %zu, %s: %.*s", i, rows[i].sent, STR_ARG(why));
    }
}

static void
selectors_are_nothing_else(void **state)
{
    (void)state;
    str text, why;
    assert_true(promql_confine_selector(arena, STR("reeve_X{a=\"b\"}"), project(), &text, &why));
    assert_true(str_is(text, "reeve_X{" P ",a=\"b\"}"));
    assert_true(promql_confine_selector(arena, STR("{}"), project(), &text, &why));
    assert_false(promql_confine_selector(arena, STR("reeve_X[5m]"), project(), &text, &why));
    assert_false(promql_confine_selector(arena, STR("rate(reeve_X)"), project(), &text, &why));
    assert_false(promql_confine_selector(arena, STR("reeve_X or {}"), project(), &text, &why));
    assert_false(promql_confine_selector(arena, STR(""), project(), &text, &why));
}

static void
durations_have_units(void **state)
{
    (void)state;
    int64_t ms = -1;
    assert_true(promql_duration(STR("1h30m"), &ms) && ms == 90 * 60 * SECOND);
    assert_true(promql_duration(STR("250ms"), &ms) && ms == 250);
    assert_false(promql_duration(STR("5"), &ms) || promql_duration(STR(""), &ms) || promql_duration(STR("5M"), &ms) ||
                 promql_duration(STR("5mm"), &ms));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_get_the_project_in_every_selector),
        cmocka_unit_test(what_is_no_promql_is_refused),
        cmocka_unit_test(parentheses_and_length_have_a_bound),
        cmocka_unit_test(windows_are_short_where_points_are_many),
        cmocka_unit_test(selectors_are_nothing_else),
        cmocka_unit_test(durations_have_units),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
