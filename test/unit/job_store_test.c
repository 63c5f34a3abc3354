/* SPDX-License-Identifier: Apache-2.0 */
/* Who may work on a job, and who may write what became of it: without any thread, one call after another. */
#include "job_fixture.h"

/* A claim as a worker makes it; false when the job is not to be had. */
static bool
claim(struct arena *arena, struct place place, id job, const char *step, bool has_news, struct job *ret_job)
{
    bool claimed = false;
    struct job_place at = {
        .organization = place.organization, .job = job, .subject = place.subject, .step = str_from(step)
    };
    assert_ok(store_job_claim(store, arena, &at, has_news, STR("w"), &test_pace, 60, &claimed, ret_job));
    return claimed;
}

static void
claim_is_had_by_one(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct place place = new_place();
    id added = add_job(&three_kind, place);
    struct job job, other;
    assert_true(claim(arena, place, added, "one", false, &job));
    assert_false(claim(arena, place, added, "one", true, &other));
    assert_string_equal(job.kind.data, "test.three");
    assert_string_equal(job.step.data, "one");
    assert_string_equal(job.payload.data, "{\"a\": 1}");
    assert_int_equal(job.generation, 7);
    assert_int_equal(job.try, 1);
    assert_string_equal(of_job(added, "state"), "RUNNING");
}

static void
claim_of_another_step_than_was_seen_is_refused(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct place place = new_place();
    struct job job;
    assert_false(claim(arena, place, add_job(&three_kind, place), "two", false, &job));
}

static void
expired_lease_is_reclaimed(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct place place = new_place();
    id added = add_job(&three_kind, place);
    struct job first, second;
    assert_true(claim(arena, place, added, "one", false, &first));
    fixture_ask("UPDATE job SET next_run_at = now() - interval '1s' WHERE id = %s", fixture_quote(added));
    assert_false(claim(arena, place, added, "one", false, &second));
    fixture_ask("UPDATE job SET lease_until = now() - interval '1s' WHERE id = %s", fixture_quote(added));
    assert_true(claim(arena, place, added, "one", false, &second));
    assert_int_equal(second.epoch, first.epoch + 1);
    assert_int_equal(second.try, 2);
}

static void
lost_epoch_cannot_write(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct place place = new_place();
    id added = add_job(&three_kind, place);
    struct job slow, quick;
    struct job_next next = { .step = STR("two"), .number = 1, .count = 3, .deadline_s = 60 };
    assert_true(claim(arena, place, added, "one", false, &slow));
    fixture_ask("UPDATE job SET lease_until = now() - interval '1s', next_run_at = now() WHERE id = %s",
                fixture_quote(added));
    assert_true(claim(arena, place, added, "one", false, &quick));
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    bool kept = true;
    assert_ok(tx_begin(store, arena, place.organization, &tx));
    assert_ok(store_job_hold(tx, &slow, &kept));
    assert_false(kept);
    kept = true;
    assert_ok(store_job_next_step(tx, &slow, STR("w"), &next, &test_pace, &kept));
    assert_false(kept);
    kept = true;
    assert_ok(store_job_done(tx, &slow, STR("w"), &kept));
    assert_false(kept);
    kept = true;
    assert_ok(store_job_failed(tx, &slow, STR("w"), STR("no"), &kept));
    assert_false(kept);
    kept = true;
    assert_ok(store_job_waits(tx, &slow, STR("w"), STR("no"), 1, &kept));
    assert_false(kept);
    assert_ok(tx_commit(tx));
    assert_ok(store_job_error(store, arena, &slow, STR("w"), STR("no")));
    assert_string_equal(of_job(added, "state || ' ' || step || ' ' || coalesce(waits_for, '-')"), "RUNNING one -");
    assert_string_equal(fixture_ask("SELECT count(*) FROM job_history WHERE job_id = %s", fixture_quote(added)), "0");
    assert_string_equal(of_job(added, "lease_until > now()"), "t"); /* the quick one still has it */
}

static void
step_that_runs_keeps_its_job_when_the_lease_runs_out(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct place place = new_place();
    id added = add_job(&three_kind, place);
    struct job job, other;
    assert_true(claim(arena, place, added, "one", false, &job));
    fixture_ask("UPDATE job SET lease_until = now() - interval '1s', next_run_at = now() WHERE id = %s",
                fixture_quote(added));
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    bool kept = false;
    assert_ok(tx_begin(store, arena, place.organization, &tx));
    assert_ok(store_job_hold(tx, &job, &kept));
    assert_true(kept);
    assert_false(claim(arena, place, added, "one", false, &other));
    tx_rollback(tx);
    assert_true(claim(arena, place, added, "one", false, &other));
}

