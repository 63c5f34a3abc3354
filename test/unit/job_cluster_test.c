/* SPDX-License-Identifier: Apache-2.0 */
/* The life of clusters, from requests through jobs to what agents report. */
#include "cluster_fixture.h"

#include "base/date.h"
#include "store/fleet/host.h"

/* More than any change takes, so that one which hangs is seen as such. */
enum { MOST_TURNS = 500 };

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
    assert_asks(place, "deleteGroupCluster", name, NULL, "OK");
    settle();
    assert_string_equal(of_cluster(place, name, "1"), "");
    assert_no_orphans("the end of a cluster");
}

/* ---- The life of a cluster ---- */

static void
a_cluster_is_made_and_can_be_reached(void **state)
{
    (void)state;
    struct place place = new_place();
    assert_asks(place, "createGroupCluster", "", document("orders", THREE_IN_A), "OK");
    assert_string_equal(of_cluster(place, "orders", "state || ' ' || generation || ' ' || observed_generation"),
                        "CREATING 1 0");
    assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE desired = 'PLANNED'"), 3);
    assert_int_equal(count("SELECT count(*) FROM dns_record"), 0); /* no name before anybody answers to it */
    settle();
    assert_string_equal(of_cluster(place, "orders", "state || ' ' || generation || ' ' || observed_generation"),
                        "IDLE 1 1");
    assert_int_equal(events_of(place, "CLUSTER_READY"), 1);
    assert_no_orphans("making a cluster");
    char expected[512];
    const char *set = of_cluster(
        place, "orders", "host_label || ' ' || (SELECT hash FROM project_access a WHERE a.project_id = c.project_id)");
    char name[32], label[16];
    assert_int_equal(sscanf(set, "%31s %15s", name, label), 2);
    snprintf(expected, sizeof(expected),
             "postgresql://<DB_USER>:<DB_PASSWORD>@%s-1.%s.example.test:5432,%s-2.%s.example.test:5432,"
             "%s-3.%s.example.test:5432/postgres?target_session_attrs=read-write&sslmode=verify-full"
             "&connect_timeout=3&keepalives_idle=5&keepalives_interval=2&keepalives_count=3&tcp_user_timeout=10000",
             name, label, name, label, name, label);
    char shown[512];
    snprintf(
        shown, sizeof(shown), "%s",
        fixture_ask(
            "SELECT d.document::json -> 'connectionStrings' ->> 'standard' FROM cluster_document d WHERE d.scope = %s",
            fixture_quote(place.project)));
    assert_true(strncmp(shown, expected, 250) == 0); /* as much as the fixture keeps */
    assert_asks(place, "toggleGroupCustomDns", "", "{\"enabled\": true}", "OK");
    snprintf(expected, sizeof(expected), "postgresql+srv://<DB_USER>:<DB_PASSWORD>@%s-pri.%s.example.test/postgres",
             name, label);
    snprintf(
        shown, sizeof(shown), "%s",
        fixture_ask(
            "SELECT d.document::json -> 'connectionStrings' ->> 'privateSrv' FROM cluster_document d WHERE d.scope = %s",
            fixture_quote(place.project)));
    assert_true(strncmp(shown, expected, strlen(expected)) == 0);
    remove_cluster(place, "orders");
    assert_int_equal(events_of(place, "CLUSTER_DELETED"), 1);
}

/* In private networks a member has its private address, or the one that it has. */
static void
members_have_names_for_private_networks(void **state)
{
    (void)state;
    fixture_ask("UPDATE host_address SET private_address = NULL WHERE host_id = %s", fixture_quote(host_id(1)));
    struct place place = new_cluster("orders", REGION("A", "M10", 5));
    assert_int_equal(count("SELECT count(*) FROM dns_record WHERE type = 'A'"), 10);
    assert_int_equal(
        count(
            "SELECT count(*) FROM cluster_member m JOIN cluster c ON c.id = m.cluster_id JOIN host_address a ON a.member_id = m.id JOIN dns_record d "
            "ON split_part(d.name, '.', 1) = member_name(c.set_name, c.host_label, m.ordinal) || '-pri' WHERE d.content = host(coalesce(a.private_address, a.address))"),
        5);
    assert_int_equal(
        count(
            "SELECT count(*) FROM cluster_member m JOIN host_address a ON a.member_id = m.id WHERE a.private_address IS NULL"),
        1);
    remove_cluster(place, "orders");
    fixture_ask(
        "UPDATE host_address SET private_address = '172.16.2.0'::inet + (address - '10.2.0.0'::inet) WHERE host_id = %s",
        fixture_quote(host_id(1)));
}

static void
a_cluster_that_was_never_finished_can_be_ended(void **state)
{
    (void)state;
    struct place place = new_place();
    assert_asks(place, "createGroupCluster", "", document("orders", THREE_IN_A), "OK");
    remove_cluster(place, "orders"); /* before any host was told */
    assert_asks(place, "createGroupCluster", "", document("orders", THREE_IN_A), "OK");
    struct job_runner worker = runner();
    run_jobs_once(&worker); /* the hosts were told, and have not answered */
    assert_asks(place, "deleteGroupCluster", "orders", NULL, "OK");
    assert_string_equal(
        fixture_ask("SELECT string_agg(kind || ' ' || state, ',' ORDER BY seq DESC) FROM job WHERE project_id = %s",
                    fixture_quote(place.project)),
        "cluster.delete QUEUED,cluster.create CANCELLED,cluster.delete DONE,cluster.create CANCELLED");
    settle();
    assert_no_orphans("the end of what was not finished");
}

/* Members must not start with rights in etcd that they are about to lose. */
static void
a_cluster_waits_for_its_place_in_etcd(void **state)
{
    (void)state;
    struct place place = new_place();
    fixture_ask("UPDATE etcd_group SET auth = 'PREPARED', early = false");
    assert_asks(place, "createGroupCluster", "", document("orders", THREE_IN_A), "OK");
    struct job_runner worker = runner();
    run_jobs_once(&worker);
    assert_string_equal(fixture_ask("SELECT step FROM job WHERE project_id = %s", fixture_quote(place.project)),
                        "make-scope");
    assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE desired <> 'PLANNED'"), 0);
    fixture_ask("UPDATE etcd_group SET auth = 'OFF'");
    settle();
    assert_string_equal(of_cluster(place, "orders", "state"), "IDLE");
    remove_cluster(place, "orders");
}

