/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of backups in other regions, and seats that move: from requests through sweeps to what repository hosts are told and report. */
#include "backup_fixture.h"

#include "job/kinds.h"

#define WITH_BACKUPS(name) \
    "{\"name\": \"" name "\", \"backupEnabled\": true, \"replicationSpecs\": [{\"regionConfigs\": [" THREE_IN_A "]}]}"
#define COPY_IN(region, frequencies, wal)                                                       \
    "{\"cloudProvider\": \"P\", \"regionName\": \"" region "\", \"frequencies\": [" frequencies \
    "], \"shouldCopyOplogs\": " wal "}"
#define COPIES(settings) "{\"copySettings\": [" settings "]}"
#define DAILY_IN_B       COPIES(COPY_IN("B", "\"DAILY\"", "true"))
#define WITHOUT_B        "{\"copySettings\": [], \"deleteCopiedBackups\": [{\"cloudProvider\": \"P\", \"regionName\": \"B\"}]}"
#define ONE_SNAPSHOT     "65a1b2c3d4e5f60718293a4b"

/* A cluster in region A that is backed up there; r2 is in region B. */
static struct place
new_cluster(void)
{
    struct place place = new_place();
    add_repository(1, "A", "2.55.1");
    add_repository(2, "B", "2.55.1");
    assert_asks(place, "createGroupCluster", "", WITH_BACKUPS("orders"), "OK");
    settle();
    return place;
}

static void
remove_cluster(struct place place)
{
    played.has_backups = false;
    assert_asks(place, "deleteGroupCluster", "orders", NULL, "OK");
    settle();
    assert_no_orphans("the end of a cluster with copies");
    assert_int_equal(count("SELECT count(*) FROM backup_stanza"), 0);
    fixture_ask("DELETE FROM host WHERE purpose = 'REPOSITORY'");
}

static void
set_schedule(struct place place, const char *body, const char *expected)
{
    const char *got = ask(place, "updateGroupClusterBackupSchedule", "orders", body);
    if (strcmp(got, expected) != 0)
        fail_msg("%s: %s (%s)", body, got, last_detail);
}

/* "name desired" of each, the first seat before copies. */
static const char *
seats(void)
{
    return fixture_ask(
        "SELECT coalesce(string_agg(h.name || ' ' || t.desired || CASE WHEN t.is_copy THEN ' copy' ELSE '' END, ', ' ORDER BY t.ordinal), '') "
        "FROM stanza_seat t JOIN host h ON h.id = t.host_id JOIN backup_stanza s ON s.id = t.stanza_id WHERE s.state = 'OPEN'");
}

static const char *
goal_says(id host, const char *path)
{
    return fixture_ask("SELECT host_goal(%s, 'example.test', '[]')::jsonb #>> '{%s}'", fixture_quote(host), path);
}

static void
sweep(const struct sweep *sweep)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct sweep_context context = { .store = store, .arena = arena };
    assert_ok(sweep->run(&context));
}

/* What the host of a seat says about its snapshots. */
static void
report(int host, int seat_of, const char *snapshots)
{
    fixture_ask(
        "SELECT host_report_seats(%s, jsonb_build_array(jsonb_build_object('id', encode(t.id, 'hex'), 'unit', 'active', 'receivedLsn', '0/5000000', "
        "'timeline', 1, 'windowFrom', now() - interval '1 hour', 'windowTo', now(), 'spans', '[]'::jsonb, 'snapshots', '[%s]'::jsonb))) "
        "FROM stanza_seat t WHERE t.host_id = %s",
        fixture_quote(host_id(REPOSITORY + host)), snapshots, fixture_quote(host_id(REPOSITORY + seat_of)));
}

#define SAID(id, state, expires)                                                                                        \
    "{\"id\": \"" id "\", \"state\": \"" state                                                                          \
    "\", \"label\": \"20260101-000000F\", \"type\": \"FULL\", \"needs\": [], "                                          \
    "\"policyItems\": [], \"frequency\": \"daily\", \"createdAt\": \"2026-01-01T00:00:00Z\", \"expiresAt\": \"" expires \
    "\"}"

