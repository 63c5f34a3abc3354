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

/* ---- Routines ---- */

static const char *
body_of_api_date(void)
{
    return fixture_ask("SELECT pg_get_functiondef('api_date(timestamptz)'::regprocedure) LIKE '%%HH24:MI:SS%%'");
}

static void
break_api_date(void)
{
    fixture_ask(
        "CREATE OR REPLACE FUNCTION api_date(moment timestamptz) RETURNS text LANGUAGE sql STABLE RETURN 'broken'");
    fixture_ask("UPDATE schema_routine SET sha256 = 'of another version' WHERE name = 'api_date'");
    assert_string_equal(body_of_api_date(), "f");
}

static void
routine_of_another_version_is_replaced(void **state)
{
    (void)state;
    int applied = -1;
    assert_ok(store_migrate(fixture_dsn, arena, &applied));
    break_api_date();
    assert_ok(store_migrate(fixture_dsn, arena, &applied));
    assert_int_equal(applied, 0);
    assert_string_equal(body_of_api_date(), "t");
}

static void
routines_stay_where_a_newer_program_was(void **state)
{
    (void)state;
    int applied = -1;
    assert_ok(store_migrate(fixture_dsn, arena, &applied));
    break_api_date();
    fixture_ask(
        "INSERT INTO schema_migration (version, name, sha256) SELECT max(version) + 1, 'newer', 'x' FROM schema_migration");
    assert_ok(store_migrate(fixture_dsn, arena, &applied));
    assert_string_equal(body_of_api_date(), "f");
}

static void
all_routines_can_be_put_in_place_again(void **state)
{
    (void)state;
    int applied = -1;
    char count[16];
    assert_ok(store_migrate(fixture_dsn, arena, &applied));
    fixture_ask("UPDATE schema_routine SET sha256 = 'of another version'");
    assert_ok(store_migrate(fixture_dsn, arena, &applied));
    snprintf(count, sizeof(count), "%d", routine_count);
    assert_string_equal(fixture_ask("SELECT count(*) FROM schema_routine WHERE length(sha256) = 64"), count);
}

/* An installation from before has the hashes of files that held routines, too. */
static void
migration_that_held_routines_is_still_the_same(void **state)
{
    (void)state;
    int applied = -1, changed = 0;
    assert_ok(store_migrate(fixture_dsn, arena, &applied));
    for (int i = 0; i < migration_count; i++) {
        if (migrations[i].was == NULL)
            continue;
        fixture_ask("UPDATE schema_migration SET sha256 = '%s' WHERE version = %d", migrations[i].was,
                    migrations[i].version);
        changed++;
    }
    assert_true(changed > 20);
    assert_ok(store_migrate(fixture_dsn, arena, &applied));
    assert_int_equal(applied, 0);
}

/* Whoever saw strings with private names still does, and members with one address have such a name, too. */
static void
private_names_are_those_of_before_and_more(void **state)
{
    (void)state;
    int applied = -1;
    assert_ok(store_migrate(fixture_dsn, arena, &applied));
    fixture_ask(
        "INSERT INTO organization (id, name, federation_id, access_list_required) VALUES ('\\x650000000000000000000001', 'o', '\\x650000000000000000000001', false)");
    fixture_ask(
        "INSERT INTO project (id, org_id, name) SELECT decode('65000000000000000000000' || n, 'hex'), '\\x650000000000000000000001', 'p' || n FROM generate_series(2, 3) n");
    fixture_ask(
        "INSERT INTO cluster (id, org_id, project_id, name, set_name, major_version) SELECT decode('65000000000000000000001' || n, 'hex'), "
        "'\\x650000000000000000000001', decode('65000000000000000000000' || n, 'hex'), 'c', 'k3x9a' || n, '17' FROM generate_series(2, 3) n");
    fixture_ask(
        "INSERT INTO dns_record (name, type, content, org_id, cluster_id) SELECT r.name || '.p.d', r.type, r.content, c.org_id, c.id FROM cluster c, LATERAL (VALUES "
        "(c.set_name || '-shard-00-00', 'A', '10.0.0.1'), ('_postgresql._tcp.' || c.set_name, 'SRV', '0 0 27017 ' || c.set_name || '-shard-00-00.p.d')) r (name, type, content)");
    fixture_ask(
        "INSERT INTO dns_record (name, type, content, org_id, cluster_id) SELECT r.name || '.p.d', r.type, r.content, c.org_id, c.id FROM cluster c, LATERAL (VALUES "
        "(c.set_name || '-shard-00-00-pri', 'AAAA', 'fd00::1'), ('_postgresql._tcp.' || c.set_name || '-pri', 'SRV', '0 0 27017 ' || c.set_name || '-shard-00-00-pri.p.d')) r (name, type, content) "
        "WHERE set_name = 'k3x9a3'");
    fixture_ask(
        "INSERT INTO resource (scope, kind, id, name, org_id, document) VALUES ('\\x650000000000000000000003', 'privateIpMode', '\\x650000000000000000000009', '', "
        "'\\x650000000000000000000001', '{\"enabled\": true}')");
    for (int i = 0; i < migration_count; i++) {
        if (migrations[i].version == 68)
            fixture_ask("%s", migrations[i].text);
    }
    assert_string_equal(
        fixture_ask("SELECT string_agg(encode(scope, 'hex') || document, ' ') FROM resource WHERE kind = 'customDns'"),
        "650000000000000000000003{\"enabled\": true}");
    assert_string_equal(fixture_ask("SELECT document ->> 'enabled' FROM resource WHERE kind = 'privateIpMode'"),
                        "false");
    assert_string_equal(
        fixture_ask(
            "SELECT string_agg(type || content, ' ' ORDER BY type) FROM dns_record WHERE name LIKE '%%-pri.p.d' AND name LIKE '%%k3x9a2%%'"),
        "A10.0.0.1 SRV0 0 27017 k3x9a2-shard-00-00-pri.p.d");
    assert_string_equal(
        fixture_ask(
            "SELECT string_agg(type || content, ' ' ORDER BY type) FROM dns_record WHERE name LIKE '%%-pri.p.d' AND name LIKE '%%k3x9a3%%'"),
        "AAAAfd00::1 SRV0 0 27017 k3x9a3-shard-00-00-pri.p.d");
    assert_string_equal(fixture_ask("SELECT count(*) FROM dns_record"), "8");
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
        cmocka_unit_test_setup_teardown(routine_of_another_version_is_replaced, set_up, tear_down),
        cmocka_unit_test_setup_teardown(routines_stay_where_a_newer_program_was, set_up, tear_down),
        cmocka_unit_test_setup_teardown(all_routines_can_be_put_in_place_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(migration_that_held_routines_is_still_the_same, set_up, tear_down),
        cmocka_unit_test_setup_teardown(private_names_are_those_of_before_and_more, set_up, tear_down),
        cmocka_unit_test_setup_teardown(several_nodes_may_migrate_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(superuser_may_own_the_tables, set_up, tear_down),
        cmocka_unit_test_setup_teardown(database_that_is_gone_is_unavailable, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
