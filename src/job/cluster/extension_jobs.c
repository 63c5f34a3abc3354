/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes and drops extensions. The primary's host does it; a standby has it when it is done. What servers load when they start changes first, or last when
 * it goes, with the restarts that any such setting has.
 */
#include "base/json.h"
#include "cluster/part.h"
#include "job/cluster/cluster_jobs.h"
#include "job/cluster/cluster_work.h"
#include "store/resource.h"
#include "wire/extension/extension.h"

struct extension_work {
    struct cluster_work *work;
    bool found; /* the cluster and the part are still there */
    struct cluster_part part;
    json_t *document; /* of the part */
    struct task_state task;
};

/* Everything that a step looks at; `kind` is that of the task of this job. */
static error
take(struct job_context *context, const char *kind, struct extension_work *ret_work)
{
    str name = json_str(json_object_get(json_parse_own(context->arena, context->job->payload), "extension"));
    *ret_work = (struct extension_work){ 0 };
    TRY(cluster_work(context, &ret_work->work));
    if (!ret_work->work->found)
        return OK;
    TRY(store_part_lock(context->tx, context->job->project, STR(EXTENSION_KIND), name, &ret_work->found,
                        &ret_work->part));
    if (!ret_work->found)
        return OK;
    ret_work->document = json_parse_own(context->arena, ret_work->part.document);
    return store_task_find(context->tx, &ret_work->work->cluster, str_from(kind),
                           id_text(context->arena, context->job->id), &ret_work->task);
}

/* When the primary moved, another task follows it: both may be run any number of times. */
static error
ask_primary(struct job_context *context, const char *kind, struct job_result *ret_result)
{
    struct extension_work self;
    TRY(take(context, kind, &self));
    if (!self.found || self.task.outcome == TASK_DONE || self.task.outcome == TASK_FAILED)
        return step_done(ret_result);
    int primary = work_primary(self.work);
    if (primary < 0)
        return step_waits(context, ret_result, "There is no primary.");
    id member = self.work->members.items[primary].id;
    if (self.task.outcome == TASK_OPEN && id_eq(self.task.member, member))
        return step_waits(context, ret_result, "The host of the primary was asked.");
    json_t *parameters =
        json_in(context->arena, json_pack("{s:s, s:O, s:O}", "purpose", id_text(context->arena, context->job->id).data,
                                          "name", json_object_get(self.document, "name"), "database",
                                          json_object_get(self.document, "databaseName")));
    TRY(store_task_add(context->tx, self.work->cluster.organization, member, str_from(kind),
                       json_text(context->arena, parameters)));
    return step_waits(context, ret_result, "The host of the primary was asked.");
}

static error
put(struct job_context *context, struct extension_work *self, enum extension_state state, str why)
{
    json_object_del(self->document, "problem");
    if (why.len > 0)
        json_object_set_new(self->document, "problem", json_stringn(why.data, why.len));
    part_set(context->arena, &self->part, self->document, extension_state_names[state]);
    return store_part_put(context->tx, context->job->organization, context->job->project, &self->part);
}

static error
end(struct job_context *context, struct cluster_work *work, enum event_type type, struct job_result *ret_result)
{
    TRY(store_cluster_require_restart(context->tx, &work->cluster, false));
    TRY(work_finish(context, work, type));
    return step_done(ret_result);
}

/* ---- One more ---- */
static error
make(struct job_context *context, struct job_result *ret_result)
{
    return ask_primary(context, "CREATE_EXTENSION", ret_result);
}

static error
finish_made(struct job_context *context, struct job_result *ret_result)
{
    struct extension_work self;
    TRY(take(context, "CREATE_EXTENSION", &self));
    if (!self.work->found)
        return step_done(ret_result);
    bool made = self.task.outcome == TASK_DONE;
    if (self.found)
        TRY(put(context, &self, made ? EXTENSION_ACTIVE : EXTENSION_FAILED, made ? STR_EMPTY : self.task.detail));
    return end(context, self.work, made ? EVENT_EXTENSION_CREATED : EVENT_EXTENSION_FAILED, ret_result);
}

/* ---- One less ---- */
static error
drop(struct job_context *context, struct job_result *ret_result)
{
    return ask_primary(context, "DROP_EXTENSION", ret_result);
}

/* Whether another database of the cluster has an extension that needs the library is not asked: those that need one of their own are in one database. */
static error
unload(struct job_context *context, struct job_result *ret_result)
{
    struct extension_work self;
    TRY(take(context, "DROP_EXTENSION", &self));
    if (!self.found)
        return step_done(ret_result);
    const struct extension_row *row = extension_find(json_str(json_object_get(self.document, "name")));
    if (self.task.outcome != TASK_DONE || row == NULL || row->database_setting == NULL)
        return step_done(ret_result);
    struct cluster *cluster = &self.work->cluster;
    json_t *document = json_in(context->arena, json_deep_copy(cluster->document));
    if (json_object_del(json_object_get(document, EXTENSION_LIBRARIES), row->library) == 0)
        TRY(store_cluster_set(context->tx, cluster, document, cluster->state, false));
    return step_done(ret_result);
}

static error
finish_dropped(struct job_context *context, struct job_result *ret_result)
{
    struct extension_work self;
    TRY(take(context, "DROP_EXTENSION", &self));
    if (!self.work->found)
        return step_done(ret_result);
    bool is_gone = !self.found || self.task.outcome == TASK_DONE;
    if (self.found && is_gone)
        TRY(store_resource_delete(context->tx, context->job->project, STR(EXTENSION_KIND), self.part.id));
    else if (self.found)
        TRY(put(context, &self, EXTENSION_ACTIVE, self.task.detail));
    return end(context, self.work, is_gone ? EVENT_EXTENSION_REMOVED : EVENT_EXTENSION_REMOVAL_FAILED, ret_result);
}

// clang-format off
#define RESTARTS \
    { "configure",        "Changes what the servers load.",                             cluster_step_configure,        60 }, \
    { "wait-configured",  "Waits until every member uses it.",                          cluster_step_wait_members,     300 }, \
    { "restart-replicas", "Restarts replicas that need it, one by one.",                cluster_step_restart_replicas, 1800 }, \
    { "restart-primary",  "Makes a replica the primary, and restarts the old primary.", cluster_step_restart_primary,  600 }, \
    { "restart-rest",     "Restarts members that could not follow before the primary.", cluster_step_restart_rest,     600 }, \
    { "hand-back",        "Makes a member in the right place the primary.",             cluster_step_hand_over,        300 }, \
    { "wait-settled",     "Waits until every member follows it.",                       cluster_step_wait_members,     600 }
static const struct job_step_row create_steps[] = {
    RESTARTS,
    { "make",             "Makes the extension.",                                       make,                          600 },
    { "finish",           "Records the result.",                                        finish_made,                   60 },
};
static const struct job_step_row drop_steps[] = {
    { "drop",             "Drops the extension, unless something depends on it.",       drop,                          600 },
    { "unload",           "Takes out what servers load for it.",                        unload,                        60 },
    RESTARTS,
    { "finish",           "Records the result.",                                        finish_dropped,                60 },
};
// clang-format on

const struct job_kind extension_create_job = { "cluster.create-extension", "Makes an extension in a database.",
                                               create_steps, LENGTH(create_steps) };
const struct job_kind extension_drop_job = { "cluster.drop-extension", "Drops an extension of a database.", drop_steps,
                                             LENGTH(drop_steps) };
