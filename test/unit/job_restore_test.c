/* SPDX-License-Identifier: Apache-2.0 */
/* Restores, from requests through the job to what hosts are told and report. */
#include "backup_fixture.h"

#include "store/backup/stanza.h"

#define WITH_BACKUPS(name) \
    "{\"name\": \"" name "\", \"backupEnabled\": true, \"replicationSpecs\": [{\"regionConfigs\": [" THREE_IN_A "]}]}"
#define INTO(target) ", \"targetClusterName\": \"" target "\"}"
#define LATEST       "{\"deliveryType\": \"pointInTime\", \"latest\": true"
#define MOMENT(text) "{\"deliveryType\": \"pointInTime\", \"pointInTimeUTCSeconds\": " text
enum { SOON_MS = 20000 };

static struct place
new_source(void)
{
    struct place place = new_place();
    fixture_ask("DELETE FROM restore_job");
    played.has_backups = true;
    played.gate_fails = played.restore_fails = false;
    add_repository(1, "A", "2.55.1");
    assert_asks(place, "createGroupCluster", "", WITH_BACKUPS("orders"), "OK");
    settle();
    return place;
}

static void
make(struct place place, const char *name)
{
    char body[2048];
    snprintf(body, sizeof(body), "%s", document(name, THREE_IN_A));
    assert_asks(place, "createGroupCluster", "", body, "OK");
    settle();
}

static void delete (struct place place, const char *name)
{
    assert_asks(place, "deleteGroupCluster", name, NULL, "OK");
    settle();
}

static void
remove_all(struct place place)
{
    delete (place, "orders");
    assert_no_orphans("the end of a restored cluster");
    assert_int_equal(count("SELECT count(*) FROM backup_stanza"), 0);
    fixture_ask("DELETE FROM host WHERE purpose = 'REPOSITORY'");
}

static const char *
restore_says(const char *expression)
{
    return fixture_ask("SELECT %s FROM restore_job r ORDER BY created_at DESC, id DESC LIMIT 1", expression);
}

static void
assert_asks_restore(struct place place, const char *body, const char *expected)
{
    const char *got = ask(place, "createGroupClusterBackupRestoreJob", "orders", body);
    if (strcmp(got, expected) != 0)
        fail_msg("%s: %s (%s)", body, got, last_detail);
}

static const char *
cancel(struct place place)
{
    snprintf(third_parameter, sizeof(third_parameter), "%s", restore_says("encode(id, 'hex')"));
    const char *outcome = ask(place, "cancelGroupClusterBackupRestoreJob", "orders", NULL);
    third_parameter[0] = '\0';
    return outcome;
}

/* Until the open job of the cluster is in that step and waits. */
static void
settle_until(const char *step)
{
    struct job_runner worker = runner();
    for (int64_t until = clock_steady_ms() + patient(SOON_MS); clock_steady_ms() < until;) {
        run_jobs_once(&worker);
        if (strcmp(fixture_ask("SELECT step FROM job WHERE kind = 'cluster.restore' AND finished_at IS NULL"), step) ==
            0)
            return;
        play_agents();
    }
    fail_msg(
        "%s instead of %s",
        fixture_ask("SELECT step || ' ' || state FROM job WHERE kind = 'cluster.restore' ORDER BY seq DESC LIMIT 1"),
        step);
}

static const char *
goal_says(id host, const char *path)
{
    return fixture_ask("SELECT host_goal(%s, 'example.test', '[]')::jsonb #>> '{%s}'", fixture_quote(host), path);
}

static id
host_of(struct place place, const char *condition)
{
    id host;
    assert_true(
        id_parse(str_from(fixture_ask(
                     "SELECT encode(m.host_id, 'hex') FROM cluster_member m JOIN cluster c ON c.id = m.cluster_id "
                     "WHERE c.project_id = %s AND %s ORDER BY m.ordinal LIMIT 1",
                     fixture_quote(place.project), condition)),
                 &host));
    return host;
}

/* Which data the members of a cluster have: "3 3 3", and what is put aside. */
static const char *
data_of(struct place place, const char *name)
{
    static char text[256];
    PGresult *members;
    char query[512];
    snprintf(
        query, sizeof(query),
        "SELECT encode(m.id, 'hex') FROM cluster_member m JOIN cluster c ON c.id = m.cluster_id WHERE c.project_id = %s "
        "AND c.name = '%s' ORDER BY m.ordinal",
        fixture_quote(place.project), name);
    members = PQexec(fixture_owner, query);
    text[0] = '\0';
    for (int i = 0; i < PQntuples(members); i++) {
        const struct played_member *member = played_member(PQgetvalue(members, i, 0));
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s%s", i == 0 ? "" : " ",
                 member->data == 0 ? "old" : "new", member->before >= 0 ? "+before" : "");
    }
    PQclear(members);
    return text;
}

