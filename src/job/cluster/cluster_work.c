/* SPDX-License-Identifier: Apache-2.0 */
#include "job/cluster/cluster_work.h"

#include "base/json.h"
#include "cluster/state.h"

error
cluster_work(struct job_context *context, struct cluster_work **ret_work)
{
    const struct job *job = context->job;
    struct cluster_work *work = ARENA_NEW(context->arena, struct cluster_work);
    if (work == NULL)
        return fail(context->arena, OVERLOADED);
    TRY(store_cluster_lock_id(context->tx, job->organization, job->project, job->subject, &work->found,
                              &work->cluster));
    *ret_work = work;
    if (!work->found)
        return OK;
    TRY(store_cluster_members(context->tx, work->cluster.id, &work->members));
    if (!wanted_from_document(work->cluster.document, &work->wanted))
        return fail(context->arena, INTERNAL_ERROR);
    members_plan(&work->wanted, &work->members, &work->plan);
    return OK;
}

/* ---- Looking ---- */

bool
member_stays(const struct cluster_work *work, size_t index)
{
    return work->plan.group[index] != GOES;
}

int
work_primary(const struct cluster_work *work)
{
    for (size_t i = 0; i < work->members.count; i++) {
        if (member_is_primary(&work->members.items[i]))
            return (int)i;
    }
    return -1;
}

static int
priority_of(const struct cluster_work *work, size_t index)
{
    return work->wanted.groups[work->plan.group[index]].priority;
}

/* It stays, is healthy, and the document lets it be elected. */
static bool
may_take_over(const struct cluster_work *work, size_t index)
{
    const struct cluster_member *member = &work->members.items[index];
    return member_stays(work, index) && !member_is_primary(member) && member_is_up(member) &&
           work->wanted.groups[work->plan.group[index]].electable;
}

int
work_best_priority(const struct cluster_work *work)
{
    int best = -1;
    for (size_t i = 0; i < work->members.count; i++) {
        if (may_take_over(work, i) && priority_of(work, i) > best)
            best = priority_of(work, i);
    }
    return best;
}

str
member_name(struct job_context *context, const struct cluster_work *work, const struct cluster_member *member)
{
    return name_of_member(context->arena, work->cluster.set_name, work->cluster.host_label, member->ordinal);
}

/* ---- Answers ---- */

error
step_done(struct job_result *ret_result)
{
    *ret_result = (struct job_result){ .outcome = STEP_DONE };
    return OK;
}

error
step_waits(struct job_context *context, struct job_result *ret_result, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    *ret_result = (struct job_result){ .outcome = STEP_WAITS, .why = str_vformat(context->arena, format, args) };
    va_end(args);
    return OK;
}

/* ---- What several kinds do ---- */

error
work_start_members(struct job_context *context, struct cluster_work *work, enum member_desired from, bool *ret_changed)
{
    *ret_changed = false;
    for (size_t i = 0; i < work->members.count; i++) {
        struct cluster_member *member = &work->members.items[i];
        if (!member_stays(work, i))
            continue;
        const struct wanted_group *group = &work->wanted.groups[work->plan.group[i]];
        bool starts = member->desired == from;
        if (!starts && member->electable == group->electable && member->priority == group->priority)
            continue;
        member->electable = group->electable;
        member->priority = group->priority;
        if (starts)
            member->desired = MEMBER_RUNNING;
        TRY(store_cluster_member_want(context->tx, work->cluster.organization, member));
        *ret_changed = true;
    }
    return *ret_changed ? store_cluster_touch(context->tx, &work->cluster) : OK;
}

error
work_wait_for_members(struct job_context *context, struct cluster_work *work, struct job_result *ret_result)
{
    int primaries = 0, electable = 0, synchronous = 0;
    bool changed;
    /* A newer change may have reserved places since the job began: whoever waits for its members must start them. */
    TRY(work_start_members(context, work, MEMBER_PLANNED, &changed));
    for (size_t i = 0; i < work->members.count; i++) {
        const struct cluster_member *member = &work->members.items[i];
        primaries += member_is_primary(member);
        synchronous += member->role == MEMBER_IS_SYNC_STANDBY;
        if (!member_stays(work, i) || member->desired == MEMBER_STOPPED)
            continue;
        electable += member->electable;
        str name = member_name(context, work, member);
        if (!member_is_up(member))
            return step_waits(context, ret_result, "Member %.*s is not ready: %.*s.", STR_ARG(name),
                              STR_ARG(member->problem.len > 0 ? member->problem : member->server_word));
        if (member->applied_goal < work->cluster.goal_generation)
            return step_waits(context, ret_result, "Member %.*s has not applied the change yet.", STR_ARG(name));
    }
    if (primaries == 0)
        return step_waits(context, ret_result, "There is no primary.");
    /* Until Patroni has written down who is synchronous, nobody may take over from the primary: not even streaming replicas. */
    if (electable > 1 && synchronous == 0)
        return step_waits(context, ret_result, "No replica is synchronous yet.");
    return step_done(ret_result);
}