static void
crash_carries_its_penalty(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct place place = new_place();
    id added = add_job(&three_kind, place);
    struct job job;
    const struct job_pace pace = { .lease_ms = 1, .backoff = { 1000, 60000 } };
    int64_t last_s = 0;
    /* A worker that takes it and dies each time, without another word. */
    for (int death = 1; death <= 8; death++) {
        struct job_place at = { .organization = place.organization, .job = added, .step = STR("one") };
        bool claimed = false;
        int64_t delay_s;
        assert_ok(store_job_claim(store, arena, &at, true, STR("w"), &pace, 60, &claimed, &job));
        assert_true(claimed);
        assert_int_equal(job.failures, death);
        assert_true(
            str_to_int(str_from(of_job(added, "extract(epoch FROM next_run_at - now())::int")), 0, 100, &delay_s));
        int64_t whole_s = death > 6 ? 60 : 1 << (death - 1);
        assert_in_range(delay_s + 1, whole_s / 2, whole_s + 1);
        last_s = delay_s;
        clock_sleep_ms(5);
        /* The lease is over; news does not help who failed. */
        assert_ok(store_job_claim(store, arena, &at, true, STR("w"), &pace, 60, &claimed, &job));
        assert_false(claimed);
        fixture_ask("UPDATE job SET next_run_at = now() WHERE id = %s", fixture_quote(added));
    }
    assert_in_range(last_s, 29, 60);
}

static void
jobs_of_one_subject_are_taken_in_order(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct place place = new_place();
    id ids[5];
    struct job job;
    /* Within one second, so that their ids say nothing about the order. */
    for (size_t i = 0; i < LENGTH(ids); i++)
        ids[i] = add_job(&err_kind, place);
    for (size_t i = 0; i < LENGTH(ids); i++) {
        for (size_t later = LENGTH(ids) - 1; later > i; later--)
            assert_false(claim(arena, place, ids[later], "try", true, &job));
        struct job_place due[JOB_DUE_MAX];
        size_t count = 0;
        assert_ok(store_job_of_subject(store, arena, STR("{test.err}"), place.subject, due, &count));
        assert_int_equal(count, 1);
        assert_true(id_eq(due[0].job, ids[i]));
        assert_true(claim(arena, place, ids[i], "try", false, &job));
        fixture_ask("UPDATE job SET state = '%s', finished_at = now() WHERE id = %s", i % 2 ? "DONE" : "FAILED",
                    fixture_quote(ids[i]));
    }
}

static void
news_wakes_what_waits_and_not_what_failed(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct place place = new_place();
    id added = add_job(&gate_kind, place);
    struct job job;
    bool kept = false;
    assert_true(claim(arena, place, added, "begin", false, &job));
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    assert_ok(tx_begin(store, arena, place.organization, &tx));
    assert_ok(store_job_waits(tx, &job, STR("w"), STR("Closed."), 60000, &kept));
    assert_true(kept);
    assert_ok(tx_commit(tx));
    assert_false(claim(arena, place, added, "begin", false, &job));
    assert_true(claim(arena, place, added, "begin", true, &job));
    assert_ok(store_job_error(store, arena, &job, STR("w"), STR("Broken.")));
    fixture_ask("UPDATE job SET next_run_at = now() + interval '1min' WHERE id = %s", fixture_quote(added));
    assert_false(claim(arena, place, added, "begin", true, &job));
}

static void
history_tells_a_reason_once(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct place place = new_place();
    id added = add_job(&gate_kind, place);
    static const char *const reasons[] = { "a", "a", "a", "b", "b", "a" };
    for (size_t i = 0; i < LENGTH(reasons); i++) {
        struct job job;
        bool kept = false;
        assert_true(claim(arena, place, added, "begin", true, &job));
        struct tx *tx CLEANUP(tx_cleanup) = NULL;
        assert_ok(tx_begin(store, arena, place.organization, &tx));
        assert_ok(store_job_waits(tx, &job, STR("w"), str_from(reasons[i]), 60000, &kept));
        assert_ok(tx_commit(tx));
    }
    assert_int_equal(history_count(added, "WAITS"), 3);
    assert_string_equal(of_job(added, "try"), "6");
}

/* ---- What operators decide ---- */

static bool
decide(struct place place, id job, bool retry)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    bool changed = false;
    assert_ok(tx_begin(store, arena, place.organization, &tx));
    assert_ok(retry ? store_job_retry(tx, place.organization, job, STR("operator"), &changed)
                    : store_job_cancel(tx, place.organization, job, STR("operator"), &changed));
    assert_ok(tx_commit(tx));
    return changed;
}

