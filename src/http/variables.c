/* SPDX-License-Identifier: Apache-2.0 */
/* What the log line of a request is made of. nginx's own variables would print the query, and GET after an error. */
#include "base/clock.h"
#include "base/crypto/secret.h"
#include "http/exchange.h"
#include "http/log_share.h"

enum { MAX_LOGGED_BYTES = 1024 };

static ngx_int_t
set(ngx_http_variable_value_t *v, str text)
{
    v->len = (unsigned)(text.len < MAX_LOGGED_BYTES ? text.len : MAX_LOGGED_BYTES) & 0xFFFFFFF;
    v->data = (u_char *)text.data;
    v->valid = 1;
    v->no_cacheable = 1;
    v->not_found = 0;
    return NGX_OK;
}

/* Bytes that are not plain ASCII leave as %XX, or a line would not be JSON. A secret that a client put into its path by
 * mistake does not leave. */
static ngx_int_t
set_escaped(ngx_http_request_t *r, ngx_http_variable_value_t *v, str text)
{
    static const char digits[] = "0123456789ABCDEF";
    text = str_slice(text, 0, text.len < MAX_LOGGED_BYTES ? text.len : MAX_LOGGED_BYTES);
    u_char *out = ngx_pnalloc(r->pool, text.len * 3 + 1);
    if (out == NULL)
        return NGX_ERROR;
    size_t len = 0;
    for (size_t i = 0; i < text.len && len + 3 <= MAX_LOGGED_BYTES; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c > ' ' && c < 0x7F) {
            out[len++] = c;
            continue;
        }
        out[len++] = '%';
        out[len++] = (u_char)digits[c >> 4];
        out[len++] = (u_char)digits[c & 15];
    }
    return set(v, (str){ (const char *)out, secret_hide((char *)out, len) });
}

static ngx_int_t
get_request_id(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    (void)data;
    struct exchange *x = exchange_of(r);
    return set(v, x == NULL ? STR_EMPTY : (str){ x->id, REQUEST_ID_DIGITS });
}

static ngx_int_t
get_method(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    (void)data;
    return set_escaped(r, v, exchange_method(r));
}

static ngx_int_t
get_path(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    (void)data;
    return set_escaped(r, v, exchange_path(r));
}

static ngx_int_t
set_printed(ngx_http_request_t *r, ngx_http_variable_value_t *v, const char *format, int64_t first, int64_t second)
{
    enum { NUMBER_BYTES = 48 };
    u_char *out = ngx_pnalloc(r->pool, NUMBER_BYTES);
    if (out == NULL)
        return NGX_ERROR;
    return set(v, (str){ (const char *)out, (size_t)(ngx_snprintf(out, NUMBER_BYTES, format, first, second) - out) });
}

/* A number in every case; nginx's $status is 000 for a request without an answer, which JSON does not have. */
static ngx_int_t
get_status(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    (void)data;
    ngx_uint_t status = r->err_status != 0 ? r->err_status : r->headers_out.status;
    return set_printed(r, v, "%L", (int64_t)status, 0);
}

static ngx_int_t
get_duration(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    (void)data;
    struct exchange *x = exchange_of(r);
    int64_t us = x == NULL ? 0 : clock_steady_us() - x->started_us;
    return set_printed(r, v, "%L.%03L", us / 1000, us % 1000);
}

static const struct request *
request_of(ngx_http_request_t *r)
{
    struct exchange *x = exchange_of(r);
    /* While a thread works on it nobody else looks at it: the client is gone, and the line says so. */
    return x == NULL || x->held ? NULL : x->request;
}

static ngx_int_t
get_operation(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    (void)data;
    const struct request *req = request_of(r);
    return set(v, req == NULL || req->name == NULL ? STR_EMPTY : str_from(req->name));
}

static ngx_int_t
get_caller(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    (void)data;
    const struct request *req = request_of(r);
    return set(v, req == NULL || req->caller == NULL ? STR_EMPTY : req->caller->name);
}

static ngx_int_t
get_error_code(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    (void)data;
    const struct request *req = request_of(r);
    return set(v, req == NULL || req->failed == OK ? STR_EMPTY : str_from(error_rows[req->failed->code].name));
}

/* For the condition of access_log, which asks once for each request. */
static ngx_int_t
get_is_logged(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    (void)data;
    return set(v, log_share_take(request_of(r), (unsigned)r->headers_out.status) ? STR("1") : STR("0"));
}

static ngx_http_variable_t variables[] = {
    { ngx_string("reeve_is_logged"), NULL, get_is_logged, 0, NGX_HTTP_VAR_NOCACHEABLE, 0 },
    { ngx_string("reeve_request_id"), NULL, get_request_id, 0, NGX_HTTP_VAR_NOCACHEABLE, 0 },
    { ngx_string("reeve_method"), NULL, get_method, 0, NGX_HTTP_VAR_NOCACHEABLE, 0 },
    { ngx_string("reeve_path"), NULL, get_path, 0, NGX_HTTP_VAR_NOCACHEABLE, 0 },
    { ngx_string("reeve_status"), NULL, get_status, 0, NGX_HTTP_VAR_NOCACHEABLE, 0 },
    { ngx_string("reeve_duration_ms"), NULL, get_duration, 0, NGX_HTTP_VAR_NOCACHEABLE, 0 },
    { ngx_string("reeve_operation"), NULL, get_operation, 0, NGX_HTTP_VAR_NOCACHEABLE, 0 },
    { ngx_string("reeve_caller"), NULL, get_caller, 0, NGX_HTTP_VAR_NOCACHEABLE, 0 },
    { ngx_string("reeve_error_code"), NULL, get_error_code, 0, NGX_HTTP_VAR_NOCACHEABLE, 0 },
};

ngx_int_t
variables_add(ngx_conf_t *cf)
{
    for (size_t i = 0; i < LENGTH(variables); i++) {
        ngx_http_variable_t *variable = ngx_http_add_variable(cf, &variables[i].name, variables[i].flags);
        if (variable == NULL)
            return NGX_ERROR;
        variable->get_handler = variables[i].get_handler;
        variable->data = variables[i].data;
    }
    return NGX_OK;
}

u_char *
variables_log_context(ngx_http_request_t *r, ngx_http_request_t *sr, u_char *buf, size_t len)
{
    (void)sr;
    struct exchange *x = exchange_of(r);
    str method = exchange_method(r), path = exchange_path(r);
    ngx_str_t shown_method = { method.len, (u_char *)method.data }, shown_path = { path.len, (u_char *)path.data };
    return ngx_snprintf(buf, len, ", request id: %s, request: \"%V %V\"", x == NULL ? "" : x->id, &shown_method,
                        &shown_path);
}
