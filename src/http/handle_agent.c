/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A host's request in nginx: headers, certificate, body, then a thread of the agents' own pool, so that tenants do not
 * wait when all hosts come back at once. A poll for a goal goes to poll.c and uses a thread only when there is a goal
 * to build.
 */
#include "fleet/agent.h"
#include "http/exchange.h"
#include "http/poll.h"
#include "http/worker.h"

/* Who has no certificate may only join: a token, a request for a certificate and the facts of a machine take a few KiB. */
enum { STRANGER_MAX_BYTES = 64 * 1024 };

void
agent_finish(struct exchange *x)
{
    ngx_connection_t *c = x->r->connection;
    ngx_http_finalize_request(x->r, send_response(x));
    ngx_http_run_posted_requests(c);
}

/* ---- Threads ---- */
static void
run_in_thread(void *data, ngx_log_t *log)
{
    (void)log;
    struct exchange *x = *(struct exchange **)data;
    api_handle(x->request);
}

static void
on_thread_done(ngx_event_t *event)
{
    struct exchange *x = event->data;
    exchange_release(x);
    agent_finish(x);
}

void
agent_go_on_in_thread(struct exchange *x)
{
    ngx_thread_task_t *task = ngx_thread_task_alloc(x->r->pool, sizeof(struct exchange *));
    if (task != NULL) {
        *(struct exchange **)task->ctx = x;
        task->handler = run_in_thread;
        task->event.handler = on_thread_done;
        task->event.data = x;
        exchange_hold(x);
        if (ngx_thread_task_post(worker.agent_threads, task) == NGX_OK)
            return;
        exchange_release(x);
    }
    struct arena *arena = x->request->arena;
    api_refuse(x->request, error_retry_after(arena, fail(arena, OVERLOADED), 1));
    agent_finish(x);
}

/* ---- The request is complete ---- */
static void
on_request(struct exchange *x)
{
    switch (api_advance(x->request, false)) {
    case API_NEEDS_NEWS: poll_begin(x); return;
    case API_NEEDS_THREAD: agent_go_on_in_thread(x); return;
    case API_ANSWERED:
    case API_NEEDS_ROOM: /* no stage of agents' asks for these */
    case API_NEEDS_ROWS: break;
    }
    agent_finish(x);
}

/* The serial number of the client's certificate; empty when it has none. nginx itself refuses one that the fleet's authority did
 * not sign, or that has expired. */
static bool
read_serial(struct exchange *x)
{
    ngx_connection_t *c = x->r->connection;
    ngx_str_t verified = ngx_null_string, serial = ngx_null_string;
    struct request *req = x->request;
    if (c->ssl == NULL || ngx_ssl_get_client_verify(c, x->r->pool, &verified) != NGX_OK)
        return false;
    if (!str_is(str_of(verified), "SUCCESS"))
        return true;
    if (ngx_ssl_get_serial_number(c, x->r->pool, &serial) != NGX_OK)
        return false;
    req->in.serial = str_dup(req->arena, str_of(serial));
    return true;
}

ngx_int_t
handle_agent(ngx_http_request_t *r)
{
    struct exchange *x = exchange_of(r);
    struct request *req = x == NULL ? NULL : exchange_request(x);
    if (req == NULL || worker.agents == NULL)
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    if (r->http_version < NGX_HTTP_VERSION_10)
        return NGX_HTTP_BAD_REQUEST;
    req->api = worker.agents;
    if (!read_serial(x))
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    error problem = receive_headers(x);
    int64_t most = req->in.serial.len == 0 ? STRANGER_MAX_BYTES : REPORT_MAX_BYTES;
    if (problem == OK && r->headers_in.content_length_n > most)
        problem = fail(req->arena, BODY_TOO_LARGE, V(most));
    if (problem == OK)
        return receive_body(x, req->arena, (size_t)most, on_request);
    r->keepalive = 0;
    (void)ngx_http_discard_request_body(r);
    api_refuse(req, problem);
    return send_response(x);
}
