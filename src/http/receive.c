/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "base/json.h"
#include "http/exchange.h"

/* A body may pause for client_body_timeout; all of it must be there within so many of those. */
enum { BODY_PAUSES = 4, US_PER_MS = 1000 };

/* ---- Headers ---- */

/* RFC 9110: what a field name may consist of. nginx lets more through. */
static bool
is_token(str name)
{
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.data[i];
        bool fine = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                    (c > ' ' && c < 0x7F && strchr("!#$%&'*+-.^_`|~", c) != NULL);
        if (!fine)
            return false;
    }
    return name.len > 0;
}

static bool
has_control_character(str value)
{
    for (size_t i = 0; i < value.len; i++) {
        unsigned char c = (unsigned char)value.data[i];
        if ((c < ' ' && c != '\t') || c == 0x7F)
            return true;
    }
    return false;
}

/* `seen` has a bit for each header that was there before, even an empty one. */
static error
receive_header(struct request *req, str name, str value, unsigned *seen)
{
    struct received *in = &req->in;
    const struct {
        str name;
        str *target;
    } wanted[] = {
        { STR("authorization"), &in->authorization },
        { STR("accept"), &in->accept },
        { STR("content-type"), &in->content_type },
        { STR("idempotency-key"), &in->idempotency_key },
        { STR("if-match"), &in->if_match },
        { STR("if-none-match"), &in->if_none_match },
        { STR("last-event-id"), &in->last_event_id },
        { STR("cookie"), &in->cookie },
        { STR("origin"), &in->origin },
        { STR("sec-fetch-site"), &in->fetch_site },
    };
    for (size_t i = 0; i < LENGTH(wanted); i++) {
        if (!str_eq_nocase(name, wanted[i].name))
            continue;
        if (*seen & 1U << i)
            return fail(req->arena, INVALID_HEADER, V(wanted[i].name), V("it is sent twice"));
        *seen |= 1U << i;
        *wanted[i].target = str_dup(req->arena, value);
        return OK;
    }
    return OK;
}

/* nginx takes a line without a colon as a header without a value. In HTTP/1 name and value point into the line. */
static bool
has_colon(const ngx_http_request_t *r, const ngx_table_elt_t *header)
{
    return r->http_version >= NGX_HTTP_VERSION_20 || header->value.data != header->key.data + header->key.len;
}

error
receive_headers(struct exchange *x)
{
    struct request *req = x->request;
    size_t count = 0;
    unsigned seen = 0;
    for (ngx_list_part_t *part = &x->r->headers_in.headers.part; part != NULL; part = part->next) {
        ngx_table_elt_t *headers = part->elts;
        for (size_t i = 0; i < part->nelts; i++) {
            str name = str_of(headers[i].key), value = str_of(headers[i].value);
            if (++count > MAX_HEADERS)
                return fail(req->arena, HEADERS_TOO_LARGE);
            if (!has_colon(x->r, &headers[i]))
                return fail(req->arena, INVALID_REQUEST, V("a header has no colon"));
            if (!is_token(name))
                return fail(req->arena, INVALID_REQUEST, V("a header's name has characters that are not allowed"));
            if (has_control_character(value))
                return fail(req->arena, INVALID_REQUEST, V("a header's value has control characters"));
            TRY(receive_header(req, name, value, &seen));
        }
    }
    return OK;
}

/* ---- Body ---- */
/*
 * Read in pieces as it comes, and never by nginx into a file: nothing of a tenant's lies on the disk of an API node,
 * and a time-out can be answered instead of only closing.
 */
static void
take_pieces(struct exchange *x)
{
    ngx_http_request_body_t *body = x->r->request_body;
    ngx_chain_t *piece = body->bufs;
    body->bufs = NULL;
    while (piece != NULL) {
        ngx_buf_t *b = piece->buf;
        buf_add(&x->body, (str){ (const char *)b->pos, (size_t)(b->last - b->pos) });
        b->pos = b->last;
        ngx_chain_t *taken = piece;
        piece = piece->next;
        ngx_free_chain(x->r->pool, taken);
    }
}

