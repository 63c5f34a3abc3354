/* SPDX-License-Identifier: Apache-2.0 */
#include "arena_fixture.h"

#include <stdlib.h>

#include "base/str.h"

static void
texts_compare_by_bytes_and_length(void **state)
{
    (void)state;
    assert_true(str_eq(STR("a"), STR("a")));
    assert_false(str_eq(STR("a"), STR("ab")));
    assert_true(str_eq(STR_EMPTY, (str){ NULL, 0 }));
    assert_true(str_eq_nocase(STR("Content-Type"), STR("content-type")));
    assert_true(str_is(STR("x"), "x"));
    assert_true(str_is(STR_EMPTY, NULL));
    static const char *const words[] = { "", "ON", "OFF", NULL };
    assert_int_equal(str_word(STR("OFF"), words), 2);
    assert_int_equal(str_word(STR_EMPTY, words), 0);
    assert_int_equal(str_word(STR("O"), words), -1);
    assert_int_equal(str_word(STR("OFFER"), words), -1);
    assert_true(str_compare(STR("a"), STR("b")) < 0);
    assert_true(str_compare(STR("ab"), STR("a")) > 0);
    assert_int_equal(str_compare(STR("a"), STR("a")), 0);
    assert_true(str_starts_with(STR("abc"), STR("ab")));
    assert_false(str_starts_with(STR("a"), STR("ab")));
    assert_true(str_ends_with(STR("abc"), STR("bc")));
    assert_true(str_ends_with(STR("abc"), STR_EMPTY));
}

static void
slices_never_reach_outside(void **state)
{
    (void)state;
    assert_true(str_is(str_slice(STR("hello"), 1, 3), "el"));
    assert_true(str_is(str_slice(STR("hello"), 3, 99), "lo"));
    assert_int_equal(str_slice(STR("hello"), 9, 99).len, 0);
    assert_int_equal(str_slice(STR("hello"), 3, 1).len, 0);
}

static void
cutting_takes_one_part_after_the_other(void **state)
{
    (void)state;
    str rest = STR("a,,b");
    assert_true(str_is(str_cut(&rest, ','), "a"));
    assert_true(str_is(str_cut(&rest, ','), ""));
    assert_true(str_is(str_cut(&rest, ','), "b"));
    assert_int_equal(rest.len, 0);
    assert_true(str_is(str_cut(&rest, ','), ""));
    assert_int_equal(str_find(STR("abc"), 'c'), 2);
    assert_int_equal(str_find(STR("abc"), 'x'), -1);
    assert_int_equal(str_find(STR_EMPTY, 'x'), -1);
    assert_true(str_is(str_trim(STR(" \ta b\t ")), "a b"));
    assert_int_equal(str_trim(STR("  ")).len, 0);
}

static void
integers_are_read_whole_and_within_their_range(void **state)
{
    (void)state;
    int64_t value = 7;
    assert_true(str_to_int(STR("-9223372036854775808"), INT64_MIN, INT64_MAX, &value));
    assert_true(value == INT64_MIN);
    assert_true(str_to_int(STR("9223372036854775807"), INT64_MIN, INT64_MAX, &value));
    assert_true(value == INT64_MAX);
    value = 7;
    static const char *const wrong[] = { "",
                                         "-",
                                         "+1",
                                         " 1",
                                         "1 ",
                                         "1.0",
                                         "0x1",
                                         "9223372036854775808",
                                         "-9223372036854775809",
                                         "99999999999999999999",
                                         "1a",
                                         "--1" };
    for (size_t i = 0; i < LENGTH(wrong); i++)
        assert_false(str_to_int(str_from(wrong[i]), INT64_MIN, INT64_MAX, &value));
    assert_false(str_to_int(STR("11"), 0, 10, &value));
    assert_false(str_to_int(STR("-1"), 0, 10, &value));
    assert_int_equal(value, 7);
}

