/* SPDX-License-Identifier: Apache-2.0 */
/* Codes of devices: what any node can read, nobody else can make, and is kept nowhere. */
#include <stdlib.h>

#include "arena_fixture.h"

#include "auth/person/device.h"

enum { NOW_S = 1700000000 };
static const uint8_t v4[4] = { 192, 0, 2, 7 };

static str
new_code(const struct key *key, const char *host)
{
    struct net_address address = net_from_v4(v4);
    return device_code_new(arena, key, NOW_S, &address, str_from(host));
}

static void
code_says_who_asked_and_lasts_ten_minutes(void **state)
{
    (void)state;
    struct key key = { { 1 } }, other = { { 2 } };
    struct device device, second;
    str code = new_code(&key, "laptop.example.org");
    assert_int_equal(device_code_read(arena, &key, NOW_S, code, &device), DEVICE_GOOD);
    assert_true(str_is(device.host, "laptop.example.org"));
    assert_true(str_is(net_address_text(arena, &device.address), "192.0.2.7"));
    assert_int_equal(device.expires_at_s, NOW_S + DEVICE_LIFETIME_S);
    assert_int_equal(device_code_read(arena, &key, NOW_S + DEVICE_LIFETIME_S - 1, code, &second), DEVICE_GOOD);
    assert_string_equal(device.user_code, second.user_code);
    assert_int_equal(device_code_read(arena, &key, NOW_S + DEVICE_LIFETIME_S, code, &second), DEVICE_EXPIRED);
    assert_int_equal(device_code_read(arena, &key, NOW_S - 1, code, &second), DEVICE_EXPIRED); /* nobody made it yet */
    assert_int_equal(device_code_read(arena, &other, NOW_S, code, &second), DEVICE_FOREIGN);
    assert_int_equal(device_code_read(arena, &key, NOW_S, new_code(&key, "laptop.example.org"), &second), DEVICE_GOOD);
    assert_string_not_equal(device.user_code, second.user_code);
    assert_memory_not_equal(device.hash, second.hash, sizeof(device.hash));
}

static void
every_changed_letter_is_noticed(void **state)
{
    (void)state;
    struct key key = { { 1 } };
    struct device device;
    str code = new_code(&key, "h");
    char *text = malloc(code.len);
    for (size_t i = 0; i < code.len; i++) {
        memcpy(text, code.data, code.len);
        text[i] = text[i] == 'A' ? 'B' : 'A';
        assert_int_equal(device_code_read(arena, &key, NOW_S, (str){ text, code.len }, &device), DEVICE_FOREIGN);
        assert_int_equal(device_code_read(arena, &key, NOW_S, str_slice(code, 0, i), &device), DEVICE_FOREIGN);
    }
    free(text);
    assert_int_equal(device_code_read(arena, &key, NOW_S, code, &device), DEVICE_GOOD);
}

static void
hosts_are_names(void **state)
{
    (void)state;
    struct key key = { { 1 } };
    struct device device;
    char longest[DEVICE_HOST_MAX + 2];
    memset(longest, 'x', sizeof(longest));
    longest[DEVICE_HOST_MAX + 1] = '\0';
    static const char *const bad[] = { "", "a b", "<b>", "a\nb", "\xc3\xa9", "a/b" };
    for (size_t i = 0; i < LENGTH(bad); i++)
        assert_int_equal(new_code(&key, bad[i]).len, 0);
    assert_int_equal(new_code(&key, longest).len, 0);
    str whole = new_code(&key, longest + 1);
    assert_true(whole.len > 0 && whole.len <= DEVICE_CODE_TEXT_MAX);
    assert_int_equal(device_code_read(arena, &key, NOW_S, whole, &device), DEVICE_GOOD);
}

static void
short_codes_are_read_as_people_type_them(void **state)
{
    (void)state;
    static const struct {
        const char *typed, *code; /* NULL: none */
    } cases[] = {
        { "BCDF-GHJK", "BCDFGHJK" },
        { "bcdfghjk", "BCDFGHJK" },
        { " bcdf ghjk ", "BCDFGHJK" },
        { "BCDFGHJ", NULL },
        { "BCDFGHJKL", NULL },
        { "BCDFGHJA", NULL },
        { "", NULL },
        { "BCDF_GHJK", NULL },
    };
    char code[DEVICE_USER_CODE_LETTERS + 1];
    for (size_t i = 0; i < LENGTH(cases); i++) {
        bool is_read = device_user_code_read(str_from(cases[i].typed), code);
        assert_int_equal(is_read, cases[i].code != NULL);
        if (is_read)
            assert_string_equal(code, cases[i].code);
    }
    assert_false(device_user_code_read((str){ "BCDFGHJ\0", 8 }, code));
    assert_true(str_is(device_user_code_text(arena, "BCDFGHJK"), "BCDF-GHJK"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_says_who_asked_and_lasts_ten_minutes),
        cmocka_unit_test(every_changed_letter_is_noticed),
        cmocka_unit_test(hosts_are_names),
        cmocka_unit_test(short_codes_are_read_as_people_type_them),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
