/* SPDX-License-Identifier: Apache-2.0 */
/* When backups are tried, by whom, and who is told: with repository hosts that are played by host_goal() and host_report(). */
#include "open_store_fixture.h"

#include "base/json.h"
#include "job/kinds.h"

enum { ORGANIZATION = 1, PROJECT = 2, HOST = 6, CLUSTERS = 3 };

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
    for (int i = 0; i < 2; i++)
        fixture_ask("INSERT INTO host (id, name, provider, region, zone, purpose, cpus, memory_mb, disk_gb) "
                    "VALUES (%s, 'r%d', 'P', 'R', 'z', 'REPOSITORY', 1, 1, 1)",
                    fixture_quote(fixture_id(HOST + i)), i);
    return 0;
}

/* Clusters a and b are kept at the first host, c at the second; all for a year, with nothing tried yet. */
static int
set_up(void **state)
{
    (void)state;
    arena = arena_new(FIXTURE_ARENA_BYTES);
    fixture_ask("DELETE FROM drill");
    fixture_ask("DELETE FROM stanza_seat");
    fixture_ask("DELETE FROM backup_stanza");
    fixture_ask("DELETE FROM resource WHERE kind IN ('backupDrillSettings', 'cluster')");
    for (int i = 0; i < CLUSTERS; i++) {
        fixture_ask(
            "INSERT INTO backup_stanza (id, org_id, project_id, cluster_id, cluster_name, incarnation, name, major_version, "
            "cipher, created_at) SELECT decode('%024d', 'hex'), p.org_id, p.id, decode('%024d', 'hex'), '%c', 1, 'abcde%c-1', "
            "'17', '', now() - interval '1 year' FROM project p",
            20 + i, 10 + i, 'a' + i, 'a' + i);
        fixture_ask("INSERT INTO stanza_seat (id, org_id, stanza_id, host_id, ordinal, reserved_gb, window_to) "
                    "SELECT decode('%024d', 'hex'), t.org_id, t.id, h.id, 0, 1, now() FROM backup_stanza t, host h "
                    "WHERE t.id = decode('%024d', 'hex') AND h.name = 'r%d'",
                    30 + i, 20 + i, i / 2);
    }
    fixture_ask("UPDATE backup_stanza SET drill_overdue = true"); /* as it is after a year */
    fixture_ask("INSERT INTO resource (scope, kind, id, name, org_id, document) SELECT t.project_id, 'cluster', "
                "t.cluster_id, t.cluster_name, t.org_id, '{}' FROM backup_stanza t");
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
    error problem = backup_drills_sweep.run(&context);
    if (problem != OK)
        fail_msg("%.*s", STR_ARG(problem->detail));
}

/* "a SCHEDULED WAITING, …" in the order of clusters, newest drill each. */
static const char *
drills(void)
{
    return fixture_ask(
        "SELECT coalesce(string_agg(t.cluster_name || ' ' || d.state, ', ' ORDER BY t.cluster_name), '') FROM backup_stanza t "
        "CROSS JOIN LATERAL (SELECT d.* FROM drill d WHERE d.stanza_id = t.id ORDER BY d.requested_at DESC, d.id DESC LIMIT 1) d");
}

static const char *
events(void)
{
    return fixture_ask(
        "SELECT coalesce(string_agg(replace(type, 'BACKUP_DRILL_', ''), ',' ORDER BY seq), '') FROM event WHERE seq > %d",
        told);
}

/* The seat of the cluster whose drill the host has in its goal; empty: none. */
static const char *
given(int host)
{
    return fixture_ask(
        "SELECT coalesce(string_agg(s ->> 'stanza', ','), '') FROM json_array_elements(host_seats_goal(%s)) s WHERE s -> 'drill' IS NOT NULL",
        fixture_quote(fixture_id(HOST + host)));
}

/* The host says so about the drill that it was given. */
static void
report(int host, const char *state, const char *problem)
{
    fixture_ask(
        "SELECT host_report_drills(%s, jsonb_agg(jsonb_build_object('id', s ->> 'id', 'drill', jsonb_build_object('id', s -> 'drill' ->> 'id', "
        "'state', '%s', 'problem', '%s', 'startedAt', api_date(now()), 'finishedAt', api_date(now()), 'recoveryPoint', api_date(now()), 'rtoMs', 7, "
        "'phases', '[]'::jsonb, 'checks', '[]'::jsonb)))) FROM json_array_elements(host_seats_goal(%s)) s WHERE s -> 'drill' IS NOT NULL",
        fixture_quote(fixture_id(HOST + host)), state, problem, fixture_quote(fixture_id(HOST + host)));
}

/* ---- Tests ---- */
static void
each_host_tries_one_at_a_time(void **state)
{
    (void)state;
    sweep();
    const char *all = drills();
    assert_true(strcmp(all, "a QUEUED, b WAITING, c WAITING") == 0 ||
                strcmp(all, "a WAITING, b QUEUED, c WAITING") == 0);
    assert_string_equal(given(1), "abcdec-1");
    assert_int_equal(strlen(given(0)), strlen("abcdea-1"));
    sweep();
    assert_string_equal(drills(), all);
    report(0, "PASSED", "");
    sweep();
    assert_int_equal(atoi(fixture_ask("SELECT count(*) FROM drill WHERE state = 'PASSED'")), 1);
    assert_int_equal(atoi(fixture_ask("SELECT count(*) FROM drill WHERE state = 'WAITING'")), 2);
    assert_string_equal(events(), "SUCCEEDED,IN_TIME");
    sweep(); /* what was tried in this turn is not tried again */
    assert_int_equal(atoi(fixture_ask("SELECT count(*) FROM drill")), 3);
}

