/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that stand in the tables of more than one kind of job. Declared in job/cluster/cluster_work.h. */
#include "job/cluster/cluster_work.h"

static error
start_members(struct job_context *context, enum member_desired from, struct job_result *ret_result)
{
    struct cluster_work *work;
    bool changed;
    TRY(cluster_work(context, &work));
    if (work->found)
        TRY(work_start_members(context, work, from, &changed));
    return step_done(ret_result);
}

error
cluster_step_start(struct job_context *context, struct job_result *ret_result)
{
    return start_members(context, MEMBER_PLANNED, ret_result);
}

error
cluster_step_wake(struct job_context *context, struct job_result *ret_result)
{
    return start_members(context, MEMBER_STOPPED, ret_result);
}

error
cluster_step_wait_primary(struct job_context *context, struct job_result *ret_result)
{
    struct cluster_work *work;
    TRY(cluster_work(context, &work));
    int primary = work->found ? work_primary(work) : -1;
    if (!work->found || (primary >= 0 && member_is_up(&work->members.items[primary])))
        return step_done(ret_result);
    for (size_t i = 0; i < work->members.count; i++) {
        const struct cluster_member *member = &work->members.items[i];
        if (member->problem.len > 0)
            return step_waits(context, ret_result, "Member %.*s is not ready: %.*s.",
                              STR_ARG(member_name(context, work, member)), STR_ARG(member->problem));
    }
    return step_waits(context, ret_result, "The primary does not accept writes yet.");
}

error
cluster_step_wait_members(struct job_context *context, struct job_result *ret_result)
{
    struct cluster_work *work;
    TRY(cluster_work(context, &work));
    return work->found ? work_wait_for_members(context, work, ret_result) : step_done(ret_result);
}

error
cluster_step_publish_names(struct job_context *context, struct job_result *ret_result)
{
    struct cluster_work *work;
    TRY(cluster_work(context, &work));
    if (work->found)
        TRY(work_publish_names(context, work));
    return step_done(ret_result);
}

/* The primary must not be one that goes, and should be where the document prefers it. */
static error
settle_primary(struct job_context *context, struct cluster_work *work, struct job_result *ret_result)
{
    int primary = work_primary(work), preferred = plan_preferred_group(&work->wanted);
    if (primary < 0)
        return work_wait_for_primary(context, work, ret_result);
    int group = work->plan.group[primary];
    if (group != GOES && group == preferred)
        return step_done(ret_result);
    int best = work_best_priority(work);
    bool is_better =
        group == GOES || !work->wanted.groups[group].electable || best > work->wanted.groups[group].priority;
    return is_better ? work_hand_over(context, work, best, ret_result) : step_done(ret_result);
}

error
cluster_step_hand_over(struct job_context *context, struct job_result *ret_result)
{
    struct cluster_work *work;
    TRY(cluster_work(context, &work));
    /* A paused cluster has no primary, and nobody to hand over to. */
    if (!work->found || work->wanted.paused)
        return step_done(ret_result);
    return settle_primary(context, work, ret_result);
}

error
cluster_step_remove_members(struct job_context *context, struct job_result *ret_result)
{
    struct cluster_work *work;
    bool changed = false;
    size_t going = 0;
    TRY(cluster_work(context, &work));
    for (size_t i = 0; work->found && i < work->members.count; i++)
        going += !member_stays(work, i) && work->members.items[i].desired != MEMBER_REMOVED;
    if (going == 0)
        return step_done(ret_result);
    /* Since the last step a failover may have made the one that goes the primary, or a replica may have been lost. */
    TRY(work_wait_for_members(context, work, ret_result));
    if (ret_result->outcome != STEP_DONE)
        return OK;
    TRY(settle_primary(context, work, ret_result));
    if (ret_result->outcome != STEP_DONE)
        return OK;
    for (size_t i = 0; i < work->members.count; i++) {
        struct cluster_member *member = &work->members.items[i];
        if (member_stays(work, i) || member->desired == MEMBER_REMOVED)
            continue;
        changed = true;
        TRY(work_hide_names(context, work, member));
        if (member->desired == MEMBER_PLANNED) {
            TRY(store_cluster_member_release(context->tx, member->id));
            continue;
        }
        member->desired = MEMBER_REMOVED;
        TRY(store_cluster_member_want(context->tx, work->cluster.organization, member));
    }
    if (changed)
        TRY(store_cluster_touch(context->tx, &work->cluster));
    return step_done(ret_result);
}

error
cluster_step_wait_removed(struct job_context *context, struct job_result *ret_result)
{
    struct cluster_work *work;
    const struct cluster_member *left = NULL;
    TRY(cluster_work(context, &work));
    for (size_t i = 0; work->found && i < work->members.count; i++) {
        const struct cluster_member *member = &work->members.items[i];
        if (member->desired != MEMBER_REMOVED)
            continue;
        if (member_is_absent(member))
            TRY(store_cluster_member_release(context->tx, member->id));
        else
            left = member;
    }
    if (left != NULL)
        return step_waits(context, ret_result, "Member %.*s is being removed.",
                          STR_ARG(member_name(context, work, left)));
    return step_done(ret_result);
}

error
cluster_finish_with(struct job_context *context, enum event_type type, struct job_result *ret_result)
{
    struct cluster_work *work;
    TRY(cluster_work(context, &work));
    if (work->found)
        TRY(work_finish(context, work, type));
    return step_done(ret_result);
}
