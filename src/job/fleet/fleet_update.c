/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A rollout of a new minor version over the fleet. Each cluster has a job of its own (job/cluster/cluster_version.c); this one adds them,
 * canaries first, and stops at the first that fails. How many work at once is decided where they begin.
 */
#include "job/fleet/fleet_update.h"

#include "job/cluster/cluster_jobs.h"
#include "store/update/update.h"

enum { LOOK_MS = 30 * 1000, LONGEST_S = 60 * 24 * 3600 };

static error
waits(struct job_context *context, const struct update_view *view, struct job_result *ret_result)
{
    *ret_result = (struct job_result){ .outcome = STEP_WAITS,
                                       .wait_ms = LOOK_MS,
                                       .why = str_format(context->arena, "%lld clusters are done, %lld are left.",
                                                         (long long)view->done, (long long)view->left) };
    return OK;
}

static error
advance(struct job_context *context, bool is_canary, struct job_result *ret_result)
{
    struct update_view view;
    TRY(store_update_advance(context->tx, context->job->subject, is_canary, str_from(cluster_version_job.name),
                             str_from(cluster_version_job.steps[0].name), (int)cluster_version_job.count, &view));
    *ret_result = (struct job_result){ .outcome = STEP_DONE };
    if (view.problem.len > 0) {
        ret_result->outcome = STEP_FAILED;
        ret_result->why = view.problem;
        return OK;
    }
    /* Somebody stopped it: what is left is done when they continue, with another job. */
    return view.is_running && view.left > 0 ? waits(context, &view, ret_result) : OK;
}

static error
update_canaries(struct job_context *context, struct job_result *ret_result)
{
    return advance(context, true, ret_result);
}

static error
update_others(struct job_context *context, struct job_result *ret_result)
{
    return advance(context, false, ret_result);
}

static error
finish(struct job_context *context, struct job_result *ret_result)
{
    *ret_result = (struct job_result){ .outcome = STEP_DONE };
    return store_update_done(context->tx, context->job->subject);
}

// clang-format off
static const struct job_step_row steps[] = {
    { "canaries", "Updates the clusters that come first.",  update_canaries, LONGEST_S },
    { "others",   "Updates the other clusters.",            update_others,   LONGEST_S },
    { "finish",   "Records that the rollout is over.",      finish,          60 },
};
// clang-format on

const struct job_kind fleet_update_job = { "fleet.update", "Brings clusters to a newer minor version.", steps,
                                           LENGTH(steps) };
