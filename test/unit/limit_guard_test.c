/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "limit/guard.h"
#include "limit/limit.h"
#include "limit/once.h"

static struct net_address
address_of(const char *text)
{
    struct net_address address;
    assert_true(net_parse_address(str_from(text), &address));
    return address;
}

static void
address_waits_after_its_last_free_failure_until_the_minute_is_over(void **state)
{
    (void)state;
    struct guard *guard = guard_new(3);
    struct net_address bad = address_of("192.0.2.1"), good = address_of("192.0.2.2");
    int64_t start_ms = 1000000;
    for (int i = 0; i < 2; i++)
        guard_count_failure(guard, &bad, start_ms + i * 1000);
    assert_int_equal(guard_wait_s(guard, &bad, start_ms + 2000), 0);
    guard_count_failure(guard, &bad, start_ms + 3000);
    assert_int_equal(guard_wait_s(guard, &bad, start_ms + 3000), 57);
    assert_int_equal(guard_wait_s(guard, &bad, start_ms + 59999), 1);
    assert_int_equal(guard_wait_s(guard, &good, start_ms + 3000), 0);
    /* More failures do not make the wait longer. */
    guard_count_failure(guard, &bad, start_ms + 59000);
    assert_int_equal(guard_wait_s(guard, &bad, start_ms + 60000), 0);
    guard_count_failure(guard, &bad, start_ms + 60000);
    assert_int_equal(guard_wait_s(guard, &bad, start_ms + 60001), 0);
    guard_free(guard);
}

static void
guard_of_zero_holds_nobody(void **state)
{
    (void)state;
    struct guard *guard = guard_new(0);
    struct net_address address = address_of("192.0.2.1");
    for (int i = 0; i < 100; i++)
        guard_count_failure(guard, &address, 1000);
    assert_int_equal(guard_wait_s(guard, &address, 1000), 0);
    guard_free(guard);
}

static void
flood_of_addresses_does_not_free_the_one_that_is_held(void **state)
{
    (void)state;
    struct guard *guard = guard_new(5);
    struct net_address held = address_of("192.0.2.1");
    for (int i = 0; i < 5; i++)
        guard_count_failure(guard, &held, 1000);
    for (uint32_t i = 0; i < 500000; i++) {
        struct net_address other = net_from_v4((uint8_t[]){ 10, (uint8_t)(i >> 16), (uint8_t)(i >> 8), (uint8_t)i });
        guard_count_failure(guard, &other, 2000);
    }
    assert_int_equal(guard_wait_s(guard, &held, 2000), 59);
    guard_free(guard);
}

static void
limiter_guards_addresses_without_redis(void **state)
{
    (void)state;
    struct limit_config config = { .redis_socket = "/nonexistent/redis.sock", .guard_failures_per_minute = 2 };
    struct limiter *limiter = limiter_new(&config);
    struct net_address one = address_of("2001:db8::1"), neighbour = address_of("2001:db8::2"),
                       stranger = address_of("2001:db8:1::1");
    assert_int_equal(limit_guard_wait_s(limiter, &one), 0);
    limit_guard_count_failure(limiter, &one);
    limit_guard_count_failure(limiter, &neighbour);
    assert_in_range(limit_guard_wait_s(limiter, &one), 59, 60);
    assert_int_equal(limit_guard_wait_s(limiter, &stranger), 0);
    limiter_free(limiter);
}

static void
remembered_texts_are_bounded_and_forgotten_in_time(void **state)
{
    (void)state;
    struct once *once = once_new();
    uint8_t digest[SHA256_BYTES];
    crypto_sha256(STR("first"), digest);
    assert_true(once_is_first(once, digest, 1000, 2000));
    assert_false(once_is_first(once, digest, 1999, 3000));
    assert_true(once_is_first(once, digest, 2000, 3000));
    for (int i = 0; i < 200000; i++) {
        crypto_sha256((str){ (const char *)&i, sizeof(i) }, digest);
        assert_true(once_is_first(once, digest, 1000, 2000));
    }
    assert_false(once_is_first(once, digest, 1000, 2000));
    once_free(once);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(address_waits_after_its_last_free_failure_until_the_minute_is_over),
        cmocka_unit_test(guard_of_zero_holds_nobody),
        cmocka_unit_test(flood_of_addresses_does_not_free_the_one_that_is_held),
        cmocka_unit_test(limiter_guards_addresses_without_redis),
        cmocka_unit_test(remembered_texts_are_bounded_and_forgotten_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