/* Whoever was told for a hand-over that it cannot be elected may be the only one left that could. */
error
work_wait_for_primary(struct job_context *context, struct cluster_work *work, struct job_result *ret_result)
{
    bool changed, more = false;
    TRY(work_start_members(context, work, MEMBER_PLANNED, &changed));
    for (size_t i = 0; i < work->members.count; i++) {
        struct cluster_member *member = &work->members.items[i];
        if (member_stays(work, i) || member->electable || member->analytics || member->desired != MEMBER_RUNNING)
            continue;
        member->electable = true;
        TRY(store_cluster_member_want(context->tx, work->cluster.organization, member));
        more = true;
    }
    if (more)
        TRY(store_cluster_touch(context->tx, &work->cluster));
    return step_waits(context, ret_result, "There is no primary.");
}

/* Everybody else is told that it cannot be elected, until the members are started or waited for the next time. */
static error
leave_it_to(struct job_context *context, struct cluster_work *work, int least_priority)
{
    bool changed = false;
    for (size_t i = 0; i < work->members.count; i++) {
        struct cluster_member *member = &work->members.items[i];
        bool may = may_take_over(work, i) && priority_of(work, i) >= least_priority;
        if (may || !member->electable || member_is_primary(member))
            continue;
        member->electable = false;
        TRY(store_cluster_member_want(context->tx, work->cluster.organization, member));
        changed = true;
    }
    return changed ? store_cluster_touch(context->tx, &work->cluster) : OK;
}

/*
 * Asks the primary's host for a switchover, again when it failed or had no effect for a while. Nobody is named: only the
 * synchronous standby can take over, and who that is may change until Patroni acts.
 */
error
work_hand_over(struct job_context *context, struct cluster_work *work, int least_priority,
               struct job_result *ret_result)
{
    int from = work_primary(work);
    bool is_ready = false;
    if (from < 0)
        return work_wait_for_primary(context, work, ret_result);
    if (least_priority < 0)
        return step_waits(context, ret_result, "No replica can become the primary now.");
    for (size_t i = 0; i < work->members.count; i++)
        is_ready |= may_take_over(work, i) && priority_of(work, i) >= least_priority &&
                    work->members.items[i].role == MEMBER_IS_SYNC_STANDBY;
    if (!is_ready) {
        TRY(leave_it_to(context, work, least_priority));
        return step_waits(context, ret_result, "The replica that will become the primary is not synchronous yet.");
    }
    const struct cluster_member *leader = &work->members.items[from];
    str job = id_text(context->arena, context->job->id);
    str purpose = str_format(context->arena, "%.*s/%.*s", STR_ARG(job), STR_ARG(context->job->step));
    struct task_state task;
    TRY(store_task_find(context->tx, &work->cluster, STR("SWITCHOVER"), purpose, &task));
    str name = member_name(context, work, leader);
    /* Whoever was asked may be gone by now, and another one leads. */
    bool is_asked = task.outcome != TASK_NONE && id_eq(task.member, leader->id);
    if (!is_asked || task.may_be_repeated) {
        json_t *parameters =
            json_in(context->arena, json_pack("{s:s, s:s}", "purpose", purpose.data, "leader", name.data));
        TRY(store_task_add(context->tx, work->cluster.organization, leader->id, STR("SWITCHOVER"),
                           json_text(context->arena, parameters)));
    }
    if (is_asked && task.outcome == TASK_FAILED)
        return step_waits(context, ret_result, "Member %.*s did not hand over: %.*s.", STR_ARG(name),
                          STR_ARG(task.detail));
    return step_waits(context, ret_result, "Member %.*s hands over to a replica.", STR_ARG(name));
}

error
work_wait_for_restarts(struct job_context *context, struct cluster_work *work, struct job_result *ret_result)
{
    for (size_t i = 0; i < work->members.count; i++) {
        const struct cluster_member *member = &work->members.items[i];
        if (member_stays(work, i) && member->applied_restart < member->restart_nonce)
            return step_waits(context, ret_result, "Member %.*s restarts.",
                              STR_ARG(member_name(context, work, member)));
    }
    return work_wait_for_members(context, work, ret_result);
}

error
work_restart(struct job_context *context, struct cluster_work *work, size_t index, int64_t goal,
             struct job_result *ret_result)
{
    const struct cluster_member *member = &work->members.items[index];
    TRY(store_cluster_member_restart_for(context->tx, work->cluster.organization, member->id, goal));
    return step_waits(context, ret_result, "Member %.*s restarts.", STR_ARG(member_name(context, work, member)));
}

