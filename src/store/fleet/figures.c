/* SPDX-License-Identifier: Apache-2.0 */
#include "store/fleet/figures.h"

error
store_fleet_figures_take(struct store *store, struct arena *arena)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    TRY(tx_begin_service(store, arena, &tx));
    TRY(tx_query(tx, SQL_FLEET_FIGURES_TAKE, &params, &rows, NULL));
    return tx_commit(tx);
}

error
store_fleet_figures(struct store *store, struct arena *arena, int64_t limit_s, struct rows *ret_rows)
{
    struct params params = { 0 };
    params_int(&params, P_LIMIT_S, limit_s);
    return store_read(store, arena, SQL_FLEET_FIGURES_LIST, &params, ret_rows);
}
