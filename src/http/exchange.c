/* SPDX-License-Identifier: Apache-2.0 */
#include "http/exchange.h"

#include "base/clock.h"
#include "base/crypto/crypto.h"
#include "http/fair.h"
#include "http/module.h"
#include "http/worker.h"

static void
free_exchange(void *data)
{
    struct exchange *x = data;
    fair_forget(x);
    unsent_forget(x);
    ledger_leave(x);
    if (x->request != NULL)
        request_free(x->request);
}

/* An error page clears every module's context of the request, but not what waits for the pool's end. */
static struct exchange *
find(ngx_http_request_t *r)
{
    struct exchange *x = ngx_http_get_module_ctx(r, ngx_http_reeve_module);
    if (x != NULL)
        return x;
    for (ngx_pool_cleanup_t *cleanup = r->pool->cleanup; cleanup != NULL; cleanup = cleanup->next) {
        if (cleanup->handler == free_exchange) {
            ngx_http_set_ctx(r, cleanup->data, ngx_http_reeve_module);
            return cleanup->data;
        }
    }
    return NULL;
}

static void
write_id(char ret_text[REQUEST_ID_DIGITS + 1])
{
    enum { ID_BYTES_EACH = REQUEST_ID_DIGITS / 2, IDS_AT_ONCE = 64 };
    static const char digits[] = "0123456789abcdef";
    /* Random bytes cost 1.5 µs, however few. Only the event loop comes here, and only in workers: none is used twice. */
    static unsigned char pool[IDS_AT_ONCE * ID_BYTES_EACH];
    static size_t used = sizeof(pool);
    if (used == sizeof(pool)) {
        crypto_random(pool, sizeof(pool));
        used = 0;
    }
    const unsigned char *bytes = pool + used;
    used += ID_BYTES_EACH;
    for (size_t i = 0; i < ID_BYTES_EACH; i++) {
        ret_text[2 * i] = digits[bytes[i] >> 4];
        ret_text[2 * i + 1] = digits[bytes[i] & 15];
    }
    ret_text[REQUEST_ID_DIGITS] = '\0';
}

struct exchange *
exchange_of(ngx_http_request_t *r)
{
    r = r->main;
    struct exchange *x = find(r);
    if (x != NULL)
        return x;
    /* Tied to the pool, not to ngx_http_cleanup_add(): that runs when the client goes, while a thread may be at work. */
    ngx_pool_cleanup_t *cleanup = ngx_pool_cleanup_add(r->pool, sizeof(struct exchange));
    if (cleanup == NULL)
        return NULL;
    x = cleanup->data;
    ngx_memzero(x, sizeof(*x));
    x->r = r;
    x->started_us = clock_steady_us();
    write_id(x->id);
    cleanup->handler = free_exchange;
    ngx_http_set_ctx(r, x, ngx_http_reeve_module);
    return x;
}

static struct net_address
address_of(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET)
        return net_from_v4((const uint8_t *)&((const struct sockaddr_in *)address)->sin_addr);
    if (address->sa_family == AF_INET6)
        return net_from_v6((const uint8_t *)&((const struct sockaddr_in6 *)address)->sin6_addr);
    return (struct net_address){ { 0 } };
}

struct request *
exchange_request(struct exchange *x)
{
    if (x->request != NULL || worker.api == NULL)
        return x->request;
    struct request *req = request_new(worker.api);
    if (req == NULL)
        return NULL;
    x->request = req;
    /* Copied: nginx may move or reuse its header buffers, and a str of ours ends with a NUL. */
    req->in.method = str_dup(req->arena, exchange_method(x->r));
    req->in.target = str_dup(req->arena, exchange_target(x->r));
    req->in.client = address_of(x->r->connection->sockaddr);
    req->in.is_encrypted = x->r->connection->ssl != NULL;
    req->in.request_id = (str){ x->id, REQUEST_ID_DIGITS };
    req->in.authorization = req->in.accept = req->in.content_type = STR_EMPTY;
    req->in.cookie = req->in.origin = req->in.fetch_site = req->in.user_agent = STR_EMPTY;
    if (x->r->headers_in.user_agent != NULL)
        req->in.user_agent = str_dup(req->arena, str_of(x->r->headers_in.user_agent->value));
    req->in.idempotency_key = req->in.if_match = req->in.if_none_match = req->in.last_event_id = req->in.body =
        STR_EMPTY;
    return req;
}

void
exchange_hold(struct exchange *x)
{
    x->held = true;
    x->r->main->blocked++;
    /* A client that sends more or goes away is looked at when the answer is there. */
    x->r->read_event_handler = ngx_http_block_reading;
    worker_request_begins();
}

void
exchange_release(struct exchange *x)
{
    x->held = false;
    x->r->main->blocked--;
    worker_request_ends();
}

str
exchange_method(const ngx_http_request_t *r)
{
    /* Not r->method_name: an error page makes it GET. */
    str line = str_of(r->request_line);
    return line.len > 0 ? str_cut(&line, ' ') : STR_EMPTY;
}

str
exchange_target(const ngx_http_request_t *r)
{
    return r->unparsed_uri.data == NULL ? STR_EMPTY : str_of(r->unparsed_uri);
}

str
exchange_path(const ngx_http_request_t *r)
{
    str target = exchange_target(r);
    return str_cut(&target, '?');
}
