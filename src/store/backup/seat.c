/* SPDX-License-Identifier: Apache-2.0 */
#include "store/backup/seat.h"

error
store_host_seat(struct store *store, struct arena *arena, id host, id seat, struct host_seat *ret_seat)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_HOST, host);
    params_id(&params, P_SEAT, seat);
    TRY(store_read(store, arena, SQL_HOST_SEAT_FIND, &params, &rows));
    *ret_seat = (struct host_seat){ .scope = STR_EMPTY };
    if (rows.count > 0)
        *ret_seat =
            (struct host_seat){ rows_id(&rows, 0, C_CLUSTER), rows_text(&rows, 0, C_SET_NAME),
                                rows_is_null(&rows, 0, C_ADDRESS) ? STR_EMPTY : rows_text(&rows, 0, C_ADDRESS) };
    return OK;
}
