/* SPDX-License-Identifier: Apache-2.0 */
#include "store/tenant/organization.h"

static error
not_found(struct tx *tx, id organization)
{
    return fail(tx_arena(tx), RESOURCE_NOT_FOUND, V(id_text(tx_arena(tx), organization)));
}

error
store_organization_lock(struct tx *tx, id organization, struct organization *ret_organization)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    TRY(tx_query(tx, SQL_ORGANIZATION_LOCK, &params, &rows, NULL));
    if (rows.count == 0)
        return not_found(tx, organization);
    *ret_organization = (struct organization){
        .name = rows_text(&rows, 0, C_NAME),
        .settings = rows_text(&rows, 0, C_SETTINGS),
        .revision = rows_int(&rows, 0, C_REVISION),
        .project_count = rows_int(&rows, 0, C_PROJECT_COUNT),
    };
    return OK;
}

error
store_organization_add(struct tx *tx, id organization, id federation, str name, bool access_list_required, str settings)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_text(&params, P_NAME, name);
    params_id(&params, P_FEDERATION, federation);
    params_bool(&params, P_ACCESS_LIST_REQUIRED, access_list_required);
    params_text(&params, P_SETTINGS, settings);
    return tx_query(tx, SQL_ORGANIZATION_ADD, &params, &rows, NULL);
}

error
store_organization_update(struct tx *tx, id organization, str name, str settings)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_text(&params, P_NAME, name);
    params_text(&params, P_SETTINGS, settings);
    TRY(tx_query(tx, SQL_ORGANIZATION_UPDATE, &params, &rows, NULL));
    return rows.count == 1 ? OK : not_found(tx, organization);
}

error
store_organization_lock_to_delete(struct tx *tx, id organization)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    TRY(tx_query(tx, SQL_ORGANIZATION_LOCK_CREDENTIALS, &params, &rows, NULL));
    return tx_query(tx, SQL_ORGANIZATION_LOCK_AGAINST_ADDITIONS, &params, &rows, NULL);
}

error
store_organization_delete(struct tx *tx, id organization)
{
    struct params params = { 0 };
    struct rows rows;
    struct violation violation;
    params_id(&params, P_ORGANIZATION, organization);
    error problem = tx_query(tx, SQL_ORGANIZATION_DELETE, &params, &rows, &violation);
    if (violation.kind == VIOLATION_FOREIGN_KEY)
        return fail(tx_arena(tx), CONCURRENT_CHANGE, V("the organization"));
    TRY(problem);
    return rows.count == 1 ? OK : not_found(tx, organization);
}

error
store_organization_document(struct tx *tx, id organization, str *ret_document, int64_t *ret_revision)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    TRY(tx_query(tx, SQL_ORGANIZATION_GET, &params, &rows, NULL));
    if (rows.count == 0)
        return not_found(tx, organization);
    *ret_document = rows_text(&rows, 0, C_DOCUMENT);
    *ret_revision = rows_int(&rows, 0, C_REVISION);
    return OK;
}

error
store_organization_settings(struct tx *tx, id organization, str *ret_document, int64_t *ret_revision)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    TRY(tx_query(tx, SQL_ORGANIZATION_SETTINGS_GET, &params, &rows, NULL));
    if (rows.count == 0)
        return not_found(tx, organization);
    *ret_document = rows_text(&rows, 0, C_DOCUMENT);
    *ret_revision = rows_int(&rows, 0, C_REVISION);
    return OK;
}

error
store_organization_set_settings(struct tx *tx, id organization, const bool *access_list_required, str settings)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    if (access_list_required == NULL)
        params_null(&params, P_ACCESS_LIST_REQUIRED);
    else
        params_bool(&params, P_ACCESS_LIST_REQUIRED, *access_list_required);
    params_text(&params, P_SETTINGS, settings);
    TRY(tx_query(tx, SQL_ORGANIZATION_SETTINGS_SET, &params, &rows, NULL));
    return rows.count == 1 ? OK : not_found(tx, organization);
}
