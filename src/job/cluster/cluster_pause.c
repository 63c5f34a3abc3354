/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pausing stops replicas before the primary: it then has every write, and nobody takes over from it. Resuming starts
 * them all; the last state that the primary wrote says who may lead.
 */
#include "job/cluster/cluster_jobs.h"
#include "job/cluster/cluster_work.h"

static bool
is_stopped(const struct cluster_member *member)
{
    return member->unit == UNIT_INACTIVE || member_is_absent(member);
}

/* Stops replicas, or everybody; waits until they are. */
static error
stop(struct job_context *context, bool also_primary, struct job_result *ret_result)
{
    struct cluster_work *work;
    const struct cluster_member *running = NULL;
    TRY(cluster_work(context, &work));
    for (size_t i = 0; work->found && i < work->members.count; i++) {
        struct cluster_member *member = &work->members.items[i];
        if (!also_primary && member_is_primary(member))
            continue;
        if (member->desired == MEMBER_RUNNING || member->desired == MEMBER_PLANNED) {
            member->desired = MEMBER_STOPPED;
            TRY(store_cluster_member_want(context->tx, work->cluster.organization, member));
        }
        if (!is_stopped(member))
            running = member;
    }
    if (running != NULL)
        return step_waits(context, ret_result, "Member %.*s is being stopped.",
                          STR_ARG(member_name(context, work, running)));
    return step_done(ret_result);
}

static error
stop_replicas(struct job_context *context, struct job_result *ret_result)
{
    return stop(context, false, ret_result);
}

static error
stop_primary(struct job_context *context, struct job_result *ret_result)
{
    return stop(context, true, ret_result);
}

static error
finish_pause(struct job_context *context, struct job_result *ret_result)
{
    return cluster_finish_with(context, EVENT_CLUSTER_PAUSED, ret_result);
}

static error
finish_resume(struct job_context *context, struct job_result *ret_result)
{
    return cluster_finish_with(context, EVENT_CLUSTER_RESUMED, ret_result);
}

// clang-format off
static const struct job_step_row pause_steps[] = {
    { "stop-replicas", "Stops the replicas.",                       stop_replicas, 300 },
    { "stop-primary",  "Stops the primary, which has every write.", stop_primary,  300 },
    { "finish",        "Records that the cluster is paused.",       finish_pause,  60 },
};
static const struct job_step_row resume_steps[] = {
    { "start",         "Starts every member.",                    cluster_step_wake,         60 },
    { "wait-primary",  "Waits until the primary accepts writes.", cluster_step_wait_primary, 300 },
    { "wait-replicas", "Waits until every replica follows it.",   cluster_step_wait_members, 600 },
    { "finish",        "Records that the cluster can be used.",   finish_resume,             60 },
};
// clang-format on

const struct job_kind cluster_pause_job = { "cluster.pause", "Stops the servers of a cluster and keeps its data.",
                                            pause_steps, LENGTH(pause_steps) };
const struct job_kind cluster_resume_job = { "cluster.resume", "Starts a cluster that was paused.", resume_steps,
                                             LENGTH(resume_steps) };
