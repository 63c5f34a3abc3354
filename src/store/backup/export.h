/* SPDX-License-Identifier: Apache-2.0 */
/* Exports of snapshots to buckets of their tenants. Rows are all that is written here; repository hosts find them in their goals. */
#ifndef STORE_BACKUP_EXPORT_H
#define STORE_BACKUP_EXPORT_H

#include "store/store.h"

#define EXPORT_BUCKET_KIND "backupExportBucket" /* of resources */

/* ---- What the worker does, some at a time; each says how much ---- */
/* Those that schedules ask for; `now_s` is in the path of what they write. */
MUST_USE error store_exports_queue(struct store *store, struct arena *arena, int64_t now_s, int64_t limit,
                                   int *ret_count);
/* Those that have not begun, of schedules that ask for none any more. */
MUST_USE error store_exports_cancel(struct store *store, struct arena *arena, int *ret_count);
/* Each repository host that is free gets the next. */
MUST_USE error store_exports_give(struct store *store, struct arena *arena, int *ret_count);
/* Those that are not run within their time. */
MUST_USE error store_exports_give_up(struct store *store, struct arena *arena, int *ret_count);
MUST_USE error store_exports_prune(struct store *store, struct arena *arena, int64_t limit, int *ret_count);

enum { EXPORTS_MAX = 100 };
struct ended_export {
    id export_job, organization, project;
    str cluster, state, document;
};
MUST_USE error store_exports_untold(struct store *store, struct arena *arena,
                                    struct ended_export ret_exports[EXPORTS_MAX], size_t *ret_count);
/* False in *ret_changed when somebody has told it before. */
MUST_USE error store_export_tell(struct tx *tx, id project, id export_job, bool *ret_changed);

/* ---- What tenants ask for ---- */
struct export_draft {
    id project, id, bucket, snapshot;
    int64_t asked_s; /* when, in seconds since 1970 */
    str custom_data; /* a JSON list */
    str format;      /* "DUMP" or "CSV" */
};
/* False in *ret_added when another one of the same history that was asked for is not finished. */
MUST_USE error store_export_add(struct tx *tx, const struct export_draft *draft, bool *ret_added, str *ret_document);
/* Whether an export into the bucket is not finished, or a schedule exports to it. */
MUST_USE error store_export_bucket_is_busy(struct tx *tx, id project, id bucket, bool *ret_is_busy);

#endif
