/* SPDX-License-Identifier: Apache-2.0 */
#include "store/access.h"

error
store_access_touch(struct tx *tx, id project, int64_t *ret_generation)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, project);
    TRY(tx_query(tx, SQL_ACCESS_TOUCH, &params, &rows, NULL));
    *ret_generation = rows_int(&rows, 0, 0);
    return OK;
}
