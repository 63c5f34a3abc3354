/* SPDX-License-Identifier: Apache-2.0 */
#include "api/crud.h"

#include "api/api.h"
#include "api/list.h"
#include "api/request_event.h"
#include "api/validate.h"
#include "base/json.h"
#include "store/access/access.h"
#include "store/resource.h"

/* The ETag of a singleton that nobody has set yet; a revision in the database is never negative. */
enum { REVISION_OF_FALLBACK = -1 };

id
crud_scope(const struct request *req)
{
    return id_or(req->project, req->organization);
}

/* ---- Reading ---- */

static error
bind_single(struct request *req, struct params *params)
{
    const struct kind *kind = req->endpoint->kind;
    params_id(params, P_PROJECT, req->project);
    params_text(params, P_KIND, str_from(kind->name));
    params_text(params, P_HIDDEN, str_from(kind->hidden));
    return OK;
}

static error
answer_single(struct request *req, const struct rows *rows)
{
    if (rows->count == 0)
        return request_not_found(req);
    if (rows_is_null(rows, 0, C_DOCUMENT))
        answer_entity(req, str_from(req->endpoint->kind->fallback), REVISION_OF_FALLBACK);
    else
        answer_entity(req, rows_text(rows, 0, C_DOCUMENT), rows_int(rows, 0, C_REVISION));
    return OK;
}

static error
name_from_path(struct request *req, str *ret_name)
{
    const struct kind *kind = req->endpoint->kind;
    str given = request_path_value(req, kind->parameter);
    if (kind->canonical != NULL && !kind->canonical(req->arena, given, ret_name))
        return request_not_found(req);
    if (kind->canonical == NULL)
        *ret_name = given;
    return OK;
}

static error
bind_get(struct request *req, struct params *params)
{
    const struct kind *kind = req->endpoint->kind;
    str name;
    TRY(name_from_path(req, &name));
    params_id(params, P_SCOPE, crud_scope(req));
    params_text(params, P_KIND, str_from(kind->name));
    params_text(params, P_NAME, name);
    params_text(params, P_HIDDEN, str_from(kind->hidden));
    if (kind->also == NULL) {
        params_null(params, P_ALSO);
        params_null(params, P_ALSO_VALUE);
    } else {
        params_text(params, P_ALSO, str_from(kind->also));
        params_text(params, P_ALSO_VALUE, request_path_value(req, kind->also));
    }
    return OK;
}

static error
bind_list(struct request *req, struct params *params)
{
    const struct kind *kind = req->endpoint->kind;
    params_id(params, P_SCOPE, crud_scope(req));
    params_text(params, P_KIND, str_from(kind->name));
    list_bind(req, params);
    params_text(params, P_HIDDEN, str_from(kind->hidden));
    return OK;
}

const struct read crud_get_single = { SQL_RESOURCE_GET_SINGLE, bind_single, answer_single };
const struct read crud_get = { SQL_RESOURCE_GET, bind_get, answer_row };
const struct read crud_list = { SQL_RESOURCE_LIST, bind_list, list_answer };

/* ---- Changing ---- */

json_t *
crud_shown(struct request *req, const json_t *document)
{
    const struct kind *kind = req->endpoint->kind;
    json_t *shown = json_in(req->arena, json_copy((json_t *)document));
    if (shown != NULL && kind->hidden != NULL)
        json_object_del(shown, kind->hidden);
    return shown;
}

error
crud_lock(struct request *req, struct change *ret_change)
{
    const struct kind *kind = req->endpoint->kind;
    struct resource current;
    bool found;
    str name;
    TRY(name_from_path(req, &name));
    TRY(store_resource_lock(req->tx, crud_scope(req), str_from(kind->name), name, &found, &current));
    const json_t *before = found ? json_parse_own(req->arena, current.document) : NULL;
    if (kind->also != NULL &&
        !str_eq(json_str(json_object_get(before, kind->also)), request_path_value(req, kind->also)))
        found = false;
    if (!found)
        return request_not_found(req);
    TRY(request_check_match(req, current.revision));
    *ret_change = (struct change){ .id = current.id, .name = name, .before = before, .revision = current.revision };
    return before == NULL ? fail(req->arena, OVERLOADED) : OK;
}

/* What the body says, over what was there, if anything was. A null takes a field away. */
static error
merge(struct request *req, struct change *change)
{
    const char *name;
    json_t *value;
    /* Of which kind it is was not known when the body was checked, unless the body said so. */
    if (change->before != NULL && field_that_decides(req->endpoint->request->fields) != NULL)
        TRY(validate_change(req->arena, req->endpoint->request,
                            req->endpoint->method == PUT ? VALIDATE_REPLACE : VALIDATE_UPDATE, change->before,
                            req->body));
    change->after = json_in(req->arena, change->before == NULL ? json_object() : json_deep_copy(change->before));
    if (change->after == NULL || json_object_update(change->after, req->body) != 0)
        return fail(req->arena, OVERLOADED);
    json_object_foreach(req->body, name, value)
    {
        if (json_is_null(value))
            json_object_del(change->after, name);
    }
    return OK;
}

