/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nginx 1.22 cuts idle keep-alive connections at the moment a process begins to drain, on QUIT and on every reload. A
 * client that sends a request just then gets no answer, and does not know whether it may repeat it. So idle connections
 * of HTTP/1 are kept open a little longer: a request that still arrives is answered with "Connection: close", and only
 * connections without a request for LINGER_S are closed. (nginx 1.27.4 has keepalive_min_timeout for this; HTTP/2 has
 * GOAWAY.)
 *
 * nginx closes the connections that are marked idle. The mark is taken away here as soon as it was set, and the state
 * is recognized by the handler that nginx gives to idle connections only.
 */
#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>

#include "base/clock.h"
#include "http/worker.h"

enum { LINGER_S = 5, NOTES = 512 };

/* Connections whose request just ended. The number tells whether the place holds the same connection later. */
static struct {
    ngx_connection_t *c;
    ngx_atomic_uint_t number;
} notes[NOTES];
static size_t note_count;
static ngx_event_t settle;
static ngx_connection_t nowhere;
static ngx_event_handler_pt idle_handler; /* nginx's, learnt from the first idle connection */
static int64_t draining_since_ms;

static void
on_settle(ngx_event_t *event)
{
    (void)event;
    for (size_t i = 0; i < note_count; i++) {
        ngx_connection_t *c = notes[i].c;
        if (c->fd == (ngx_socket_t)-1 || c->number != notes[i].number || !c->idle || ngx_exiting)
            continue;
        idle_handler = c->read->handler;
        c->idle = 0;
    }
    note_count = 0;
}

/* Called when the request is logged; nginx marks its connection right after that. */
void
idle_connections_note(ngx_connection_t *c)
{
    if (note_count == NOTES)
        return;
    notes[note_count].c = c;
    notes[note_count++].number = c->number;
    if (settle.handler == NULL) {
        nowhere.fd = (ngx_socket_t)-1;
        settle.handler = on_settle;
        settle.data = &nowhere;
        settle.log = ngx_cycle->log;
    }
    ngx_post_event(&settle, &ngx_posted_events);
}

void
idle_connections_tick(void)
{
    if (!ngx_exiting || idle_handler == NULL)
        return;
    if (draining_since_ms == 0)
        draining_since_ms = clock_steady_ms();
    if (clock_steady_ms() - draining_since_ms < LINGER_S * 1000)
        return;
    ngx_connection_t *c = ngx_cycle->connections;
    for (ngx_uint_t i = 0; i < ngx_cycle->connection_n; i++) {
        if (c[i].fd == (ngx_socket_t)-1 || c[i].read == NULL || c[i].read->handler != idle_handler)
            continue;
        c[i].close = 1; /* as ngx_close_idle_connections() does */
        c[i].read->handler(c[i].read);
    }
}
