/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses as operators write them. */
#include "operator/range.h"

#include "arena_fixture.h"

static void
assert_range(const char *text, const char *first, int64_t count)
{
    struct address_range range = { .count = -1 };
    if (!range_read(arena, str_from(text), &range))
        fail_msg("%s is no range", text);
    assert_string_equal(range.first.data, first);
    assert_int_equal(range.count, count);
}

static void
ranges_are_counted_with_both_ends(void **state)
{
    (void)state;
    assert_range("10.0.1.10-10.0.1.99", "10.0.1.10", 90);
    assert_range("10.0.1.10 - 10.0.1.10", "10.0.1.10", 1);
    assert_range("10.0.1.255-10.0.2.0", "10.0.1.255", 2);
    assert_range("10.0.1.7", "10.0.1.7", 1);
    assert_range("2001:db8::ffff-2001:db8::1:0", "2001:db8::ffff", 2);
    assert_range("10.0.0.0-10.0.255.255", "10.0.0.0", RANGE_MOST_ADDRESSES);
}

static void
blocks_of_ipv4_are_without_their_ends(void **state)
{
    (void)state;
    assert_range("10.0.1.0/26", "10.0.1.1", 62);
    assert_range("10.0.1.0/30", "10.0.1.1", 2);
    assert_range("10.0.1.0/31", "10.0.1.0", 2);
    assert_range("10.0.1.9/32", "10.0.1.9", 1);
    assert_range("2001:db8::/120", "2001:db8::", 256);
}

static void
what_is_no_range_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = { "",           "-",           "10.0.0.9-10.0.0.1",
                                         "10.0.0.1-",  "-10.0.0.1",   "10.0.0.1-2001:db8::1",
                                         "10.0.0.0/8", "10.0.0.1/26", "10.0.0.0-10.1.0.0",
                                         "here",       "10.0.0",      "2001:db8::/64" };
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        struct address_range range;
        if (range_read(arena, str_from(wrong[i]), &range))
            fail_msg("%s is a range", wrong[i]);
    }
}

static void
a_range_ends_with_the_last_address(void **state)
{
    (void)state;
    struct net_address first;
    assert_true(net_parse_address(STR("255.255.255.250"), &first));
    assert_true(range_fits(&first, 6));
    assert_false(range_fits(&first, 7));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_counted_with_both_ends),
        cmocka_unit_test(blocks_of_ipv4_are_without_their_ends),
        cmocka_unit_test(what_is_no_range_is_refused),
        cmocka_unit_test(a_range_ends_with_the_last_address),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
