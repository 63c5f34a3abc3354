/* SPDX-License-Identifier: Apache-2.0 */
#include "http/stream.h"

#include <ngx_event.h>

#include "base/clock.h"
#include "http/loop_listener.h"
#include "http/worker.h"
#include "store/event/event.h"

enum {
    HEARTBEAT_MS = 15 * 1000,
    GLANCE_MS = 2 * 1000,   /* how often rights are looked up in memory */
    CONFIRM_MS = 50 * 1000, /* how often in the database */
    RIGHTS_LAST_MS = 60 * 1000,
    DEAF_POLL_MS = 2 * 1000, /* how often is read while the database cannot tell */
    READ_ARENA_BYTES = 64 * 1024 * 1024,
    CHECK_ARENA_BYTES = 1024 * 1024,
    BUCKETS = 256,
    IDLE_BYTES = 32 * 1024, /* what a parked stream takes */
    /* The loop's connection answers in order: with a hundred streams of one organization others stood behind a hundred reads for each of its changes. */
    READS_AT_A_TIME = 4,
};

struct stream {
    struct exchange *x;
    ngx_queue_t link;
    struct arena *arena; /* of the read or the text under way */
    ngx_thread_task_t *task;
    ngx_buf_t buf;
    bool busy;    /* the database or a thread works on it: the request is held */
    bool sending; /* `buf` has not left yet */
    bool ended;   /* only what was sent has still to leave */
    bool again;   /* there may be something new */
    bool waits;   /* in `line`, until it may read */
    ngx_queue_t in_line;
    int64_t sent_ms, read_ms, glanced_ms, confirmed_ms;
    unsigned refused; /* status of the check on a thread; 0: may go on */
};

static ngx_queue_t buckets[BUCKETS]; /* by organization */
static unsigned stream_count;
static ngx_queue_t line; /* of streams that will read: who came first stands first */
static unsigned reading;

static size_t
bucket_of(id organization)
{
    return (size_t)(id_hash(organization) >> 32) % BUCKETS; /* the low bits hardly differ within a cell */
}

static struct loop_listener *listener;

/* ---- Ends ---- */
static struct request *
request_of(struct stream *s)
{
    return s->x->request;
}

static void
leave_line(struct stream *s)
{
    if (!s->waits)
        return;
    s->waits = false;
    ngx_queue_remove(&s->in_line);
}

static void
forget(void *data)
{
    struct stream *s = data;
    leave_line(s);
    ngx_queue_remove(&s->link);
    stream_count--;
    arena_free(s->arena);
    worker_request_ends();
}

/* The connection is gone or must go. */
static void
drop(struct stream *s, ngx_int_t why)
{
    ngx_connection_t *c = s->x->r->connection;
    ngx_http_finalize_request(s->x->r, why);
    ngx_http_run_posted_requests(c);
}

/* A last comment, so that a person sees why; the client connects again by itself. */
static void
end(struct stream *s, const char *why)
{
    ngx_http_request_t *r = s->x->r;
    ngx_buf_t *b = ngx_calloc_buf(r->pool);
    if (b == NULL) {
        drop(s, NGX_ERROR);
        return;
    }
    b->pos = b->start = (u_char *)why;
    b->last = b->end = b->pos + strlen(why);
    b->memory = b->last_buf = b->last_in_chain = 1;
    ngx_chain_t out = { .buf = b };
    s->ended = true;
    drop(s, ngx_http_output_filter(r, &out));
}

/* ---- Sending ---- */
static void go_on(struct stream *s);

static void
on_writable(ngx_http_request_t *r)
{
    struct stream *s = exchange_of(r)->stream;
    ngx_event_t *event = r->connection->write;
    ngx_http_core_loc_conf_t *location = ngx_http_get_module_loc_conf(r, ngx_http_core_module);
    if (event->timedout) {
        r->connection->timedout = 1;
        drop(s, NGX_HTTP_REQUEST_TIME_OUT);
        return;
    }
    if (s->busy) /* nothing is being sent then */
        return;
    if (ngx_http_output_filter(r, NULL) == NGX_ERROR) {
        drop(s, NGX_ERROR);
        return;
    }
    if (r->buffered || r->connection->buffered) {
        unsent_watch(s->x);
        if (!event->delayed)
            ngx_add_timer(event, location->send_timeout);
        if (ngx_handle_write_event(event, location->send_lowat) != NGX_OK)
            drop(s, NGX_ERROR);
        return;
    }
    if (event->timer_set)
        ngx_del_timer(event);
    unsent_forget(s->x);
    if (!s->sending)
        return;
    s->sending = false;
    arena_free(s->arena);
    s->arena = NULL;
    go_on(s);
}

