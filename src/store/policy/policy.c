/* SPDX-License-Identifier: Apache-2.0 */
#include "store/policy/policy.h"

error
store_policy_problem(struct tx *tx, str body, str *ret_problem)
{
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, P_BODY, body);
    TRY(tx_query(tx, SQL_POLICY_PROBLEM, &params, &rows, NULL));
    *ret_problem = rows.count == 0 || rows_is_null(&rows, 0, C_PROBLEM) ? STR_EMPTY : rows_text(&rows, 0, C_PROBLEM);
    return OK;
}

error
store_policy_count(struct tx *tx, id organization, int64_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    TRY(tx_query(tx, SQL_POLICY_COUNT, &params, &rows, NULL));
    *ret_count = rows.count == 0 ? 0 : rows_int(&rows, 0, C_COUNT);
    return OK;
}

error
store_policy_judge(struct tx *tx, id organization, str kind, str documents, struct policy_verdict *ret_verdict)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ORGANIZATION, organization);
    params_text(&params, P_KIND, kind);
    params_text(&params, P_DOCUMENTS, documents);
    TRY(tx_query(tx, SQL_POLICY_FORBIDDING, &params, &rows, NULL));
    *ret_verdict = (struct policy_verdict){ .forbidden = rows.count > 0 };
    if (rows.count > 0) {
        ret_verdict->id = rows_text(&rows, 0, C_POLICY);
        ret_verdict->name = rows_text(&rows, 0, C_NAME);
        ret_verdict->field = rows_text(&rows, 0, C_FIELD);
    }
    return OK;
}
