/* SPDX-License-Identifier: Apache-2.0 */
/* The engine with its threads, and with workers in processes of their own that are killed at every place there is. */
#include "job_fixture.h"

#include <signal.h>
#include <sys/wait.h>

#include "base/failpoint.h"

static void
job_runs_through_all_its_steps(void **state)
{
    (void)state;
    struct place place = new_place();
    struct job_engine_config config = engine_config();
    struct job_engine *engine = start_engine(&config);
    id job = add_job(&three_kind, place);
    assert_true(comes_true(job, "state = 'DONE'", 5000));
    job_engine_free(engine);
    assert_string_equal(marks_of(place, job), "one,two,three");
    assert_string_equal(of_job(job, "step_number || '/' || step_count"), "3/3");
    assert_int_equal(history_count(job, "DONE"), 3);
    assert_string_equal(of_job(job, "finished_at >= started_at AND lease_until IS NULL"), "t");
}

/* Of some tries the best counts: a machine that does other things as well is slow now and then. Whoever is not told at all takes a
 * minute. */
enum { TRIES = 5, QUICK_MS = 200 };

static void
new_job_begins_within_200_ms(void **state)
{
    (void)state;
    struct job_engine_config config = engine_config();
    config.idle_ms = 60000; /* so that only the notification can be it */
    struct job_engine *engine = start_engine(&config);
    clock_sleep_ms(300); /* until it listens */
    bool is_quick = false;
    for (int i = 0; i < TRIES && !is_quick; i++) {
        id job = add_job(&three_kind, new_place());
        assert_true(comes_true(job, "state = 'DONE'", 5000));
        is_quick = strcmp(of_job(job, "started_at - created_at < interval '200ms'"), "t") == 0;
    }
    job_engine_free(engine);
    assert_true(is_quick);
}

static void
jobs_of_one_subject_run_in_order(void **state)
{
    (void)state;
    struct place place = new_place();
    struct job_engine_config config = engine_config();
    enum { JOBS = 6 };
    id jobs[JOBS];
    for (int i = 0; i < JOBS; i++)
        jobs[i] = add_job(&three_kind, place);
    config.threads = 6;
    struct job_engine *one = start_engine(&config), *other = start_engine(&config);
    assert_true(comes_true(jobs[JOBS - 1], "state = 'DONE'", 20000));
    job_engine_free(one);
    job_engine_free(other);
    for (int i = 0; i < JOBS; i++)
        assert_string_equal(marks_of(place, jobs[i]), "one,two,three");
    assert_string_equal(fixture_ask("SELECT count(*) FROM job a JOIN job b ON a.subject = b.subject AND a.seq < b.seq "
                                    "WHERE a.subject = %s AND b.started_at < a.finished_at",
                                    fixture_quote(place.subject)),
                        "0");
}

static void
notify(struct place place)
{
    char digits[ID_DIGITS + 1];
    id_write(place.subject, digits);
    fixture_ask("SELECT pg_notify('reeve_job', '%s')", digits);
}

static void
close_gate(void)
{
    atomic_store(&gate_is_open, false);
    atomic_store(&gate_looks, 0);
    atomic_store(&gate_look_ms, 0);
}

static void
waiting_step_wakes_on_notification_within_200_ms(void **state)
{
    (void)state;
    struct job_engine_config config = engine_config();
    config.wait = (struct backoff){ 120000, 120000 };
    config.idle_ms = 60000;
    struct job_engine *engine = start_engine(&config);
    clock_sleep_ms(300);
    int64_t best_ms = INT64_MAX;
    for (int i = 0; i < TRIES && best_ms > QUICK_MS; i++) {
        struct place place = new_place();
        close_gate();
        id job = add_job(&gate_kind, place);
        assert_true(comes_true(job, "waits_for = 'The gate is closed.' AND lease_until IS NULL", 5000));
        clock_sleep_ms(200);
        assert_int_equal(atomic_load(&gate_looks), 1);
        atomic_store(&gate_is_open, true);
        int64_t began_ms = clock_steady_ms();
        notify(place);
        assert_true(comes_true(job, "state = 'DONE'", 5000));
        int64_t took_ms = clock_steady_ms() - began_ms;
        best_ms = took_ms < best_ms ? took_ms : best_ms;
    }
    job_engine_free(engine);
    assert_in_range(best_ms, 0, QUICK_MS);
}

