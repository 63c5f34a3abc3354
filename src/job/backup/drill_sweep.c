/* SPDX-License-Identifier: Apache-2.0 */
/* When backups are tried, who tries them, and who is told what came of it. */
#include "base/json.h"
#include "base/log.h"
#include "job/kinds.h"
#include "store/backup/drill.h"
#include "store/event/event.h"

enum { AT_ONCE = 500 };

/* ---- What came of it ---- */
static enum event_type
event_of(str state)
{
    return str_is(state, "PASSED")   ? EVENT_DRILL_SUCCEEDED
           : str_is(state, "FAILED") ? EVENT_DRILL_FAILED
                                     : EVENT_DRILL_NOT_RUN;
}

static error
tell(struct sweep_context *context, const struct ended_drill *drill)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    bool changed;
    TRY(tx_begin(context->store, context->arena, drill->organization, &tx));
    TRY(store_drill_tell(tx, drill->project, drill->drill, &changed));
    if (!changed)
        return OK;
    struct event_draft event = { .type = event_of(drill->state),
                                 .organization = drill->organization,
                                 .project = drill->project,
                                 .cluster = drill->cluster,
                                 .after = json_parse_own(context->arena, drill->document) };
    TRY(store_event_add_by_worker(tx, &event));
    return tx_commit(tx);
}

static error
tell_all(struct sweep_context *context)
{
    struct ended_drill drills[DRILLS_MAX];
    size_t count;
    TRY(store_drills_untold(context->store, context->arena, drills, &count));
    for (size_t i = 0; i < count; i++)
        TRY(tell(context, &drills[i]));
    return OK;
}

/* ---- What is overdue ---- */
static error
tell_overdue(struct sweep_context *context, const struct overdue_stanza *stanza)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    bool changed;
    TRY(tx_begin(context->store, context->arena, stanza->organization, &tx));
    TRY(store_drill_overdue_mark(tx, stanza->project, stanza->stanza, stanza->is_overdue, &changed));
    if (!changed)
        return OK;
    json_t *after = json_in(context->arena, json_object());
    if (stanza->proven.len > 0)
        json_object_set_new(after, "lastProven", json_stringn(stanza->proven.data, stanza->proven.len));
    struct event_draft event = { .type = stanza->is_overdue ? EVENT_DRILL_OVERDUE : EVENT_DRILL_IN_TIME,
                                 .organization = stanza->organization,
                                 .project = stanza->project,
                                 .cluster = stanza->cluster,
                                 .after = after };
    TRY(store_event_add_by_worker(tx, &event));
    return tx_commit(tx);
}

static error
find_overdue(struct sweep_context *context)
{
    struct overdue_stanza stanzas[DRILLS_MAX];
    size_t count;
    TRY(store_drills_overdue(context->store, context->arena, stanzas, &count));
    for (size_t i = 0; i < count; i++)
        TRY(tell_overdue(context, &stanzas[i]));
    return OK;
}

/* ---- The sweep ---- */
/* What has ended first: it frees its host for the next. */
static error
drill(struct sweep_context *context)
{
    int given_up, queued, given, pruned;
    TRY(store_drills_give_up(context->store, context->arena, &given_up));
    TRY(tell_all(context));
    TRY(store_drills_queue(context->store, context->arena, AT_ONCE, &queued));
    TRY(store_drills_give(context->store, context->arena, &given));
    TRY(find_overdue(context));
    TRY(store_drills_prune(context->store, context->arena, AT_ONCE, &pruned));
    if (given_up + queued + given + pruned > 0)
        log_line(LOG_INFO, "drills", "%d are due, %d begin, %d were not run, %d are forgotten.", queued, given,
                 given_up, pruned);
    return OK;
}

const struct sweep backup_drills_sweep = {
    .name = "backup-drills",
    .doc = "Has repository hosts try whether backups can be restored, one at a time, and tells what came of it.",
    .every_s = 10,
    .run = drill,
};