static void
more_and_fewer_members(void **state)
{
    (void)state;
    struct place place = new_cluster("orders", THREE_IN_A);
    assert_asks(place, "updateGroupCluster", "orders", document(NULL, REGION("A", "M10", 5)), "OK");
    assert_string_equal(of_cluster(place, "orders", "state"), "UPDATING");
    settle();
    assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE role <> 'NONE'"), 5);
    assert_no_orphans("growing");
    assert_asks(place, "updateGroupCluster", "orders", document(NULL, REGION("A", "M10", 1)), "OK");
    settle();
    assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE role = 'PRIMARY'"), 1);
    assert_int_equal(count("SELECT count(*) FROM cluster_member"), 1);
    assert_int_equal(events_of(place, "CLUSTER_UPDATE_COMPLETED"), 2);
    assert_no_orphans("shrinking");
    remove_cluster(place, "orders");
}

/* At no moment is there a cluster without a primary, or with fewer members than before. */
static void
another_region_takes_over_without_a_gap(void **state)
{
    (void)state;
    struct place place = new_cluster("orders", THREE_IN_A);
    struct job_runner worker = runner();
    assert_asks(place, "updateGroupCluster", "orders", document(NULL, REGION("B", "M10", 3)), "OK");
    assert_int_equal(count("SELECT count(*) FROM cluster_member"), 6);
    for (int turns = 0; run_jobs_once(&worker); turns++) {
        assert_true(turns < MOST_TURNS);
        /* Whoever leads is not told to go. */
        assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE role = 'PRIMARY' AND desired <> 'RUNNING'"),
                         0);
        play_agents();
        assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE role = 'PRIMARY' AND desired = 'RUNNING'"),
                         1);
        assert_true(count("SELECT count(*) FROM cluster_member WHERE desired = 'RUNNING' AND role <> 'NONE'") >= 3);
    }
    assert_int_equal(
        count("SELECT count(*) FROM cluster_member m JOIN host h ON h.id = m.host_id WHERE h.region = 'B'"), 3);
    assert_int_equal(count("SELECT count(*) FROM cluster_member"), 3);
    assert_no_orphans("another region");
    remove_cluster(place, "orders");
}

static void
the_primary_goes_where_the_priority_is_highest(void **state)
{
    (void)state;
    struct place place = new_cluster("orders", REGION("A", "M10", 2) "," REGION("B", "M10", 1));
    assert_string_equal(
        fixture_ask("SELECT h.region FROM cluster_member m JOIN host h ON h.id = m.host_id WHERE m.role = 'PRIMARY'"),
        "A");
    assert_asks(
        place, "updateGroupCluster", "orders",
        document(
            NULL,
            "{\"providerName\": \"P\", \"regionName\": \"A\", \"priority\": 5, \"electableSpecs\": {\"instanceSize\": "
            "\"M10\", \"nodeCount\": 2}}, {\"providerName\": \"P\", \"regionName\": \"B\", \"priority\": 7, "
            "\"electableSpecs\": {\"instanceSize\": \"M10\", \"nodeCount\": 1}}"),
        "OK");
    settle();
    assert_string_equal(
        fixture_ask("SELECT h.region FROM cluster_member m JOIN host h ON h.id = m.host_id WHERE m.role = 'PRIMARY'"),
        "B");
    /* Until the one in B was synchronous, nobody else could be elected. */
    assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE electable"), 3);
    assert_no_orphans("another priority");
    remove_cluster(place, "orders");
}

/* The primary is lost while it waits for the one in the other region to be synchronous: those that were told that they cannot be
 * elected would have kept the cluster without one. */
static void
a_primary_that_is_lost_in_a_hand_over_has_a_successor(void **state)
{
    (void)state;
    struct place place = new_cluster("orders", REGION("A", "M10", 2) "," REGION("B", "M10", 1));
    struct played_cluster *set = played_cluster(fixture_ask("SELECT encode(id, 'hex') FROM cluster"));
    struct job_runner worker = runner();
    assert_asks(place, "updateGroupCluster", "orders", document(NULL, REGION("B", "M10", 2) "," REGION("A", "M10", 1)),
                "OK");
    for (int64_t until = clock_steady_ms() + patient(20000); clock_steady_ms() < until;) {
        run_jobs_once(&worker);
        if (count("SELECT count(*) FROM cluster_member WHERE NOT electable") > 0)
            break;
        play_agents();
    }
    assert_true(count("SELECT count(*) FROM cluster_member WHERE NOT electable") > 0);
    fixture_ask("UPDATE cluster_member SET role = 'NONE' WHERE role = 'PRIMARY'");
    run_jobs_once(&worker);
    clock_sleep_ms(20);
    run_jobs_once(&worker);
    assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE NOT electable AND desired = 'RUNNING'"), 0);
    set->primary[0] = '\0'; /* the first who may takes over */
    settle();
    assert_no_orphans("a primary that was lost");
    remove_cluster(place, "orders");
}

static void
settings_restart_members_one_by_one_and_the_primary_last(void **state)
{
    (void)state;
    struct place place = new_cluster("orders", THREE_IN_A);
    struct job_runner worker = runner();
    char first[64];
    snprintf(first, sizeof(first), "%s",
             fixture_ask("SELECT encode(id, 'hex') FROM cluster_member WHERE role = 'PRIMARY'"));
    assert_asks(place, "updateGroupClusterProcessArgs", "orders", "{\"max_connections\": 250, \"work_mem\": 4096}",
                "OK");
    for (int turns = 0; run_jobs_once(&worker); turns++) {
        assert_true(turns < MOST_TURNS);
        /* Never two at once, and never the primary. */
        assert_true(count("SELECT count(*) FROM cluster_member WHERE restart_nonce > applied_restart") <= 1);
        assert_int_equal(
            count("SELECT count(*) FROM cluster_member WHERE restart_nonce > applied_restart AND role = 'PRIMARY'"), 0);
        play_agents();
    }
    assert_string_equal(
        of_cluster(place, "orders", "(parameters ->> 'max_connections') || ' ' || (parameters ->> 'work_mem')"),
        "250 4096kB");
    assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE pending_restart"), 0);
    assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE restart_nonce = 1"), 3);
    assert_string_not_equal(fixture_ask("SELECT encode(id, 'hex') FROM cluster_member WHERE role = 'PRIMARY'"), first);
    assert_no_orphans("other settings");
    /* A setting that needs no restart restarts nobody. */
    assert_asks(place, "updateGroupClusterProcessArgs", "orders", "{\"work_mem\": null}", "OK");
    settle();
    assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE restart_nonce = 1"), 3);
    remove_cluster(place, "orders");
}

