/* SPDX-License-Identifier: Apache-2.0 */
#include "store/backup/stanza.h"

static void
bind_cluster(struct params *params, id organization, id cluster)
{
    params_id(params, P_ORGANIZATION, organization);
    params_id(params, P_CLUSTER, cluster);
}

error
store_stanza_open(struct tx *tx, id organization, id cluster, bool *ret_found, id *ret_stanza)
{
    struct params params = { 0 };
    struct rows rows;
    bind_cluster(&params, organization, cluster);
    TRY(tx_query(tx, SQL_STANZA_OPEN, &params, &rows, NULL));
    *ret_found = rows.count > 0;
    if (*ret_found)
        *ret_stanza = rows_id(&rows, 0, C_STANZA);
    return OK;
}

error
store_stanza_any(struct tx *tx, id organization, id cluster, bool *ret_has_any)
{
    struct params params = { 0 };
    struct rows rows;
    bind_cluster(&params, organization, cluster);
    TRY(tx_query(tx, SQL_STANZA_ANY, &params, &rows, NULL));
    *ret_has_any = rows_bool(&rows, 0, C_HAS_ANY);
    return OK;
}

error
store_stanza_add(struct tx *tx, id organization, id cluster, id stanza, str cipher)
{
    struct params params = { 0 };
    bind_cluster(&params, organization, cluster);
    params_id(&params, P_STANZA, stanza);
    params_bytes(&params, P_CIPHER, cipher);
    return tx_query(tx, SQL_STANZA_ADD, &params, NULL, NULL);
}

error
store_stanza_end(struct tx *tx, id organization, id cluster)
{
    struct params params = { 0 };
    bind_cluster(&params, organization, cluster);
    return tx_query(tx, SQL_STANZA_END, &params, NULL, NULL);
}

error
store_stanza_remove_all(struct tx *tx, id organization, id cluster)
{
    struct params params = { 0 };
    bind_cluster(&params, organization, cluster);
    return tx_query(tx, SQL_STANZA_REMOVE_ALL, &params, NULL, NULL);
}

error
store_stanza_remove_spent(struct tx *tx)
{
    struct params params = { 0 };
    return tx_query(tx, SQL_STANZA_SPENT, &params, NULL, NULL);
}

error
store_seat_place(struct tx *tx, id stanza, const struct seat_place *place, bool *ret_placed)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_STANZA, stanza);
    params_text(&params, P_PROVIDER, place->provider);
    params_text(&params, P_REGION, place->region);
    params_int(&params, P_RESERVED_GB, place->reserved_gb);
    TRY(tx_query(tx, SQL_SEAT_PLACE, &params, &rows, NULL));
    *ret_placed = rows.count > 0 && !rows_is_null(&rows, 0, C_SEAT);
    return OK;
}

error
store_seat_shrink(struct tx *tx, id stanza)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_STANZA, stanza);
    return tx_query(tx, SQL_SEAT_SHRINK, &params, &rows, NULL);
}

error
store_seats_of_cluster(struct tx *tx, id organization, id cluster, size_t *ret_count,
                       struct seat_state ret_seats[STORE_MAX_SEATS])
{
    struct params params = { 0 };
    struct rows rows;
    bind_cluster(&params, organization, cluster);
    TRY(tx_query(tx, SQL_SEATS_OF_CLUSTER, &params, &rows, NULL));
    *ret_count = 0;
    for (int i = 0; i < rows.count && i < STORE_MAX_SEATS; i++) {
        ret_seats[(*ret_count)++] = (struct seat_state){
            .ordinal = (int)rows_int(&rows, i, C_ORDINAL),
            .unit = rows_text(&rows, i, C_UNIT),
            .problem = rows_is_null(&rows, i, C_PROBLEM) ? STR_EMPTY : rows_text(&rows, i, C_PROBLEM),
            .has_received = rows_bool(&rows, i, C_HAS_RECEIVED),
        };
    }
    return OK;
}

error
store_host_move_seats(struct tx *tx, id host, int64_t *ret_left)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_HOST, host);
    TRY(tx_query(tx, SQL_HOST_MOVE_SEATS, &params, &rows, NULL));
    *ret_left = rows.count == 0 ? 0 : rows_int(&rows, 0, C_SEATS_LEFT);
    return OK;
}
