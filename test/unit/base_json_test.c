/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "base/json.h"
#include "base/json_walk.h"

static void
expect_refused(const char *text, size_t length)
{
    struct arena *arena = arena_new(4 << 20);
    json_t *json = NULL;
    error e = json_parse(arena, (str){ text, length }, &json);
    if (e == OK)
        fail_msg("accepted: %.*s", (int)length, text);
    assert_int_equal(e->code, INVALID_JSON);
    assert_null(json);
    assert_true(str_is_text(e->detail));
    arena_free(arena);
}
#define REFUSED(literal) expect_refused(literal, sizeof(literal) - 1)

static str
nested(struct arena *arena, int depth)
{
    struct buf text = buf_in(arena, 1 << 20);
    for (int i = 0; i < depth; i++)
        buf_add_char(&text, '[');
    for (int i = 0; i < depth; i++)
        buf_add_char(&text, ']');
    return buf_str(&text);
}

static void
loose_json_is_refused(void **state)
{
    (void)state;
    REFUSED("");
    REFUSED("{");
    REFUSED("{\"a\":1,}");
    REFUSED("{a:1}");
    REFUSED("{'a':1}");
    REFUSED("[1 2]");
    REFUSED("01");
    REFUSED("+1");
    REFUSED("NaN");
    REFUSED("1 1");
    REFUSED("{} x");
    REFUSED("// comment\n{}");
    REFUSED("\xef\xbb\xbf{}");
}

static void
duplicate_keys_are_refused_at_every_depth(void **state)
{
    (void)state;
    REFUSED("{\"a\":1,\"a\":2}");
    REFUSED("{\"b\":[{\"a\":1,\"a\":1}]}");
    REFUSED("{\"a\":1,\"\\u0061\":2}");
}

static void
text_that_is_no_unicode_is_refused(void **state)
{
    (void)state;
    REFUSED("\"\xff\"");
    REFUSED("\"\xc0\x80\"");
    REFUSED("\"\xed\xa0\x80\"");
    REFUSED("\"\\ud800\"");
    REFUSED("\"\\udc00\\ud800\"");
    REFUSED("\"a\0b\"");
    REFUSED("\"a\\u0000b\"");
    REFUSED("{\"a\\u0000\":1}");
    REFUSED("\"a\nb\"");
}

static void
numbers_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    REFUSED("1e309");
    REFUSED("-1e309");
    REFUSED("9223372036854775808");
    REFUSED("-9223372036854775809");
}

static void
nesting_ends_at_32_levels(void **state)
{
    (void)state;
    struct arena *arena = arena_new(8 << 20);
    json_t *json;
    assert_ptr_equal(json_parse(arena, nested(arena, 32), &json), OK);
    error e = json_parse(arena, nested(arena, 33), &json);
    assert_non_null(e);
    assert_string_equal(e->detail.data, "The request body is not valid JSON: nested deeper than 32 levels.");
    assert_non_null(json_parse(arena, nested(arena, 100000), &json));
    assert_ptr_equal(json_parse(arena, STR("\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\\\"[[[\""), &json), OK);
    arena_free(arena);
}

static void
body_over_a_megabyte_is_refused(void **state)
{
    (void)state;
    struct arena *arena = arena_new(8 << 20);
    char *text = arena_alloc(arena, JSON_MAX_BYTES + 1);
    memset(text, ' ', JSON_MAX_BYTES + 1);
    text[0] = '1';
    json_t *json;
    assert_ptr_equal(json_parse(arena, (str){ text, JSON_MAX_BYTES }, &json), OK);
    error e = json_parse(arena, (str){ text, JSON_MAX_BYTES + 1 }, &json);
    assert_non_null(e);
    assert_int_equal(e->code, BODY_TOO_LARGE);
    arena_free(arena);
}