/* Servers have new settings for a while before they say that they wait for a restart. */
static void
settings_restart_members_also_when_nobody_says_so(void **state)
{
    (void)state;
    struct place place = new_cluster("orders", THREE_IN_A);
    played.hides_restarts = true;
    assert_asks(place, "updateGroupClusterProcessArgs", "orders", "{\"max_connections\": 250}", "OK");
    settle();
    assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE restart_nonce = 1"), 3);
    /* Once is enough, and a member that comes later starts with what there is. */
    assert_asks(place, "updateGroupCluster", "orders", document(NULL, REGION("A", "M10", 4)), "OK");
    settle();
    played.hides_restarts = false;
    play_agents();
    assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE pending_restart"), 0);
    assert_string_equal(fixture_ask("SELECT string_agg(restart_nonce::text, '' ORDER BY ordinal) FROM cluster_member"),
                        "1110");
    assert_no_orphans("restarts that nobody asked for");
    remove_cluster(place, "orders");
}

static void
a_cluster_of_one_restarts_in_place(void **state)
{
    (void)state;
    struct place place = new_cluster("orders", REGION("A", "M10", 1));
    assert_asks(place, "updateGroupClusterProcessArgs", "orders", "{\"max_connections\": 250}", "OK");
    settle();
    assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE NOT pending_restart AND restart_nonce = 1"), 1);
    assert_asks(place, "restartGroupClusterPrimaries", "orders", NULL, "OK");
    settle();
    assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE restart_nonce = 2 AND applied_restart = 2"), 1);
    assert_no_orphans("a restart");
    remove_cluster(place, "orders");
}

static void
another_size_grows_in_place_or_elsewhere(void **state)
{
    (void)state;
    struct place place = new_cluster("orders", THREE_IN_A);
    assert_asks(place, "updateGroupCluster", "orders", document(NULL, REGION("A", "M20", 3)), "OK");
    settle();
    assert_int_equal(
        count(
            "SELECT count(*) FROM cluster_member WHERE size = 'M20' AND ordinal < 3 AND memory_mb = 2048 AND disk_gb = 20"),
        3);
    assert_string_equal(of_cluster(place, "orders", "parameters ->> 'max_connections'"), "200");
    assert_no_orphans("growing in place");
    /* Another cluster takes what is left of one host: the member there is replaced by one elsewhere. */
    fixture_ask(
        "UPDATE host SET used_cpus = cpus - 1 + (SELECT sum(m.cpus) FROM cluster_member m WHERE m.host_id = host.id) - 1 "
        "WHERE id = (SELECT host_id FROM cluster_member WHERE role = 'PRIMARY')");
    const char *full =
        "UPDATE host h SET used_cpus = (SELECT coalesce(sum(m.cpus), 0) FROM cluster_member m WHERE m.host_id = h.id)";
    assert_asks(place, "updateGroupCluster", "orders", document(NULL, REGION("A", "M30", 3)), "OK");
    fixture_ask("%s", full);
    settle();
    assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE size = 'M30'"), 3);
    assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE ordinal = 3"), 1);
    assert_no_orphans("growing elsewhere");
    /* Back to a smaller one: disks stay as they are. */
    assert_asks(
        place, "updateGroupCluster", "orders",
        document(NULL,
                 "{\"providerName\": \"P\", \"regionName\": \"A\", \"electableSpecs\": {\"instanceSize\": \"M10\", "
                 "\"nodeCount\": 3, \"diskSizeGB\": 40}}"),
        "OK");
    assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE size = 'M30'"),
                     3); /* until the servers use less */
    settle();
    assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE size = 'M10' AND disk_gb = 40"), 3);
    assert_no_orphans("shrinking in place");
    remove_cluster(place, "orders");
}

#define WITH_ANALYTICS(size, own)                                                                     \
    "{\"providerName\": \"P\", \"regionName\": \"A\", \"electableSpecs\": {\"instanceSize\": \"" size \
    "\", \"nodeCount\": 2}, "                                                                         \
    "\"analyticsSpecs\": {\"instanceSize\": \"" own "\", \"nodeCount\": 1}}"

/* What its memory gives is its own; how many clients there can be stays the cluster's, or it could not replay what the primary writes. */
static void
members_for_analytics_have_a_size_of_their_own(void **state)
{
    (void)state;
    struct place place = new_cluster("orders", WITH_ANALYTICS("M10", "M30"));
    const char *sizes =
        "SELECT string_agg(size || ' ' || memory_mb, ', ' ORDER BY analytics, ordinal) FROM cluster_member";
    const char *restarts =
        "SELECT string_agg(restart_nonce::text, ' ' ORDER BY analytics, ordinal) FROM cluster_member";
    const char *buffers = "(parameters ->> 'shared_buffers') || ' ' || (analytics_parameters ->> 'shared_buffers')";
    char first[64];
    snprintf(first, sizeof(first), "%s",
             fixture_ask("SELECT encode(id, 'hex') FROM cluster_member WHERE role = 'PRIMARY'"));
    assert_string_equal(fixture_ask("%s", sizes), "M10 1024, M10 1024, M30 8192");
    assert_string_equal(of_cluster(place, "orders", buffers), "256MB 2048MB");
    assert_string_equal(of_cluster(place, "orders", "parameters ->> 'max_connections'"), "100");
    assert_string_equal(of_cluster(place, "orders", "(analytics_parameters ->> 'max_connections') IS NULL"), "t");
    assert_int_equal(count("SELECT count(*) FROM usage_span WHERE sku = 'MEMBER_M30' AND ended_at IS NULL"), 1);
    assert_int_equal(count("SELECT count(*) FROM usage_span WHERE sku = 'MEMBER_M10' AND ended_at IS NULL"), 2);
    /* Another size of theirs restarts them, and nobody else; the primary stays. */
    assert_asks(place, "updateGroupCluster", "orders", document(NULL, WITH_ANALYTICS("M10", "M20")), "OK");
    assert_string_equal(fixture_ask("%s", sizes), "M10 1024, M10 1024, M30 8192"); /* until the server uses less */
    settle();
    assert_string_equal(fixture_ask("%s", sizes), "M10 1024, M10 1024, M20 2048");
    assert_string_equal(of_cluster(place, "orders", buffers), "256MB 512MB");
    assert_string_equal(fixture_ask("%s", restarts), "0 0 1");
    assert_string_equal(fixture_ask("SELECT encode(id, 'hex') FROM cluster_member WHERE role = 'PRIMARY'"), first);
    assert_no_orphans("a size of their own");
    /* What a tenant sets is everybody's. */
    assert_asks(place, "updateGroupClusterProcessArgs", "orders", "{\"work_mem\": 4096}", "OK");
    settle();
    assert_string_equal(of_cluster(place, "orders", "analytics_parameters ->> 'work_mem'"), "4096kB");
    assert_string_equal(fixture_ask("%s", restarts), "0 0 1");
    /* The others grow: it restarts as well, since they may have more clients now, and keeps its size. */
    assert_asks(place, "updateGroupCluster", "orders", document(NULL, WITH_ANALYTICS("M30", "M20")), "OK");
    settle();
    assert_string_equal(fixture_ask("%s", sizes), "M30 8192, M30 8192, M20 2048");
    assert_string_equal(of_cluster(place, "orders", buffers), "2048MB 512MB");
    assert_string_equal(of_cluster(place, "orders", "parameters ->> 'max_connections'"), "400");
    assert_int_equal(count("SELECT restart_nonce FROM cluster_member WHERE analytics"), 2);
    /* And they go, with what was theirs. */
    assert_asks(place, "updateGroupCluster", "orders", document(NULL, REGION("A", "M30", 2)), "OK");
    settle();
    assert_string_equal(of_cluster(place, "orders", "analytics_parameters::text"), "{}");
    assert_no_orphans("no member for analytics any more");
    remove_cluster(place, "orders");
}

