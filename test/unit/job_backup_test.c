/* SPDX-License-Identifier: Apache-2.0 */
/* Backups of clusters, from requests through jobs to what repository hosts are told and report. */
#include "backup_fixture.h"

#include <pthread.h>

#include "base/crypto/backup_secret.h"

#define WITH_BACKUPS(name) \
    "{\"name\": \"" name "\", \"backupEnabled\": true, \"replicationSpecs\": [{\"regionConfigs\": [" THREE_IN_A "]}]}"

static void
remove_repositories(void)
{
    fixture_ask("DELETE FROM host WHERE purpose = 'REPOSITORY'");
}

static struct place
new_cluster(const char *body)
{
    struct place place = new_place();
    assert_asks(place, "createGroupCluster", "", body, "OK");
    settle();
    return place;
}

static void
remove_cluster(struct place place)
{
    assert_asks(place, "deleteGroupCluster", "orders", NULL, "OK");
    settle();
    assert_no_orphans("the end of a cluster with backups");
    assert_int_equal(count("SELECT count(*) FROM backup_stanza"), 0);
    assert_int_equal(count("SELECT count(*) FROM certificate WHERE kind = 'SEAT' AND revoked_at IS NULL"), 0);
}

/* What the goal of a host says, as text. */
static const char *
goal_says(id host, const char *path)
{
    return fixture_ask("SELECT host_goal(%s, 'example.test', '[]')::jsonb #>> '{%s}'", fixture_quote(host), path);
}

/* ---- Beginning ---- */
static void
a_cluster_is_ready_when_its_changes_are_received(void **state)
{
    (void)state;
    struct place place = new_place();
    add_repository(1, "A", "2.55.1");
    assert_asks(place, "createGroupCluster", "", WITH_BACKUPS("orders"), "OK");
    assert_string_equal(
        fixture_ask("SELECT s.name = c.set_name || '-1' AND s.state = 'OPEN' FROM backup_stanza s, cluster c"), "t");
    assert_string_equal(fixture_ask("SELECT used_disk_gb FROM host WHERE name = 'r1'"), "20"); /* twice the cluster's */
    played.receives_nothing = true;
    struct job_runner worker = runner();
    for (int64_t until = clock_steady_ms() + patient(20000); clock_steady_ms() < until;) {
        run_jobs_once(&worker);
        play_agents();
        if (strcmp(fixture_ask("SELECT step FROM job WHERE finished_at IS NULL"), "wait-backups") == 0)
            break;
    }
    run_jobs_once(&worker);
    assert_string_equal(of_cluster(place, "orders", "state"), "CREATING");
    assert_string_equal(fixture_ask("SELECT step || ': ' || waits_for FROM job WHERE finished_at IS NULL"),
                        "wait-backups: The repository host has not received anything yet.");
    played.receives_nothing = false;
    settle();
    assert_string_equal(of_cluster(place, "orders", "state"), "IDLE");
    assert_string_equal(fixture_ask("SELECT d.document::json ->> 'backupEnabled' FROM cluster_document d"), "true");
    assert_no_orphans("making a cluster with backups");
    assert_string_equal(fixture_ask("SELECT count(*) FROM wal_span WHERE to_lsn = '0/5000000' AND ended_by IS NULL"),
                        "1");
    remove_cluster(place);
    remove_repositories();
}

