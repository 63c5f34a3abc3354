/* SPDX-License-Identifier: Apache-2.0 */
/* The list of extensions: complete, in order, and nothing is both offered and refused. */
#include "arena_fixture.h"

#include "wire/extension/extension.h"

static void
rows_are_in_order_and_say_what_they_must(void **state)
{
    (void)state;
    for (const struct extension_row *row = extension_rows; row->name != NULL; row++) {
        const struct extension_row *next = row + 1;
        assert_true(next->name == NULL || strcmp(row->name, next->name) < 0);
        assert_ptr_equal(extension_find(str_from(row->name)), row);
        /* Either a reason or a description, never both. */
        assert_true((row->refused == NULL) != (row->description == NULL));
        assert_true(extension_is_offered(row) == (row->refused == NULL));
        if (row->needs != NULL)
            assert_true(extension_is_offered(extension_find(str_from(row->needs))));
        if (row->database_setting != NULL)
            assert_non_null(row->library);
    }
}

static void
what_is_unsafe_or_unknown_has_a_reason(void **state)
{
    static const char *const unsafe[] = { "adminpack",  "dblink",  "file_fdw", "lo",         "pageinspect",
                                          "pg_surgery", "plperlu", "pltclu",   "plpython3u", "postgres_fdw",
                                          "xml2",       "nobody",  "",         "vector " };
    (void)state;
    for (size_t i = 0; i < LENGTH(unsafe); i++) {
        const struct extension_row *row = extension_find(str_from(unsafe[i]));
        assert_false(extension_is_offered(row));
        assert_true(strlen(extension_refusal(row)) > 10);
    }
    assert_true(extension_is_offered(extension_find(STR("vector"))));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_in_order_and_say_what_they_must),
        cmocka_unit_test(what_is_unsafe_or_unknown_has_a_reason),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