static error
duplicate(struct request *req, const struct change *change)
{
    const struct kind *kind = req->endpoint->kind;
    return fail(req->arena, DUPLICATE_NAME, V(kind->field != NULL ? kind->field : kind->parameter), V(change->name));
}

error
crud_store(struct request *req, struct change *change, str *ret_document, int64_t *ret_revision)
{
    const struct kind *kind = req->endpoint->kind;
    struct resource_draft draft = {
        .organization = req->organization, .scope = crud_scope(req), .id = change->id, .kind = str_from(kind->name)
    };
    struct resource stored = { 0 };
    bool is_free = true;
    if (kind->check != NULL)
        TRY(kind->check(req, change));
    if (kind->decides_access)
        TRY(store_access_touch(req->tx, draft.scope, &draft.access_generation));
    draft.name = change->name;
    draft.document = change->after == NULL ? STR_EMPTY : json_text(req->arena, change->after);
    if (change->after == NULL)
        TRY(store_resource_delete(req->tx, draft.scope, draft.kind, draft.id));
    else if (change->before == NULL)
        TRY(store_resource_add(req->tx, &draft, &is_free, &stored));
    else
        TRY(store_resource_replace(req->tx, &draft, &stored));
    if (!is_free)
        return duplicate(req, change);
    const json_t *before = change->before == NULL ? NULL : crud_shown(req, change->before);
    const json_t *after = change->after == NULL ? NULL : crud_shown(req, change->after);
    TRY(request_event(req,
                      after == NULL    ? kind->deleted
                      : before == NULL ? kind->created
                                       : kind->changed,
                      before, after));
    *ret_document = kind->hidden == NULL || after == NULL ? stored.document : json_text(req->arena, after);
    *ret_revision = stored.revision;
    return OK;
}

error
crud_lock_single(struct request *req, struct change *ret_change)
{
    const struct kind *kind = req->endpoint->kind;
    struct resource current;
    TRY(store_resource_lock_single(req->tx, req->organization, req->project, str_from(kind->name),
                                   str_from(kind->fallback), &current));
    int64_t revision = current.is_new ? REVISION_OF_FALLBACK : current.revision;
    TRY(request_check_match(req, revision));
    *ret_change = (struct change){ .id = current.id,
                                   .before = json_parse_own(req->arena, current.document),
                                   .revision = revision };
    return ret_change->before == NULL ? fail(req->arena, OVERLOADED) : OK;
}

error
crud_store_and_answer(struct request *req, struct change *change)
{
    str document;
    int64_t revision;
    TRY(crud_store(req, change, &document, &revision));
    answer_entity(req, document, revision);
    return OK;
}

static error
update(struct request *req, struct change *locked)
{
    TRY(merge(req, locked));
    /* What is sent once more changes nothing: no revision, no event. A fallback is stored by the first who sends it. */
    if (locked->revision != REVISION_OF_FALLBACK && json_equal(locked->before, locked->after)) {
        answer_entity(req, json_text(req->arena, crud_shown(req, locked->before)), locked->revision);
        return OK;
    }
    return crud_store_and_answer(req, locked);
}

error
crud_update_single(struct request *req)
{
    struct change change;
    TRY(crud_lock_single(req, &change));
    return update(req, &change);
}

error
crud_create(struct request *req)
{
    const struct kind *kind = req->endpoint->kind;
    str document;
    int64_t revision;
    struct change change = { .id = id_new(store_cell(req->api->store)) };
    str own = id_text(req->arena, change.id);
    TRY(merge(req, &change));
    if (kind->field == NULL)
        json_object_set_new(change.after, "id", json_stringn(own.data, own.len));
    change.name = kind->field == NULL ? own : json_str(json_object_get(change.after, kind->field));
    if (kind->canonical != NULL && !kind->canonical(req->arena, change.name, &change.name))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(kind->field),
                    V("it cannot be a name here; choose another one"));
    TRY(crud_store(req, &change, &document, &revision));
    answer_created(req, document, change.name, revision);
    return OK;
}

error
crud_update(struct request *req)
{
    struct change change;
    TRY(crud_lock(req, &change));
    return update(req, &change);
}

error
crud_delete(struct request *req)
{
    struct change change;
    str document;
    int64_t revision;
    TRY(crud_lock(req, &change));
    TRY(crud_store(req, &change, &document, &revision));
    answer_nothing(req);
    return OK;
}
