/* SPDX-License-Identifier: Apache-2.0 */
#include "store/backup/policy.h"

error
store_backup_policy_hold(struct tx *tx, id organization, id project)
{
    struct params params = { 0 };
    struct rows ignored;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_PROJECT, project);
    return tx_query(tx, SQL_PROJECT_LOCK, &params, &ignored, NULL);
}

error
store_backup_schedules_lock(struct tx *tx, id project, size_t *ret_count, struct stored_schedule **ret_schedules)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    TRY(tx_query(tx, SQL_BACKUP_SCHEDULE_LIST, &params, &rows, NULL));
    struct stored_schedule *schedules = arena_alloc(tx_arena(tx), (size_t)rows.count * sizeof *schedules);
    if (schedules == NULL && rows.count > 0)
        return fail(tx_arena(tx), OVERLOADED);
    for (int i = 0; i < rows.count; i++)
        schedules[i] =
            (struct stored_schedule){ .id = rows_id(&rows, i, C_ID), .document = rows_text(&rows, i, C_DOCUMENT) };
    *ret_count = (size_t)rows.count;
    *ret_schedules = schedules;
    return OK;
}

error
store_backup_bare_cluster(struct tx *tx, id project, str *ret_name)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    TRY(tx_query(tx, SQL_BACKUP_BARE_CLUSTER, &params, &rows, NULL));
    *ret_name = rows.count == 0 ? STR_EMPTY : rows_text(&rows, 0, C_NAME);
    return OK;
}

error
store_backup_protected_until(struct tx *tx, id project, int64_t *ret_protected_ms)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    TRY(tx_query(tx, SQL_BACKUP_PROTECTED_UNTIL, &params, &rows, NULL));
    *ret_protected_ms = rows_is_null(&rows, 0, C_PROTECTED_MS) ? 0 : rows_int(&rows, 0, C_PROTECTED_MS);
    return OK;
}
