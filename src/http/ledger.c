/* SPDX-License-Identifier: Apache-2.0 */
#include "http/ledger.h"

#include <ngx_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "http/exchange.h"
#include "http/worker.h"

enum { OWNER_BYTES = 16, CHAINS = 1024, MS_PER_S = 1000 };

/* Lives while it holds or waits for something. */
struct holder {
    uint8_t owner[OWNER_BYTES];
    bool is_known;       /* an organization, not an address */
    struct holder *next; /* in its chain */
    size_t bytes, requests, waiting;
    ngx_queue_t line;    /* who came first stands first */
    ngx_queue_t in_line; /* among those who wait */
};

static struct ledger_bounds bounds;
static struct holder *chains[CHAINS];
static size_t total;
static ngx_queue_t lines; /* holders with somebody in their line */
static ngx_event_t settle;
static ngx_connection_t nowhere; /* nginx asks an event for a connection when it logs */

/* ---- Who holds it ---- */
/* An organization counts as one, however many keys it made. An IPv6 address counts by its /64. */
static void
name_owner(const struct request *req, uint8_t ret_owner[OWNER_BYTES])
{
    memset(ret_owner, 0, OWNER_BYTES);
    if (req->caller != NULL) {
        id owner = id_or(req->caller->organization, req->caller->id); /* a person belongs to none */
        memcpy(ret_owner, owner.bytes, sizeof(owner.bytes));
        ret_owner[OWNER_BYTES - 1] = 1; /* no address ends like this and begins like an identifier */
        return;
    }
    struct net_address host = net_host(&req->in.client);
    memcpy(ret_owner, host.bytes, OWNER_BYTES);
}

static struct holder **
find(const uint8_t owner[OWNER_BYTES])
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < OWNER_BYTES; i++)
        hash = (hash ^ owner[i]) * 1099511628211u;
    struct holder **at = &chains[(hash >> 32) % CHAINS];
    while (*at != NULL && memcmp((*at)->owner, owner, OWNER_BYTES) != 0)
        at = &(*at)->next;
    return at;
}

static struct holder *
find_or_make(const struct request *req)
{
    uint8_t owner[OWNER_BYTES];
    name_owner(req, owner);
    struct holder **at = find(owner);
    if (*at != NULL)
        return *at;
    struct holder *holder = calloc(1, sizeof(*holder));
    if (holder == NULL)
        return NULL;
    memcpy(holder->owner, owner, OWNER_BYTES);
    holder->is_known = req->caller != NULL;
    ngx_queue_init(&holder->line);
    *at = holder;
    return holder;
}

static void
forget_when_empty(struct holder *holder)
{
    if (holder->requests > 0 || holder->waiting > 0)
        return;
    struct holder **at = find(holder->owner);
    *at = holder->next;
    free(holder);
}

/* ---- Room ---- */
/* One request of every organization has room, whatever the others hold. Addresses are not so few that this could be said of them. */
static bool
has_room(const struct holder *holder, size_t bytes)
{
    bool fits = holder->bytes == 0 || holder->bytes + bytes <= bounds.caller;
    return fits && (total + bytes <= bounds.total || (holder->bytes == 0 && holder->is_known));
}

static void
hold(struct holding *holding, struct holder *holder, size_t bytes)
{
    holding->of = holder;
    holding->bytes = bytes;
    holder->requests++;
    holder->bytes += bytes;
    total += bytes;
}

static void
leave_line(struct holding *holding)
{
    struct holder *holder = holding->of;
    ngx_queue_remove(&holding->link);
    holding->waiting = false;
    holding->of = NULL;
    if (--holder->waiting == 0) {
        ngx_queue_remove(&holder->in_line); /* two statements: it needs the braces */
    }
    worker_request_ends();
}

/* ---- The line moves ---- */
/* The exchange may be gone afterwards. */
static void
call(struct exchange *x, bool admitted)
{
    ngx_connection_t *c = x->r->connection;
    x->holding.done(x, admitted);
    ngx_http_run_posted_requests(c);
}

static struct exchange *
first_in(const struct holder *holder)
{
    return ngx_queue_data(ngx_queue_head(&holder->line), struct exchange, holding.link);
}

