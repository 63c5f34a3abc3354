/* SPDX-License-Identifier: Apache-2.0 */
#include "store/backup/object_store.h"

error
store_object_store_add(struct tx *tx, const struct object_store *draft, bool *ret_added)
{
    struct params params = { 0 };
    struct rows rows = { 0 };
    params_text(&params, P_NAME, draft->name);
    params_text(&params, P_ENDPOINT, draft->endpoint);
    params_text(&params, P_BUCKET, draft->bucket);
    params_text(&params, P_REGION, draft->region);
    params_text(&params, P_PATH, draft->path);
    params_text(&params, P_URI_STYLE, draft->uri_style);
    params_text(&params, P_AUTHORITY, draft->authority);
    params_bytes(&params, P_KEYS, draft->sealed_keys);
    params_bool(&params, P_OBJECT_LOCK, draft->object_lock);
    params_int(&params, P_LOCK_DAYS, draft->lock_days);
    TRY(tx_query(tx, SQL_OBJECT_STORE_ADD, &params, &rows, NULL));
    *ret_added = rows.count > 0;
    return OK;
}

error
store_object_store_list(struct store *store, struct arena *arena, str name, str *ret_json)
{
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, P_NAME, name);
    TRY(store_read(store, arena, SQL_OBJECT_STORE_LIST, &params, &rows));
    *ret_json = rows.count == 0 ? STR("[]") : rows_text(&rows, 0, C_JSON);
    return OK;
}

error
store_object_store_get(struct tx *tx, str name, bool *ret_is_there, struct object_store *ret_store)
{
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, P_NAME, name);
    TRY(tx_query(tx, SQL_OBJECT_STORE_GET, &params, &rows, NULL));
    *ret_is_there = rows.count > 0;
    if (*ret_is_there)
        *ret_store = (struct object_store){ .name = name,
                                            .endpoint = rows_text(&rows, 0, C_ENDPOINT),
                                            .bucket = rows_text(&rows, 0, C_BUCKET),
                                            .region = rows_text(&rows, 0, C_REGION),
                                            .path = rows_text(&rows, 0, C_PATH),
                                            .uri_style = rows_text(&rows, 0, C_URI_STYLE),
                                            .authority = rows_text(&rows, 0, C_AUTHORITY),
                                            .sealed_keys = rows_bytes(tx_arena(tx), &rows, 0, C_KEYS),
                                            .object_lock = rows_bool(&rows, 0, C_OBJECT_LOCK) };
    return OK;
}

error
store_object_store_change(struct tx *tx, const struct object_store *changed)
{
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, P_NAME, changed->name);
    params_text(&params, P_AUTHORITY, changed->authority);
    params_bytes(&params, P_KEYS, changed->sealed_keys);
    params_bool(&params, P_OBJECT_LOCK, changed->object_lock);
    params_int(&params, P_LOCK_DAYS, changed->lock_days);
    return tx_query(tx, SQL_OBJECT_STORE_CHANGE, &params, &rows, NULL);
}

error
store_object_store_remove(struct tx *tx, str name, bool *ret_is_there, bool *ret_is_used)
{
    struct params params = { 0 };
    struct rows rows = { 0 };
    struct violation violation;
    params_text(&params, P_NAME, name);
    TRY(tx_query(tx, SQL_OBJECT_STORE_REMOVE, &params, &rows, &violation));
    *ret_is_used = violation.kind != VIOLATION_NONE;
    *ret_is_there = *ret_is_used || rows.count > 0;
    return OK;
}