/* ---- Forward ---- */
static void
a_cluster_goes_back_to_a_moment(void **state)
{
    (void)state;
    struct place place = new_source();
    id repository = host_id(REPOSITORY + 1);
    int access = count("SELECT generation FROM project_access ORDER BY 1 DESC LIMIT 1");
    assert_asks_restore(place, MOMENT("1767227400") INTO("orders"), "OK"); /* 00:30:00 */
    assert_string_equal(of_cluster(place, "orders", "state"), "UPDATING");
    assert_asks_restore(place, LATEST INTO("orders"), "CLUSTER_NOT_CHANGEABLE"); /* one at a time */
    settle_until("wait-gate");
    assert_string_equal(goal_says(repository, "gates,0,id"), restore_says("encode(id, 'hex')"));
    assert_string_equal(goal_says(repository, "gates,0,last"), "true");
    assert_string_equal(goal_says(repository, "gates,0,port"), restore_says("gate_port"));
    settle_until("wait-stopped");
    id host = host_of(place, "m.role = 'PRIMARY'");
    assert_string_equal(goal_says(host, "clusters,0,restore,phase"), "STOP");
    assert_string_equal(goal_says(host, "clusters,0,restore,first"),
                        fixture_ask("SELECT encode(id, 'hex') FROM cluster_member WHERE role = 'PRIMARY'"));
    assert_string_equal(goal_says(host, "clusters,0,restore,point,kind"), "TIME");
    assert_string_equal(goal_says(host, "clusters,0,restore,point,time"), "2026-01-01T00:30:00.000Z");
    assert_string_equal(goal_says(host, "clusters,0,restore,point,timeline"), ""); /* the newest that there will be */
    assert_string_equal(goal_says(host, "clusters,0,restore,point,endLsn"), "0/5000000");
    assert_string_equal(goal_says(host, "clusters,0,restore,point,label"), "20260101-000000F");
    assert_string_equal(goal_says(host, "clusters,0,restore,gate,address"), "10.9.0.1");
    assert_true(goal_says(host, "clusters,0,backup,stanza")[0] != '\0');
    settle_until("wait-restored");
    assert_string_equal(goal_says(host, "clusters,0,restore,phase"), "BUILD");
    /* What is written from now on is nothing that the history from before has to do with. */
    assert_string_equal(goal_says(host, "clusters,0,backup,stanza"), "");
    assert_string_equal(fixture_ask("SELECT count(*) FROM host_task WHERE kind = 'FORGET_SCOPE' AND outcome = 'DONE'"),
                        "1");
    settle();
    assert_string_equal(of_cluster(place, "orders", "state"), "IDLE");
    assert_string_equal(data_of(place, "orders"), "new new new");
    assert_string_equal(
        restore_says(
            "state || ' ' || reached_lsn || ' ' || to_char(reached_at AT TIME ZONE 'UTC', 'HH24:MI') || ' ' || "
            "(gate_port IS NULL) || ' ' || (phase IS NULL) || ' ' || (finished_at IS NOT NULL)"),
        "DONE 0/4000150 00:30 true true true");
    assert_string_equal(goal_says(repository, "gates"), "[]");
    assert_string_equal(goal_says(host, "clusters,0,restore"), "");
    /* One history ended with it, and the next has begun. */
    assert_string_equal(
        fixture_ask(
            "SELECT string_agg(incarnation || ' ' || s.state || ' ' || t.desired, ', ' ORDER BY incarnation) FROM backup_stanza s "
            "JOIN stanza_seat t ON t.stanza_id = s.id"),
        "1 FROZEN FROZEN, 2 OPEN RUNNING");
    assert_string_equal(goal_says(host, "clusters,0,backup,stanza"),
                        fixture_ask("SELECT name FROM backup_stanza WHERE state = 'OPEN'"));
    assert_true(count("SELECT generation FROM project_access ORDER BY 1 DESC LIMIT 1") > access);
    assert_string_equal(
        fixture_ask(
            "SELECT count(*) FROM cluster_member m JOIN cluster c ON c.id = m.cluster_id JOIN project_access a "
            "ON a.project_id = c.project_id WHERE m.applied_access = a.generation AND m.applied_goal = c.goal_generation"),
        "3");
    assert_int_equal(events_of(place, "BACKUP_RESTORE_REQUESTED"), 1);
    assert_int_equal(events_of(place, "BACKUP_RESTORE_COMPLETED"), 1);
    assert_no_orphans("a restore in place");
    /* What was before is in the old history, and can still be had; its moments are found there. */
    assert_string_equal(cancel(place), "RESTORE_NOT_CANCELLABLE");
    remove_all(place);
}

