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
    fixture_ask("DELETE FROM resource WHERE kind IN ('backupExportBucket', 'backupSchedule')");
    fixture_ask("DELETE FROM project WHERE id <> %s", fixture_quote(fixture_id(PROJECT)));
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

/* ---- By a schedule ---- */
/* The schedule of cluster a exports monthly snapshots since an hour ago. */
static void
export_schedule(void)
{
    fixture_ask(
        "INSERT INTO resource (scope, kind, id, name, org_id, document) SELECT p.id, 'backupSchedule', decode('%024d', 'hex'), '%024d', p.org_id, "
        "jsonb_build_object('autoExportEnabled', true, 'exportSince', api_date(now() - interval '1 hour'), "
        "'export', jsonb_build_object('exportBucketId', '%024d', 'frequencyType', 'monthly'), 'policies', jsonb_build_array(jsonb_build_object("
        "'policyItems', jsonb_build_array(jsonb_build_object('id', '%024d', 'frequencyType', 'monthly'), jsonb_build_object('id', '%024d', 'frequencyType', 'daily'))))) "
        "FROM project p WHERE p.id = %s",
        80, 10, 50, 81, 82, fixture_quote(fixture_id(PROJECT)));
}

/* The same, and nothing else was asked for. */
static void
export_monthly(void)
{
    fixture_ask("DELETE FROM export_job");
    export_schedule();
}

/* The snapshot of a was taken by rules, and completed so many minutes ago. */
static void
taken(const char *frequency, int item, int minutes)
{
    fixture_ask(
        "UPDATE snapshot SET origin = 'SCHEDULED', frequency = '%s', policy_items = ARRAY[decode('%024d', 'hex')], "
        "finished_at = now() - interval '%d minutes' WHERE cluster_id = decode('%024d', 'hex')",
        frequency, item, minutes, 10);
}

static const char *
origins(void)
{
    return fixture_ask(
        "SELECT coalesce(string_agg(origin || ' ' || state, ', ' ORDER BY created_at), '') FROM export_job");
}

static void
what_a_schedule_asks_for_is_exported_once(void **state)
{
    (void)state;
    export_monthly();
    taken("monthly", 81, 5);
    sweep();
    sweep();
    assert_string_equal(origins(), "SCHEDULED WAITING");
    assert_string_equal(given("label"), "20261117-080000F");
    assert_string_equal(fixture_ask("SELECT prefix ~ '/a/[^/]+/[0-9]{10}$' FROM export_job"), "t");
    report("FAILED", "The store answered with 403.");
    sweep();
    sweep();
    assert_string_equal(origins(), "SCHEDULED FAILED"); /* and is not tried again */
    assert_string_equal(events(), "FAILED");
}

static void
other_snapshots_are_not_exported(void **state)
{
    (void)state;
    static const struct {
        const char *frequency;
        int item, minutes;
        bool is_exported;
    } rows[] = {
        { "daily", 82, 5, false },   { "monthly", 81, 61, false }, /* from before it was switched on */
        { "yearly", 83, 5, false },  { "yearly", 81, 5, true },    /* due by both rules at the same minute */
        { "monthly", 81, 59, true },
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        fixture_ask("DELETE FROM resource WHERE kind = 'backupSchedule'");
        export_monthly();
        taken(rows[i].frequency, rows[i].item, rows[i].minutes);
        sweep();
        assert_string_equal(origins(), rows[i].is_exported ? "SCHEDULED WAITING" : "");
    }
}

static void
a_snapshot_that_is_not_there_is_not_exported(void **state)
{
    (void)state;
    static const char *const changes[] = { "UPDATE snapshot SET state = 'IN_PROGRESS'",
                                           "UPDATE snapshot SET state = 'FAILED'",
                                           "UPDATE snapshot SET state = 'COMPLETED', hidden_at = now()",
                                           "UPDATE backup_stanza SET state = 'REMOVING'",
                                           "DELETE FROM resource WHERE kind = 'backupExportBucket'" };
    for (size_t i = 0; i < LENGTH(changes); i++) {
        tear_down(NULL);
        set_up(NULL);
        export_monthly();
        taken("monthly", 81, 5);
        fixture_ask("%s", changes[i]);
        sweep();
        assert_string_equal(origins(), "");
    }
}