static void
both_sides_are_told_of_each_other(void **state)
{
    (void)state;
    add_repository(1, "A", "2.55.1");
    struct place place = new_cluster(WITH_BACKUPS("orders"));
    id member_host;
    assert_true(id_parse(str_from(fixture_ask("SELECT encode(host_id, 'hex') FROM cluster_member WHERE ordinal = 0")),
                         &member_host));
    char seat[64];
    snprintf(seat, sizeof(seat), "reeve-seat-%s", fixture_ask("SELECT encode(id, 'hex') FROM stanza_seat"));
    assert_string_equal(goal_says(member_host, "clusters,0,backup,seats,0,name"), seat);
    assert_string_equal(goal_says(member_host, "clusters,0,backup,seats,0,hostAddress"), "10.9.0.1");
    assert_string_equal(goal_says(member_host, "seats"),
                        "[]"); /* nothing of a seat but its name is for hosts of members */
    id repository = host_id(REPOSITORY + 1);
    assert_string_equal(goal_says(repository, "members"), "[]");
    assert_string_equal(goal_says(repository, "seats,0,desired"), "RUNNING");
    assert_string_equal(goal_says(repository, "seats,0,members,2,backupPort"), "27018");
    assert_string_equal(goal_says(repository, "seats,0,members,3"), "");
    assert_string_equal(goal_says(repository, "seats,0,schedule,items,0,frequency"), "hourly");
    assert_string_equal(goal_says(repository, "seats,0,remove"), "[]");
    assert_int_equal(strncmp(goal_says(repository, "seats,0,cipherPass"), "sealed:", 7), 0);
    /* The passphrase opens with the node's key, in its own row only. */
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct key key = crypto_derive(&master_key, BACKUP_KEY_PURPOSE);
    char sealed[512], bytes[256];
    snprintf(sealed, sizeof(sealed), "%s", fixture_ask("SELECT encode(cipher, 'hex') FROM backup_stanza"));
    id stanza;
    str pass;
    assert_true(id_parse(str_from(fixture_ask("SELECT encode(id, 'hex') FROM backup_stanza")), &stanza));
    assert_true(str_from_hex(str_from(sealed), bytes, strlen(sealed) / 2));
    assert_true(backup_cipher_open(arena, &key, stanza, (str){ bytes, strlen(sealed) / 2 }, &pass));
    assert_int_equal(pass.len, 64);
    assert_false(backup_cipher_open(arena, &key, member_host, (str){ bytes, strlen(sealed) / 2 }, &pass));
    /* Where a member goes, its repository host hears of it. */
    int before = count("SELECT version FROM host_goal_version v JOIN host h ON h.id = v.host_id WHERE h.name = 'r1'");
    assert_asks(place, "updateGroupCluster", "orders", document(NULL, REGION("A", "M10", 1)), "OK");
    settle();
    assert_string_equal(goal_says(repository, "seats,0,members,1"), "");
    assert_true(count("SELECT version FROM host_goal_version v JOIN host h ON h.id = v.host_id WHERE h.name = 'r1'") >
                before);
    remove_cluster(place);
    remove_repositories();
}

static void
a_seat_is_where_its_host_writes(void **state)
{
    (void)state;
    add_repository(1, "A", "2.55.1");
    fixture_ask(
        "INSERT INTO object_store (name, endpoint, bucket, region, keys) VALUES ('west', 'https://s3.example', 'b', 'r', '\\x0a')");
    fixture_ask("UPDATE host SET object_store = 'west' WHERE name = 'r1'");
    struct place place = new_cluster(WITH_BACKUPS("orders"));
    id repository = host_id(REPOSITORY + 1);
    assert_string_equal(goal_says(repository, "seats,0,store,bucket"), "b");
    /* What is there stays there, wherever the host writes to from now on; another key is told at once. */
    fixture_ask("UPDATE host SET object_store = NULL WHERE name = 'r1'");
    int before = count("SELECT version FROM host_goal_version v JOIN host h ON h.id = v.host_id WHERE h.name = 'r1'");
    fixture_ask("UPDATE object_store SET keys = '\\x0b'");
    assert_string_equal(goal_says(repository, "seats,0,store,storeKeys"), "sealed:west:0b");
    assert_true(count("SELECT version FROM host_goal_version v JOIN host h ON h.id = v.host_id WHERE h.name = 'r1'") >
                before);
    remove_cluster(place);
    fixture_ask("DELETE FROM object_store");
    remove_repositories();
}

