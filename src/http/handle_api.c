/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way of an API request through nginx: headers, body, then api_advance() in the event loop; what that leaves goes to
 * the database by the loop's own connection, or to a thread.
 */
#include "base/json.h"
#include "http/exchange.h"
#include "http/stream.h"
#include "http/worker.h"

static ngx_int_t
refuse(struct exchange *x, error why)
{
    api_refuse(x->request, why);
    return send_response(x);
}

/* The end of a way that left nginx's own call chain. */
static void
finish_later(struct exchange *x)
{
    ngx_connection_t *c = x->r->connection;
    exchange_release(x);
    if (api_is_stream(x->request)) {
        stream_begin(x);
        return;
    }
    ngx_http_finalize_request(x->r, send_response(x));
    ngx_http_run_posted_requests(c);
}

/* ---- Threads ---- */
static void
run_in_thread(void *data, ngx_log_t *log)
{
    (void)log;
    struct exchange *x = *(struct exchange **)data;
    api_advance(x->request, true);
}

static void
on_thread_done(ngx_event_t *event)
{
    worker.threads_busy--;
    finish_later(event->data);
}

static void
go_on_in_thread(struct exchange *x)
{
    ngx_thread_task_t *task = ngx_thread_task_alloc(x->r->pool, sizeof(struct exchange *));
    if (task != NULL) {
        *(struct exchange **)task->ctx = x;
        task->handler = run_in_thread;
        task->event.handler = on_thread_done;
        task->event.data = x;
        exchange_hold(x);
        if (ngx_thread_task_post(worker.threads, task) == NGX_OK) {
            worker.threads_busy++;
            return;
        }
        exchange_release(x);
    }
    struct arena *arena = x->request->arena;
    ngx_http_finalize_request(x->r, refuse(x, error_retry_after(arena, fail(arena, OVERLOADED), 1)));
}

/* ---- The loop's own database connection ---- */
static void
on_rows(void *context, error problem, struct rows rows)
{
    struct exchange *x = context;
    if (worker_is_stopping()) /* the process ends at once; nobody waits for this any more */
        return;
    api_rows(x->request, problem, rows);
    finish_later(x);
}

/* ---- The request is complete ---- */
static void
on_request(struct exchange *x)
{
    switch (api_advance(x->request, false)) {
    case API_ANSWERED: ngx_http_finalize_request(x->r, send_response(x)); return;
    case API_NEEDS_ROWS:
        exchange_hold(x);
        if (worker_send_read(x->request, on_rows, x))
            return;
        exchange_release(x);
        break;
    case API_NEEDS_THREAD: break;
    }
    go_on_in_thread(x);
}

ngx_int_t
handle_api(ngx_http_request_t *r)
{
    struct exchange *x = exchange_of(r);
    struct request *req = x == NULL ? NULL : exchange_request(x);
    if (req == NULL)
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    error problem = OK;
    if (r->http_version < NGX_HTTP_VERSION_10) {
        r->http_version = NGX_HTTP_VERSION_10; /* the answer has a status and headers all the same */
        problem = fail(req->arena, INVALID_REQUEST, V("HTTP/0.9 is not spoken here"));
    } else {
        problem = receive_headers(x);
    }
    if (problem == OK)
        return receive_body(x, req->arena, JSON_MAX_BYTES, on_request);
    /* Who sends broken headers may mean something else by where its request ends: no second one on this connection. */
    r->keepalive = 0;
    (void)ngx_http_discard_request_body(r);
    return refuse(x, problem);
}