static void
notification_while_the_step_looks_is_not_lost(void **state)
{
    (void)state;
    struct place place = new_place();
    struct job_engine_config config = engine_config();
    config.wait = (struct backoff){ 120000, 120000 };
    config.idle_ms = 60000;
    close_gate();
    atomic_store(&gate_look_ms, 400); /* it has seen the closed gate, and goes on for so long */
    struct job_engine *engine = start_engine(&config);
    clock_sleep_ms(300);
    id job = add_job(&gate_kind, place);
    for (int i = 0; i < 500 && atomic_load(&gate_looks) == 0; i++)
        clock_sleep_ms(5);
    clock_sleep_ms(50);
    atomic_store(&gate_is_open, true);
    notify(place);
    assert_true(comes_true(job, "state = 'DONE'", 3000));
    job_engine_free(engine);
    close_gate();
}

static void
waiting_step_looks_again_by_itself(void **state)
{
    (void)state;
    struct place place = new_place();
    struct job_engine_config config = engine_config();
    close_gate();
    id job = add_job(&gate_kind, place);
    struct job_engine *engine = start_engine(&config);
    assert_true(comes_true(job, "try >= 4", 5000));
    atomic_store(&gate_is_open, true);
    assert_true(comes_true(job, "state = 'DONE'", 5000));
    job_engine_free(engine);
    assert_string_equal(marks_of(place, job), "begin,pass,look");
    assert_int_equal(history_count(job, "WAITS"), 1);
}

static void
overdue_is_told_once_a_step(void **state)
{
    (void)state;
    struct place place = new_place();
    struct job_engine_config config = engine_config();
    close_gate();
    id job = add_job(&gate_kind, place);
    struct job_engine *one = start_engine(&config), *other = start_engine(&config);
    assert_true(comes_true(job, "overdue_at IS NOT NULL", 5000));
    clock_sleep_ms(400);
    assert_int_equal(history_count(job, "OVERDUE"), 1);
    assert_string_equal(of_job(job, "state"), "RUNNING");
    atomic_store(&gate_is_open, true);
    assert_true(comes_true(job, "step = 'look' OR state = 'DONE'", 5000));
    assert_true(comes_true(job, "state = 'DONE'", 5000));
    job_engine_free(one);
    job_engine_free(other);
    assert_string_equal(of_job(job, "overdue_at IS NULL"), "t"); /* of the step that is */
}

static void
error_leaves_nothing_and_is_tried_again(void **state)
{
    (void)state;
    struct place place = new_place();
    struct job_engine_config config = engine_config();
    atomic_store(&errors_left, 3);
    id job = add_job(&err_kind, place);
    struct job_engine *engine = start_engine(&config);
    assert_true(comes_true(job, "state = 'DONE'", 10000));
    job_engine_free(engine);
    assert_string_equal(marks_of(place, job), "try"); /* once, though it was left four times */
    assert_int_equal(history_count(job, "ERROR"), 1); /* the same reason three times */
    assert_string_equal(fixture_ask("SELECT max(try) FROM job_history WHERE job_id = %s", fixture_quote(job)), "4");
}

static void
failed_job_ends_and_lets_the_next_go_on(void **state)
{
    (void)state;
    struct place place = new_place();
    struct job_engine_config config = engine_config();
    id failing = add_job(&fail_kind, place), next = add_job(&three_kind, place);
    struct job_engine *engine = start_engine(&config);
    assert_true(comes_true(next, "state = 'DONE'", 5000));
    job_engine_free(engine);
    assert_string_equal(of_job(failing, "state || ' ' || step || ' ' || waits_for"), "FAILED try It cannot be.");
    assert_string_equal(marks_of(place, failing), "try"); /* what it changed stays */
    assert_int_equal(history_count(failing, "FAILED"), 1);
}

static void
stop_finishes_the_running_step_and_leaves_the_rest_to_others(void **state)
{
    (void)state;
    struct place place = new_place();
    struct job_engine_config config = engine_config();
    close_gate();
    atomic_store(&gate_is_open, true);
    atomic_store(&gate_look_ms, 400);
    id job = add_job(&gate_kind, place);
    struct job_engine *engine = start_engine(&config);
    for (int i = 0; i < 500 && atomic_load(&gate_looks) == 0; i++)
        clock_sleep_ms(5);
    job_engine_free(engine); /* while it looks for the first time */
    assert_int_equal(atomic_load(&gate_looks), 1);
    assert_string_equal(of_job(job, "state || ' ' || step || ' ' || failures"), "RUNNING look 0");
    assert_string_equal(of_job(job, "lease_until IS NULL AND next_run_at <= now()"), "t");
    assert_string_equal(marks_of(place, job), "begin,pass");
    engine = start_engine(&config);
    assert_true(comes_true(job, "state = 'DONE'", 5000));
    job_engine_free(engine);
    close_gate();
}

