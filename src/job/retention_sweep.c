/* SPDX-License-Identifier: Apache-2.0 */
/* Removes old records, a bounded number at a time, so that no table grows for ever. */
#include "base/log.h"
#include "job/kinds.h"
#include "store/retention.h"

/* In transactions that are over in a moment; the rest is removed in the next run, so that one table cannot keep others waiting. 50,000 a
 * minute are more than a cell can make. */
enum { AT_ONCE = 500, BATCHES_IN_A_RUN = 100, ARENA_BYTES = 64 * 1024 };

static error
remove_over(struct sweep_context *context, const struct retention *row)
{
    int64_t total = 0, deleted = AT_ONCE;
    for (int batch = 0; batch < BATCHES_IN_A_RUN && deleted == AT_ONCE; batch++) {
        struct arena *arena CLEANUP(arena_cleanup) = arena_new(ARENA_BYTES);
        if (arena == NULL)
            return fail(context->arena, OVERLOADED);
        error problem =
            store_retention_prune(context->store, arena, row, AT_ONCE, context->environment->retention_days, &deleted);
        if (problem != OK)
            return fail(context->arena, problem->code == DATABASE_UNAVAILABLE ? DATABASE_UNAVAILABLE : OVERLOADED);
        total += deleted;
    }
    if (total > 0)
        log_line(LOG_INFO, "records_removed", "%lld %s.", (long long)total, row->what);
    return OK;
}

/* What cannot be removed now does not keep the others. */
static error
remove_all_over(struct sweep_context *context)
{
    error first = OK;
    for (size_t i = 0; i < RETENTION_COUNT; i++) {
        error problem = remove_over(context, &retention_rows[i]);
        if (first == OK)
            first = problem;
    }
    return first;
}

const struct sweep old_records_sweep = {
    .name = "old-records",
    .doc = "Removes records that are of no use any more: see retention_days.",
    .every_s = 60,
    .run = remove_all_over,
};
