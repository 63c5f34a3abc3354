/* SPDX-License-Identifier: Apache-2.0 */
#include "open_store_fixture.h"

#include "store/idempotency.h"

static struct arena *arena;
static const uint8_t hash[SHA256_BYTES] = { 1, 2, 3 };

static int
set_up(void **state)
{
    (void)state;
    arena = arena_new(FIXTURE_ARENA_BYTES);
    fixture_ask("TRUNCATE idempotency");
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static void
add(const char *key, int status)
{
    struct tx *tx;
    bool in_flight = true;
    assert_ok(tx_begin(store, arena, fixture_id(9), &tx));
    assert_ok(store_idempotency_lock(tx, fixture_id(1), str_from(key), &in_flight));
    assert_false(in_flight);
    assert_ok(store_idempotency_add(tx, fixture_id(1), str_from(key), hash, status, (str){ "\0sealed\xff", 8 }));
    assert_ok(tx_commit(tx));
}

static struct idempotency_record
find(id principal, const char *key)
{
    struct tx *tx;
    struct idempotency_record record, outside;
    assert_ok(tx_begin(store, arena, fixture_id(9), &tx));
    assert_ok(store_idempotency_find(tx, principal, str_from(key), &record));
    tx_rollback(tx);
    assert_ok(store_idempotency_find_outside(store, arena, principal, str_from(key), &outside));
    assert_int_equal(record.found, outside.found);
    return record;
}

static void
answer_is_found_again_as_it_was(void **state)
{
    (void)state;
    add("k", 201);
    struct idempotency_record record = find(fixture_id(1), "k");
    assert_true(record.found);
    assert_int_equal(record.status, 201);
    assert_memory_equal(record.request_hash, hash, SHA256_BYTES);
    assert_true(str_eq(record.answer, (str){ "\0sealed\xff", 8 }));
    assert_false(find(fixture_id(1), "other").found);
    assert_false(find(fixture_id(2), "k").found);
}

static void
expired_key_is_absent(void **state)
{
    (void)state;
    add("k", 201);
    fixture_ask("UPDATE idempotency SET created_at = now() - interval '23 hours 59 minutes'");
    assert_true(find(fixture_id(1), "k").found);
    fixture_ask("UPDATE idempotency SET created_at = now() - interval '24 hours'");
    assert_false(find(fixture_id(1), "k").found);
}

static void
expired_key_is_overwritten(void **state)
{
    (void)state;
    add("k", 201);
    fixture_ask("UPDATE idempotency SET created_at = now() - interval '25 hours'");
    add("k", 202);
    assert_int_equal(find(fixture_id(1), "k").status, 202);
}

static void
living_key_is_not_overwritten(void **state)
{
    (void)state;
    add("k", 201);
    struct tx *tx;
    assert_ok(tx_begin(store, arena, fixture_id(9), &tx));
    assert_fails(store_idempotency_add(tx, fixture_id(1), STR("k"), hash, 202, STR("x")), INTERNAL_ERROR);
    tx_rollback(tx);
    assert_int_equal(find(fixture_id(1), "k").status, 201);
}

static void
key_is_in_flight_until_its_transaction_ends(void **state)
{
    (void)state;
    struct tx *one, *two;
    bool in_flight;
    assert_ok(tx_begin(store, arena, fixture_id(9), &one));
    assert_ok(tx_begin(store, arena, fixture_id(9), &two));
    assert_ok(store_idempotency_lock(one, fixture_id(1), STR("k"), &in_flight));
    assert_false(in_flight);
    assert_ok(store_idempotency_lock(two, fixture_id(1), STR("k"), &in_flight));
    assert_true(in_flight);
    assert_ok(store_idempotency_lock(two, fixture_id(2), STR("k"), &in_flight));
    assert_false(in_flight);
    assert_ok(store_idempotency_lock(two, fixture_id(1), STR("l"), &in_flight));
    assert_false(in_flight);
    tx_rollback(one);
    assert_ok(store_idempotency_lock(two, fixture_id(1), STR("k"), &in_flight));
    assert_false(in_flight);
    tx_rollback(two);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(answer_is_found_again_as_it_was, set_up, tear_down),
        cmocka_unit_test_setup_teardown(expired_key_is_absent, set_up, tear_down),
        cmocka_unit_test_setup_teardown(expired_key_is_overwritten, set_up, tear_down),
        cmocka_unit_test_setup_teardown(living_key_is_not_overwritten, set_up, tear_down),
        cmocka_unit_test_setup_teardown(key_is_in_flight_until_its_transaction_ends, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, open_store, close_store);
}
