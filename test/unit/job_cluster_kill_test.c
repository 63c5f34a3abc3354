/* SPDX-License-Identifier: Apache-2.0 */
/* Workers that are killed at every place of every step of every job about clusters: another one goes on, and it ends as it should. */
#include "cluster_scenes.h"

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
    for (int64_t until = clock_steady_ms() + patient(30000); run_jobs_once(&worker) && clock_steady_ms() < until;)
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
    for (int64_t until = clock_steady_ms() + patient(60000); waitpid(child, &status, WNOHANG) == 0; play_agents()) {
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
}

static void
kill_anywhere_and_everything_ends_as_it_should(void **state)
{
    (void)state;
    int cells = 0;
    add_repository(1, "A", "2.55.1");
    played.has_backups = true;
    for (size_t i = 0; i < LENGTH(scenes); i++) {
        const struct job_kind *kind = scenes[i].kind;
        /* What fails does so in one step; before it both ways are the same. */
        size_t first = scenes[i].restore_fails ? job_step_find(kind, STR("wait-restored")) : 0;
        for (size_t step = first; step < kind->count; step++) {
            for (int moment = 0; moment < JOB_MOMENTS; moment++) {
                char failpoint[128];
                snprintf(failpoint, sizeof(failpoint), "job:%s:%s:%s", kind->name, kind->steps[step].name,
                         job_moment_names[moment]);
                play_scene(&scenes[i], survive, failpoint);
                cells += !scenes[i].restore_fails; /* the same places, on the way back */
            }
        }
    }
    int expected = 0;
    for (const struct job_kind *const *kind = all_job_kinds; *kind != NULL; kind++)
        expected += (strncmp((*kind)->name, "cluster.", 8) == 0 || strncmp((*kind)->name, "host.", 5) == 0 ||
                     strncmp((*kind)->name, "fleet.", 6) == 0) *
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
