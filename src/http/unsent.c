/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers that their clients do not read. nginx's send_timeout starts again with every byte that is sent, so a client
 * that reads very slowly could keep an answer in memory for ever. Here a minimum number of bytes of each answer must be
 * sent in every period. On HTTP/2 only the slow stream is ended, unless the whole connection does not accept data.
 */
#include <ngx_event.h>

#include "base/clock.h"
#include "http/exchange.h"

static ngx_queue_t watched;
static int64_t span_ms, min_bytes;

void
unsent_start(int64_t wanted_span_ms, int64_t min_bytes_s)
{
    enum { MS_PER_S = 1000 };
    ngx_queue_init(&watched);
    span_ms = wanted_span_ms;
    min_bytes = min_bytes_s * span_ms / MS_PER_S;
}

void
unsent_watch(struct exchange *x)
{
    struct unsent *unsent = &x->unsent;
    if (unsent->linked)
        return;
    unsent->linked = true;
    unsent->since_ms = clock_steady_ms();
    unsent->sent = x->r->connection->sent; /* on HTTP/2: of this stream */
    ngx_queue_insert_tail(&watched, &unsent->link);
}

void
unsent_forget(struct exchange *x)
{
    if (!x->unsent.linked)
        return;
    x->unsent.linked = false;
    ngx_queue_remove(&x->unsent.link);
}

/* The request may be gone afterwards. */
static void
end(struct exchange *x)
{
    ngx_http_request_t *r = x->r;
    ngx_connection_t *c = r->connection;
    unsent_forget(x);
    if (r->stream != NULL && r->stream->queued > 0) {
        /* What was written for it waits in the connection, and it could not end before that has left. */
        ngx_event_t *event = r->stream->connection->connection->write;
        event->timedout = 1;
        ngx_post_event(event, &ngx_posted_events);
        return;
    }
    c->timedout = 1;
    ngx_http_finalize_request(r, NGX_HTTP_REQUEST_TIME_OUT);
    ngx_http_run_posted_requests(c);
}

/* Those that were looked at go to the end, so the first one is always the next to be looked at. */
void
unsent_tick(void)
{
    int64_t now_ms = clock_steady_ms();
    while (!ngx_queue_empty(&watched)) {
        struct exchange *x = ngx_queue_data(ngx_queue_head(&watched), struct exchange, unsent.link);
        if (now_ms - x->unsent.since_ms < span_ms)
            return;
        if (x->r->connection->sent - x->unsent.sent < min_bytes) {
            end(x);
            continue;
        }
        unsent_forget(x);
        unsent_watch(x);
    }
}