static void
without_a_host_that_can_keep_them_there_are_no_backups(void **state)
{
    (void)state;
    struct place place = new_place();
    assert_asks(place, "createGroupCluster", "", WITH_BACKUPS("orders"), "NO_BACKUP_CAPACITY");
    add_repository(1, "B", "2.55.1"); /* of another region */
    add_repository(2, "A", "2.54");   /* too old */
    assert_asks(place, "createGroupCluster", "", WITH_BACKUPS("orders"), "NO_BACKUP_CAPACITY");
    fixture_ask("UPDATE host SET facts = '{\"pgbackrestVersion\": \"2.55.1\"}', disk_gb = 19 WHERE name = 'r2'");
    assert_asks(place, "createGroupCluster", "", WITH_BACKUPS("orders"), "NO_BACKUP_CAPACITY");
    fixture_ask("UPDATE host SET disk_gb = 20, state = 'DRAINING' WHERE name = 'r2'");
    assert_asks(place, "createGroupCluster", "", WITH_BACKUPS("orders"), "NO_BACKUP_CAPACITY");
    assert_int_equal(count("SELECT count(*) FROM cluster"), 0);
    assert_int_equal(count("SELECT count(*) FROM backup_stanza"), 0);
    fixture_ask("UPDATE host SET state = 'ACTIVE' WHERE name = 'r2'");
    assert_asks(place, "createGroupCluster", "", WITH_BACKUPS("orders"), "OK");
    settle();
    assert_int_equal(
        count("SELECT count(*) FROM cluster_member m JOIN host h ON h.id = m.host_id WHERE h.purpose = 'REPOSITORY'"),
        0);
    remove_cluster(place);
    remove_repositories();
}

/* ---- Changing ---- */
static void
backups_are_switched_off_and_on_again(void **state)
{
    (void)state;
    add_repository(1, "A", "2.56");
    struct place place = new_place();
    assert_asks(place, "createGroupCluster", "", document("orders", THREE_IN_A), "OK");
    settle();
    assert_asks(place, "updateGroupCluster", "orders", "{\"pitEnabled\": true}", "INVALID_ATTRIBUTE_VALUE");
    assert_asks(place, "updateGroupCluster", "orders", "{\"backupEnabled\": true, \"pitEnabled\": true}", "OK");
    assert_string_equal(of_cluster(place, "orders", "state"), "UPDATING");
    settle();
    assert_no_orphans("switching backups on");
    assert_asks(place, "updateGroupCluster", "orders", "{\"backupEnabled\": false, \"pitEnabled\": false}", "OK");
    settle();
    assert_string_equal(
        fixture_ask(
            "SELECT s.state || ' ' || t.desired || ' ' || (s.frozen_at IS NOT NULL) FROM backup_stanza s JOIN stanza_seat t ON t.stanza_id = s.id"),
        "FROZEN FROZEN true");
    assert_string_equal(goal_says(host_id(REPOSITORY + 1), "seats,0,members"), "[]");
    assert_string_equal(
        fixture_ask("SELECT count(*) FROM host h, LATERAL (SELECT host_goal(h.id, 'd', '[]')::jsonb AS goal) g, "
                    "jsonb_array_elements(g.goal -> 'clusters') c WHERE c -> 'backup' <> 'null'"),
        "0");
    assert_no_orphans("switching backups off");
    assert_asks(place, "updateGroupCluster", "orders", "{\"backupEnabled\": true}", "OK");
    settle();
    assert_string_equal(
        fixture_ask("SELECT string_agg(incarnation || ' ' || state, ', ' ORDER BY incarnation) FROM backup_stanza"),
        "1 FROZEN, 2 OPEN");
    assert_string_equal(fixture_ask("SELECT count(*) FROM resource WHERE kind = 'backupSchedule' AND scope = %s",
                                    fixture_quote(place.project)),
                        "1");
    assert_asks(place, "updateGroupCluster", "orders", "{\"paused\": true}", "OK");
    settle();
    assert_asks(place, "updateGroupCluster", "orders", "{\"backupEnabled\": false}", "CLUSTER_NOT_CHANGEABLE");
    assert_asks(place, "updateGroupCluster", "orders", "{\"paused\": false}", "OK");
    settle();
    assert_no_orphans("switching backups on again");
    remove_cluster(place);
    remove_repositories();
}

