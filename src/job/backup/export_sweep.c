/* SPDX-License-Identifier: Apache-2.0 */
/* Who writes exports of snapshots, and who is told what came of it. */
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "job/kinds.h"
#include "store/backup/export.h"
#include "store/event/event.h"

enum { AT_ONCE = 500 };

static error
tell(struct sweep_context *context, const struct ended_export *ended)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    bool changed;
    TRY(tx_begin(context->store, context->arena, ended->organization, &tx));
    TRY(store_export_tell(tx, ended->project, ended->export_job, &changed));
    if (!changed)
        return OK;
    struct event_draft event = { .type =
                                     str_is(ended->state, "SUCCEEDED") ? EVENT_EXPORT_SUCCEEDED : EVENT_EXPORT_FAILED,
                                 .organization = ended->organization,
                                 .project = ended->project,
                                 .cluster = ended->cluster,
                                 .after = json_parse_own(context->arena, ended->document) };
    TRY(store_event_add_by_worker(tx, &event));
    return tx_commit(tx);
}

static error
tell_all(struct sweep_context *context)
{
    struct ended_export ended[EXPORTS_MAX];
    size_t count;
    TRY(store_exports_untold(context->store, context->arena, ended, &count));
    for (size_t i = 0; i < count; i++)
        TRY(tell(context, &ended[i]));
    return OK;
}

/* What has ended first: it frees its host for the next. */
static error
sweep_exports(struct sweep_context *context)
{
    int given_up, cancelled, queued, given, pruned;
    TRY(store_exports_give_up(context->store, context->arena, &given_up));
    TRY(store_exports_cancel(context->store, context->arena, &cancelled));
    TRY(tell_all(context));
    TRY(store_exports_queue(context->store, context->arena, clock_now_ms() / 1000, AT_ONCE, &queued));
    TRY(store_exports_give(context->store, context->arena, &given));
    TRY(store_exports_prune(context->store, context->arena, AT_ONCE, &pruned));
    if (given_up + cancelled + queued + given + pruned > 0)
        log_line(LOG_INFO, "exports", "%d are due, %d begin, %d are cancelled, %d were not run, %d are forgotten.",
                 queued, given, cancelled, given_up, pruned);
    return OK;
}

const struct sweep backup_exports_sweep = {
    .name = "backup-exports",
    .doc =
        "Finds snapshots that schedules want exported, has repository hosts write snapshots to buckets, one at a time, and tells what came of it.",
    .every_s = 10,
    .run = sweep_exports,
};
