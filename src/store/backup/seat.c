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

error
store_seat_faults(struct store *store, struct arena *arena, struct seat_fault ret_faults[SEAT_FAULTS_MAX],
                  size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_int(&params, P_LIMIT, SEAT_FAULTS_MAX);
    TRY(store_read(store, arena, SQL_SEAT_FAULT_LIST, &params, &rows));
    *ret_count = 0;
    for (int i = 0; i < rows.count && i < SEAT_FAULTS_MAX; i++)
        ret_faults[(*ret_count)++] = (struct seat_fault){ .seat = rows_id(&rows, i, C_SEAT),
                                                          .organization = rows_id(&rows, i, C_ORGANIZATION),
                                                          .project = rows_id(&rows, i, C_PROJECT),
                                                          .cluster = rows_text(&rows, i, C_CLUSTER_NAME),
                                                          .kind = rows_text(&rows, i, C_KIND) };
    return OK;
}

error
store_seat_fault_tell(struct tx *tx, const struct seat_fault *fault, bool *ret_changed, str *ret_document)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, fault->project);
    params_id(&params, P_SEAT, fault->seat);
    params_text(&params, P_KIND, fault->kind);
    TRY(tx_query(tx, SQL_SEAT_FAULT_TELL, &params, &rows, NULL));
    *ret_changed = rows.count > 0;
    if (*ret_changed)
        *ret_document = rows_text(&rows, 0, C_DOCUMENT);
    return OK;
}

error
store_seat_counts(struct store *store, struct arena *arena, struct rows *ret_rows)
{
    struct params params = { 0 };
    return store_read(store, arena, SQL_SEAT_COUNTS, &params, ret_rows);
}

error
store_own_backup_counts(struct store *store, struct arena *arena, struct rows *ret_rows)
{
    struct params params = { 0 };
    return store_read(store, arena, SQL_OWN_BACKUP_COUNTS, &params, ret_rows);
}
