/* SPDX-License-Identifier: Apache-2.0 */
#include "http/worker.h"

#include <ngx_event.h>
#include <signal.h>

#include "api/metrics.h"
#include "base/log.h"
#include "http/exchange.h"
#include "http/fair.h"
#include "http/handshake_limit.h"
#include "http/ledger.h"
#include "http/log_share.h"
#include "http/memory.h"
#include "http/poll.h"
#include "http/stream.h"

enum { TICK_MS = 1000 };

struct worker worker;

static struct wiring *wiring;
static struct pipeline *pipeline;
static ngx_connection_t *watched; /* the pipeline's socket, as nginx sees it */
static ngx_connection_t nowhere;  /* nginx asks an event for a connection when it logs */
static ngx_event_t tick, flush;
static int gauges_place = -1;
static bool stopping;

/* ---- The pipeline's socket in nginx's event loop ---- */
/*
 * Level-triggered, other than nginx's own connections: libpq decides how much it reads at a time, and whatever it
 * leaves must be reported again.
 */
static void
watch_writing(void)
{
    if (watched == NULL)
        return;
    bool wanted = pipeline_wants_write(pipeline);
    if (wanted && !watched->write->active)
        (void)ngx_add_event(watched->write, NGX_WRITE_EVENT, NGX_LEVEL_EVENT);
    else if (!wanted && watched->write->active)
        (void)ngx_del_event(watched->write, NGX_WRITE_EVENT, 0);
}

static void
on_readable(ngx_event_t *event)
{
    (void)event;
    pipeline_readable(pipeline);
    watch_writing();
}

static void
on_writable(ngx_event_t *event)
{
    (void)event;
    pipeline_writable(pipeline);
    watch_writing();
}

static void
on_watch(void *owner, int fd)
{
    (void)owner;
    if (watched != NULL) {
        if (watched->read->active || watched->write->active)
            (void)ngx_del_conn(watched, 0); /* the socket is still open here, and may even come back */
        watched->fd = (ngx_socket_t)-1;     /* libpq closes it */
        ngx_free_connection(watched);
        watched = NULL;
    }
    if (fd < 0)
        return;
    watched = ngx_get_connection(fd, ngx_cycle->log);
    if (watched == NULL) {
        log_line(LOG_ERROR, "read_connection_unwatched",
                 "All connections of the process are in use, so reads go to threads; raise max_connections.");
        return;
    }
    watched->read->handler = on_readable;
    watched->write->handler = on_writable;
    watched->read->log = watched->write->log = ngx_cycle->log;
    (void)ngx_add_event(watched->read, NGX_READ_EVENT, NGX_LEVEL_EVENT);
}

static void
on_flush(ngx_event_t *event)
{
    (void)event;
    pipeline_flush(pipeline);
    watch_writing();
}

bool
worker_send_read(struct request *req, pipeline_done *done, void *context)
{
    return worker_send_statement(req->arena, req->endpoint->read->statement, &req->read_params, done, context);
}

bool
worker_send_statement(struct arena *arena, enum sql statement, const struct params *params, pipeline_done *done,
                      void *context)
{
    if (pipeline == NULL || watched == NULL || stopping)
        return false;
    if (!pipeline_send(pipeline, arena, statement, params, done, context))
        return false;
    /* Runs when every event of this turn of the loop was looked at: all its reads leave together. */
    ngx_post_event(&flush, &ngx_posted_events);
    return true;
}

/* ---- Once a second ---- */
static void
report(void)
{
    struct store_status store = store_status(worker.api->store);
    struct gauges gauges = {
        .transactions_open = store.transactions_open,
        .transactions_max = store.transactions_max,
        .transactions_waiting = store.waiting,
        .threads_busy = (int)worker.threads_busy,
        .requests_open = (int)worker.requests_held,
        .redis_up = limit_status(worker.api->limiter).redis_is_up,
        .listening = auth_status(worker.api->auth).listening,
        .pipeline_ready = pipeline_is_ready(pipeline),
    };
    metrics_set_gauges(worker.metrics, gauges_place, &gauges);
}

