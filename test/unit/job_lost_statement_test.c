/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every statement of every step of every job about clusters is lost once, with its connection: the step ends there, runs
 * again, and the job ends as it should. Nothing more is asked of the store by a step that has lost one: what it did not read would be
 * taken for what is not there.
 */
#include "cluster_scenes.h"

#include "store/fault.h"

enum { MOST_MS = 10 * 60 * 1000 }; /* a step for each of more than a hundred losses, and a wait after it */

static struct {
    bool is_on;
    const char *lost; /* in the transaction that is open now; NULL: nothing */
    bool before[SQL_COUNT];
    int count, total;
} losses;

/* The linker sends every call of these from another file here. */
error __real_tx_begin(struct store *store, struct arena *arena, id organization, struct tx **ret_tx);
error __real_tx_begin_service(struct store *store, struct arena *arena, struct tx **ret_tx);
error __real_tx_query(struct tx *tx, enum sql statement, const struct params *params, struct rows *ret_rows,
                      struct violation *ret_violation);
error __real_tx_commit(struct tx *tx);
error __real_store_read(struct store *store, struct arena *arena, enum sql statement, const struct params *params,
                        struct rows *ret_rows);
error __wrap_tx_begin(struct store *store, struct arena *arena, id organization, struct tx **ret_tx);
error __wrap_tx_begin_service(struct store *store, struct arena *arena, struct tx **ret_tx);
error __wrap_tx_query(struct tx *tx, enum sql statement, const struct params *params, struct rows *ret_rows,
                      struct violation *ret_violation);
error __wrap_tx_commit(struct tx *tx);
error __wrap_store_read(struct store *store, struct arena *arena, enum sql statement, const struct params *params,
                        struct rows *ret_rows);

/* The next step may lose the same ones again, but for those of the queue itself, which are the same in every step. */
static void
begin_next_step(void)
{
    for (size_t i = 0; i < SQL_COUNT; i++)
        losses.before[i] = losses.before[i] && strncmp(sql_rows[i].name, "job_", 4) == 0;
}

static void
assert_nothing_is_lost(const char *next)
{
    if (losses.lost != NULL)
        fail_msg("%s was lost, and then there was %s", losses.lost, next);
}

/* Whether this one is to be lost now. */
static bool
lose(enum sql statement)
{
    if (statement == SQL_JOB_DUE) { /* asked by the fixture: the worker begins anew */
        losses.lost = NULL;
        return false;
    }
    assert_nothing_is_lost(sql_rows[statement].name);
    if (!losses.is_on || losses.before[statement])
        return false;
    losses.before[statement] = true;
    losses.lost = sql_rows[statement].name;
    losses.count++;
    return true;
}

error
__wrap_tx_begin(struct store *in, struct arena *arena, id organization, struct tx **ret_tx)
{
    losses.lost = NULL;
    return __real_tx_begin(in, arena, organization, ret_tx);
}

error
__wrap_tx_begin_service(struct store *in, struct arena *arena, struct tx **ret_tx)
{
    losses.lost = NULL;
    return __real_tx_begin_service(in, arena, ret_tx);
}

error
__wrap_tx_query(struct tx *tx, enum sql statement, const struct params *params, struct rows *ret_rows,
                struct violation *ret_violation)
{
    if (lose(statement))
        fixture_ask("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() "
                    "AND state LIKE 'idle in transaction%%'");
    else if (statement == SQL_JOB_NEXT_STEP)
        begin_next_step();
    return __real_tx_query(tx, statement, params, ret_rows, ret_violation);
}

error
__wrap_tx_commit(struct tx *tx)
{
    assert_nothing_is_lost("a commit");
    return __real_tx_commit(tx);
}

error
__wrap_store_read(struct store *in, struct arena *arena, enum sql statement, const struct params *params,
                  struct rows *ret_rows)
{
    return lose(statement) ? &fault_unavailable : __real_store_read(in, arena, statement, params, ret_rows);
}

static void
lose_every_statement_once(const char *harm)
{
    (void)harm;
    memset(losses.before, 0, sizeof(losses.before));
    losses.count = 0;
    losses.is_on = true;
    settle_for(MOST_MS);
    losses.is_on = false;
    losses.lost = NULL;
    losses.total += losses.count;
    assert_true(losses.count > 10);
}

static void
a_step_that_loses_a_statement_ends_there_and_runs_again(void **state)
{
    (void)state;
    add_repository(1, "A", "2.55.1");
    played.has_backups = true;
    for (size_t i = 0; i < LENGTH(scenes); i++)
        play_scene(&scenes[i], lose_every_statement_once, scenes[i].kind->name);
    print_message("%d statements were lost in %zu kinds of jobs\n", losses.total, LENGTH(scenes));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_that_loses_a_statement_ends_there_and_runs_again),
    };
    return cmocka_run_group_tests(tests, backup_set_up, backup_tear_down);
}
