/* SPDX-License-Identifier: Apache-2.0 */
#include "api/crud.h"

#include "api/api.h"
#include "api/request_event.h"
#include "base/json.h"
#include "store/resource.h"

/* The ETag of a singleton that nobody has set yet; a revision in the database is never negative. */
enum { REVISION_OF_FALLBACK = -1 };

static error
bind_single(struct request *req, struct params *params)
{
    params_id(params, req->project);
    params_text(params, str_from(req->endpoint->kind->name));
    return OK;
}

static error
answer_single(struct request *req, const struct rows *rows)
{
    if (rows->count == 0)
        return request_not_found(req);
    if (rows_is_null(rows, 0, 0))
        answer_entity(req, str_from(req->endpoint->kind->fallback), REVISION_OF_FALLBACK);
    else
        answer_entity(req, rows_text(rows, 0, 0), rows_int(rows, 0, 1));
    return OK;
}

const struct read crud_get_single = { SQL_RESOURCE_GET_SINGLE, bind_single, answer_single };

error
crud_update_single(struct request *req)
{
    const struct kind *kind = req->endpoint->kind;
    struct resource current, changed;
    TRY(store_resource_lock_single(req->tx, req->organization, req->project, str_from(kind->name),
                                   str_from(kind->fallback), &current));
    TRY(request_check_match(req, current.is_new ? REVISION_OF_FALLBACK : current.revision));
    json_t *before = json_parse_own(req->arena, current.document);
    json_t *after = json_in(req->arena, json_deep_copy(before));
    if (before == NULL || after == NULL || json_object_update(after, req->body) != 0)
        return fail(req->arena, OVERLOADED);
    TRY(store_resource_replace(req->tx, req->project, str_from(kind->name), current.id, json_text(req->arena, after),
                               &changed));
    TRY(request_event(req, kind->changed, before, after));
    answer_entity(req, changed.document, changed.revision);
    return OK;
}
