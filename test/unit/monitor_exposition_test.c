/* SPDX-License-Identifier: Apache-2.0 */
/* From a store's answer to the text that Prometheus scrapes. */
#include "arena_fixture.h"

#include "monitor/exposition.h"

#define ANSWER(rows) "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[" rows "]}}"
#define ROW(name, member, more, value)                                                        \
    "{\"metric\":{\"__name__\":\"" name "\",\"project\":\"p\",\"member\":\"" member "\"" more \
    "},\"value\":[1,\"" value "\"]}"

static void
metrics_stand_together_below_what_they_are(void **state)
{
    (void)state;
    str text;
    const char *answer = ANSWER(ROW("reeve_CONNECTIONS", "b", "", "2") "," ROW(
        "reeve_DATABASE_VIEW_COUNT", "a", ",\"name\":\"x%20y\"",
        "3") "," ROW("reeve_UNHEARD_OF", "a", "",
                     "1") "," ROW("reeve_CONNECTIONS", "a", ",\"odd\":\"1\"",
                                  "1e+06") "," ROW("other", "a", "", "1") "," ROW("reeve_TRANSACTIONS_COMMITTED", "a",
                                                                                  "", "NaN"));
    assert_true(exposition_make(arena, str_from(answer), 1 << 16, &text));
    const char *const wanted[] = {
        "reeve_CONNECTIONS{project=\"p\",member=\"a\"} 1e+06\nreeve_CONNECTIONS{project=\"p\",member=\"b\"} 2\n",
        "# TYPE reeve_CONNECTIONS gauge\n",
        "# TYPE reeve_TRANSACTIONS_COMMITTED counter\nreeve_TRANSACTIONS_COMMITTED{project=\"p\",member=\"a\"} NaN\n",
        "reeve_DATABASE_VIEW_COUNT{project=\"p\",member=\"a\",name=\"x%20y\"} 3\n",
    };
    for (size_t i = 0; i < LENGTH(wanted); i++) {
        if (strstr(text.data, wanted[i]) == NULL)
            fail_msg("%s\nis not in\n%s", wanted[i], text.data);
    }
    assert_null(strstr(text.data, "UNHEARD_OF"));
    assert_null(strstr(text.data, "odd"));
}

static void
what_is_no_answer_or_too_long_is_refused(void **state)
{
    (void)state;
    str text;
    assert_true(exposition_make(arena, STR(ANSWER("")), 100, &text) && text.len == 0);
    assert_false(exposition_make(arena, STR("{"), 100, &text));
    assert_false(exposition_make(arena, STR("{}"), 100, &text));
    assert_false(exposition_make(arena, STR(ANSWER(ROW("reeve_CONNECTIONS", "a", "", "1"))), 50, &text));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_stand_together_below_what_they_are),
        cmocka_unit_test(what_is_no_answer_or_too_long_is_refused),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