/* ---- What is asked for ---- */
static void
a_setting_has_a_seat_in_its_region(void **state)
{
    (void)state;
    struct place place = new_cluster();
    set_schedule(place, DAILY_IN_B, "OK");
    assert_string_equal(seats(), "r1 RUNNING, r2 RUNNING copy");
    settle();
    assert_no_orphans("copies in another region");
    id copies = host_id(REPOSITORY + 2), first = host_id(REPOSITORY + 1), member;
    /* All rules are there, because names are made of them. */
    assert_string_equal(goal_says(copies, "seats,0,schedule,items,0,frequency"), "hourly");
    assert_string_equal(goal_says(copies, "seats,0,schedule,items,0,isLeftOut"), "true");
    assert_string_equal(goal_says(copies, "seats,0,schedule,items,1,isLeftOut"), "false");
    assert_string_equal(goal_says(copies, "seats,0,schedule,isWalLeftOut"), "false");
    assert_string_equal(goal_says(first, "seats,0,schedule,items,0,isLeftOut"), "false");
    assert_true(id_parse(str_from(fixture_ask("SELECT encode(host_id, 'hex') FROM cluster_member WHERE ordinal = 0")),
                         &member));
    assert_string_equal(goal_says(member, "clusters,0,backup,seats,1,hostAddress"), "10.9.0.2");
    /* Of those on demand a copy is made only if that is said. */
    assert_asks(place, "takeGroupClusterBackupSnapshots", "orders", "{\"description\": \"d\", \"retentionInDays\": 1}",
                "OK");
    assert_string_equal(goal_says(first, "seats,0,wanted,0,type"), "FULL");
    assert_string_equal(goal_says(copies, "seats,0,wanted"), "[]");
    set_schedule(place, COPIES(COPY_IN("B", "\"DAILY\", \"ON_DEMAND\"", "false")), "OK");
    assert_string_equal(goal_says(copies, "seats,0,wanted,0,type"), "FULL");
    assert_string_equal(goal_says(copies, "seats,0,schedule,isWalLeftOut"), "true");
    /* Also when the other one was faster; but what was long ago is not taken now. */
    fixture_ask("UPDATE snapshot SET state = 'COMPLETED'");
    assert_string_equal(goal_says(copies, "seats,0,wanted,0,type"), "FULL");
    fixture_ask("UPDATE stanza_seat SET created_at = now() - interval '1 day'");
    fixture_ask("UPDATE snapshot SET created_at = now() - interval '61 minutes'");
    assert_string_equal(goal_says(copies, "seats,0,wanted"), "[]");
    fixture_ask("UPDATE snapshot SET created_at = now()");
    fixture_ask("UPDATE stanza_seat SET created_at = now() + interval '1 minute'");
    assert_string_equal(goal_says(copies, "seats,0,wanted"),
                        "[]"); /* nor what was asked for before there were copies */
    assert_string_equal(seats(), "r1 RUNNING, r2 RUNNING copy");
    remove_cluster(place);
}

static void
what_nobody_can_keep_is_refused(void **state)
{
    (void)state;
    struct place place = new_cluster();
    fixture_ask("INSERT INTO region VALUES ('P', 'C') ON CONFLICT DO NOTHING");
    set_schedule(place, COPIES(COPY_IN("C", "\"DAILY\"", "true")), "NO_BACKUP_CAPACITY");
    set_schedule(place, COPIES(COPY_IN("nowhere", "\"DAILY\"", "true")), "INVALID_ATTRIBUTE_VALUE");
    assert_non_null(strstr(last_detail, "backups are kept in P A, P B"));
    set_schedule(place, COPIES(COPY_IN("B", "\"DAILY\"", "true") ", " COPY_IN("B", "\"WEEKLY\"", "true")),
                 "INVALID_ATTRIBUTE_VALUE");
    set_schedule(place, COPIES(COPY_IN("A", "\"DAILY\"", "true")), "NO_BACKUP_CAPACITY"); /* no second site there */
    fixture_ask("UPDATE host SET used_disk_gb = disk_gb - 19 WHERE name = 'r2'");
    set_schedule(place, DAILY_IN_B, "NO_BACKUP_CAPACITY");
    fixture_ask("UPDATE host SET used_disk_gb = 0 WHERE name = 'r2'");
    set_schedule(place, "{\"updateCopySnapshots\": true}", "NOT_OFFERED");
    set_schedule(place, "{\"deleteCopiedBackups\": [{\"cloudProvider\": \"P\", \"regionName\": \"B\"}]}", "OK");
    assert_string_equal(fixture_ask("SELECT document -> 'copySettings' FROM resource WHERE kind = 'backupSchedule'"),
                        "[]");
    assert_string_equal(seats(), "r1 RUNNING");
    /* Whoever forbids a region for clusters forbids copies there. */
    fixture_ask(
        "INSERT INTO resource (scope, kind, id, name, org_id, document, state) SELECT %s, 'resourcePolicy', '\\x65a1b2c3d4e5f60718293a60', 'only A', %s, "
        "jsonb_build_object('name', 'only A', 'policies', jsonb_build_array(jsonb_build_object('body', "
        "'exists($.replicationSpecs[*].regionConfigs[*] ? (@.regionName == \"B\"))'))), ''",
        fixture_quote(place.organization), fixture_quote(place.organization));
    set_schedule(place, DAILY_IN_B, "POLICY_FORBIDS");
    fixture_ask("DELETE FROM resource WHERE kind = 'resourcePolicy'");
    set_schedule(place, COPIES(COPY_IN("B", "\"DAILY\"", "true")), "OK");
    remove_cluster(place);
}