error
work_forget_scope(struct job_context *context, struct cluster_work *work, str purpose, struct job_result *ret_result)
{
    struct task_state task;
    const struct cluster_member *who = NULL;
    for (size_t i = 0; work->found && i < work->members.count && who == NULL; i++)
        who = work->members.items[i].host_gone ? NULL : &work->members.items[i];
    if (who == NULL)
        return step_done(ret_result);
    TRY(store_task_find(context->tx, &work->cluster, STR("FORGET_SCOPE"), purpose, &task));
    if (task.outcome == TASK_DONE)
        return step_done(ret_result);
    if (task.outcome == TASK_NONE || task.may_be_repeated) {
        json_t *parameters = json_in(
            context->arena, json_pack("{s:s, s:s}", "purpose", purpose.data, "scope", work->cluster.set_name.data));
        TRY(store_task_add(context->tx, work->cluster.organization, who->id, STR("FORGET_SCOPE"),
                           json_text(context->arena, parameters)));
    }
    if (task.outcome == TASK_FAILED)
        return step_waits(context, ret_result, "The cluster's entry could not be removed: %.*s.", STR_ARG(task.detail));
    return step_waits(context, ret_result, "The cluster's entry in the fleet's directory is being removed.");
}

static str
address_type(str address)
{
    return str_find(address, ':') >= 0 ? STR("AAAA") : STR("A");
}

static struct cluster_names
work_names(const struct job_context *context, const struct cluster_work *work)
{
    return (struct cluster_names){ work->cluster.set_name, work->cluster.host_label, work->cluster.label,
                                   str_from(context->environment->domain) };
}

static error
publish(struct job_context *context, struct cluster_work *work, const struct cluster_member *member, str address,
        bool is_private)
{
    struct cluster_names names = work_names(context, work);
    str host = name_of_host(context->arena, &names, member->ordinal, is_private);
    TRY(store_name_add(context->tx, &work->cluster, host, address_type(address), address));
    if (member->analytics) /* whoever asks for the cluster's members is an application */
        return OK;
    return store_name_add(context->tx, &work->cluster, name_of_service(context->arena, &names, is_private), STR("SRV"),
                          name_service_target(context->arena, work->cluster.port, host));
}

error
work_publish_names(struct job_context *context, struct cluster_work *work)
{
    for (size_t i = 0; i < work->members.count; i++) {
        const struct cluster_member *member = &work->members.items[i];
        if (!member_stays(work, i))
            continue;
        if (member->address.len == 0)
            continue;
        /* A member with one address has it in private networks, too: pool_private() of the store says the same. */
        bool has_private = member->private_address.len > 0;
        TRY(publish(context, work, member, member->address, false));
        TRY(publish(context, work, member, has_private ? member->private_address : member->address, true));
    }
    return OK;
}

error
work_hide_names(struct job_context *context, struct cluster_work *work, const struct cluster_member *member)
{
    struct cluster_names names = work_names(context, work);
    for (int is_private = 0; is_private < 2; is_private++) {
        str host = name_of_host(context->arena, &names, member->ordinal, is_private);
        TRY(store_name_remove(context->tx, &work->cluster, host,
                              name_service_target(context->arena, work->cluster.port, host)));
    }
    return OK;
}

error
work_event(struct job_context *context, const struct cluster_work *work, enum event_type type)
{
    str operation = id_text(context->arena, context->job->id);
    struct event_draft draft = {
        .type = type,
        .organization = context->job->organization,
        .project = context->job->project,
        .cluster = context->job->subject_name,
        .after = json_in(context->arena,
                         json_pack("{s:s, s:s, s:s, s:I}", "id", id_text(context->arena, work->cluster.id).data, "name",
                                   work->cluster.name.data, "operationId", operation.data, "generation",
                                   (json_int_t)context->job->generation)),
    };
    return store_event_add_by_worker(context->tx, &draft);
}

error
work_finish(struct job_context *context, struct cluster_work *work, enum event_type type)
{
    int64_t others, observed = context->job->generation;
    enum cluster_state state = work->cluster.state;
    TRY(store_cluster_unfinished_jobs(context->tx, &work->cluster, context->job->id, &others));
    if (others == 0) {
        /* This job worked towards the document as it is now, whatever it was when the job was added. */
        observed = work->cluster.generation;
        if (!cluster_state_next(state, CAUSE_REACHED, &state))
            return fail(context->arena, INTERNAL_ERROR);
    }
    TRY(store_cluster_set_state(context->tx, &work->cluster, state, observed));
    return work_event(context, work, type);
}
