/* SPDX-License-Identifier: Apache-2.0 */
/* Who is told what when backups fail or are lost: with a repository host that is played by host_report(). */
#include "open_store_fixture.h"

#include "base/json.h"
#include "job/kinds.h"

enum {
    ORGANIZATION = 1,
    PROJECT = 2,
    CLUSTER = 3,
    STANZA = 4,
    SEAT = 5,
    HOST = 6,
    SNAPSHOT = 7,
    OTHER_SEAT = 8,
    OTHER_HOST = 9
};

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

static int
set_up(void **state)
{
    (void)state;
    arena = arena_new(FIXTURE_ARENA_BYTES);
    fixture_ask("DELETE FROM snapshot");
    fixture_ask("DELETE FROM stanza_seat");
    fixture_ask("DELETE FROM backup_stanza");
    fixture_ask("DELETE FROM resource WHERE kind = 'cluster'");
    fixture_ask(
        "INSERT INTO backup_stanza (id, org_id, project_id, cluster_id, cluster_name, incarnation, name, major_version, cipher) "
        "SELECT decode('%024d', 'hex'), p.org_id, p.id, decode('%024d', 'hex'), 'orders', 1, 'abcdef-1', '17', '' FROM project p",
        STANZA, CLUSTER);
    fixture_ask(
        "INSERT INTO stanza_seat (id, org_id, stanza_id, host_id, ordinal, reserved_gb) "
        "SELECT decode('%024d', 'hex'), t.org_id, t.id, h.id, 0, 1 FROM backup_stanza t, host h WHERE h.name = 'r'",
        SEAT);
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
    error problem = backup_faults_sweep.run(&context);
    if (problem != OK)
        fail_msg("%.*s", STR_ARG(problem->detail));
}

static const char *
events(void)
{
    sweep();
    sweep(); /* and nothing is told twice */
    return fixture_ask(
        "SELECT coalesce(string_agg(replace(type, 'BACKUP_', ''), ',' ORDER BY seq), '') FROM event WHERE seq > %d",
        told);
}

/* ---- What the host says ---- */
#define SPAN(ordinal, from, to, ended_by)                                                                                 \
    "{\"ordinal\": " #ordinal ", \"fromLsn\": \"" from "\", \"toLsn\": \"" to "\", \"fromTimeline\": 1, "                 \
    "\"toTimeline\": 1, \"fromAt\": \"2026-11-16T10:00:00Z\", \"toAt\": \"2026-11-16T11:00:00Z\", \"endedBy\": " ended_by \
    "}"
#define COPY(number, label, state, start, stop, problem)                                      \
    "{\"id\": \"00000000000000000000000" #number "\", \"label\": \"" label                    \
    "\", \"type\": \"FULL\", \"needs\": [], \"state\": \"" state "\", \"startLsn\": \"" start \
    "\", \"stopLsn\": \"" stop "\", \"problem\": " problem "}"

static void
report_of(int host, int seat, const char *problem, const char *spans, const char *copies)
{
    fixture_ask(
        "SELECT host_report_seats(%s, '[{\"id\": \"%024d\", \"unit\": \"active\", \"problem\": %s, \"spans\": [%s], \"snapshots\": [%s]}]')",
        fixture_quote(fixture_id(host)), seat, problem, spans, copies);
}

static void
report(const char *problem, const char *spans, const char *copies)
{
    report_of(HOST, SEAT, problem, spans, copies);
}

static void
add_other_seat(void)
{
    fixture_ask("INSERT INTO host (id, name, provider, region, zone, purpose, cpus, memory_mb, disk_gb) "
                "VALUES (%s, 'r2', 'P', 'R', 'y', 'REPOSITORY', 1, 1, 1) ON CONFLICT DO NOTHING",
                fixture_quote(fixture_id(OTHER_HOST)));
    fixture_ask("INSERT INTO stanza_seat (id, org_id, stanza_id, host_id, ordinal, is_copy, reserved_gb) "
                "SELECT decode('%024d', 'hex'), t.org_id, t.id, %s, 1, true, 1 FROM backup_stanza t",
                OTHER_SEAT, fixture_quote(fixture_id(OTHER_HOST)));
}

