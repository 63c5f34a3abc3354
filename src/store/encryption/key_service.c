/* SPDX-License-Identifier: Apache-2.0 */
#include "store/encryption/key_service.h"

#include "store/store_parts.h"

error
store_key_services_due(struct store *store, struct arena *arena, struct key_service_row ret_rows[KEY_SERVICES_AT_ONCE],
                       size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_int(&params, P_LIMIT, KEY_SERVICES_AT_ONCE);
    TRY(store_read(store, arena, SQL_KEY_SERVICE_DUE, &params, &rows));
    *ret_count = 0;
    for (int row = 0; row < rows.count && row < KEY_SERVICES_AT_ONCE; row++)
        ret_rows[(*ret_count)++] = (struct key_service_row){
            .organization = rows_id(&rows, row, C_ORGANIZATION),
            .project = rows_id(&rows, row, C_PROJECT),
            .resource = rows_id(&rows, row, C_RESOURCE),
            .document = rows_text(&rows, row, C_DOCUMENT),
            .revision = rows_int(&rows, row, C_REVISION),
            .others = rows_int(&rows, row, C_OTHERS),
        };
    return OK;
}

error
store_key_service_checked(struct tx *tx, const struct key_service_row *row, str state, bool *ret_written)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, row->project);
    params_id(&params, P_RESOURCE, row->resource);
    params_int(&params, P_REVISION, row->revision);
    params_text(&params, P_STATE, state);
    TRY(tx_query(tx, SQL_KEY_SERVICE_CHECKED, &params, &rows, NULL));
    *ret_written = rows.count == 1;
    return OK;
}

error
store_keyed_clusters(struct tx *tx, id project, int64_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    TRY(tx_query(tx, SQL_KEYED_CLUSTERS, &params, &rows, NULL));
    *ret_count = rows_int(&rows, 0, C_CLUSTERS);
    return OK;
}

error
store_region_encrypts(struct tx *tx, str provider, str region, bool *ret_encrypts)
{
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, P_PROVIDER, provider);
    params_text(&params, P_REGION, region);
    TRY(tx_query(tx, SQL_REGION_ENCRYPTS, &params, &rows, NULL));
    *ret_encrypts = rows_bool(&rows, 0, C_ENCRYPTS);
    return OK;
}
