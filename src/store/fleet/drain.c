/* SPDX-License-Identifier: Apache-2.0 */
#include "store/fleet/drain.h"

error
store_host_move_clusters(struct tx *tx, id host, str kind, str first_step, int step_count, int64_t *ret_left)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, host);
    params_text(&params, kind);
    params_text(&params, first_step);
    params_int(&params, step_count);
    TRY(tx_query(tx, SQL_HOST_MOVE_CLUSTERS, &params, &rows, NULL));
    *ret_left = rows.count == 0 ? 0 : rows_int(&rows, 0, 0);
    return OK;
}

error
store_host_drained(struct tx *tx, id host)
{
    struct params params = { 0 };
    params_id(&params, host);
    return tx_query(tx, SQL_HOST_DRAINED, &params, NULL, NULL);
}
