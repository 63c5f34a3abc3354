/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "base/net/net.h"

static bool
contains(const char *block_text, const char *address_text)
{
    struct net_block block;
    struct net_address address;
    assert_true(net_parse_block(str_from(block_text), &block));
    assert_true(net_parse_address(str_from(address_text), &address));
    return net_contains(&block, &address);
}

static void
blocks_are_read_and_written_in_one_form(void **state)
{
    (void)state;
    static const struct {
        const char *text, *written;
    } blocks[] = {
        { "10.0.0.0/8", "10.0.0.0/8" },
        { "10.1.2.3", "10.1.2.3/32" },
        { "0.0.0.0/0", "0.0.0.0/0" },
        { "255.255.255.255/32", "255.255.255.255/32" },
        { "192.168.1.128/25", "192.168.1.128/25" },
        { "::/0", "::/0" },
        { "2001:DB8::/32", "2001:db8::/32" },
        { "2001:db8::1", "2001:db8::1/128" },
        { "2001:0db8:0000:0000:0000:0000:0000:0001", "2001:db8::1/128" },
        { "::ffff:10.0.0.0/104", "10.0.0.0/8" },
        { "::ffff:10.1.2.3", "10.1.2.3/32" },
    };
    struct arena *arena = arena_new(1 << 16);
    for (size_t i = 0; i < LENGTH(blocks); i++) {
        struct net_block block, again;
        if (!net_parse_block(str_from(blocks[i].text), &block))
            fail_msg("refused: %s", blocks[i].text);
        str text = net_block_text(arena, &block);
        assert_string_equal(text.data, blocks[i].written);
        assert_true(net_parse_block(text, &again));
        assert_memory_equal(&block.base, &again.base, sizeof(block.base));
        assert_int_equal(block.prefix, again.prefix);
    }
    arena_free(arena);
}

static void
what_is_no_block_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",
        "/",
        "/8",
        "10.0.0.0/",
        "10.0.0.0/33",
        "10.0.0.0/-1",
        "10.0.0.0/08",
        "10.0.0.0/8/8",
        "10.0.0.0/ 8",
        "10.0.0.1/8",
        "10.0.0/8",
        "10.0.0.256",
        "010.0.0.1",
        "10.0.0.1 ",
        " 10.0.0.1",
        "0x0a000001",
        "2001:db8::1/32",
        "2001:db8::/129",
        "2001:db8:::/32",
        "fe80::1%eth0",
        "::ffff:10.0.0.1/104",
        "::ffff:0:0/95",
        "localhost",
        "10.0.0.0/8x",
        "1",
        "10.0.0.0/+8",
        "10.0.0.0/99999999999999999999",
    };
    struct net_block block;
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        if (net_parse_block(str_from(wrong[i]), &block))
            fail_msg("accepted: %s", wrong[i]);
    }
    assert_false(net_parse_block(STR("10.0.0.1\0x"), &block));
}

static void
block_contains_its_addresses_and_no_others(void **state)
{
    (void)state;
    assert_true(contains("10.0.0.0/8", "10.255.255.255"));
    assert_false(contains("10.0.0.0/8", "11.0.0.0"));
    assert_true(contains("192.168.1.128/25", "192.168.1.128"));
    assert_false(contains("192.168.1.128/25", "192.168.1.127"));
    assert_true(contains("10.1.2.3", "10.1.2.3"));
    assert_false(contains("10.1.2.3", "10.1.2.2"));
    assert_true(contains("2001:db8::/33", "2001:db8:7fff::1"));
    assert_false(contains("2001:db8::/33", "2001:db8:8000::1"));
    assert_true(contains("0.0.0.0/0", "1.2.3.4"));
    assert_true(contains("0.0.0.0/0", "::ffff:1.2.3.4"));
}

static void
every_ipv6_address_is_not_every_ipv4_address(void **state)
{
    (void)state;
    assert_true(contains("::/0", "2001:db8::1"));
    assert_true(contains("::/0", "::1"));
    assert_false(contains("::/0", "10.0.0.1"));
    assert_false(contains("::/80", "10.0.0.1"));
    assert_false(contains("0.0.0.0/0", "::1"));
    assert_false(contains("0.0.0.0/0", "2001:db8::1"));
}

static void
mapped_addresses_are_ipv4(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 16);
    struct net_address mapped, plain;
    assert_true(net_parse_address(STR("::ffff:10.0.0.1"), &mapped));
    assert_true(net_parse_address(STR("10.0.0.1"), &plain));
    assert_true(net_is_v4(&mapped));
    assert_memory_equal(&mapped, &plain, sizeof(plain));
    assert_string_equal(net_address_text(arena, &mapped).data, "10.0.0.1");
    uint8_t v4[4] = { 10, 0, 0, 1 };
    struct net_address made = net_from_v4(v4);
    assert_memory_equal(&made, &plain, sizeof(plain));
    arena_free(arena);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_read_and_written_in_one_form),
        cmocka_unit_test(what_is_no_block_is_refused),
        cmocka_unit_test(block_contains_its_addresses_and_no_others),
        cmocka_unit_test(every_ipv6_address_is_not_every_ipv4_address),
        cmocka_unit_test(mapped_addresses_are_ipv4),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
