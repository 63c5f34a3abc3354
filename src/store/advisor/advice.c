/* SPDX-License-Identifier: Apache-2.0 */
#include "store/advisor/advice.h"

error
store_advice(struct tx *tx, id host, id member, str document, bool *ret_is_own)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_HOST, host);
    params_id(&params, P_MEMBER, member);
    params_text(&params, P_DOCUMENT, document);
    TRY(tx_query(tx, SQL_ADVICE_STORE, &params, &rows, NULL));
    *ret_is_own = rows.count > 0 && str_is(rows_text(&rows, 0, C_OUTCOME), "OK");
    return OK;
}
