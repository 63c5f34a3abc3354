/* SPDX-License-Identifier: Apache-2.0 */
#include "http/refusal_delay.h"

#include <ngx_event.h>

#include "base/clock.h"

enum { SLOTS = 1024, TOO_MANY = 429 };

struct held {
    ngx_event_t event; /* first: the handler is given this */
    struct exchange *x;
    void (*done)(struct exchange *x);
};

/* How often a caller was refused in a second. Two callers that share a slot are counted together, and no worse than paced. */
static struct {
    uint64_t who;
    int64_t second;
    unsigned count;
} refusals[SLOTS];
static unsigned held_count;
static ngx_connection_t nowhere; /* nginx asks an event for a connection when it logs */

/* Who is not authenticated yet is known by the address. */
static uint64_t
who_asks(const struct request *req)
{
    uint64_t hash = 14695981039346656037u;
    if (req->caller != NULL)
        return id_hash(req->caller->id);
    for (size_t i = 0; i < sizeof(req->in.client.bytes); i++)
        hash = (hash ^ req->in.client.bytes[i]) * 1099511628211u;
    return hash;
}

static bool
goes_on_asking(const struct request *req)
{
    uint64_t who = who_asks(req);
    int64_t second = clock_steady_ms() / 1000;
    size_t slot = (size_t)(who >> 32) % SLOTS;
    if (refusals[slot].who != who || refusals[slot].second != second) {
        refusals[slot].who = who;
        refusals[slot].second = second;
        refusals[slot].count = 0;
    }
    return ++refusals[slot].count > REFUSAL_DELAY_FREE_A_SECOND;
}

static void
on_time(ngx_event_t *event)
{
    struct held *held = (struct held *)event;
    held_count--;
    held->done(held->x);
}

bool
refusal_delay_hold(struct exchange *x, void (*done)(struct exchange *x))
{
    if (x->request->out.status != TOO_MANY || !goes_on_asking(x->request) || held_count >= REFUSAL_DELAY_MOST_HELD)
        return false;
    struct held *held = ngx_pcalloc(x->r->pool, sizeof(*held));
    if (held == NULL)
        return false;
    nowhere.fd = (ngx_socket_t)-1;
    held->event.handler = on_time;
    held->event.data = &nowhere;
    held->event.log = ngx_cycle->log;
    held->x = x;
    held->done = done;
    held_count++;
    if (!x->held)
        exchange_hold(x); /* the client may go meanwhile: nginx keeps the request until then */
    ngx_add_timer(&held->event, REFUSAL_DELAY_MS);
    return true;
}