static void
what_does_not_fit_changes_nothing(void **state)
{
    (void)state;
    struct place place = new_cluster("orders", THREE_IN_A);
    assert_asks(place, "updateGroupCluster", "orders", document(NULL, REGION("A", "M10", 6)), "NO_CAPACITY");
    assert_asks(place, "createGroupCluster", "", document("more", REGION("B", "M10", 5)), "NO_CAPACITY");
    assert_int_equal(count("SELECT count(*) FROM job WHERE finished_at IS NULL"), 0);
    assert_int_equal(count("SELECT count(*) FROM cluster_member"), 3);
    assert_no_orphans("what did not fit");
    remove_cluster(place, "orders");
}

static void
pausing_stops_the_primary_last(void **state)
{
    (void)state;
    struct place place = new_cluster("orders", THREE_IN_A);
    struct job_runner worker = runner();
    assert_asks(place, "updateGroupCluster", "orders", "{\"paused\": true}", "OK");
    for (int turns = 0; run_jobs_once(&worker); turns++) {
        assert_true(turns < MOST_TURNS);
        int replicas = count("SELECT count(*) FROM cluster_member WHERE role IN ('REPLICA', 'SYNC_STANDBY')");
        assert_true(replicas == 0 ||
                    count("SELECT count(*) FROM cluster_member WHERE role = 'PRIMARY' AND desired = 'RUNNING'") == 1);
        play_agents();
    }
    assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE unit = 'inactive' AND desired = 'STOPPED'"), 3);
    assert_no_orphans("a pause");
    assert_asks(place, "updateGroupCluster", "orders", document(NULL, REGION("A", "M10", 4)), "CLUSTER_NOT_CHANGEABLE");
    assert_asks(place, "updateGroupClusterProcessArgs", "orders", "{\"work_mem\": 4096}", "CLUSTER_NOT_CHANGEABLE");
    assert_asks(place, "updateGroupCluster", "orders", "{\"paused\": false}", "OK");
    settle();
    assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE unit = 'active' AND desired = 'RUNNING'"), 3);
    assert_int_equal(events_of(place, "CLUSTER_PAUSED") + events_of(place, "CLUSTER_RESUMED"), 2);
    assert_no_orphans("going on");
    remove_cluster(place, "orders");
}

/* It is made first, so resuming finds its data. Its members cost as members until they are stopped, and their disks on. */
static void
a_cluster_can_begin_paused(void **state)
{
    (void)state;
    struct place place = new_place();
    char body[4096];
    snprintf(body, sizeof(body), "{\"paused\": true, %s", document("orders", THREE_IN_A) + 1);
    assert_asks(place, "createGroupCluster", "", body, "OK");
    assert_string_equal(of_cluster(place, "orders", "r.state || ' ' || (r.document ->> 'paused')"), "CREATING true");
    settle();
    assert_string_equal(
        of_cluster(place, "orders",
                   "r.state || ' ' || generation || ' ' || observed_generation || ' ' || (r.document ->> 'paused')"),
        "IDLE 1 1 true");
    assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE unit = 'inactive' AND desired = 'STOPPED'"), 3);
    assert_int_equal(events_of(place, "CLUSTER_READY"), 1);
    assert_int_equal(events_of(place, "CLUSTER_PAUSED"), 1);
    assert_string_equal(
        fixture_ask("SELECT string_agg(kind || ' ' || state, ', ' ORDER BY seq) FROM job WHERE project_id = %s",
                    fixture_quote(place.project)),
        "cluster.create DONE, cluster.pause DONE");
    assert_string_equal(
        fixture_ask("SELECT string_agg(DISTINCT unit, ' ') FROM usage_span WHERE project_id = %s AND ended_at IS NULL",
                    fixture_quote(place.project)),
        "DISK");
    assert_no_orphans("a beginning without servers");
    assert_asks(place, "updateGroupCluster", "orders", "{\"paused\": false}", "OK");
    settle();
    assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE unit = 'active' AND desired = 'RUNNING'"), 3);
    assert_string_equal(
        fixture_ask("SELECT string_agg(DISTINCT unit, ' ') FROM usage_span WHERE project_id = %s AND ended_at IS NULL",
                    fixture_quote(place.project)),
        "DISK MEMBER");
    assert_no_orphans("going on");
    remove_cluster(place, "orders");
}

#define BOTH_LIBRARIES "pgaudit,pg_stat_statements"
#define LOSE_LIBRARY   "UPDATE cluster SET parameters = parameters - 'shared_preload_libraries'"

