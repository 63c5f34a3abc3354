/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "limit/guard.h"
#include "limit/limit.h"
#include "limit/seen_texts.h"

enum { MINUTE_MS = 60 * 1000 };

static struct net_address
address_of(const char *text)
{
    struct net_address address;
    assert_true(net_parse_address(str_from(text), &address));
    return address;
}

static struct guard_key
key_of(const char *text)
{
    return guard_key_of(str_from(text), STR_EMPTY);
}

static void
key_waits_after_its_last_free_failure_until_the_minute_is_over(void **state)
{
    (void)state;
    struct guard *guard = guard_new(3, MINUTE_MS);
    struct guard_key bad = key_of("bad"), good = key_of("good");
    int64_t start_ms = 1000000;
    for (int i = 0; i < 2; i++)
        guard_count(guard, bad, start_ms + i * 1000);
    assert_int_equal(guard_wait_s(guard, bad, start_ms + 2000), 0);
    assert_int_equal(guard_counted(guard, bad, start_ms + 2000), 2);
    guard_count(guard, bad, start_ms + 3000);
    assert_int_equal(guard_wait_s(guard, bad, start_ms + 3000), 57);
    assert_int_equal(guard_wait_s(guard, bad, start_ms + 59999), 1);
    assert_int_equal(guard_wait_s(guard, good, start_ms + 3000), 0);
    /* More failures do not make the wait longer. */
    guard_count(guard, bad, start_ms + 59000);
    assert_int_equal(guard_wait_s(guard, bad, start_ms + 60000), 0);
    guard_count(guard, bad, start_ms + 60000);
    assert_int_equal(guard_wait_s(guard, bad, start_ms + 60001), 0);
    guard_free(guard);
}

static void
guard_of_zero_holds_nobody(void **state)
{
    (void)state;
    struct guard *guard = guard_new(0, MINUTE_MS);
    for (int i = 0; i < 100; i++)
        guard_count(guard, key_of("any"), 1000);
    assert_int_equal(guard_wait_s(guard, key_of("any"), 1000), 0);
    guard_free(guard);
}

static void
flood_of_keys_does_not_free_the_one_that_is_held(void **state)
{
    (void)state;
    struct guard *guard = guard_new(5, MINUTE_MS);
    struct guard_key held = key_of("held");
    for (int i = 0; i < 5; i++)
        guard_count(guard, held, 1000);
    for (uint32_t i = 0; i < 500000; i++)
        guard_count(guard, guard_key_of((str){ (const char *)&i, sizeof(i) }, STR_EMPTY), 2000);
    assert_int_equal(guard_wait_s(guard, held, 2000), 59);
    guard_free(guard);
}

static void
limiter_guards_credentials_at_addresses_without_redis(void **state)
{
    (void)state;
    struct limit_config config = { .redis_socket = "/nonexistent/redis.sock", .guard_failures_per_minute = 2 };
    struct limiter *limiter = limiter_new(&config);
    struct net_address one = address_of("2001:db8::1"), neighbour = address_of("2001:db8::2"),
                       stranger = address_of("2001:db8:1::1");
    struct guard_try first = { &one, STR("abcdefgh") }, second = { &neighbour, STR("abcdefgh") };
    assert_int_equal(limit_guard_wait_s(limiter, first), 0);
    limit_guard_count_failure(limiter, first);
    limit_guard_count_failure(limiter, second);
    assert_in_range(limit_guard_wait_s(limiter, first), 59, 60);
    assert_int_equal(limit_guard_wait_s(limiter, (struct guard_try){ &stranger, STR("abcdefgh") }), 0);
    assert_int_equal(limit_guard_wait_s(limiter, (struct guard_try){ &one, STR("ijklmnop") }), 0);
    assert_int_equal(limit_guard_closed_s(limiter, first), 0);
    limiter_free(limiter);
}

