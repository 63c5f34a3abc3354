/* SPDX-License-Identifier: Apache-2.0 */
#include "store/idempotency.h"

#include "store/fault.h"

static void
name_key(struct params *params, id principal, str key)
{
    params_id(params, P_PRINCIPAL, principal);
    params_text(params, P_KEY, key);
}

error
store_idempotency_lock(struct tx *tx, id principal, str key, bool *ret_in_flight)
{
    struct params params = { 0 };
    struct rows rows;
    name_key(&params, principal, key);
    TRY(tx_query(tx, SQL_IDEMPOTENCY_LOCK, &params, &rows, NULL));
    *ret_in_flight = !rows_bool(&rows, 0, C_LOCKED);
    return OK;
}

static error
read_record(struct arena *arena, const struct rows *rows, struct idempotency_record *ret_record)
{
    struct idempotency_record record = { .found = rows->count > 0 };
    if (record.found) {
        if (!str_from_hex(rows_text(rows, 0, C_REQUEST_HASH), record.request_hash, SHA256_BYTES))
            return &fault_internal;
        record.status = (int)rows_int(rows, 0, C_STATUS);
        record.answer = rows_bytes(arena, rows, 0, C_ANSWER);
        if (arena_is_exhausted(arena))
            return &fault_overloaded;
    }
    *ret_record = record;
    return OK;
}

error
store_idempotency_find(struct tx *tx, id principal, str key, struct idempotency_record *ret_record)
{
    struct params params = { 0 };
    struct rows rows;
    name_key(&params, principal, key);
    TRY(tx_query(tx, SQL_IDEMPOTENCY_FIND, &params, &rows, NULL));
    return read_record(tx_arena(tx), &rows, ret_record);
}

error
store_idempotency_find_outside(struct store *store, struct arena *arena, id principal, str key,
                               struct idempotency_record *ret_record)
{
    struct params params = { 0 };
    struct rows rows;
    name_key(&params, principal, key);
    TRY(store_read(store, arena, SQL_IDEMPOTENCY_FIND, &params, &rows));
    return read_record(arena, &rows, ret_record);
}

error
store_idempotency_add(struct tx *tx, id principal, str key, const uint8_t request_hash[SHA256_BYTES], int status,
                      str answer)
{
    struct params params = { 0 };
    name_key(&params, principal, key);
    params_bytes(&params, P_REQUEST_HASH, (str){ (const char *)request_hash, SHA256_BYTES });
    params_int(&params, P_STATUS, status);
    params_bytes(&params, P_ANSWER, answer);
    return tx_query(tx, SQL_IDEMPOTENCY_ADD, &params, NULL, NULL);
}
