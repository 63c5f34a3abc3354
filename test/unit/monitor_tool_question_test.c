/* SPDX-License-Identifier: Apache-2.0 */
/* From what a client of Prometheus' API sends to what a store is asked. */
#include "arena_fixture.h"

#include <stdio.h>

#include "monitor/tool_question.h"

#define PROJECT "0123456789abcdef01234567"
#define WALLS \
    "extra_filters%5B%5D=%7Bproject%3D%22" PROJECT "%22%7D&extra_label=project%3D" PROJECT "&nocache=1&timeout=5s"
#define P "project%3D%22" PROJECT "%22"

static const int64_t now_ms = 1794938400123;

static enum tool_verdict
make(const char *path, const char *sent, struct tool_question *ret_question, str *ret_why)
{
    struct tool_parameters given = { 0 };
    id project;
    assert_true(id_parse(STR(PROJECT), &project));
    assert_true(tool_parameters_add(arena, str_from(sent), &given));
    *ret_why = STR_EMPTY;
    return tool_question_make(arena, str_from(path), &given, project, now_ms, ret_question, ret_why);
}

static void
what_is_passed_on_is_written_here(void **state)
{
    (void)state;
    static const struct {
        const char *path, *sent, *form;
    } rows[] = {
        { "/api/v1/query", "query=1%2B1", "time=1794938400.123&query=1%2B1&" WALLS },
        { "/api/v1/query",
          "query=1&time=2026-01-01T00:00:00Z&step=1&timeout=1h&nocache=0&extra_label=project=x&extra_filters[]={}&extra_filters%5B%5D=%7B%7D&max_lookback=1y&latency_offset=1&trace=1&authKey=x&db=x",
          "time=1767225600.000&query=1&" WALLS },
        { "/api/v1/query_range", "query=x&start=10&end=20.5&step=1m",
          "start=10.000&end=20.500&step=60.000&query=x%7B" P "%7D&" WALLS },
        { "/api/v1/labels", "start=1&end=2", "start=1.000&end=2.000&match%5B%5D=%7B" P "%2C%7D&" WALLS },
        { "/api/v1/labels", "start=-9223309901257974&end=9223309901257974.999",
          "start=0.000&end=1795024800.123&match%5B%5D=%7B" P "%2C%7D&" WALLS },
        { "/api/v1/label/__name__/values", "start=1&end=2&match[]=x&match%5B%5D=y",
          "start=1.000&end=2.000&match%5B%5D=x%7B" P "%7D&match%5B%5D=y%7B" P "%7D&" WALLS },
        { "/api/v1/series", "start=1&end=2&match[]=%7Ba=%22b%22%7D",
          "start=1.000&end=2.000&match%5B%5D=%7B" P "%2Ca%3D%22b%22%7D&" WALLS },
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct tool_question question;
        str why;
        enum tool_verdict verdict = make(rows[i].path, rows[i].sent, &question, &why);
        if (verdict != TOOL_FINE || !str_is(question.form, rows[i].form) || strcmp(question.path, rows[i].path) != 0)
            fail_msg("row %zu: %.*s %.*s", i, STR_ARG(verdict == TOOL_FINE ? question.form : STR_EMPTY), STR_ARG(why));
    }
}

static void
wrong_parameters_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *path, *sent;
    } rows[] = {
        { "/api/v1/query", "" },
        { "/api/v1/query", "query=1&query=2" },
        { "/api/v1/query", "query=1&qu%65ry=2" },
        { "/api/v1/query", "query=1&time=x" },
        { "/api/v1/query", "query=1&time=9999999999999999" },
        { "/api/v1/query", "query=1&time=1e5" },
        { "/api/v1/query", "query=1&time=-5" },
        { "/api/v1/query_range", "query=1&start=1&end=2" },
        { "/api/v1/query_range", "query=1&start=1&step=1" },
        { "/api/v1/query_range", "query=1&start=2&end=1&step=1" },
        { "/api/v1/query_range", "query=1&start=1&end=2&step=0" },
        { "/api/v1/query_range", "query=1&start=1&end=2&step=0.0001" },
        { "/api/v1/query_range", "query=1&start=1&end=11001&step=1" },
        { "/api/v1/series", "" },
        { "/api/v1/series", "match[]=x[5m]" },
        { "/api/v1/labels",
          "match[]=a&match[]=a&match[]=a&match[]=a&match[]=a&match[]=a&match[]=a&match[]=a&match[]=a&match[]=a&match[]=a" },
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct tool_question question;
        str why;
        if (make(rows[i].path, rows[i].sent, &question, &why) != TOOL_REFUSED)
            fail_msg("row %zu", i);
        assert_true(why.len > 0);
    }
}

static void
there_are_five_paths(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "",
        "/",
        "/api/v1/",
        "/api/v1/query/",
        "/api/v1/admin/tsdb/delete_series",
        "/api/v1/export",
        "/api/v1/import",
        "/write",
        "/federate",
        "/api/v1/label//values",
        "/api/v1/label/a-b/values",
        "/api/v1/label/a/../b/values",
        "/api/v1/label/a%2fb/values",
        "/api/v1/label/a/valuesx",
        "/api/v1/label/__graphite__/values",
        "/api/v1/status/tsdb",
        "//api/v1/query",
        "/api/v1/../v1/query",
        "/api/v1/query%00",
        "/API/v1/query",
        "/snapshot/create",
        "/metrics",
        "/vmui",
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct tool_question question;
        str why;
        if (make(rows[i], "query=1&match[]=x", &question, &why) != TOOL_NO_SUCH_PATH)
            fail_msg("%s", rows[i]);
    }
}

static void
broken_and_endless_forms_are_refused(void **state)
{
    (void)state;
    struct tool_parameters given = { 0 };
    struct buf many = buf_in(arena, 4096);
    assert_false(tool_parameters_add(arena, STR("query=%zz"), &given));
    assert_false(tool_parameters_add(arena, STR("query=a%00b"), &given));
    given = (struct tool_parameters){ 0 };
    for (int i = 0; i <= TOOL_MOST_PARAMETERS; i++)
        buf_format(&many, "a%d=1&", i);
    assert_false(tool_parameters_add(arena, buf_str(&many), &given));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_passed_on_is_written_here),
        cmocka_unit_test(wrong_parameters_are_refused),
        cmocka_unit_test(there_are_five_paths),
        cmocka_unit_test(broken_and_endless_forms_are_refused),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
