/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of snapshots over months, with a host that removes what it is told to: time passes by moving all dates back. And the alarm when a
 * snapshot does not come.
 */
#include "open_store_fixture.h"

#include "backup/schedule_document.h"
#include "base/clock.h"
#include "base/date.h"
#include "base/json.h"
#include "job/kinds.h"

enum { ORGANIZATION = 1, PROJECT = 2, CLUSTER = 3, STANZA = 4, SEAT = 5, HOST = 6, DAY_MS = 24 * 3600 * 1000 };

static struct arena *arena;
static int told; /* events before this test */
static const struct job_environment environment;

#define SCHEDULE                                                                                                                                             \
    "{\"clusterName\": \"orders\", \"referenceHourOfDay\": 3, \"referenceMinuteOfHour\": 17, \"restoreWindowDays\": 2, "                                     \
    "\"extraRetentionSettings\": [{\"frequencyType\": \"DAILY\", \"retentionDays\": 1}], \"policies\": [{\"policyItems\": ["                                 \
    "{\"id\": \"a00000000000000000000000\", \"frequencyType\": \"hourly\", \"frequencyInterval\": 6, \"retentionUnit\": \"days\", \"retentionValue\": 2}, "  \
    "{\"id\": \"a00000000000000000000001\", \"frequencyType\": \"daily\", \"frequencyInterval\": 1, \"retentionUnit\": \"days\", \"retentionValue\": 7}, "   \
    "{\"id\": \"a00000000000000000000002\", \"frequencyType\": \"weekly\", \"frequencyInterval\": 6, \"retentionUnit\": \"weeks\", \"retentionValue\": 4}, " \
    "{\"id\": \"a00000000000000000000003\", \"frequencyType\": \"monthly\", \"frequencyInterval\": 40, \"retentionUnit\": \"months\", \"retentionValue\": 2}]}]}"

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