static void
on_tick(ngx_event_t *event)
{
    pipeline_tick(pipeline);
    watch_writing();
    report();
    idle_connections_tick();
    ledger_tick();
    unsent_tick();
    memory_tick();
    log_share_tick();
    stream_tick();
    poll_tick();
    ngx_add_timer(event, TICK_MS);
}

/* A draining process ends when only cancelable timers are left, and a request in a thread has no timer of its own. */
void
worker_request_begins(void)
{
    worker.requests_held++;
    tick.cancelable = 0;
}

void
worker_request_ends(void)
{
    worker.requests_held--;
    tick.cancelable = worker.requests_held == 0;
}

/* ---- Start and stop ---- */
static void
bound_memory(void)
{
    struct process_bounds bounds = wiring_bounds(wiring);
    memory_start();
    ledger_start((struct ledger_bounds){ .caller = bounds.caller_bytes, .total = bounds.request_bytes });
    unsent_start(bounds.send_span_ms, bounds.send_min_bytes_s);
    log_share_start(bounds.log_lines_per_minute);
}

static bool
start_agents(ngx_cycle_t *cycle, const char *dsn)
{
    static ngx_str_t pool_name = ngx_string("agents");
    worker.agents = wiring_agents(wiring);
    if (worker.agents == NULL)
        return true;
    worker.agent_threads = ngx_thread_pool_get(cycle, &pool_name);
    if (worker.agent_threads != NULL) {
        handshake_limit_start(cycle, wiring_agent_address(wiring));
        return poll_start(dsn);
    }
    log_line(LOG_ERROR, "no_thread_pool", "nginx's configuration lacks: thread_pool agents threads=4 max_queue=65536;");
    return false;
}

bool
worker_start(ngx_cycle_t *cycle, struct wiring *from, struct metrics *metrics)
{
    static ngx_str_t pool_name = ngx_string("reeve");
    wiring = from;
    worker.metrics = metrics;
    bound_memory();
    worker.threads = ngx_thread_pool_get(cycle, &pool_name);
    if (worker.threads == NULL) {
        log_line(LOG_ERROR, "no_thread_pool",
                 "nginx's configuration lacks: thread_pool reeve threads=8 max_queue=512;");
        return false;
    }
    /* Signals are for the event loop: a thread that took one would leave it asleep. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    struct store_config config = wiring_store_config(wiring);
    worker.api = wiring_start(wiring, metrics);
    worker.operators = worker.api == NULL ? NULL : wiring_operator_api(wiring);
    bool started = worker.api != NULL && stream_start(config.dsn) && start_agents(cycle, config.dsn);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!started)
        return false;

    struct fair_limits limits = wiring_fair_limits(wiring);
    fair_start(&limits);
    nowhere.fd = (ngx_socket_t)-1;
    tick.handler = on_tick;
    flush.handler = on_flush;
    tick.data = flush.data = &nowhere;
    tick.log = flush.log = cycle->log;
    tick.cancelable = 1;
    pipeline = pipeline_new(&config, on_watch, NULL);
    if (pipeline == NULL)
        return false;
    watch_writing();
    gauges_place = metrics_join(metrics);
    report();
    ngx_add_timer(&tick, TICK_MS);
    return true;
}

bool
worker_is_stopping(void)
{
    return stopping;
}

void
worker_stop(void)
{
    stopping = true; /* what the pipeline still fails now must not touch nginx's requests */
    if (pipeline != NULL) {
        if (tick.timer_set)
            ngx_del_timer(&tick);
        if (flush.posted) {
            ngx_delete_posted_event(&flush); /* several statements: it needs the braces */
        }
        pipeline_free(pipeline);
        pipeline = NULL;
        on_watch(NULL, -1);
    }
    stream_stop();
    poll_stop();
    metrics_leave(worker.metrics, gauges_place);
    if (worker.api != NULL)
        wiring_stop(wiring);
    worker.api = NULL;
    worker.agents = NULL;
}
