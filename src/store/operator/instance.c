/* SPDX-License-Identifier: Apache-2.0 */
#include "store/operator/instance.h"

error
store_instance_seen(struct store *store, struct arena *arena, const struct instance *instance)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    params_text(&params, P_KIND, instance->kind);
    params_text(&params, P_NAME, instance->name);
    params_text_or_null(&params, P_ADDRESS, instance->address);
    params_bool(&params, P_IS_ENCRYPTED, instance->is_encrypted);
    params_text(&params, P_VERSION, instance->version);
    TRY(tx_begin_service(store, arena, &tx));
    TRY(tx_query(tx, SQL_INSTANCE_SEEN, &params, NULL, NULL));
    return tx_commit(tx);
}

static error
read_list(struct store *store, struct arena *arena, enum sql statement, str *ret_list)
{
    struct params params = { 0 };
    struct rows rows;
    TRY(store_read(store, arena, statement, &params, &rows));
    *ret_list = rows_text(&rows, 0, C_LIST);
    return OK;
}

error
store_instance_list(struct store *store, struct arena *arena, str *ret_list)
{
    return read_list(store, arena, SQL_INSTANCE_LIST, ret_list);
}

error
store_instance_targets(struct store *store, struct arena *arena, str *ret_list)
{
    return read_list(store, arena, SQL_INSTANCE_TARGETS, ret_list);
}