static void
what_came_of_it_is_told_once(void **state)
{
    (void)state;
    sweep();
    report(1, "RUNNING", "");
    sweep();
    assert_string_equal(events(), "");
    report(1, "FAILED", "amcheck in shop: wrong");
    sweep();
    sweep();
    assert_string_equal(events(), "FAILED");
    assert_string_equal(given(1), "");
    report(1, "PASSED", ""); /* nobody is asked any more, so nothing changes */
    assert_string_equal(fixture_ask("SELECT state || ': ' || problem FROM drill WHERE state = 'FAILED'"),
                        "FAILED: amcheck in shop: wrong");
}

static void
one_that_cannot_be_run_frees_its_host_and_proves_nothing(void **state)
{
    (void)state;
    fixture_ask("UPDATE backup_stanza SET drill_overdue = false");
    sweep();
    assert_string_equal(events(), "OVERDUE,OVERDUE,OVERDUE");
    report(1, "WAITING", "This repository host has no server of PostgreSQL 17.");
    fixture_ask("UPDATE drill SET given_at = given_at - interval '16 minutes'");
    sweep();
    assert_string_equal(
        fixture_ask(
            "SELECT d.state || ': ' || d.problem FROM drill d JOIN backup_stanza t ON t.id = d.stanza_id WHERE t.cluster_name = 'c'"),
        "NOT_RUN: This repository host has no server of PostgreSQL 17.");
    sweep();
    assert_int_equal(
        atoi(fixture_ask(
            "SELECT count(*) FROM drill WHERE state IN ('QUEUED', 'WAITING') AND stanza_id = decode('%024d', 'hex')",
            22)),
        0);
    fixture_ask(
        "UPDATE drill SET finished_at = finished_at - interval '7 hours', requested_at = requested_at - interval '7 hours'");
    sweep();
    assert_int_equal(
        atoi(fixture_ask(
            "SELECT count(*) FROM drill WHERE state IN ('QUEUED', 'WAITING') AND stanza_id = decode('%024d', 'hex')",
            22)),
        1);
    report(1, "PASSED", "");
    sweep();
    assert_non_null(strstr(events(), "IN_TIME"));
}

static void
who_is_switched_off_is_left_alone(void **state)
{
    (void)state;
    fixture_ask(
        "INSERT INTO resource (scope, kind, id, name, org_id, document) SELECT p.id, 'backupDrillSettings', decode('%024d', 'hex'), '', p.org_id, "
        "'{\"enabled\": false}' FROM project p",
        90);
    fixture_ask("UPDATE backup_stanza SET drill_overdue = false");
    sweep();
    assert_string_equal(drills(), "");
    assert_string_equal(events(), "");
    fixture_ask(
        "INSERT INTO resource (scope, kind, id, name, org_id, document) SELECT t.project_id, 'backupDrillSettings', decode('%024d', 'hex'), "
        "encode(t.cluster_id, 'hex'), t.org_id, '{\"enabled\": true, \"assertions\": [{\"name\": \"n\", \"databaseName\": \"d\", \"sql\": \"SELECT true\"}]}' "
        "FROM backup_stanza t WHERE t.cluster_name = 'a'",
        91);
    sweep();
    assert_string_equal(drills(), "a WAITING");
    assert_string_equal(
        fixture_ask(
            "SELECT s -> 'drill' ->> 'assertions' FROM json_array_elements(host_seats_goal(%s)) s WHERE s -> 'drill' IS NOT NULL",
            fixture_quote(fixture_id(HOST))),
        "[{\"name\":\"n\",\"database\":\"d\",\"sql\":\"SELECT true\"}]");
}

/* Turns of many clusters are spread: nearly every hour of the week has one. */
static void
turns_are_spread_over_the_week(void **state)
{
    (void)state;
    assert_true(
        atoi(fixture_ask(
            "SELECT count(DISTINCT date_trunc('hour', drill_turn(int8send(n) || int4send(7), 7, now()))) FROM generate_series(1, 2000) n")) >
        160);
    assert_string_equal(
        fixture_ask(
            "SELECT bool_and(since <= now() AND since > now() - interval '7 days') FROM generate_series(1, 2000) n, "
            "LATERAL drill_turn(int8send(n) || int4send(7), 7, now()) since"),
        "t");
}

static void
another_hosts_drill_is_not_its_own(void **state)
{
    (void)state;
    sweep();
    fixture_ask(
        "SELECT host_report_drills(%s, jsonb_build_array(jsonb_build_object('id', encode(d.seat_id, 'hex'), 'drill', jsonb_build_object('id', "
        "encode(d.id, 'hex'), 'state', 'PASSED')))) FROM drill d JOIN backup_stanza t ON t.id = d.stanza_id WHERE t.cluster_name = 'c'",
        fixture_quote(fixture_id(HOST)));
    assert_non_null(strstr(drills(), "c WAITING"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_host_tries_one_at_a_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_came_of_it_is_told_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_that_cannot_be_run_frees_its_host_and_proves_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(who_is_switched_off_is_left_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(turns_are_spread_over_the_week, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_hosts_drill_is_not_its_own, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, open_world, close_store);
}