/* The text lives in s->arena, or for ever. */
static void
send_text(struct stream *s, str text)
{
    ngx_http_request_t *r = s->x->r;
    ngx_memzero(&s->buf, sizeof(s->buf));
    s->buf.pos = s->buf.start = (u_char *)text.data;
    s->buf.last = s->buf.end = s->buf.pos + text.len;
    s->buf.memory = s->buf.flush = 1;
    ngx_chain_t out = { .buf = &s->buf };
    s->sending = true;
    s->sent_ms = clock_steady_ms();
    r->write_event_handler = on_writable;
    if (ngx_http_output_filter(r, &out) == NGX_ERROR) {
        drop(s, NGX_ERROR);
        return;
    }
    on_writable(r);
}

/* ---- Somebody else works on the stream ---- */
static void
hold(struct stream *s)
{
    s->busy = true;
    exchange_hold(s->x);
}

static void
let_go(struct stream *s)
{
    s->busy = false;
    exchange_release(s->x);
    s->x->r->read_event_handler = ngx_http_test_reading;
}

static bool
is_client_gone(const struct stream *s)
{
    const ngx_connection_t *c = s->x->r->connection;
    return c->error || c->read->pending_eof || c->read->eof;
}

/* False when the client went meanwhile: then the stream is gone. */
static bool
release(struct stream *s)
{
    let_go(s);
    if (!is_client_gone(s))
        return true;
    drop(s, NGX_HTTP_CLIENT_CLOSED_REQUEST);
    return false;
}

/* ---- Reading ---- */
static void read_next(void);

static void
take_rows(struct stream *s, error problem, struct rows rows)
{
    if (!release(s))
        return;
    bool more = false;
    str text = STR_EMPTY;
    if (problem == OK) {
        text = request_of(s)->endpoint->feed->text(request_of(s), s->arena, &rows, &more);
        if (arena_is_exhausted(s->arena)) {
            end(s, ": no capacity now\n\n");
            return;
        }
    } else {
        more = true; /* at the next tick */
    }
    s->again |= more;
    if (text.len > 0) {
        send_text(s, text);
        return;
    }
    arena_free(s->arena);
    s->arena = NULL;
    if (problem == OK)
        go_on(s);
}

static void
on_rows(void *context, error problem, struct rows rows)
{
    if (worker_is_stopping()) /* the process ends at once */
        return;
    reading--;
    take_rows(context, problem, rows);
    read_next();
}

static bool
may_read(const struct stream *s)
{
    return s->again && !s->busy && !s->sending && !s->ended;
}

static void
read_now(struct stream *s)
{
    struct request *req = request_of(s);
    struct params params = { 0 };
    s->arena = arena_new(READ_ARENA_BYTES);
    if (s->arena == NULL)
        return;
    req->endpoint->feed->bind(req, &params);
    hold(s);
    s->again = false;
    s->read_ms = clock_steady_ms();
    if (worker_send_statement(s->arena, req->endpoint->feed->statement, &params, on_rows, s)) {
        reading++;
        return;
    }
    s->again = true; /* at the next tick */
    arena_free(s->arena);
    s->arena = NULL;
    let_go(s);
}

static void
read_next(void)
{
    while (reading < READS_AT_A_TIME && !ngx_queue_empty(&line)) {
        struct stream *s = ngx_queue_data(ngx_queue_head(&line), struct stream, in_line);
        leave_line(s);
        if (may_read(s))
            read_now(s);
    }
}