static void
unknown_kind_is_left_alone(void **state)
{
    (void)state;
    static const struct job_kind foreign = { "test.foreign", "Of a newer version.", three_steps, LENGTH(three_steps) };
    struct place place = new_place(), other = new_place();
    struct job_engine_config config = engine_config();
    id unknown = add_job(&foreign, place), known = add_job(&three_kind, other);
    struct job_engine *engine = start_engine(&config);
    assert_true(comes_true(known, "state = 'DONE'", 5000));
    job_engine_free(engine);
    assert_string_equal(of_job(unknown, "state || lease_epoch"), "QUEUED0");
    fixture_ask("DELETE FROM job WHERE id = %s", fixture_quote(unknown));
}

static void
sweep_is_run_by_one_of_many_workers(void **state)
{
    (void)state;
    struct job_engine_config config = engine_config();
    struct job_engine *engines[4];
    config.sweeps = test_sweeps;
    for (size_t i = 0; i < LENGTH(engines); i++)
        engines[i] = start_engine(&config);
    clock_sleep_ms(1500); /* each has asked more than once */
    assert_int_equal(atomic_load(&sweeps_run), 1);
    fixture_ask("UPDATE sweep SET next_run_at = now()");
    for (int i = 0; i < 400 && atomic_load(&sweeps_run) < 2; i++)
        clock_sleep_ms(10);
    clock_sleep_ms(700);
    assert_int_equal(atomic_load(&sweeps_run), 2);
    for (size_t i = 0; i < LENGTH(engines); i++)
        job_engine_free(engines[i]);
    assert_string_equal(fixture_ask("SELECT succeeded_at >= started_at AND lease_until IS NULL FROM sweep"), "t");
}

static atomic_bool may_end;

static error
wait_in_sweep(struct sweep_context *context)
{
    (void)context;
    while (!atomic_load(&may_end))
        clock_sleep_ms(10);
    return OK;
}

/* What a worker that died in a sweep leaves behind is its lease. */
static void
sweep_has_a_lease_of_its_own(void **state)
{
    (void)state;
    static const struct sweep hurried = {
        .name = "hurried", .doc = "Waits.", .every_s = 3600, .lease_s = 30, .run = wait_in_sweep
    };
    static const struct sweep usual = { .name = "usual", .doc = "Waits.", .every_s = 3600, .run = wait_in_sweep };
    static const struct sweep *const lists[][2] = { { &hurried, NULL }, { &usual, NULL } };
    static const char *const leases[] = { "00:00:30", "00:05:00" };
    for (size_t i = 0; i < LENGTH(lists); i++) {
        struct job_engine_config config = engine_config();
        config.sweeps = lists[i];
        atomic_store(&may_end, false);
        struct job_engine *engine = start_engine(&config);
        const char *lease = "";
        for (int look = 0; look < 500 && *lease == '\0'; look++) {
            clock_sleep_ms(10);
            lease = fixture_ask("SELECT lease_until - started_at FROM sweep WHERE name = '%s'", lists[i][0]->name);
        }
        assert_string_equal(lease, leases[i]);
        atomic_store(&may_end, true);
        job_engine_free(engine);
    }
}

/* ---- Processes that are killed ---- */

/* A worker of its own, until no job is left. */
static int
work(const char *dsn)
{
    snprintf(fixture_dsn, sizeof(fixture_dsn), "%s", dsn);
    if (!failpoint_init(getenv(FAILPOINT_VARIABLE), stderr))
        return 2;
    json_init();
    struct store_config store_config = fixture_config();
    store_config.pool_wait_ms = 5000;
    store = store_new(&store_config);
    PGconn *pg = PQconnectdb(dsn);
    struct job_engine_config config = engine_config();
    struct job_engine *engine = job_engine_new(&config);
    if (store == NULL || engine == NULL)
        return 2;
    for (int i = 0; i < 2000; i++) {
        PGresult *result = PQexec(pg, "SELECT FROM job WHERE finished_at IS NULL");
        int left = PQresultStatus(result) == PGRES_TUPLES_OK ? PQntuples(result) : -1;
        PQclear(result);
        if (left == 0)
            break;
        clock_sleep_ms(10);
    }
    job_engine_free(engine);
    store_free(store);
    PQfinish(pg);
    return 0;
}

/* The wait status of a worker with these fail points. */
static int
run_worker(const char *failpoints)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (failpoints == NULL)
            unsetenv(FAILPOINT_VARIABLE);
        else
            setenv(FAILPOINT_VARIABLE, failpoints, 1);
        execl("/proc/self/exe", "job_engine_test", "--work", fixture_dsn, (char *)NULL);
        _exit(3);
    }
    int status = 0;
    for (int i = 0; i < 3000; i++) {
        pid_t ended = waitpid(child, &status, WNOHANG);
        assert_true(ended >= 0);
        if (ended == child)
            return status;
        clock_sleep_ms(10);
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    fail_msg("the worker with %s did not end", failpoints);
    return -1;
}

