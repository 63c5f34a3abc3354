/* SPDX-License-Identifier: Apache-2.0 */
/* One job of every kind about clusters, from the request to its end: what workers go through in it is up to the test. */
#ifndef TEST_UNIT_CLUSTER_SCENES_H
#define TEST_UNIT_CLUSTER_SCENES_H

#include "backup_fixture.h"

/* What has to be there, what is asked for, and which event says that it happened, once. */
struct scene {
    const struct job_kind *kind;
    const char *before;  /* regions of a cluster that is made first; NULL: none */
    const char *also[3]; /* operation and body before, waited for */
    const char *operation, *body, *event;
    const char *below; /* of the cluster: the rest of the path */
    bool drains;
    bool restore_fails;
    bool updates; /* a rollout of a newer minor version */
};
#define EXTENSION_BODY "{\"databaseName\": \"shop\", \"name\": \"pg_cron\"}"
static const struct scene scenes[] = {
    { &cluster_create_job, NULL, { 0 }, "createGroupCluster", NULL, "CLUSTER_READY" },
    { &cluster_update_job,
      REGION("A", "M10", 3),
      { 0 },
      "updateGroupCluster",
      REGION("B", "M20", 2),
      "CLUSTER_UPDATE_COMPLETED" },
    { &cluster_pause_job, THREE_IN_A, { 0 }, "updateGroupCluster", "{\"paused\": true}", "CLUSTER_PAUSED" },
    { &cluster_resume_job,
      THREE_IN_A,
      { "updateGroupCluster", "{\"paused\": true}" },
      "updateGroupCluster",
      "{\"paused\": false}",
      "CLUSTER_RESUMED" },
    { &cluster_restart_job, THREE_IN_A, { 0 }, "restartGroupClusterPrimaries", NULL, "CLUSTER_PRIMARY_RESTARTED" },
    { &outage_start_job,
      REGION("A", "M10", 2) "," REGION("B", "M10", 1),
      { 0 },
      "startGroupClusterOutageSimulation",
      "{\"outageFilters\": [{\"cloudProvider\": \"P\", \"regionName\": \"A\"}]}",
      "CLUSTER_REGION_OUTAGE_STARTED" },
    { &outage_end_job,
      REGION("A", "M10", 2) "," REGION("B", "M10", 1),
      { "startGroupClusterOutageSimulation",
        "{\"outageFilters\": [{\"cloudProvider\": \"P\", \"regionName\": \"A\"}]}" },
      "endGroupClusterOutageSimulation",
      NULL,
      "CLUSTER_REGION_OUTAGE_ENDED" },
    { &sample_load_job, THREE_IN_A, { 0 }, "requestGroupSampleDatasetLoad", NULL, "SAMPLE_DATASET_LOADED" },
    { &extension_create_job, THREE_IN_A, { 0 }, "createGroupClusterExtension", EXTENSION_BODY, "EXTENSION_CREATED" },
    { &extension_drop_job,
      THREE_IN_A,
      { "createGroupClusterExtension", EXTENSION_BODY },
      "deleteGroupClusterExtension",
      NULL,
      "EXTENSION_REMOVED",
      .below = "/shop/pg_cron" },
    { &cluster_move_job, THREE_IN_A, { 0 }, NULL, NULL, "CLUSTER_MEMBERS_MOVED", .drains = true },
    { &host_drain_job, THREE_IN_A, { 0 }, NULL, NULL, "CLUSTER_MEMBERS_MOVED", .drains = true },
    { &cluster_restore_job,
      THREE_IN_A,
      { 0 },
      "createGroupClusterBackupRestoreJob",
      "{\"deliveryType\": \"pointInTime\", \"latest\": true, \"targetClusterName\": \"orders\"}",
      "BACKUP_RESTORE_COMPLETED" },
    { &cluster_restore_job,
      THREE_IN_A,
      { 0 },
      "createGroupClusterBackupRestoreJob",
      "{\"deliveryType\": \"pointInTime\", \"latest\": true, \"targetClusterName\": \"orders\"}",
      "BACKUP_RESTORE_FAILED",
      .restore_fails = true },
    { &cluster_version_job, THREE_IN_A, { 0 }, NULL, NULL, "CLUSTER_VERSION_UPDATED", .updates = true },
    { &fleet_update_job, THREE_IN_A, { 0 }, NULL, NULL, "CLUSTER_VERSION_UPDATED", .updates = true },
    { &cluster_delete_job, THREE_IN_A, { 0 }, "deleteGroupCluster", NULL, "CLUSTER_DELETED" },
};