static void
a_snapshot_becomes_the_data_of_another_cluster(void **state)
{
    (void)state;
    struct place place = new_source();
    char body[256], seat[ID_DIGITS + 1];
    make(place, "copy"); /* has no backups of its own */
    snprintf(seat, sizeof(seat), "%s", fixture_ask("SELECT encode(id, 'hex') FROM snapshot"));
    snprintf(body, sizeof(body), "{\"deliveryType\": \"automated\", \"snapshotId\": \"%s\"" INTO("copy"), seat);
    assert_asks_restore(place, body, "OK");
    assert_string_equal(of_cluster(place, "orders", "state"), "IDLE");
    assert_string_equal(of_cluster(place, "copy", "state"), "UPDATING");
    assert_string_equal(restore_says("point || ' ' || is_last || ' ' || (snapshot_at IS NOT NULL)"),
                        "SNAPSHOT false true");
    settle();
    assert_string_equal(data_of(place, "orders"), "old old old");
    assert_string_equal(data_of(place, "copy"), "new new new");
    assert_string_equal(fixture_ask("SELECT string_agg(state, ',') FROM backup_stanza"), "OPEN");
    assert_no_orphans("a restore into another cluster");
    /* The older form asks for the same. */
    snprintf(
        body, sizeof(body),
        "{\"delivery\": {\"methodName\": \"AUTOMATED_RESTORE\", \"targetClusterName\": \"copy\"}, \"snapshotId\": \"%s\"}",
        seat);
    assert_asks(place, "createGroupClusterRestoreJob", "orders", body, "OK");
    settle();
    assert_string_equal(restore_says("state"), "DONE");
    assert_asks(
        place, "createGroupClusterRestoreJob", "orders",
        "{\"delivery\": {\"methodName\": \"AUTOMATED_RESTORE\", \"targetClusterName\": \"copy\"}, \"pointInTimeUTCMillis\": 1767227400500}",
        "OK");
    settle();
    assert_string_equal(restore_says("state || ' ' || to_char(point_at AT TIME ZONE 'UTC', 'HH24:MI:SS.MS')"),
                        "DONE 00:30:00.500");
    delete (place, "copy");
    remove_all(place);
}

static void
backups_of_a_deleted_cluster_come_back(void **state)
{
    (void)state;
    struct place place = new_source();
    fixture_ask("UPDATE snapshot SET protected_until = '2099-01-01 00:00+00'"); /* it outlives its cluster */
    delete (place, "orders");
    make(place, "second");
    assert_asks_restore(place, LATEST INTO("second"), "OK");
    assert_string_equal(restore_says("cluster_name || ' ' || is_last"), "orders true"); /* also what was never stored */
    settle();
    assert_string_equal(data_of(place, "second"), "new new new");
    fixture_ask("UPDATE snapshot SET protected_until = NULL, hidden_at = now()");
    fixture_ask("UPDATE backup_stanza SET state = 'REMOVING'");
    fixture_ask("UPDATE stanza_seat SET desired = 'REMOVED'");
    play_agents();
    delete (place, "second");
    fixture_ask("DELETE FROM host WHERE purpose = 'REPOSITORY'");
}