static void
auditing_restarts_only_clusters_that_cannot_record_yet(void **state)
{
    (void)state;
    struct place place = new_cluster("orders", THREE_IN_A);
    const char *library = "parameters ->> 'shared_preload_libraries'";
    assert_string_equal(of_cluster(place, "orders", library), BOTH_LIBRARIES);
    assert_asks(place, "updateGroupAuditLog", "", "{\"enabled\": true}", "OK");
    assert_int_equal(count("SELECT count(*) FROM job WHERE finished_at IS NULL"), 0);
    /* One from before servers loaded it. */
    assert_asks(place, "updateGroupAuditLog", "", "{\"enabled\": false}", "OK");
    fixture_ask(LOSE_LIBRARY);
    assert_asks(place, "updateGroupAuditLog", "", "{\"auditAuthorizationSuccess\": true}", "OK");
    assert_int_equal(count("SELECT count(*) FROM job WHERE finished_at IS NULL"), 0); /* nothing is recorded */
    assert_asks(place, "updateGroupAuditLog", "", "{\"enabled\": true}", "OK");
    assert_int_equal(count("SELECT count(*) FROM job WHERE finished_at IS NULL AND kind = 'cluster.update'"), 1);
    settle();
    assert_string_equal(of_cluster(place, "orders", library), BOTH_LIBRARIES);
    assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE restart_nonce = 1 AND applied_restart = 1"), 3);
    /* One that is paused loads it when it starts again, and nobody starts it for that. */
    assert_asks(place, "updateGroupCluster", "orders", "{\"paused\": true}", "OK");
    settle();
    assert_asks(place, "updateGroupAuditLog", "", "{\"enabled\": false}", "OK");
    fixture_ask(LOSE_LIBRARY);
    assert_asks(place, "updateGroupAuditLog", "", "{\"enabled\": true}", "OK");
    assert_int_equal(count("SELECT count(*) FROM job WHERE finished_at IS NULL"), 0);
    assert_string_equal(of_cluster(place, "orders", library), BOTH_LIBRARIES);
    assert_asks(place, "updateGroupCluster", "orders", "{\"paused\": false}", "OK");
    settle();
    assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE unit = 'active' AND restart_nonce = 1"), 3);
    assert_no_orphans("auditing");
    remove_cluster(place, "orders");
}

/* Servers that an older release set up count no statements. A newer one neither restarts them for that nor has them wait for a restart. */
static void
a_release_that_loads_more_restarts_nobody(void **state)
{
    (void)state;
    struct place place = new_cluster("orders", THREE_IN_A);
    const char *library = "parameters ->> 'shared_preload_libraries'";
    const char *restarts = "SELECT sum(restart_nonce + pending_restart::int) FROM cluster_member";
    fixture_ask("UPDATE cluster SET parameters = jsonb_set(parameters, '{shared_preload_libraries}', '\"pgaudit\"')");
    assert_asks(place, "updateGroupClusterProcessArgs", "orders", "{\"work_mem\": 4096}", "OK");
    settle();
    assert_asks(place, "updateGroupCluster", "orders", document(NULL, REGION("A", "M10", 4)), "OK");
    settle();
    assert_asks(place, "updateGroupAuditLog", "", "{\"enabled\": true}", "OK");
    settle();
    assert_string_equal(of_cluster(place, "orders", library), "pgaudit");
    assert_string_equal(of_cluster(place, "orders", "parameters ->> 'work_mem'"), "4096kB");
    assert_int_equal(count(restarts), 0);
    /* Whoever restarts them for a reason of their own gets it along. */
    assert_asks(place, "updateGroupClusterProcessArgs", "orders", "{\"max_connections\": 250}", "OK");
    settle();
    assert_string_equal(of_cluster(place, "orders", library), BOTH_LIBRARIES);
    assert_int_equal(count(restarts), 4);
    remove_cluster(place, "orders");
}

static void
the_primary_is_handed_over_when_asked_for(void **state)
{
    (void)state;
    struct place place = new_cluster("orders", THREE_IN_A);
    char first[64];
    snprintf(first, sizeof(first), "%s",
             fixture_ask("SELECT encode(id, 'hex') FROM cluster_member WHERE role = 'PRIMARY'"));
    played.refuses_switchover = true;
    assert_asks(place, "restartGroupClusterPrimaries", "orders", NULL, "OK");
    struct job_runner worker = runner();
    for (int i = 0; i < 5; i++) {
        run_jobs_once(&worker);
        play_agents();
    }
    /* One that failed is not repeated at once. */
    assert_int_equal(count("SELECT count(*) FROM host_task WHERE kind = 'SWITCHOVER' AND outcome = 'FAILED'"), 1);
    assert_string_equal(fixture_ask("SELECT waits_for LIKE '%%did not hand over: it does not want to.' FROM job "
                                    "WHERE finished_at IS NULL"),
                        "t");
    played.refuses_switchover = false;
    fixture_ask("UPDATE host_task SET finished_at = now() - interval '1 minute'");
    settle();
    assert_string_not_equal(fixture_ask("SELECT encode(id, 'hex') FROM cluster_member WHERE role = 'PRIMARY'"), first);
    assert_int_equal(events_of(place, "CLUSTER_PRIMARY_RESTARTED"), 1);
    assert_no_orphans("a switchover");
    remove_cluster(place, "orders");
}

static void
an_outage_stops_a_region_and_ends(void **state)
{
    (void)state;
    struct place place = new_cluster("orders", REGION("A", "M10", 2) "," REGION("B", "M10", 1));
    assert_asks(place, "startGroupClusterOutageSimulation", "orders",
                "{\"outageFilters\": [{\"cloudProvider\": \"P\", \"regionName\": \"A\"}]}", "OK");
    settle();
    assert_string_equal(
        fixture_ask("SELECT string_agg(h.region || ' ' || m.unit || ' ' || m.role, ',' ORDER BY m.ordinal) "
                    "FROM cluster_member m JOIN host h ON h.id = m.host_id"),
        "A inactive NONE,A inactive NONE,B active PRIMARY");
    assert_string_equal(fixture_ask("SELECT state FROM resource WHERE kind = 'outageSimulation'"), "SIMULATING");
    assert_asks(place, "startGroupClusterOutageSimulation", "orders",
                "{\"outageFilters\": [{\"cloudProvider\": \"P\", \"regionName\": \"B\"}]}", "CLUSTER_NOT_CHANGEABLE");
    assert_asks(place, "endGroupClusterOutageSimulation", "orders", NULL, "OK");
    settle();
    assert_string_equal(fixture_ask("SELECT state FROM resource WHERE kind = 'outageSimulation'"), "COMPLETE");
    assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE unit = 'active'"), 3);
    assert_asks(place, "endGroupClusterOutageSimulation", "orders", NULL, "RESOURCE_NOT_FOUND");
    assert_no_orphans("an outage");
    remove_cluster(place, "orders");
    assert_int_equal(count("SELECT count(*) FROM resource WHERE kind = 'outageSimulation'"), 0);
}

