/* SPDX-License-Identifier: Apache-2.0 */
/* Ends a simulated outage that nobody ended in time. */
#include "base/json.h"
#include "cluster/part.h"
#include "cluster/state.h"
#include "job/cluster/cluster_jobs.h"
#include "job/kinds.h"
#include "store/cluster/cluster.h"
#include "store/event/event.h"

/* In one transaction: the state, the job that starts members again, and the event. */
static error
end_simulation(struct sweep_context *context, const struct part_place *place)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct cluster cluster;
    struct cluster_part part;
    bool found;
    enum cluster_state state;
    id job;
    TRY(tx_begin(context->store, context->arena, place->organization, &tx));
    TRY(store_cluster_lock(tx, place->organization, place->project, STR(CLUSTER_KIND), place->name, &found, &cluster));
    if (!found || !cluster_state_next(cluster.state, CAUSE_CHANGE, &state)) /* it is being deleted */
        return OK;
    TRY(store_part_lock(tx, place->project, STR(OUTAGE_KIND), place->name, &found, &part));
    if (!found || outage_is_ending(&part)) /* somebody ended it meanwhile */
        return OK;
    json_t *before = json_parse_own(context->arena, part.document),
           *after = json_in(context->arena, json_deep_copy(before));
    part_set(context->arena, &part, after, outage_state_names[OUTAGE_RECOVERY_REQUESTED]);
    TRY(store_part_put(tx, place->organization, place->project, &part));
    TRY(store_cluster_set(tx, &cluster, cluster.document, state, false));
    struct job_draft draft = { .organization = place->organization,
                               .project = place->project,
                               .subject = cluster.id,
                               .subject_name = cluster.name,
                               .generation = cluster.generation };
    TRY(job_add(tx, &outage_end_job, draft, &job));
    struct event_draft event = { .type = EVENT_CLUSTER_OUTAGE_END_REQUESTED,
                                 .organization = place->organization,
                                 .project = place->project,
                                 .cluster = cluster.name,
                                 .before = before,
                                 .after = after };
    TRY(store_event_add_by_worker(tx, &event));
    return tx_commit(tx);
}

static error
end_expired(struct sweep_context *context)
{
    struct part_place places[PART_PLACES_MAX];
    size_t count;
    TRY(store_outages_expired(context->store, context->arena, places, &count));
    for (size_t i = 0; i < count; i++)
        TRY(end_simulation(context, &places[i]));
    return OK;
}

const struct sweep expired_outages_sweep = {
    .name = "expired-outages",
    .doc = "Ends simulated outages whose time is over.",
    .every_s = 5,
    .run = end_expired,
};
