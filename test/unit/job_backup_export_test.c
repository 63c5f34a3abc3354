/* SPDX-License-Identifier: Apache-2.0 */
/* Who writes exports, and who is told: with repository hosts that are played by host_goal() and host_report(). */
#include "open_store_fixture.h"

#include "base/json.h"
#include "job/kinds.h"

enum { ORGANIZATION = 1, PROJECT = 2, HOST = 6, CLUSTERS = 2 };

static struct arena *arena;
static int told; /* events before this test */
static const struct job_environment environment;

static int
open_world(void **state)
{
    if (open_store(state) != 0)
        return -1;
    fixture_add_organization(fixture_id(ORGANIZATION));
    fixture_add_project(fixture_id(PROJECT), fixture_id(ORGANIZATION));
    fixture_ask("INSERT INTO provider (name) VALUES ('P') ON CONFLICT DO NOTHING");
    fixture_ask("INSERT INTO region (provider, name) VALUES ('P', 'R')");
    fixture_ask("INSERT INTO host (id, name, provider, region, zone, purpose, cpus, memory_mb, disk_gb) "
                "VALUES (%s, 'r', 'P', 'R', 'z', 'REPOSITORY', 1, 1, 1)",
                fixture_quote(fixture_id(HOST)));
    return 0;
}

