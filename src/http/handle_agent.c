/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way of a host's request through nginx: headers, certificate, body, then a thread of the agents' own pool, so that hosts
 * which all come back at once keep no tenant waiting. A poll for a goal goes to poll.c and uses a thread only when there is a
 * goal to build.
 */
#include "fleet/report.h"
#include "http/agent_exchange.h"
#include "http/poll.h"
#include "http/worker.h"

/* Who has no certificate may only join: a token, a request for a certificate and the facts of a machine take a few KiB. */
enum { ANSWER_ARENA_BYTES = 128 * 1024 * 1024, STRANGER_MAX_BYTES = 64 * 1024 };

static void
free_arena(void *data)
{
    struct agent_exchange *agent = data;
    arena_free(agent->arena);
}

/* ---- The answer ---- */
void
agent_finish(struct agent_exchange *agent)
{
    struct exchange *x = agent->x;
    ngx_connection_t *c = x->r->connection;
    const struct agent_answer *out = &agent->out;
    ngx_http_finalize_request(x->r,
                              send_plain_later(x, out->status, STR("application/json"), out->body, out->retry_after_s));
    ngx_http_run_posted_requests(c);
}

static void
refuse(struct agent_exchange *agent, error why)
{
    agent_refuse(agent->x->request->arena, why, &agent->out);
    agent_finish(agent);
}

/* ---- Threads ---- */
static void
run_in_thread(void *data, ngx_log_t *log)
{
    (void)log;
    struct agent_exchange *agent = *(struct agent_exchange **)data;
    agent->arena = arena_new(ANSWER_ARENA_BYTES);
    if (agent->arena == NULL) {
        agent->out = (struct agent_answer){ .status = 503, .body = STR_EMPTY, .retry_after_s = 1 };
        return;
    }
    if (agent->poll != NULL)
        agent_goal(worker.fleet, agent->arena, &agent->asked, &agent->out);
    else
        agent_answer(worker.fleet, agent->arena, &agent->in, &agent->out);
    /* A half-built answer never leaves. */
    if (arena_is_exhausted(agent->arena))
        agent->out = (struct agent_answer){ .status = 503, .body = STR_EMPTY, .retry_after_s = 5 };
}

static void
on_thread_done(ngx_event_t *event)
{
    struct agent_exchange *agent = event->data;
    exchange_release(agent->x);
    agent_finish(agent);
}

void
agent_go_on_in_thread(struct agent_exchange *agent)
{
    struct exchange *x = agent->x;
    ngx_thread_task_t *task = ngx_thread_task_alloc(x->r->pool, sizeof(struct agent_exchange *));
    if (task != NULL) {
        *(struct agent_exchange **)task->ctx = agent;
        task->handler = run_in_thread;
        task->event.handler = on_thread_done;
        task->event.data = agent;
        exchange_hold(x);
        if (ngx_thread_task_post(worker.agent_threads, task) == NGX_OK)
            return;
        exchange_release(x);
    }
    struct arena *arena = x->request->arena;
    refuse(agent, error_retry_after(arena, fail(arena, OVERLOADED), 1));
}

/* ---- The request is complete ---- */
static void
on_request(struct exchange *x)
{
    struct agent_exchange *agent = x->agent;
    agent->in.body = x->request->in.body;
    if (agent_is_poll(&agent->in))
        poll_begin(x);
    else
        agent_go_on_in_thread(agent);
}

/* The serial number of the client's certificate; empty when it has none. nginx itself refuses one that the fleet's authority did
 * not sign, or that has expired. */
static bool
read_serial(struct exchange *x, str *ret_serial)
{
    ngx_connection_t *c = x->r->connection;
    ngx_str_t verified = ngx_null_string, serial = ngx_null_string;
    *ret_serial = STR_EMPTY;
    if (c->ssl == NULL || ngx_ssl_get_client_verify(c, x->r->pool, &verified) != NGX_OK)
        return false;
    if (!str_is(str_of(verified), "SUCCESS"))
        return true;
    if (ngx_ssl_get_serial_number(c, x->r->pool, &serial) != NGX_OK)
        return false;
    *ret_serial = str_dup(x->request->arena, str_of(serial));
    return true;
}

static struct agent_exchange *
new_agent_exchange(struct exchange *x)
{
    struct request *req = x->request;
    ngx_pool_cleanup_t *cleanup = ngx_pool_cleanup_add(x->r->pool, sizeof(struct agent_exchange));
    if (cleanup == NULL)
        return NULL;
    struct agent_exchange *agent = cleanup->data;
    ngx_memzero(agent, sizeof(*agent));
    cleanup->handler = free_arena;
    str query = req->in.target;
    agent->x = x;
    agent->in.method = req->in.method;
    agent->in.path = str_dup(req->arena, str_cut(&query, '?'));
    agent->in.query = query;
    agent->in.client = req->in.client;
    x->agent = agent;
    return agent;
}

ngx_int_t
handle_agent(ngx_http_request_t *r)
{
    struct exchange *x = exchange_of(r);
    struct request *req = x == NULL ? NULL : exchange_request(x);
    if (req == NULL || worker.fleet == NULL)
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    if (r->http_version < NGX_HTTP_VERSION_10)
        return NGX_HTTP_BAD_REQUEST;
    struct agent_exchange *agent = new_agent_exchange(x);
    if (agent == NULL || !read_serial(x, &agent->in.serial))
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    error problem = receive_headers(x);
    int64_t most = agent->in.serial.len == 0 ? STRANGER_MAX_BYTES : REPORT_MAX_BYTES;
    if (problem == OK && r->headers_in.content_length_n > most)
        problem = fail(req->arena, BODY_TOO_LARGE, V(most));
    if (problem == OK)
        return receive_body(x, req->arena, (size_t)most, on_request);
    r->keepalive = 0;
    (void)ngx_http_discard_request_body(r);
    agent_refuse(req->arena, problem, &agent->out);
    return send_plain_later(x, agent->out.status, STR("application/json"), agent->out.body, 0);
}
