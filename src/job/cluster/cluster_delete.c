/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deletes a cluster. Its names are removed first, so that nobody finds it any more; its rows last, so that nothing is
 * left behind.
 */
#include "base/json.h"
#include "base/log.h"
#include "job/cluster/cluster_jobs.h"
#include "job/cluster/cluster_work.h"

static error
hide_names(struct job_context *context, struct job_result *ret_result)
{
    struct cluster_work *work;
    TRY(cluster_work(context, &work));
    if (work->found)
        TRY(store_name_remove_all(context->tx, &work->cluster));
    return step_done(ret_result);
}

static error
remove_members(struct job_context *context, struct job_result *ret_result)
{
    struct cluster_work *work;
    TRY(cluster_work(context, &work));
    for (size_t i = 0; work->found && i < work->members.count; i++) {
        struct cluster_member *member = &work->members.items[i];
        /* No host was ever told about one that was only planned. */
        if (member->desired == MEMBER_PLANNED) {
            TRY(store_cluster_member_release(context->tx, member->id));
        } else if (member->desired != MEMBER_REMOVED) {
            member->desired = MEMBER_REMOVED;
            TRY(store_cluster_member_want(context->tx, work->cluster.organization, member));
        }
    }
    return step_done(ret_result);
}

static error
wait_removed(struct job_context *context, struct job_result *ret_result)
{
    struct cluster_work *work;
    TRY(cluster_work(context, &work));
    for (size_t i = 0; work->found && i < work->members.count; i++) {
        const struct cluster_member *member = &work->members.items[i];
        if (!member_is_absent(member))
            return step_waits(context, ret_result, "Member %.*s is being removed.",
                              STR_ARG(member_name(context, work, member)));
    }
    return step_done(ret_result);
}

/* What Patroni keeps about the cluster in etcd, with the user that could. */
static error
forget_scope(struct job_context *context, struct job_result *ret_result)
{
    struct cluster_work *work;
    bool is_mine = false, is_done = true;
    str why = STR_EMPTY;
    TRY(cluster_work(context, &work));
    if (work->found)
        TRY(etcd_remove_scope(context, work->cluster.id, &is_mine, &is_done, &why));
    if (!is_mine)
        return work_forget_scope(context, work, id_text(context->arena, context->job->id), ret_result);
    if (is_done)
        return step_done(ret_result);
    log_line(LOG_WARNING, "etcd", "Keys of cluster %.*s are still there: %.*s", STR_ARG(work->cluster.set_name),
             STR_ARG(why));
    return step_waits(context, ret_result, "The cluster's entry in the fleet's directory is being removed.");
}

static error
release(struct job_context *context, struct job_result *ret_result)
{
    struct cluster_work *work;
    TRY(cluster_work(context, &work));
    for (size_t i = 0; work->found && i < work->members.count; i++)
        TRY(store_cluster_member_release(context->tx, work->members.items[i].id));
    return step_done(ret_result);
}

static error
finish(struct job_context *context, struct job_result *ret_result)
{
    struct cluster_work *work;
    TRY(cluster_work(context, &work));
    if (work->found) {
        TRY(store_cluster_remove(context->tx, &work->cluster));
        TRY(work_event(context, work, EVENT_CLUSTER_DELETED));
    }
    return step_done(ret_result);
}

// clang-format off
static const struct job_step_row steps[] = {
    { "hide-names",     "Removes the names of the cluster.",                         hide_names,     60 },
    { "remove-members", "Tells the hosts to remove their members.",                  remove_members, 60 },
    { "end-backups",    "Ends or removes the cluster's backups.",                    cluster_step_end_backups, 60 },
    { "wait-removed",   "Waits until servers and data are removed from every host.", wait_removed,   600 },
    { "forget-scope",   "Removes what the cluster's members agreed on.",             forget_scope,   300 },
    { "release",        "Releases addresses and capacity.",                          release,        60 },
    { "finish",         "Records that the cluster is deleted.",                      finish,         60 },
};
// clang-format on

const struct job_kind cluster_delete_job = { "cluster.delete", "Deletes a cluster.", steps, LENGTH(steps) };
