/* SPDX-License-Identifier: Apache-2.0 */
/* Switches the primary, as after a failure, so that people can test their applications. */
#include "base/json.h"
#include "job/cluster/cluster_jobs.h"
#include "job/cluster/cluster_work.h"

/* Who was the primary when this was asked for, and how often it had restarted, is in the payload. */
static error
hand_over(struct job_context *context, struct job_result *ret_result)
{
    struct cluster_work *work;
    TRY(cluster_work(context, &work));
    if (!work->found || work->wanted.paused)
        return step_done(ret_result);
    int primary = work_primary(work);
    if (primary < 0)
        return work_wait_for_primary(context, work, ret_result);
    const struct cluster_member *member = &work->members.items[primary];
    const json_t *asked = json_parse_own(context->arena, context->job->payload);
    if (!str_eq(json_str(json_object_get(asked, "primary")), id_text(context->arena, member->id)))
        return step_done(ret_result);
    if (work->members.count > 1)
        return work_hand_over(context, work, work_best_priority(work) < 0 ? -1 : ANY_PRIORITY, ret_result);
    /* There is nobody to hand over to: the server itself restarts. */
    int64_t restarts = json_integer_value(json_object_get(asked, "restarts"));
    if (member->applied_restart > restarts)
        return step_done(ret_result);
    TRY(store_cluster_member_restart_after(context->tx, work->cluster.organization, member->id, restarts));
    return step_waits(context, ret_result, "Member %.*s restarts.", STR_ARG(member_name(context, work, member)));
}

static error
finish(struct job_context *context, struct job_result *ret_result)
{
    return cluster_finish_with(context, EVENT_CLUSTER_PRIMARY_RESTARTED, ret_result);
}

// clang-format off
static const struct job_step_row steps[] = {
    { "hand-over",    "Makes a replica the primary.",                     hand_over,                 300 },
    { "wait-members", "Waits until the old primary follows the new one.", cluster_step_wait_members, 600 },
    { "finish",       "Records that the primary has changed.",            finish,                    60 },
};
// clang-format on

const struct job_kind cluster_restart_job = { "cluster.restart", "Makes a replica the primary.", steps, LENGTH(steps) };