static void
a_policy_leaves_no_cluster_without_backups(void **state)
{
    (void)state;
    add_repository(1, "A", "2.55.1");
    struct place place = new_cluster(WITH_BACKUPS("orders"));
    fixture_ask(
        "INSERT INTO resource (scope, kind, id, name, org_id, document) SELECT project_id, 'backupCompliancePolicy', '\\x65a1b2c3d4e5f60718293a51', '', org_id, "
        "'{\"authorizedEmail\": \"test\", \"restoreWindowDays\": 9, \"scheduledPolicyItems\": [{\"id\": \"65a1b2c3d4e5f60718293a52\", \"frequencyType\": \"daily\", "
        "\"frequencyInterval\": 1, \"retentionUnit\": \"days\", \"retentionValue\": 30}]}' FROM backup_stanza");
    assert_asks(place, "updateGroupCluster", "orders", "{\"backupEnabled\": false}", "BELOW_COMPLIANCE_POLICY");
    assert_asks(place, "createGroupCluster", "", document("bare", THREE_IN_A), "BELOW_COMPLIANCE_POLICY");
    assert_string_equal(fixture_ask("SELECT string_agg(state, ',') FROM backup_stanza"), "OPEN");
    assert_int_equal(count("SELECT count(*) FROM cluster"), 1);
    /* A new one begins with the rules of the policy, each once. */
    assert_asks(place, "createGroupCluster", "", WITH_BACKUPS("second"), "OK");
    settle();
    assert_string_equal(
        fixture_ask(
            "SELECT string_agg(i ->> 'frequencyType' || ' ' || (i ->> 'retentionValue'), ', ' ORDER BY n) FROM resource r, "
            "jsonb_array_elements(r.document #> '{policies,0,policyItems}') WITH ORDINALITY t (i, n) "
            "WHERE r.kind = 'backupSchedule' AND r.document ->> 'clusterName' = 'second'"),
        "hourly 2, weekly 4, monthly 12, daily 30");
    fixture_ask("DELETE FROM resource WHERE kind = 'backupCompliancePolicy'");
    assert_asks(place, "updateGroupCluster", "orders", "{\"backupEnabled\": false}", "OK");
    settle();
    assert_asks(place, "deleteGroupCluster", "second", NULL, "OK");
    settle();
    remove_cluster(place);
    remove_repositories();
}

/* ---- What repository hosts say ---- */
static json_t *
snapshot_said(const char *digits, const char *state, const char *frequency)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:[], s:[], s:s?, s:s, s:s, s:i, s:i}", "id", digits, "state", state,
                     "label", "20260101-000000F", "type", "FULL", "needs", "policyItems", "frequency", frequency,
                     "createdAt", "2026-01-01T00:00:00Z", "expiresAt", "2099-01-01T00:00:00Z", "sizeBytes", 4000,
                     "deltaBytes", 1000);
}