static void
one_that_somebody_asked_for_does_not_keep_the_schedule_from_its_place(void **state)
{
    (void)state;
    export_monthly();
    fixture_ask(
        "INSERT INTO export_job (id, org_id, project_id, cluster_id, stanza_id, snapshot_id, snapshot_at, bucket_id, prefix, created_at) "
        "SELECT decode('%024d', 'hex'), n.org_id, n.project_id, n.cluster_id, n.stanza_id, n.id, now(), decode('%024d', 'hex'), 'p', now() - interval '1 minute' "
        "FROM snapshot n WHERE n.cluster_id = decode('%024d', 'hex')",
        60, 50, 10);
    taken("monthly", 81, 5);
    sweep();
    assert_string_equal(origins(), "ON_DEMAND WAITING, SCHEDULED QUEUED");
    report("SUCCEEDED", "");
    sweep();
    assert_string_equal(origins(), "ON_DEMAND SUCCEEDED, SCHEDULED WAITING");
}

/* What has not begun goes without a word; what has begun is finished. */
static void
switched_off_it_ends(void **state)
{
    (void)state;
    export_monthly();
    taken("monthly", 81, 5);
    sweep();
    fixture_ask(
        "UPDATE resource SET document = document || '{\"autoExportEnabled\": false}' WHERE kind = 'backupSchedule'");
    sweep();
    assert_string_equal(origins(), "SCHEDULED WAITING");
    fixture_ask("UPDATE export_job SET state = 'QUEUED', seat_id = NULL, given_at = NULL");
    sweep();
    assert_string_equal(origins(), "SCHEDULED CANCELLED");
    assert_string_equal(events(), "");
}

/* Else it would be due again: a yearly snapshot may be kept for ten years. */
static void
an_export_by_a_schedule_is_known_for_as_long_as_its_snapshot(void **state)
{
    (void)state;
    export_monthly();
    taken("monthly", 81, 5);
    sweep();
    fixture_ask(
        "UPDATE export_job SET state = 'SUCCEEDED', finished_at = now() - interval '401 days', told_at = now()");
    sweep();
    assert_string_equal(origins(), "SCHEDULED SUCCEEDED");
    fixture_ask("DELETE FROM snapshot");
    sweep();
    assert_string_equal(origins(), "");
}

/* The next that its host is given is this one; it ends well. */
static void
export_turn(const char *last_digits)
{
    sweep();
    const char *next = fixture_ask("SELECT encode(id, 'hex') FROM export_job WHERE state = 'WAITING'");
    assert_string_equal(next + strlen(next) - strlen(last_digits), last_digits);
    fixture_ask(
        "UPDATE export_job SET state = 'SUCCEEDED', finished_at = now(), told_at = now() WHERE state = 'WAITING'");
}

/* One with many clusters, all of which are due in the same minute, keeps nobody waiting for all of them. */
static void
projects_take_turns(void **state)
{
    (void)state;
    fixture_add_project(fixture_id(PROJECT + 1), fixture_id(ORGANIZATION));
    fixture_ask("UPDATE export_job SET project_id = %s, created_at = now() WHERE id = decode('%024d', 'hex')",
                fixture_quote(fixture_id(PROJECT + 1)), 61);
    fixture_ask(
        "INSERT INTO export_job (id, org_id, project_id, cluster_id, stanza_id, snapshot_id, snapshot_at, bucket_id, prefix, origin, created_at) "
        "SELECT decode('%024d', 'hex'), x.org_id, x.project_id, x.cluster_id, x.stanza_id, x.snapshot_id, now(), x.bucket_id, 'p', 'SCHEDULED', now() - interval '9 minutes' "
        "FROM export_job x WHERE x.id = decode('%024d', 'hex')",
        62, 60);
    export_schedule();
    export_turn("60");
    export_turn("61");
    export_turn("62");
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
        cmocka_unit_test_setup_teardown(what_a_schedule_asks_for_is_exported_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_snapshots_are_not_exported, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_snapshot_that_is_not_there_is_not_exported, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_that_somebody_asked_for_does_not_keep_the_schedule_from_its_place, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(switched_off_it_ends, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_export_by_a_schedule_is_known_for_as_long_as_its_snapshot, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(projects_take_turns, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, open_world, close_store);
}