/* ---- The end of copies ---- */
static void
copies_are_kept_or_deleted(void **state)
{
    (void)state;
    struct place place = new_cluster();
    set_schedule(place, DAILY_IN_B, "OK");
    played.has_backups = true; /* each seat has a snapshot of its own */
    settle();
    play_agents();
    assert_int_equal(count("SELECT count(*) FROM snapshot WHERE state = 'COMPLETED'"), 2);
    set_schedule(place, "{\"deleteCopiedBackups\": [{\"cloudProvider\": \"P\", \"regionName\": \"B\"}]}",
                 "INVALID_ATTRIBUTE_VALUE");
    set_schedule(place, COPIES(""), "OK");
    assert_string_equal(seats(), "r1 RUNNING, r2 FROZEN copy");
    sweep(&spent_backups_sweep); /* it has something that somebody can see */
    assert_string_equal(seats(), "r1 RUNNING, r2 FROZEN copy");
    set_schedule(place, DAILY_IN_B, "OK"); /* and goes on */
    assert_string_equal(seats(), "r1 RUNNING, r2 RUNNING copy");
    set_schedule(place, COPIES(""), "OK");
    fixture_ask(
        "UPDATE snapshot n SET hidden_at = now() FROM snapshot_copy c JOIN stanza_seat t ON t.id = c.seat_id WHERE c.snapshot_id = n.id AND t.is_copy");
    sweep(&spent_backups_sweep);
    assert_string_equal(seats(), "r1 RUNNING, r2 REMOVED copy");
    play_agents();
    assert_string_equal(seats(), "r1 RUNNING");
    assert_string_equal(fixture_ask("SELECT used_disk_gb FROM host WHERE name = 'r2'"), "0");
    /* What is only there goes for whoever looks. */
    set_schedule(place, DAILY_IN_B, "OK");
    play_agents();
    assert_int_equal(count("SELECT count(*) FROM snapshot WHERE hidden_at IS NULL"), 2);
    fixture_ask(
        "INSERT INTO restore_job (id, org_id, project_id, cluster_id, cluster_name, stanza, seat_id, host_id, label, point, is_last, target_project_id, target_id, target_name) "
        "SELECT t.id, t.org_id, s.project_id, s.cluster_id, s.cluster_name, s.name, t.id, t.host_id, 'L', 'LATEST', true, s.project_id, t.id, 'x' "
        "FROM stanza_seat t JOIN backup_stanza s ON s.id = t.stanza_id WHERE t.is_copy");
    set_schedule(place, WITHOUT_B, "CLUSTER_NOT_CHANGEABLE"); /* somebody reads from there */
    fixture_ask("DELETE FROM restore_job");
    set_schedule(place, WITHOUT_B, "OK");
    assert_string_equal(seats(), "r1 RUNNING, r2 REMOVED copy");
    assert_int_equal(count("SELECT count(*) FROM snapshot WHERE hidden_at IS NULL"), 1);
    play_agents();
    assert_string_equal(seats(), "r1 RUNNING");
    assert_no_orphans("copies that were deleted");
    remove_cluster(place);
}