/* ---- Refusals ---- */
static void
what_cannot_be_restored_is_refused_with_what_can(void **state)
{
    (void)state;
    struct place place = new_source(), stranger = new_place();
    char body[256];
    assert_asks_restore(place, "{\"deliveryType\": \"download\"}", "MISSING_ATTRIBUTE");
    assert_asks(place, "createGroupClusterRestoreJob", "orders", "{\"delivery\": {\"methodName\": \"HTTP\"}}",
                "NOT_OFFERED");
    assert_asks_restore(place, "{\"deliveryType\": \"pointInTime\"" INTO("orders"), "MISSING_ATTRIBUTE");
    assert_asks_restore(place, "{\"deliveryType\": \"pointInTime\", \"latest\": false" INTO("orders"),
                        "MISSING_ATTRIBUTE");
    assert_asks_restore(place, LATEST ", \"pointInTimeLsn\": \"0/4500000\"" INTO("orders"), "INVALID_ATTRIBUTE_VALUE");
    assert_asks_restore(place, LATEST ", \"snapshotId\": \"65a1b2c3d4e5f60718293a4b\"" INTO("orders"),
                        "INVALID_ATTRIBUTE_VALUE");
    assert_asks_restore(place, LATEST "}", "MISSING_ATTRIBUTE");
    assert_asks_restore(place, LATEST INTO("nobody"), "INVALID_ATTRIBUTE_VALUE");
    assert_asks_restore(place, "{\"deliveryType\": \"automated\"" INTO("orders"), "MISSING_ATTRIBUTE");
    assert_asks_restore(place,
                        "{\"deliveryType\": \"automated\", \"snapshotId\": \"65a1b2c3d4e5f60718293a4b\"" INTO("orders"),
                        "INVALID_ATTRIBUTE_VALUE");
    /* A minute after the end of what was received, and a minute before the first snapshot was complete. */
    assert_asks_restore(place, MOMENT("1767229260") INTO("orders"), "POINT_NOT_RESTORABLE");
    assert_non_null(strstr(last_detail, "2026-01-01T01:00:00Z"));
    assert_asks_restore(place, MOMENT("1767225600") INTO("orders"), "POINT_NOT_RESTORABLE");
    assert_non_null(strstr(last_detail, "2026-01-01T00:01:01Z"));
    assert_asks_restore(place, "{\"deliveryType\": \"pointInTime\", \"pointInTimeLsn\": \"0/5000001\"" INTO("orders"),
                        "POINT_NOT_RESTORABLE");
    assert_non_null(strstr(last_detail, "0/5000000"));
    /* A gap between the snapshot and the moment. */
    fixture_ask("UPDATE wal_span SET to_lsn = '0/4000050'");
    assert_asks_restore(place, MOMENT("1767227400") INTO("orders"), "POINT_NOT_RESTORABLE");
    assert_non_null(strstr(last_detail, "is not completed"));
    fixture_ask("UPDATE wal_span SET to_lsn = '0/5000000'");
    fixture_ask("UPDATE snapshot SET hidden_at = now()");
    snprintf(body, sizeof(body), "{\"deliveryType\": \"automated\", \"snapshotId\": \"%s\"" INTO("orders"),
             fixture_ask("SELECT encode(id, 'hex') FROM snapshot"));
    assert_asks_restore(place, body, "INVALID_ATTRIBUTE_VALUE");
    fixture_ask("UPDATE snapshot SET hidden_at = NULL");
    /* A target that does not fit. */
    fixture_ask("UPDATE snapshot_copy SET size_bytes = 10000000001");
    assert_asks_restore(place, LATEST INTO("orders"), "RESTORE_TARGET_UNFIT");
    fixture_ask("UPDATE snapshot_copy SET size_bytes = 4000");
    fixture_ask("UPDATE backup_stanza SET major_version = '16'");
    assert_asks_restore(place, LATEST INTO("orders"), "RESTORE_TARGET_UNFIT");
    fixture_ask("UPDATE backup_stanza SET major_version = '17'");
    /* Other people's: a project of nobody, a project without a role, a cluster of another project by its id. */
    snprintf(body, sizeof(body), LATEST ", \"targetGroupId\": \"%s\"" INTO("orders"), "65a1b2c3d4e5f60718293a4b");
    assert_asks_restore(place, body, "MISSING_ROLE");
    make(stranger, "theirs");
    snprintf(
        body, sizeof(body),
        "{\"delivery\": {\"methodName\": \"AUTOMATED_RESTORE\", \"targetClusterId\": \"%s\"}, \"pointInTimeUTCMillis\": 1767227400000}",
        of_cluster(stranger, "theirs", "encode(c.id, 'hex')"));
    assert_asks(place, "createGroupClusterRestoreJob", "orders", body, "INVALID_ATTRIBUTE_VALUE");
    assert_asks(stranger, "createGroupClusterBackupRestoreJob", "orders", LATEST INTO("theirs"), "RESOURCE_NOT_FOUND");
    assert_asks(stranger, "createGroupClusterBackupRestoreJob", "theirs", LATEST INTO("theirs"), "BACKUPS_NOT_ENABLED");
    delete (stranger, "theirs");
    /* Not now. */
    assert_asks(place, "updateGroupCluster", "orders", "{\"paused\": true}", "OK");
    assert_asks_restore(place, LATEST INTO("orders"), "CLUSTER_NOT_CHANGEABLE");
    settle();
    assert_asks_restore(place, LATEST INTO("orders"), "CLUSTER_NOT_CHANGEABLE");
    assert_asks(place, "updateGroupCluster", "orders", "{\"paused\": false}", "OK");
    settle();
    assert_int_equal(count("SELECT count(*) FROM restore_job"), 0);
    assert_int_equal(count("SELECT count(*) FROM job WHERE kind = 'cluster.restore'"),
                     count("SELECT count(*) FROM job WHERE kind = 'cluster.restore' AND finished_at IS NOT NULL"));
    remove_all(place);
}

/* ---- Back ---- */
static void
what_fails_is_undone(void **state)
{
    (void)state;
    struct place place = new_source();
    char stanza[32];
    snprintf(stanza, sizeof(stanza), "%s OPEN", fixture_ask("SELECT name FROM backup_stanza"));
    played.restore_fails = true;
    assert_asks_restore(place, LATEST INTO("orders"), "OK");
    settle();
    assert_string_equal(data_of(place, "orders"), "old old old");
    assert_string_equal(restore_says("state || ': ' || problem"), "FAILED: the backup is damaged");
    assert_string_equal(
        fixture_ask(
            "SELECT state || ': ' || waits_for FROM job WHERE kind = 'cluster.restore' ORDER BY seq DESC LIMIT 1"),
        "FAILED: the backup is damaged");
    assert_string_equal(of_cluster(place, "orders", "state"), "IDLE");
    assert_string_equal(fixture_ask("SELECT string_agg(name || ' ' || state, ',') FROM backup_stanza"), stanza);
    assert_string_equal(goal_says(host_id(REPOSITORY + 1), "gates"), "[]");
    assert_int_equal(events_of(place, "BACKUP_RESTORE_FAILED"), 1);
    assert_no_orphans("a restore that failed");
    /* A repository host that cannot be read from stops nobody. */
    played.restore_fails = false;
    played.gate_fails = true;
    assert_asks_restore(place, LATEST INTO("orders"), "OK");
    int goal = count("SELECT goal_generation FROM cluster");
    settle();
    assert_string_equal(restore_says("state || ': ' || problem || ' ' || (first_member IS NULL)"),
                        "FAILED: The repository host could not let the cluster in: its disk is gone true");
    assert_int_equal(count("SELECT goal_generation FROM cluster"), goal);
    played.gate_fails = false;
    assert_no_orphans("a gate that failed");
    remove_all(place);
}

