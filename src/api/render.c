/* SPDX-License-Identifier: Apache-2.0 */
#include "api/render.h"

#include "api/catalog.h"
#include "api/media.h"
#include "base/json.h"
#include "base/json_walk.h"

enum { MAX_BODY_BYTES = 48 * 1024 * 1024 };

/* PostgreSQL writes JSON with spaces between tokens; the API's is without. */
static void
add_compact(struct buf *out, str json)
{
    size_t from = 0;
    for (size_t i = 0; i < json.len;) {
        char c = json.data[i++];
        if (c == '"') {
            i = json_walk_skip_string(json, i);
        } else if (c == ' ' || c == '\n') {
            buf_add(out, str_slice(json, from, i - 1));
            from = i;
        }
    }
    buf_add(out, str_slice(json, from, json.len));
}

/* ---- Links ---- */

static void
add_link(struct buf *out, const char *rel_prefix, str rel, str base, str target)
{
    buf_add_text(out, "{\"rel\":\"");
    buf_add_text(out, rel_prefix);
    buf_add(out, rel);
    buf_add_text(out, "\",\"href\":\"");
    buf_add(out, base);
    buf_add(out, target);
    buf_add_text(out, "\"}");
}

/* A field of a document, for its address. */
static str
field_of(struct arena *arena, str document, const char *name)
{
    str value = json_walk_find(document, name);
    if (value.len < 2 || value.data[0] != '"')
        return STR_EMPTY;
    if (memchr(value.data, '\\', value.len) == NULL)
        return str_slice(value, 1, value.len - 1);
    return json_str(json_parse_own(arena, value));
}

/* A template with its parameters filled in: the last one with `last`, the others from the request's path, or from the
 * document's field of that name when the path has none. */
static void
add_filled(struct request *req, struct buf *out, const char *template, str document, str last)
{
    for (const char *at = template; *at != '\0';) {
        if (*at != '{') {
            const char *brace = strchr(at, '{');
            size_t length = brace == NULL ? strlen(at) : (size_t)(brace - at);
            buf_add(out, (str){ at, length });
            at += length;
            continue;
        }
        const char *end = strchr(at, '}');
        str name = { at + 1, (size_t)(end - at - 1) };
        bool is_last = strchr(end, '{') == NULL;
        str value = last;
        if (!is_last || value.len == 0) {
            const char *parameter = str_dup(out->arena, name).data;
            value = is_last ? STR_EMPTY : request_path_value(req, parameter);
            if (value.len == 0)
                value = field_of(out->arena, document, parameter);
        }
        buf_add_percent_encoded(out, value);
        at = end + 1;
    }
}

static str
fill_template(struct request *req, struct arena *arena, const char *template, str document, str last)
{
    struct buf out = buf_in(arena, 16 * 1024);
    add_filled(req, &out, template, document, last);
    return buf_str(&out);
}

/* Links name the newest version, also in answers of the older one. */
static const char *
prefix_of(const struct request *req)
{
    return req->api->prefix != NULL ? req->api->prefix : API_PREFIX;
}

static str
api_base(struct request *req, struct arena *arena)
{
    struct buf out = buf_in(arena, 16 * 1024);
    buf_add(&out, req->api->base_url);
    buf_add_text(&out, prefix_of(req));
    return buf_str(&out);
}

/* The path behind the prefix, as it was asked for, escaped for JSON (it is percent-encoded ASCII already). */
static str
own_path(struct request *req)
{
    str prefix = req->is_v1 ? STR(API_PREFIX_V1) : str_from(prefix_of(req));
    str path = str_slice(req->path, prefix.len, req->path.len);
    struct buf out = buf_in(req->arena, 64 * 1024);
    buf_add_json(&out, path);
    str quoted = buf_str(&out);
    return str_slice(quoted, 1, quoted.len - 1);
}

/* What was only tried does not go on. */
static bool
has_operation(const struct request *req)
{
    return req->answer.operation.len > 0 && !req->dry_run;
}

