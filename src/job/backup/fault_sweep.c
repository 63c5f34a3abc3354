/* SPDX-License-Identifier: Apache-2.0 */
/* Who is told that backups are not made as they should be, or that something which was kept is lost. */
#include "base/json.h"
#include "job/kinds.h"
#include "store/backup/seat.h"
#include "store/event/event.h"

/* By the kind of a fault, as the database names it. Of others nobody is told: the same is still wrong with another seat of the cluster. */
static const struct {
    const char *kind;
    enum event_type event;
} events[] = {
    { "DAMAGED", EVENT_BACKUP_DAMAGED },
    { "SOUND", EVENT_BACKUP_SOUND },
    { "FAILING", EVENT_BACKUP_FAILING },
    { "WORKING", EVENT_BACKUP_WORKING },
};

static bool
find_event(str kind, enum event_type *ret_event)
{
    for (size_t i = 0; i < LENGTH(events); i++) {
        if (str_is(kind, events[i].kind)) {
            *ret_event = events[i].event;
            return true;
        }
    }
    return false;
}

static error
tell(struct sweep_context *context, const struct seat_fault *fault)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    bool changed;
    str document;
    TRY(tx_begin(context->store, context->arena, fault->organization, &tx));
    TRY(store_seat_fault_tell(tx, fault, &changed, &document));
    if (!changed)
        return OK;
    struct event_draft event = { .organization = fault->organization,
                                 .project = fault->project,
                                 .cluster = fault->cluster,
                                 .after = json_parse_own(context->arena, document) };
    if (find_event(fault->kind, &event.type))
        TRY(store_event_add_by_worker(tx, &event));
    return tx_commit(tx);
}

static error
tell_all(struct sweep_context *context)
{
    struct seat_fault faults[SEAT_FAULTS_MAX];
    size_t count;
    TRY(store_seat_faults(context->store, context->arena, faults, &count));
    for (size_t i = 0; i < count; i++)
        TRY(tell(context, &faults[i]));
    return OK;
}

const struct sweep backup_faults_sweep = {
    .name = "backup-faults",
    .doc = "Raises and ends the alarms about backups that are not made, and about what was kept and is lost.",
    .every_s = 10,
    .run = tell_all,
};
