/* SPDX-License-Identifier: Apache-2.0 */
#include "store/fleet/drain.h"

error
store_host_move_clusters(struct tx *tx, id host, str kind, str first_step, int step_count, int64_t *ret_left)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_HOST, host);
    params_text(&params, P_KIND, kind);
    params_text(&params, P_FIRST_STEP, first_step);
    params_int(&params, P_STEP_COUNT, step_count);
    TRY(tx_query(tx, SQL_HOST_MOVE_CLUSTERS, &params, &rows, NULL));
    *ret_left = rows.count == 0 ? 0 : rows_int(&rows, 0, C_CLUSTERS_LEFT);
    return OK;
}

error
store_host_drain_plan(struct tx *tx, id host, str *ret_moves)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_HOST, host);
    TRY(tx_query(tx, SQL_HOST_DRAIN_PLAN, &params, &rows, NULL));
    *ret_moves = rows_text(&rows, 0, C_JSON);
    return OK;
}

error
store_host_drained(struct tx *tx, id host)
{
    struct params params = { 0 };
    params_id(&params, P_HOST, host);
    return tx_query(tx, SQL_HOST_DRAINED, &params, NULL, NULL);
}