static void
a_protected_copy_is_not_deleted(void **state)
{
    (void)state;
    struct place place = new_cluster();
    set_schedule(place, DAILY_IN_B, "OK");
    settle();
    report(1, 1, SAID(ONE_SNAPSHOT, "COMPLETED", "2099-01-01T00:00:00Z"));
    fixture_ask("UPDATE snapshot SET protected_until = now() + interval '1 day'");
    assert_string_equal(goal_says(host_id(REPOSITORY + 2), "seats,0,protect"),
                        "[]"); /* what a seat does not have holds it back from nothing */
    report(2, 2, SAID(ONE_SNAPSHOT, "COMPLETED", "2099-01-01T00:00:00Z"));
    assert_string_equal(goal_says(host_id(REPOSITORY + 2), "seats,0,protect,0,snapshotId"), ONE_SNAPSHOT);
    set_schedule(place, WITHOUT_B, "BACKUP_PROTECTED");
    set_schedule(place, "{\"copySettings\": [], \"deleteCopySnapshots\": true}", "BACKUP_PROTECTED");
    assert_string_equal(seats(), "r1 RUNNING, r2 RUNNING copy");
    set_schedule(place, COPIES(""), "OK");
    assert_string_equal(seats(), "r1 RUNNING, r2 FROZEN copy");
    fixture_ask("UPDATE snapshot SET hidden_at = now()");
    sweep(&spent_backups_sweep);
    assert_string_equal(seats(), "r1 RUNNING, r2 FROZEN copy");
    fixture_ask("UPDATE snapshot SET protected_until = now() - interval '1 second'");
    sweep(&spent_backups_sweep);
    assert_string_equal(seats(), "r1 RUNNING, r2 REMOVED copy");
    remove_cluster(place);
}

/* ---- Histories and hosts come and go ---- */
static void
the_next_history_has_copies_as_well(void **state)
{
    (void)state;
    struct place place = new_cluster();
    set_schedule(place, DAILY_IN_B, "OK");
    settle();
    assert_asks(place, "updateGroupCluster", "orders", "{\"backupEnabled\": false}", "OK");
    settle();
    assert_string_equal(fixture_ask("SELECT string_agg(DISTINCT desired, ',') FROM stanza_seat"), "FROZEN");
    assert_asks(place, "updateGroupCluster", "orders", "{\"backupEnabled\": true}", "OK");
    settle();
    assert_string_equal(seats(), "r1 RUNNING");
    sweep(&missing_copies_sweep);
    assert_string_equal(seats(), "r1 RUNNING, r2 RUNNING copy");
    sweep(&missing_copies_sweep);
    assert_string_equal(seats(), "r1 RUNNING, r2 RUNNING copy");
    remove_cluster(place);
}

static void
seats_stay_where_they_are_when_the_cluster_moves(void **state)
{
    (void)state;
    struct place place = new_cluster();
    set_schedule(place, DAILY_IN_B, "OK");
    settle();
    assert_asks(place, "updateGroupCluster", "orders", document(NULL, REGION("A", "M10", 1) ", " REGION("B", "M10", 2)),
                "OK");
    settle();
    assert_string_equal(of_cluster(place, "orders", "state"), "IDLE");
    assert_asks(place, "updateGroupCluster", "orders", document(NULL, REGION("B", "M10", 2)), "OK");
    settle();
    assert_string_equal(of_cluster(place, "orders", "state"), "IDLE");
    assert_string_equal(seats(), "r1 RUNNING, r2 RUNNING copy");
    assert_no_orphans("a cluster that moved to the region of its copies");
    set_schedule(place, WITHOUT_B, "OK");
    play_agents();
    assert_string_equal(seats(), "r1 RUNNING");
    remove_cluster(place);
}

static void
nobody_waits_for_another_region(void **state)
{
    (void)state;
    struct place place = new_cluster();
    set_schedule(place, DAILY_IN_B, "OK"); /* whose host never says anything */
    fixture_ask("UPDATE host SET state = 'REMOVED' WHERE name = 'r2'");
    assert_asks(place, "updateGroupCluster", "orders", document(NULL, REGION("A", "M10", 1)), "OK");
    settle();
    assert_string_equal(of_cluster(place, "orders", "state"), "IDLE");
    fixture_ask("UPDATE host SET state = 'ACTIVE' WHERE name = 'r2'");
    remove_cluster(place);
}

