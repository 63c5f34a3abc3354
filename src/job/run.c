/* SPDX-License-Identifier: Apache-2.0 */
#include "job/run.h"

#include "base/clock.h"
#include "base/failpoint.h"
#include "base/log.h"

enum { JOB_ARENA_BYTES = 16 * 1024 * 1024, STEP_ARENA_BYTES = 64 * 1024 * 1024 };

/* What a step said, after its transaction committed. */
struct step_end {
    enum job_verdict verdict;
    bool is_next; /* another step follows, and this worker has the lease for it */
};

static void
log_step(enum log_level level, struct arena *arena, const struct job *job, const char *step, const char *became,
         str why)
{
    log_line(level, "job_step", "Job %s (%.*s of %.*s): %s %s, try %d%s%.*s", id_text(arena, job->id).data,
             STR_ARG(job->kind), STR_ARG(job->subject_name), step, became, job->try, why.len > 0 ? ": " : "",
             STR_ARG(why));
}

/* ---- One step ---- */

static error
go_on(struct job_runner *runner, struct tx *tx, struct job *job, const struct job_kind *kind, size_t at, bool *ret_kept,
      struct step_end *ret_end)
{
    if (at + 1 == kind->count) {
        ret_end->verdict = JOB_ENDED;
        return store_job_done(tx, job, str_from(runner->worker), ret_kept);
    }
    const struct job_step_row *row = &kind->steps[at + 1];
    struct job_next next = {
        .step = str_from(row->name),
        .number = (int)at + 1,
        .count = (int)kind->count,
        .deadline_s = row->deadline_s,
        .goes_on = !atomic_load(&runner->stop),
    };
    *ret_end = (struct step_end){ .verdict = JOB_LEFT, .is_next = next.goes_on };
    return store_job_next_step(tx, job, str_from(runner->worker), &next, &runner->pace, ret_kept);
}

/* Writes what became of the step. `ret_kept`: false when it cannot, because somebody else has the job by now. */
static error
conclude(struct job_runner *runner, struct tx *tx, struct job *job, const struct job_kind *kind, size_t at,
         const struct job_result *result, bool *ret_kept, struct step_end *ret_end)
{
    str worker = str_from(runner->worker);
    switch (result->outcome) {
    case STEP_DONE: return go_on(runner, tx, job, kind, at, ret_kept, ret_end);
    case STEP_WAITS:
        *ret_end = (struct step_end){ .verdict = JOB_WAITS };
        return store_job_waits(tx, job, worker, result->why,
                               result->wait_ms > 0 ? result->wait_ms : backoff_ms(runner->wait, job->try - 1),
                               ret_kept);
    case STEP_FAILED: break;
    }
    *ret_end = (struct step_end){ .verdict = JOB_ENDED };
    return store_job_failed(tx, job, worker, result->why, ret_kept);
}

/*
 * The whole step is one transaction: it begins by holding the job's row, so that nobody can take the job while it runs,
 * however long that is; and what the step changed is there if, and only if, the transition is.
 */
static error
run_step(struct job_runner *runner, struct arena *arena, struct job *job, const struct job_kind *kind, size_t at,
         struct step_end *ret_end)
{
    const struct job_step_row *row = &kind->steps[at];
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct job before = *job;
    struct job_result result = { .outcome = STEP_WAITS, .why = STR_EMPTY };
    bool kept = false;
    *ret_end = (struct step_end){ .verdict = JOB_LEFT };
    TRY(store_job_begin(runner->store, arena, job->organization, &tx));
    TRY(store_job_hold(tx, job, &kept));
    if (!kept)
        return OK;
    struct job_context context = { runner->store, tx, arena, job, &runner->environment };
    failpoint("job:%s:%s:%s", kind->name, row->name, job_moment_names[BEFORE_EFFECT]);
    TRY(row->run(&context, &result));
    failpoint("job:%s:%s:%s", kind->name, row->name, job_moment_names[AFTER_EFFECT]);
    TRY(conclude(runner, tx, job, kind, at, &result, &kept, ret_end));
    if (!kept) {
        *job = before;
        *ret_end = (struct step_end){ .verdict = JOB_LEFT };
        return OK;
    }
    error problem = tx_commit(tx);
    if (problem != OK) {
        *job = before;
        return problem;
    }
    failpoint("job:%s:%s:%s", kind->name, row->name, job_moment_names[AFTER_COMMIT]);
    if (result.outcome == STEP_DONE)
        log_step(LOG_INFO, arena, &before, row->name, "done", STR_EMPTY);
    else if (result.outcome == STEP_FAILED)
        log_step(LOG_WARNING, arena, &before, row->name, "failed for good", result.why);
    return OK;
}

/* ---- One job ---- */

/* Written in a transaction of its own. When even that fails the lease runs out; the delay is in the row already. */
static void
note_error(struct job_runner *runner, const struct job *job, const char *step, str why)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(STEP_ARENA_BYTES);
    if (arena == NULL)
        return;
    log_step(LOG_WARNING, arena, job, step, "ended in an error", why);
    error problem = store_job_error(runner->store, arena, job, str_from(runner->worker), str_dup(arena, why));
    if (problem != OK)
        log_step(LOG_WARNING, arena, job, step, "could not be given back", problem->detail);
}

/* One step in an arena of its own. */
static struct step_end
take_step(struct job_runner *runner, struct job *job, const struct job_kind *kind)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(STEP_ARENA_BYTES);
    struct step_end end = { .verdict = JOB_ERRED };
    size_t at = job_step_find(kind, job->step);
    if (arena == NULL)
        return end;
    if (at == kind->count) {
        note_error(runner, job, job->step.data, STR("This worker is of a version that does not know the step."));
        return end;
    }
    error problem = run_step(runner, arena, job, kind, at, &end);
    if (problem == OK)
        return end;
    note_error(runner, job, kind->steps[at].name, problem->detail);
    return (struct step_end){ .verdict = JOB_ERRED };
}

enum job_verdict
job_run(struct job_runner *runner, const struct job_place *place, bool has_news)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(JOB_ARENA_BYTES);
    const struct job_kind *kind = job_kind_find(runner->kinds, place->kind);
    struct job job;
    bool claimed = false;
    if (arena == NULL || kind == NULL)
        return JOB_NOT_TAKEN;
    size_t at = job_step_find(kind, place->step);
    int64_t deadline_s = at < kind->count ? kind->steps[at].deadline_s : 1;
    error problem = store_job_claim(runner->store, arena, place, has_news, str_from(runner->worker), &runner->pace,
                                    deadline_s, &claimed, &job);
    if (problem != OK || !claimed)
        return JOB_NOT_TAKEN;
    struct step_end end;
    do
        end = take_step(runner, &job, kind);
    while (end.is_next);
    return end.verdict;
}
