/* SPDX-License-Identifier: Apache-2.0 */
#include "store/backup/copy.h"

static void
bind_place(struct params *params, id stanza, const struct seat_place *place)
{
    params_id(params, P_STANZA, stanza);
    params_text(params, P_PROVIDER, place->provider);
    params_text(params, P_REGION, place->region);
}

error
store_repository_regions(struct store *store, struct arena *arena, struct rows *ret_rows)
{
    struct params params = { 0 };
    return store_read(store, arena, SQL_REPOSITORY_REGION_LIST, &params, ret_rows);
}

error
store_copy_place(struct tx *tx, id stanza, const struct seat_place *place, bool *ret_placed)
{
    struct params params = { 0 };
    struct rows rows;
    bind_place(&params, stanza, place);
    params_int(&params, P_RESERVED_GB, place->reserved_gb);
    TRY(tx_query(tx, SQL_SEAT_COPY_PLACE, &params, &rows, NULL));
    *ret_placed = rows.count > 0 && !rows_is_null(&rows, 0, C_SEAT);
    return OK;
}

error
store_copy_end(struct tx *tx, id stanza, const struct seat_place *place, bool is_removed, bool *ret_found)
{
    struct params params = { 0 };
    struct rows rows;
    bind_place(&params, stanza, place);
    params_bool(&params, P_IS_REMOVED, is_removed);
    TRY(tx_query(tx, SQL_SEAT_COPY_END, &params, &rows, NULL));
    *ret_found = rows.count > 0 && rows_int(&rows, 0, C_SEATS) > 0;
    return OK;
}

error
store_copy_hold(struct tx *tx, id stanza, const struct seat_place *place, struct copy_hold *ret_hold)
{
    struct params params = { 0 };
    struct rows rows;
    bind_place(&params, stanza, place);
    TRY(tx_query(tx, SQL_SEAT_COPY_HOLD, &params, &rows, NULL));
    *ret_hold = (struct copy_hold){ 0 };
    if (rows.count > 0)
        *ret_hold = (struct copy_hold){
            .protected_ms = rows_is_null(&rows, 0, C_PROTECTED_MS) ? 0 : rows_int(&rows, 0, C_PROTECTED_MS),
            .is_read = rows_bool(&rows, 0, C_IS_READ),
        };
    return OK;
}

error
store_copies_complete(struct tx *tx)
{
    struct params params = { 0 };
    struct rows rows;
    return tx_query(tx, SQL_SEAT_COPIES_COMPLETE, &params, &rows, NULL);
}

error
store_seats_remove_spent(struct tx *tx)
{
    struct params params = { 0 };
    return tx_query(tx, SQL_SEAT_SPENT, &params, NULL, NULL);
}

error
store_host_drop_seats(struct tx *tx, id host, int64_t *ret_protected_ms)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_HOST, host);
    TRY(tx_query(tx, SQL_HOST_DROP_SEATS, &params, &rows, NULL));
    *ret_protected_ms =
        rows.count == 0 || rows_is_null(&rows, 0, C_PROTECTED_MS) ? 0 : rows_int(&rows, 0, C_PROTECTED_MS);
    return OK;
}
