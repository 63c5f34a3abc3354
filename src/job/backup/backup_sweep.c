/* SPDX-License-Identifier: Apache-2.0 */
/* The end of snapshots, and the alarm when one does not come. */
#include "backup/schedule_document.h"
#include "base/clock.h"
#include "base/date.h"
#include "base/json.h"
#include "base/log.h"
#include "job/kinds.h"
#include "store/backup/expiry.h"
#include "store/backup/snapshot.h"
#include "store/event/event.h"

/* ---- expired-backups ---- */

enum { AT_ONCE = 500, BATCHES_IN_A_RUN = 20 };

typedef error step(struct store *store, struct arena *arena, int64_t limit, int *ret_count);

static error
repeat(struct sweep_context *context, step *some, const char *what)
{
    int total = 0, count = AT_ONCE;
    for (int batch = 0; batch < BATCHES_IN_A_RUN && count == AT_ONCE; batch++) {
        TRY(some(context->store, context->arena, AT_ONCE, &count));
        total += count;
    }
    if (total > 0)
        log_line(LOG_INFO, "backups_expired", "%d %s.", total, what);
    return OK;
}

static error
protect(struct sweep_context *context, const struct backup_project *project)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    TRY(tx_begin(context->store, context->arena, project->organization, &tx));
    TRY(store_snapshots_protect(tx, project->project));
    return tx_commit(tx);
}

/* First what protects, so that nothing that a policy is about can go before the policy has got hold of it. */
static error
end_snapshots(struct sweep_context *context)
{
    struct backup_project projects[BACKUP_PROJECTS_MAX];
    size_t count;
    TRY(store_backup_unprotected(context->store, context->arena, projects, &count));
    for (size_t i = 0; i < count; i++)
        TRY(protect(context, &projects[i]));
    TRY(repeat(context, store_snapshots_expire, "snapshots have expired"));
    TRY(repeat(context, store_snapshot_copies_release, "copies of snapshots are to be removed"));
    return repeat(context, store_snapshots_prune, "snapshots are forgotten");
}

const struct sweep expired_backups_sweep = {
    .name = "expired-backups",
    .doc = "Ends snapshots whose time is over, and has copies removed that nothing needs.",
    .every_s = 10,
    .run = end_snapshots,
};

/* ---- late-snapshots ---- */

/* A snapshot waits for the one before it, and a large one takes its time to begin. */
enum { GRACE_MS = 3600 * 1000 };

static error
tell(struct sweep_context *context, const struct walked_schedule *walked, bool is_late)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    bool changed;
    TRY(tx_begin(context->store, context->arena, walked->organization, &tx));
    TRY(store_backup_schedule_mark(tx, walked->project, walked->name, is_late, &changed));
    if (!changed)
        return OK;
    json_t *after = json_in(context->arena, json_pack("{s:s}", "newestSnapshot",
                                                      date_text(context->arena, walked->newest_ms / 1000 * 1000).data));
    struct event_draft event = { .type = is_late ? EVENT_SNAPSHOT_LATE : EVENT_SNAPSHOT_IN_TIME,
                                 .organization = walked->organization,
                                 .project = walked->project,
                                 .cluster = walked->cluster,
                                 .after = after };
    TRY(store_event_add_by_worker(tx, &event));
    return tx_commit(tx);
}

static error
look_at(struct sweep_context *context, const struct walked_schedule *walked)
{
    struct schedule schedule;
    const json_t *document = json_parse_own(context->arena, walked->document);
    if (!schedule_document_read(document, &schedule))
        return OK;
    bool is_late = schedule_missed(&schedule, walked->newest_ms, clock_now_ms() - GRACE_MS) != 0;
    return is_late == walked->is_late ? OK : tell(context, walked, is_late);
}

static error
find_late(struct sweep_context *context)
{
    id after = ID_NONE;
    size_t count = BACKUP_WALK_MAX;
    while (count == BACKUP_WALK_MAX) {
        struct walked_schedule schedules[BACKUP_WALK_MAX];
        struct arena *arena CLEANUP(arena_cleanup) = arena_new((size_t)16 << 20);
        struct sweep_context here = { context->store, arena, context->environment };
        if (arena == NULL)
            return fail(context->arena, OVERLOADED);
        error problem = store_backup_schedules_walk(here.store, arena, after, schedules, &count);
        for (size_t i = 0; problem == OK && i < count; i++) {
            problem = look_at(&here, &schedules[i]);
            after = schedules[i].stanza;
        }
        if (problem != OK) /* it lives in the arena of this round */
            return fail(context->arena, problem->code == DATABASE_UNAVAILABLE ? DATABASE_UNAVAILABLE : OVERLOADED);
    }
    return OK;
}

const struct sweep late_snapshots_sweep = {
    .name = "late-snapshots",
    .doc = "Raises and ends the alarm about snapshots that are not taken in time.",
    .every_s = 60,
    .run = find_late,
};
