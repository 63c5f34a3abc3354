/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that nginx itself refuses come here through error_page, and get the same document as every other error. */
#include "base/json.h"
#include "http/exchange.h"

// clang-format off
static const struct {
    unsigned status; /* nginx's; numbers from 494 are its own */
    enum error_code code;
    const char *text; /* the parameter of INVALID_REQUEST */
} rows[] = {
    { 400, INVALID_REQUEST,   "the message is malformed" },
    { 403, METHOD_NOT_ALLOWED, NULL }, /* of files: add_console_location() in main/nginx_config.c */
    { 404, RESOURCE_NOT_FOUND, NULL },
    { 405, METHOD_NOT_ALLOWED, NULL },
    { 408, REQUEST_TIMEOUT,   NULL },
    { 411, INVALID_REQUEST,   "the length of the body is missing" },
    { 413, BODY_TOO_LARGE,    NULL },
    { 414, URI_TOO_LONG,      NULL },
    { 415, UNSUPPORTED_MEDIA_TYPE, NULL },
    { 416, INVALID_REQUEST,   "ranges are not served" },
    { 421, INVALID_REQUEST,   "the name in the TLS handshake and the host differ" },
    { 431, HEADERS_TOO_LARGE, NULL },
    { 494, HEADERS_TOO_LARGE, NULL },
    { 495, INVALID_REQUEST,   "the client's certificate is not valid" },
    { 496, INVALID_REQUEST,   "a client certificate is needed" },
    { 497, INVALID_REQUEST,   "TLS is required" },
    { 501, INVALID_REQUEST,   "the transfer coding or method is not supported" },
    { 502, LOGS_UNAVAILABLE,  NULL }, /* of add_log_locations() in main/nginx_config.c */
    { 503, OVERLOADED,        NULL },
    { 505, INVALID_REQUEST,   "the HTTP version is not supported" },
};
// clang-format on

static error
error_for(struct exchange *x, unsigned status)
{
    struct arena *arena = x->request->arena;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        if (rows[i].status != status)
            continue;
        switch (rows[i].code) {
        case INVALID_REQUEST: return fail(arena, INVALID_REQUEST, V(rows[i].text));
        case BODY_TOO_LARGE:
            return fail(arena, BODY_TOO_LARGE, V((int64_t)(x->body_max > 0 ? x->body_max : JSON_MAX_BYTES)));
        case METHOD_NOT_ALLOWED:
            return fail(arena, METHOD_NOT_ALLOWED, V(exchange_method(x->r)), V(exchange_path(x->r)));
        case RESOURCE_NOT_FOUND: return fail(arena, RESOURCE_NOT_FOUND, V(exchange_path(x->r)));
        case UNSUPPORTED_MEDIA_TYPE: return fail(arena, UNSUPPORTED_MEDIA_TYPE, V(x->request->in.content_type));
        case LOGS_UNAVAILABLE: return error_retry_after(arena, fail(arena, LOGS_UNAVAILABLE), 5);
        case OVERLOADED: return error_retry_after(arena, fail(arena, OVERLOADED), 1);
        default: return failure_new(arena, rows[i].code, 0, NULL);
        }
    }
    return fail(arena, INTERNAL_ERROR);
}

ngx_int_t
handle_error(ngx_http_request_t *r)
{
    struct exchange *x = exchange_of(r);
    if (x == NULL || exchange_request(x) == NULL)
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    if (r->http_version < NGX_HTTP_VERSION_10)
        r->http_version = NGX_HTTP_VERSION_10;
    r->expect_tested = 1; /* no "100 Continue" for a body that nobody wants */
    if (ngx_http_discard_request_body(r) != NGX_OK)
        r->keepalive = 0;
    /* nginx only says that a header is wrong; looking at those that it has read often tells which and why. */
    error problem = r->err_status == NGX_HTTP_BAD_REQUEST ? receive_headers(x) : OK;
    if (problem == OK)
        problem = error_for(x, (unsigned)r->err_status);
    api_refuse(x->request, problem);
    return send_response(x);
}
