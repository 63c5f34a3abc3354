/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "base/clock.h"
#include "base/id.h"

static void
identifier_is_written_as_24_digits_and_read_back(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 16);
    id value = id_new(7), back;
    str text = id_text(arena, value);
    char written[ID_DIGITS + 1];
    id_write(value, written);
    assert_int_equal(text.len, 24);
    assert_string_equal(text.data, written);
    assert_true(id_parse(text, &back));
    assert_true(id_eq(value, back));
    assert_int_equal(id_cell(value), 7);
    assert_int_equal(id_cell(id_new(0xfffe)), 0xfffe);
    arena_free(arena);
}

static void
only_24_lower_case_digits_are_an_identifier(void **state)
{
    (void)state;
    static const char *const wrong[] = { "",
                                         "0123456789abcdef0123456",
                                         "0123456789abcdef012345678",
                                         "0123456789ABCDEF01234567",
                                         "0123456789abcdef0123456g",
                                         " 123456789abcdef01234567",
                                         "0x23456789abcdef01234567" };
    id value;
    for (size_t i = 0; i < LENGTH(wrong); i++)
        assert_false(id_parse(str_from(wrong[i]), &value));
}

static void
identifiers_carry_their_time_and_differ(void **state)
{
    (void)state;
    int64_t before = clock_now_ms() / 1000;
    id seen[1000];
    for (size_t i = 0; i < LENGTH(seen); i++) {
        seen[i] = id_new(1);
        int64_t seconds =
            (int64_t)seen[i].bytes[0] << 24 | seen[i].bytes[1] << 16 | seen[i].bytes[2] << 8 | seen[i].bytes[3];
        assert_true(seconds >= before && seconds <= before + 5);
        for (size_t j = 0; j < i; j++)
            assert_false(id_eq(seen[i], seen[j]));
    }
    assert_true(id_is_there(seen[0]));
    assert_false(id_is_there(ID_NONE));
    assert_true(id_hash(seen[0]) == id_hash(seen[0]));
    assert_true(id_hash(seen[0]) != id_hash(seen[1]));
}

/* D1: 24 zeros meant "none", so what does not exist answered. */
static void
no_digits_mean_that_there_is_none(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 16);
    id zeros, again, unset = { 0 };
    char written[ID_DIGITS + 1];
    assert_true(id_parse(STR("000000000000000000000000"), &zeros));
    assert_true(id_parse(STR("000000000000000000000000"), &again));
    assert_true(id_is_there(zeros));
    assert_true(id_eq(zeros, again));
    assert_false(id_is_there(unset));
    assert_false(id_eq(zeros, unset));
    assert_false(id_eq(unset, ID_NONE)); /* two that are missing say nothing about each other */
    assert_true(id_eq(id_or(unset, zeros), zeros));
    assert_true(id_eq(id_or(zeros, id_new(1)), zeros));
    assert_string_equal(id_text(arena, zeros).data, "000000000000000000000000");
    assert_int_equal(id_text(arena, unset).len, 0);
    id_write(unset, written);
    assert_string_equal(written, "");
    arena_free(arena);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identifier_is_written_as_24_digits_and_read_back),
        cmocka_unit_test(only_24_lower_case_digits_are_an_identifier),
        cmocka_unit_test(identifiers_carry_their_time_and_differ),
        cmocka_unit_test(no_digits_mean_that_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