static void
a_restore_can_be_cancelled_until_it_is_there(void **state)
{
    (void)state;
    struct place place = new_source();
    assert_asks_restore(place, LATEST INTO("orders"), "OK");
    assert_string_equal(cancel(place), "OK");
    assert_string_equal(cancel(place), "OK"); /* it is on its way */
    settle();
    assert_string_equal(restore_says("state || ' ' || (first_member IS NULL)"), "CANCELLED true");
    assert_string_equal(of_cluster(place, "orders", "state"), "IDLE");
    static const char *const steps[] = { "wait-gate", "wait-stopped", "wait-restored" };
    for (size_t i = 0; i < LENGTH(steps); i++) {
        assert_asks_restore(place, LATEST INTO("orders"), "OK");
        settle_until(steps[i]);
        if (i == 2)
            play_agents(); /* it is restored, and nobody has looked yet */
        assert_string_equal(cancel(place), "OK");
        settle();
        assert_string_equal(restore_says("state || ' ' || problem"), "CANCELLED It was cancelled.");
        assert_string_equal(data_of(place, "orders"), "old old old");
        assert_no_orphans(steps[i]);
    }
    assert_asks_restore(place, LATEST INTO("orders"), "OK");
    settle_until("wait-members");
    assert_string_equal(cancel(place), "RESTORE_NOT_CANCELLABLE");
    settle();
    assert_string_equal(restore_says("state"), "DONE");
    assert_string_equal(cancel(place), "RESTORE_NOT_CANCELLABLE");
    assert_int_equal(events_of(place, "BACKUP_RESTORE_CANCELLED"), 4);
    remove_all(place);
}

static void
a_target_can_be_deleted_meanwhile(void **state)
{
    (void)state;
    static const char *const steps[] = { "wait-gate", "wait-stopped", "wait-restored", "wait-clean" };
    for (size_t i = 0; i < LENGTH(steps); i++) {
        struct place place = new_source();
        assert_asks_restore(place, LATEST INTO("orders"), "OK");
        settle_until(steps[i]);
        remove_all(place);
        assert_string_equal(restore_says("state || ' ' || (finished_at IS NOT NULL) || ' ' || (gate_port IS NULL)"),
                            "CANCELLED true true");
        assert_int_equal(count("SELECT count(*) FROM restore_member"), 0);
    }
}

/* ---- Everything is lost ---- */
static void
lose_all_hosts(struct place place)
{
    fixture_ask(
        "UPDATE host SET state = 'REMOVED' WHERE id IN (SELECT m.host_id FROM cluster_member m JOIN cluster c ON c.id = m.cluster_id WHERE c.project_id = %s)",
        fixture_quote(place.project));
}

static void
a_cluster_comes_back_when_all_its_hosts_are_lost(void **state)
{
    (void)state;
    struct place place = new_source();
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    assert_asks(place, "updateGroupCluster", "orders", document(NULL, REGION("A", "M10", 1)), "OK");
    settle();
    id host = host_of(place, "true"), job;
    lose_all_hosts(place);
    /* What the operator's command adds: it replaces members, and waits in vain for somebody whom they could follow. */
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    assert_ok(tx_begin_service(store, arena, &tx));
    assert_ok(job_add(tx, &host_drain_job, (struct job_draft){ .subject = host, .subject_name = STR("h") }, &job));
    assert_ok(tx_commit(tx));
    struct job_runner worker = runner();
    for (int64_t until = clock_steady_ms() + patient(SOON_MS); clock_steady_ms() < until;) {
        run_jobs_once(&worker);
        if (strcmp(fixture_ask("SELECT step FROM job WHERE kind = 'cluster.move' AND finished_at IS NULL"),
                   "replace") != 0 &&
            count("SELECT count(*) FROM job WHERE kind = 'cluster.move' AND finished_at IS NULL") > 0 &&
            count("SELECT count(*) FROM cluster_member") > 1)
            break;
    }
    assert_asks_restore(place, LATEST INTO("orders"), "OK");
    settle();
    assert_string_equal(restore_says("state || ' ' || keeps_before"), "DONE false");
    assert_string_equal(data_of(place, "orders"), "new");
    assert_string_equal(of_cluster(place, "orders", "state"), "IDLE");
    assert_no_orphans("a restore after the loss of all hosts");
    bring_hosts_back();
    remove_all(place);
}

