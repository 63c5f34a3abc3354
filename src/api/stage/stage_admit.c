/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between the headers and everything that costs memory. What the headers tell (who calls, whether they may) is checked
 * before a byte of the body is kept; a request that waits here for room holds little more than its headers.
 */
#include "api/stage/stages.h"
#include "base/clock.h"
#include "base/json.h"

enum {
    RIGHTS_LAST_US =
        2 * 1000 * 1000,   /* a body that took longer is looked at with the rights that its sender has then */
    ITEM_BYTES = 4 * 1024, /* of a list: what an item takes while the page is made; measured with events */
    ENTITY_BYTES = 16 * 1024,
    FILE_BYTES = 1024 * 1024,
    OF_HOSTS_BYTES = 4 * 1024 * 1024,
    OF_STORES_BYTES = 4 * 1024 * 1024,
};

size_t
api_cost(const struct request *req)
{
    const struct endpoint *e = req->endpoint;
    if (e == NULL)
        return req->asks_stores ? OF_STORES_BYTES : ENTITY_BYTES;
    if (e->flags & ASKS_HOSTS)
        return OF_HOSTS_BYTES;
    switch (e->shape) {
    case SHAPE_LIST: return ENTITY_BYTES + (size_t)req->page.size * ITEM_BYTES;
    case SHAPE_FILE: return FILE_BYTES;
    default: return ENTITY_BYTES;
    }
}

error
request_admit(struct request *req, size_t body_max)
{
    if (req->admitted)
        return OK;
    req->body_max = body_max;
    req->asked_us = clock_steady_us();
    req->needs = API_NEEDS_ROOM;
    return WOULD_BLOCK;
}

error
stage_admit(struct request *req)
{
    TRY(request_admit(req, JSON_MAX_BYTES));
    if (req->asked_us == 0 || req->caller == NULL || clock_steady_us() - req->asked_us < RIGHTS_LAST_US)
        return OK;
    return api_stream_check(req, req->arena, req->may_block);
}
