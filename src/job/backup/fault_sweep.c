/* SPDX-License-Identifier: Apache-2.0 */
/* Who is told that backups are not made as they should be, or that something which was kept is lost. */
#include "base/json.h"
#include "job/kinds.h"
#include "store/backup/seat.h"
#include "store/event/event.h"

/* By the kind of a fault, as the database names it. */
static const struct {
    const char *kind;
    enum event_type event;
} events[] = {
    { "DAMAGED", EVENT_BACKUP_DAMAGED },
    { "SOUND", EVENT_BACKUP_SOUND },
    { "FAILING", EVENT_BACKUP_FAILING },
    { "WORKING", EVENT_BACKUP_WORKING },
};

static enum event_type
event_of(str kind)
{
    size_t i = 0;
    while (i < LENGTH(events) - 1 && !str_is(kind, events[i].kind))
        i++;
    return events[i].event;
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
    struct event_draft event = { .type = event_of(fault->kind),
                                 .organization = fault->organization,
                                 .project = fault->project,
                                 .cluster = fault->cluster,
                                 .after = json_parse_own(context->arena, document) };
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
