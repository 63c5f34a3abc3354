/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operator's address. /livez, /readyz, /metrics, /jobs, /fleet and /targets are for balancers, supervisors and Prometheus,
 * and need no credentials; /operator/ is for operators, with tokens.
 */
#include "api/metrics.h"
#include "base/clock.h"
#include "base/json.h"
#include "http/exchange.h"
#include "http/worker.h"
#include "job/fleet/fleet_figures.h"
#include "job/kinds.h"
#include "job/operation.h"
#include "store/fleet/fleet.h"
#include "store/operator/instance.h"

enum { ANSWER_ARENA_BYTES = 64 * 1024 * 1024, JOBS_SHOWN = 1000 };

/* Filled by a thread: each of these asks the database. */
struct answer {
    struct exchange *x;
    struct arena *arena;
    str path;
    void (*fill)(struct answer *answer);
    unsigned status;
    str content_type, body;
};

#define JOBS_PATH "/jobs"

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

/*
 * What only the database knows is asked at most once in so many milliseconds by a process, however many ask for it: whoever comes meanwhile gets what the last one got.
 * Nobody waits for somebody else's question.
 */
enum { ASKED_EVERY_MS = 1000 };
static struct {
    pthread_mutex_t lock;
    bool is_asking;
    int64_t asked_ms; /* 0: never */
    char *text;
    size_t length;
} known = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* True when the caller has to ask. Otherwise *ret_text is what is known. */
static bool
must_ask(struct arena *arena, str *ret_text)
{
    pthread_mutex_lock(&known.lock);
    bool is_fresh = known.asked_ms != 0 && (known.is_asking || clock_steady_ms() - known.asked_ms < ASKED_EVERY_MS);
    if (is_fresh)
        *ret_text = str_dup(arena, (str){ known.text == NULL ? "" : known.text, known.length });
    else
        known.is_asking = true;
    pthread_mutex_unlock(&known.lock);
    return !is_fresh;
}

static void
keep_known(str text)
{
    char *copy = malloc(text.len + 1);
    pthread_mutex_lock(&known.lock);
    free(known.text);
    known.text = copy;
    known.length = copy == NULL ? 0 : text.len;
    if (copy != NULL)
        memcpy(copy, text.data, text.len);
    known.asked_ms = clock_steady_ms();
    known.is_asking = false;
    pthread_mutex_unlock(&known.lock);
}

static str
database_metrics(struct arena *arena)
{
    str text = STR_EMPTY;
    if (!must_ask(arena, &text))
        return text;
    struct buf out = buf_in(arena, METRICS_MAX_BYTES);
    buf_add(&out, job_report_metrics(worker.api->store, arena));
    buf_add(&out, fleet_figures_text(worker.api->store, arena));
    text = buf_str(&out);
    keep_known(text);
    return text;
}

/* What the node counted is there in any case; what only the database knows is left out when it cannot be asked. */
static void
fill_metrics(struct answer *answer)
{
    str own = metrics_text(worker.metrics, answer->arena, wiring_operation_name, NULL);
    struct buf out = buf_in(answer->arena, 2 * METRICS_MAX_BYTES);
    buf_add(&out, own);
    buf_add(&out, database_metrics(answer->arena));
    answer->content_type = STR("text/plain; version=0.0.4; charset=utf-8");
    answer->body = buf_str(&out);
}

/* What is not finished or has failed, or one job. */
static void
fill_jobs(struct answer *answer)
{
    struct job_filter filter = { .state = STR(JOB_STATE_OPEN), .limit = JOBS_SHOWN };
    id job;
    error problem;
    if (str_is(answer->path, JOBS_PATH))
        problem = job_report_list(worker.api->store, answer->arena, &filter, &answer->body);
    else if (id_parse(str_slice(answer->path, sizeof(JOBS_PATH), answer->path.len), &job))
        problem = job_report_one(worker.api->store, answer->arena, all_job_kinds, job, &answer->body);
    else
        problem = OK;
    if (problem != OK) {
        answer->status = error_rows[problem->code].status;
        answer->body = error_document(answer->arena, problem);
    } else if (answer->body.len == 0) {
        answer->status = NGX_HTTP_NOT_FOUND;
        answer->body = error_document(answer->arena, fail(answer->arena, RESOURCE_NOT_FOUND, V(answer->path)));
    }
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

/* What Prometheus can ask. Without credentials, as it asks for metrics: an operator's token can do everything, and need not be there. */
static void
fill_targets(struct answer *answer)
{
    error problem = store_instance_targets(worker.api->store, answer->arena, &answer->body);
    if (problem != OK) {
        answer->status = error_rows[problem->code].status;
        answer->body = error_document(answer->arena, problem);
    }
}

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
ask_thread(struct exchange *x, str path, void (*fill)(struct answer *answer))
{
    ngx_http_request_t *r = x->r;
    ngx_pool_cleanup_t *cleanup = ngx_pool_cleanup_add(r->pool, 0);
    struct answer *answer = ngx_pcalloc(r->pool, sizeof(*answer));
    ngx_thread_task_t *task = ngx_thread_task_alloc(r->pool, sizeof(struct answer *));
    if (cleanup == NULL || answer == NULL || task == NULL)
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    *answer = (struct answer){ .x = x, .path = path, .fill = fill, .arena = arena_new(ANSWER_ARENA_BYTES) };
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

/*
 * The file `leaving` in run_dir: the node is about to be stopped, and works as ever until then. Connections that the kernel
 * accepted for a node that stops at that moment are cut, so balancers have to look elsewhere before.
 */
static bool
is_leaving(void)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof(path), "%.*sleaving", (int)ngx_cycle->prefix.len, ngx_cycle->prefix.data);
    return length > 0 && (size_t)length < sizeof(path) && access(path, F_OK) == 0;
}

