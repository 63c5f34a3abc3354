/* SPDX-License-Identifier: Apache-2.0 */
/* How a job of a kind that is known looks, step by step, on its way and at every kind of end. */
#include "job_fixture.h"

#include "job/operation.h"

/* The states of a job's steps as the tenant sees them: "DONE,WAITING,PENDING". */
static const char *
step_states(struct arena *arena, struct place place, id job)
{
    struct params params = { 0 };
    struct rows rows;
    struct buf out = buf_in(arena, 1024);
    params_id(&params, P_PROJECT, place.project);
    params_id(&params, P_OPERATION, job);
    assert_ok(store_read(store, arena, SQL_OPERATION_GET, &params, &rows));
    assert_int_equal(rows.count, 1);
    json_t *document = json_parse_own(
        arena, operation_document(arena, test_kinds, rows_text(&rows, 0, C_DOCUMENT), rows_text(&rows, 0, C_DONE)));
    json_t *step;
    size_t i;
    assert_non_null(document);
    assert_null(json_object_get(document, "stepStartedAt"));
    json_array_foreach(json_object_get(document, "steps"), i, step)
    {
        const char *state = json_string_value(json_object_get(step, "state"));
        bool is_done = strcmp(state, "DONE") == 0, is_pending = strcmp(state, "PENDING") == 0;
        buf_format(&out, "%s%s", i == 0 ? "" : ",", state);
        assert_true(json_string_length(json_object_get(step, "description")) > 0);
        assert_int_equal(json_object_get(step, "startedAt") != NULL, !is_pending);
        assert_int_equal(json_object_get(step, "finishedAt") != NULL, is_done);
    }
    return buf_str(&out).data;
}

/* Takes a job as far as it goes, in this thread. */
static enum job_verdict
run(struct place place, id job, const char *kind, const char *step)
{
    struct job_runner runner = {
        .store = store,
        .kinds = test_kinds,
        .pace = test_pace,
        .wait = { 2, 2 },
        .worker = "w",
    };
    struct job_place at = { place.organization, job, place.subject, str_from(kind), str_from(step) };
    return job_run(&runner, &at, true);
}

static void
steps_are_shown_on_their_way(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct place place = new_place();
    id job = add_job(&gate_kind, place);
    assert_string_equal(step_states(arena, place, job), "PENDING,PENDING,PENDING");
    atomic_store(&gate_is_open, false);
    assert_int_equal(run(place, job, "test.gate", "begin"), JOB_WAITS);
    assert_string_equal(step_states(arena, place, job), "DONE,WAITING,PENDING");
    atomic_store(&gate_is_open, true);
    assert_int_equal(run(place, job, "test.gate", "pass"), JOB_ENDED);
    assert_string_equal(step_states(arena, place, job), "DONE,DONE,DONE");
}

static void
step_that_failed_is_shown_as_such(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct place place = new_place();
    id job = add_job(&fail_kind, place);
    assert_int_equal(run(place, job, "test.fail", "try"), JOB_ENDED);
    assert_string_equal(step_states(arena, place, job), "FAILED,PENDING");
}

static void
step_that_this_version_does_not_know_is_no_end(void **state)
{
    (void)state;
    struct place place = new_place();
    id job = add_job(&three_kind, place);
    fixture_ask("UPDATE job SET step = 'unheard-of' WHERE id = %s", fixture_quote(job));
    assert_int_equal(run(place, job, "test.three", "unheard-of"), JOB_ERRED);
    assert_string_equal(of_job(job, "state || ' ' || step || ' ' || failures"), "RUNNING unheard-of 1");
    assert_int_equal(history_count(job, "ERROR"), 1);
}

static void
operators_see_the_history(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct place place = new_place();
    id job = add_job(&three_kind, place);
    str text;
    assert_int_equal(run(place, job, "test.three", "one"), JOB_ENDED);
    assert_ok(job_report_one(store, arena, test_kinds, job, &text));
    json_t *document = json_parse_own(arena, text);
    assert_int_equal(json_array_size(json_object_get(document, "history")), 3);
    assert_int_equal(json_array_size(json_object_get(document, "steps")), 3);
    assert_string_equal(json_string_value(json_object_get(document, "state")), "DONE");
    assert_ok(job_report_one(store, arena, test_kinds, fixture_id(9), &text));
    assert_int_equal(text.len, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_shown_on_their_way),
        cmocka_unit_test(step_that_failed_is_shown_as_such),
        cmocka_unit_test(step_that_this_version_does_not_know_is_no_end),
        cmocka_unit_test(operators_see_the_history),
    };
    return cmocka_run_group_tests(tests, job_set_up, job_tear_down);
}