static void
snapshots_are_known_when_their_host_says_so(void **state)
{
    (void)state;
    add_repository(1, "A", "2.55.1");
    struct place place = new_cluster(WITH_BACKUPS("orders"));
    played.snapshots = json_array();
    json_array_append_new(played.snapshots, snapshot_said("65a1b2c3d4e5f60718293a4b", "IN_PROGRESS", "daily"));
    play_agents();
    assert_string_equal(fixture_ask("SELECT origin || ' ' || frequency || ' ' || state FROM snapshot"),
                        "SCHEDULED daily IN_PROGRESS");
    /* Dates of how long it is kept are the control plane's from then on. */
    fixture_ask("UPDATE snapshot SET expires_at = '2050-01-01 00:00+00'");
    json_array_clear(played.snapshots);
    json_array_append_new(played.snapshots, snapshot_said("65a1b2c3d4e5f60718293a4b", "COMPLETED", "daily"));
    play_agents();
    assert_string_equal(
        fixture_ask(
            "SELECT n.state || ' ' || n.size_bytes || ' ' || n.storage_bytes || ' ' || c.label || ' ' || extract(year FROM n.expires_at) "
            "FROM snapshot n JOIN snapshot_copy c ON c.snapshot_id = n.id"),
        "COMPLETED 4000 1000 20260101-000000F 2050");
    /* One that was asked for is in the goal until its host has said how it went. */
    fixture_ask(
        "INSERT INTO snapshot (id, org_id, project_id, cluster_id, stanza_id, origin, expires_at) SELECT '\\x65a1b2c3d4e5f60718293a4c', org_id, project_id, cluster_id, id, "
        "'ON_DEMAND', '2099-01-01 00:00+00' FROM backup_stanza");
    id repository = host_id(REPOSITORY + 1);
    assert_string_equal(goal_says(repository, "seats,0,wanted,0,snapshotId"), "65a1b2c3d4e5f60718293a4c");
    json_array_append_new(played.snapshots, snapshot_said("65a1b2c3d4e5f60718293a4c", "FAILED", NULL));
    play_agents();
    assert_string_equal(goal_says(repository, "seats,0,wanted"), "[]");
    assert_string_equal(fixture_ask("SELECT state FROM snapshot WHERE origin = 'ON_DEMAND'"), "FAILED");
    /* What is to go is named until it is no longer reported. */
    fixture_ask("UPDATE snapshot_copy SET state = 'REMOVING'");
    assert_string_equal(goal_says(repository, "seats,0,remove,0,label"), "20260101-000000F");
    play_agents();
    assert_int_equal(count("SELECT count(*) FROM snapshot_copy WHERE state = 'REMOVING'"), 2);
    /* That a host does not know what it has does not mean that it has nothing. */
    played.knows_no_snapshots = true;
    play_agents();
    assert_int_equal(count("SELECT count(*) FROM snapshot_copy WHERE state = 'REMOVING'"), 2);
    played.knows_no_snapshots = false;
    json_array_clear(played.snapshots);
    play_agents();
    assert_int_equal(count("SELECT count(*) FROM snapshot_copy"), 0);
    json_decref(played.snapshots);
    played.snapshots = NULL;
    remove_cluster(place);
    remove_repositories();
}