static void
drain(const char *name, int number)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    id job;
    fixture_ask("UPDATE host SET state = 'DRAINING' WHERE name = '%s'", name);
    assert_ok(tx_begin_service(store, arena, &tx));
    assert_ok(job_add(tx, &host_drain_job,
                      (struct job_draft){ .subject = host_id(REPOSITORY + number), .subject_name = str_from(name) },
                      &job));
    assert_ok(tx_commit(tx));
}

static void
a_host_that_is_drained_receives_until_another_one_covers_it(void **state)
{
    (void)state;
    struct place place = new_cluster();
    report(1, 1, SAID(ONE_SNAPSHOT, "COMPLETED", "2099-01-01T00:00:00Z"));
    drain("r1", 1);
    struct job_runner worker = runner();
    run_jobs_once(&worker);
    assert_string_equal(seats(), "r1 RUNNING"); /* nobody else is in the region */
    add_repository(3, "A", "2.55.1");
    run_jobs_once(&worker);
    assert_string_equal(seats(), "r1 RUNNING, r3 RUNNING");
    run_jobs_once(&worker);
    assert_string_equal(seats(), "r1 RUNNING, r3 RUNNING"); /* it has no backup yet */
    report(3, 3, SAID("65a1b2c3d4e5f60718293a4c", "COMPLETED", "2099-01-01T00:00:00Z"));
    run_jobs_once(&worker);
    assert_string_equal(seats(), "r1 FROZEN, r3 RUNNING");
    sweep(&spent_backups_sweep);
    assert_string_equal(seats(), "r1 FROZEN, r3 RUNNING"); /* its snapshot can be restored */
    fixture_ask("UPDATE snapshot SET hidden_at = now() WHERE id = '\\x" ONE_SNAPSHOT "'");
    sweep(&expired_backups_sweep);
    sweep(&spent_backups_sweep);
    assert_string_equal(seats(), "r1 FROZEN, r3 RUNNING"); /* moments of the restore window that only it has */
    assert_string_equal(fixture_ask("SELECT c.state FROM snapshot_copy c WHERE c.snapshot_id = '\\x" ONE_SNAPSHOT "'"),
                        "COMPLETED");
    fixture_ask("UPDATE stanza_seat SET window_from = '2020-01-01', window_to = '2020-01-02' WHERE desired = 'FROZEN'");
    sweep(&spent_backups_sweep);
    assert_string_equal(seats(), "r1 REMOVED, r3 RUNNING");
    settle();
    assert_string_equal(seats(), "r3 RUNNING");
    assert_string_equal(fixture_ask("SELECT state || used_disk_gb FROM host WHERE name = 'r1'"), "DRAINED0");
    remove_cluster(place);
}

static void
the_operator_lets_go_what_is_only_kept(void **state)
{
    (void)state;
    const char *drop =
        "SELECT set_config('reeve.service', 'on', false), d.seats || ' ' || (d.protected_until IS NOT NULL) FROM host h, host_drop_seats(h.id) d WHERE h.name = 'r2'";
    struct place place = new_cluster();
    set_schedule(place, DAILY_IN_B, "OK");
    settle();
    report(2, 2, SAID(ONE_SNAPSHOT, "COMPLETED", "2099-01-01T00:00:00Z"));
    fixture_ask("SELECT set_config('reeve.service', 'on', false)");
    fixture_ask("%s", drop);
    assert_string_equal(seats(), "r1 RUNNING, r2 RUNNING copy"); /* what is received stays */
    set_schedule(place, COPIES(""), "OK");
    fixture_ask("UPDATE snapshot SET protected_until = now() + interval '1 day'");
    fixture_ask("%s", drop);
    assert_string_equal(seats(), "r1 RUNNING, r2 FROZEN copy");
    fixture_ask("UPDATE snapshot SET protected_until = NULL");
    fixture_ask("%s", drop);
    assert_string_equal(seats(), "r1 RUNNING, r2 REMOVED copy");
    assert_int_equal(count("SELECT count(*) FROM snapshot WHERE hidden_at IS NULL"), 0);
    remove_cluster(place);
}