static void
only_well_formed_utf8_is_text(void **state)
{
    (void)state;
    static const char *const good[] = { "",
                                        "a",
                                        "\xc2\x80",
                                        "\xdf\xbf",
                                        "\xe0\xa0\x80",
                                        "\xed\x9f\xbf",
                                        "\xee\x80\x80",
                                        "\xf0\x90\x80\x80",
                                        "\xf4\x8f\xbf\xbf" };
    static const char *const bad[] = { "\x80",
                                       "\xc0\x80",
                                       "\xc1\xbf",
                                       "\xc2",
                                       "\xe0\x9f\xbf",
                                       "\xed\xa0\x80",
                                       "\xe2\x82",
                                       "\xf0\x8f\xbf\xbf",
                                       "\xf4\x90\x80\x80",
                                       "\xf5\x80\x80\x80",
                                       "\xff",
                                       "a\xc3(" };
    for (size_t i = 0; i < LENGTH(good); i++)
        assert_true(str_is_text(str_from(good[i])));
    for (size_t i = 0; i < LENGTH(bad); i++)
        assert_false(str_is_text(str_from(bad[i])));
    assert_false(str_is_text(STR("a\0b")));
}

static void
hexadecimal_goes_there_and_back(void **state)
{
    (void)state;
    uint8_t bytes[4] = { 0, 0x1f, 0xa0, 0xff }, back[4] = { 0 };
    str hex = str_hex(arena, bytes, 4);
    assert_string_equal(hex.data, "001fa0ff");
    assert_true(str_from_hex(STR("001FA0ff"), back, 4));
    assert_memory_equal(bytes, back, 4);
    assert_false(str_from_hex(STR("001fa0f"), back, 4));
    assert_false(str_from_hex(STR("001fa0fg"), back, 4));
    assert_false(str_from_hex(STR("001fa0ff00"), back, 4));
}