static void
sample_data_is_loaded_by_the_primary(void **state)
{
    (void)state;
    struct place place = new_cluster("orders", THREE_IN_A);
    assert_asks(place, "requestGroupSampleDatasetLoad", "orders", NULL, "OK");
    settle();
    assert_string_equal(fixture_ask("SELECT document ->> 'state' FROM resource WHERE kind = 'sampleDatasetLoad'"),
                        "COMPLETED");
    assert_int_equal(events_of(place, "SAMPLE_DATASET_LOADED"), 1);
    assert_no_orphans("sample data");
    remove_cluster(place, "orders");
}

/* The task of a host that is no longer the primary's waited there until the job's time was over. */
static void
sample_data_follows_the_primary(void **state)
{
    (void)state;
    struct place place = new_cluster("orders", THREE_IN_A);
    struct played_cluster *set = played_cluster(fixture_ask("SELECT encode(id, 'hex') FROM cluster"));
    struct job_runner worker = runner();
    assert_asks(place, "requestGroupSampleDatasetLoad", "orders", NULL, "OK");
    run_jobs_once(&worker);
    fixture_ask("UPDATE cluster_member SET role = CASE role WHEN 'PRIMARY' THEN 'REPLICA' WHEN 'SYNC_STANDBY' THEN "
                "'PRIMARY' ELSE role END");
    snprintf(set->primary, sizeof(set->primary), "%s", set->standby);
    for (int64_t until = clock_steady_ms() + patient(10000); clock_steady_ms() < until; run_jobs_once(&worker)) {
        if (count("SELECT count(*) FROM host_task WHERE kind = 'LOAD_SAMPLE'") == 2)
            break;
    }
    assert_string_equal(fixture_ask("SELECT m.role FROM host_task t JOIN cluster_member m ON m.id = t.member_id "
                                    "WHERE t.kind = 'LOAD_SAMPLE' ORDER BY t.created_at DESC LIMIT 1"),
                        "PRIMARY");
    settle();
    assert_int_equal(events_of(place, "SAMPLE_DATASET_LOADED"), 1);
    remove_cluster(place, "orders");
}

static void
flex_clusters_grow_into_dedicated_ones(void **state)
{
    (void)state;
    struct place place = new_place();
    assert_asks(place, "createGroupFlexCluster", "",
                "{\"name\": \"small\", \"providerSettings\": {\"backingProviderName\": \"P\", \"regionName\": \"A\"}}",
                "OK");
    settle();
    assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE size = 'FLEX' AND role <> 'NONE'"), 3);
    assert_no_orphans("a flex cluster");
    assert_asks(place, "tenantGroupFlexClusterUpgrade", "", document("small", REGION("A", "M10", 3)), "OK");
    settle();
    assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE size = 'M10' AND ordinal < 3"), 3);
    assert_string_equal(of_cluster(place, "small", "r.kind || ' ' || c.kind"), "cluster DEDICATED");
    assert_no_orphans("an upgrade");
    remove_cluster(place, "small");
    /* The older form does the same. */
    assert_asks(place, "createGroupFlexCluster", "",
                "{\"name\": \"older\", \"providerSettings\": {\"backingProviderName\": \"P\", \"regionName\": \"A\"}}",
                "OK");
    settle();
    assert_asks(place, "upgradeGroupClusterTenantUpgrade", "", document("older", REGION("A", "M10", 3)), "OK");
    settle();
    assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE size = 'M10' AND role <> 'NONE'"), 3);
    assert_string_equal(of_cluster(place, "older", "r.kind || ' ' || c.kind"), "cluster DEDICATED");
    remove_cluster(place, "older");
}

static void
flex_clusters_go_with_everything_they_had(void **state)
{
    (void)state;
    struct place place = new_place();
    assert_asks(place, "createGroupFlexCluster", "",
                "{\"name\": \"small\", \"providerSettings\": {\"backingProviderName\": \"P\", \"regionName\": \"A\"}}",
                "OK");
    settle();
    assert_int_equal(count("SELECT count(*) FROM cluster_member"), 3);
    assert_asks(place, "deleteGroupFlexCluster", "small", NULL, "OK");
    settle();
    assert_int_equal(count("SELECT count(*) FROM cluster_member") + count("SELECT count(*) FROM cluster"), 0);
    assert_no_orphans("the end of a flex cluster");
}

static void
a_newer_change_overtakes_an_older_one(void **state)
{
    (void)state;
    struct place place = new_cluster("orders", THREE_IN_A);
    struct job_runner worker = runner();
    assert_asks(place, "updateGroupCluster", "orders", document(NULL, REGION("A", "M10", 5)), "OK");
    run_jobs_once(&worker);
    assert_asks(place, "updateGroupCluster", "orders", document(NULL, REGION("A", "M10", 2)), "OK");
    assert_asks(place, "updateGroupCluster", "orders", document(NULL, REGION("B", "M10", 2)), "OK");
    assert_string_equal(of_cluster(place, "orders", "generation || ' ' || observed_generation"), "4 1");
    settle();
    assert_int_equal(
        count("SELECT count(*) FROM cluster_member m JOIN host h ON h.id = m.host_id WHERE h.region = 'B'"), 2);
    assert_string_equal(of_cluster(place, "orders", "generation || ' ' || observed_generation"), "4 4");
    assert_no_orphans("three changes at once");
    remove_cluster(place, "orders");
}

