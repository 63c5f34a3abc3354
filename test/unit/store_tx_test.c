/* SPDX-License-Identifier: Apache-2.0 */
#include "store_fixture.h"

#include <pthread.h>
#include <time.h>

#include "base/clock.h"
#include "store/auth/principal.h"
#include "store/idempotency.h"

/* The statements of idempotency records serve as ordinary ones: they touch one table without conditions. */
static error
add_record(struct tx *tx, id principal, const char *key)
{
    static const uint8_t hash[SHA256_BYTES] = { 1 };
    return store_idempotency_add(tx, principal, str_from(key), hash, 200, STR("answer"));
}

static bool
has_record(struct store *store, id principal, const char *key)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct idempotency_record record;
    assert_ok(store_idempotency_find_outside(store, arena, principal, str_from(key), &record));
    return record.found;
}

static void
committed_change_is_visible_and_rolled_back_is_not(void **state)
{
    (void)state;
    struct store_config config = fixture_config();
    struct store *store = fixture_store(&config);
    id principal = fixture_id(1);
    struct arena *arena = arena_new(FIXTURE_ARENA_BYTES);
    struct tx *tx;
    assert_ok(tx_begin(store, arena, fixture_id(9), &tx));
    assert_ok(add_record(tx, principal, "committed"));
    assert_false(has_record(store, principal, "committed"));
    assert_ok(tx_commit(tx));
    assert_true(has_record(store, principal, "committed"));
    tx_rollback(tx); /* changes nothing any more */
    assert_true(has_record(store, principal, "committed"));

    assert_ok(tx_begin(store, arena, fixture_id(9), &tx));
    assert_ok(add_record(tx, principal, "rolled back"));
    tx_rollback(tx);
    assert_fails(tx_commit(tx), INTERNAL_ERROR);
    assert_false(has_record(store, principal, "rolled back"));
    assert_int_equal(store_status(store).transactions_open, 0);
    arena_free(arena);
    store_free(store);
}

static void
forgotten_transaction_ends_with_its_arena(void **state)
{
    (void)state;
    struct store_config config = fixture_config();
    struct store *store = fixture_store(&config);
    struct arena *arena = arena_new(FIXTURE_ARENA_BYTES);
    struct tx *tx;
    assert_ok(tx_begin(store, arena, fixture_id(9), &tx));
    assert_ok(add_record(tx, fixture_id(1), "forgotten"));
    assert_int_equal(store_status(store).transactions_open, 1);
    arena_free(arena);
    assert_int_equal(store_status(store).transactions_open, 0);
    assert_false(has_record(store, fixture_id(1), "forgotten"));
    store_free(store);
}

static void
violation_is_described_and_ends_the_transaction(void **state)
{
    (void)state;
    struct store_config config = fixture_config();
    struct store *store = fixture_store(&config);
    struct arena *arena = arena_new(FIXTURE_ARENA_BYTES);
    id organization = fixture_id(70), project = fixture_id(71);
    fixture_add_organization(organization);
    fixture_add_project(project, organization);
    struct tx *tx;
    struct violation violation;
    struct params params = { 0 };
    /* An event at a place that is taken. */
    params_id(&params, P_ORGANIZATION, organization);
    params_int(&params, P_SEQ, 1);
    params_id(&params, P_EVENT, project);
    params_null(&params, P_PROJECT);
    params_null(&params, P_PROJECT_SEQ);
    params_text(&params, P_TYPE, STR("T"));
    params_int(&params, P_CREATED_MS, 0);
    params_text(&params, P_DOCUMENT, STR("{}"));
    params_bytes(&params, P_HASH, STR("hash"));
    params_null(&params, P_CLUSTER);
    assert_ok(tx_begin(store, arena, organization, &tx));
    assert_ok(tx_query(tx, SQL_EVENT_ADD, &params, NULL, &violation));
    assert_int_equal(violation.kind, VIOLATION_NONE);
    assert_ok(tx_query(tx, SQL_EVENT_ADD, &params, NULL, &violation));
    assert_int_equal(violation.kind, VIOLATION_UNIQUE);
    assert_non_null(strstr(violation.constraint, "pkey"));
    assert_fails(tx_query(tx, SQL_EVENT_ADD, &params, NULL, NULL), INTERNAL_ERROR);
    assert_fails(tx_commit(tx), INTERNAL_ERROR);
    tx_rollback(tx);
    assert_string_equal(fixture_ask("SELECT count(*) FROM event WHERE org_id = %s", fixture_quote(organization)), "0");

    /* Nobody asked what was violated: a bug. */
    assert_ok(tx_begin(store, arena, organization, &tx));
    assert_ok(tx_query(tx, SQL_EVENT_ADD, &params, NULL, NULL));
    assert_fails(tx_query(tx, SQL_EVENT_ADD, &params, NULL, NULL), INTERNAL_ERROR);
    tx_rollback(tx);
    arena_free(arena);
    store_free(store);
}

