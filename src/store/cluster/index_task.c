/* SPDX-License-Identifier: Apache-2.0 */
#include "store/cluster/index_task.h"

error
store_index_task(struct tx *tx, id organization, id cluster, id task, struct index_task *ret_task)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_CLUSTER, cluster);
    params_id(&params, P_TASK, task);
    TRY(tx_query(tx, SQL_INDEX_TASK_PLACE, &params, &rows, NULL));
    *ret_task = (struct index_task){ .cluster_exists = rows.count == 1 };
    if (rows.count != 1)
        return OK;
    ret_task->has_primary = !rows_is_null(&rows, 0, C_PRIMARY_MEMBER);
    if (ret_task->has_primary)
        ret_task->primary = rows_id(&rows, 0, C_PRIMARY_MEMBER);
    ret_task->outcome =
        task_outcome_from(rows_is_null(&rows, 0, C_OUTCOME) ? STR_EMPTY : rows_text(&rows, 0, C_OUTCOME));
    ret_task->detail = rows_is_null(&rows, 0, C_DETAIL) ? STR_EMPTY : rows_text(&rows, 0, C_DETAIL);
    ret_task->is_asked = !rows_is_null(&rows, 0, C_MEMBER);
    if (ret_task->is_asked)
        ret_task->member = rows_id(&rows, 0, C_MEMBER);
    return OK;
}

error
store_index_task_add(struct tx *tx, id organization, id task, id member, str parameters)
{
    struct params params = { 0 };
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_TASK, task);
    params_id(&params, P_MEMBER, member);
    params_text(&params, P_PARAMETERS, parameters);
    return tx_query(tx, SQL_INDEX_TASK_ADD, &params, NULL, NULL);
}

error
store_index_task_remove(struct tx *tx, id organization, id task)
{
    struct params params = { 0 };
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_TASK, task);
    return tx_query(tx, SQL_INDEX_TASK_REMOVE, &params, NULL, NULL);
}
