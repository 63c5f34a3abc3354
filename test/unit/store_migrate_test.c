/* SPDX-License-Identifier: Apache-2.0 */
#include "store_fixture.h"

#include <pthread.h>

/* Each test has a database of its own. */
static struct arena *arena;

static int
set_up(void **state)
{
    static int count;
    char suffix[16];
    (void)state;
    snprintf(suffix, sizeof(suffix), "_%d", ++count);
    fixture_create_database(suffix);
    fixture_owner = fixture_connect(fixture_dsn);
    arena = arena_new(FIXTURE_ARENA_BYTES);
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    PQfinish(fixture_owner);
    arena_free(arena);
    return 0;
}

static void
migrations_are_applied_once(void **state)
{
    (void)state;
    int applied = -1;
    struct migration_status status;
    assert_ok(store_migration_status(fixture_dsn, arena, &status));
    assert_int_equal(status.applied, 0);
    assert_int_equal(status.known, migration_count);
    assert_ok(store_migrate(fixture_dsn, arena, &applied));
    assert_int_equal(applied, migration_count);
    assert_ok(store_migrate(fixture_dsn, arena, &applied));
    assert_int_equal(applied, 0);
    assert_ok(store_migration_status(fixture_dsn, arena, &status));
    assert_int_equal(status.applied, migration_count);
    assert_true(status.unchanged);
}

static void
changed_migration_is_refused(void **state)
{
    (void)state;
    int applied = -1;
    struct migration_status status;
    assert_ok(store_migrate(fixture_dsn, arena, &applied));
    fixture_ask("UPDATE schema_migration SET sha256 = repeat('0', 64) WHERE version = 2");
    assert_fails(store_migrate(fixture_dsn, arena, &applied), INTERNAL_ERROR);
    assert_ok(store_migration_status(fixture_dsn, arena, &status));
    assert_false(status.unchanged);
}

static void
failed_migration_leaves_nothing_behind(void **state)
{
    (void)state;
    int applied = -1;
    fixture_ask("CREATE TABLE schema_migration (version int PRIMARY KEY, name text NOT NULL, sha256 text NOT NULL, "
                "applied_at timestamptz NOT NULL DEFAULT now())");
    fixture_ask("CREATE TABLE organization (id int)"); /* in the way of the first one */
    assert_fails(store_migrate(fixture_dsn, arena, &applied), INTERNAL_ERROR);
    /* All of it or nothing: what stood before the failing line is not there either. */
    assert_string_equal(fixture_ask("SELECT count(*) FROM schema_migration"), "0");
    assert_string_equal(fixture_ask("SELECT coalesce(to_regclass('revision')::text, 'none')"), "none");
    fixture_ask("DROP TABLE organization");
    assert_ok(store_migrate(fixture_dsn, arena, &applied));
    assert_int_equal(applied, migration_count);
}

static void *
migrate(void *ret_applied)
{
    struct arena *own = arena_new(FIXTURE_ARENA_BYTES);
    int applied = 0;
    *(int *)ret_applied = store_migrate(fixture_dsn, own, &applied) == OK ? applied : -1000;
    arena_free(own);
    return NULL;
}

static void
several_nodes_may_migrate_at_once(void **state)
{
    (void)state;
    pthread_t threads[6];
    int applied[6], total = 0;
    for (size_t i = 0; i < LENGTH(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, migrate, &applied[i]), 0);
    for (size_t i = 0; i < LENGTH(threads); i++) {
        pthread_join(threads[i], NULL);
        total += applied[i];
    }
    assert_int_equal(total, migration_count);
}

static void
superuser_may_own_the_tables(void **state)
{
    (void)state;
    int applied = -1;
    assert_ok(store_migrate(fixture_super_dsn, arena, &applied));
    PGconn *pg = fixture_connect(fixture_super_dsn);
    fixture_ask_on(pg, "INSERT INTO organization (id, name, federation_id, access_list_required) "
                       "VALUES ('\\x000000000000000000000001', 'o', '\\x000000000000000000000001', false)");
    fixture_ask_on(pg, "SET ROLE reeve_tenant");
    assert_string_equal(fixture_ask_on(pg, "SELECT count(*) FROM organization"), "0");
    PQfinish(pg);
}

static void
database_that_is_gone_is_unavailable(void **state)
{
    (void)state;
    int applied;
    assert_fails(store_migrate("host=/nonexistent", arena, &applied), DATABASE_UNAVAILABLE);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(migrations_are_applied_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(changed_migration_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(failed_migration_leaves_nothing_behind, set_up, tear_down),
        cmocka_unit_test_setup_teardown(several_nodes_may_migrate_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(superuser_may_own_the_tables, set_up, tear_down),
        cmocka_unit_test_setup_teardown(database_that_is_gone_is_unavailable, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
