/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An API request in nginx: headers, then api_advance() in the event loop. The body is read only if the caller may do
 * what it asks for. The rest goes to the database through the loop's own connection, or to a thread, when it is the
 * caller's turn (fair.h).
 */
#include "http/exchange.h"
#include "http/fair.h"
#include "http/refusal_delay.h"
#include "http/stream.h"
#include "http/worker.h"

static void advance(struct exchange *x);

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

/* ---- Room and body ---- */
static void
on_body(struct exchange *x)
{
    x->request->admitted = true;
    advance(x);
}

static void
let_in(struct exchange *x)
{
    struct request *req = x->request;
    if (!x->body_is_unread) {
        on_body(x);
        return;
    }
    ngx_int_t rc = NGX_HTTP_REQUEST_ENTITY_TOO_LARGE;
    x->body_max = req->body_max; /* for the refusal */
    if (x->r->headers_in.content_length_n <= (off_t)req->body_max)
        rc = receive_body(x, req->arena, req->body_max, on_body);
    ngx_http_finalize_request(x->r, rc); /* as nginx does with what a content handler returns */
}

static void
on_room(struct exchange *x, bool admitted)
{
    struct arena *arena = x->request->arena;
    if (admitted)
        let_in(x);
    else
        ngx_http_finalize_request(x->r, refuse(x, error_retry_after(arena, fail(arena, OVERLOADED), 1)));
}

/* A body whose length is not said may be as long as any. */
static size_t
body_bytes(const struct exchange *x)
{
    off_t length = x->r->headers_in.content_length_n;
    if (!x->body_is_unread)
        return 0;
    return length >= 0 && (size_t)length < x->request->body_max ? (size_t)length : x->request->body_max;
}

static void
ask_for_room(struct exchange *x)
{
    switch (ledger_admit(x, body_bytes(x) + api_cost(x->request), on_room)) {
    case LEDGER_ADMITTED: on_room(x, true); return;
    case LEDGER_REFUSED: on_room(x, false); return;
    case LEDGER_WAITS: x->r->read_event_handler = ngx_http_test_reading; return; /* notices that the client goes */
    }
}

/* ---- Threads ---- */
struct work {
    struct exchange *x;
    struct rows rows; /* what is left is to make an answer of these */
    bool has_rows;
};

static void
run_in_thread(void *data, ngx_log_t *log)
{
    (void)log;
    struct work *work = data;
    struct exchange *x = work->x;
    x->step = API_ANSWERED;
    if (work->has_rows)
        api_rows(x->request, OK, work->rows);
    else
        x->step = api_advance(x->request, true);
}

static void
on_thread_done(ngx_event_t *event)
{
    struct exchange *x = event->data;
    ngx_connection_t *c = x->r->connection;
    worker.threads_busy--;
    fair_leave(x);
    if (x->step == API_NEEDS_ROOM) {
        exchange_release(x);
        if (c->error) /* the client went meanwhile: there is no body to come */
            ngx_http_finalize_request(x->r, NGX_HTTP_CLIENT_CLOSED_REQUEST);
        else
            ask_for_room(x);
        ngx_http_run_posted_requests(c);
        return;
    }
    if (!refusal_delay_hold(x, finish_later))
        finish_later(x);
}

/* The request is not held. */
static void
refuse_later(struct exchange *x)
{
    ngx_connection_t *c = x->r->connection;
    struct arena *arena = x->request->arena;
    ngx_http_finalize_request(x->r, refuse(x, error_retry_after(arena, fail(arena, OVERLOADED), 1)));
    ngx_http_run_posted_requests(c);
}

static void
start_thread(struct exchange *x)
{
    ngx_thread_task_t *task = x->work;
    exchange_hold(x);
    if (ngx_thread_task_post(worker.threads, task) == NGX_OK) {
        worker.threads_busy++;
        return;
    }
    exchange_release(x);
    fair_leave(x);
    refuse_later(x);
}

/* The request is not held. */
static void
go_on_in_thread(struct exchange *x, const struct rows *rows)
{
    ngx_thread_task_t *task = ngx_thread_task_alloc(x->r->pool, sizeof(struct work));
    if (task != NULL) {
        struct work *work = task->ctx;
        *work = (struct work){ .x = x, .has_rows = rows != NULL };
        if (rows != NULL)
            work->rows = *rows;
        task->handler = run_in_thread;
        task->event.handler = on_thread_done;
        task->event.data = x;
        x->work = task;
        enum fair_kind kind = x->request->asks_stores    ? FAIR_STORES
                              : api_is_large(x->request) ? FAIR_LARGE
                                                         : FAIR_THREAD;
        if (fair_enter(x, kind, 1, start_thread))
            return;
    }
    refuse_later(x);
}

/* ---- The loop's own database connection ---- */
static void
on_rows(void *context, error problem, struct rows rows)
{
    struct exchange *x = context;
    if (worker_is_stopping()) /* the process ends at once; nobody waits for this any more */
        return;
    fair_leave(x);
    if (x->r->connection->error) { /* it was taken back meanwhile: no answer is made */
        ngx_connection_t *c = x->r->connection;
        exchange_release(x);
        ngx_http_finalize_request(x->r, NGX_HTTP_CLIENT_CLOSED_REQUEST);
        ngx_http_run_posted_requests(c);
        return;
    }
    /* What turned out large is not rendered where others wait. */
    if (problem == OK && rows_size(&rows) > API_LARGE_ANSWER) {
        exchange_release(x);
        go_on_in_thread(x, &rows);
        return;
    }
    api_rows(x->request, problem, rows);
    finish_later(x);
}

static void
send_read(struct exchange *x)
{
    exchange_hold(x);
    if (worker_send_read(x->request, on_rows, x))
        return;
    exchange_release(x);
    fair_leave(x);
    go_on_in_thread(x, NULL);
}

/* ---- As far as it goes without waiting ---- */
static void
advance(struct exchange *x)
{
    switch (api_advance(x->request, false)) {
    case API_ANSWERED:
        if (!refusal_delay_hold(x, finish_later))
            ngx_http_finalize_request(x->r, send_response(x));
        return;
    case API_NEEDS_ROOM: ask_for_room(x); return;
    case API_NEEDS_ROWS:
        if (!fair_enter(x, FAIR_READ, api_places(x->request), send_read))
            refuse_later(x);
        return;
    case API_NEEDS_THREAD: go_on_in_thread(x, NULL); return;
    case API_NEEDS_NEWS: break; /* only hosts wait for news */
    }
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
        problem = fail(req->arena, INVALID_REQUEST, V("HTTP/0.9 is not supported"));
    } else {
        problem = receive_headers(x);
    }
    x->body_is_unread = receive_has_body(r);
    if (problem == OK) {
        req->admitted = false;
        r->main->count++; /* until its answer is finalized, which may be before advance() returns */
        advance(x);
        return NGX_DONE;
    }
    /* Who sends broken headers may mean something else by where its request ends: no second one on this connection. */
    r->keepalive = 0;
    return refuse(x, problem);
}