static void
kill_at_every_place_of_every_step_leaves_each_effect_once(void **state)
{
    (void)state;
    for (size_t step = 0; step < three_kind.count; step++) {
        for (int moment = 0; moment < JOB_MOMENTS; moment++) {
            struct place place = new_place();
            id job = add_job(&three_kind, place);
            char failpoints[256];
            snprintf(failpoints, sizeof(failpoints), "job:%s:%s:%s=kill", three_kind.name, three_kind.steps[step].name,
                     job_moment_names[moment]);
            int status = run_worker(failpoints);
            if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
                fail_msg("%s: nobody was killed", failpoints);
            /* What was committed is exactly what had to be. */
            size_t committed = step + (moment == AFTER_COMMIT);
            int64_t marks;
            char digits[ID_DIGITS + 1];
            id_write(job, digits);
            assert_true(str_to_int(str_from(fixture_ask("SELECT count(*) FROM event WHERE org_id = %s",
                                                        fixture_quote(place.organization))),
                                   0, 100, &marks));
            if ((size_t)marks != committed)
                fail_msg("%s: %d effects are there", failpoints, (int)marks);
            bool is_over = committed == three_kind.count;
            assert_string_equal(of_job(job, "state"), is_over ? "DONE" : "RUNNING");
            if (!is_over) {
                assert_string_equal(of_job(job, "failures"), "1"); /* the penalty, for a try that nobody reported */
                assert_int_equal(run_worker(NULL), 0);
            }
            assert_string_equal(of_job(job, "state"), "DONE");
            assert_string_equal(marks_of(place, job), "one,two,three");
            assert_int_equal(history_count(job, "DONE"), 3);
        }
    }
}

static void
worker_that_is_stopped_in_a_step_loses_it_to_another(void **state)
{
    (void)state;
    struct place place = new_place();
    id job = add_job(&three_kind, place);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setenv(FAILPOINT_VARIABLE, "job:test.three:one:after-commit=stop", 1);
        execl("/proc/self/exe", "job_engine_test", "--work", fixture_dsn, (char *)NULL);
        _exit(3);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, WUNTRACED), child);
    assert_true(WIFSTOPPED(status));
    assert_int_equal(run_worker(NULL), 0);
    assert_string_equal(of_job(job, "state"), "DONE");
    /* It wakes up in the belief that it has the job, and finds that it has not. */
    assert_int_equal(kill(child, SIGCONT), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_string_equal(marks_of(place, job), "one,two,three");
    assert_int_equal(history_count(job, "DONE"), 3);
}

static void
fail_points_are_listed(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    job_failpoints_print(test_kinds, test_sweeps, out);
    (void)fclose(out);
    assert_non_null(strstr(text, "job:test.three:two:after-effect\n"));
    assert_non_null(strstr(text, "sweep:test-sweep:before-effect\n"));
    size_t lines = 0;
    for (const char *at = text; *at != '\0'; at++)
        lines += *at == '\n';
    assert_int_equal(lines, 3 * (3 + 3 + 2 + 1 + 1));
    free(text);
}

int
main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--work") == 0)
        return work(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(job_runs_through_all_its_steps),
        cmocka_unit_test(new_job_begins_within_200_ms),
        cmocka_unit_test(jobs_of_one_subject_run_in_order),
        cmocka_unit_test(waiting_step_wakes_on_notification_within_200_ms),
        cmocka_unit_test(notification_while_the_step_looks_is_not_lost),
        cmocka_unit_test(waiting_step_looks_again_by_itself),
        cmocka_unit_test(overdue_is_told_once_a_step),
        cmocka_unit_test(error_leaves_nothing_and_is_tried_again),
        cmocka_unit_test(failed_job_ends_and_lets_the_next_go_on),
        cmocka_unit_test(stop_finishes_the_running_step_and_leaves_the_rest_to_others),
        cmocka_unit_test(unknown_kind_is_left_alone),
        cmocka_unit_test(sweep_is_run_by_one_of_many_workers),
        cmocka_unit_test(sweep_has_a_lease_of_its_own),
        cmocka_unit_test(fail_points_are_listed),
        cmocka_unit_test(kill_at_every_place_of_every_step_leaves_each_effect_once),
        cmocka_unit_test(worker_that_is_stopped_in_a_step_loses_it_to_another),
    };
    return cmocka_run_group_tests(tests, job_set_up, job_tear_down);
}