static void
failed_job_is_retried_unless_something_came_after_it(void **state)
{
    (void)state;
    struct place place = new_place();
    id first = add_job(&three_kind, place);
    fixture_ask(
        "UPDATE job SET state = 'FAILED', finished_at = now(), started_at = now(), waits_for = 'x' WHERE id = %s",
        fixture_quote(first));
    assert_true(decide(place, first, true));
    assert_string_equal(of_job(first, "state || coalesce(waits_for, '-') || (finished_at IS NULL)"), "QUEUED-true");
    assert_int_equal(history_count(first, "RETRIED"), 1);
    fixture_ask("UPDATE job SET state = 'FAILED', finished_at = now() WHERE id = %s", fixture_quote(first));
    id later = add_job(&three_kind, place);
    assert_false(decide(place, first, true));
    assert_true(decide(place, later, false));
    assert_string_equal(of_job(later, "state"), "CANCELLED");
    assert_true(decide(place, first, true));
    fixture_ask("UPDATE job SET state = 'DONE', finished_at = now() WHERE id = %s", fixture_quote(first));
    assert_false(decide(place, first, true));
}

static void
begun_job_is_not_cancelled(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct place place = new_place();
    id added = add_job(&three_kind, place);
    struct job job;
    assert_true(claim(arena, place, added, "one", false, &job));
    assert_false(decide(place, added, false));
    assert_false(decide(place, added, true)); /* somebody works on it */
    fixture_ask("UPDATE job SET lease_until = NULL WHERE id = %s", fixture_quote(added));
    assert_false(decide(place, added, false));
    assert_true(decide(place, added, true)); /* at once instead of later */
    fixture_ask("UPDATE job SET state = 'FAILED', finished_at = now() WHERE id = %s", fixture_quote(added));
    assert_true(decide(place, added, false));
}

static void
moved_project_takes_its_jobs_along(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct place place = new_place(), other = new_place();
    id added = add_job(&three_kind, place);
    struct job job;
    assert_true(claim(arena, place, added, "one", false, &job));
    fixture_ask("UPDATE project SET org_id = %s WHERE id = %s", fixture_quote(other.organization),
                fixture_quote(place.project));
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    bool kept = true;
    assert_ok(tx_begin(store, arena, place.organization, &tx));
    assert_ok(store_job_hold(tx, &job, &kept));
    assert_false(kept);
    tx_rollback(tx);
    fixture_ask("UPDATE job SET next_run_at = now() WHERE id = %s", fixture_quote(added));
    place.organization = other.organization;
    assert_true(claim(arena, place, added, "one", false, &job));
}

static void
jobs_finished_long_ago_are_removed_and_no_others(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct place place = new_place();
    id old = add_job(&three_kind, place), young = add_job(&three_kind, place), open = add_job(&three_kind, place);
    int deleted = -1;
    fixture_ask("UPDATE job SET state = 'DONE', finished_at = now() - interval '31 days' WHERE id = %s",
                fixture_quote(old));
    fixture_ask("UPDATE job SET state = 'DONE', finished_at = now() - interval '29 days' WHERE id = %s",
                fixture_quote(young));
    fixture_ask("UPDATE job SET created_at = now() - interval '1 year' WHERE id = %s", fixture_quote(open));
    fixture_ask(
        "INSERT INTO job_history (job_id, number, org_id, step, try, outcome, worker) VALUES (%s, 1, %s, 's', 1, 'DONE', 'w')",
        fixture_quote(old), fixture_quote(place.organization));
    assert_ok(store_job_prune(store, arena, 100, 30, &deleted));
    assert_int_equal(deleted, 1);
    assert_string_equal(of_job(old, "1"), "");
    assert_string_equal(of_job(young, "1"), "1");
    assert_string_equal(of_job(open, "1"), "1");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(claim_is_had_by_one),
        cmocka_unit_test(claim_of_another_step_than_was_seen_is_refused),
        cmocka_unit_test(expired_lease_is_reclaimed),
        cmocka_unit_test(lost_epoch_cannot_write),
        cmocka_unit_test(step_that_runs_keeps_its_job_when_the_lease_runs_out),
        cmocka_unit_test(crash_carries_its_penalty),
        cmocka_unit_test(jobs_of_one_subject_are_taken_in_order),
        cmocka_unit_test(news_wakes_what_waits_and_not_what_failed),
        cmocka_unit_test(history_tells_a_reason_once),
        cmocka_unit_test(failed_job_is_retried_unless_something_came_after_it),
        cmocka_unit_test(begun_job_is_not_cancelled),
        cmocka_unit_test(moved_project_takes_its_jobs_along),
        cmocka_unit_test(jobs_finished_long_ago_are_removed_and_no_others),
    };
    return cmocka_run_group_tests(tests, job_set_up, job_tear_down);
}
