/* SPDX-License-Identifier: Apache-2.0 */
/* An index, built by the primary's host without blocking writes. */
#include "base/json.h"
#include "job/kinds.h"
#include "store/cluster/index_task.h"
#include "store/event/event.h"

/* The payload: {"clusterId": "…", "parameters": {what the agent is told}} */
static error
tell(struct job_context *context, enum event_type type, const char *why)
{
    const json_t *payload = json_parse_own(context->arena, context->job->payload);
    json_t *after = json_in(context->arena, json_deep_copy(json_object_get(payload, "parameters")));
    if (why != NULL)
        json_object_set_new(after, "problem", json_string(why));
    struct event_draft draft = {
        .type = type,
        .organization = context->job->organization,
        .project = context->job->project,
        .cluster = context->job->subject_name,
        .after = after,
    };
    return store_event_add_by_worker(context->tx, &draft);
}

static error
give_up(struct job_context *context, str why, struct job_result *ret_result)
{
    *ret_result = (struct job_result){ STEP_FAILED, why };
    return tell(context, EVENT_INDEX_FAILED, why.data);
}

/* The task has the job's id, so a step that is run again finds what it has asked for. When the primary moved, so does the
 * task: only there can an index be built. */
static error
build(struct job_context *context, struct job_result *ret_result)
{
    const struct job *job = context->job;
    const json_t *payload = json_parse_own(context->arena, job->payload);
    struct index_task task;
    id cluster;
    if (!id_parse(json_str(json_object_get(payload, "clusterId")), &cluster))
        return give_up(context, STR("The job cannot be read."), ret_result);
    TRY(store_index_task(context->tx, job->organization, cluster, job->id, &task));
    if (!task.cluster_exists)
        return give_up(context, STR("The cluster was deleted."), ret_result);
    if (task.outcome == TASK_FAILED)
        return give_up(context, task.detail, ret_result);
    if (task.outcome == TASK_DONE) {
        *ret_result = (struct job_result){ .outcome = STEP_DONE };
        return tell(context, EVENT_INDEX_CREATED, NULL);
    }
    if (task.has_primary && task.is_asked && id_eq(task.primary, task.member)) {
        *ret_result = (struct job_result){ STEP_WAITS, STR("The index is being built.") };
        return OK;
    }
    *ret_result = (struct job_result){ STEP_WAITS, STR("The cluster has no primary.") };
    if (!task.has_primary)
        return OK;
    if (task.is_asked)
        TRY(store_index_task_remove(context->tx, job->organization, job->id));
    ret_result->why = STR("The host of the primary was asked to build it.");
    return store_index_task_add(context->tx, job->organization, job->id, task.primary,
                                json_text(context->arena, json_object_get(payload, "parameters")));
}

enum { DAY_S = 24 * 3600 };
static const struct job_step_row steps[] = {
    { "build", "Builds the index on the primary; replicas follow.", build, DAY_S },
};
const struct job_kind index_create_job = { "index.create", "Builds an index.", steps, LENGTH(steps) };
