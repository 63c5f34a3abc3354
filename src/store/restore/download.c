/* SPDX-License-Identifier: Apache-2.0 */
#include "store/restore/download.h"

static const char *const outcome_words[] = { "OK", "BUSY", "FULL", "GONE", NULL };

/* ---- What tenants ask for ---- */
error
store_download_add(struct tx *tx, const struct restore_draft *draft, int64_t reserved_gb,
                   enum download_outcome *ret_outcome)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_RESTORE, draft->id);
    params_id(&params, P_PROJECT, draft->project);
    params_id(&params, P_CLUSTER, draft->cluster);
    params_id(&params, P_SEAT, draft->source.seat);
    params_id(&params, P_SNAPSHOT, draft->wish.snapshot);
    params_text(&params, P_LABEL, draft->source.label);
    params_int(&params, P_RESERVED_GB, reserved_gb);
    TRY(tx_query(tx, SQL_DOWNLOAD_PLACE, &params, &rows, NULL));
    int outcome = rows.count > 0 ? str_word(rows_text(&rows, 0, C_OUTCOME), outcome_words) : -1;
    *ret_outcome = outcome < 0 ? DOWNLOAD_GONE : (enum download_outcome)outcome;
    return OK;
}

/* A statement that changes a row once. */
static error
change(struct tx *tx, enum sql statement, id organization, id download, bool *ret_changed)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_RESTORE, download);
    TRY(tx_query(tx, statement, &params, &rows, NULL));
    *ret_changed = rows.count > 0;
    return OK;
}

error
store_download_cancel(struct tx *tx, id organization, id download, bool *ret_changed)
{
    return change(tx, SQL_DOWNLOAD_CANCEL, organization, download, ret_changed);
}

/* ---- Whoever has the address ---- */
error
store_download_find(struct store *store, struct arena *arena, id download, bool *ret_found,
                    struct download_place *ret_place)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_RESTORE, download);
    TRY(store_read(store, arena, SQL_DOWNLOAD_FIND, &params, &rows));
    *ret_found = rows.count > 0;
    if (*ret_found)
        *ret_place = (struct download_place){
            .organization = rows_id(&rows, 0, C_ORGANIZATION),
            .project = rows_id(&rows, 0, C_PROJECT),
            .cluster = rows_text(&rows, 0, C_CLUSTER_NAME),
            .address = rows_is_null(&rows, 0, C_ADDRESS) ? STR_EMPTY : rows_text(&rows, 0, C_ADDRESS),
            .port = rows_int(&rows, 0, C_PORT),
            .is_made = str_is(rows_text(&rows, 0, C_STATE), "DONE"),
            .is_used = rows_bool(&rows, 0, C_IS_USED),
            .is_over = rows_bool(&rows, 0, C_IS_OVER),
        };
    return OK;
}

error
store_download_use(struct tx *tx, id organization, id download, bool *ret_changed)
{
    return change(tx, SQL_DOWNLOAD_USE, organization, download, ret_changed);
}

/* ---- What the worker does ---- */
error
store_downloads_end_due(struct store *store, struct arena *arena, int *ret_count)
{
    return store_sweep(store, arena, SQL_DOWNLOAD_END_DUE, 0, ret_count);
}

error
store_downloads_release_lost(struct store *store, struct arena *arena, int *ret_count)
{
    return store_sweep(store, arena, SQL_DOWNLOAD_RELEASE_LOST, 0, ret_count);
}

error
store_downloads_untold(struct store *store, struct arena *arena, struct made_download ret_downloads[DOWNLOADS_MAX],
                       size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_int(&params, P_LIMIT, DOWNLOADS_MAX);
    TRY(store_read(store, arena, SQL_DOWNLOAD_UNTOLD, &params, &rows));
    *ret_count = 0;
    for (int i = 0; i < rows.count && i < DOWNLOADS_MAX; i++)
        ret_downloads[(*ret_count)++] =
            (struct made_download){ .download = rows_id(&rows, i, C_RESTORE),
                                    .organization = rows_id(&rows, i, C_ORGANIZATION),
                                    .project = rows_id(&rows, i, C_PROJECT),
                                    .cluster = rows_text(&rows, i, C_CLUSTER_NAME),
                                    .document = rows_text(&rows, i, C_DOCUMENT),
                                    .is_made = str_is(rows_text(&rows, i, C_STATE), "DONE") };
    return OK;
}

error
store_download_tell(struct tx *tx, id organization, id download, bool *ret_changed)
{
    return change(tx, SQL_DOWNLOAD_TELL, organization, download, ret_changed);
}

/* ---- For agents ---- */
error
store_host_download(struct store *store, struct arena *arena, id host, id download, bool *ret_found, str *ret_address)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_HOST, host);
    params_id(&params, P_RESTORE, download);
    TRY(store_read(store, arena, SQL_HOST_DOWNLOAD_FIND, &params, &rows));
    *ret_found = rows.count > 0;
    *ret_address = rows.count > 0 && !rows_is_null(&rows, 0, C_ADDRESS) ? rows_text(&rows, 0, C_ADDRESS) : STR_EMPTY;
    return OK;
}
