/* SPDX-License-Identifier: Apache-2.0 */
#include "store/backup/export.h"

error
store_exports_queue(struct store *store, struct arena *arena, int64_t now_s, int64_t limit, int *ret_count)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    params_int(&params, P_ASKED_S, now_s);
    params_int(&params, P_LIMIT, limit);
    TRY(tx_begin_service(store, arena, &tx));
    TRY(tx_query(tx, SQL_EXPORT_QUEUE, &params, &rows, NULL));
    *ret_count = rows.count;
    return tx_commit(tx);
}

error
store_exports_cancel(struct store *store, struct arena *arena, int *ret_count)
{
    return store_sweep(store, arena, SQL_EXPORT_CANCEL, 0, ret_count);
}

error
store_exports_give(struct store *store, struct arena *arena, int *ret_count)
{
    return store_sweep(store, arena, SQL_EXPORT_GIVE, 0, ret_count);
}

error
store_exports_give_up(struct store *store, struct arena *arena, int *ret_count)
{
    return store_sweep(store, arena, SQL_EXPORT_GIVE_UP, 0, ret_count);
}

error
store_exports_prune(struct store *store, struct arena *arena, int64_t limit, int *ret_count)
{
    return store_sweep(store, arena, SQL_EXPORT_PRUNE, limit, ret_count);
}

error
store_exports_untold(struct store *store, struct arena *arena, struct ended_export ret_exports[EXPORTS_MAX],
                     size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_int(&params, P_LIMIT, EXPORTS_MAX);
    TRY(store_read(store, arena, SQL_EXPORT_UNTOLD, &params, &rows));
    *ret_count = 0;
    for (int i = 0; i < rows.count && i < EXPORTS_MAX; i++)
        ret_exports[(*ret_count)++] = (struct ended_export){ .export_job = rows_id(&rows, i, C_EXPORT),
                                                             .organization = rows_id(&rows, i, C_ORGANIZATION),
                                                             .project = rows_id(&rows, i, C_PROJECT),
                                                             .cluster = rows_text(&rows, i, C_CLUSTER_NAME),
                                                             .state = rows_text(&rows, i, C_STATE),
                                                             .document = rows_text(&rows, i, C_DOCUMENT) };
    return OK;
}

error
store_export_tell(struct tx *tx, id project, id export_job, bool *ret_changed)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_id(&params, P_EXPORT, export_job);
    TRY(tx_query(tx, SQL_EXPORT_TELL, &params, &rows, NULL));
    *ret_changed = rows.count > 0;
    return OK;
}

error
store_export_add(struct tx *tx, const struct export_draft *draft, bool *ret_added, str *ret_document)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, draft->project);
    params_id(&params, P_EXPORT, draft->id);
    params_id(&params, P_BUCKET, draft->bucket);
    params_id(&params, P_SNAPSHOT, draft->snapshot);
    params_int(&params, P_ASKED_S, draft->asked_s);
    params_text(&params, P_CUSTOM_DATA, draft->custom_data);
    params_text(&params, P_FORMAT, draft->format);
    TRY(tx_query(tx, SQL_EXPORT_ADD, &params, &rows, NULL));
    *ret_added = rows.count > 0;
    if (*ret_added)
        *ret_document = rows_text(&rows, 0, C_DOCUMENT);
    return OK;
}

error
store_export_bucket_is_busy(struct tx *tx, id project, id bucket, bool *ret_is_busy)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_id(&params, P_BUCKET, bucket);
    TRY(tx_query(tx, SQL_EXPORT_BUCKET_BUSY, &params, &rows, NULL));
    *ret_is_busy = rows.count > 0 && rows_bool(&rows, 0, C_IS_BUSY);
    return OK;
}