/* Of a cluster without data other jobs may wait for ever. */
static void
settle_until_failed(void)
{
    struct job_runner worker = runner();
    for (int64_t until = clock_steady_ms() + patient(SOON_MS);
         clock_steady_ms() < until && strcmp(restore_says("state"), "FAILED") != 0; play_agents())
        run_jobs_once(&worker);
}

static void
without_data_nobody_starts(void **state)
{
    (void)state;
    struct place place = new_source();
    assert_asks(place, "updateGroupCluster", "orders", document(NULL, REGION("A", "M10", 1)), "OK");
    settle();
    lose_all_hosts(place);
    played.restore_fails = true;
    assert_asks(place, "createGroupClusterBackupRestoreJob", "orders", LATEST INTO("orders"), "OK");
    settle_until_failed();
    assert_string_equal(restore_says("state || ' ' || phase || ' ' || (gate_port IS NULL)"), "FAILED STOP true");
    id host = host_of(place, "m.host_id IN (SELECT id FROM host WHERE state = 'ACTIVE')");
    assert_string_equal(goal_says(host, "clusters,0,restore,phase"), "STOP");
    assert_string_equal(of_cluster(place, "orders", "state"), "UPDATING");
    play_agents();
    assert_string_equal(
        fixture_ask(
            "SELECT count(*) FROM cluster_member m JOIN host h ON h.id = m.host_id WHERE m.role <> 'NONE' AND h.state = 'ACTIVE'"),
        "0");
    /* The next one takes its place. */
    played.restore_fails = false;
    assert_asks_restore(place, LATEST INTO("orders"), "OK");
    settle();
    assert_string_equal(restore_says("state || ' ' || keeps_before"), "DONE false");
    assert_int_equal(count("SELECT count(*) FROM restore_job WHERE phase IS NOT NULL"), 0);
    assert_string_equal(of_cluster(place, "orders", "state"), "IDLE");
    assert_no_orphans("the second restore after the loss of all hosts");
    bring_hosts_back();
    remove_all(place);
}

/* A restore that ended before members were told anything waited for them for a day: the only ones were replacements, which had nobody to follow. */
static void
a_gate_that_fails_after_the_loss_of_all_hosts_is_told(void **state)
{
    (void)state;
    struct place place = new_source();
    assert_asks(place, "updateGroupCluster", "orders", document(NULL, REGION("A", "M10", 1)), "OK");
    settle();
    lose_all_hosts(place);
    played.gate_fails = true;
    assert_asks_restore(place, LATEST INTO("orders"), "OK");
    settle_until_failed();
    assert_string_equal(restore_says("state || ' ' || (phase IS NULL) || ' ' || (gate_port IS NULL)"),
                        "FAILED true true");
    /* After one that left the cluster without data, the same: it is told, and the cluster does not count as one that runs. */
    played.gate_fails = false;
    played.restore_fails = true;
    assert_asks_restore(place, LATEST INTO("orders"), "OK");
    settle_until_failed();
    assert_string_equal(restore_says("state || ' ' || phase"), "FAILED STOP");
    played.gate_fails = true;
    assert_asks_restore(place, LATEST INTO("orders"), "OK");
    settle_until_failed();
    assert_string_equal(restore_says("state || ' ' || (phase IS NULL)"), "FAILED true");
    assert_string_equal(of_cluster(place, "orders", "state"), "UPDATING");
    played.gate_fails = played.restore_fails = false;
    assert_asks_restore(place, LATEST INTO("orders"), "OK");
    settle();
    assert_string_equal(restore_says("state"), "DONE");
    assert_string_equal(of_cluster(place, "orders", "state"), "IDLE");
    assert_no_orphans("a restore after gates that failed");
    bring_hosts_back();
    remove_all(place);
}

/* Members that are left have their old data, and none of them may be the one that has every write. */
static void
without_the_primary_from_before_nobody_starts(void **state)
{
    (void)state;
    struct place place = new_source();
    assert_asks_restore(place, LATEST INTO("orders"), "OK");
    settle_until("wait-restored");
    fixture_ask(
        "UPDATE host SET state = 'REMOVED' WHERE id = (SELECT m.host_id FROM cluster_member m JOIN restore_job r ON r.first_member = m.id)");
    settle();
    assert_string_equal(restore_says("state || ': ' || problem"),
                        "FAILED: The host of the member that was being restored was lost.");
    assert_string_equal(restore_says("phase || ' ' || keeps_before"), "STOP false");
    assert_string_equal(
        fixture_ask(
            "SELECT count(*) FROM cluster_member m JOIN host h ON h.id = m.host_id WHERE m.role <> 'NONE' AND h.state = 'ACTIVE'"),
        "0");
    assert_asks_restore(place, LATEST INTO("orders"), "OK");
    settle();
    assert_string_equal(restore_says("state"), "DONE");
    assert_string_equal(data_of(place, "orders"), "new new new");
    assert_no_orphans("a restore after the loss of the primary");
    bring_hosts_back();
    remove_all(place);
}

