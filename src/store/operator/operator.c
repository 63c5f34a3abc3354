/* SPDX-License-Identifier: Apache-2.0 */
#include "store/operator/operator.h"

/* ---- Operators ---- */
error
store_operator_add(struct tx *tx, id operator_id, str name, str token_hash, int64_t days, str *ret_expires)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_OPERATOR_ID, operator_id);
    params_text(&params, P_NAME, name);
    params_bytes(&params, P_TOKEN_HASH, token_hash);
    params_int(&params, P_DAYS, days);
    TRY(tx_query(tx, SQL_OPERATOR_ADD, &params, &rows, NULL));
    *ret_expires = rows.count == 0 ? STR_EMPTY : rows_text(&rows, 0, C_EXPIRES);
    return OK;
}

error
store_operator_remove(struct tx *tx, str name, bool *ret_is_there)
{
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, P_NAME, name);
    TRY(tx_query(tx, SQL_OPERATOR_REMOVE, &params, &rows, NULL));
    *ret_is_there = rows.count > 0;
    return OK;
}

error
store_operator_list(struct store *store, struct arena *arena, str *ret_list)
{
    struct params params = { 0 };
    struct rows rows;
    TRY(store_read(store, arena, SQL_OPERATOR_LIST, &params, &rows));
    *ret_list = rows_text(&rows, 0, C_LIST);
    return OK;
}

error
store_operator_by_hash(struct store *store, struct arena *arena, str token_hash, struct operator_row *ret_row)
{
    struct params params = { 0 };
    struct rows rows;
    params_bytes(&params, P_TOKEN_HASH, token_hash);
    TRY(store_read(store, arena, SQL_OPERATOR_BY_HASH, &params, &rows));
    *ret_row = (struct operator_row){ .is_found = rows.count > 0 };
    if (rows.count > 0)
        *ret_row = (struct operator_row){ true, rows_id(&rows, 0, C_OPERATOR), rows_text(&rows, 0, C_NAME) };
    return OK;
}

error
store_operator_action_add(struct tx *tx, const struct operator_action *action)
{
    struct params params = { 0 };
    params_text(&params, P_OPERATOR_NAME, action->operator_name);
    params_text(&params, P_OPERATION, action->operation);
    params_text(&params, P_TARGET, action->target);
    params_text_or_null(&params, P_REQUEST, action->request);
    params_text_or_null(&params, P_ADDRESS, action->address);
    params_text_or_null(&params, P_REQUEST_ID, action->request_id);
    return tx_query(tx, SQL_OPERATOR_ACTION_ADD, &params, NULL, NULL);
}

/* ---- Removing ---- */
/* The tables themselves know what stands on a row. */
static error
remove_unused(struct tx *tx, enum sql statement, const struct params *params, bool *ret_is_there, bool *ret_is_used)
{
    struct rows rows = { 0 };
    struct violation violation;
    TRY(tx_query(tx, statement, params, &rows, &violation));
    *ret_is_used = violation.kind != VIOLATION_NONE;
    *ret_is_there = *ret_is_used || rows.count > 0;
    return OK;
}

error
store_provider_remove(struct tx *tx, str name, bool *ret_is_there, bool *ret_is_used)
{
    struct params params = { 0 };
    params_text(&params, P_NAME, name);
    return remove_unused(tx, SQL_PROVIDER_REMOVE, &params, ret_is_there, ret_is_used);
}

error
store_region_remove(struct tx *tx, str provider, str name, bool *ret_is_there, bool *ret_is_used)
{
    struct params params = { 0 };
    params_text(&params, P_PROVIDER, provider);
    params_text(&params, P_NAME, name);
    return remove_unused(tx, SQL_REGION_REMOVE, &params, ret_is_there, ret_is_used);
}

error
store_instance_size_remove(struct tx *tx, str name, bool *ret_is_there, bool *ret_is_used)
{
    struct params params = { 0 };
    params_text(&params, P_NAME, name);
    return remove_unused(tx, SQL_INSTANCE_SIZE_REMOVE, &params, ret_is_there, ret_is_used);
}

error
store_limit_owner(struct store *store, struct arena *arena, str kind, id owner, bool *ret_is_there,
                  id *ret_organization)
{
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, P_KIND, kind);
    params_id(&params, P_OWNER, owner);
    TRY(store_read(store, arena, SQL_LIMIT_OWNER, &params, &rows));
    *ret_is_there = rows.count > 0;
    *ret_organization = rows.count > 0 ? rows_id(&rows, 0, C_ORGANIZATION) : ID_NONE;
    return OK;
}
