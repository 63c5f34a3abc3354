/* SPDX-License-Identifier: Apache-2.0 */
#include "api/api.h"

enum {
    ITEMS_LIKE_AN_ENTITY = 8
}; /* a page of 100 items costs the database and the loop about a dozen times what one entity does */

static bool
is_list(const struct request *req)
{
    return req->endpoint->shape == SHAPE_LIST && req->endpoint->method == GET;
}

bool
api_is_large(const struct request *req)
{
    if (req->endpoint == NULL)
        return false;
    return (req->endpoint->flags & (EVALUATES | ASKS_HOSTS)) != 0 ||
           (is_list(req) && req->page.size > API_LARGE_PAGE) || req->in.body.len > API_LARGE_BODY;
}

int
api_places(const struct request *req)
{
    return is_list(req) ? 1 + (int)(req->page.size / ITEMS_LIKE_AN_ENTITY) : 1;
}