/* Of what goes on after this answer. Operations are of projects: the request's own, or the one that it names. Operators see them
 * as the jobs that they are. */
static str
operation_address(struct request *req)
{
    if (req->api->prefix != NULL)
        return str_format(req->arena, "%.*s%s/jobs/%.*s", STR_ARG(req->api->base_url), req->api->prefix,
                          STR_ARG(req->answer.operation));
    return str_format(req->arena, "%.*s%s/groups/%s/operations/%.*s", STR_ARG(req->api->base_url), API_PREFIX,
                      id_text(req->arena, req->project).data, STR_ARG(req->answer.operation));
}

static void
add_item(struct request *req, struct buf *out, str document, str key)
{
    if (req->answer.own_path.len == 0)
        req->answer.own_path = own_path(req);
    add_compact(out, str_slice(document, 0, document.len - 1));
    if (document.len > 2)
        buf_add_char(out, ',');
    buf_add_text(out, "\"links\":[");
    buf_add_text(out, "{\"rel\":\"self\",\"href\":\"");
    buf_add(out, req->api->base_url);
    buf_add_text(out, prefix_of(req));
    /* What has no address of its own is found at the list's. */
    if (req->endpoint->item != NULL)
        add_filled(req, out, req->endpoint->item, document, key);
    else
        buf_add(out, req->answer.own_path);
    buf_add_text(out, "\"}]}");
}

void
answer_item(struct request *req, str document, str key)
{
    struct buf *out = &req->answer.items;
    if (out->len > 0)
        buf_add_char(out, ',');
    add_item(req, out, document, key);
}

str
answer_item_text(struct request *req, struct arena *arena, str document, str key)
{
    struct buf out = buf_in(arena, MAX_BODY_BYTES);
    add_item(req, &out, document, key);
    return buf_str(&out);
}

/* Below which the links to the entity's collections lead. */
static str
collections_address(struct request *req, str own)
{
    const struct endpoint *e = req->endpoint;
    str document = req->answer.document;
    if (e->below == NULL)
        return own;
    str path = fill_template(req, req->arena, e->below, document, field_of(req->arena, document, "id"));
    return str_format(req->arena, "%.*s%.*s", STR_ARG(api_base(req, req->arena)), STR_ARG(path));
}

void
answer_relate(struct request *req, const char *relation, str path)
{
    struct buf out = buf_in(req->arena, 64 * 1024);
    buf_add(&out, req->answer.related);
    buf_add_char(&out, ',');
    add_link(&out, RELATION_PREFIX, str_from(relation), api_base(req, req->arena), path);
    req->answer.related = buf_str(&out);
}

static void
add_entity(struct request *req, struct buf *out)
{
    const struct endpoint *e = req->endpoint;
    bool created = req->answer.key.len > 0 && e->item != NULL;
    struct buf self = buf_in(req->arena, 64 * 1024);
    buf_add(&self, req->api->base_url);
    buf_add_text(&self, prefix_of(req));
    buf_add(&self,
            created ? fill_template(req, req->arena, e->item, req->answer.document, req->answer.key) : own_path(req));
    str document = req->answer.document, address = buf_str(&self);
    str below = collections_address(req, address);
    struct links links = catalog_links(req->api->catalog,
                                       created            ? e->item
                                       : e->below != NULL ? e->below
                                                          : e->path,
                                       req->all_links ? LINKS_ALL : LINKS_MAIN);
    enum { ENVELOPE_BYTES = 64 };
    if (!buf_reserve(out, document.len + links.bytes + address.len + links.count * below.len + req->answer.related.len +
                              ENVELOPE_BYTES))
        return;
    add_compact(out, str_slice(document, 0, document.len - 1));
    if (document.len > 2)
        buf_add_char(out, ',');
    for (size_t i = 0; i <= links.count; i++) {
        buf_add(out, links.pieces[i]);
        buf_add(out, i == 0 ? address : below);
    }
    str end = links.pieces[links.count + 1]; /* ends with the bracket of the list */
    buf_add(out, str_slice(end, 0, end.len - 1));
    buf_add(out, req->answer.related);
    if (has_operation(req)) {
        buf_add_char(out, ',');
        add_link(out, "", STR("operation"), operation_address(req), STR_EMPTY);
    }
    buf_add_text(out, "]}");
}