/* Clusters a and b are kept at one host, with a snapshot each, and an export of each was asked for: first that of a. */
static int
set_up(void **state)
{
    (void)state;
    arena = arena_new(FIXTURE_ARENA_BYTES);
    fixture_ask("DELETE FROM export_job");
    fixture_ask("DELETE FROM drill");
    fixture_ask("DELETE FROM stanza_seat");
    fixture_ask("DELETE FROM backup_stanza");
    fixture_ask("DELETE FROM resource WHERE kind = 'backupExportBucket'");
    fixture_ask(
        "INSERT INTO resource (scope, kind, id, name, org_id, document) SELECT p.id, 'backupExportBucket', decode('%024d', 'hex'), "
        "'%024d', p.org_id, '{\"bucketName\": \"b\", \"serviceUrl\": \"https://s\", \"region\": \"r\", \"internal\": {\"secrets\": "
        "\"c2VhbGVk\"}}' FROM project p",
        50, 50);
    for (int i = 0; i < CLUSTERS; i++) {
        fixture_ask(
            "INSERT INTO backup_stanza (id, org_id, project_id, cluster_id, cluster_name, incarnation, name, major_version, cipher) "
            "SELECT decode('%024d', 'hex'), p.org_id, p.id, decode('%024d', 'hex'), '%c', 1, 'abcde%c-1', '17', '' FROM project p",
            20 + i, 10 + i, 'a' + i, 'a' + i);
        fixture_ask("INSERT INTO stanza_seat (id, org_id, stanza_id, host_id, ordinal, reserved_gb, window_to) "
                    "SELECT decode('%024d', 'hex'), t.org_id, t.id, h.id, 0, 1, now() FROM backup_stanza t, host h "
                    "WHERE t.id = decode('%024d', 'hex')",
                    30 + i, 20 + i);
        fixture_ask(
            "INSERT INTO snapshot (id, org_id, project_id, cluster_id, stanza_id, origin, state) SELECT decode('%024d', 'hex'), "
            "t.org_id, t.project_id, t.cluster_id, t.id, 'ON_DEMAND', 'COMPLETED' FROM backup_stanza t WHERE t.id = decode('%024d', 'hex')",
            40 + i, 20 + i);
        fixture_ask(
            "INSERT INTO snapshot_copy (snapshot_id, seat_id, org_id, label, state) SELECT decode('%024d', 'hex'), t.id, "
            "t.org_id, '20261117-08000%dF', 'COMPLETED' FROM stanza_seat t WHERE t.id = decode('%024d', 'hex')",
            40 + i, i, 30 + i);
        fixture_ask(
            "INSERT INTO export_job (id, org_id, project_id, cluster_id, stanza_id, snapshot_id, snapshot_at, bucket_id, prefix, created_at) "
            "SELECT decode('%024d', 'hex'), t.org_id, t.project_id, t.cluster_id, t.id, decode('%024d', 'hex'), now(), decode('%024d', 'hex'), "
            "'p', now() - interval '%d minutes' FROM backup_stanza t WHERE t.id = decode('%024d', 'hex')",
            60 + i, 40 + i, 50, 10 - i, 20 + i);
    }
    told = atoi(fixture_ask("SELECT coalesce(max(seq), 0) FROM event"));
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
sweep(void)
{
    struct sweep_context context = { store, arena, &environment };
    error problem = backup_exports_sweep.run(&context);
    if (problem != OK)
        fail_msg("%.*s", STR_ARG(problem->detail));
}

static const char *
exports(void)
{
    return fixture_ask(
        "SELECT string_agg(t.cluster_name || ' ' || x.state, ', ' ORDER BY t.cluster_name) FROM export_job x JOIN backup_stanza t ON t.id = x.stanza_id");
}

static const char *
events(void)
{
    return fixture_ask(
        "SELECT coalesce(string_agg(replace(type, 'BACKUP_EXPORT_', ''), ',' ORDER BY seq), '') FROM event WHERE seq > %d",
        told);
}

/* What the goal says of the export of the host. */
static const char *
given(const char *field)
{
    return fixture_ask(
        "SELECT coalesce(string_agg(s -> 'export' ->> '%s', ','), '') FROM json_array_elements(host_seats_goal(%s)) s WHERE s -> 'export' IS NOT NULL",
        field, fixture_quote(fixture_id(HOST)));
}

/* The host says so about the export that it was given. */
static void
report(const char *state, const char *problem)
{
    fixture_ask(
        "SELECT host_report_exports(%s, jsonb_agg(jsonb_build_object('id', s ->> 'id', 'export', jsonb_build_object('id', s -> 'export' ->> 'id', "
        "'state', '%s', 'problem', '%s', 'startedAt', api_date(now()), 'tablesDone', 1, 'tablesTotal', 2)))) FROM json_array_elements(host_seats_goal(%s)) s "
        "WHERE s -> 'export' IS NOT NULL",
        fixture_quote(fixture_id(HOST)), state, problem, fixture_quote(fixture_id(HOST)));
}

/* ---- Tests ---- */
static void
a_host_writes_one_at_a_time_in_the_order_in_which_they_were_asked_for(void **state)
{
    (void)state;
    sweep();
    assert_string_equal(exports(), "a WAITING, b QUEUED");
    assert_string_equal(given("label"), "20261117-080000F");
    assert_string_equal(given("bucket"), "b");
    report("RUNNING", "");
    sweep();
    assert_string_equal(exports(), "a RUNNING, b QUEUED");
    report("SUCCEEDED", "");
    sweep();
    assert_string_equal(exports(), "a SUCCEEDED, b WAITING");
    assert_string_equal(given("label"), "20261117-080001F");
    assert_string_equal(events(), "SUCCEEDED");
}

static void
a_drill_comes_first_when_it_is_there_first(void **state)
{
    (void)state;
    fixture_ask(
        "INSERT INTO drill (id, org_id, project_id, cluster_id, stanza_id, seat_id, origin, state, given_at) SELECT decode('%024d', 'hex'), t.org_id, "
        "t.project_id, t.cluster_id, t.id, decode('%024d', 'hex'), 'ON_DEMAND', 'RUNNING', now() FROM backup_stanza t WHERE t.id = decode('%024d', 'hex')",
        70, 31, 21);
    sweep();
    assert_string_equal(exports(), "a QUEUED, b QUEUED");
    fixture_ask("UPDATE drill SET state = 'PASSED', finished_at = now()");
    sweep();
    assert_string_equal(exports(), "a WAITING, b QUEUED");
}

static void
what_came_of_it_is_told_once(void **state)
{
    (void)state;
    sweep();
    report("FAILED", "The store answered with 403.");
    sweep();
    sweep();
    assert_string_equal(events(), "FAILED");
}

static void
one_that_is_not_run_is_given_up(void **state)
{
    (void)state;
    sweep();
    report("WAITING", "There is too little room.");
    fixture_ask("UPDATE export_job SET given_at = given_at - interval '61 minutes' WHERE given_at IS NOT NULL");
    sweep();
    assert_string_equal(exports(), "a FAILED, b WAITING");
    assert_string_equal(fixture_ask("SELECT code || ': ' || problem FROM export_job WHERE state = 'FAILED'"),
                        "EXPORT_NOT_RUN: There is too little room.");
}

static void
with_the_backups_goes_the_export(void **state)
{
    (void)state;
    sweep();
    fixture_ask("UPDATE backup_stanza SET state = 'REMOVING' WHERE cluster_name = 'a'");
    sweep();
    assert_string_equal(exports(), "a CANCELLED, b WAITING");
    assert_string_equal(given("label"), "20261117-080001F");
}

/* What is exported stays, although its time is over. */
static void
a_snapshot_stays_while_it_is_exported(void **state)
{
    (void)state;
    fixture_ask("UPDATE backup_stanza SET state = 'FROZEN'");
    fixture_ask("UPDATE snapshot SET hidden_at = now()");
    struct sweep_context context = { store, arena, &environment };
    assert_ptr_equal(expired_backups_sweep.run(&context), OK);
    assert_string_equal(fixture_ask("SELECT count(*) FROM snapshot_copy WHERE state = 'REMOVING'"), "0");
    fixture_ask("UPDATE export_job SET state = 'FAILED', finished_at = now()");
    assert_ptr_equal(expired_backups_sweep.run(&context), OK);
    assert_string_equal(fixture_ask("SELECT count(*) FROM snapshot_copy WHERE state = 'REMOVING'"), "2");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_host_writes_one_at_a_time_in_the_order_in_which_they_were_asked_for, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_drill_comes_first_when_it_is_there_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_came_of_it_is_told_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_that_is_not_run_is_given_up, set_up, tear_down),
        cmocka_unit_test_setup_teardown(with_the_backups_goes_the_export, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_snapshot_stays_while_it_is_exported, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, open_world, close_store);
}
