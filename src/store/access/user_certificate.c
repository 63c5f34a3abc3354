/* SPDX-License-Identifier: Apache-2.0 */
#include "store/access/user_certificate.h"

error
store_project_authority(struct tx *tx, id project, struct authority_row *ret_row)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    TRY(tx_query(tx, SQL_PROJECT_AUTHORITY_GET, &params, &rows, NULL));
    *ret_row = (struct authority_row){ .certificate = STR_EMPTY };
    if (rows.count > 0)
        *ret_row = (struct authority_row){
            .id = rows_id(&rows, 0, C_ID),
            .certificate = rows_text(&rows, 0, C_CERTIFICATE),
            .sealed_key = rows_bytes(tx_arena(tx), &rows, 0, C_KEY),
        };
    return OK;
}

error
store_project_authority_add(struct tx *tx, id organization, id project, const struct authority_row *row,
                            int64_t not_after_ms)
{
    struct params params = { 0 };
    params_id(&params, P_PROJECT, project);
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_ID, row->id);
    params_text(&params, P_CERTIFICATE, row->certificate);
    params_bytes(&params, P_SEALED_KEY, row->sealed_key);
    params_int(&params, P_NOT_AFTER_MS, not_after_ms);
    return tx_query(tx, SQL_PROJECT_AUTHORITY_ADD, &params, NULL, NULL);
}

str
user_certificate_owner(struct arena *arena, id project, str user)
{
    str project_text = id_text(arena, project);
    return str_format(arena, "%.*s/%.*s", STR_ARG(project_text), STR_ARG(user));
}

error
store_user_certificates_revoke(struct tx *tx, id project, str user)
{
    int64_t ignored;
    return store_certificate_revoke(tx, STR("USER"), user_certificate_owner(tx_arena(tx), project, user), &ignored);
}

error
store_user_certificates_until(struct tx *tx, id project, str user, str *ret_until)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_text(&params, P_OWNER, user_certificate_owner(tx_arena(tx), project, user));
    TRY(tx_query(tx, SQL_USER_CERTIFICATE_UNTIL, &params, &rows, NULL));
    *ret_until = rows.count == 0 || rows_is_null(&rows, 0, C_UNTIL) ? STR_EMPTY : rows_text(&rows, 0, C_UNTIL);
    return OK;
}

error
store_user_certificates_ending(struct store *store, struct arena *arena,
                               struct ending_certificate ret_ending[CERTIFICATES_ENDING_MAX], size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_int(&params, P_LIMIT, CERTIFICATES_ENDING_MAX);
    TRY(store_read(store, arena, SQL_USER_CERTIFICATE_ENDING, &params, &rows));
    *ret_count = 0;
    for (int i = 0; i < rows.count && i < CERTIFICATES_ENDING_MAX; i++)
        ret_ending[(*ret_count)++] = (struct ending_certificate){ .serial = rows_text(&rows, i, C_SERIAL),
                                                                  .document = rows_text(&rows, i, C_DOCUMENT),
                                                                  .organization = rows_id(&rows, i, C_ORGANIZATION),
                                                                  .project = rows_id(&rows, i, C_PROJECT) };
    return OK;
}

error
store_user_certificate_tell(struct tx *tx, const struct ending_certificate *ending, bool *ret_changed)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, ending->organization);
    params_text(&params, P_SERIAL, ending->serial);
    TRY(tx_query(tx, SQL_USER_CERTIFICATE_TELL, &params, &rows, NULL));
    *ret_changed = rows.count > 0;
    return OK;
}
