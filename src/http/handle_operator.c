/* SPDX-License-Identifier: Apache-2.0 */
/* /livez, /readyz, /metrics and /fleet: for the operator's balancer, supervisor and Prometheus, on an address of their own. */
#include "api/metrics.h"
#include "http/exchange.h"
#include "http/worker.h"
#include "store/fleet.h"

enum { ANSWER_ARENA_BYTES = 2 * METRICS_MAX_BYTES + 64 * 1024 * 1024 };

/* Filled by a thread: readiness asks the database, and the metrics of many operations are long. */
struct answer {
    struct exchange *x;
    struct arena *arena;
    void (*fill)(struct answer *answer);
    unsigned status;
    str content_type, body;
};

static void
free_arena(void *arena)
{
    arena_free(arena);
}

static str
readiness_document(struct arena *arena, bool ready, str why_not)
{
    struct buf out = buf_in(arena, 16 * 1024);
    buf_format(&out, "{\"ready\":%s", ready ? "true" : "false");
    if (!ready) {
        buf_add_text(&out, ",\"missing\":");
        buf_add_json(&out, why_not);
    }
    buf_add_text(&out, "}");
    return buf_str(&out);
}

static void
fill_readiness(struct answer *answer)
{
    str why_not = STR_EMPTY;
    bool ready = api_is_ready(worker.api, answer->arena, &why_not);
    answer->status = ready ? NGX_HTTP_OK : NGX_HTTP_SERVICE_UNAVAILABLE;
    answer->body = readiness_document(answer->arena, ready, why_not);
}

static void
fill_metrics(struct answer *answer)
{
    answer->content_type = STR("text/plain; version=0.0.4; charset=utf-8");
    answer->body = metrics_text(worker.metrics, answer->arena, wiring_operation_name, NULL);
}

/* The hosts: what they have, what is used, when they last spoke. */
static void
fill_fleet(struct answer *answer)
{
    str hosts = STR_EMPTY;
    error problem = store_fleet_list(worker.api->store, answer->arena, SQL_HOST_LIST, STR_EMPTY, &hosts);
    struct buf out = buf_in(answer->arena, hosts.len + 64);
    buf_add_text(&out, "{\"hosts\":");
    buf_add(&out, hosts);
    buf_add_text(&out, "}");
    answer->body = problem == OK ? buf_str(&out) : error_document(answer->arena, problem);
    answer->status = problem == OK ? NGX_HTTP_OK : error_rows[problem->code].status;
}

static const struct {
    const char *path;
    void (*fill)(struct answer *answer);
} paths[] = { { "/readyz", fill_readiness }, { "/metrics", fill_metrics }, { "/fleet", fill_fleet } };

static void
run_in_thread(void *data, ngx_log_t *log)
{
    (void)log;
    struct answer *answer = *(struct answer **)data;
    answer->status = NGX_HTTP_OK;
    answer->content_type = STR("application/json");
    answer->fill(answer);
}

static void
on_thread_done(ngx_event_t *event)
{
    struct answer *answer = event->data;
    ngx_connection_t *c = answer->x->r->connection;
    exchange_release(answer->x);
    ngx_http_finalize_request(answer->x->r, send_plain(answer->x, answer->status, answer->content_type, answer->body));
    ngx_http_run_posted_requests(c);
}

static ngx_int_t
ask_thread(struct exchange *x, void (*fill)(struct answer *answer))
{
    ngx_http_request_t *r = x->r;
    ngx_pool_cleanup_t *cleanup = ngx_pool_cleanup_add(r->pool, 0);
    struct answer *answer = ngx_pcalloc(r->pool, sizeof(*answer));
    ngx_thread_task_t *task = ngx_thread_task_alloc(r->pool, sizeof(struct answer *));
    if (cleanup == NULL || answer == NULL || task == NULL)
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    *answer = (struct answer){ .x = x, .fill = fill, .arena = arena_new(ANSWER_ARENA_BYTES) };
    if (answer->arena == NULL)
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    cleanup->handler = free_arena;
    cleanup->data = answer->arena;
    *(struct answer **)task->ctx = answer;
    task->handler = run_in_thread;
    task->event.handler = on_thread_done;
    task->event.data = answer;
    if (ngx_thread_task_post(worker.threads, task) != NGX_OK)
        return NGX_HTTP_SERVICE_UNAVAILABLE;
    exchange_hold(x);
    r->main->count++;
    return NGX_DONE;
}

ngx_int_t
handle_operator(ngx_http_request_t *r)
{
    struct exchange *x = exchange_of(r);
    if (x == NULL || worker.api == NULL)
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    if (r->http_version < NGX_HTTP_VERSION_10)
        return NGX_HTTP_BAD_REQUEST;
    if (!(r->method & (NGX_HTTP_GET | NGX_HTTP_HEAD)))
        return NGX_HTTP_NOT_ALLOWED;
    ngx_int_t rc = ngx_http_discard_request_body(r);
    if (rc != NGX_OK)
        return rc;
    str path = exchange_path(r);
    if (str_is(path, "/livez"))
        return send_plain(x, NGX_HTTP_OK, STR("application/json"), STR("{\"live\":true}"));
    if (str_is(path, "/readyz") && ngx_exiting) {
        return send_plain(x, NGX_HTTP_SERVICE_UNAVAILABLE, STR("application/json"),
                          STR("{\"ready\":false,\"missing\":\"the node is stopping\"}"));
    }
    for (size_t i = 0; i < LENGTH(paths); i++) {
        if (str_is(path, paths[i].path))
            return ask_thread(x, paths[i].fill);
    }
    return NGX_HTTP_NOT_FOUND;
}
