/* SPDX-License-Identifier: Apache-2.0 */
#include "api/request.h"

#include "api/api.h"
#include "api/media.h"
#include "api/metrics.h"
#include "api/validate.h"
#include "base/clock.h"
#include "base/json.h"

enum { MAX_LIST_BYTES = 32 * 1024 * 1024 };

struct request *
request_new(struct api *api)
{
    struct arena *arena = arena_new(REQUEST_ARENA_BYTES);
    struct request *req = arena == NULL ? NULL : ARENA_NEW(arena, struct request);
    if (req == NULL) {
        arena_free(arena);
        return NULL;
    }
    req->api = api;
    req->arena = arena;
    req->started_us = clock_steady_us();
    req->counter = METRICS_NO_OPERATION;
    req->needs = API_NEEDS_THREAD;
    req->answer.total = -1;
    req->admitted = true;
    req->page = (struct page){ .number = 1, .size = 100, .include_count = true };
    return req;
}

void
request_free(struct request *req)
{
    if (req == NULL)
        return;
    if (req->tx != NULL)
        tx_rollback(req->tx);
    arena_free(req->arena);
}

/* Below this a copy costs more than it frees: an ordinary answer, with all that led to it, fits into an arena's first blocks. */
enum { WORTH_COPYING_BYTES = 48 * 1024 };

static str
keep(struct arena *arena, str text)
{
    return text.len == 0 ? text : str_dup(arena, text);
}

struct request *
request_keep_answer(struct request *req)
{
    if (req->tx != NULL || arena_used_bytes(req->arena) < req->out.body.len + WORTH_COPYING_BYTES)
        return req;
    struct request *kept = request_new(req->api);
    if (kept == NULL)
        return req;
    struct arena *arena = kept->arena;
    struct principal *caller = ARENA_NEW(arena, struct principal);
    struct failure *failed = ARENA_NEW(arena, struct failure);
    kept->in.client = req->in.client;
    kept->in.request_id = req->in.request_id; /* the exchange's */
    kept->endpoint = req->endpoint;
    kept->name = req->name;
    kept->started_us = req->started_us;
    kept->out = req->out;
    kept->out.body = keep(arena, req->out.body);
    kept->out.content_type = keep(arena, req->out.content_type);
    for (size_t i = 0; i < req->out.header_count; i++)
        kept->out.headers[i] =
            (struct header){ keep(arena, req->out.headers[i].name), keep(arena, req->out.headers[i].value) };
    if (caller != NULL && req->caller != NULL) {
        *caller = (struct principal){ .id = req->caller->id, .organization = req->caller->organization };
        caller->name = keep(arena, req->caller->name);
        kept->caller = caller;
    }
    if (failed != NULL && req->failed != OK) {
        failed->code = req->failed->code;
        kept->failed = failed;
    }
    if (arena_is_exhausted(arena)) {
        request_free(kept);
        return req;
    }
    request_free(req);
    return kept;
}

void
request_bind_reach(const struct request *req, struct params *params)
{
    if (!req->caller->is_confined) {
        params_null(params, P_REACH);
        return;
    }
    struct buf list = buf_in(req->arena, MAX_LIST_BYTES);
    buf_add_char(&list, '[');
    for (size_t i = 0; i < req->caller->reach_count; i++)
        buf_format(&list, "%s\"%s\"", i == 0 ? "" : ",", id_text(req->arena, req->caller->reach[i]).data);
    buf_add_char(&list, ']');
    str text = buf_str(&list);
    params_text(params, P_REACH, text.len == 0 ? STR("[]") : text);
}

str
request_path_value(const struct request *req, const char *name)
{
    size_t index = 0;
    for (const char *at = strchr(req->endpoint->path, '{'); at != NULL; at = strchr(at + 1, '{'), index++) {
        const char *end = strchr(at, '}');
        if (str_is((str){ at + 1, (size_t)(end - at - 1) }, name))
            return index < req->path_count ? req->path_values[index] : STR_EMPTY;
    }
    return STR_EMPTY;
}

error
request_path_id(struct request *req, const char *name, id *ret_id)
{
    return id_parse(request_path_value(req, name), ret_id) ? OK : request_not_found(req);
}

str
request_query(const struct request *req, const char *name)
{
    for (size_t i = 0; i < req->query_count; i++) {
        if (str_is(req->query[i].name, name))
            return req->query[i].value;
    }
    return STR_EMPTY;
}

id
request_query_id(const struct request *req, const char *name)
{
    id value;
    return id_parse(request_query(req, name), &value) ? value : ID_NONE;
}

void
answer_entity(struct request *req, str document, int64_t revision)
{
    req->answer.kind = ANSWER_ENTITY;
    req->answer.document = document;
    req->answer.revision = revision;
}

void
answer_created(struct request *req, str document, str key, int64_t revision)
{
    answer_entity(req, document, revision);
    req->answer.key = str_dup(req->arena, key);
}

void
answer_file(struct request *req, str bytes)
{
    req->answer.kind = ANSWER_BYTES;
    req->answer.document = bytes;
}

void
answer_nothing(struct request *req)
{
    req->answer.kind = ANSWER_NOTHING;
}

error
answer_row(struct request *req, const struct rows *rows)
{
    if (rows->count == 0)
        return request_not_found(req);
    answer_entity(req, rows_text(rows, 0, C_DOCUMENT), rows_int(rows, 0, C_REVISION));
    return OK;
}

void
answer_operation(struct request *req, id job)
{
    req->answer.operation = id_text(req->arena, job);
}

void
answer_list(struct request *req, int64_t total, bool has_next)
{
    req->answer.kind = ANSWER_LIST;
    req->answer.total = total;
    req->answer.has_next = has_next;
    req->answer.items = buf_in(req->arena, MAX_LIST_BYTES);
}

void
answer_stream(struct request *req, int64_t after)
{
    req->answer.kind = ANSWER_STREAM;
    req->stream.after = after;
}

void
response_header(struct response *response, str name, str value)
{
    if (response->header_count < MAX_RESPONSE_HEADERS)
        response->headers[response->header_count++] = (struct header){ name, value };
}

error
request_not_found(struct request *req)
{
    return fail(req->arena, RESOURCE_NOT_FOUND, V(req->path));
}

str
request_etag(struct arena *arena, int64_t revision)
{
    struct buf out = buf_in(arena, 32);
    buf_add_char(&out, '"');
    buf_add_int(&out, revision);
    buf_add_char(&out, '"');
    return buf_str(&out);
}

bool
request_etag_is_listed(str header, str etag)
{
    if (str_is(str_trim(header), "*"))
        return true;
    while (header.len > 0) {
        if (str_eq(str_trim(str_cut(&header, ',')), etag))
            return true;
    }
    return false;
}

error
request_check_match(struct request *req, int64_t revision)
{
    if (req->in.if_match.len == 0)
        return OK;
    str etag = request_etag(req->arena, revision);
    if (request_etag_is_listed(req->in.if_match, etag))
        return OK;
    return fail(req->arena, PRECONDITION_FAILED, V(etag));
}

error
request_read_body(struct request *req, const struct schema *schema)
{
    TRY(media_check_body(req->arena, req->in.content_type));
    if (req->in.body.len == 0)
        return fail(req->arena, INVALID_JSON, V("the request has no body"));
    TRY(json_parse(req->arena, req->in.body, &req->body));
    return validate_body(req->arena, schema, VALIDATE_CREATE, req->body);
}