/* D1: what is missing was bound as 24 zeros, and asked about what they name. */
static void
a_statement_without_its_identifier_is_not_sent(void **state)
{
    (void)state;
    struct store_config config = fixture_config();
    struct store *store = fixture_store(&config);
    struct arena *arena = arena_new(FIXTURE_ARENA_BYTES);
    struct tx *tx;
    struct rows rows;
    struct params missing = { 0 };
    params_id(&missing, P_ID, ID_NONE);
    assert_fails(store_read(store, arena, SQL_AUTH_ORGANIZATION_FACTS, &missing, &rows), INTERNAL_ERROR);
    assert_ok(tx_begin(store, arena, fixture_id(9), &tx));
    assert_fails(tx_query(tx, SQL_AUTH_ORGANIZATION_FACTS, &missing, &rows, NULL), INTERNAL_ERROR);
    assert_fails(tx_commit(tx), INTERNAL_ERROR);
    tx_rollback(tx);

    struct params zeros = { 0 };
    id value;
    assert_true(id_parse(STR("000000000000000000000000"), &value));
    params_id(&zeros, P_ID, value);
    assert_ok(store_read(store, arena, SQL_AUTH_ORGANIZATION_FACTS, &zeros, &rows));
    assert_int_equal(rows.count, 0);
    arena_free(arena);
    store_free(store);
}

/* Parameters are found by their names: in whatever order they are bound, and no others than the statement takes. */
static void
parameters_and_columns_go_by_name(void **state)
{
    (void)state;
    struct store_config config = fixture_config();
    struct store *store = fixture_store(&config);
    struct arena *arena = arena_new(FIXTURE_ARENA_BYTES);
    id organization = fixture_id(72), project = fixture_id(73);
    fixture_add_organization(organization);
    fixture_add_project(project, organization);
    struct rows rows;
    struct params turned = { 0 }, lacking = { 0 }, strange = { 0 }, more = { 0 };
    params_id(&turned, P_PROJECT, project);
    params_id(&turned, P_ORGANIZATION, organization);
    assert_ok(store_read(store, arena, SQL_PROJECT_GET, &turned, &rows));
    assert_int_equal(rows.count, 1);
    assert_true(rows_int(&rows, 0, C_REVISION) > 0);
    assert_non_null(strstr(rows_text(&rows, 0, C_DOCUMENT).data, id_text(arena, project).data));

    params_id(&lacking, P_PROJECT, project);
    assert_fails(store_read(store, arena, SQL_PROJECT_GET, &lacking, &rows), INTERNAL_ERROR);
    assert_fails(store_read(store, arena, SQL_PROJECT_GET, NULL, &rows), INTERNAL_ERROR);
    params_id(&strange, P_PROJECT, project);
    params_id(&strange, P_TEAM, organization);
    assert_fails(store_read(store, arena, SQL_PROJECT_GET, &strange, &rows), INTERNAL_ERROR);
    params_id(&more, P_ORGANIZATION, organization);
    params_id(&more, P_PROJECT, project);
    params_text(&more, P_NAME, STR("x"));
    assert_fails(store_read(store, arena, SQL_PROJECT_GET, &more, &rows), INTERNAL_ERROR);

    struct tx *tx;
    assert_ok(tx_begin(store, arena, organization, &tx));
    assert_ok(tx_query(tx, SQL_PROJECT_GET, &turned, &rows, NULL));
    assert_int_equal(rows.count, 1);
    assert_fails(tx_query(tx, SQL_PROJECT_GET, &strange, &rows, NULL), INTERNAL_ERROR);
    tx_rollback(tx);
    arena_free(arena);
    store_free(store);
}

/* D1: and a transaction for none was the service's. */
static void
only_who_says_so_works_as_the_service(void **state)
{
    (void)state;
    struct store_config config = fixture_config();
    struct store *store = fixture_store(&config);
    struct arena *arena = arena_new(FIXTURE_ARENA_BYTES);
    struct tx *tx;
    id zeros, person;
    assert_true(id_parse(STR("000000000000000000000000"), &zeros));
    assert_fails(tx_begin(store, arena, ID_NONE, &tx), INTERNAL_ERROR);
    assert_ok(tx_begin(store, arena, zeros, &tx));
    assert_fails(tx_set_organization(tx, ID_NONE), INTERNAL_ERROR);
    assert_fails(create_person(tx, STR("zero@example.org"), STR("Z"), STR("Z"), &person), INTERNAL_ERROR);
    tx_rollback(tx);
    assert_ok(tx_begin_service(store, arena, &tx));
    assert_ok(create_person(tx, STR("zero@example.org"), STR("Z"), STR("Z"), &person));
    tx_rollback(tx);
    assert_ok(tx_begin(store, arena, zeros, &tx));
    assert_ok(tx_set_service(tx));
    assert_ok(create_person(tx, STR("zero@example.org"), STR("Z"), STR("Z"), &person));
    tx_rollback(tx);
    arena_free(arena);
    store_free(store);
}

