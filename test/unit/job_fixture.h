/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs for tests: kinds whose steps have effects that can be counted, and engines that have little time. */
#ifndef TEST_UNIT_JOB_FIXTURE_H
#define TEST_UNIT_JOB_FIXTURE_H

#include "store_fixture.h"

#include <stdatomic.h>

#include "base/clock.h"
#include "base/json.h"
#include "job/engine.h"
#include "job/run.h"
#include "store/event/event.h"

static struct store *store;

/* ---- Kinds ---- */

/* The effect: an event of the organization, written in the transaction of the step, so there is one for each time that the step
 * was done. */
static error
leave_mark(struct job_context *context)
{
    struct event_draft draft = {
        .type = EVENT_RESOURCE_UPDATED,
        .organization = context->job->organization,
        .actor_name = STR("test"),
        .actor_kind = STR("SERVICE"),
        .after =
            json_in(context->arena, json_pack("{s:s, s:s}", "step", str_dup(context->arena, context->job->step).data,
                                              "job", id_text(context->arena, context->job->id).data)),
    };
    id event;
    return store_event_add(context->tx, &draft, &event);
}

static error
do_mark(struct job_context *context, struct job_result *ret_result)
{
    *ret_result = (struct job_result){ .outcome = STEP_DONE };
    return leave_mark(context);
}

/* Waits until the gate is open. How often it looked, and how long each look takes. */
static atomic_bool gate_is_open;
static atomic_int gate_looks;
static atomic_llong gate_look_ms;

static error
do_wait(struct job_context *context, struct job_result *ret_result)
{
    bool is_open = atomic_load(&gate_is_open);
    atomic_fetch_add(&gate_looks, 1);
    if (atomic_load(&gate_look_ms) > 0)
        clock_sleep_ms(atomic_load(&gate_look_ms));
    *ret_result = (struct job_result){ .outcome = is_open ? STEP_DONE : STEP_WAITS, .why = STR("The gate is closed.") };
    return is_open ? leave_mark(context) : OK;
}

static error
do_fail(struct job_context *context, struct job_result *ret_result)
{
    *ret_result = (struct job_result){ .outcome = STEP_FAILED, .why = STR("It cannot be.") };
    return leave_mark(context);
}

/* Leaves a mark and ends in an error, so many times. */
static atomic_int errors_left;

static error
do_err(struct job_context *context, struct job_result *ret_result)
{
    TRY(leave_mark(context));
    if (atomic_fetch_sub(&errors_left, 1) > 0)
        return fail(context->arena, OVERLOADED);
    *ret_result = (struct job_result){ .outcome = STEP_DONE };
    return OK;
}

// clang-format off
static const struct job_step_row three_steps[] = {
    { "one",   "Does the first thing.",  do_mark, 60 },
    { "two",   "Does the second thing.", do_mark, 60 },
    { "three", "Does the third thing.",  do_mark, 60 },
};
static const struct job_step_row gate_steps[] = {
    { "begin", "Begins.",                         do_mark, 60 },
    { "pass",  "Waits until the gate is open.",   do_wait, 1 },
    { "look",  "Waits until it is open again.",   do_wait, 1 },
};
static const struct job_step_row fail_steps[] = { { "try", "Tries.", do_fail, 60 }, { "never", "Is not reached.", do_mark, 60 } };
static const struct job_step_row err_steps[] = { { "try", "Tries.", do_err, 60 } };

static const struct job_kind three_kind = { "test.three", "Three things.", three_steps, LENGTH(three_steps) };
static const struct job_kind gate_kind = { "test.gate", "Passes a gate.", gate_steps, LENGTH(gate_steps) };
static const struct job_kind fail_kind = { "test.fail", "Fails.", fail_steps, LENGTH(fail_steps) };
static const struct job_kind err_kind = { "test.err", "Errs.", err_steps, LENGTH(err_steps) };
// clang-format on
static const struct job_kind *const test_kinds[] = { &three_kind, &gate_kind, &fail_kind, &err_kind, NULL };

static atomic_int sweeps_run;

