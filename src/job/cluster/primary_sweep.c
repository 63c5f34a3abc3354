/* SPDX-License-Identifier: Apache-2.0 */
/* Tells that a cluster has no primary, and that it has one again. A failover that goes well is over before anybody is told. */
#include "job/kinds.h"
#include "store/cluster/primary_watch.h"
#include "store/event/event.h"

/* The note and the event commit together, so each is told once. The note is the service's, the event the organization's. */
static error
note(struct sweep_context *context, const struct watched_primary *watched)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    bool is_told;
    TRY(tx_begin_service(context->store, context->arena, &tx));
    TRY(store_primary_watch_note(tx, watched, &is_told));
    struct event_draft event = { .type = watched->is_missing ? EVENT_NO_PRIMARY : EVENT_ONE_PRIMARY,
                                 .organization = watched->organization,
                                 .project = watched->project,
                                 .cluster = watched->cluster_name };
    /* That a cluster is stopped has events of its own. */
    if (is_told && !watched->is_stopped) {
        TRY(tx_set_organization(tx, watched->organization));
        TRY(store_event_add_by_worker(tx, &event));
    }
    return tx_commit(tx);
}

static error
watch(struct sweep_context *context)
{
    struct watched_primary watched[PRIMARY_WATCH_MAX];
    size_t count;
    TRY(store_primary_watch(context->store, context->arena, watched, &count));
    for (size_t i = 0; i < count; i++)
        TRY(note(context, &watched[i]));
    return OK;
}

const struct sweep missing_primaries_sweep = {
    .name = "missing-primaries",
    .doc = "Tells of clusters that have had no primary for 45 seconds, and when they have one again.",
    .every_s = 10,
    .lease_s =
        20, /* nobody waits five minutes for this because a worker died; two that look at once tell once all the same */
    .run = watch,
};