/* S6: a megabyte of empty objects cost a second. */
static void
values_end_at_twenty_thousand(void **state)
{
    (void)state;
    struct arena *arena = arena_new(8 << 20);
    struct buf text = buf_in(arena, 1 << 20);
    json_t *json;
    buf_add_text(&text, "[0");
    for (int i = 2; i < JSON_MAX_VALUES; i++)
        buf_add_text(&text, ",0");
    str most = buf_str(&text);
    assert_ptr_equal(json_parse(arena, str_format(arena, "%.*s]", STR_ARG(most)), &json), OK);
    error e = json_parse(arena, str_format(arena, "%.*s,0]", STR_ARG(most)), &json);
    assert_non_null(e);
    assert_string_equal(e->detail.data, "The request body is not valid JSON: more than 20000 values.");
    assert_ptr_equal(json_parse_within(arena, str_format(arena, "%.*s,0]", STR_ARG(most)), 1 << 20, &json), OK);
    arena_free(arena);
}

static void
members_are_found_without_parsing(void **state)
{
    (void)state;
    str text = STR("{\"a\": 1, \"b\" :\"x\\\"},\" , \"c\":{\"a\":[1,{\"a\":2}]},\"d\": [ 1.5 ] ,\"e\":true}");
    str name, value;
    size_t count = 0;
    for (struct json_walk walk = json_walk_in(text); json_walk_next(&walk, &name, &value);)
        count++;
    assert_int_equal(count, 5);
    assert_true(str_is(json_walk_find(text, "a"), "1"));
    assert_true(str_is(json_walk_find(text, "b"), "\"x\\\"},\""));
    assert_true(str_is(json_walk_find(text, "c"), "{\"a\":[1,{\"a\":2}]}"));
    assert_true(str_is(json_walk_find(text, "d"), "[ 1.5 ]"));
    assert_true(str_is(json_walk_find(text, "e"), "true"));
    assert_int_equal(json_walk_find(text, "f").len, 0);
    assert_int_equal(json_walk_find(STR("{}"), "a").len, 0);
    assert_int_equal(json_walk_find(STR("{\"a"), "a").len, 0);
    assert_int_equal(json_walk_find(STR_EMPTY, "a").len, 0);
    assert_true(json_walk_has_real(STR("{\"a\":[1.5]}")));
    assert_true(json_walk_has_real(STR("1e5")));
    assert_false(json_walk_has_real(STR("{\"a1.5\":\"1.5\",\"b\":true,\"c\":15}")));
}

static void
written_json_keeps_order_and_content(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 20);
    json_t *json;
    str text = STR("{\"z\":1,\"a\":[true,null,-5,\"\xc3\xa9\\n\"],\"m\":{}}");
    assert_ptr_equal(json_parse(arena, text, &json), OK);
    assert_true(str_eq(json_text(arena, json), text));
    assert_string_equal(json_pretty(arena, STR("{\"b\":1,\"a\":[]}")).data, "{\n  \"b\": 1,\n  \"a\": []\n}");
    assert_true(str_is(json_pretty(arena, STR("not json")), "not json"));
    assert_true(str_is(json_text(arena, json_parse_own(arena, STR("[0.1,1e-8,3.0]"))), "[0.1,1e-8,3.0]"));
    /* Found by fuzzing: with 15 digits this became another number. */
    json_t *long_number = json_parse_own(arena, STR("{\"a\":[0.66666666666666666666666666664]}"));
    assert_true(json_equal(json_parse_own(arena, json_text(arena, long_number)), long_number));
    assert_null(json_parse_own(arena, STR("{")));
    assert_true(str_is(json_str(json_array_get(json_object_get(json, "a"), 3)), "\xc3\xa9\n"));
    assert_int_equal(json_str(json).len, 0);
    arena_free(arena);
}

int
main(void)
{
    json_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loose_json_is_refused),
        cmocka_unit_test(duplicate_keys_are_refused_at_every_depth),
        cmocka_unit_test(text_that_is_no_unicode_is_refused),
        cmocka_unit_test(numbers_that_do_not_fit_are_refused),
        cmocka_unit_test(nesting_ends_at_32_levels),
        cmocka_unit_test(body_over_a_megabyte_is_refused),
        cmocka_unit_test(values_end_at_twenty_thousand),
        cmocka_unit_test(members_are_found_without_parsing),
        cmocka_unit_test(written_json_keeps_order_and_content),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