static void
what_is_protected_outlives_its_cluster(void **state)
{
    (void)state;
    add_repository(1, "A", "2.55.1");
    struct place place = new_cluster(WITH_BACKUPS("orders"));
    fixture_ask(
        "INSERT INTO snapshot (id, org_id, project_id, cluster_id, stanza_id, origin, state, expires_at, protected_until) SELECT '\\x65a1b2c3d4e5f60718293a4d', org_id, "
        "project_id, cluster_id, id, 'SCHEDULED', 'COMPLETED', now() + interval '1 day', now() + interval '1 day' FROM backup_stanza");
    assert_asks(place, "deleteGroupCluster", "orders", NULL, "OK");
    settle();
    assert_string_equal(
        fixture_ask("SELECT s.state || ' ' || t.desired FROM backup_stanza s JOIN stanza_seat t ON t.stanza_id = s.id"),
        "FROZEN FROZEN");
    assert_string_equal(goal_says(host_id(REPOSITORY + 1), "seats,0,protect,0,snapshotId"), "65a1b2c3d4e5f60718293a4d");
    assert_no_orphans("a cluster whose backups are protected");
    /* It would go with its project, which stays for its sake; and so does the policy. */
    fixture_ask(
        "INSERT INTO resource (scope, kind, id, name, org_id, document) SELECT project_id, 'backupCompliancePolicy', '\\x65a1b2c3d4e5f60718293a50', '', org_id, "
        "'{\"authorizedEmail\": \"test\"}' FROM backup_stanza");
    assert_asks(place, "deleteProject", "", NULL, "BACKUP_PROTECTED");
    assert_asks(place, "disableGroupBackupCompliancePolicy", "", NULL, "BACKUP_PROTECTED");
    assert_int_equal(count("SELECT count(*) FROM snapshot") + count("SELECT count(*) FROM backup_stanza"), 2);
    /* Once nothing is left to restore, its host removes the rest. */
    fixture_ask("UPDATE snapshot SET protected_until = now() - interval '1 second', hidden_at = now()");
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct sweep_context context = { .store = store, .arena = arena };
    assert_ok(spent_backups_sweep.run(&context));
    play_agents();
    assert_int_equal(count("SELECT count(*) FROM backup_stanza"), 0);
    assert_int_equal(count("SELECT count(*) FROM snapshot"), 0);
    assert_asks(place, "disableGroupBackupCompliancePolicy", "", NULL, "OK");
    assert_int_equal(events_of(place, "BACKUP_COMPLIANCE_POLICY_ENDED"), 1);
    assert_int_equal(count("SELECT count(*) FROM resource WHERE kind = 'backupCompliancePolicy'"), 0);
    assert_asks(place, "deleteProject", "", NULL, "OK");
    remove_repositories();
}

static void
whoever_deletes_a_cluster_may_keep_its_backups(void **state)
{
    (void)state;
    add_repository(1, "A", "2.55.1");
    struct place place = new_cluster(WITH_BACKUPS("orders"));
    fixture_ask(
        "INSERT INTO snapshot (id, org_id, project_id, cluster_id, stanza_id, origin, state, expires_at) SELECT '\\x65a1b2c3d4e5f60718293a4e', org_id, project_id, "
        "cluster_id, id, 'SCHEDULED', 'COMPLETED', now() + interval '1 day' FROM backup_stanza");
    fixture_ask(
        "INSERT INTO job (id, org_id, project_id, kind, subject, subject_name, step, step_count, payload) SELECT '\\x65a1b2c3d4e5f60718293a4f', org_id, project_id, "
        "'cluster.delete', id, name, 'hide-names', 7, '{\"retainBackups\": true}' FROM cluster");
    settle();
    assert_int_equal(count("SELECT count(*) FROM cluster"), 0);
    assert_string_equal(
        fixture_ask("SELECT s.state || ' ' || t.desired FROM backup_stanza s JOIN stanza_seat t ON t.stanza_id = s.id"),
        "FROZEN FROZEN");
    /* With its project they go, too. */
    fixture_ask("DELETE FROM job WHERE project_id = %s", fixture_quote(place.project));
    fixture_ask("DELETE FROM project WHERE id = %s", fixture_quote(place.project));
    play_agents();
    assert_int_equal(count("SELECT count(*) FROM backup_stanza"), 0);
    assert_no_orphans("backups that were kept");
    remove_repositories();
}

