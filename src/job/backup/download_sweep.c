/* SPDX-License-Identifier: Apache-2.0 */
/* The end of downloads, and who is told that one can be fetched. */
#include "base/json.h"
#include "base/log.h"
#include "job/kinds.h"
#include "store/event/event.h"
#include "store/restore/download.h"

static error
tell(struct sweep_context *context, const struct made_download *download)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    bool changed;
    TRY(tx_begin(context->store, context->arena, download->organization, &tx));
    TRY(store_download_tell(tx, download->organization, download->download, &changed));
    if (!changed)
        return OK;
    struct event_draft event = { .type = download->is_made ? EVENT_DOWNLOAD_READY : EVENT_DOWNLOAD_FAILED,
                                 .organization = download->organization,
                                 .project = download->project,
                                 .cluster = download->cluster,
                                 .after = json_parse_own(context->arena, download->document) };
    TRY(store_event_add_by_worker(tx, &event));
    return tx_commit(tx);
}

static error
tell_all(struct sweep_context *context)
{
    struct made_download downloads[DOWNLOADS_MAX];
    size_t count;
    TRY(store_downloads_untold(context->store, context->arena, downloads, &count));
    for (size_t i = 0; i < count; i++)
        TRY(tell(context, &downloads[i]));
    return OK;
}

static error
look_after(struct sweep_context *context)
{
    int ended, released;
    TRY(store_downloads_end_due(context->store, context->arena, &ended));
    TRY(store_downloads_release_lost(context->store, context->arena, &released));
    if (ended + released > 0)
        log_line(LOG_INFO, "downloads", "%d have ended, %d are gone with their host or seat.", ended, released);
    return tell_all(context);
}

const struct sweep backup_downloads_sweep = {
    .name = "backup-downloads",
    .doc = "Ends downloads of snapshots whose time is over, and tells which can be fetched.",
    .every_s = 10,
    .run = look_after,
};
