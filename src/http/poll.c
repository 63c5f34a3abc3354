/* SPDX-License-Identifier: Apache-2.0 */
#include "http/poll.h"

#include <ngx_event.h>

#include "base/clock.h"
#include "fleet/agent.h"
#include "http/loop_listener.h"
#include "http/worker.h"

enum {
    BUCKETS = 4096,
    READS_AT_ONCE = 128,  /* the event loop's connection is for tenants' reads, too: they are never far behind */
    DEAF_POLL_MS = 10000, /* how often is looked while the database cannot tell */
    READ_ARENA_BYTES = 64 * 1024,
};

struct poll {
    struct exchange *x;
    ngx_queue_t of_host; /* in its bucket, once it is known whose it is */
    ngx_queue_t in_line; /* of those that wait to be looked at */
    ngx_queue_t by_age;
    struct arena *arena; /* of the read under way */
    int64_t until_ms;
    uint64_t heard; /* how much news there had been when it was looked at */
    bool is_known, is_in_line, is_busy, again, is_over;
};

static ngx_queue_t buckets[BUCKETS]; /* by host */
static ngx_queue_t line, ages;       /* all have the same time, so the oldest ends first */
static struct loop_listener *listener;
static unsigned reads;    /* under way */
static uint64_t heard;    /* news so far */
static int64_t looked_ms; /* when all were, while nothing could be heard */

static ngx_queue_t *
bucket_of(id host)
{
    return &buckets[(size_t)(id_hash(host) >> 32) % BUCKETS];
}

/* ---- The line of those that are looked at next ---- */
static void look(struct poll *p);

static void
leave_line(struct poll *p)
{
    if (p->is_in_line) {
        ngx_queue_remove(&p->in_line); /* two statements */
    }
    p->is_in_line = false;
}

static void
wake(struct poll *p)
{
    if (p->is_busy) {
        p->again = true;
    } else if (!p->is_in_line) {
        ngx_queue_insert_tail(&line, &p->in_line);
        p->is_in_line = true;
    }
}

static void
move_line(void)
{
    while (reads < READS_AT_ONCE && !ngx_queue_empty(&line)) {
        struct poll *p = ngx_queue_data(ngx_queue_head(&line), struct poll, in_line);
        leave_line(p);
        look(p);
        if (p->is_in_line) /* nothing can be sent now: at the next tick */
            return;
    }
}

/* ---- Ends ---- */
/* Nobody wakes it any more; its answer may still have to leave. */
static void
take_out(struct poll *p)
{
    if (p->is_over)
        return;
    p->is_over = true;
    leave_line(p);
    if (p->is_known) {
        ngx_queue_remove(&p->of_host);
    }
    ngx_queue_remove(&p->by_age);
}

static void
forget(void *data)
{
    struct poll *p = data;
    take_out(p);
    arena_free(p->arena);
    worker_request_ends();
}

/* With what was answered. */
static void
end(struct poll *p)
{
    take_out(p);
    p->x->r->read_event_handler = ngx_http_block_reading;
    agent_finish(p->x);
}

static void
refuse(struct poll *p, error why)
{
    api_refuse(p->x->request, why);
    end(p);
}

static bool
is_client_gone(const struct poll *p)
{
    const ngx_connection_t *c = p->x->r->connection;
    return c->error || c->read->pending_eof || c->read->eof;
}

/* ---- Looking ---- */
static void
park(struct poll *p)
{
    if (!p->is_known) {
        p->is_known = true;
        ngx_queue_insert_tail(bucket_of(p->x->request->agent->host), &p->of_host);
        /* Until now nobody could have woken it. */
        p->again |= p->heard != heard;
    }
    if (p->again)
        wake(p);
    p->again = false;
}

static void
judge(struct poll *p, const struct host_known *known)
{
    bool is_new = false;
    error refusal = agent_poll_judge(p->x->request, known, &is_new);
    if (refusal != OK) {
        refuse(p, refusal);
    } else if (is_new) {
        take_out(p);
        agent_go_on_in_thread(p->x);
    } else {
        park(p);
    }
}