static void
what_only_a_lost_host_kept_is_not_offered(void **state)
{
    (void)state;
    struct place place = new_cluster();
    set_schedule(place, DAILY_IN_B, "OK");
    settle();
    report(1, 1,
           SAID(ONE_SNAPSHOT, "COMPLETED", "2099-01-01T00:00:00Z") ", " SAID("65a1b2c3d4e5f60718293a4c", "COMPLETED",
                                                                             "2099-01-01T00:00:00Z"));
    report(2, 2, SAID(ONE_SNAPSHOT, "COMPLETED", "2099-01-01T00:00:00Z"));
    add_repository(3, "A", "2.55.1");
    fixture_ask("UPDATE stanza_seat SET failing_told = true WHERE NOT is_copy");
    fixture_ask("UPDATE host SET state = 'REMOVED' WHERE name = 'r1'");
    fixture_ask("SELECT set_config('reeve.service', 'on', false), host_move_seats(id) FROM host WHERE name = 'r1'");
    assert_string_equal(seats(), "r3 RUNNING, r2 RUNNING copy");
    assert_string_equal(fixture_ask("SELECT string_agg(state, ',' ORDER BY id) FROM snapshot"), "COMPLETED,FAILED");
    assert_string_equal(fixture_ask("SELECT failing_told FROM stanza_seat WHERE NOT is_copy"),
                        "t"); /* until it works */
    remove_cluster(place);
}

/* ---- A host with copies that lies ---- */
static void
a_host_with_copies_cannot_harm_the_first_seat(void **state)
{
    (void)state;
    struct place place = new_cluster();
    set_schedule(place, DAILY_IN_B, "OK");
    settle();
    report(1, 1, SAID(ONE_SNAPSHOT, "COMPLETED", "2099-01-01T00:00:00Z"));
    /* It speaks of a seat that is not its own. */
    assert_string_equal(
        fixture_ask(
            "SELECT (host_report_seats(%s, jsonb_build_array(jsonb_build_object('id', encode(t.id, 'hex'), 'unit', 'failed', 'problem', 'lost', "
            "'spans', '[]'::jsonb, 'snapshots', '[]'::jsonb)))).has_foreign FROM stanza_seat t WHERE NOT t.is_copy",
            fixture_quote(host_id(REPOSITORY + 2))),
        "t");
    assert_string_equal(fixture_ask("SELECT unit || coalesce(problem, '') FROM stanza_seat WHERE NOT is_copy"),
                        "active");
    /* It says that a snapshot failed, or is there no more. */
    report(2, 2, SAID(ONE_SNAPSHOT, "FAILED", "2020-01-01T00:00:00Z"));
    assert_string_equal(fixture_ask("SELECT state || extract(year FROM expires_at) FROM snapshot"), "COMPLETED2099");
    fixture_ask("UPDATE snapshot_copy SET state = 'REMOVING'");
    report(2, 2, "");
    assert_string_equal(
        fixture_ask("SELECT count(*) FROM snapshot_copy c JOIN stanza_seat t ON t.id = c.seat_id WHERE NOT t.is_copy"),
        "1");
    /* It names one before the first seat has taken it, with an end that is over: it is kept as long as the first seat says. */
    report(2, 2, SAID("65a1b2c3d4e5f60718293a4d", "IN_PROGRESS", "2020-01-01T00:00:00Z"));
    sweep(&expired_backups_sweep);
    assert_int_equal(count("SELECT count(*) FROM snapshot WHERE hidden_at IS NOT NULL"), 1);
    report(1, 1, SAID("65a1b2c3d4e5f60718293a4d", "COMPLETED", "2099-01-01T00:00:00Z"));
    assert_string_equal(
        fixture_ask(
            "SELECT state || extract(year FROM expires_at) || (hidden_at IS NULL) FROM snapshot WHERE id = '\\x65a1b2c3d4e5f60718293a4d'"),
        "COMPLETED2099true");
    remove_cluster(place);
}