/* ---- Operators ---- */
static void
run_operation(void *data, ngx_log_t *log)
{
    (void)log;
    struct exchange *x = *(struct exchange **)data;
    api_handle(x->request);
}

static void
on_operation_done(ngx_event_t *event)
{
    struct exchange *x = event->data;
    ngx_connection_t *c = x->r->connection;
    exchange_release(x);
    ngx_http_finalize_request(x->r, send_response(x));
    ngx_http_run_posted_requests(c);
}

static ngx_int_t
refuse(struct exchange *x, error why)
{
    api_refuse(x->request, why);
    return send_response(x);
}

static void
on_request(struct exchange *x)
{
    ngx_thread_task_t *task = ngx_thread_task_alloc(x->r->pool, sizeof(struct exchange *));
    if (task != NULL) {
        *(struct exchange **)task->ctx = x;
        task->handler = run_operation;
        task->event.handler = on_operation_done;
        task->event.data = x;
        exchange_hold(x);
        if (ngx_thread_task_post(worker.threads, task) == NGX_OK)
            return;
        exchange_release(x);
    }
    struct arena *arena = x->request->arena;
    ngx_http_finalize_request(x->r, refuse(x, error_retry_after(arena, fail(arena, OVERLOADED), 1)));
}

static ngx_int_t
serve_operator(struct exchange *x)
{
    struct request *req = exchange_request(x);
    if (req == NULL)
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    req->api = operator_api_base(worker.operators);
    error problem = receive_headers(x);
    if (problem == OK)
        return receive_body(x, req->arena, JSON_MAX_BYTES, on_request);
    x->r->keepalive = 0;
    (void)ngx_http_discard_request_body(x->r);
    return refuse(x, problem);
}

static bool
is_for_operators(str path)
{
    return str_is(path, OPERATOR_PREFIX) || str_starts_with(path, STR(OPERATOR_PREFIX "/"));
}

/* ---- ---- */
ngx_int_t
handle_operator(ngx_http_request_t *r)
{
    struct exchange *x = exchange_of(r);
    if (x == NULL || worker.api == NULL)
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    if (r->http_version < NGX_HTTP_VERSION_10)
        return NGX_HTTP_BAD_REQUEST;
    if (is_for_operators(exchange_path(r)))
        return serve_operator(x);
    if (!(r->method & (NGX_HTTP_GET | NGX_HTTP_HEAD)))
        return NGX_HTTP_NOT_ALLOWED;
    ngx_int_t rc = ngx_http_discard_request_body(r);
    if (rc != NGX_OK)
        return rc;
    str path = exchange_path(r);
    if (str_is(path, "/livez"))
        return send_plain(x, NGX_HTTP_OK, STR("application/json"), STR("{\"live\":true}"));
    if (str_is(path, "/readyz") && (ngx_exiting || is_leaving())) {
        return send_plain(x, NGX_HTTP_SERVICE_UNAVAILABLE, STR("application/json"),
                          STR("{\"ready\":false,\"missing\":\"the node is stopping\"}"));
    }
    if (str_is(path, "/readyz"))
        return ask_thread(x, path, fill_readiness);
    if (str_is(path, "/metrics"))
        return ask_thread(x, path, fill_metrics);
    if (str_is(path, JOBS_PATH) || str_starts_with(path, STR(JOBS_PATH "/")))
        return ask_thread(x, path, fill_jobs);
    if (str_is(path, "/fleet"))
        return ask_thread(x, path, fill_fleet);
    if (str_is(path, "/targets"))
        return ask_thread(x, path, fill_targets);
    return NGX_HTTP_NOT_FOUND;
}
