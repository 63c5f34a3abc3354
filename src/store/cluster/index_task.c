/* SPDX-License-Identifier: Apache-2.0 */
#include "store/cluster/index_task.h"

error
store_index_task(struct tx *tx, id organization, id cluster, id task, struct index_task *ret_task)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, organization);
    params_id(&params, cluster);
    params_id(&params, task);
    TRY(tx_query(tx, SQL_INDEX_TASK_PLACE, &params, &rows, NULL));
    *ret_task = (struct index_task){ .cluster_exists = rows.count == 1 };
    if (rows.count != 1)
        return OK;
    ret_task->has_primary = !rows_is_null(&rows, 0, 0);
    if (ret_task->has_primary)
        ret_task->primary = rows_id(&rows, 0, 0);
    ret_task->outcome = task_outcome_from(rows_is_null(&rows, 0, 1) ? STR_EMPTY : rows_text(&rows, 0, 1));
    ret_task->detail = rows_is_null(&rows, 0, 2) ? STR_EMPTY : rows_text(&rows, 0, 2);
    ret_task->is_asked = !rows_is_null(&rows, 0, 3);
    if (ret_task->is_asked)
        ret_task->member = rows_id(&rows, 0, 3);
    return OK;
}

error
store_index_task_add(struct tx *tx, id organization, id task, id member, str parameters)
{
    struct params params = { 0 };
    params_id(&params, organization);
    params_id(&params, task);
    params_id(&params, member);
    params_text(&params, parameters);
    return tx_query(tx, SQL_INDEX_TASK_ADD, &params, NULL, NULL);
}

error
store_index_task_remove(struct tx *tx, id organization, id task)
{
    struct params params = { 0 };
    params_id(&params, organization);
    params_id(&params, task);
    return tx_query(tx, SQL_INDEX_TASK_REMOVE, &params, NULL, NULL);
}
