/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"
#include "job/cluster/cluster_jobs.h"
#include "job/cluster/cluster_work.h"

/* Before any member starts: it agrees with the others as a user of etcd that reaches this cluster's keys only. */
static error
make_scope(struct job_context *context, struct job_result *ret_result)
{
    struct cluster_work *work;
    bool is_done = true;
    str why = STR_EMPTY;
    TRY(cluster_work(context, &work));
    if (work->found)
        TRY(etcd_make_scope(context, work->cluster.id, &is_done, &why));
    if (is_done)
        return step_done(ret_result);
    log_line(LOG_WARNING, "etcd", "Cluster %.*s has no user yet: %.*s", STR_ARG(work->cluster.set_name), STR_ARG(why));
    return step_waits(context, ret_result, "The cluster's place in the fleet's directory is not ready.");
}

static error
finish(struct job_context *context, struct job_result *ret_result)
{
    return cluster_finish_with(context, EVENT_CLUSTER_READY, ret_result);
}

// clang-format off
static const struct job_step_row steps[] = {
    { "make-scope",    "Creates the cluster's user and role in etcd.",   make_scope,                 60 },
    { "start",         "Tells the hosts which members they have.",       cluster_step_start,         60 },
    { "wait-primary",  "Waits until the primary accepts writes.",        cluster_step_wait_primary,  300 },
    { "wait-replicas", "Waits until every replica follows the primary.", cluster_step_wait_members,  600 },
    { "publish-names", "Makes the names of the cluster known.",          cluster_step_publish_names, 60 },
    { "wait-backups",  "Waits until its backups receive what is written.", cluster_step_wait_backups, 600 },
    { "finish",        "Records that the cluster can be used.",          finish,                     60 },
};
// clang-format on

const struct job_kind cluster_create_job = { "cluster.create", "Makes a cluster.", steps, LENGTH(steps) };
