/* SPDX-License-Identifier: Apache-2.0 */
/* Rollouts of minor versions: what is left out, what stops them, and who may. job_cluster_kill_test kills workers in the middle of one. */
#include "cluster_fixture.h"

static id update;

static struct place
new_cluster(const char *name, const char *regions)
{
    struct place place = new_place();
    assert_asks(place, "createGroupCluster", "", document(name, regions), "OK");
    settle();
    return place;
}

static void
remove_cluster(struct place place, const char *name)
{
    played.installed = NULL;
    played.does_not_start = false;
    play_agents();
    assert_asks(place, "deleteGroupCluster", name, NULL, "OK");
    settle();
    fixture_ask("DELETE FROM fleet_update");
}

/* Turns of the jobs until nothing but waiting is left. */
static void
work(void)
{
    struct job_runner worker = runner();
    for (int turn = 0; turn < 40 && run_jobs_once(&worker); turn++)
        play_agents();
}

static const char *
of_update(const char *column)
{
    return fixture_ask("SELECT %s FROM fleet_update ORDER BY created_at DESC LIMIT 1", column);
}

static const char *
states(void)
{
    return fixture_ask(
        "SELECT string_agg(split_part(name, '/', 2) || ' ' || state, ', ' ORDER BY split_part(name, '/', 2)) FROM fleet_update_cluster");
}

static enum update_decision
decide(bool goes_on, bool skip_failed)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    enum update_decision decision;
    id job;
    assert_ok(tx_begin_service(store, arena, &tx));
    assert_ok(store_update_decide(tx, update, goes_on, skip_failed, &decision));
    if (goes_on && decision == UPDATE_DECIDED)
        assert_ok(
            job_add(tx, &fleet_update_job, (struct job_draft){ .subject = update, .subject_name = STR("u") }, &job));
    assert_ok(tx_commit(tx));
    return decision;
}

/* ---- What happens ---- */
static void
a_canary_that_does_not_start_stops_the_rollout(void **state)
{
    (void)state;
    struct place one = new_cluster("canary", THREE_IN_A), two = new_cluster("other", REGION("A", "M10", 1));
    const char *primary =
        "SELECT encode(m.id, 'hex') || m.version FROM cluster_member m JOIN cluster c ON c.id = m.cluster_id "
        "WHERE c.name = 'canary' AND m.role = 'PRIMARY'";
    char before[64];
    snprintf(before, sizeof(before), "%s", fixture_ask("%s", primary));
    played.does_not_start = true;
    assert_int_equal(start_rollout("17.7", "{\"canaries\": [\"canary\"], \"patienceSeconds\": 3600}", &update),
                     UPDATE_BEGUN);
    work();
    assert_string_equal(states(), "canary RUNNING, other WAITING");
    fixture_ask("UPDATE fleet_update_cluster SET moved_at = moved_at - interval '3601 s' WHERE state = 'RUNNING'");
    work();
    assert_string_equal(states(), "canary FAILED, other WAITING");
    assert_string_equal(of_update("state"), "STOPPED");
    assert_non_null(strstr(of_update("problem"), "/canary: Member "));
    assert_string_equal(fixture_ask("%s", primary), before); /* the same, with the old version */
    assert_string_equal(of_cluster(one, "canary", "r.state"), "IDLE");
    assert_int_equal(count("SELECT sum(restart_nonce) FROM cluster_member"), 1); /* one replica, and nobody else */
    assert_int_equal(events_of(one, "CLUSTER_VERSION_UPDATE_FAILED"), 1);
    /* The operator repairs what is installed: what failed is tried again, and the rest follows. */
    played.does_not_start = false;
    assert_int_equal(decide(false, false), UPDATE_REFUSED);
    assert_int_equal(decide(true, false), UPDATE_DECIDED);
    settle();
    assert_string_equal(states(), "canary DONE, other DONE");
    assert_string_equal(of_update("state"), "DONE");
    assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE version <> '17.7'"), 0);
    assert_int_equal(decide(true, false), UPDATE_REFUSED);
    assert_no_orphans("a rollout");
    remove_cluster(one, "canary");
    remove_cluster(two, "other");
}

/* The hosts have the old program again when its turn comes: neither is it done, nor do the others come first. */
static void
a_canary_that_is_left_out_stops_the_rollout(void **state)
{
    (void)state;
    struct place one = new_cluster("canary", THREE_IN_A), two = new_cluster("other", REGION("A", "M10", 1));
    assert_int_equal(start_rollout("17.7", "{\"canaries\": [\"canary\"]}", &update), UPDATE_BEGUN);
    played.installed = "17.6";
    play_agents();
    work();
    assert_string_equal(states(), "canary SKIPPED, other WAITING");
    assert_string_equal(of_update("state"), "STOPPED");
    assert_non_null(strstr(of_update("problem"), "No canary was updated. "));
    assert_non_null(strstr(of_update("problem"), "/canary: Its hosts have 17.6 now."));
    /* It is tried again, and nothing else meanwhile; the operator can go on without it. */
    assert_int_equal(decide(true, false), UPDATE_DECIDED);
    work();
    assert_string_equal(states(), "canary SKIPPED, other WAITING");
    played.installed = "17.7";
    play_agents();
    assert_int_equal(decide(true, true), UPDATE_DECIDED);
    settle();
    assert_string_equal(states(), "canary SKIPPED, other DONE");
    assert_string_equal(of_update("state"), "DONE");
    remove_cluster(one, "canary");
    remove_cluster(two, "other");
}