/* nginx itself only closes the connection after a time-out. */
static void
refuse_slow_body(struct exchange *x)
{
    ngx_http_request_t *r = x->r;
    r->connection->timedout = 0; /* or TLS would end without saying so */
    r->connection->read->timedout = 0;
    r->keepalive = 0;
    r->lingering_close = 0;
    r->read_event_handler = ngx_http_block_reading;
    api_refuse(x->request, fail(x->request->arena, REQUEST_TIMEOUT));
    ngx_http_finalize_request(r, send_response(x));
}

static void
on_body(ngx_http_request_t *r)
{
    struct exchange *x = exchange_of(r);
    if (r->connection->read->timedout || clock_steady_us() > x->body_deadline_us) {
        if (r->connection->read->timer_set)
            ngx_del_timer(r->connection->read);
        refuse_slow_body(x);
        return;
    }
    for (;;) {
        if (r->request_body != NULL)
            take_pieces(x);
        if (!r->reading_body)
            break;
        ngx_int_t rc = ngx_http_read_unbuffered_request_body(r);
        if (rc >= NGX_HTTP_SPECIAL_RESPONSE || rc == NGX_ERROR) {
            ngx_http_finalize_request(r, rc);
            return;
        }
        if (rc == NGX_AGAIN && r->request_body->bufs == NULL)
            return;
    }
    if (x->body.failed) {
        ngx_http_finalize_request(r, NGX_HTTP_REQUEST_ENTITY_TOO_LARGE);
        return;
    }
    x->request->in.body = x->body.len == 0 ? STR_EMPTY : buf_str(&x->body);
    x->body_done(x);
}

static void
on_first_piece(ngx_http_request_t *r)
{
    r->read_event_handler = on_body;
    on_body(r);
}

bool
receive_has_body(const ngx_http_request_t *r)
{
    if (r->stream != NULL) /* HTTP/2 need not say how long it is */
        return !r->stream->in_closed;
    return r->headers_in.content_length_n > 0 || r->headers_in.chunked;
}

void
receive_skip_body(struct exchange *x)
{
    ngx_http_request_t *r = x->r;
    if (!x->body_is_unread)
        return;
    x->body_is_unread = false;
    if (r->headers_in.expect != NULL && r->stream == NULL) {
        /* The client waits for leave to send it. It gets the answer instead, and the connection ends: nobody could tell whether what
         * comes next is the body or another request. */
        r->expect_tested = 1;
        r->keepalive = 0;
        return;
    }
    if (ngx_http_discard_request_body(r) != NGX_OK)
        r->keepalive = 0;
}

ngx_int_t
receive_body(struct exchange *x, struct arena *arena, size_t max_bytes, void (*done)(struct exchange *x))
{
    ngx_http_request_t *r = x->r;
    ngx_http_core_loc_conf_t *location = ngx_http_get_module_loc_conf(r, ngx_http_core_module);
    x->body_done = done;
    x->body_is_unread = false;
    x->body = buf_in(arena, max_bytes);
    x->body_max = max_bytes;
    /* Once and for all: growing would take twice the bytes. Pages that nothing is written to cost nothing. */
    if (r->headers_in.content_length_n > 0 && (size_t)r->headers_in.content_length_n <= max_bytes)
        (void)buf_reserve(&x->body, (size_t)r->headers_in.content_length_n); /* without memory the pieces fail, too */
    x->body_deadline_us = clock_steady_us() + (int64_t)location->client_body_timeout * BODY_PAUSES * US_PER_MS;
    r->request_body_no_buffering = 1;
    ngx_int_t rc = ngx_http_read_client_request_body(r, on_first_piece);
    return rc >= NGX_HTTP_SPECIAL_RESPONSE ? rc : NGX_DONE;
}
