/* SPDX-License-Identifier: Apache-2.0 */
/* The backups of a cluster, as its jobs see them. A request began or ended the history; repository hosts do the rest. */
#include "base/json.h"
#include "cluster/backup.h"
#include "job/cluster/cluster_work.h"

/* From then on nothing that is written is lost with the cluster's hosts, but for what the receiver is behind. */
error
cluster_step_wait_backups(struct job_context *context, struct job_result *ret_result)
{
    struct cluster_work *work;
    struct seat_state seats[STORE_MAX_SEATS];
    size_t count;
    TRY(cluster_work(context, &work));
    if (!work->found || work->wanted.paused || !json_is_true(json_object_get(work->cluster.document, backup_fields[0])))
        return step_done(ret_result);
    TRY(store_seats_of_cluster(context->tx, work->cluster.organization, work->cluster.id, &count, seats));
    if (count == 0)
        return step_waits(context, ret_result, "No repository host has room for the cluster's backups.");
    for (size_t i = 0; i < count; i++) {
        if (seats[i].problem.len > 0 && !seats[i].has_received)
            return step_waits(context, ret_result, "The repository host does not receive the cluster's changes: %.*s.",
                              STR_ARG(seats[i].problem));
        if (!str_is(seats[i].unit, "active") || !seats[i].has_received)
            return step_waits(context, ret_result, "The repository host has not received anything yet.");
    }
    return step_done(ret_result);
}

/* Whoever deletes a cluster says what becomes of its backups. What is protected stays in any case. */
error
cluster_step_end_backups(struct job_context *context, struct job_result *ret_result)
{
    const struct job *job = context->job;
    const json_t *payload = job->payload.len == 0 ? NULL : json_parse_own(context->arena, job->payload);
    if (json_is_true(json_object_get(payload, "retainBackups")))
        TRY(store_stanza_end(context->tx, job->organization, job->subject));
    else
        TRY(store_stanza_remove_all(context->tx, job->organization, job->subject));
    return step_done(ret_result);
}