/* Seen on a fleet: a canary whose server was starting was left out when the operator continued. */
static void
a_server_that_starts_is_waited_for(void **state)
{
    (void)state;
    static const char *const forget = "UPDATE cluster_member SET version = NULL WHERE role <> 'PRIMARY'";
    struct place one = new_cluster("canary", THREE_IN_A);
    assert_int_equal(start_rollout("17.7", "{\"patienceSeconds\": 600}", &update), UPDATE_BEGUN);
    fixture_ask("%s", forget);
    struct job_runner worker = runner();
    for (int turn = 0; turn < 10; turn++)
        run_jobs_once(&worker);
    assert_string_equal(states(), "canary QUEUED");
    /* Not for ever. */
    fixture_ask("UPDATE fleet_update_cluster SET moved_at = moved_at - interval '601 s'");
    fixture_ask("UPDATE job SET next_run_at = now() WHERE state IN ('QUEUED', 'RUNNING')");
    for (int turn = 0; turn < 10; turn++)
        run_jobs_once(&worker);
    assert_string_equal(states(), "canary SKIPPED");
    assert_string_equal(of_update("state"), "STOPPED");
    /* It says its version again. */
    play_agents();
    assert_int_equal(decide(true, false), UPDATE_DECIDED);
    settle();
    assert_string_equal(states(), "canary DONE");
    remove_cluster(one, "canary");
}

static void
a_pinned_cluster_stays_until_the_pin_ends(void **state)
{
    (void)state;
    struct place one = new_cluster("pinned", THREE_IN_A), two = new_cluster("free", THREE_IN_A);
    assert_asks(one, "pinGroupClusterFeatureCompatibilityVersion", "pinned", "{}", "OK");
    assert_int_equal(start_rollout("17.7", "{}", &update), UPDATE_BEGUN);
    settle();
    assert_string_equal(states(), "free DONE, pinned SKIPPED");
    assert_int_equal(start_rollout("17.7", "{}", &update), UPDATE_NOTHING_TO_DO);
    /* A pin that has run out holds nothing. */
    fixture_ask(
        "UPDATE resource SET document = jsonb_set(document, '{pin,until}', '\"2020-01-01T00:00:00Z\"') WHERE name = 'pinned'");
    fixture_ask("DELETE FROM fleet_update");
    assert_int_equal(start_rollout("17.7", "{}", &update), UPDATE_BEGUN);
    settle();
    assert_string_equal(states(), "pinned DONE");
    /* One that is set after the plan was made counts; the operator can pass over it, and says so. */
    fixture_ask("DELETE FROM fleet_update");
    assert_int_equal(start_rollout("17.8", "{\"canaryCount\": 0}", &update), UPDATE_BEGUN);
    assert_asks(two, "pinGroupClusterFeatureCompatibilityVersion", "free",
                "{\"expirationDate\": \"2099-01-01T00:00:00Z\"}", "OK");
    settle();
    assert_string_equal(states(), "free SKIPPED, pinned DONE");
    fixture_ask("DELETE FROM fleet_update");
    assert_int_equal(start_rollout("17.8", "{\"includePinned\": true}", &update), UPDATE_BEGUN);
    settle();
    assert_string_equal(states(), "free DONE");
    remove_cluster(one, "pinned");
    remove_cluster(two, "free");
}

