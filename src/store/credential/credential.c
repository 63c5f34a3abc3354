/* SPDX-License-Identifier: Apache-2.0 */
#include "store/credential/credential.h"

#include "base/json.h"
#include "store/auth/principal.h"

error
store_credential_lock(struct tx *tx, enum credential_kind kind, id organization, id credential, id project,
                      bool *ret_found, int64_t *ret_revision)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_CREDENTIAL, credential);
    params_text(&params, P_KIND, kind == CREDENTIAL_API_KEY ? STR("api_key") : STR("service_account"));
    params_id_or_null(&params, P_PROJECT, project);
    TRY(tx_query(tx, SQL_CREDENTIAL_LOCK, &params, &rows, NULL));
    *ret_found = rows.count == 1;
    if (*ret_found)
        *ret_revision = rows_int(&rows, 0, C_REVISION);
    return OK;
}

error
store_credential_changed(struct tx *tx, id organization, id credential)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_CREDENTIAL, credential);
    TRY(tx_query(tx, SQL_CREDENTIAL_TOUCH, &params, &rows, NULL));
    return authority_changed(tx, "principal", credential);
}

error
store_credential_document(struct tx *tx, enum credential_kind kind, id organization, id credential, id project,
                          str *ret_document, int64_t *ret_revision)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_CREDENTIAL, credential);
    params_id_or_null(&params, P_PROJECT, project);
    enum sql statement = kind == CREDENTIAL_API_KEY ? SQL_API_KEY_GET : SQL_SERVICE_ACCOUNT_GET;
    TRY(tx_query(tx, statement, &params, &rows, NULL));
    if (rows.count == 0)
        return fail(tx_arena(tx), RESOURCE_NOT_FOUND, V(id_text(tx_arena(tx), credential)));
    *ret_document = rows_text(&rows, 0, C_DOCUMENT);
    *ret_revision = rows_int(&rows, 0, C_REVISION);
    return OK;
}

error
store_credential_describe(struct tx *tx, enum credential_kind kind, id organization, id credential, str name,
                          str description)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_CREDENTIAL, credential);
    if (kind == CREDENTIAL_SERVICE_ACCOUNT)
        params_text_or_null(&params, P_NAME, name);
    params_text_or_null(&params, P_DESCRIPTION, description);
    enum sql statement = kind == CREDENTIAL_API_KEY ? SQL_API_KEY_UPDATE : SQL_SERVICE_ACCOUNT_UPDATE;
    return tx_query(tx, statement, &params, &rows, NULL);
}

error
store_credential_roles(struct tx *tx, id organization, id credential, id project, json_t **ret_roles)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_CREDENTIAL, credential);
    params_id_or_null(&params, P_PROJECT, project);
    TRY(tx_query(tx, SQL_CREDENTIAL_ROLES, &params, &rows, NULL));
    *ret_roles = json_parse_own(tx_arena(tx), rows_text(&rows, 0, C_ROLES));
    return *ret_roles == NULL ? fail(tx_arena(tx), OVERLOADED) : OK;
}

error
store_credential_set_roles(struct tx *tx, id organization, id credential, id project, const json_t *roles)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_CREDENTIAL, credential);
    params_id_or_null(&params, P_PROJECT, project);
    params_text(&params, P_ROLES, json_text(tx_arena(tx), roles));
    TRY(tx_query(tx, SQL_CREDENTIAL_ROLES_KEEP, &params, &rows, NULL));
    for (size_t i = 0; i < json_array_size(roles); i++)
        TRY(add_role_grant(tx, credential, organization, project, json_str(json_array_get(roles, i))));
    return OK;
}

error
store_credential_reaches_beyond(struct tx *tx, id organization, id credential, id project, bool *ret_beyond)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_CREDENTIAL, credential);
    params_id(&params, P_PROJECT, project);
    TRY(tx_query(tx, SQL_CREDENTIAL_REACHES_BEYOND, &params, &rows, NULL));
    *ret_beyond = rows_bool(&rows, 0, C_BEYOND);
    return OK;
}

static void
bind_secret(struct params *params, id organization, id account, id secret)
{
    params_id(params, P_ORGANIZATION, organization);
    params_id(params, P_ACCOUNT, account);
    params_id(params, P_SECRET, secret);
}

error
store_secret_count(struct tx *tx, id organization, id account, int64_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_ACCOUNT, account);
    TRY(tx_query(tx, SQL_SECRET_COUNT, &params, &rows, NULL));
    *ret_count = rows_int(&rows, 0, C_COUNT);
    return OK;
}

error
store_secret_document(struct tx *tx, id organization, id account, id secret, str *ret_document)
{
    struct params params = { 0 };
    struct rows rows;
    bind_secret(&params, organization, account, secret);
    TRY(tx_query(tx, SQL_SECRET_GET, &params, &rows, NULL));
    *ret_document = rows.count == 0 ? STR_EMPTY : rows_text(&rows, 0, C_DOCUMENT);
    return OK;
}

error
store_secret_delete(struct tx *tx, id organization, id account, id secret, bool *ret_deleted)
{
    struct params params = { 0 };
    struct rows rows;
    bind_secret(&params, organization, account, secret);
    TRY(tx_query(tx, SQL_SECRET_DELETE, &params, &rows, NULL));
    *ret_deleted = rows.count == 1;
    return OK;
}

error
store_trusted_programs_set(struct tx *tx, id organization, id account, const json_t *programs, int64_t *ret_unknown)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_CREDENTIAL, account);
    params_text(&params, P_PROGRAMS, json_text(tx_arena(tx), programs));
    TRY(tx_query(tx, SQL_TRUSTED_PROGRAMS_KEEP, &params, &rows, NULL));
    *ret_unknown = rows_is_null(&rows, 0, C_UNKNOWN) ? -1 : rows_int(&rows, 0, C_UNKNOWN);
    return OK;
}

error
store_owner_count(struct tx *tx, id organization, int64_t *ret_all, int64_t *ret_people)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    TRY(tx_query(tx, SQL_OWNER_COUNT, &params, &rows, NULL));
    *ret_all = rows_int(&rows, 0, C_COUNT);
    *ret_people = rows_int(&rows, 0, C_PEOPLE);
    return OK;
}
