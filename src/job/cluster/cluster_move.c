/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drains a host. The host's job adds a job for each cluster with a member there. In the plan of a cluster, a member on
 * such a host goes, so another one is missing. Each cluster loses at most one member at a time, and only after its
 * replacement follows the primary.
 */
#include "cluster/maintenance.h"
#include "cluster/state.h"
#include "job/cluster/cluster_jobs.h"
#include "job/cluster/cluster_work.h"
#include "store/backup/stanza.h"
#include "store/fleet/drain.h"

/* ---- The window ---- */

static bool
somebody_must_leave(const struct cluster_work *work)
{
    for (size_t i = 0; i < work->members.count; i++) {
        if (work->members.items[i].host_drains)
            return true;
    }
    return false;
}

/* A host that was given up has taken a member with it: the cluster is short of it until there is another one. */
static bool
is_urgent(const struct cluster_work *work)
{
    for (size_t i = 0; i < work->members.count; i++) {
        if (work->members.items[i].host_gone)
            return true;
    }
    return false;
}

/*
 * While a job is in this step, others of the cluster pass it: a tenant's own changes do not wait for the operator's. So it must
 * not leave the step while one of them is under way. None can be added meanwhile, because the cluster is locked.
 */
static error
wait_window(struct job_context *context, struct job_result *ret_result)
{
    int64_t others;
    struct cluster_work *work;
    TRY(cluster_work(context, &work));
    if (!work->found)
        return step_done(ret_result);
    TRY(store_cluster_unfinished_jobs(context->tx, &work->cluster, context->job->id, &others));
    if (others > 0)
        return step_waits(context, ret_result, "Another change of the cluster is under way.");
    if (is_urgent(work) || !somebody_must_leave(work))
        return step_done(ret_result);
    return work_wait_for_window(context, work, ret_result);
}

/* ---- The cluster ---- */

/* Reserves places for what the plan misses. Other than for a tenant's change there was no request that could be refused. */
static error
replace(struct job_context *context, struct job_result *ret_result)
{
    struct cluster_work *work;
    enum cluster_state state;
    TRY(cluster_work(context, &work));
    if (!work->found)
        return step_done(ret_result);
    /* There is nobody to clone from. */
    if (work->wanted.paused)
        return step_waits(context, ret_result,
                          "The cluster is paused, and has to be resumed before a member can move.");
    const struct wanted_group *full;
    TRY(members_place_missing(context->tx, &work->cluster, &work->wanted, &work->plan, &full));
    if (full != NULL)
        return step_waits(context, ret_result, "No other host in %.*s %.*s has room for a member.",
                          STR_ARG(full->provider), STR_ARG(full->region));
    if (cluster_state_next(work->cluster.state, CAUSE_REPAIR, &state))
        TRY(store_cluster_set_state(context->tx, &work->cluster, state, work->cluster.observed_generation));
    return step_done(ret_result);
}

static error
finish(struct job_context *context, struct job_result *ret_result)
{
    return cluster_finish_with(context, EVENT_CLUSTER_MEMBERS_MOVED, ret_result);
}

/* ---- The host ---- */

static error
move_members(struct job_context *context, struct job_result *ret_result)
{
    int64_t left;
    TRY(store_host_move_clusters(context->tx, context->job->subject, str_from(cluster_move_job.name),
                                 str_from(cluster_move_job.steps[0].name), (int)cluster_move_job.count, &left));
    if (left > 0)
        return step_waits(context, ret_result, "%lld members have not left the host.", (long long)left);
    TRY(store_host_move_seats(context->tx, context->job->subject, &left));
    if (left > 0)
        return step_waits(context, ret_result, "The host still keeps the backups of %lld clusters.", (long long)left);
    return step_done(ret_result);
}

static error
finish_host(struct job_context *context, struct job_result *ret_result)
{
    TRY(store_host_drained(context->tx, context->job->subject));
    return step_done(ret_result);
}

// clang-format off
static const struct job_step_row move_steps[] = {
    { MAINTENANCE_STEP, "Waits for the project's maintenance window.",                   wait_window,                 WINDOW_LONGEST_S },
    { "replace",        "Finds other hosts for members that must leave theirs.",         replace,                     300 },
    { "start",          "Starts their replacements.",                                    cluster_step_start,          60 },
    { "wait-members",   "Waits until every member follows the primary.",                 cluster_step_wait_members,   1800 },
    { "publish-names",  "Makes the names of new members known.",                         cluster_step_publish_names,  60 },
    { "hand-over",      "Makes another member the primary if the primary has to leave.", cluster_step_hand_over,      300 },
    { "remove-members", "Removes the members that were replaced.",                       cluster_step_remove_members, 300 },
    { "wait-removed",   "Waits until they are removed from their hosts.",                cluster_step_wait_removed,   300 },
    { "finish",         "Records that every member is in its place.",                    finish,                      60 },
};
static const struct job_step_row drain_steps[] = {
    { "move-members", "Waits until nothing of a cluster is on it any more.", move_members, WINDOW_LONGEST_S },
    { "finish",       "Records that the host is empty.",                      finish_host,  60 },
};
// clang-format on

const struct job_kind cluster_move_job = { "cluster.move", "Moves members off a host that is drained.", move_steps,
                                           LENGTH(move_steps) };
const struct job_kind host_drain_job = { "host.drain", "Drains a host.", drain_steps, LENGTH(drain_steps) };
