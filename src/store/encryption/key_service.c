/* SPDX-License-Identifier: Apache-2.0 */
#include "store/encryption/key_service.h"

#include "store/store_parts.h"

error
store_key_services_due(struct store *store, struct arena *arena, bool is_proven, id ret_projects[KEY_SERVICES_DUE_MAX],
                       size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_bool(&params, P_PROVEN, is_proven);
    TRY(store_read(store, arena, SQL_KEY_SERVICE_DUE, &params, &rows));
    *ret_count = 0;
    for (int row = 0; row < rows.count && row < KEY_SERVICES_DUE_MAX; row++)
        ret_projects[(*ret_count)++] = rows_id(&rows, row, C_PROJECT);
    return OK;
}

error
store_key_service_claim(struct store *store, struct arena *arena, id project, int64_t lease_s, bool *ret_claimed)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_int(&params, P_LEASE_S, lease_s);
    TRY(tx_begin_service(store, arena, &tx));
    TRY(tx_query(tx, SQL_KEY_SERVICE_CLAIM, &params, &rows, NULL));
    *ret_claimed = rows.count > 0;
    return tx_commit(tx);
}

error
store_key_service_task(struct store *store, struct arena *arena, id project, bool *ret_found,
                       struct key_service_row *ret_row)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    TRY(store_read(store, arena, SQL_KEY_SERVICE_TASK, &params, &rows));
    *ret_found = rows.count > 0;
    if (rows.count > 0)
        *ret_row = (struct key_service_row){
            .organization = rows_id(&rows, 0, C_ORGANIZATION),
            .project = project,
            .resource = rows_id(&rows, 0, C_RESOURCE),
            .document = rows_text(&rows, 0, C_DOCUMENT),
            .revision = rows_int(&rows, 0, C_REVISION),
            .others = rows_int(&rows, 0, C_OTHERS),
        };
    return OK;
}

error
store_key_service_asked(struct store *store, struct arena *arena, id project, bool is_proven)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_bool(&params, P_PROVEN, is_proven);
    TRY(tx_begin_service(store, arena, &tx));
    TRY(tx_query(tx, SQL_KEY_SERVICE_ASKED, &params, &rows, NULL));
    return tx_commit(tx);
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