static void
a_host_is_emptied_without_a_gap(void **state)
{
    (void)state;
    struct place one = new_cluster("orders", THREE_IN_A), other = new_cluster("carts", REGION("A", "M10", 4));
    id host = drain_host_of_primary(one);
    struct job_runner worker = runner();
    for (int turns = 0; run_jobs_once(&worker); turns++) {
        assert_true(turns < MOST_TURNS);
        /* Whoever leads is not told to go. */
        assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE role = 'PRIMARY' AND desired <> 'RUNNING'"),
                         0);
        play_agents();
        assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE role = 'PRIMARY' AND desired = 'RUNNING'"),
                         2);
        assert_true(count("SELECT count(*) FROM cluster_member WHERE role <> 'NONE' AND desired = 'RUNNING'") >= 7);
    }
    assert_string_equal(fixture_ask("SELECT state FROM host WHERE id = %s", fixture_quote(host)), "DRAINED");
    assert_string_equal(fixture_ask("SELECT count(*) FROM cluster_member WHERE host_id = %s", fixture_quote(host)),
                        "0");
    assert_int_equal(count("SELECT count(*) FROM cluster_member"), 7);
    assert_no_orphans("emptying a host");
    fixture_ask("UPDATE host SET state = 'ACTIVE'");
    remove_cluster(one, "orders");
    remove_cluster(other, "carts");
}

static void
a_project_takes_its_clusters_along(void **state)
{
    (void)state;
    struct place place = new_cluster("orders", THREE_IN_A);
    struct job_runner worker = runner();
    id other = fixture_id(700000);
    fixture_add_organization(other);
    assert_asks(place, "updateGroupCluster", "orders", document(NULL, REGION("A", "M10", 4)), "OK");
    run_jobs_once(&worker);
    char from[ID_DIGITS + 1];
    id_write(place.organization, from);
    fixture_ask("SET reeve.organization = '%s'", from);
    assert_string_equal(fixture_ask("SELECT project_move(%s, %s, %s)", fixture_quote(place.project),
                                    fixture_quote(place.organization), fixture_quote(other)),
                        "t");
    place.organization = other;
    settle(); /* what was under way goes on there */
    static const char *const tables[] = { "cluster", "cluster_member", "dns_record", "project_access",
                                          "job",     "job_history" };
    for (size_t i = 0; i < LENGTH(tables); i++)
        assert_string_equal(
            fixture_ask("SELECT count(*) > 0 FROM %s WHERE org_id = %s", tables[i], fixture_quote(other)), "t");
    assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE role <> 'NONE'"), 4);
    assert_no_orphans("a move");
    remove_cluster(place, "orders");
}

/* ---- The maintenance window: Sundays at three; the clock stands still until a test moves it ---- */
static int64_t test_now_ms;

static int64_t
test_clock(void)
{
    return test_now_ms;
}

/* Turns of the jobs at that time, until nothing but waiting is left. */
static void
work_at(const char *date)
{
    struct job_runner worker = runner();
    worker.environment.now_ms = test_clock;
    assert_true(date_parse(str_from(date), &test_now_ms));
    for (int turn = 0; turn < 200 && run_jobs_once(&worker); turn++)
        play_agents();
}

static const char *
what_waits(void)
{
    return fixture_ask(
        "SELECT coalesce(max(waits_for), 'nothing') FROM job WHERE kind = 'cluster.move' AND state = 'RUNNING'");
}

#define SUNDAYS_AT_THREE  "{\"dayOfWeek\": 1, \"hourOfDay\": 3}"
#define WAITS_UNTIL(date) "It waits for the project's maintenance window, which begins at " date "."

static void
an_emptied_host_waits_for_the_window_and_a_tenant_does_not(void **state)
{
    (void)state;
    struct place place = new_cluster("orders", THREE_IN_A);
    assert_asks(place, "updateGroupMaintenanceWindow", "", SUNDAYS_AT_THREE, "OK");
    assert_asks(place, "deferGroupMaintenanceWindow", "", NULL, "NO_MAINTENANCE_WAITS");
    id host = drain_host_of_primary(place);
    work_at("2026-03-04T12:00:00Z"); /* a Wednesday */
    assert_string_equal(what_waits(), WAITS_UNTIL("2026-03-08T03:00:00Z"));
    assert_int_equal(events_of(place, "MAINTENANCE_SCHEDULED"), 1);
    assert_string_equal(of_cluster(place, "orders", "r.state"), "IDLE");
    /* Settings do not move anybody, so the host keeps its member; and the cluster is IDLE afterwards. */
    assert_asks(place, "updateGroupClusterProcessArgs", "orders", "{\"work_mem\": 8192}", "OK");
    work_at("2026-03-05T12:00:00Z");
    assert_string_equal(of_cluster(place, "orders", "r.state || ' ' || generation || ' ' || observed_generation"),
                        "IDLE 2 2");
    assert_string_equal(what_waits(), WAITS_UNTIL("2026-03-08T03:00:00Z"));
    assert_asks(place, "deferGroupMaintenanceWindow", "", NULL, "OK");
    assert_asks(place, "deferGroupMaintenanceWindow", "", NULL, "OK");
    assert_asks(place, "deferGroupMaintenanceWindow", "", NULL, "MAINTENANCE_NOT_DEFERRABLE");
    work_at("2026-03-08T03:10:00Z");
    assert_string_equal(what_waits(), WAITS_UNTIL("2026-03-22T03:00:00Z"));
    work_at("2026-03-22T02:59:59Z");
    assert_string_equal(what_waits(), WAITS_UNTIL("2026-03-22T03:00:00Z"));
    assert_string_equal(fixture_ask("SELECT state FROM host WHERE id = %s", fixture_quote(host)), "DRAINING");
    work_at("2026-03-22T03:00:00Z");
    assert_string_equal(fixture_ask("SELECT state FROM host WHERE id = %s", fixture_quote(host)), "DRAINED");
    assert_int_equal(events_of(place, "MAINTENANCE_DEFERRED"), 2);
    assert_int_equal(events_of(place, "CLUSTER_MEMBERS_MOVED"), 1);
    assert_no_orphans("a window");
    fixture_ask("UPDATE host SET state = 'ACTIVE'");
    remove_cluster(place, "orders");
}

