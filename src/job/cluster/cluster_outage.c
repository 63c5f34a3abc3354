/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Simulates the loss of a region: its members are really stopped, all at once, and started again when the simulation
 * ends. The rest of the cluster reacts as if the region were lost.
 */
#include "base/json.h"
#include "cluster/part.h"
#include "job/cluster/cluster_jobs.h"
#include "job/cluster/cluster_work.h"

static error
load(struct job_context *context, struct cluster_work **ret_work, bool *ret_found, struct cluster_part *ret_part)
{
    TRY(cluster_work(context, ret_work));
    *ret_found = false;
    if (!(*ret_work)->found)
        return OK;
    return store_part_lock(context->tx, context->job->project, STR(OUTAGE_KIND), (*ret_work)->cluster.name, ret_found,
                           ret_part);
}

static error
set_state(struct job_context *context, struct cluster_part *part, enum outage_state state)
{
    part_set(context->arena, part, json_parse_own(context->arena, part->document), outage_state_names[state]);
    return store_part_put(context->tx, context->job->organization, context->job->project, part);
}

static bool
is_struck(const json_t *document, const struct cluster_member *member)
{
    size_t index;
    const json_t *filter;
    json_array_foreach(json_object_get(document, "outageFilters"), index, filter)
    {
        if (str_eq(json_str(json_object_get(filter, "cloudProvider")), member->provider) &&
            str_eq(json_str(json_object_get(filter, "regionName")), member->region))
            return true;
    }
    return false;
}

static error
stop(struct job_context *context, struct job_result *ret_result)
{
    struct cluster_work *work;
    struct cluster_part part;
    bool found;
    TRY(load(context, &work, &found, &part));
    if (!found)
        return step_done(ret_result);
    const json_t *document = json_parse_own(context->arena, part.document);
    for (size_t i = 0; i < work->members.count; i++) {
        struct cluster_member *member = &work->members.items[i];
        if (member->desired != MEMBER_RUNNING || !is_struck(document, member))
            continue;
        member->desired = MEMBER_STOPPED;
        TRY(store_cluster_member_want(context->tx, work->cluster.organization, member));
    }
    TRY(set_state(context, &part, OUTAGE_STARTING));
    return step_done(ret_result);
}

static error
wait_stopped(struct job_context *context, struct job_result *ret_result)
{
    struct cluster_work *work;
    TRY(cluster_work(context, &work));
    for (size_t i = 0; work->found && i < work->members.count; i++) {
        const struct cluster_member *member = &work->members.items[i];
        if (member->desired == MEMBER_STOPPED && member->unit != UNIT_INACTIVE && !member_is_absent(member))
            return step_waits(context, ret_result, "Member %.*s is being stopped.",
                              STR_ARG(member_name(context, work, member)));
    }
    return step_done(ret_result);
}

static error
finish_with(struct job_context *context, enum outage_state state, enum event_type type, struct job_result *ret_result)
{
    struct cluster_work *work;
    struct cluster_part part;
    bool found;
    TRY(load(context, &work, &found, &part));
    if (found)
        TRY(set_state(context, &part, state));
    if (work->found)
        TRY(work_finish(context, work, type));
    return step_done(ret_result);
}

static error
finish_start(struct job_context *context, struct job_result *ret_result)
{
    return finish_with(context, OUTAGE_SIMULATING, EVENT_CLUSTER_OUTAGE_STARTED, ret_result);
}

static error
recover(struct job_context *context, struct job_result *ret_result)
{
    struct cluster_work *work;
    struct cluster_part part;
    bool found;
    TRY(load(context, &work, &found, &part));
    if (found)
        TRY(set_state(context, &part, OUTAGE_RECOVERING));
    return cluster_step_wake(context, ret_result);
}

static error
finish_end(struct job_context *context, struct job_result *ret_result)
{
    return finish_with(context, OUTAGE_COMPLETE, EVENT_CLUSTER_OUTAGE_ENDED, ret_result);
}

// clang-format off
static const struct job_step_row start_steps[] = {
    { "stop",         "Stops the members in the chosen regions.", stop,         60 },
    { "wait-stopped", "Waits until they are stopped.",            wait_stopped, 300 },
    { "finish",       "Records that the simulation runs.",        finish_start, 60 },
};
static const struct job_step_row end_steps[] = {
    { "start",        "Starts the members again.",                  recover,                   60 },
    { "wait-members", "Waits until they follow the primary again.", cluster_step_wait_members, 1800 },
    { "finish",       "Records that the simulation has ended.",     finish_end,                60 },
};
// clang-format on

const struct job_kind outage_start_job = { "cluster.outage-start", "Stops the members of a cluster in chosen regions.",
                                           start_steps, LENGTH(start_steps) };
const struct job_kind outage_end_job = { "cluster.outage-end", "Starts the members that a simulation has stopped.",
                                         end_steps, LENGTH(end_steps) };
