/* SPDX-License-Identifier: Apache-2.0 */
#include "store/cluster/primary_watch.h"

error
store_primary_watch(struct store *store, struct arena *arena, struct watched_primary ret_watched[PRIMARY_WATCH_MAX],
                    size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_int(&params, P_LIMIT, PRIMARY_WATCH_MAX);
    TRY(store_read(store, arena, SQL_PRIMARY_WATCH_LIST, &params, &rows));
    *ret_count = 0;
    for (int i = 0; i < rows.count && i < PRIMARY_WATCH_MAX; i++)
        ret_watched[(*ret_count)++] = (struct watched_primary){
            .cluster = rows_id(&rows, i, C_CLUSTER),
            .organization = rows_id(&rows, i, C_ORGANIZATION),
            .project = rows_id(&rows, i, C_PROJECT),
            .cluster_name = rows_text(&rows, i, C_CLUSTER_NAME),
            .is_missing = str_is(rows_text(&rows, i, C_STATE), "NONE"),
            .is_stopped = str_is(rows_text(&rows, i, C_STATE), "STOPPED"),
        };
    return OK;
}

error
store_primary_watch_note(struct tx *tx, const struct watched_primary *watched, bool *ret_is_told)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_CLUSTER, watched->cluster);
    TRY(tx_query(tx, watched->is_missing ? SQL_PRIMARY_WATCH_BEGIN : SQL_PRIMARY_WATCH_END, &params, &rows, NULL));
    *ret_is_told = rows.count > 0 && rows_bool(&rows, 0, C_IS_TOLD);
    return OK;
}