static void
without_its_window_waiting_maintenance_begins(void **state)
{
    (void)state;
    struct place place = new_cluster("orders", THREE_IN_A);
    assert_asks(place, "updateGroupMaintenanceWindow", "", SUNDAYS_AT_THREE, "OK");
    assert_asks(place, "toggleGroupMaintenanceWindowAutoDefer", "", NULL, "OK");
    id host = drain_host_of_primary(place);
    work_at("2026-03-04T12:00:00Z");
    assert_string_equal(what_waits(), WAITS_UNTIL("2026-03-15T03:00:00Z"));
    assert_asks(place, "deferGroupMaintenanceWindow", "", NULL, "OK");
    assert_asks(place, "deferGroupMaintenanceWindow", "", NULL, "MAINTENANCE_NOT_DEFERRABLE");
    assert_asks(place, "resetGroupMaintenanceWindow", "", NULL, "OK");
    work_at("2026-03-04T12:01:00Z");
    assert_string_equal(fixture_ask("SELECT state FROM host WHERE id = %s", fixture_quote(host)), "DRAINED");
    fixture_ask("UPDATE host SET state = 'ACTIVE'");
    remove_cluster(place, "orders");
}

static id
give_up_host_of(const char *whose)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    bool is_there = false;
    id host, job;
    str name =
        str_dup(arena, str_from(fixture_ask("SELECT h.name FROM cluster_member m JOIN host h ON h.id = m.host_id "
                                            "WHERE m.%s",
                                            whose)));
    assert_ok(tx_begin_service(store, arena, &tx));
    assert_ok(store_host_remove(tx, name, false, &is_there, &host));
    assert_false(is_there); /* it has members */
    assert_ok(store_host_remove(tx, name, true, &is_there, &host));
    assert_true(is_there);
    assert_ok(job_add(tx, &host_drain_job, (struct job_draft){ .subject = host, .subject_name = name }, &job));
    assert_ok(tx_commit(tx));
    return host;
}

/* What the lost primary said last stands in the database for ever. */
static void
a_lost_host_is_replaced(void **state)
{
    (void)state;
    struct place place = new_cluster("orders", THREE_IN_A);
    struct played_cluster *set = played_cluster(fixture_ask("SELECT encode(id, 'hex') FROM cluster"));
    id host = give_up_host_of("role = 'PRIMARY'");
    snprintf(set->primary, sizeof(set->primary), "%s", set->standby); /* what Patroni does */
    settle();
    assert_int_equal(count("SELECT count(*) FROM cluster_member"), 3);
    assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE role = 'PRIMARY'"), 1);
    assert_string_equal(fixture_ask("SELECT count(*) FROM cluster_member WHERE host_id = %s", fixture_quote(host)),
                        "0");
    assert_string_equal(fixture_ask("SELECT count(*) FROM host_address WHERE host_id = %s", fixture_quote(host)), "0");
    assert_no_orphans("a lost host");
    remove_cluster(place, "orders");
    bring_hosts_back();
}

static void
a_lost_host_that_is_given_up_does_not_keep_a_cluster(void **state)
{
    (void)state;
    struct place place = new_cluster("orders", THREE_IN_A);
    give_up_host_of("ordinal = 1");
    assert_asks(place, "deleteGroupCluster", "orders", NULL, "OK");
    settle();
    assert_no_orphans("a lost host");
    bring_hosts_back();
}

static void
a_lost_host_does_not_wait_for_the_window(void **state)
{
    (void)state;
    struct place place = new_cluster("orders", THREE_IN_A);
    assert_asks(place, "updateGroupMaintenanceWindow", "", SUNDAYS_AT_THREE, "OK");
    struct played_cluster *set = played_cluster(fixture_ask("SELECT encode(id, 'hex') FROM cluster"));
    id host = give_up_host_of("role = 'PRIMARY'");
    snprintf(set->primary, sizeof(set->primary), "%s", set->standby);
    work_at("2026-03-04T12:00:00Z");
    assert_string_equal(fixture_ask("SELECT count(*) FROM cluster_member WHERE host_id = %s", fixture_quote(host)),
                        "0");
    assert_int_equal(events_of(place, "MAINTENANCE_SCHEDULED"), 0);
    assert_no_orphans("a lost host with a window");
    remove_cluster(place, "orders");
    bring_hosts_back();
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cluster_is_made_and_can_be_reached),
        cmocka_unit_test(members_have_names_for_private_networks),
        cmocka_unit_test(a_cluster_that_was_never_finished_can_be_ended),
        cmocka_unit_test(a_cluster_waits_for_its_place_in_etcd),
        cmocka_unit_test(more_and_fewer_members),
        cmocka_unit_test(another_region_takes_over_without_a_gap),
        cmocka_unit_test(the_primary_goes_where_the_priority_is_highest),
        cmocka_unit_test(a_primary_that_is_lost_in_a_hand_over_has_a_successor),
        cmocka_unit_test(settings_restart_members_one_by_one_and_the_primary_last),
        cmocka_unit_test(settings_restart_members_also_when_nobody_says_so),
        cmocka_unit_test(a_cluster_of_one_restarts_in_place),
        cmocka_unit_test(another_size_grows_in_place_or_elsewhere),
        cmocka_unit_test(members_for_analytics_have_a_size_of_their_own),
        cmocka_unit_test(what_does_not_fit_changes_nothing),
        cmocka_unit_test(pausing_stops_the_primary_last),
        cmocka_unit_test(a_cluster_can_begin_paused),
        cmocka_unit_test(auditing_restarts_only_clusters_that_cannot_record_yet),
        cmocka_unit_test(a_release_that_loads_more_restarts_nobody),
        cmocka_unit_test(the_primary_is_handed_over_when_asked_for),
        cmocka_unit_test(an_outage_stops_a_region_and_ends),
        cmocka_unit_test(sample_data_is_loaded_by_the_primary),
        cmocka_unit_test(sample_data_follows_the_primary),
        cmocka_unit_test(flex_clusters_grow_into_dedicated_ones),
        cmocka_unit_test(flex_clusters_go_with_everything_they_had),
        cmocka_unit_test(a_newer_change_overtakes_an_older_one),
        cmocka_unit_test(a_host_is_emptied_without_a_gap),
        cmocka_unit_test(a_project_takes_its_clusters_along),
        cmocka_unit_test(a_lost_host_is_replaced),
        cmocka_unit_test(a_lost_host_that_is_given_up_does_not_keep_a_cluster),
        cmocka_unit_test(an_emptied_host_waits_for_the_window_and_a_tenant_does_not),
        cmocka_unit_test(without_its_window_waiting_maintenance_begins),
        cmocka_unit_test(a_lost_host_does_not_wait_for_the_window),
    };
    if (argc == 3 && strcmp(argv[1], "--only") == 0)
        cmocka_set_test_filter(argv[2]);
    return cmocka_run_group_tests(tests, cluster_set_up, cluster_tear_down);
}