/* This request's address with another page number. */
static str
page_target(struct request *req, int64_t number)
{
    struct buf out = buf_in(req->arena, 64 * 1024);
    buf_add(&out, own_path(req));
    buf_format(&out, "?pageNum=%lld", (long long)number);
    for (size_t i = 0; i < req->query_count; i++) {
        if (str_is(req->query[i].name, "pageNum"))
            continue;
        buf_add_char(&out, '&');
        buf_add_percent_encoded(&out, req->query[i].name);
        buf_add_char(&out, '=');
        buf_add_percent_encoded(&out, req->query[i].value);
    }
    return buf_str(&out);
}

/* Everything between the braces of a list response. */
static void
add_list(struct request *req, struct buf *out)
{
    str base = api_base(req, req->arena);
    buf_add_text(out, "\"links\":[");
    add_link(out, "", STR("self"), base, page_target(req, req->page.number));
    if (req->page.number > 1) {
        buf_add_char(out, ',');
        add_link(out, "", STR("previous"), base, page_target(req, req->page.number - 1));
    }
    if (req->answer.has_next) {
        buf_add_char(out, ',');
        add_link(out, "", STR("next"), base, page_target(req, req->page.number + 1));
    }
    buf_add_text(out, "],\"results\":[");
    buf_add(out, buf_str(&req->answer.items));
    buf_add_char(out, ']');
    if (req->page.include_count && req->answer.total >= 0)
        buf_format(out, ",\"totalCount\":%lld", (long long)req->answer.total);
}

/* ---- Bodies ---- */

static str
build_body(struct request *req, unsigned status)
{
    struct buf out = buf_in(req->arena, MAX_BODY_BYTES);
    switch (req->answer.kind) {
    case ANSWER_LIST:
        buf_add_char(&out, '{');
        if (req->envelope)
            buf_format(&out, "\"status\":%u,", status);
        add_list(req, &out);
        buf_add_char(&out, '}');
        break;
    case ANSWER_ENTITY:
        if (req->envelope)
            buf_format(&out, "{\"status\":%u,\"content\":", status);
        add_entity(req, &out);
        if (req->envelope)
            buf_add_char(&out, '}');
        break;
    case ANSWER_BYTES: buf_add(&out, req->answer.document); break;
    case ANSWER_NOTHING:
        if (req->envelope)
            buf_format(&out, "{\"status\":%u,\"content\":{}}", status);
        break;
    case ANSWER_STREAM: break; /* has its own way */
    }
    if (out.failed || req->answer.items.failed)
        return STR_EMPTY;
    str body = buf_str(&out);
    return req->pretty && body.len > 0 && req->answer.kind != ANSWER_BYTES ? json_pretty(req->arena, body) : body;
}

static void
add_common_headers(struct request *req)
{
    if (req->has_bucket) {
        response_header(&req->out, STR("RateLimit-Limit"), str_from_int(req->arena, req->bucket_capacity));
        response_header(&req->out, STR("RateLimit-Remaining"), str_from_int(req->arena, req->bucket_remaining));
    }
    if (req->dry_run)
        response_header(&req->out, STR("Dry-Run"), STR("true"));
    if (req->replayed)
        response_header(&req->out, STR("Idempotency-Replayed"), STR("true"));
}

/* A GET whose ETag the client has already is answered without a body. Here, unlike in If-Match, a weak one counts as well
 * (RFC 9110, section 13.1.2): a proxy that compresses makes ours weak. */
