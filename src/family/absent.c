/* SPDX-License-Identifier: Apache-2.0 */
#include "family/absent.h"

error
absent_list(struct request *req)
{
    answer_list(req, 0, false);
    return OK;
}

error
absent_one(struct request *req)
{
    return request_not_found(req);
}