static void
base64_goes_there_and_back_in_one_spelling_only(void **state)
{
    (void)state;
    for (size_t count = 0; count < 40; count++) {
        uint8_t bytes[40], back[40] = { 0 };
        for (size_t i = 0; i < count; i++)
            bytes[i] = (uint8_t)(i * 37 + count);
        str text = str_base64url(arena, bytes, count);
        assert_int_equal(text.len, (count * 8 + 5) / 6);
        assert_true(str_from_base64url(text, back, count));
        assert_memory_equal(bytes, back, count);
        assert_false(str_from_base64url(text, back, count + 3));
    }
    uint8_t one;
    assert_true(str_from_base64url(STR("_w"), &one, 1));
    assert_int_equal(one, 0xff);
    assert_false(str_from_base64url(STR("_x"), &one, 1)); /* spare bits are set */
    assert_false(str_from_base64url(STR("/w"), &one, 1)); /* the other alphabet */
    str plain;
    assert_true(str_from_base64(arena, STR("QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), &plain));
    assert_string_equal(plain.data, "Aladdin:open sesame");
    assert_true(str_from_base64(arena, STR(""), &plain));
    assert_int_equal(plain.len, 0);
    static const char *const bad[] = { "A",    "AA",   "AAA",  "====", "A===",    "AA=A",
                                       "AA= ", "AAA*", "AB==", "AA__", "AAA=AAAA" };
    for (size_t i = 0; i < LENGTH(bad); i++)
        assert_false(str_from_base64(arena, str_from(bad[i]), &plain));
}

static void
percent_encoding_goes_there_and_back(void **state)
{
    (void)state;
    char all[255];
    for (int i = 0; i < 255; i++)
        all[i] = (char)(i + 1);
    str encoded = str_percent_encode(arena, (str){ all, 255 }), back;
    assert_true(str_percent_decode(arena, encoded, true, &back));
    assert_true(str_eq(back, (str){ all, 255 }));
    assert_true(str_percent_decode(arena, STR("a+b%2f%2F"), false, &back));
    assert_string_equal(back.data, "a+b//");
    assert_true(str_percent_decode(arena, STR("a+b"), true, &back));
    assert_string_equal(back.data, "a b");
    static const char *const bad[] = { "%", "%1", "%g1", "%1g", "%00", "a%" };
    for (size_t i = 0; i < LENGTH(bad); i++)
        assert_false(str_percent_decode(arena, str_from(bad[i]), false, &back));
    assert_string_equal(str_percent_encode(arena, STR("10.0.0.0/8 é")).data, "10.0.0.0%2F8%20%C3%A9");
}

static void
buffer_grows_up_to_its_cap_and_remembers_that_it_failed(void **state)
{
    (void)state;
    struct buf buf = buf_in(arena, 1000);
    for (int i = 0; i < 100; i++)
        buf_add_text(&buf, "0123456789");
    assert_int_equal(buf_str(&buf).len, 1000);
    assert_int_equal(strlen(buf_str(&buf).data), 1000);
    buf_add_char(&buf, 'x');
    assert_true(buf.failed);
    assert_int_equal(buf_str(&buf).len, 0);
    buf_add(&buf, STR_EMPTY);
    assert_int_equal(buf_str(&buf).len, 0);
}

static void
buffer_writes_numbers_and_formats(void **state)
{
    (void)state;
    struct buf buf = buf_in(arena, 1000);
    buf_add_int(&buf, INT64_MIN);
    buf_add_char(&buf, ' ');
    buf_add_int(&buf, 0);
    buf_format(&buf, " %s-%d", "x", 5);
    assert_string_equal(buf_str(&buf).data, "-9223372036854775808 0 x-5");
}

/* What is read again is the same to fifteen digits, whichever way it was written. */
static void
buffer_writes_numbers_as_printf_does(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } rows[] = {
        { 0, "0" },
        { -0.0, "0" },
        { 1, "1" },
        { -17, "-17" },
        { 0.5, "0.5" },
        { -0.25, "-0.25" },
        { 0.001, "0.001" },
        { 1234567.125, "1234567.125" },
        { 99.9999999999999999, "100" },
        { 999999999999999, "999999999999999" },
        { 1e15, "1e+15" },
        { 1e300, "1e+300" },
        { 0.00025, "0.00025" },
        { 1.0 / 3, "0.333333333333333" },
        { 400.0 / 3, "133.333333333333" },
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct arena *own CLEANUP(arena_cleanup) = arena_new(65536);
        struct buf buf = buf_in(own, 1000);
        buf_add_number(&buf, rows[i].value);
        assert_string_equal(buf_str(&buf).data, rows[i].text);
    }
    uint64_t random = 88172645463325252;
    for (int i = 0; i < 20000; i++) {
        struct arena *own CLEANUP(arena_cleanup) = arena_new(65536);
        struct buf buf = buf_in(own, 1000);
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        double value = (double)(random >> 20) / (double)(1 + random % 1000000007) * (i % 2 == 0 ? 1 : -1);
        buf_add_number(&buf, value);
        double again = strtod(buf_str(&buf).data, NULL), apart = again > value ? again - value : value - again;
        if (apart > 1.1e-14 * (value < 0 ? -value : value))
            fail_msg("%.17g was written as %s", value, buf_str(&buf).data);
    }
}

static void
json_strings_are_escaped(void **state)
{
    (void)state;
    struct buf buf = buf_in(arena, 1000);
    buf_add_json(&buf, STR("a\"b\\c\nd\x01\x1f\x7f/\xc3\xa9"));
    assert_string_equal(buf_str(&buf).data, "\"a\\\"b\\\\c\\nd\\u0001\\u001f\x7f/\xc3\xa9\"");
}

static void
full_arena_gives_empty_texts(void **state)
{
    (void)state;
    struct arena *small = arena_new(16);
    assert_int_equal(str_dup(small, STR("0123456789abcdef0")).len, 0);
    assert_int_equal(str_format(small, "%0100d", 1).len, 0);
    struct buf buf = buf_in(small, 1000);
    buf_add_text(&buf, "x");
    assert_true(buf.failed);
    assert_true(arena_is_exhausted(small));
    arena_free(small);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_compare_by_bytes_and_length),
        cmocka_unit_test(slices_never_reach_outside),
        cmocka_unit_test(cutting_takes_one_part_after_the_other),
        cmocka_unit_test(integers_are_read_whole_and_within_their_range),
        cmocka_unit_test(only_well_formed_utf8_is_text),
        cmocka_unit_test(hexadecimal_goes_there_and_back),
        cmocka_unit_test(base64_goes_there_and_back_in_one_spelling_only),
        cmocka_unit_test(percent_encoding_goes_there_and_back),
        cmocka_unit_test(buffer_grows_up_to_its_cap_and_remembers_that_it_failed),
        cmocka_unit_test(buffer_writes_numbers_and_formats),
        cmocka_unit_test(buffer_writes_numbers_as_printf_does),
        cmocka_unit_test(json_strings_are_escaped),
        cmocka_unit_test(full_arena_gives_empty_texts),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