/* ---- Hosts that are lost ---- */
static void
another_host_takes_over_from_one_that_is_lost(void **state)
{
    (void)state;
    add_repository(1, "A", "2.55.1");
    struct place place = new_cluster(WITH_BACKUPS("orders"));
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    id job;
    fixture_ask("UPDATE host SET state = 'REMOVED' WHERE name = 'r1'");
    assert_ok(tx_begin_service(store, arena, &tx));
    assert_ok(job_add(tx, &host_drain_job,
                      (struct job_draft){ .subject = host_id(REPOSITORY + 1), .subject_name = STR("r1") }, &job));
    assert_ok(tx_commit(tx));
    struct job_runner worker = runner();
    run_jobs_once(&worker);
    assert_string_equal(fixture_ask("SELECT waits_for FROM job WHERE finished_at IS NULL"),
                        "The host still keeps the backups of 1 clusters.");
    add_repository(2, "A", "2.55.1");
    settle();
    assert_string_equal(
        fixture_ask("SELECT h.name || ' ' || t.unit FROM stanza_seat t JOIN host h ON h.id = t.host_id"), "r2 active");
    assert_string_equal(fixture_ask("SELECT used_disk_gb FROM host WHERE name = 'r1'"), "0");
    assert_no_orphans("a repository host that was lost");
    remove_cluster(place);
    remove_repositories();
}

/* ---- Who waits for whom ---- */
struct request_of {
    struct place place;
    const char *operation, *name, *body;
};

static void *
send_it(void *request)
{
    const struct request_of *it = request;
    return (void *)ask(it->place, it->operation, it->name, it->body);
}

