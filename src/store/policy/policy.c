/* SPDX-License-Identifier: Apache-2.0 */
#include "store/policy/policy.h"

error
store_policy_problem(struct tx *tx, str body, str *ret_problem)
{
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, body);
    TRY(tx_query(tx, SQL_POLICY_PROBLEM, &params, &rows, NULL));
    *ret_problem = rows.count == 0 || rows_is_null(&rows, 0, 0) ? STR_EMPTY : rows_text(&rows, 0, 0);
    return OK;
}

error
store_policy_count(struct tx *tx, id organization, int64_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, organization);
    TRY(tx_query(tx, SQL_POLICY_COUNT, &params, &rows, NULL));
    *ret_count = rows.count == 0 ? 0 : rows_int(&rows, 0, 0);
    return OK;
}

error
store_policy_judge(struct tx *tx, id organization, str kind, str documents, struct policy_verdict *ret_verdict)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, organization);
    params_text(&params, kind);
    params_text(&params, documents);
    TRY(tx_query(tx, SQL_POLICY_FORBIDDING, &params, &rows, NULL));
    *ret_verdict = (struct policy_verdict){ .forbidden = rows.count > 0 };
    if (rows.count > 0) {
        ret_verdict->id = rows_text(&rows, 0, 0);
        ret_verdict->name = rows_text(&rows, 0, 1);
        ret_verdict->field = rows_text(&rows, 0, 2);
    }
    return OK;
}
