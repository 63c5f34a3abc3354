/* SPDX-License-Identifier: Apache-2.0 */
#include "store/provider/store_role.h"

str
store_role_place(struct arena *arena, id role)
{
    return str_format(arena, "role/%s", id_text(arena, role).data);
}

str
store_role_arn(struct arena *arena, const struct store_role *role)
{
    return str_format(arena, "arn:reeve:s3::%.*s:role/%.*s", STR_ARG(role->store), STR_ARG(role->name));
}

error
store_role_add(struct tx *tx, const struct store_role *draft, bool *ret_added)
{
    struct params params = { 0 };
    struct rows rows = { 0 };
    params_id(&params, P_ROLE, draft->id);
    params_text(&params, P_STORE, draft->store);
    params_text(&params, P_NAME, draft->name);
    params_text(&params, P_BUCKET, draft->bucket);
    params_text(&params, P_PREFIX, draft->prefix);
    params_text(&params, P_EXTERNAL, draft->external_id);
    params_bytes(&params, P_KEYS, draft->sealed_keys);
    TRY(tx_query(tx, SQL_STORE_ROLE_ADD, &params, &rows, NULL));
    *ret_added = rows.count > 0;
    return OK;
}

error
store_role_list(struct store *store, struct arena *arena, str of_store, str name, str *ret_json)
{
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, P_STORE, of_store);
    params_text(&params, P_NAME, name);
    TRY(store_read(store, arena, SQL_STORE_ROLE_LIST, &params, &rows));
    *ret_json = rows.count == 0 ? STR("[]") : rows_text(&rows, 0, C_JSON);
    return OK;
}

error
store_role_get(struct tx *tx, str of_store, str name, bool *ret_is_there, struct store_role *ret_role)
{
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, P_STORE, of_store);
    params_text(&params, P_NAME, name);
    TRY(tx_query(tx, SQL_STORE_ROLE_GET, &params, &rows, NULL));
    *ret_is_there = rows.count > 0;
    if (*ret_is_there)
        *ret_role = (struct store_role){ .id = rows_id(&rows, 0, C_ROLE),
                                         .store = of_store,
                                         .name = name,
                                         .bucket = rows_text(&rows, 0, C_BUCKET),
                                         .prefix = rows_text(&rows, 0, C_PREFIX),
                                         .sealed_keys = rows_bytes(tx_arena(tx), &rows, 0, C_KEYS),
                                         .endpoint = rows_text(&rows, 0, C_ENDPOINT),
                                         .region = rows_text(&rows, 0, C_REGION),
                                         .authority = rows_text(&rows, 0, C_AUTHORITY) };
    return OK;
}

error
store_role_change(struct tx *tx, const struct store_role *changed)
{
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, P_STORE, changed->store);
    params_text(&params, P_NAME, changed->name);
    params_bytes(&params, P_KEYS, changed->sealed_keys);
    return tx_query(tx, SQL_STORE_ROLE_CHANGE, &params, &rows, NULL);
}

error
store_role_remove(struct tx *tx, str of_store, str name, bool *ret_is_there)
{
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, P_STORE, of_store);
    params_text(&params, P_NAME, name);
    TRY(tx_query(tx, SQL_STORE_ROLE_REMOVE, &params, &rows, NULL));
    *ret_is_there = rows.count > 0;
    return OK;
}

error
store_role_has_owner(struct store *store, struct arena *arena, str external_id, bool *ret_has)
{
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, P_EXTERNAL, external_id);
    TRY(store_read(store, arena, SQL_STORE_ROLE_OWNER, &params, &rows));
    *ret_has = rows.count > 0 && rows_bool(&rows, 0, C_IS_THERE);
    return OK;
}

error
store_role_assume(struct tx *tx, str arn, str external_id, bool *ret_found, struct store_role *ret_role)
{
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, P_ARN, arn);
    params_text(&params, P_EXTERNAL, external_id);
    TRY(tx_query(tx, SQL_STORE_ROLE_ASSUMED, &params, &rows, NULL));
    *ret_found = rows.count > 0;
    if (*ret_found)
        *ret_role = (struct store_role){ .id = rows_id(&rows, 0, C_ROLE),
                                         .bucket = rows_text(&rows, 0, C_BUCKET),
                                         .prefix = rows_text(&rows, 0, C_PREFIX),
                                         .endpoint = rows_text(&rows, 0, C_ENDPOINT),
                                         .region = rows_text(&rows, 0, C_REGION) };
    return OK;
}

error
store_provider_role_used(struct tx *tx, id project, str role, str *ret_json)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_text(&params, P_ROLE, role);
    TRY(tx_query(tx, SQL_PROVIDER_ROLE_USED, &params, &rows, NULL));
    *ret_json = rows.count == 0 ? STR("[]") : rows_text(&rows, 0, C_JSON);
    return OK;
}
