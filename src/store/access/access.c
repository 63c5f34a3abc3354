/* SPDX-License-Identifier: Apache-2.0 */
#include "store/access/access.h"

#include "base/json.h"
#include "store/access/user_certificate.h"
#include "store/tenant/project.h"

error
store_access_touch(struct tx *tx, id project, int64_t *ret_generation)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    TRY(tx_query(tx, SQL_ACCESS_TOUCH, &params, &rows, NULL));
    *ret_generation = rows_int(&rows, 0, C_GENERATION);
    return OK;
}

error
store_access_inherited(struct tx *tx, struct arena *arena, id project, json_t **ret_inherited)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    TRY(tx_query(tx, SQL_ACCESS_INHERITED, &params, &rows, NULL));
    *ret_inherited = json_parse_own(arena, rows_text(&rows, 0, C_INHERITED));
    return *ret_inherited == NULL ? fail(arena, OVERLOADED) : OK;
}

error
store_access_role_holder(struct tx *tx, id project, str role, str *ret_holder)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_text(&params, P_ROLE, role);
    TRY(tx_query(tx, SQL_ACCESS_ROLE_HOLDER, &params, &rows, NULL));
    *ret_holder = rows.count == 0 ? STR_EMPTY : rows_text(&rows, 0, C_NAME);
    return OK;
}

/* ---- For the worker ---- */

error
store_access_expired(struct store *store, struct arena *arena, struct access_expired ret_expired[ACCESS_EXPIRED_MAX],
                     size_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    TRY(store_read(store, arena, SQL_ACCESS_EXPIRED, &params, &rows));
    *ret_count = 0;
    for (int row = 0; row < rows.count && row < ACCESS_EXPIRED_MAX; row++)
        ret_expired[(*ret_count)++] = (struct access_expired){
            .organization = rows_id(&rows, row, C_ORGANIZATION),
            .project = rows_id(&rows, row, C_PROJECT),
            .kind = rows_text(&rows, row, C_KIND),
            .resource = rows_id(&rows, row, C_RESOURCE),
            .name = rows_text(&rows, row, C_NAME),
        };
    return OK;
}

error
store_access_expire(struct store *store, struct arena *arena, const struct access_expired *expired,
                    enum event_type type, bool *ret_removed)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct params params = { 0 };
    struct rows rows;
    struct project project;
    int64_t generation;
    params_id(&params, P_PROJECT, expired->project);
    params_text(&params, P_KIND, expired->kind);
    params_id(&params, P_RESOURCE, expired->resource);
    TRY(tx_begin(store, arena, expired->organization, &tx));
    TRY(store_project_lock(tx, expired->organization, expired->project, &project));
    TRY(tx_query(tx, SQL_ACCESS_EXPIRE, &params, &rows, NULL));
    *ret_removed = rows.count == 1;
    if (!*ret_removed)
        return OK;
    if (str_is(expired->kind, "databaseUser"))
        TRY(store_user_certificates_revoke(tx, expired->project, expired->name));
    TRY(store_access_touch(tx, expired->project, &generation));
    struct event_draft draft = {
        .type = type,
        .organization = expired->organization,
        .project = expired->project,
        .cluster = rows_is_null(&rows, 0, C_CLUSTER) ? STR_EMPTY : rows_text(&rows, 0, C_CLUSTER),
        .before = json_parse_own(arena, rows_text(&rows, 0, C_DOCUMENT)),
    };
    TRY(store_event_add_by_worker(tx, &draft));
    return tx_commit(tx);
}
