/* SPDX-License-Identifier: Apache-2.0 */
/* The threads that send points, with a control plane that is this test: every call of control_points() comes here. */
#include "arena_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/control.h"
#include "agent/internal.h"
#include "agent/monitor/delivery.h"
#include "agent/monitor/monitor.h"
#include "agent/monitor/spool.h"
#include "base/clock.h"
#include "base/disk.h"
#include "base/steady_cond.h"

enum { MOST_TAKEN = 64 * 1024, WAIT_MS = 120 * 1000 };

/* ---- The control plane ---- */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    int64_t stores;
    bool is_away[DELIVERY_MOST_STORES];
    const char *started[DELIVERY_MOST_STORES];
    char taken[DELIVERY_MOST_STORES][MOST_TAKEN];
    int asked[DELIVERY_MOST_STORES];
} control;

error __wrap_control_points(struct caller *caller, struct arena *answer_arena, const struct state *state, int store,
                            str batch, struct control_points *ret_points);

/* A batch with "bad" in it is refused. */
error
__wrap_control_points(struct caller *caller, struct arena *answer_arena, const struct state *state, int store,
                      str batch, struct control_points *ret_points)
{
    (void)caller;
    (void)state;
    error why = OK;
    pthread_mutex_lock(&lock);
    control.asked[store]++;
    *ret_points =
        (struct control_points){ .stores = control.stores, .started = STR_EMPTY, .detail = STR("line 1 is bad.") };
    if (control.is_away[store])
        why = problem(answer_arena, "The store is away.");
    else if (store >= control.stores)
        ret_points->verdict = CONTROL_POINTS_NO_STORE;
    else if (strstr(batch.data, "bad") != NULL)
        ret_points->verdict = CONTROL_POINTS_REFUSED;
    else {
        ret_points->verdict = CONTROL_POINTS_TAKEN;
        ret_points->started = str_from(control.started[store]);
        strncat(control.taken[store], batch.data, MOST_TAKEN - strlen(control.taken[store]) - 1);
    }
    pthread_mutex_unlock(&lock);
    return why;
}

static bool
has_taken(int store, const char *text)
{
    pthread_mutex_lock(&lock);
    bool has = strstr(control.taken[store], text) != NULL;
    pthread_mutex_unlock(&lock);
    return has;
}

static void
wait_for(int store, const char *text)
{
    int64_t until = clock_steady_ms() + WAIT_MS;
    while (!has_taken(store, text)) {
        if (clock_steady_ms() > until)
            fail_msg("store %d never got %s", store, text);
        clock_sleep_ms(50);
    }
}

/* ---- The agent ---- */
static struct state state_on_disk;
static struct agent *agent;
static char folder[] = "/tmp/reeve-sender-XXXXXX";

static int
start_agent(void **state)
{
    if (open_arena(state) != 0 || mkdtemp(folder) == NULL)
        return 1;
    state_on_disk = state_in(arena, str_from(folder));
    state_on_disk.url = STR("https://control");
    agent = calloc(1, sizeof(*agent));
    agent->config.state = &state_on_disk;
    pthread_mutex_init(&agent->lock, NULL);
    steady_cond_init(&agent->end_wanted);
    control.started[0] = control.started[1] = "first";
    return monitor_open(agent, arena) != OK || !monitor_start(agent);
}

static int
end_agent(void **state)
{
    agent_end(agent, AGENT_STOPPED);
    clock_sleep_ms(1500); /* its threads look every half second */
    assert_true(disk_remove_tree(folder));
    return close_arena(state);
}

static void
append(const char *line)
{
    assert_true(spool_append(monitor_spool(agent->monitor), str_from(line), 1));
}

/* ---- In this order ---- */
static void
without_a_store_nothing_is_measured(void **state)
{
    (void)state;
    clock_sleep_ms(1500);
    assert_false(monitor_is_on(agent->monitor));
    assert_true(control.asked[0] >= 1);
    assert_int_equal(control.asked[1], 0);
}

static void
a_store_that_appears_is_found_and_others_with_it(void **state)
{
    (void)state;
    pthread_mutex_lock(&lock);
    control.stores = 2;
    pthread_mutex_unlock(&lock);
    int64_t until = clock_steady_ms() + WAIT_MS; /* it asks once a minute */
    while (!monitor_is_on(agent->monitor) && clock_steady_ms() < until)
        clock_sleep_ms(100);
    assert_true(monitor_is_on(agent->monitor));
    append("one\n");
    wait_for(0, "one\n");
    wait_for(1, "one\n");
}

static void
one_that_is_away_holds_up_nobody_and_gets_everything_later(void **state)
{
    (void)state;
    pthread_mutex_lock(&lock);
    control.is_away[1] = true;
    pthread_mutex_unlock(&lock);
    append("two\n");
    wait_for(0, "two\n");
    append("three\n");
    wait_for(0, "three\n");
    assert_false(has_taken(1, "two\n"));
    pthread_mutex_lock(&lock);
    control.is_away[1] = false;
    pthread_mutex_unlock(&lock);
    wait_for(1, "two\nthree\n");
}

/* None of what it took was confirmed yet, so all of it comes again. */
static void
another_process_of_a_store_gets_it_again(void **state)
{
    (void)state;
    pthread_mutex_lock(&lock);
    control.started[0] = "second";
    control.taken[0][0] = '\0';
    pthread_mutex_unlock(&lock);
    append("four\n");
    wait_for(0, "one\n");
    wait_for(0, "three\nfour\n");
}

static void
what_is_refused_is_lost_alone(void **state)
{
    (void)state;
    append("before\n");
    append("bad\n");
    append("behind\n");
    wait_for(0, "before\n");
    wait_for(0, "behind\n");
    wait_for(1, "behind\n");
    assert_false(has_taken(0, "bad"));
}

static void
when_the_stores_are_gone_nothing_is_kept(void **state)
{
    (void)state;
    pthread_mutex_lock(&lock);
    control.stores = 0;
    pthread_mutex_unlock(&lock);
    append("last\n");
    int64_t until = clock_steady_ms() + WAIT_MS;
    while (monitor_is_on(agent->monitor) && clock_steady_ms() < until)
        clock_sleep_ms(50);
    assert_false(monitor_is_on(agent->monitor));
    assert_int_equal(spool_bytes(monitor_spool(agent->monitor)), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_store_nothing_is_measured),
        cmocka_unit_test(a_store_that_appears_is_found_and_others_with_it),
        cmocka_unit_test(one_that_is_away_holds_up_nobody_and_gets_everything_later),
        cmocka_unit_test(another_process_of_a_store_gets_it_again),
        cmocka_unit_test(what_is_refused_is_lost_alone),
        cmocka_unit_test(when_the_stores_are_gone_nothing_is_kept),
    };
    return cmocka_run_group_tests(tests, start_agent, end_agent);
}