static void
full_pool_is_overloaded_after_its_wait(void **state)
{
    (void)state;
    struct store_config config = fixture_config();
    config.max_transactions = 2;
    config.pool_wait_ms = 200;
    struct store *store = fixture_store(&config);
    struct arena *arena = arena_new(FIXTURE_ARENA_BYTES);
    struct tx *one, *two, *three;
    assert_ok(tx_begin(store, arena, fixture_id(9), &one));
    assert_ok(tx_begin(store, arena, fixture_id(9), &two));
    int64_t before = clock_steady_ms();
    assert_fails(tx_begin(store, arena, fixture_id(9), &three), OVERLOADED);
    assert_in_range(clock_steady_ms() - before, 190, patient(1000));
    tx_rollback(one);
    assert_ok(tx_begin(store, arena, fixture_id(9), &three));
    arena_free(arena);
    store_free(store);
}

static void
stale_connection_is_replaced_without_an_error(void **state)
{
    (void)state;
    struct store_config config = fixture_config();
    struct store *store = fixture_store(&config);
    struct arena *arena = arena_new(FIXTURE_ARENA_BYTES);
    struct tx *one, *two;
    assert_ok(tx_begin(store, arena, fixture_id(9), &one));
    assert_ok(tx_begin(store, arena, fixture_id(9), &two));
    tx_rollback(one);
    tx_rollback(two);
    fixture_ask("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                "WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()");
    usleep(50000);
    assert_ok(tx_begin(store, arena, fixture_id(9), &one));
    assert_ok(tx_begin(store, arena, fixture_id(9), &two));
    assert_ok(add_record(two, fixture_id(1), "after the loss"));
    assert_ok(tx_commit(two));
    arena_free(arena);
    store_free(store);
}

static void
loss_before_commit_is_unavailable_and_during_commit_unknown(void **state)
{
    (void)state;
    struct store_config config = fixture_config();
    struct store *store = fixture_store(&config);
    struct arena *arena = arena_new(FIXTURE_ARENA_BYTES);
    static const char kill[] = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                               "WHERE datname = current_database() AND state LIKE 'idle in transaction%'";
    struct tx *tx;
    assert_ok(tx_begin(store, arena, fixture_id(9), &tx));
    fixture_ask("%s", kill);
    usleep(50000);
    assert_fails(add_record(tx, fixture_id(1), "lost"), DATABASE_UNAVAILABLE);
    tx_rollback(tx);

    assert_ok(tx_begin(store, arena, fixture_id(9), &tx));
    assert_ok(add_record(tx, fixture_id(1), "lost"));
    fixture_ask("%s", kill);
    usleep(50000);
    assert_fails(tx_commit(tx), OUTCOME_UNKNOWN);
    assert_false(has_record(store, fixture_id(1), "lost"));
    arena_free(arena);
    store_free(store);
}

static void
slow_statement_is_unavailable_and_its_connection_stays(void **state)
{
    (void)state;
    struct store_config config = fixture_config();
    config.statement_timeout_ms = 300;
    struct store *store = fixture_store(&config);
    struct arena *arena = arena_new(FIXTURE_ARENA_BYTES);
    PGconn *blocker = fixture_connect(fixture_dsn);
    fixture_ask_on(blocker, "BEGIN; LOCK TABLE idempotency IN ACCESS EXCLUSIVE MODE");
    struct tx *tx;
    /* In a transaction lock_timeout is shorter, and waiting for somebody else is no failure of the database. */
    assert_ok(tx_begin(store, arena, fixture_id(9), &tx));
    assert_fails(add_record(tx, fixture_id(1), "slow"), OVERLOADED);
    assert_fails(add_record(tx, fixture_id(1), "slow"), OVERLOADED);
    tx_rollback(tx);
    struct idempotency_record record;
    int64_t before = clock_steady_ms();
    assert_fails(store_idempotency_find_outside(store, arena, fixture_id(1), STR("slow"), &record),
                 DATABASE_UNAVAILABLE);
    assert_in_range(clock_steady_ms() - before, 250, patient(1200));
    fixture_ask_on(blocker, "ROLLBACK");
    assert_ok(store_idempotency_find_outside(store, arena, fixture_id(1), STR("slow"), &record));
    assert_false(record.found);
    PQfinish(blocker);
    arena_free(arena);
    store_free(store);
}

static void
database_that_is_gone_is_unavailable_soon(void **state)
{
    (void)state;
    struct store_config config = fixture_config();
    config.dsn = "host=/nonexistent port=1 dbname=none";
    struct store *store = store_new(&config);
    assert_non_null(store);
    struct arena *arena = arena_new(FIXTURE_ARENA_BYTES);
    struct tx *tx;
    struct idempotency_record record;
    int64_t before = clock_steady_ms();
    error problem = tx_begin(store, arena, fixture_id(9), &tx);
    assert_non_null(problem);
    assert_int_equal(problem->code, DATABASE_UNAVAILABLE);
    assert_true(problem->retry_after_s > 0);
    assert_fails(store_idempotency_find_outside(store, arena, fixture_id(1), STR("x"), &record), DATABASE_UNAVAILABLE);
    assert_in_range(clock_steady_ms() - before, 0, patient(1000));
    assert_false(store_status(store).reachable);
    arena_free(arena);
    store_free(store);
}

static void *
begin_and_commit_often(void *context)
{
    struct store *store = context;
    for (int i = 0; i < 100; i++) {
        struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
        struct tx *tx CLEANUP(tx_cleanup) = NULL;
        if (tx_begin(store, arena, fixture_id(9), &tx) != OK)
            return "begin";
        struct idempotency_record record;
        if (store_idempotency_find(tx, fixture_id(1), STR("committed"), &record) != OK || !record.found)
            return "find";
        if (i % 2 == 0 && tx_commit(tx) != OK)
            return "commit";
        if (store_idempotency_find_outside(store, arena, fixture_id(1), STR("committed"), &record) != OK ||
            !record.found)
            return "read";
    }
    return NULL;
}

static void
many_threads_share_few_connections(void **state)
{
    (void)state;
    struct store_config config = fixture_config();
    config.pool_wait_ms = 10000;
    struct store *store = fixture_store(&config);
    pthread_t threads[12];
    for (size_t i = 0; i < LENGTH(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, begin_and_commit_often, store), 0);
    for (size_t i = 0; i < LENGTH(threads); i++) {
        void *wrong = NULL;
        pthread_join(threads[i], &wrong);
        if (wrong != NULL)
            fail_msg("%s failed", (const char *)wrong);
    }
    assert_int_equal(store_status(store).transactions_open, 0);
    store_free(store);
}

static void
reader_cannot_write(void **state)
{
    (void)state;
    struct store_config config = fixture_config();
    struct store *store = fixture_store(&config);
    struct arena *arena = arena_new(FIXTURE_ARENA_BYTES);
    struct rows rows;
    /* Adding through the reading connection is refused: readers are read only. */
    struct params params = { 0 };
    params_id(&params, P_PRINCIPAL, fixture_id(1));
    params_text(&params, P_KEY, STR("by a reader"));
    params_bytes(&params, P_REQUEST_HASH, STR("hash"));
    params_int(&params, P_STATUS, 200);
    params_bytes(&params, P_ANSWER, STR("answer"));
    assert_non_null(store_read(store, arena, SQL_IDEMPOTENCY_ADD, &params, &rows));
    assert_false(has_record(store, fixture_id(1), "by a reader"));
    arena_free(arena);
    store_free(store);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(committed_change_is_visible_and_rolled_back_is_not),
        cmocka_unit_test(forgotten_transaction_ends_with_its_arena),
        cmocka_unit_test(violation_is_described_and_ends_the_transaction),
        cmocka_unit_test(a_statement_without_its_identifier_is_not_sent),
        cmocka_unit_test(parameters_and_columns_go_by_name),
        cmocka_unit_test(only_who_says_so_works_as_the_service),
        cmocka_unit_test(full_pool_is_overloaded_after_its_wait),
        cmocka_unit_test(stale_connection_is_replaced_without_an_error),
        cmocka_unit_test(loss_before_commit_is_unavailable_and_during_commit_unknown),
        cmocka_unit_test(slow_statement_is_unavailable_and_its_connection_stays),
        cmocka_unit_test(database_that_is_gone_is_unavailable_soon),
        cmocka_unit_test(many_threads_share_few_connections),
        cmocka_unit_test(reader_cannot_write),
    };
    return cmocka_run_group_tests(tests, fixture_set_up, fixture_tear_down);
}