static void
pass(const char *time)
{
    fixture_ask(
        "UPDATE stanza_seat SET failing_since = failing_since - interval '%s', damaged_since = damaged_since - interval '%s', "
        "reported_at = reported_at - interval '%s'",
        time, time, time);
}

#define ONE   SPAN(0, "0/1000000", "0/9000000", "null")
#define SPLIT SPAN(0, "0/1000000", "0/4000000", "\"WAL is missing.\"") ", " SPAN(1, "0/5000000", "0/9000000", "null")
#define FIRST COPY(7, "A", "COMPLETED", "0/2000028", "0/2000100", "null")

/* ---- Tests ---- */
static void
a_failure_is_told_when_it_lasts_and_when_it_is_over(void **state)
{
    (void)state;
    report("null", ONE, FIRST);
    assert_string_equal(events(), "");
    report("\"No space left.\"", ONE, FIRST);
    assert_string_equal(events(), "");
    pass("30 seconds");
    report("\"Still none.\"", ONE, FIRST);
    assert_string_equal(events(), "");
    pass("40 seconds");
    report("\"No space left.\"", ONE, FIRST);
    assert_string_equal(events(), "FAILING");
    assert_non_null(strstr(fixture_ask("SELECT document::jsonb ->> 'after' FROM event WHERE seq = %d", told + 1),
                           "No space left."));
    report("null", ONE, FIRST);
    assert_string_equal(events(), "FAILING,WORKING");
}

static void
silence_is_a_failure_and_a_pause_is_none(void **state)
{
    (void)state;
    report("null", ONE, FIRST);
    pass("6 minutes");
    assert_string_equal(events(), "FAILING");
    report("null", ONE, FIRST);
    assert_string_equal(events(), "FAILING,WORKING");
    fixture_ask("UPDATE resource SET document = '{\"paused\": true}' WHERE kind = 'cluster'");
    report("\"Nobody answers.\"", ONE, FIRST);
    pass("6 minutes");
    assert_string_equal(events(), "FAILING,WORKING");
}

static void
a_hole_is_told_until_there_is_a_backup_behind_it(void **state)
{
    (void)state;
    report("null", ONE, FIRST);
    assert_string_equal(events(), "");
    report("null", SPLIT, FIRST);
    assert_string_equal(events(), "DAMAGED");
    const char *event = fixture_ask("SELECT document::jsonb ->> 'after' FROM event WHERE seq = %d", told + 1);
    assert_non_null(strstr(event, "WAL is missing."));
    assert_non_null(strstr(event, "2026-11-16T11:00:00Z"));
    pass("10 minutes");
    report("null", SPLIT, FIRST);
    assert_string_equal(events(), "DAMAGED");
    assert_string_equal(
        fixture_ask(
            "SELECT state FROM (SELECT CASE WHEN damaged_since IS NULL THEN '' ELSE 'DAMAGED' END AS state FROM stanza_seat) s"),
        "DAMAGED");
    report("null", SPLIT, FIRST ", " COPY(8, "B", "COMPLETED", "0/6000028", "0/6000100", "null"));
    assert_string_equal(events(), "DAMAGED,SOUND");
    report("null", SPLIT, FIRST ", " COPY(8, "B", "COMPLETED", "0/6000028", "0/6000100", "null"));
    pass("10 minutes");
    report("null", SPLIT, FIRST ", " COPY(8, "B", "COMPLETED", "0/6000028", "0/6000100", "null"));
    assert_string_equal(events(), "DAMAGED,SOUND");
}

static void
another_loss_is_told_as_well(void **state)
{
    (void)state;
    report("null", SPLIT, FIRST);
    assert_string_equal(events(), "DAMAGED");
    report("null", SPLIT, COPY(7, "A", "FAILED", "0/2000028", "0/2000100", "\"Its files are damaged.\""));
    assert_string_equal(events(), "DAMAGED,DAMAGED");
    assert_non_null(strstr(fixture_ask("SELECT document::jsonb ->> 'after' FROM event WHERE seq = %d", told + 2),
                           "A: Its files are damaged."));
    assert_string_equal(fixture_ask("SELECT state FROM snapshot"), "FAILED");
    report("null", ONE, FIRST); /* somebody has brought it back */
    pass("2 minutes");
    report("null", ONE, FIRST);
    assert_string_equal(events(), "DAMAGED,DAMAGED,SOUND");
}

