/* SPDX-License-Identifier: Apache-2.0 */
/* open_store_fixture.h, and for sweeps that concern money: a clock of the test's own, and processes that are killed. */
#ifndef TEST_UNIT_SWEEP_FIXTURE_H
#define TEST_UNIT_SWEEP_FIXTURE_H

#include "open_store_fixture.h"

#include <signal.h>
#include <sys/wait.h>

#include "base/failpoint.h"
#include "base/json.h"
#include "job/kinds.h"

/* What billing takes for the time from now on. */
static void
fixture_make_clock(int64_t now_s)
{
    fixture_ask("CREATE TABLE test_clock (now_s bigint)");
    fixture_ask("GRANT SELECT ON test_clock TO reeve_reader, reeve_tenant");
    fixture_ask("INSERT INTO test_clock VALUES (%lld)", (long long)now_s);
    fixture_ask("CREATE OR REPLACE FUNCTION billing_now() RETURNS timestamptz LANGUAGE sql VOLATILE AS "
                "$$ SELECT to_timestamp(now_s) FROM test_clock $$");
}

static void
fixture_set_clock(int64_t now_s)
{
    fixture_ask("UPDATE test_clock SET now_s = %lld", (long long)now_s);
}

/* Whether this process is one that fixture_is_killed() started; then it sweeps, and *ret_status is its exit status. */
static bool
fixture_is_sweeper(int argc, char **argv, const struct sweep *sweep, const struct job_environment *environment,
                   int *ret_status)
{
    if (argc != 3 || strcmp(argv[1], "--sweep") != 0)
        return false;
    struct store_config config = fixture_config();
    config.dsn = argv[2];
    json_init();
    *ret_status = 2;
    if (!failpoint_init(getenv(FAILPOINT_VARIABLE), stderr))
        return true;
    struct store *own = store_new(&config);
    struct arena *arena = arena_new(FIXTURE_ARENA_BYTES);
    struct sweep_context context = { own, arena, environment };
    *ret_status = sweep->run(&context) == OK ? 0 : 1;
    arena_free(arena);
    store_free(own);
    return true;
}

/* The sweep in a process of its own, with fail points: killed, or else it ends well. */
static bool
fixture_is_killed(const char *failpoints)
{
    int status = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setenv(FAILPOINT_VARIABLE, failpoints, 1);
        execl("/proc/self/exe", "sweeper", "--sweep", fixture_dsn, (char *)NULL);
        _exit(3);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
    return WIFSIGNALED(status);
}

#endif
