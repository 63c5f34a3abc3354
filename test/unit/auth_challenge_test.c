/* SPDX-License-Identifier: Apache-2.0 */
/* Challenges for passkeys, cookies of sessions, and the origin of a service: what is kept nowhere, and what browsers send. */
#include "arena_fixture.h"

#include "auth/person/challenge.h"
#include "auth/person/session.h"

enum { NOW_S = 1700000000 };

static struct key
some_key(uint8_t first)
{
    return (struct key){ { first, 2, 3 } };
}

static void
challenge_is_good_for_its_use_and_its_time(void **state)
{
    (void)state;
    struct key key = some_key(1), other = some_key(9);
    uint8_t challenge[PASSKEY_CHALLENGE_BYTES], second[PASSKEY_CHALLENGE_BYTES];
    challenge_new(&key, CHALLENGE_TO_SIGN_IN, NOW_S, challenge);
    challenge_new(&key, CHALLENGE_TO_SIGN_IN, NOW_S, second);
    assert_memory_not_equal(challenge, second, sizeof(challenge));
    assert_int_equal(challenge_expires_at_s(challenge), NOW_S + CHALLENGE_LIFETIME_S);
    assert_true(challenge_is_good(&key, CHALLENGE_TO_SIGN_IN, NOW_S, challenge));
    assert_true(challenge_is_good(&key, CHALLENGE_TO_SIGN_IN, NOW_S + CHALLENGE_LIFETIME_S - 1, challenge));
    assert_false(challenge_is_good(&key, CHALLENGE_TO_SIGN_IN, NOW_S + CHALLENGE_LIFETIME_S, challenge));
    assert_false(challenge_is_good(&key, CHALLENGE_TO_SIGN_IN, NOW_S - 1, challenge)); /* nobody made it yet */
    assert_false(challenge_is_good(&key, CHALLENGE_TO_CONFIRM, NOW_S, challenge));
    assert_false(challenge_is_good(&key, CHALLENGE_TO_ENROL, NOW_S, challenge));
    assert_false(challenge_is_good(&other, CHALLENGE_TO_SIGN_IN, NOW_S, challenge));
}

static void
every_changed_byte_of_a_challenge_is_noticed(void **state)
{
    (void)state;
    struct key key = some_key(1);
    uint8_t challenge[PASSKEY_CHALLENGE_BYTES];
    challenge_new(&key, CHALLENGE_TO_ENROL, NOW_S, challenge);
    for (size_t i = 0; i < sizeof(challenge); i++) {
        challenge[i] ^= 1;
        assert_false(challenge_is_good(&key, CHALLENGE_TO_ENROL, NOW_S, challenge));
        challenge[i] ^= 1;
    }
    assert_true(challenge_is_good(&key, CHALLENGE_TO_ENROL, NOW_S, challenge));
}

static void
cookie_is_found_when_it_is_there_once(void **state)
{
    (void)state;
    static const struct {
        const char *header, *value; /* NULL: none */
    } cases[] = {
        { SESSION_COOKIE "=v", "v" },
        { "a=b; " SESSION_COOKIE "=v; c=d", "v" },
        { "a=b;" SESSION_COOKIE "=v=w", "v=w" },
        { SESSION_COOKIE "=", "" },
        { SESSION_COOKIE "=v; " SESSION_COOKIE "=w", NULL },
        { "x" SESSION_COOKIE "=v", NULL },
        { SESSION_COOKIE "x=v", NULL },
        { "a=" SESSION_COOKIE "=v", NULL },
        { ";;;", NULL },
        { "", NULL },
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        str value = STR_EMPTY;
        bool found = session_find_cookie(str_from(cases[i].header), SESSION_COOKIE, &value);
        assert_int_equal(found, cases[i].value != NULL);
        if (found)
            assert_true(str_is(value, cases[i].value));
    }
}

static void
origin_is_as_browsers_write_it(void **state)
{
    (void)state;
    static const struct {
        const char *url, *origin;
    } cases[] = {
        { "https://reeve.example:8443", "https://reeve.example:8443" },
        { "https://Reeve.Example", "https://reeve.example" },
        { "https://reeve.example:443", "https://reeve.example" },
        { "https://reeve.example/x", "https://reeve.example" },
        { "http://reeve.example", "" },
        { "https://", "" },
        { "", "" },
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_true(str_is(session_origin_of(arena, str_from(cases[i].url)), cases[i].origin));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(challenge_is_good_for_its_use_and_its_time),
        cmocka_unit_test(every_changed_byte_of_a_challenge_is_noticed),
        cmocka_unit_test(cookie_is_found_when_it_is_there_once),
        cmocka_unit_test(origin_is_as_browsers_write_it),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
