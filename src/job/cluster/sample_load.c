/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a small set of sample tables into a cluster. The primary's host does it. */
#include "base/clock.h"
#include "base/date.h"
#include "base/json.h"
#include "cluster/part.h"
#include "job/cluster/cluster_jobs.h"
#include "job/cluster/cluster_work.h"

/* Gives the task to the primary's host, and waits for its outcome. The outcome of the load is no failure of the job. */
static error
load(struct job_context *context, struct job_result *ret_result)
{
    struct cluster_work *work;
    struct task_state task;
    TRY(cluster_work(context, &work));
    if (!work->found)
        return step_done(ret_result);
    str purpose = id_text(context->arena, context->job->id);
    TRY(store_task_find(context->tx, &work->cluster, STR("LOAD_SAMPLE"), purpose, &task));
    if (task.outcome == TASK_DONE || task.outcome == TASK_FAILED)
        return step_done(ret_result);
    int primary = work_primary(work);
    if (primary < 0)
        return step_waits(context, ret_result, "There is no primary.");
    /* When the primary moved, another task follows it: only there can anything be loaded. Twice does no harm. */
    if (task.outcome == TASK_OPEN && id_eq(task.member, work->members.items[primary].id))
        return step_waits(context, ret_result, "The data is being loaded.");
    json_t *parameters = json_in(context->arena, json_pack("{s:s}", "purpose", purpose.data));
    TRY(store_task_add(context->tx, work->cluster.organization, work->members.items[primary].id, STR("LOAD_SAMPLE"),
                       json_text(context->arena, parameters)));
    return step_waits(context, ret_result, "The data is being loaded.");
}

static error
finish(struct job_context *context, struct job_result *ret_result)
{
    struct cluster_work *work;
    struct cluster_part part;
    struct task_state task;
    bool found;
    str name = json_str(json_object_get(json_parse_own(context->arena, context->job->payload), "load"));
    TRY(cluster_work(context, &work));
    if (!work->found)
        return step_done(ret_result);
    TRY(store_part_lock(context->tx, context->job->project, STR(SAMPLE_LOAD_KIND), name, &found, &part));
    TRY(store_task_find(context->tx, &work->cluster, STR("LOAD_SAMPLE"), id_text(context->arena, context->job->id),
                        &task));
    bool failed = task.outcome != TASK_DONE;
    if (found) {
        json_t *document = json_parse_own(context->arena, part.document);
        json_object_set_new(document, "completeDate",
                            json_string(date_text(context->arena, clock_now_ms() / 1000 * 1000).data));
        if (failed)
            json_object_set_new(document, "errorMessage", json_stringn(task.detail.data, task.detail.len));
        part_set(context->arena, &part, document,
                 sample_load_state_names[failed ? SAMPLE_LOAD_FAILED : SAMPLE_LOAD_COMPLETED]);
        TRY(store_part_put(context->tx, context->job->organization, context->job->project, &part));
    }
    TRY(work_finish(context, work, failed ? EVENT_SAMPLE_DATA_FAILED : EVENT_SAMPLE_DATA_LOADED));
    return step_done(ret_result);
}

// clang-format off
static const struct job_step_row steps[] = {
    { "load",   "Loads the data.",     load,   1800 },
    { "finish", "Records the result.", finish, 60 },
};
// clang-format on

const struct job_kind sample_load_job = { "cluster.load-sample", "Loads sample data into a cluster.", steps,
                                          LENGTH(steps) };