/* BACKUP_WORKING of one seat closed the alert of its cluster while another one was failing. */
static void
one_seat_that_works_again_does_not_end_the_alarm_about_another(void **state)
{
    (void)state;
    add_other_seat();
    report("\"No space left.\"", ONE, FIRST);
    report_of(OTHER_HOST, OTHER_SEAT, "\"Nobody answers.\"", ONE, "");
    pass("2 minutes");
    report("\"No space left.\"", ONE, FIRST);
    report_of(OTHER_HOST, OTHER_SEAT, "\"Nobody answers.\"", ONE, "");
    assert_string_equal(events(), "FAILING,FAILING");
    report("null", ONE, FIRST);
    assert_string_equal(events(), "FAILING,FAILING");
    assert_string_equal(fixture_ask("SELECT string_agg(failing_told::text, ',' ORDER BY ordinal) FROM stanza_seat"),
                        "false,true");
    report_of(OTHER_HOST, OTHER_SEAT, "null", ONE, "");
    assert_string_equal(events(), "FAILING,FAILING,WORKING");
}

static void
two_seats_that_work_again_at_once_end_the_alarm(void **state)
{
    (void)state;
    add_other_seat();
    report("null", ONE, FIRST);
    report_of(OTHER_HOST, OTHER_SEAT, "null", ONE, "");
    pass("6 minutes");
    assert_string_equal(events(), "FAILING,FAILING");
    report("null", ONE, FIRST);
    report_of(OTHER_HOST, OTHER_SEAT, "null", ONE, "");
    assert_string_equal(events(), "FAILING,FAILING,WORKING");
}

static void
one_seat_that_is_sound_again_does_not_end_the_alarm_about_another(void **state)
{
    (void)state;
    add_other_seat();
    report("null", SPLIT, FIRST);
    report_of(OTHER_HOST, OTHER_SEAT, "null", SPLIT, "");
    assert_string_equal(events(), "DAMAGED,DAMAGED");
    pass("10 minutes");
    report("null", ONE, FIRST);
    report_of(OTHER_HOST, OTHER_SEAT, "null", SPLIT, "");
    assert_string_equal(events(), "DAMAGED,DAMAGED");
    report_of(OTHER_HOST, OTHER_SEAT, "null", ONE, "");
    assert_string_equal(events(), "DAMAGED,DAMAGED,SOUND");
}

static void
what_is_wrong_with_a_seat_that_goes_is_over(void **state)
{
    (void)state;
    add_other_seat();
    report("null", ONE, FIRST);
    report_of(OTHER_HOST, OTHER_SEAT, "null", SPLIT, "");
    assert_string_equal(events(), "DAMAGED");
    pass("6 minutes");
    report("null", ONE, FIRST);
    assert_string_equal(events(), "DAMAGED,FAILING");
    fixture_ask("UPDATE stanza_seat SET desired = 'REMOVED' WHERE is_copy");
    assert_string_equal(events(), "DAMAGED,FAILING,SOUND,WORKING");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_failure_is_told_when_it_lasts_and_when_it_is_over),
        TEST(silence_is_a_failure_and_a_pause_is_none),
        TEST(a_hole_is_told_until_there_is_a_backup_behind_it),
        TEST(another_loss_is_told_as_well),
        TEST(one_seat_that_works_again_does_not_end_the_alarm_about_another),
        TEST(two_seats_that_work_again_at_once_end_the_alarm),
        TEST(one_seat_that_is_sound_again_does_not_end_the_alarm_about_another),
        TEST(what_is_wrong_with_a_seat_that_goes_is_over),
    };
    return cmocka_run_group_tests(tests, open_world, close_store);
}