static void
serve(struct holder *holder)
{
    holder->requests++; /* or it could be gone in between */
    while (holder->waiting > 0) {
        struct exchange *x = first_in(holder);
        size_t bytes = x->holding.bytes;
        if (!has_room(holder, bytes))
            break;
        leave_line(&x->holding);
        hold(&x->holding, holder, bytes);
        call(x, true);
    }
    holder->requests--;
    forget_when_empty(holder);
}

/* Others may join or leave while one is served, so each round begins anew; it ends when nobody was served. */
static void
on_settle(ngx_event_t *event)
{
    (void)event;
    for (bool served = true; served;) {
        served = false;
        for (ngx_queue_t *at = ngx_queue_head(&lines); at != ngx_queue_sentinel(&lines); at = ngx_queue_next(at)) {
            struct holder *holder = ngx_queue_data(at, struct holder, in_line);
            if (!has_room(holder, first_in(holder)->holding.bytes))
                continue;
            serve(holder);
            served = true;
            break;
        }
    }
}

/* Not at once: whoever gives something back is in the middle of ending. */
static void
wake_line(void)
{
    if (!ngx_queue_empty(&lines)) {
        ngx_post_event(&settle, &ngx_posted_events);
    }
}

void
ledger_tick(void)
{
    int64_t latest_ms = clock_steady_ms() - (int64_t)LEDGER_PATIENCE_S * MS_PER_S;
    for (bool ended = true; ended;) {
        ended = false;
        for (ngx_queue_t *at = ngx_queue_head(&lines); at != ngx_queue_sentinel(&lines); at = ngx_queue_next(at)) {
            struct holder *holder = ngx_queue_data(at, struct holder, in_line);
            struct exchange *x = first_in(holder);
            if (x->holding.since_ms > latest_ms)
                continue;
            leave_line(&x->holding);
            forget_when_empty(holder);
            call(x, false);
            ended = true;
            break;
        }
    }
}

/* ---- Requests ---- */
void
ledger_start(struct ledger_bounds wanted)
{
    bounds = wanted;
    ngx_queue_init(&lines);
    nowhere.fd = (ngx_socket_t)-1;
    settle.handler = on_settle;
    settle.data = &nowhere;
    settle.log = ngx_cycle->log;
}

enum ledger_verdict
ledger_admit(struct exchange *x, size_t bytes, void (*done)(struct exchange *x, bool admitted))
{
    struct holding *holding = &x->holding;
    ledger_leave(x);
    struct holder *holder = find_or_make(x->request);
    if (holder == NULL)
        return LEDGER_REFUSED;
    /* Who comes when others of the same caller wait stands behind them. */
    if (holder->waiting == 0 && has_room(holder, bytes)) {
        hold(holding, holder, bytes);
        return LEDGER_ADMITTED;
    }
    if (holder->waiting >= (x->body_is_unread ? LEDGER_MOST_WITH_BODY : LEDGER_MOST_WAITING)) {
        forget_when_empty(holder);
        return LEDGER_REFUSED;
    }
    *holding =
        (struct holding){ .of = holder, .bytes = bytes, .waiting = true, .since_ms = clock_steady_ms(), .done = done };
    ngx_queue_insert_tail(&holder->line, &holding->link);
    if (holder->waiting++ == 0) {
        ngx_queue_insert_tail(&lines, &holder->in_line);
    }
    worker_request_begins(); /* a draining process serves those, too */
    return LEDGER_WAITS;
}

void
ledger_set(struct exchange *x, size_t bytes)
{
    struct holding *holding = &x->holding;
    if (holding->of == NULL) {
        struct holder *holder = find_or_make(x->request);
        if (holder != NULL)
            hold(holding, holder, bytes);
        return;
    }
    bool less = bytes < holding->bytes;
    holding->of->bytes = holding->of->bytes - holding->bytes + bytes;
    total = total - holding->bytes + bytes;
    holding->bytes = bytes;
    if (less)
        wake_line();
}

void
ledger_leave(struct exchange *x)
{
    struct holding *holding = &x->holding;
    struct holder *holder = holding->of;
    if (holder == NULL)
        return;
    if (holding->waiting) {
        leave_line(holding);
    } else {
        holder->bytes -= holding->bytes;
        total -= holding->bytes;
        holder->requests--;
        holding->of = NULL;
        wake_line();
    }
    forget_when_empty(holder);
}
