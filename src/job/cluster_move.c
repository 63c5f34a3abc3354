/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Emptying a host. The host's own job has a job move each cluster that has a member there; in the plan of a cluster, a member
 * on such a host is one that goes, and so another one is missing. Each cluster loses at most one member at a time, and only
 * after its replacement follows.
 */
#include "cluster/state.h"
#include "job/cluster_jobs.h"
#include "job/cluster_work.h"
#include "store/drain.h"

/* Reserves places for what the plan misses. Other than for a tenant's change there was no request that could be refused. */
static error
replace(struct job_context *context, struct job_result *ret_result)
{
    struct cluster_work *work;
    str state;
    TRY(cluster_work(context, &work));
    if (!work->found)
        return step_done(ret_result);
    /* There is nobody to clone from. */
    if (work->wanted.paused)
        return step_waits(context, ret_result,
                          "The cluster is paused, and has to be resumed before a member can move.");
    for (size_t g = 0; g < work->wanted.group_count; g++) {
        const struct wanted_group *group = &work->wanted.groups[g];
        struct member_place place = { group->provider,      group->region,    work->wanted.size,
                                      work->wanted.disk_gb, group->electable, group->priority };
        for (int n = 0; n < work->plan.missing[g]; n++) {
            bool placed;
            TRY(store_cluster_member_place(context->tx, &work->cluster, &place, &placed));
            if (!placed)
                return step_waits(context, ret_result, "No other host in %.*s %.*s has room for a member.",
                                  STR_ARG(group->provider), STR_ARG(group->region));
        }
    }
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
    { "replace",        "Finds other hosts for members that must leave theirs.",  replace,                     300 },
    { "start",          "Starts their replacements.",                             cluster_step_start,          60 },
    { "wait-members",   "Waits until every member follows the primary.",          cluster_step_wait_members,   1800 },
    { "publish-names",  "Makes the names of new members known.",                  cluster_step_publish_names,  60 },
    { "hand-over",      "Makes another member the primary when it has to leave.", cluster_step_hand_over,      300 },
    { "remove-members", "Takes the members away that were replaced.",             cluster_step_remove_members, 300 },
    { "wait-removed",   "Waits until they are gone from their hosts.",            cluster_step_wait_removed,   300 },
    { "finish",         "Says that every member is where it should be.",          finish,                      60 },
};
static const struct job_step_row drain_steps[] = {
    { "move-members",   "Waits until every cluster has moved its member away.",   move_members,                7200 },
    { "finish",         "Says that the host is empty.",                           finish_host,                 60 },
};
// clang-format on

const struct job_kind cluster_move_job = { "cluster.move", "Moves members off a host that is being emptied.",
                                           move_steps, LENGTH(move_steps) };
const struct job_kind host_drain_job = { "host.drain", "Empties a host.", drain_steps, LENGTH(drain_steps) };