/* Every cluster here has backups, so that no step about them has nothing to do. */
static const char *
with_backups(const char *regions)
{
    static char text[4096];
    snprintf(text, sizeof(text), "{\"backupEnabled\": true, %s", document("orders", regions) + 1);
    return text;
}

/* `go_through` lets workers do what was asked for, and `harm` is what happens to them meanwhile. */
static void
play_scene(const struct scene *scene, void (*go_through)(const char *harm), const char *harm)
{
    struct place place = new_place();
    char body[4096], name[128];
    id update;
    snprintf(name, sizeof(name), "orders%s", scene->below == NULL ? "" : scene->below);
    played.restore_fails = scene->restore_fails;
    if (scene->before != NULL) {
        assert_asks(place, "createGroupCluster", "", with_backups(scene->before), "OK");
        settle();
        assert_int_equal(events_of(place, scene->event), 0);
    }
    if (scene->also[0] != NULL) {
        assert_asks(place, scene->also[0], "orders", scene->also[1], "OK");
        settle();
    }
    if (scene->kind == &cluster_create_job)
        snprintf(body, sizeof(body), "%s", with_backups(THREE_IN_A));
    else if (scene->body != NULL && scene->body[0] == '{' && scene->body[1] == '"' &&
             strstr(scene->body, "providerName") != NULL)
        snprintf(body, sizeof(body), "%s", document(NULL, scene->body));
    else
        snprintf(body, sizeof(body), "%s", scene->body == NULL ? "" : scene->body);
    if (scene->drains)
        drain_host_of_primary(place);
    else if (scene->updates)
        assert_int_equal(start_rollout("17.7", "{}", &update), UPDATE_BEGUN);
    else
        assert_asks(place, scene->operation, name, body, "OK");
    go_through(harm);
    assert_no_orphans(harm);
    if (events_of(place, scene->event) != 1)
        fail_msg("%s: %d events %s", harm, events_of(place, scene->event), scene->event);
    if (scene->updates) {
        assert_string_equal(fixture_ask("SELECT state FROM fleet_update ORDER BY created_at DESC LIMIT 1"), "DONE");
        assert_int_equal(count("SELECT count(*) FROM cluster_member WHERE version <> '17.7'"), 0);
        /* Each once, and the old primary not at all: it started again as a replica. */
        if (count("SELECT sum(restart_nonce) FROM cluster_member") != 2)
            fail_msg("%s: %s restarts", harm, fixture_ask("SELECT sum(restart_nonce) FROM cluster_member"));
        played.installed = NULL;
    }
    fixture_ask("UPDATE host SET state = 'ACTIVE'");
    if (scene->kind != &cluster_delete_job) {
        assert_asks(place, "deleteGroupCluster", "orders", NULL, "OK");
        settle();
    }
    assert_string_equal(of_cluster(place, "orders", "1"), "");
    assert_no_orphans(harm);
    assert_int_equal(count("SELECT count(*) FROM cluster_member") + count("SELECT count(*) FROM dns_record") +
                         count("SELECT count(*) FROM host_task") + count("SELECT count(*) FROM backup_stanza") +
                         count("SELECT count(*) FROM resource WHERE kind = 'backupSchedule'"),
                     0);
}

#endif