/* Reads, when it is its turn, if there may be something new and nothing else is under way. */
static void
go_on(struct stream *s)
{
    if (!may_read(s) || s->waits)
        return;
    s->waits = true;
    ngx_queue_insert_tail(&line, &s->in_line);
    read_next();
}

static void
wake(struct stream *s)
{
    s->again = true;
    go_on(s);
}

/* ---- The right to go on ---- */
static void
judge(struct stream *s, unsigned refused)
{
    int64_t now_ms = clock_steady_ms();
    bool unknown = refused >= 500; /* the database could not be asked */
    if (refused != 0 && (!unknown || now_ms - s->confirmed_ms > RIGHTS_LAST_MS)) {
        end(s, unknown ? ": rights cannot be checked now\n\n" : ": the caller may not read this any more\n\n");
        return;
    }
    go_on(s);
}

static void
check_in_thread(void *data, ngx_log_t *log)
{
    (void)log;
    struct stream *s = *(struct stream **)data;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(CHECK_ARENA_BYTES);
    s->refused = 503;
    if (arena == NULL)
        return;
    error refusal = api_stream_check(request_of(s), arena, true);
    s->refused = refusal == OK ? 0 : error_rows[refusal->code].status;
}

static void
on_checked(ngx_event_t *event)
{
    struct stream *s = event->data;
    worker.threads_busy--;
    if (s->refused == 0)
        s->confirmed_ms = clock_steady_ms();
    if (release(s))
        judge(s, s->refused);
}

static void
confirm(struct stream *s)
{
    *(struct stream **)s->task->ctx = s;
    s->task->handler = check_in_thread;
    s->task->event.handler = on_checked;
    s->task->event.data = s;
    hold(s);
    if (ngx_thread_task_post(worker.threads, s->task) == NGX_OK)
        worker.threads_busy++;
    else
        let_go(s); /* at the next tick */
}

/* False when the stream may be gone or busy. */
static bool
check(struct stream *s, int64_t now_ms)
{
    if (now_ms - s->glanced_ms < GLANCE_MS)
        return true;
    s->glanced_ms = now_ms;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(CHECK_ARENA_BYTES);
    if (arena == NULL)
        return true;
    error refusal = api_stream_check(request_of(s), arena, false);
    if (refusal == WOULD_BLOCK || now_ms - s->confirmed_ms > CONFIRM_MS) {
        confirm(s);
        return false;
    }
    if (refusal != OK) {
        judge(s, error_rows[refusal->code].status);
        return false;
    }
    return true;
}

/* ---- Each second ---- */
static void
tick(struct stream *s, int64_t now_ms)
{
    if (s->busy || s->ended)
        return;
    if (is_client_gone(s)) {
        drop(s, NGX_HTTP_CLIENT_CLOSED_REQUEST);
        return;
    }
    if (ngx_exiting) {
        end(s, ": the node is stopping\n\n");
        return;
    }
    if (!check(s, now_ms))
        return;
    if (!loop_listener_is_listening(listener) && now_ms - s->read_ms >= DEAF_POLL_MS)
        s->again = true;
    go_on(s);
    if (!s->busy && !s->sending && now_ms - s->sent_ms >= HEARTBEAT_MS)
        send_text(s, STR(":\n\n"));
}

/* A stream may be gone after `visit`, but no other. */
static void
visit_bucket(ngx_queue_t *bucket, void (*visit)(struct stream *s, void *context), void *context)
{
    if (bucket->next == NULL)
        return;
    for (ngx_queue_t *at = ngx_queue_head(bucket), *next; at != ngx_queue_sentinel(bucket); at = next) {
        next = ngx_queue_next(at);
        visit(ngx_queue_data(at, struct stream, link), context);
    }
}

static void
visit_tick(struct stream *s, void *now_ms)
{
    tick(s, *(int64_t *)now_ms);
}

void
stream_tick(void)
{
    int64_t now_ms = clock_steady_ms();
    for (size_t i = 0; i < BUCKETS && stream_count > 0; i++)
        visit_bucket(&buckets[i], visit_tick, &now_ms);
}

