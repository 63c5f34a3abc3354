/* SPDX-License-Identifier: Apache-2.0 */
/* --query. Expressions and what they give are those of JMESPath, but for the order of texts. */
#include "cli/query/query.h"

#include "base/json.h"
#include "check.h"

static const char document[] =
    "{\"name\":\"orders\",\"size\":3,\"tags\":[],\"a name\":1,\"inner\":{\"deep\":{\"x\":7}},"
    "\"results\":[{\"name\":\"a\",\"state\":\"IDLE\",\"n\":1,\"roles\":[\"r1\",\"r2\"],\"at\":\"2025-01-01\"},"
    "{\"name\":\"b\",\"state\":\"CREATING\",\"n\":20,\"roles\":[\"r3\"],\"at\":\"2026-01-01\"},"
    "{\"name\":\"c\",\"state\":\"IDLE\",\"n\":3,\"gone\":null,\"at\":\"2026-06-01\"}]}";

static void
expect(const char *expression, const char *expected)
{
    struct arena *arena = arena_new(16 * 1024 * 1024);
    str why = STR_EMPTY;
    json_t *on = json_loads(document, 0, NULL);
    struct query *query = query_parse(arena, str_from(expression), &why);
    if (query == NULL)
        fail_msg("%s: %.*s", expression, (int)why.len, why.data);
    json_t *result = query_run(query, on);
    str text = json_text(arena, result);
    if (!str_is(text, expected))
        fail_msg("%s gives %.*s and not %s", expression, (int)text.len, text.data, expected);
    json_decref(result);
    json_decref(on);
    arena_free(arena);
}

static void
fields_are_picked(void **state)
{
    (void)state;
    expect("name", "\"orders\"");
    expect("inner.deep.x", "7");
    expect("inner.none.x", "null");
    expect("\"a name\"", "1");
    expect("@.size", "3");
    expect("name.length(@)", "6");
}

static void
lists_are_walked(void **state)
{
    (void)state;
    expect("results[0].name", "\"a\"");
    expect("results[-1].name", "\"c\"");
    expect("results[9]", "null");
    expect("results[*].name", "[\"a\",\"b\",\"c\"]");
    expect("results[0:2].name", "[\"a\",\"b\"]");
    expect("results[1:].n", "[20,3]");
    expect("results[*].roles", "[[\"r1\",\"r2\"],[\"r3\"]]");
    expect("results[*].roles[]", "[\"r1\",\"r2\",\"r3\"]");
    expect("results[].roles[]", "[\"r1\",\"r2\",\"r3\"]");
    expect("results[*].roles[0]", "[\"r1\",\"r3\"]");
    expect("results[*].gone", "[]");
    expect("results[*].name | [0]", "\"a\"");
    expect("inner.*.x", "[7]");
    expect("name[*]", "null");
}

static void
items_are_filtered(void **state)
{
    (void)state;
    expect("results[?state=='IDLE'].name", "[\"a\",\"c\"]");
    expect("results[?state!='IDLE'].name", "[\"b\"]");
    expect("results[?n > `2`].name", "[\"b\",\"c\"]");
    expect("results[?n>=`1` && n<=`3`].n", "[1,3]");
    expect("results[?n==`1` || n==`20`].n", "[1,20]");
    expect("results[?!roles].name", "[\"c\"]");
    expect("results[?(n==`1`)].name", "[\"a\"]");
    expect("results[?at>='2026-01-01'].name", "[\"b\",\"c\"]");
    expect("results[?roles[0]=='r3'].name", "[\"b\"]");
    expect("results[?n>'text'].name", "[]");
}

static void
new_shapes_are_made(void **state)
{
    (void)state;
    expect("results[*].[name, n]", "[[\"a\",1],[\"b\",20],[\"c\",3]]");
    expect("results[*].{x: name, y: n} | [1]", "{\"x\":\"b\",\"y\":20}");
    expect("{first: results[0].name, size: size}", "{\"first\":\"a\",\"size\":3}");
    expect("length(results)", "3");
    expect("length(name)", "6");
    expect("keys(inner)", "[\"deep\"]");
    expect("values(inner.deep)", "[7]");
    expect("join(', ', results[*].name)", "\"a, b, c\"");
    expect("'it\\'s'", "\"it's\"");
    expect("`{\"a\": [1]}`", "{\"a\":[1]}");
}

static void
what_is_wrong_is_said(void **state)
{
    (void)state;
    static const char *const wrong[] = { "",     "a.",    "a..b",    "[",      "a[",     "a[?",
                                         "a[?b", "{a}",   "a b",     "'open",  "`{`",    "foo(a)",
                                         "a[1",  "a[x",   "a | ",    "(a",     "\"open", "a[99999999999999]",
                                         "!",    "a == ", "join(a)", "a[1:x]", "$" };
    struct arena *arena = arena_new(16 * 1024 * 1024);
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        str why = STR_EMPTY;
        if (query_parse(arena, str_from(wrong[i]), &why) != NULL)
            fail_msg("`%s` was taken", wrong[i]);
        assert_true(why.len > 0);
    }
    /* However deep somebody nests, the stack has an end, and so has the reader. */
    struct buf deep = buf_in(arena, 1024 * 1024);
    for (int i = 0; i < 100000; i++)
        buf_add_char(&deep, '(');
    str why = STR_EMPTY;
    assert_null(query_parse(arena, buf_str(&deep), &why));
    deep = buf_in(arena, 1024 * 1024);
    for (int i = 0; i < 100000; i++)
        buf_add_text(&deep, "[*]");
    assert_null(query_parse(arena, buf_str(&deep), &why));
    arena_free(arena);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_picked),     cmocka_unit_test(lists_are_walked),
        cmocka_unit_test(items_are_filtered),    cmocka_unit_test(new_shapes_are_made),
        cmocka_unit_test(what_is_wrong_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