/* ---- Hosts ---- */
static void
hosts_speak_of_their_own_only(void **state)
{
    (void)state;
    struct place place = new_source();
    char restore[ID_DIGITS + 1], member[ID_DIGITS + 1];
    add_repository(2, "B", "2.55.1");
    assert_asks_restore(place, LATEST INTO("orders"), "OK");
    settle_until("wait-gate");
    snprintf(restore, sizeof(restore), "%s", restore_says("encode(id, 'hex')"));
    snprintf(member, sizeof(member), "%s",
             fixture_ask("SELECT encode(id, 'hex') FROM cluster_member WHERE ordinal = 0"));
    fixture_ask("SET reeve.service = 'on'");
    assert_string_equal(
        fixture_ask(
            "SELECT host_report(%s, 1, '{\"version\": 1, \"facts\": {}, \"members\": [], \"tasks\": [], \"seats\": [], "
            "\"gates\": [{\"id\": \"%s\", \"state\": \"OPEN\"}]}')",
            fixture_quote(host_id(REPOSITORY + 2)), restore),
        "FOREIGN");
    assert_string_equal(restore_says("gate_state IS NULL"), "t");
    settle_until("wait-stopped");
    /* Another host, about a member that it does not have; the right one, about a restore of somebody else. */
    assert_string_equal(
        fixture_ask(
            "SELECT host_report(%s, 1, '{\"version\": 1, \"facts\": {}, \"tasks\": [], \"seats\": [], \"members\": [{\"id\": \"%s\", "
            "\"unit\": \"active\", \"restore\": {\"id\": \"%s\", \"state\": \"STOPPED\"}}]}')",
            fixture_quote(host_id(REPOSITORY + 2)), member, restore),
        "FOREIGN");
    assert_int_equal(count("SELECT count(*) FROM restore_member"), 0);
    assert_string_equal(
        fixture_ask(
            "SELECT host_report(host_id, 1, format('{\"version\": 1, \"facts\": {}, \"tasks\": [], \"seats\": [], \"members\": [{\"id\": \"%%s\", "
            "\"unit\": \"active\", \"role\": \"NONE\", \"running\": \"stopped\", \"goalGeneration\": 0, \"accessGeneration\": 0, \"restartNonce\": 0, "
            "\"pendingRestart\": false, \"restore\": {\"id\": \"65a1b2c3d4e5f60718293a4b\", \"state\": \"STOPPED\"}}]}', encode(id, 'hex'))::jsonb) "
            "FROM cluster_member WHERE ordinal = 0"),
        "OK");
    assert_int_equal(count("SELECT count(*) FROM restore_member"), 0);
    /* What was said about an earlier phase does not count. */
    fixture_ask(
        "INSERT INTO restore_member (restore_id, member_id, org_id, phase, state) SELECT r.id, m.id, r.org_id, 'CLEAN', 'STOPPED' FROM restore_job r, cluster_member m");
    struct job_runner worker = runner();
    for (int i = 0; i < 20; i++)
        run_jobs_once(&worker);
    assert_string_equal(fixture_ask("SELECT step FROM job WHERE finished_at IS NULL"), "wait-stopped");
    settle();
    assert_string_equal(restore_says("state"), "DONE");
    /* Gates of one host have different ports. */
    make(place, "copy");
    make(place, "third");
    assert_asks_restore(place, LATEST INTO("copy"), "OK");
    assert_asks_restore(place, LATEST INTO("third"), "OK");
    for (int64_t until = clock_steady_ms() + patient(SOON_MS);
         clock_steady_ms() < until && count("SELECT count(*) FROM restore_job WHERE gate_port IS NOT NULL") < 2;)
        run_jobs_once(&worker);
    assert_string_equal(fixture_ask("SELECT count(DISTINCT gate_port) FROM restore_job WHERE gate_port IS NOT NULL"),
                        "2");
    settle();
    delete (place, "copy");
    delete (place, "third");
    remove_all(place);
}