/* R3: guesses on a credential are bounded wherever they come from, and its owner is never locked out by them. */
static void
guesses_are_bounded_and_lock_nobody_out(void **state)
{
    (void)state;
    struct limit_config config = { .redis_socket = "/nonexistent/redis.sock",
                                   .guard_failures_per_minute = 5,
                                   .guard_tries_per_minute = 60 };
    struct limiter *limiter = limiter_new(&config);
    struct net_address attackers[4], home = address_of("192.0.2.1"), travel = address_of("192.0.2.2");
    str credential = STR("abcdefgh");
    for (uint8_t i = 0; i < 4; i++)
        attackers[i] = net_from_v4((uint8_t[]){ 198, 51, 100, i });
    limit_guard_note_success(limiter, (struct guard_try){ &home, credential });
    for (int i = 0; i < 12; i++) /* ten in a span, from several addresses */
        limit_guard_count_failure(limiter, (struct guard_try){ &attackers[i % 3], credential });
    assert_in_range(limit_guard_closed_s(limiter, (struct guard_try){ &attackers[0], credential }), 1, 10);
    /* Where it was right before, and where it was hardly tried, it is looked at. */
    assert_int_equal(limit_guard_closed_s(limiter, (struct guard_try){ &home, credential }), 0);
    assert_int_equal(limit_guard_closed_s(limiter, (struct guard_try){ &travel, credential }), 0);
    assert_int_equal(limit_guard_closed_s(limiter, (struct guard_try){ &attackers[0], STR("ijklmnop") }), 0);
    /* An address that goes through many names is closed for names that it never knew. */
    for (int i = 0; i < 10; i++)
        limit_guard_count_failure(limiter,
                                  (struct guard_try){ &attackers[3], str_from((char[]){ (char)('a' + i), 0 }) });
    assert_in_range(limit_guard_closed_s(limiter, (struct guard_try){ &attackers[3], STR("z") }), 1, 10);
    limiter_free(limiter);
}

/* What people make up is guessed sooner: a hundred tries in an hour, from however many addresses, and on whichever names. */
static void
passwords_are_guessed_a_hundred_times_an_hour(void **state)
{
    (void)state;
    struct limit_config config = { .redis_socket = "/nonexistent/redis.sock", .guard_failures_per_minute = 1000 };
    struct limiter *limiter = limiter_new(&config);
    struct net_address home = address_of("192.0.2.1"), travel = address_of("192.0.2.2");
    struct guard_try owner = { &home, STR("password:jo"), .is_password = true },
                     away = { &travel, STR("password:jo"), .is_password = true };
    limit_guard_note_success(limiter, owner);
    for (uint8_t i = 0; i < 100; i++) {
        struct net_address attacker = net_from_v4((uint8_t[]){ 198, 51, 100, i });
        assert_int_equal(limit_guard_closed_s(limiter, away), 0);
        limit_guard_count_failure(limiter, (struct guard_try){ &attacker, STR("password:jo"), .is_password = true });
    }
    assert_in_range(limit_guard_closed_s(limiter, away), 3590, 3600);
    assert_int_equal(limit_guard_closed_s(limiter, owner), 0);
    /* An address that tries a few on each of many names. */
    for (int i = 0; i < 100; i++) {
        char name[] = { 'a', (char)('a' + i / 10), (char)('a' + i % 10), 0 };
        limit_guard_count_failure(limiter, (struct guard_try){ &travel, str_from(name), .is_password = true });
    }
    assert_in_range(limit_guard_closed_s(limiter, (struct guard_try){ &travel, STR("x"), .is_password = true }), 3590,
                    3600);
    /* Other credentials are not meant. */
    assert_int_equal(limit_guard_closed_s(limiter, (struct guard_try){ &travel, STR("abcdefgh") }), 0);
    limiter_free(limiter);
}

static void
remembered_texts_are_bounded_and_forgotten_in_time(void **state)
{
    (void)state;
    struct seen_texts *once = seen_texts_new();
    uint8_t digest[SHA256_BYTES];
    crypto_sha256(STR("first"), digest);
    assert_true(seen_texts_is_first(once, digest, 1000, 2000));
    assert_false(seen_texts_is_first(once, digest, 1999, 3000));
    assert_true(seen_texts_is_first(once, digest, 2000, 3000));
    for (int i = 0; i < 200000; i++) {
        crypto_sha256((str){ (const char *)&i, sizeof(i) }, digest);
        assert_true(seen_texts_is_first(once, digest, 1000, 2000));
    }
    assert_false(seen_texts_is_first(once, digest, 1000, 2000));
    seen_texts_free(once);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(key_waits_after_its_last_free_failure_until_the_minute_is_over),
        cmocka_unit_test(guard_of_zero_holds_nobody),
        cmocka_unit_test(flood_of_keys_does_not_free_the_one_that_is_held),
        cmocka_unit_test(limiter_guards_credentials_at_addresses_without_redis),
        cmocka_unit_test(guesses_are_bounded_and_lock_nobody_out),
        cmocka_unit_test(passwords_are_guessed_a_hundred_times_an_hour),
        cmocka_unit_test(remembered_texts_are_bounded_and_forgotten_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
