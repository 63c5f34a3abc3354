/* SPDX-License-Identifier: Apache-2.0 */
#include "job/cluster_jobs.h"
#include "job/cluster_work.h"

static error
finish(struct job_context *context, struct job_result *ret_result)
{
    return cluster_finish_with(context, EVENT_CLUSTER_READY, ret_result);
}

// clang-format off
static const struct job_step_row steps[] = {
    { "start",         "Tells the hosts which members they have.",                   cluster_step_start,         60 },
    { "wait-primary",  "Waits until the primary accepts writes.",                    cluster_step_wait_primary,  300 },
    { "wait-replicas", "Waits until every replica follows the primary.",             cluster_step_wait_members,  600 },
    { "publish-names", "Makes the names of the cluster known.",                      cluster_step_publish_names, 60 },
    { "finish",        "Says that the cluster can be used.",                         finish,                     60 },
};
// clang-format on

const struct job_kind cluster_create_job = { "cluster.create", "Makes a cluster.", steps, LENGTH(steps) };
