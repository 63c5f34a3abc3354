/* SPDX-License-Identifier: Apache-2.0 */
#include "api/list.h"

void
list_bind(const struct request *req, struct params *params)
{
    params_int(params, P_OFFSET, (req->page.number - 1) * req->page.size);
    params_int(params, P_LIMIT, req->page.size + 1);
}

error
list_bind_organization(struct request *req, struct params *params)
{
    params_id(params, P_ORGANIZATION, req->organization);
    list_bind(req, params);
    return OK;
}

error
list_answer(struct request *req, const struct rows *rows)
{
    answer_list(req, rows_int(rows, 0, C_TOTAL), rows->count > req->page.size);
    for (int row = 0; row < rows->count && row < req->page.size; row++) {
        if (!rows_is_null(rows, row, C_DOCUMENT))
            answer_item(req, rows_text(rows, row, C_DOCUMENT), rows_text(rows, row, C_KEY));
    }
    return OK;
}

error
list_answer_below(struct request *req, const struct rows *rows)
{
    return rows->count == 0 ? request_not_found(req) : list_answer(req, rows);
}