static void
on_rows(void *context, error problem, struct rows rows)
{
    struct poll *p = context;
    struct exchange *x = p->x;
    if (worker_is_stopping()) /* the process ends at once */
        return;
    struct host_known known = problem == OK ? store_host_by_serial_row(&rows) : (struct host_known){ 0 };
    reads--;
    p->is_busy = false;
    arena_free(p->arena);
    p->arena = NULL;
    exchange_release(x);
    x->r->read_event_handler = ngx_http_test_reading;
    if (is_client_gone(p)) {
        ngx_connection_t *c = x->r->connection;
        ngx_http_finalize_request(x->r, NGX_HTTP_CLIENT_CLOSED_REQUEST);
        ngx_http_run_posted_requests(c);
    } else if (problem == OK) {
        judge(p, &known);
    } else if (!p->is_known) {
        /* Not `problem` itself: it was in the arena. */
        struct arena *arena = x->request->arena;
        refuse(p, error_retry_after(arena, fail(arena, DATABASE_UNAVAILABLE), 2));
    } else {
        wake(p); /* the next tick moves the line */
        return;
    }
    move_line();
}

static void
look(struct poll *p)
{
    struct exchange *x = p->x;
    struct params params = { 0 };
    p->arena = arena_new(READ_ARENA_BYTES);
    p->heard = heard;
    store_host_by_serial_bind(&params, x->request->in.serial);
    exchange_hold(x);
    p->is_busy = true;
    if (p->arena != NULL && worker_send_statement(p->arena, SQL_HOST_BY_SERIAL, &params, on_rows, p)) {
        reads++;
        return;
    }
    p->is_busy = false;
    arena_free(p->arena);
    p->arena = NULL;
    exchange_release(x);
    x->r->read_event_handler = ngx_http_test_reading;
    wake(p);
}

/* ---- News ---- */
static void
on_news(const id *hosts, size_t count, bool all)
{
    heard++;
    for (size_t b = 0; all && b < BUCKETS; b++) {
        for (ngx_queue_t *at = ngx_queue_head(&buckets[b]); at != &buckets[b]; at = ngx_queue_next(at))
            wake(ngx_queue_data(at, struct poll, of_host));
    }
    for (size_t i = 0; !all && i < count; i++) {
        ngx_queue_t *bucket = bucket_of(hosts[i]);
        for (ngx_queue_t *at = ngx_queue_head(bucket); at != bucket; at = ngx_queue_next(at)) {
            struct poll *p = ngx_queue_data(at, struct poll, of_host);
            if (id_eq(p->x->request->agent->host, hosts[i]))
                wake(p);
        }
    }
    move_line();
}

/* ---- Each second ---- */
void
poll_tick(void)
{
    if (listener == NULL)
        return;
    int64_t now_ms = clock_steady_ms();
    /* The client's next poll goes to another process when this one drains. */
    for (ngx_queue_t *at = ngx_queue_head(&ages), *next; at != &ages; at = next) {
        struct poll *p = ngx_queue_data(at, struct poll, by_age);
        next = ngx_queue_next(at);
        if (p->until_ms > now_ms && !ngx_exiting)
            break;
        if (p->is_busy)
            continue;
        api_answer_nothing(p->x->request);
        end(p);
    }
    if (!loop_listener_is_listening(listener) && now_ms - looked_ms >= DEAF_POLL_MS) {
        looked_ms = now_ms;
        on_news(NULL, 0, true);
    }
    move_line();
}

/* ---- Beginning ---- */
void
poll_begin(struct exchange *x)
{
    ngx_pool_cleanup_t *cleanup = ngx_pool_cleanup_add(x->r->pool, sizeof(struct poll));
    if (cleanup == NULL) {
        api_refuse(x->request, fail(x->request->arena, OVERLOADED));
        agent_finish(x);
        return;
    }
    struct poll *p = cleanup->data;
    *p = (struct poll){ .x = x, .until_ms = clock_steady_ms() + (int64_t)AGENT_POLL_S * 1000 };
    x->poll = p;
    cleanup->handler = forget;
    ngx_queue_insert_tail(&ages, &p->by_age);
    worker_request_begins(); /* until forget(): a parked poll keeps the tick alive, which ends it when the process drains */
    x->r->read_event_handler = ngx_http_test_reading;
    wake(p);
    move_line();
}

/* ---- With the process ---- */
bool
poll_start(const char *dsn)
{
    ngx_queue_init(&line); /* each of these is two statements */
    ngx_queue_init(&ages);
    for (size_t i = 0; i < BUCKETS; i++) {
        ngx_queue_init(&buckets[i]);
    }
    listener = loop_listener_new(dsn, GOAL_CHANNEL, on_news);
    return listener != NULL;
}

void
poll_stop(void)
{
    loop_listener_free(listener);
    listener = NULL;
}
