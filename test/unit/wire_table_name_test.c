/* SPDX-License-Identifier: Apache-2.0 */
#include "arena_fixture.h"

#include "wire/monitor/table_name.h"

#define LONG                                                        \
    "0123456789012345678901234567890123456789012345678901234567890" \
    "12" /* 63 bytes */

static void
assert_written(const char *database, const char *schema, const char *table, const char *written)
{
    struct table_name name = { str_from(database), str_from(schema), str_from(table) }, read;
    str text = table_name_write(arena, name);
    assert_string_equal(text.data, written);
    assert_true(table_name_read(arena, text, &read));
    assert_true(str_eq(read.database, name.database) && str_eq(read.schema, name.schema) &&
                str_eq(read.table, name.table));
}

static void
a_name_is_read_as_it_was_written(void **state)
{
    (void)state;
    assert_written("shop", "public", "orders", "shop.orders");
    assert_written("shop", "sales", "orders", "shop.sales.orders");
    assert_written("shop", "Public", "orders", "shop.Public.orders");
    assert_written("my.shop", "public", "or\"ders", "\"my.shop\".\"or\"\"ders\"");
    assert_written("a b", "c,d=e", "x\ny\t'; DROP", "a b.c,d=e.x\ny\t'; DROP");
    assert_written("caf\xc3\xa9", "public", "\"", "caf\xc3\xa9.\"\"\"\"");
    assert_written(LONG, LONG, LONG, LONG "." LONG "." LONG);
}

/* Two tables never have one name. */
static void
dots_do_not_make_one_table_of_two(void **state)
{
    (void)state;
    assert_written("a", "b.c", "d", "a.\"b.c\".d");
    assert_written("a", "b", "c.d", "a.b.\"c.d\"");
    assert_written("a.b", "c", "d", "\"a.b\".c.d");
    assert_written("a", "public", "b.c", "a.\"b.c\"");
    assert_written("a", "b", "c", "a.b.c");
}

static void
another_way_to_write_it_is_read(void **state)
{
    (void)state;
    struct table_name name;
    assert_true(table_name_read(arena, STR("shop.public.orders"), &name));
    assert_string_equal(table_name_write(arena, name).data, "shop.orders");
    assert_true(table_name_read(arena, STR("\"shop\".\"orders\""), &name));
    assert_string_equal(table_name_write(arena, name).data, "shop.orders");
    assert_true(table_name_read_in(arena, STR("my.shop"), STR("sales.orders"), &name));
    assert_string_equal(table_name_write(arena, name).data, "\"my.shop\".sales.orders");
    assert_true(table_name_read_in(arena, STR("shop"), STR("orders"), &name));
    assert_string_equal(table_name_write(arena, name).data, "shop.orders");
}

static void
what_is_no_name_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",        ".",         "shop",        "shop.",  ".orders",   "shop..orders",  "a.b.c.d", "\"shop.orders",
        "shop.\"", "shop.\"\"", "shop.\"a\"b", "a\"b.c", "shop.\xff", "shop." LONG "x"
    };
    struct table_name name;
    for (size_t i = 0; i < LENGTH(bad); i++) {
        if (table_name_read(arena, str_from(bad[i]), &name))
            fail_msg("%s was read", bad[i]);
    }
    assert_false(table_name_read_in(arena, STR_EMPTY, STR("orders"), &name));
    assert_false(table_name_read_in(arena, STR("shop"), STR("a.b.c"), &name));
    assert_false(table_name_read_in(arena, STR("shop"), STR_EMPTY, &name));
}

static void
what_would_be_too_long_has_no_name(void **state)
{
    (void)state;
    char quotes[TABLE_IDENTIFIER_BYTES + 1];
    memset(quotes, '"', sizeof(quotes));
    str most = { quotes, TABLE_IDENTIFIER_BYTES };
    assert_int_equal(table_name_write(arena, (struct table_name){ most, most, most }).len, 0);
    assert_int_equal(table_name_write(arena, (struct table_name){ STR("a"), STR("b"), STR("\xff") }).len, 0);
    assert_int_equal(table_name_write(arena, (struct table_name){ STR("a"), STR("b"), STR_EMPTY }).len, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_read_as_it_was_written),   cmocka_unit_test(dots_do_not_make_one_table_of_two),
        cmocka_unit_test(another_way_to_write_it_is_read),    cmocka_unit_test(what_is_no_name_is_refused),
        cmocka_unit_test(what_would_be_too_long_has_no_name),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