static void
what_hosts_say_is_believed_only_so_far(void **state)
{
    (void)state;
    struct place one = new_cluster("orders", THREE_IN_A);
    /* A stolen host says that it has something that no other has: nothing of its clusters is restarted for that. */
    play_agents();
    fixture_ask(
        "UPDATE host SET facts = jsonb_set(facts, '{postgresVersions}', '[\"17.999\"]') WHERE id = (SELECT host_id FROM cluster_member LIMIT 1)");
    assert_string_equal(fixture_ask("SELECT verdict FROM fleet_versions"), "UNEVEN");
    fixture_ask(
        "UPDATE host SET facts = jsonb_set(facts, '{postgresVersions}', '[\"17.6; DROP TABLE host\", \"99.9\", \"17.99999\", \"17\"]') WHERE id = (SELECT host_id FROM cluster_member LIMIT 1)");
    assert_string_equal(fixture_ask("SELECT verdict FROM fleet_versions"), "UNKNOWN");
    /* One that is silent: nothing follows from what it said last. */
    play_agents();
    fixture_ask(
        "UPDATE host SET last_seen_at = now() - interval '3 minutes' WHERE id = (SELECT host_id FROM cluster_member LIMIT 1)");
    assert_string_equal(fixture_ask("SELECT verdict FROM fleet_versions"), "UNKNOWN");
    assert_int_equal(start_rollout("17.7", "{\"version\": \"17.8\"}", &update), UPDATE_NOTHING_TO_DO);
    assert_int_equal(start_rollout("17.7", "{\"clusters\": [\"nobody\"]}", &update), UPDATE_UNKNOWN_WORD);
    /* An older program than the one that runs is no update. */
    assert_int_equal(start_rollout("17.5", "{}", &update), UPDATE_NOTHING_TO_DO);
    remove_cluster(one, "orders");
}

static void
it_is_stopped_and_goes_on_and_there_is_one_at_a_time(void **state)
{
    (void)state;
    struct place one = new_cluster("one", THREE_IN_A), two = new_cluster("two", THREE_IN_A);
    id second;
    played.does_not_start = true; /* so that it does not end by itself */
    assert_int_equal(start_rollout("17.7", "{\"canaryCount\": 0, \"atATime\": 1}", &update), UPDATE_BEGUN);
    assert_int_equal(start_rollout("17.7", "{}", &second), UPDATE_OTHER_RUNS);
    work();
    assert_int_equal(count("SELECT count(*) FROM fleet_update_cluster WHERE state = 'RUNNING'"), 1);
    assert_int_equal(decide(false, false), UPDATE_DECIDED);
    played.does_not_start = false;
    settle(); /* who is at it finishes; the other has not begun */
    assert_int_equal(count("SELECT count(*) FROM fleet_update_cluster WHERE state = 'DONE'"), 1);
    assert_int_equal(count("SELECT count(*) FROM fleet_update_cluster WHERE state = 'WAITING'"), 1);
    assert_string_equal(of_update("state"), "STOPPED");
    assert_int_equal(decide(true, false), UPDATE_DECIDED);
    settle();
    assert_string_equal(states(), "one DONE, two DONE");
    /* A tenant's transaction may do none of it. */
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    enum update_decision decision;
    assert_ok(tx_begin(store, arena, one.organization, &tx));
    assert_true(store_update_decide(tx, update, true, false, &decision) != OK);
    remove_cluster(one, "one");
    remove_cluster(two, "two");
}

static void
it_waits_for_the_window(void **state)
{
    (void)state;
    struct place one = new_cluster("orders", THREE_IN_A);
    char body[64];
    /* Twelve hours from now, on another day. */
    int day = count("SELECT (extract(dow FROM now() AT TIME ZONE 'UTC')::int + 2) % 7 + 1");
    snprintf(body, sizeof(body), "{\"dayOfWeek\": %d, \"hourOfDay\": 3}", day);
    assert_asks(one, "updateGroupMaintenanceWindow", "", body, "OK");
    assert_int_equal(start_rollout("17.7", "{}", &update), UPDATE_BEGUN);
    work();
    assert_string_equal(states(), "orders QUEUED");
    assert_int_equal(count("SELECT sum(restart_nonce) FROM cluster_member"), 0);
    assert_int_equal(events_of(one, "MAINTENANCE_SCHEDULED"), 1);
    /* Stopping reaches those that wait. */
    assert_int_equal(decide(false, false), UPDATE_DECIDED);
    settle();
    assert_string_equal(states(), "orders WAITING");
    fixture_ask("DELETE FROM fleet_update");
    assert_int_equal(start_rollout("17.7", "{\"ignoreWindow\": true}", &update), UPDATE_BEGUN);
    settle();
    assert_string_equal(states(), "orders DONE");
    remove_cluster(one, "orders");
}

static int
as_before(void **state)
{
    (void)state;
    played.installed = NULL;
    played.does_not_start = false;
    fixture_ask("DELETE FROM fleet_update");
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_canary_that_does_not_start_stops_the_rollout, as_before),
        cmocka_unit_test_setup(a_canary_that_is_left_out_stops_the_rollout, as_before),
        cmocka_unit_test_setup(a_server_that_starts_is_waited_for, as_before),
        cmocka_unit_test_setup(a_pinned_cluster_stays_until_the_pin_ends, as_before),
        cmocka_unit_test_setup(what_hosts_say_is_believed_only_so_far, as_before),
        cmocka_unit_test_setup(it_is_stopped_and_goes_on_and_there_is_one_at_a_time, as_before),
        cmocka_unit_test_setup(it_waits_for_the_window, as_before),
    };
    return cmocka_run_group_tests(tests, cluster_set_up, cluster_tear_down);
}