/* It is sent while somebody else has `held`; meanwhile `free` can be had. */
static void
assert_waits(struct request_of request, const char *held, const char *free)
{
    PGconn *holder = fixture_connect(fixture_dsn);
    pthread_t sending;
    void *outcome;
    fixture_ask_on(holder, "BEGIN");
    fixture_ask_on(holder, held);
    assert_int_equal(pthread_create(&sending, NULL, send_it, &request), 0);
    int waiting = 0;
    for (int64_t until = clock_steady_ms() + patient(20000); waiting == 0 && clock_steady_ms() < until;)
        waiting = (int)count(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'");
    assert_int_equal(waiting, 1);
    fixture_ask_on(holder, free);
    fixture_ask_on(holder, "ROLLBACK");
    assert_int_equal(pthread_join(sending, &outcome), 0);
    assert_string_equal(outcome, "OK");
    PQfinish(holder);
}

static void
add_snapshot(const char *digits)
{
    fixture_ask(
        "INSERT INTO snapshot (id, org_id, project_id, cluster_id, stanza_id, origin, state, expires_at) SELECT "
        "'\\x%s', org_id, project_id, cluster_id, id, 'SCHEDULED', 'COMPLETED', now() + interval '1 day' FROM backup_stanza",
        digits);
}

/* One who deleted a snapshot had it and wanted the end of the events, one who changed a schedule had that and wanted the snapshot. The same with the
 * policy and the schedules that it is about, and with a policy that is set: it writes an event for each schedule that it raises. */
static void
schedules_and_policies_are_changed_in_the_order_that_others_keep(void **state)
{
    (void)state;
    add_repository(1, "A", "2.55.1");
    struct place place = new_cluster(WITH_BACKUPS("orders"));
    struct request_of change_schedule = { place, "updateGroupClusterBackupSchedule", "orders",
                                          "{\"deleteSnapshots\": true, \"restoreWindowDays\": 3}" };
    struct request_of set_policy = {
        place, "updateGroupBackupCompliancePolicy", "",
        "{\"authorizedEmail\": \"a@example.org\", \"authorizedUserFirstName\": \"A\", \"authorizedUserLastName\": \"B\", \"restoreWindowDays\": 9}"
    };
    add_snapshot("65a1b2c3d4e5f60718293a4f");
    assert_waits(change_schedule, "SELECT FROM snapshot FOR UPDATE", "SELECT FROM event_chain FOR UPDATE NOWAIT");
    fixture_ask(
        "INSERT INTO resource (scope, kind, id, name, org_id, document) SELECT project_id, 'backupCompliancePolicy', "
        "'\\x65a1b2c3d4e5f60718293a50', '', org_id, '{\"restoreWindowDays\": 1}' FROM backup_stanza");
    assert_waits(change_schedule, "SELECT FROM resource WHERE kind = 'backupCompliancePolicy' FOR UPDATE",
                 "SELECT FROM resource WHERE kind = 'backupSchedule' FOR UPDATE NOWAIT");
    fixture_ask("DELETE FROM resource WHERE kind = 'backupCompliancePolicy'");
    add_snapshot("65a1b2c3d4e5f60718293a53");
    assert_waits(set_policy, "SELECT FROM snapshot FOR UPDATE", "SELECT FROM event_chain FOR UPDATE NOWAIT");
    assert_int_equal(
        count(
            "SELECT count(*) FROM resource WHERE kind = 'backupSchedule' AND (document ->> 'restoreWindowDays')::int = 9"),
        1);
    fixture_ask("DELETE FROM resource WHERE kind = 'backupCompliancePolicy'");
    fixture_ask("UPDATE snapshot SET protected_until = NULL");
    remove_cluster(place);
    remove_repositories();
}

/* Who asked for an export had the snapshot and wanted the bucket; a schedule that exports has the bucket when it wants snapshots. */
static void
buckets_are_locked_before_snapshots(void **state)
{
    (void)state;
    static const char bucket[] = "SELECT FROM resource WHERE kind = 'backupExportBucket' FOR UPDATE",
                      snapshots[] = "SELECT FROM snapshot FOR UPDATE NOWAIT";
    add_repository(1, "A", "2.55.1");
    struct place place = new_cluster(WITH_BACKUPS("orders"));
    struct request_of change_schedule = {
        place, "updateGroupClusterBackupSchedule", "orders",
        "{\"updateSnapshots\": true, \"autoExportEnabled\": true, \"export\": {\"exportBucketId\": \"65a1b2c3d4e5f60718293a57\", \"frequencyType\": \"monthly\"}}"
    };
    struct request_of ask_for_export = {
        place, "createGroupClusterBackupExport", "orders",
        "{\"exportBucketId\": \"65a1b2c3d4e5f60718293a57\", \"snapshotId\": \"65a1b2c3d4e5f60718293a58\", \"format\": \"CSV\"}"
    };
    add_snapshot("65a1b2c3d4e5f60718293a58");
    fixture_ask(
        "INSERT INTO resource (scope, kind, id, name, org_id, document) SELECT project_id, 'backupExportBucket', "
        "'\\x65a1b2c3d4e5f60718293a57', '65a1b2c3d4e5f60718293a57', org_id, '{}' FROM backup_stanza");
    assert_waits(change_schedule, bucket, snapshots);
    assert_waits(ask_for_export, bucket, snapshots);
    assert_string_equal(fixture_ask("SELECT format || ' ' || origin FROM export_job"), "CSV ON_DEMAND");
    fixture_ask("DELETE FROM export_job");
    fixture_ask("DELETE FROM resource WHERE kind = 'backupExportBucket'");
    remove_cluster(place);
    remove_repositories();
}

static struct limiter *limiter;

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cluster_is_ready_when_its_changes_are_received),
        cmocka_unit_test(both_sides_are_told_of_each_other),
        cmocka_unit_test(a_seat_is_where_its_host_writes),
        cmocka_unit_test(without_a_host_that_can_keep_them_there_are_no_backups),
        cmocka_unit_test(backups_are_switched_off_and_on_again),
        cmocka_unit_test(a_policy_leaves_no_cluster_without_backups),
        cmocka_unit_test(snapshots_are_known_when_their_host_says_so),
        cmocka_unit_test(what_is_protected_outlives_its_cluster),
        cmocka_unit_test(whoever_deletes_a_cluster_may_keep_its_backups),
        cmocka_unit_test(another_host_takes_over_from_one_that_is_lost),
        cmocka_unit_test(schedules_and_policies_are_changed_in_the_order_that_others_keep),
        cmocka_unit_test(buckets_are_locked_before_snapshots),
    };
    return cmocka_run_group_tests(tests, backup_set_up, backup_tear_down);
}