/* A cluster with backups and a schedule, and no snapshots yet. What an earlier test told stays: the chain of events has no gaps. */
static int
set_up(void **state)
{
    (void)state;
    arena = arena_new(FIXTURE_ARENA_BYTES);
    fixture_ask("DELETE FROM snapshot");
    fixture_ask("DELETE FROM stanza_seat");
    fixture_ask("DELETE FROM backup_stanza");
    fixture_ask("DELETE FROM resource WHERE kind IN ('backupSchedule', 'backupCompliancePolicy', 'cluster')");
    fixture_ask("INSERT INTO backup_stanza (id, org_id, project_id, cluster_id, cluster_name, incarnation, name, "
                "major_version, cipher, created_at) SELECT decode('%024d', 'hex'), p.org_id, p.id, decode('%024d', "
                "'hex'), 'orders', 1, 'abcdef-1', '17', '', now() - interval '1 year' FROM project p",
                STANZA, CLUSTER);
    fixture_ask("INSERT INTO stanza_seat (id, org_id, stanza_id, host_id, ordinal, reserved_gb) "
                "SELECT decode('%024d', 'hex'), t.org_id, t.id, h.id, 0, 1 FROM backup_stanza t, host h",
                SEAT);
    fixture_ask("INSERT INTO resource (scope, kind, id, name, org_id, document) SELECT t.project_id, 'backupSchedule', "
                "t.cluster_id, encode(t.cluster_id, 'hex'), t.org_id, '%s' FROM backup_stanza t",
                SCHEDULE);
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
run(const struct sweep *sweep)
{
    struct sweep_context context = { store, arena, &environment };
    error problem = sweep->run(&context);
    if (problem != OK)
        fail_msg("%s: %.*s", sweep->name, STR_ARG(problem->detail));
}

static struct schedule
read_schedule(void)
{
    struct schedule schedule;
    assert_true(schedule_document_read(json_parse_own(arena, STR(SCHEDULE)), &schedule));
    return schedule;
}

static int
number(const char *query)
{
    return atoi(fixture_ask("%s", query));
}

static void
assert_none(const char *what, const char *query)
{
    int found = number(query);
    if (found != 0)
        fail_msg("%d %s", found, what);
}

/* ---- The end of snapshots ---- */

/* The database keeps existing snapshots by new rules with arithmetic of its own. */
static void
the_database_counts_as_the_library_does(void **state)
{
    (void)state;
    struct schedule schedule = read_schedule();
    int64_t at_ms = 0;
    assert_true(date_parse(STR("2027-12-29T03:17:00Z"), &at_ms));
    for (int day = 0; day < 70; day++, at_ms += DAY_MS) {
        for (schedule_items items = 1; items < 0x10; items += 3) {
            struct buf ids = buf_in(arena, 1024);
            for (int i = 0; i < 4; i++) {
                if ((items >> i & 1) != 0)
                    buf_format(&ids, "%s'\\xa0000000000000000000000%d'::bytea", ids.len == 0 ? "" : ", ", i);
            }
            const char *found = fixture_ask(
                "SELECT (extract(epoch FROM backup_schedule_expires('%s', ARRAY[%s], to_timestamp(%lld / 1000.0))) * 1000)::bigint",
                SCHEDULE, buf_str(&ids).data, (long long)at_ms);
            assert_int_equal(atoll(found), schedule_expires(&schedule, items, at_ms));
        }
    }
    assert_string_equal(
        fixture_ask("SELECT backup_schedule_expires('%s', ARRAY['\\xb0'::bytea], now()) IS NULL", SCHEDULE), "t");
}

/* One snapshot at `at_ms`, as a host would report it: incremental ones need the newest full one. */
static void
take(const struct schedule *schedule, schedule_items items, int64_t at_ms, int64_t now_ms, int serial)
{
    long long newest_ms = atoll(
        fixture_ask("SELECT coalesce(max((extract(epoch FROM finished_at) * 1000)::bigint), -1) FROM snapshot_copy "
                    "WHERE type = 'FULL' AND state = 'COMPLETED'"));
    bool is_full = schedule_type_of(schedule, items, newest_ms, at_ms) == SCHEDULE_FULL;
    int64_t expires_ms = schedule_expires(schedule, items, at_ms);
    fixture_ask(
        "INSERT INTO snapshot (id, org_id, project_id, cluster_id, stanza_id, origin, frequency, state, created_at, finished_at, expires_at) "
        "SELECT decode(lpad(to_hex(%d), 24, '0'), 'hex'), t.org_id, t.project_id, t.cluster_id, t.id, 'SCHEDULED', '%s', 'COMPLETED', m, m, "
        "now() + %lld * interval '1 millisecond' FROM backup_stanza t, LATERAL (SELECT now() + %lld * interval '1 millisecond') d (m)",
        serial, schedule_frequency_words[schedule_frequency_of(schedule, items)], (long long)(expires_ms - now_ms),
        (long long)(at_ms - now_ms));
    fixture_ask(
        "INSERT INTO snapshot_copy (snapshot_id, seat_id, org_id, label, type, needs, finished_at, state) "
        "SELECT n.id, e.id, n.org_id, 'L%d', '%s', CASE WHEN %s THEN '{}' ELSE ARRAY[(SELECT f.label FROM snapshot_copy f WHERE f.type = 'FULL' "
        "AND f.state = 'COMPLETED' ORDER BY f.finished_at DESC LIMIT 1)] END, n.finished_at, 'COMPLETED' "
        "FROM snapshot n, stanza_seat e WHERE n.id = decode(lpad(to_hex(%d), 24, '0'), 'hex')",
        serial, is_full ? "FULL" : "INCR", is_full ? "true" : "false", serial);
}

/* As a host does that has all WAL since the first copy. */
static void
report_window(void)
{
    fixture_ask("UPDATE stanza_seat SET window_from = (SELECT min(finished_at) FROM snapshot_copy), window_to = now()");
}

static const char *
removing(void)
{
    return fixture_ask(
        "SELECT coalesce(string_agg(label, ',' ORDER BY label), '') FROM snapshot_copy WHERE state = 'REMOVING'");
}

static void
check_what_is_kept(bool is_old)
{
    assert_none("live snapshots whose copy is gone or going",
                "SELECT count(*) FROM snapshot n WHERE n.hidden_at IS NULL AND NOT EXISTS "
                "(SELECT FROM snapshot_copy c WHERE c.snapshot_id = n.id AND c.state = 'COMPLETED')");
    assert_none("copies that build on what is gone or going",
                "SELECT count(*) FROM snapshot_copy c, unnest(c.needs) l WHERE NOT EXISTS "
                "(SELECT FROM snapshot_copy d WHERE d.label = l AND d.state = 'COMPLETED')");
    assert_none("protected snapshots that are hidden",
                "SELECT count(*) FROM snapshot WHERE hidden_at IS NOT NULL AND protected_until > now()");
    assert_none(
        "snapshots that are shown and over",
        "SELECT count(*) FROM snapshot WHERE hidden_at IS NULL AND expires_at < now() AND protected_until IS NULL");
    if (is_old)
        assert_true(
            number(
                "SELECT count(*) FROM snapshot_copy WHERE state = 'COMPLETED' AND finished_at <= now() - interval '2 days'") >
            0);
}

static void
months_of_snapshots_come_and_go(void **state)
{
    (void)state;
    struct schedule schedule = read_schedule();
    int64_t start_ms = 0, at_ms;
    int serial = 100, most = 0;
    schedule_items items;
    assert_true(date_parse(STR("2027-11-16T00:00:00Z"), &start_ms));
    at_ms = start_ms;
    while (at_ms < start_ms + 70 * (int64_t)DAY_MS) {
        int64_t before_ms = at_ms;
        assert_true(schedule_next(&schedule, before_ms, &at_ms, &items));
        /* It is later by as much: everything is older. */
        fixture_ask(
            "UPDATE snapshot SET created_at = created_at - d, finished_at = finished_at - d, expires_at = expires_at - d, "
            "protected_until = protected_until - d, hidden_at = hidden_at - d FROM (SELECT %lld * interval '1 millisecond') x (d)",
            (long long)(at_ms - before_ms));
        fixture_ask("UPDATE snapshot_copy SET finished_at = finished_at - %lld * interval '1 millisecond'",
                    (long long)(at_ms - before_ms));
        take(&schedule, items, at_ms, at_ms, serial);
        if (serial % 40 == 0)
            fixture_ask(
                "UPDATE snapshot SET protected_until = expires_at + interval '3 days' WHERE id = decode(lpad(to_hex(%d), 24, '0'), 'hex')",
                serial);
        serial++;
        report_window();
        run(&expired_backups_sweep);
        check_what_is_kept(at_ms - start_ms > 3 * (int64_t)DAY_MS);
        fixture_ask("DELETE FROM snapshot_copy WHERE state = 'REMOVING'"); /* as the host says that they are gone */
        int copies = number("SELECT count(*) FROM snapshot_copy");
        most = copies > most ? copies : most;
    }
    print_message("%d snapshots, at most %d copies at a time\n", serial - 100, most);
    assert_true(serial - 100 > 250);
    assert_true(most < 60);
    /* What was hidden long ago is forgotten. */
    assert_none("snapshots without a copy that were hidden long ago",
                "SELECT count(*) FROM snapshot n WHERE n.hidden_at < now() - interval '8 days' AND NOT EXISTS "
                "(SELECT FROM snapshot_copy c WHERE c.snapshot_id = n.id)");
}

static void
what_builds_on_a_copy_goes_first(void **state)
{
    (void)state;
    struct schedule schedule = read_schedule();
    int64_t now_ms = clock_now_ms();
    take(&schedule, 0x4, now_ms - 9 * (int64_t)DAY_MS, now_ms, 1);
    take(&schedule, 0x1, now_ms - 8 * (int64_t)DAY_MS, now_ms, 2);
    take(&schedule, 0x4, now_ms - 3 * (int64_t)DAY_MS, now_ms, 3);
    fixture_ask(
        "UPDATE snapshot SET expires_at = now() - interval '1 minute' WHERE finished_at < now() - interval '4 days'");
    run(&expired_backups_sweep);
    assert_string_equal(removing(), "L2");
    run(&expired_backups_sweep); /* the host has not said yet that it is gone */
    assert_string_equal(removing(), "L2");
    fixture_ask("DELETE FROM snapshot_copy WHERE state = 'REMOVING'");
    run(&expired_backups_sweep);
    assert_string_equal(removing(), "L1");
}

/* Full ones of 5, 3 and 1 days ago and of this hour, with a window of two days; all but the last are hidden. */
static void
take_four_and_hide_three(void)
{
    struct schedule schedule = read_schedule();
    int64_t now_ms = clock_now_ms();
    static const int days[] = { 5, 3, 1 };
    for (int i = 0; i < 3; i++)
        take(&schedule, 0x4, now_ms - days[i] * (int64_t)DAY_MS, now_ms, i + 1);
    take(&schedule, 0x4, now_ms - DAY_MS / 24, now_ms, 4);
    fixture_ask("UPDATE snapshot SET hidden_at = now() WHERE finished_at < now() - interval '2 hours'");
}

static void
a_copy_within_the_window_goes_when_an_older_one_reaches_as_far(void **state)
{
    (void)state;
    static const struct {
        const char *window_from, *goes;
    } rows[] = {
        { "min(finished_at)", "L1,L3" }, /* the one of three days ago is enough for all of it */
        { "max(finished_at)", "L1" },    /* it is before a gap, and nobody says what else is */
        { "min(finished_at) FILTER (WHERE label = 'L3')", "L1" }, /* the window begins with it */
        { "max(finished_at) FILTER (WHERE false)", "L1" },        /* nobody knows */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        tear_down(state);
        set_up(state);
        take_four_and_hide_three();
        fixture_ask("UPDATE stanza_seat SET window_to = now(), window_from = (SELECT %s FROM snapshot_copy)",
                    rows[i].window_from);
        run(&expired_backups_sweep);
        assert_string_equal(removing(), rows[i].goes);
        run(&expired_backups_sweep); /* what goes is no reason for others to go */
        assert_string_equal(removing(), rows[i].goes);
    }
}

/* A snapshot that a host reported in the moment in which the policy was set. */
static void
what_slipped_past_the_policy_is_protected(void **state)
{
    (void)state;
    struct schedule schedule = read_schedule();
    int64_t now_ms = clock_now_ms();
    take(&schedule, 0x2, now_ms, now_ms, 1);
    run(&expired_backups_sweep);
    assert_int_equal(number("SELECT count(protected_until) FROM snapshot"), 0);
    fixture_ask(
        "INSERT INTO resource (scope, kind, id, name, org_id, document) SELECT id, 'backupCompliancePolicy', id, '', org_id, '{}' FROM project");
    run(&expired_backups_sweep);
    assert_string_equal(fixture_ask("SELECT protected_until = expires_at FROM snapshot"), "t");
    /* From then on its end does not matter. */
    fixture_ask("UPDATE snapshot SET expires_at = now() - interval '1 minute'");
    run(&expired_backups_sweep);
    assert_int_equal(number("SELECT count(hidden_at) FROM snapshot"), 0);
}

/* ---- Snapshots that do not come ---- */

static const char *
events(void)
{
    return fixture_ask("SELECT coalesce(string_agg(type, ',' ORDER BY seq), '') FROM event WHERE seq > %d", told);
}

static void
a_snapshot_that_does_not_come_is_told_once(void **state)
{
    (void)state;
    struct schedule schedule = read_schedule();
    int64_t now_ms = clock_now_ms();
    take(&schedule, 0x1, now_ms - 8 * (int64_t)3600 * 1000, now_ms, 1);
    run(&late_snapshots_sweep);
    run(&late_snapshots_sweep);
    assert_string_equal(events(), "BACKUP_SNAPSHOT_LATE");
    take(&schedule, 0x1, now_ms, now_ms, 2);
    run(&late_snapshots_sweep);
    run(&late_snapshots_sweep);
    assert_string_equal(events(), "BACKUP_SNAPSHOT_LATE,BACKUP_SNAPSHOT_IN_TIME");
    fixture_ask("UPDATE snapshot SET state = 'FAILED' WHERE id = decode(lpad('2', 24, '0'), 'hex')");
    run(&late_snapshots_sweep);
    assert_string_equal(events(), "BACKUP_SNAPSHOT_LATE,BACKUP_SNAPSHOT_IN_TIME,BACKUP_SNAPSHOT_LATE");
}

static void
what_cannot_be_late_is_not(void **state)
{
    (void)state;
    static const char *const reasons[] = {
        "UPDATE resource SET document = '{\"paused\": true}' WHERE kind = 'cluster'",
        "UPDATE backup_stanza SET state = 'FROZEN'",
        "UPDATE backup_stanza SET created_at = now()",
        "UPDATE resource SET document = document || jsonb_build_object('changedAt', api_date(now())) WHERE kind = 'backupSchedule'",
        "UPDATE resource SET document = jsonb_set(document, '{policies,0,policyItems}', '[]') WHERE kind = 'backupSchedule'",
        "DELETE FROM resource WHERE kind = 'backupSchedule'",
    };
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        tear_down(state);
        set_up(state);
        fixture_ask("%s", reasons[i]);
        run(&late_snapshots_sweep);
        assert_string_equal(events(), "");
    }
    tear_down(state);
    set_up(state);
    run(&late_snapshots_sweep);
    assert_string_equal(events(), "BACKUP_SNAPSHOT_LATE");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_database_counts_as_the_library_does),
        TEST(months_of_snapshots_come_and_go),
        TEST(what_builds_on_a_copy_goes_first),
        TEST(a_copy_within_the_window_goes_when_an_older_one_reaches_as_far),
        TEST(what_slipped_past_the_policy_is_protected),
        TEST(a_snapshot_that_does_not_come_is_told_once),
        TEST(what_cannot_be_late_is_not),
    };
    return cmocka_run_group_tests(tests, open_world, close_store);
}
