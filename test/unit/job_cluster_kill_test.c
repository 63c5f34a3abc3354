/* SPDX-License-Identifier: Apache-2.0 */
/* Workers that are killed at every place of every step of every job about clusters: another one goes on, and it ends as it should. */
#include "backup_fixture.h"

#include <signal.h>
#include <sys/wait.h>

#include "base/failpoint.h"

/* A worker of its own, until no job is left. */
static int
work(const char *dsn)
{
    snprintf(fixture_dsn, sizeof(fixture_dsn), "%s", dsn);
    if (!failpoint_init(getenv(FAILPOINT_VARIABLE), stderr))
        return 2;
    json_init();
    struct store_config config = fixture_config();
    config.pool_wait_ms = 5000;
    config.statement_timeout_ms = 10000;
    store = store_new(&config);
    fixture_owner = PQconnectdb(dsn);
    struct job_runner worker = runner();
    for (int64_t until = clock_steady_ms() + 30000; run_jobs_once(&worker) && clock_steady_ms() < until;)
        clock_sleep_ms(2);
    PQfinish(fixture_owner);
    store_free(store);
    return 0;
}

/* Starts a worker that dies there, plays the agents until it has, and lets another one finish. */
static void
survive(const char *failpoint)
{
    char value[256];
    snprintf(value, sizeof(value), "%s=kill", failpoint);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setenv(FAILPOINT_VARIABLE, value, 1);
        execl("/proc/self/exe", "job_cluster_kill_test", "--work", fixture_dsn, (char *)NULL);
        _exit(3);
    }
    int status = 0;
    for (int64_t until = clock_steady_ms() + 60000; waitpid(child, &status, WNOHANG) == 0; play_agents()) {
        if (clock_steady_ms() > until) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            fail_msg("the worker did not reach %s", failpoint);
        }
        clock_sleep_ms(2);
    }
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
        fail_msg("the worker ended without reaching %s", failpoint);
    settle();
    assert_no_orphans(failpoint);
}

/* What has to be there, what is asked for, and which event says that it happened, once. */
struct scene {
    const struct job_kind *kind;
    const char *before;  /* regions of a cluster that is made first; NULL: none */
    const char *also[3]; /* operation and body before, waited for */
    const char *operation, *body, *event;
    bool drains;
};
static const struct scene scenes[] = {
    { &cluster_create_job, NULL, { 0 }, "createGroupCluster", NULL, "CLUSTER_READY", false },
    { &cluster_update_job,
      REGION("A", "M10", 3),
      { 0 },
      "updateGroupCluster",
      REGION("B", "M20", 2),
      "CLUSTER_UPDATE_COMPLETED",
      false },
    { &cluster_pause_job, THREE_IN_A, { 0 }, "updateGroupCluster", "{\"paused\": true}", "CLUSTER_PAUSED", false },
    { &cluster_resume_job,
      THREE_IN_A,
      { "updateGroupCluster", "{\"paused\": true}" },
      "updateGroupCluster",
      "{\"paused\": false}",
      "CLUSTER_RESUMED",
      false },
    { &cluster_restart_job,
      THREE_IN_A,
      { 0 },
      "restartGroupClusterPrimaries",
      NULL,
      "CLUSTER_PRIMARY_RESTARTED",
      false },
    { &outage_start_job,
      REGION("A", "M10", 2) "," REGION("B", "M10", 1),
      { 0 },
      "startGroupClusterOutageSimulation",
      "{\"outageFilters\": [{\"cloudProvider\": \"P\", \"regionName\": \"A\"}]}",
      "CLUSTER_REGION_OUTAGE_STARTED",
      false },
    { &outage_end_job,
      REGION("A", "M10", 2) "," REGION("B", "M10", 1),
      { "startGroupClusterOutageSimulation",
        "{\"outageFilters\": [{\"cloudProvider\": \"P\", \"regionName\": \"A\"}]}" },
      "endGroupClusterOutageSimulation",
      NULL,
      "CLUSTER_REGION_OUTAGE_ENDED",
      false },
    { &sample_load_job, THREE_IN_A, { 0 }, "requestGroupSampleDatasetLoad", NULL, "SAMPLE_DATASET_LOADED", false },
    { &cluster_move_job, THREE_IN_A, { 0 }, NULL, NULL, "CLUSTER_MEMBERS_MOVED", true },
    { &host_drain_job, THREE_IN_A, { 0 }, NULL, NULL, "CLUSTER_MEMBERS_MOVED", true },
    { &cluster_delete_job, THREE_IN_A, { 0 }, "deleteGroupCluster", NULL, "CLUSTER_DELETED", false },
};

/* Every cluster here has backups, so that no step about them has nothing to do. */
static const char *
with_backups(const char *regions)
{
    static char text[4096];
    snprintf(text, sizeof(text), "{\"backupEnabled\": true, %s", document("orders", regions) + 1);
    return text;
}

static void
play_scene(const struct scene *scene, const char *failpoint)
{
    struct place place = new_place();
    char body[4096];
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
    else
        assert_asks(place, scene->operation, "orders", body, "OK");
    survive(failpoint);
    if (events_of(place, scene->event) != 1)
        fail_msg("%s: %d events %s", failpoint, events_of(place, scene->event), scene->event);
    fixture_ask("UPDATE host SET state = 'ACTIVE'");
    if (scene->kind != &cluster_delete_job) {
        assert_asks(place, "deleteGroupCluster", "orders", NULL, "OK");
        settle();
    }
    assert_string_equal(of_cluster(place, "orders", "1"), "");
    assert_no_orphans(failpoint);
    assert_int_equal(count("SELECT count(*) FROM cluster_member") + count("SELECT count(*) FROM dns_record") +
                         count("SELECT count(*) FROM host_task") + count("SELECT count(*) FROM backup_stanza") +
                         count("SELECT count(*) FROM resource WHERE kind = 'backupSchedule'"),
                     0);
}

static void
kill_anywhere_and_everything_ends_as_it_should(void **state)
{
    (void)state;
    int cells = 0;
    add_repository(1, "A", "2.55.1");
    for (size_t i = 0; i < LENGTH(scenes); i++) {
        const struct job_kind *kind = scenes[i].kind;
        for (size_t step = 0; step < kind->count; step++) {
            for (int moment = 0; moment < JOB_MOMENTS; moment++, cells++) {
                char failpoint[128];
                snprintf(failpoint, sizeof(failpoint), "job:%s:%s:%s", kind->name, kind->steps[step].name,
                         job_moment_names[moment]);
                play_scene(&scenes[i], failpoint);
            }
        }
    }
    int expected = 0;
    for (const struct job_kind *const *kind = all_job_kinds; *kind != NULL; kind++)
        expected += (strncmp((*kind)->name, "cluster.", 8) == 0 || strncmp((*kind)->name, "host.", 5) == 0) *
                    (int)(*kind)->count * JOB_MOMENTS;
    print_message("killed at %d places of %zu kinds of jobs\n", cells, LENGTH(scenes));
    assert_int_equal(cells, expected); /* every step of every kind about clusters */
}

int
main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--work") == 0)
        return work(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kill_anywhere_and_everything_ends_as_it_should),
    };
    return cmocka_run_group_tests(tests, backup_set_up, backup_tear_down);
}