static error
do_sweep(struct sweep_context *context)
{
    (void)context;
    atomic_fetch_add(&sweeps_run, 1);
    return OK;
}

static const struct sweep test_sweep = { .name = "test-sweep", .doc = "Counts.", .every_s = 3600, .run = do_sweep };
static const struct sweep *const test_sweeps[] = { &test_sweep, NULL };
static const struct sweep *const no_sweeps[] = { NULL };

/* ---- Jobs ---- */

static const struct job_pace test_pace = { .lease_ms = 400, .backoff = { 60, 300 } };

/* An organization with a project of its own, and a subject. Ids are counted from `base`. */
struct place {
    id organization, project, subject;
};

static __attribute__((unused)) struct place
new_place(void)
{
    static uint32_t base = 100;
    base += 10;
    struct place place = { fixture_id(base), fixture_id(base + 1), fixture_id(base + 2) };
    fixture_add_organization(place.organization);
    fixture_add_project(place.project, place.organization);
    return place;
}

static __attribute__((unused)) id
add_job(const struct job_kind *kind, struct place place)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    id job = ID_NONE;
    assert_ok(tx_begin(store, arena, place.organization, &tx));
    struct job_draft draft = {
        .organization = place.organization,
        .project = place.project,
        .subject = place.subject,
        .subject_name = STR("orders"),
        .generation = 7,
        .payload = STR("{\"a\": 1}"),
    };
    assert_ok(job_add(tx, kind, draft, &job));
    assert_ok(tx_commit(tx));
    return job;
}

/* A column of a job, or an expression of them. */
static __attribute__((unused)) const char *
of_job(id job, const char *expression)
{
    return fixture_ask("SELECT %s FROM job WHERE id = %s", expression, fixture_quote(job));
}

static __attribute__((unused)) int
history_count(id job, const char *outcome)
{
    int64_t count = -1;
    const char *text = fixture_ask("SELECT count(*) FROM job_history WHERE job_id = %s AND outcome = '%s'",
                                   fixture_quote(job), outcome);
    assert_true(str_to_int(str_from(text), 0, INT32_MAX, &count));
    return (int)count;
}

/* The steps of a job in the order in which they left their marks: "one,two,three". */
static __attribute__((unused)) const char *
marks_of(struct place place, id job)
{
    char digits[ID_DIGITS + 1];
    id_write(job, digits);
    return fixture_ask(
        "SELECT coalesce(string_agg(document::json -> 'after' ->> 'step', ',' ORDER BY seq), '') FROM event "
        "WHERE org_id = %s AND document::json -> 'after' ->> 'job' = '%s'",
        fixture_quote(place.organization), digits);
}

/* Until the expression is true of the job. */
static __attribute__((unused)) bool
comes_true(id job, const char *expression, int64_t within_ms)
{
    for (int64_t until = clock_steady_ms() + patient(within_ms); clock_steady_ms() < until; clock_sleep_ms(5)) {
        if (strcmp(of_job(job, expression), "t") == 0)
            return true;
    }
    return false;
}

/* ---- Engines ---- */

static __attribute__((unused)) struct job_engine_config
engine_config(void)
{
    return (struct job_engine_config){
        .store = store,
        .dsn = fixture_dsn,
        .kinds = test_kinds,
        .sweeps = no_sweeps,
        .threads = 2,
        .pace = test_pace,
        .wait = { 100, 100 },
        .idle_ms = 50,
    };
}

static __attribute__((unused)) struct job_engine *
start_engine(const struct job_engine_config *config)
{
    struct job_engine *engine = job_engine_new(config);
    assert_non_null(engine);
    return engine;
}

static __attribute__((unused)) int
job_set_up(void **state)
{
    if (fixture_set_up(state) != 0)
        return -1;
    json_init();
    struct store_config config = fixture_config();
    config.max_transactions = 8;
    config.pool_wait_ms = 5000;
    store = fixture_store(&config);
    return 0;
}

static __attribute__((unused)) int
job_tear_down(void **state)
{
    store_free(store);
    return fixture_tear_down(state);
}

#endif
