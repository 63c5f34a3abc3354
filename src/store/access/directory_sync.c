/* SPDX-License-Identifier: Apache-2.0 */
#include "store/access/directory_sync.h"

error
store_directory_sync_due(struct store *store, struct arena *arena, bool proven, id ret_projects[DIRECTORY_SYNC_DUE_MAX],
                         size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_bool(&params, P_PROVEN, proven);
    TRY(store_read(store, arena, SQL_DIRECTORY_SYNC_DUE, &params, &rows));
    *ret_count = 0;
    for (int row = 0; row < rows.count && row < DIRECTORY_SYNC_DUE_MAX; row++)
        ret_projects[(*ret_count)++] = rows_id(&rows, row, C_PROJECT);
    return OK;
}

error
store_directory_sync_claim(struct store *store, struct arena *arena, id project, int64_t lease_s, int64_t retry_ms,
                           bool *ret_claimed, struct directory_claim *ret_claim)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 }, whose = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_int(&params, P_LEASE_S, lease_s);
    params_int(&params, P_RETRY_MS, retry_ms);
    TRY(tx_begin_service(store, arena, &tx));
    params_id(&whose, P_PROJECT, project);
    TRY(tx_query(tx, SQL_DIRECTORY_SYNC_LOCK, &whose, &rows, NULL));
    TRY(tx_query(tx, SQL_DIRECTORY_SYNC_CLAIM, &params, &rows, NULL));
    *ret_claimed = rows.count > 0;
    if (rows.count > 0)
        *ret_claim = (struct directory_claim){ .project = project,
                                               .epoch = rows_int(&rows, 0, C_LEASE_EPOCH),
                                               .failures = rows_int(&rows, 0, C_FAILURES),
                                               .changes = rows_int(&rows, 0, C_CHANGES) };
    return tx_commit(tx);
}

error
store_directory_sync_task(struct store *store, struct arena *arena, id project, bool *ret_found,
                          struct directory_task *ret_task)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    TRY(store_read(store, arena, SQL_DIRECTORY_SYNC_TASK, &params, &rows));
    *ret_found = rows.count > 0;
    if (rows.count > 0)
        *ret_task = (struct directory_task){
            .organization = rows_id(&rows, 0, C_ORGANIZATION),
            .resource = rows_id(&rows, 0, C_RESOURCE),
            .document = rows_text(&rows, 0, C_DOCUMENT),
            .groups = rows_text(&rows, 0, C_GROUPS),
            .names = rows_text(&rows, 0, C_NAMES),
        };
    return OK;
}

error
store_directory_sync_store(struct tx *tx, const struct directory_claim *claim, const struct directory_result *result,
                           bool *ret_kept)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, claim->project);
    params_int(&params, P_EPOCH, claim->epoch);
    params_text(&params, P_GROUPS, result->groups);
    params_bool(&params, P_WORKED, result->worked);
    params_int(&params, P_TOOK_MS, result->took_ms);
    params_int(&params, P_RETRY_MS, result->retry_ms);
    params_int(&params, P_REST_MS, result->rest_ms);
    params_int(&params, P_CHANGES, claim->changes);
    TRY(tx_query(tx, SQL_DIRECTORY_SYNC_STORE, &params, &rows, NULL));
    *ret_kept = rows.count > 0 && rows_bool(&rows, 0, C_COUNTS);
    return OK;
}
