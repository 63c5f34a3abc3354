/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "http/exchange.h"

static bool
add_header(ngx_http_request_t *r, str name, str value)
{
    ngx_table_elt_t *header = ngx_list_push(&r->headers_out.headers);
    if (header == NULL)
        return false;
    header->hash = 1; /* 0 would hide it */
    header->key = (ngx_str_t){ name.len, (u_char *)name.data };
    header->value = (ngx_str_t){ value.len, (u_char *)value.data };
    /* HTTP/2 writes names in small letters from here. */
    header->lowcase_key = ngx_pnalloc(r->pool, name.len);
    if (header->lowcase_key == NULL)
        return false;
    ngx_strlow(header->lowcase_key, header->key.data, name.len);
    return true;
}

/* On every answer, whoever made it. */
static bool
add_common_headers(ngx_http_request_t *r)
{
    if (!add_header(r, STR("Server"), STR("reeve")))
        return false;
    /* nginx adds its own name when this is NULL. */
    ngx_list_part_t *last = r->headers_out.headers.last;
    r->headers_out.server = &((ngx_table_elt_t *)last->elts)[last->nelts - 1];
    return add_header(r, STR("Cache-Control"), STR("no-store")) &&
           add_header(r, STR("Strict-Transport-Security"), STR("max-age=63072000; includeSubDomains")) &&
           add_header(r, STR("X-Content-Type-Options"), STR("nosniff"));
}

/* nginx knows no text for some of the statuses (422, 431). */
static void
set_status(ngx_http_request_t *r, unsigned status)
{
    enum { LINE_BYTES = 64 };
    /* If-Match and If-None-Match were judged by the API, which knows the entity before the change; nginx would compare
     * them with the ETag of the answer. */
    r->disable_not_modified = 1;
    r->headers_out.status = status;
    r->err_status = 0; /* or nginx would put its own number over ours after an error page */
    r->headers_out.status_line.len = 0;
    u_char *line = ngx_pnalloc(r->pool, LINE_BYTES);
    if (line != NULL) {
        r->headers_out.status_line.data = line;
        r->headers_out.status_line.len =
            (size_t)(ngx_snprintf(line, LINE_BYTES, "%ui %s", (ngx_uint_t)status, error_reason(status)) - line);
    }
}

/* `length` is -1 when it is not known. */
static ngx_int_t
send_headers(ngx_http_request_t *r, unsigned status, str content_type, off_t length)
{
    set_status(r, status);
    ngx_http_clear_content_length(r);
    r->headers_out.content_length_n = length;
    r->headers_out.content_type = (ngx_str_t){ content_type.len, (u_char *)content_type.data };
    r->headers_out.content_type_len = content_type.len;
    r->headers_out.content_type_lowcase = NULL;
    if (!add_common_headers(r))
        return NGX_ERROR;
    if (ngx_exiting) /* the process drains: the client shall connect again, to another one */
        r->keepalive = 0;
    return ngx_http_send_header(r);
}

static ngx_int_t
send_answer(struct exchange *x, unsigned status, str content_type, str body)
{
    ngx_http_request_t *r = x->r;
    receive_skip_body(x);
    ngx_int_t rc = send_headers(r, status, content_type, (off_t)body.len);
    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only)
        return rc;
    ngx_buf_t *b = ngx_calloc_buf(r->pool);
    if (b == NULL)
        return NGX_ERROR;
    b->pos = b->start = (u_char *)body.data;
    b->last = b->end = b->pos + body.len;
    b->memory = body.len > 0;
    b->last_buf = 1;
    b->last_in_chain = 1;
    ngx_chain_t out = { .buf = b };
    rc = ngx_http_output_filter(r, &out);
    if (rc == NGX_AGAIN)
        unsent_watch(x);
    return rc;
}

static bool
add_own_headers(struct exchange *x)
{
    const struct response *out = &x->request->out;
    for (size_t i = 0; i < out->header_count; i++) {
        if (!add_header(x->r, out->headers[i].name, out->headers[i].value))
            return false;
    }
    return true;
}

ngx_int_t
send_stream_headers(struct exchange *x)
{
    const struct response *out = &x->request->out;
    /* Proxies in front must not collect it. */
    if (!add_own_headers(x) || !add_header(x->r, STR("X-Accel-Buffering"), STR("no")))
        return NGX_ERROR;
    return send_headers(x->r, out->status, out->content_type, -1);
}

/* What the request has cost is given back: the answer may take hours. */
static ngx_int_t
go_inside(struct exchange *x)
{
    str path = x->request->out.inner;
    ngx_str_t copy = { path.len, ngx_pnalloc(x->r->pool, path.len) };
    if (copy.data == NULL)
        return NGX_ERROR;
    ngx_memcpy(copy.data, path.data, path.len);
    x->request->out = (struct response){ .body = STR_EMPTY, .content_type = STR_EMPTY, .inner = STR_EMPTY };
    x->request = request_keep_answer(x->request);
    ledger_set(x, arena_used_bytes(x->request->arena));
    receive_skip_body(x);
    return ngx_http_internal_redirect(x->r, &copy, NULL);
}

ngx_int_t
send_response(struct exchange *x)
{
    if (x->request->out.inner.len > 0)
        return go_inside(x);
    x->request = request_keep_answer(x->request);
    ledger_set(x, arena_used_bytes(x->request->arena));
    const struct response *out = &x->request->out;
    if (!add_own_headers(x))
        return NGX_ERROR;
    return send_answer(x, out->status, out->content_type, out->body);
}

ngx_int_t
send_plain(struct exchange *x, unsigned status, str content_type, str body)
{
    if (!add_header(x->r, STR("X-Request-Id"), (str){ x->id, REQUEST_ID_DIGITS }))
        return NGX_ERROR;
    return send_answer(x, status, content_type, body);
}

ngx_int_t
send_plain_later(struct exchange *x, unsigned status, str content_type, str body, int retry_after_s)
{
    enum { NUMBER_BYTES = 16 };
    if (retry_after_s > 0) {
        u_char *text = ngx_pnalloc(x->r->pool, NUMBER_BYTES);
        if (text == NULL)
            return NGX_ERROR;
        size_t len = (size_t)(ngx_snprintf(text, NUMBER_BYTES, "%d", retry_after_s) - text);
        if (!add_header(x->r, STR("Retry-After"), (str){ (const char *)text, len }))
            return NGX_ERROR;
    }
    return send_plain(x, status, content_type, body);
}