static bool
is_not_modified(struct request *req, str etag)
{
    if (req->endpoint->method != GET || req->in.if_none_match.len == 0)
        return false;
    str weak = str_format(req->arena, "W/%.*s", STR_ARG(etag));
    return request_etag_is_listed(req->in.if_none_match, etag) || request_etag_is_listed(req->in.if_none_match, weak);
}

/* What follows the headers of a stream is not known yet. */
static void
render_stream(struct request *req)
{
    req->out = (struct response){ .status = 200, .content_type = STR("text/event-stream; charset=utf-8") };
    add_common_headers(req);
}

error
render_answer(struct request *req)
{
    if (req->answer.kind == ANSWER_STREAM) {
        render_stream(req);
        return OK;
    }
    unsigned status = req->answer.status != 0 ? req->answer.status : endpoint_success_status(req->endpoint);
    /* What was only tried was neither created nor begun, and is nowhere. */
    if (req->dry_run && (status == 201 || status == 202))
        status = 200;
    /* An envelope needs a body, which 204 cannot have; the status that it names is the one that is sent. */
    if (status == 204 && req->envelope)
        status = 200;
    str body = build_body(req, status);
    const char *suffix = req->answer.kind == ANSWER_BYTES ? media_file_suffix(req->endpoint) : "json";
    bool expects_body = req->answer.kind != ANSWER_NOTHING;
    if (arena_is_exhausted(req->arena) || (expects_body && body.len == 0))
        return error_retry_after(req->arena, fail(req->arena, OVERLOADED), 1);
    req->out = (struct response){
        .status = status,
        .body = body,
        .content_type = body.len == 0              ? STR_EMPTY
                        : req->api->prefix != NULL ? STR("application/json")
                                                   : media_type(req->arena, req->version, suffix),
    };
    add_common_headers(req);
    if (req->answer.kind == ANSWER_ENTITY && req->answer.revision != 0) {
        str etag = request_etag(req->arena, req->answer.revision);
        response_header(&req->out, STR("ETag"), etag);
        if (is_not_modified(req, etag)) {
            req->out.status = 304;
            req->out.body = req->out.content_type = STR_EMPTY;
        }
    }
    if (has_operation(req))
        response_header(&req->out, STR("Operation-Location"), operation_address(req));
    if (req->answer.key.len > 0 && req->endpoint->item != NULL && !req->dry_run) {
        str item = fill_template(req, req->arena, req->endpoint->item, req->answer.document, req->answer.key);
        str base = api_base(req, req->arena);
        response_header(&req->out, STR("Location"), str_format(req->arena, "%.*s%.*s", STR_ARG(base), STR_ARG(item)));
    }
    return OK;
}

void
render_error(struct request *req, error why)
{
    unsigned status = error_rows[why->code].status;
    str body = error_document(req->arena, why);
    if (req->envelope)
        body = str_format(req->arena, "{\"status\":%u,\"content\":%.*s}", status, STR_ARG(body));
    if (req->pretty)
        body = json_pretty(req->arena, body);
    if (body.len == 0) /* the arena is full: a document that needs no memory */
        body = STR("{\"detail\":\"The service has no capacity for this request now.\",\"error\":503,"
                   "\"errorCode\":\"OVERLOADED\",\"parameters\":[],\"reason\":\"Service Unavailable\"}");
    size_t kept = req->out.header_count;
    struct header headers[MAX_RESPONSE_HEADERS];
    memcpy(headers, req->out.headers, sizeof(headers));
    req->failed = why;
    req->out = (struct response){ .status = status, .body = body, .content_type = STR("application/json") };
    /* What a stage set before it failed (Allow, WWW-Authenticate) stays. */
    for (size_t i = 0; i < kept; i++)
        response_header(&req->out, headers[i].name, headers[i].value);
    add_common_headers(req);
    if (why->retry_after_s > 0)
        response_header(&req->out, STR("Retry-After"), str_format(req->arena, "%d", why->retry_after_s));
}
