/* SPDX-License-Identifier: Apache-2.0 */
#include "job/sweep.h"

#include "base/failpoint.h"
#include "base/log.h"
#include "job/kinds.h"

/* Longer than any sweep should take; a worker that dies in one keeps it from the others for so long. */
enum { LEASE_S = 5 * 60, SWEEP_ARENA_BYTES = 64 * 1024 * 1024 };

void
sweep_run_if_due(struct store *store, const struct sweep *sweep, const struct job_environment *environment,
                 const char *worker)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(SWEEP_ARENA_BYTES);
    struct sweep_context context = { store, arena, environment };
    str name = str_from(sweep->name);
    bool claimed = false;
    int64_t epoch;
    int64_t lease_s = sweep->lease_s > 0 ? sweep->lease_s : LEASE_S;
    if (arena == NULL || store_sweep_claim(store, arena, name, (int64_t)sweep->every_s * 1000, lease_s * 1000,
                                           str_from(worker), &claimed, &epoch) != OK)
        return;
    if (!claimed)
        return;
    failpoint("sweep:%s:%s", sweep->name, job_moment_names[BEFORE_EFFECT]);
    error problem = sweep->run(&context);
    failpoint("sweep:%s:%s", sweep->name, job_moment_names[AFTER_EFFECT]);
    if (problem != OK)
        log_line(LOG_WARNING, "sweep_failed", "Sweep %s: %.*s", sweep->name, STR_ARG(problem->detail));
    error unsaid = store_sweep_end(store, arena, name, epoch, problem == OK ? STR_EMPTY : problem->detail);
    if (unsaid != OK)
        log_line(LOG_WARNING, "sweep_failed", "The end of sweep %s could not be written: %.*s", sweep->name,
                 STR_ARG(unsaid->detail));
    failpoint("sweep:%s:%s", sweep->name, job_moment_names[AFTER_COMMIT]);
}

/* ---- finished-jobs ---- */

static error
remove_finished_jobs(struct sweep_context *context)
{
    enum { AT_ONCE = 500 };
    int deleted;
    do
        TRY(store_job_prune(context->store, context->arena, AT_ONCE, context->environment->retention_days, &deleted));
    while (deleted == AT_ONCE);
    return OK;
}

const struct sweep finished_jobs_sweep = {
    .name = "finished-jobs",
    .doc = "Removes jobs that were finished long ago: see retention_days.",
    .every_s = 3600,
    .run = remove_finished_jobs,
};