/* ---- News ---- */
static void
visit_told(struct stream *s, void *organization)
{
    if (organization == NULL || id_eq(request_of(s)->organization, *(id *)organization))
        wake(s);
}

static void
on_news(const id *organizations, size_t count, bool all)
{
    for (size_t i = 0; all && i < BUCKETS; i++)
        visit_bucket(&buckets[i], visit_told, NULL);
    for (size_t i = 0; !all && i < count; i++) {
        id organization = organizations[i];
        visit_bucket(&buckets[bucket_of(organization)], visit_told, &organization);
    }
}

/* ---- Beginning ---- */
struct census {
    id caller, organization;
    unsigned of_caller, of_organization;
};

static void
visit_count(struct stream *s, void *context)
{
    struct census *census = context;
    census->of_caller += id_eq(request_of(s)->caller->id, census->caller);
    census->of_organization += id_eq(request_of(s)->organization, census->organization);
}

static error
admit(struct request *req)
{
    struct census census = { .caller = req->caller->id, .organization = req->organization };
    for (size_t i = 0; i < BUCKETS; i++)
        visit_bucket(&buckets[i], visit_count, &census);
    if (census.of_caller >= STREAMS_OF_A_CALLER)
        return fail(req->arena, TOO_MANY_STREAMS, V(STREAMS_OF_A_CALLER));
    if (census.of_organization >= STREAMS_OF_AN_ORGANIZATION)
        return fail(req->arena, TOO_MANY_STREAMS, V(STREAMS_OF_AN_ORGANIZATION));
    if (stream_count >= STREAMS_OF_A_PROCESS || ngx_exiting)
        return error_retry_after(req->arena, fail(req->arena, OVERLOADED), 1);
    return OK;
}

static struct stream *
new_stream(struct exchange *x)
{
    ngx_http_request_t *r = x->r;
    struct stream *s = ngx_pcalloc(r->pool, sizeof(*s));
    ngx_thread_task_t *task = ngx_thread_task_alloc(r->pool, sizeof(struct stream *));
    ngx_pool_cleanup_t *cleanup = ngx_pool_cleanup_add(r->pool, 0);
    if (s == NULL || task == NULL || cleanup == NULL)
        return NULL;
    ngx_queue_t *bucket = &buckets[bucket_of(x->request->organization)];
    if (bucket->next == NULL) {
        ngx_queue_init(bucket); /* two statements: it needs the braces */
    }
    s->x = x;
    s->task = task;
    s->sent_ms = s->read_ms = s->glanced_ms = s->confirmed_ms = clock_steady_ms();
    x->stream = s;
    ngx_queue_insert_tail(bucket, &s->link);
    stream_count++;
    worker_request_begins(); /* until forget(): a parked stream keeps the tick alive, which ends it when the process drains */
    cleanup->handler = forget;
    cleanup->data = s;
    return s;
}

void
stream_begin(struct exchange *x)
{
    ngx_http_request_t *r = x->r;
    ngx_connection_t *c = r->connection;
    error refusal = admit(x->request);
    if (refusal != OK) {
        api_stream_refuse(x->request, refusal);
        ngx_http_finalize_request(r, send_response(x));
        ngx_http_run_posted_requests(c);
        return;
    }
    api_stream_begins(x->request);
    ledger_set(x, IDLE_BYTES);
    ngx_int_t rc = send_stream_headers(x);
    struct stream *s = rc == NGX_ERROR || rc > NGX_OK || r->header_only ? NULL : new_stream(x);
    if (s == NULL) {
        ngx_http_finalize_request(r, r->header_only ? rc : NGX_ERROR);
        ngx_http_run_posted_requests(c);
        return;
    }
    r->read_event_handler = ngx_http_test_reading;
    s->again = true; /* what happened since its beginning was found, or behind Last-Event-ID */
    send_text(s, STR("retry: 1000\n\n"));
}

/* ---- With the process ---- */
bool
stream_start(const char *dsn)
{
    ngx_queue_init(&line);
    listener = loop_listener_new(dsn, EVENT_CHANNEL, on_news);
    return listener != NULL;
}

void
stream_stop(void)
{
    loop_listener_free(listener);
    listener = NULL;
}