static void
what_is_read_from_stays(void **state)
{
    (void)state;
    struct place place = new_source();
    assert_asks_restore(place, LATEST INTO("orders"), "OK");
    settle_until("wait-restored");
    fixture_ask("UPDATE snapshot SET hidden_at = now()");
    fixture_ask("UPDATE backup_stanza SET state = 'FROZEN'");
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    assert_ok(tx_begin_service(store, arena, &tx));
    assert_ok(store_stanza_remove_spent(tx));
    assert_ok(tx_commit(tx));
    assert_string_equal(fixture_ask("SELECT state FROM backup_stanza"), "FROZEN");
    fixture_ask("UPDATE backup_stanza SET state = 'OPEN'");
    fixture_ask("UPDATE snapshot SET hidden_at = NULL");
    /* The host that keeps it is lost: it is undone. */
    fixture_ask("UPDATE stanza_seat SET desired = 'REMOVED'");
    settle();
    assert_string_equal(restore_says("state || ': ' || problem"),
                        "FAILED: The repository host no longer has the backup.");
    assert_string_equal(data_of(place, "orders"), "old old old");
    fixture_ask("DELETE FROM backup_stanza");
    fixture_ask("DELETE FROM resource WHERE kind = 'backupSchedule'");
    fixture_ask("UPDATE resource SET document = document - 'backupEnabled' WHERE kind = 'cluster'");
    remove_all(place);
}

/* ---- Several seats ---- */
#define COPIES_IN_B \
    "{\"copySettings\": [{\"cloudProvider\": \"P\", \"regionName\": \"B\", \"frequencies\": [\"DAILY\"], \"shouldCopyOplogs\": true}]}"
static struct place
new_source_with_copies(void)
{
    struct place place = new_source();
    add_repository(2, "B", "2.55.1");
    assert_asks(place, "updateGroupClusterBackupSchedule", "orders", COPIES_IN_B, "OK");
    settle();
    play_agents();
    make(place, "copy");
    return place;
}

static const char *
read_from(void)
{
    return fixture_ask("SELECT h.name FROM restore_job r JOIN host h ON h.id = r.host_id WHERE r.finished_at IS NULL");
}

static void
go_silent(const char *host)
{
    fixture_ask(
        "UPDATE stanza_seat SET reported_at = now() - interval '2 minutes' WHERE host_id = (SELECT id FROM host WHERE name = '%s')",
        host);
}

static void
a_restore_is_read_where_somebody_answers(void **state)
{
    (void)state;
    struct place place = new_source_with_copies();
    assert_asks_restore(place, LATEST INTO("copy"), "OK");
    assert_string_equal(read_from(), "r1");
    settle();
    assert_string_equal(restore_says("state"), "DONE");
    go_silent("r1");
    assert_asks_restore(place, LATEST INTO("copy"), "OK");
    assert_string_equal(read_from(), "r2");
    settle();
    assert_string_equal(restore_says("state"), "DONE");
    /* Of two that answer the one that has received more has the latest. */
    fixture_ask("UPDATE stanza_seat SET received_lsn = '0/5100000' WHERE is_copy");
    assert_asks_restore(place, LATEST INTO("copy"), "OK");
    assert_string_equal(read_from(), "r2");
    settle();
    /* What was left behind there is not the latest. */
    go_silent("r1");
    fixture_ask("UPDATE stanza_seat SET desired = 'FROZEN', received_lsn = '0/5100000' WHERE is_copy");
    assert_asks_restore(place, LATEST INTO("copy"), "OK");
    assert_string_equal(read_from(), "r1");
    settle();
    delete (place, "copy");
    remove_all(place);
}

static void
another_host_is_read_from_when_the_first_is_lost(void **state)
{
    (void)state;
    struct place place = new_source_with_copies();
    assert_asks_restore(place, LATEST INTO("copy"), "OK");
    assert_string_equal(read_from(), "r1");
    fixture_ask("UPDATE host SET state = 'REMOVED' WHERE name = 'r1'");
    settle();
    assert_string_equal(restore_says("state"), "DONE");
    assert_string_equal(restore_says("(SELECT h.name FROM host h WHERE h.id = r.host_id)"), "r2");
    fixture_ask("UPDATE host SET state = 'ACTIVE' WHERE name = 'r1'");
    delete (place, "copy");
    remove_all(place);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cluster_goes_back_to_a_moment),
        cmocka_unit_test(a_snapshot_becomes_the_data_of_another_cluster),
        cmocka_unit_test(backups_of_a_deleted_cluster_come_back),
        cmocka_unit_test(what_cannot_be_restored_is_refused_with_what_can),
        cmocka_unit_test(what_fails_is_undone),
        cmocka_unit_test(a_restore_can_be_cancelled_until_it_is_there),
        cmocka_unit_test(a_target_can_be_deleted_meanwhile),
        cmocka_unit_test(a_cluster_comes_back_when_all_its_hosts_are_lost),
        cmocka_unit_test(without_data_nobody_starts),
        cmocka_unit_test(a_gate_that_fails_after_the_loss_of_all_hosts_is_told),
        cmocka_unit_test(without_the_primary_from_before_nobody_starts),
        cmocka_unit_test(hosts_speak_of_their_own_only),
        cmocka_unit_test(what_is_read_from_stays),
        cmocka_unit_test(a_restore_is_read_where_somebody_answers),
        cmocka_unit_test(another_host_is_read_from_when_the_first_is_lost),
    };
    return cmocka_run_group_tests(tests, backup_set_up, backup_tear_down);
}