/* ---- Another tenant ---- */
static void
no_tenant_reaches_copies_of_another(void **state)
{
    (void)state;
    struct place place = new_cluster();
    set_schedule(place, DAILY_IN_B, "OK");
    settle();
    char stanza[64];
    snprintf(stanza, sizeof(stanza), "\\x%s", fixture_ask("SELECT encode(id, 'hex') FROM backup_stanza"));
    PGconn *other = fixture_connect(fixture_dsn);
    fixture_ask_on(other, "SET ROLE reeve_tenant");
    fixture_ask_on(other, "SET reeve.organization = '65a1b2c3d4e5f60718293aff'");
    static const char *const attempts[][2] = {
        { "SELECT seat_copy_place('%s', 'P', 'A', 1) IS NULL", "t" },
        { "SELECT seat_copy_place('%s', 'P', 'B', 1) IS NULL", "t" },
        { "SELECT seat_copy_end('%s', 'P', 'B', true)", "0" },
        { "SELECT protected_until IS NULL AND NOT is_read FROM seat_copy_hold('%s', 'P', 'B')", "t" },
    };
    for (size_t i = 0; i < LENGTH(attempts); i++) {
        char text[256];
        snprintf(text, sizeof(text), attempts[i][0], stanza);
        assert_string_equal(fixture_ask_on(other, text), attempts[i][1]);
    }
    assert_string_equal(seats(), "r1 RUNNING, r2 RUNNING copy");
    PQfinish(other);
    remove_cluster(place);
}

/* ---- What is told ---- */
static void
moments_of_all_seats_are_one_window(void **state)
{
    (void)state;
    struct place place = new_cluster();
    set_schedule(place, DAILY_IN_B, "OK");
    settle();
    fixture_ask(
        "UPDATE stanza_seat SET reported_at = now(), window_from = CASE WHEN is_copy THEN '2026-01-02'::timestamptz ELSE '2026-01-01' END, "
        "window_to = CASE WHEN is_copy THEN '2026-01-04'::timestamptz ELSE '2026-01-03' END");
    const char *window =
        "SELECT w.window_from::date || ' ' || w.window_to::date FROM backup_stanza s, backup_window(s.id) w";
    assert_string_equal(fixture_ask("%s", window), "2026-01-01 2026-01-04");
    fixture_ask(
        "UPDATE stanza_seat SET window_to = '2026-01-01 12:00' WHERE NOT is_copy"); /* between them there is nothing */
    assert_string_equal(fixture_ask("%s", window), "2026-01-02 2026-01-04");
    fixture_ask("UPDATE stanza_seat SET reported_at = now() - interval '2 minutes' WHERE is_copy");
    assert_string_equal(fixture_ask("%s", window), "2026-01-01 2026-01-01");
    fixture_ask("UPDATE stanza_seat SET reported_at = now() - interval '6 minutes'"); /* what was known last */
    assert_string_equal(fixture_ask("%s", window), "2026-01-02 2026-01-04");
    assert_string_equal(
        fixture_ask(
            "SELECT string_agg(e ->> 'state', ',') FROM backup_stanza s, jsonb_array_elements(backup_window_json(s.project_id, s.cluster_id)::jsonb -> 'seats') e"),
        "FAILING,FAILING");
    report(1, 1, SAID(ONE_SNAPSHOT, "COMPLETED", "2099-01-01T00:00:00Z"));
    report(2, 2, SAID(ONE_SNAPSHOT, "COMPLETED", "2099-01-01T00:00:00Z"));
    assert_string_equal(fixture_ask("SELECT snapshot_json(s, 'backup')::json ->> 'copyRegions' FROM snapshot s"),
                        "[\"B\"]");
    remove_cluster(place);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_setting_has_a_seat_in_its_region),
        cmocka_unit_test(what_nobody_can_keep_is_refused),
        cmocka_unit_test(copies_are_kept_or_deleted),
        cmocka_unit_test(a_protected_copy_is_not_deleted),
        cmocka_unit_test(the_next_history_has_copies_as_well),
        cmocka_unit_test(nobody_waits_for_another_region),
        cmocka_unit_test(seats_stay_where_they_are_when_the_cluster_moves),
        cmocka_unit_test(no_tenant_reaches_copies_of_another),
        cmocka_unit_test(a_host_that_is_drained_receives_until_another_one_covers_it),
        cmocka_unit_test(the_operator_lets_go_what_is_only_kept),
        cmocka_unit_test(what_only_a_lost_host_kept_is_not_offered),
        cmocka_unit_test(a_host_with_copies_cannot_harm_the_first_seat),
        cmocka_unit_test(moments_of_all_seats_are_one_window),
    };
    return cmocka_run_group_tests(tests, backup_set_up, backup_tear_down);
}
