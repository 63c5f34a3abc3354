/* SPDX-License-Identifier: Apache-2.0 */
#include "store/log/log_home.h"

error
store_log_homes(struct store *store, struct arena *arena, id project, str cluster, str host_name,
                struct log_home **ret_homes, size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_text(&params, P_CLUSTER, cluster);
    params_text(&params, P_HOST_NAME, host_name);
    TRY(store_read(store, arena, SQL_LOG_HOMES, &params, &rows));
    struct log_home *homes = ARENA_ARRAY(arena, struct log_home, (size_t)rows.count + 1);
    if (homes == NULL)
        return fail(arena, OVERLOADED);
    for (int i = 0; i < rows.count; i++)
        homes[i] = (struct log_home){
            .member = rows_id(&rows, i, C_MEMBER),
            .name = rows_text(&rows, i, C_NAME),
            .host = rows_text(&rows, i, C_HOST),
            .address = rows_is_null(&rows, i, C_ADDRESS) ? STR_EMPTY : rows_text(&rows, i, C_ADDRESS),
        };
    *ret_homes = homes;
    *ret_count = (size_t)rows.count;
    return OK;
}
