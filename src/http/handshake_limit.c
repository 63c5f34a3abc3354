/* SPDX-License-Identifier: Apache-2.0 */
#include "http/handshake_limit.h"

#include <ngx_event.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"

/*
 * So many handshakes at a time in each process; whoever takes longer than PATIENCE_MS does not count any more, so that nobody can
 * keep others out. With answers after 50 ms that is 70 hosts a second and process, within a building 800.
 */
enum { AT_A_TIME = 4, LOOK_MS = 5, PATIENCE_MS = 500 };

static ngx_listening_t *listening;
static ngx_connection_handler_pt accepted;
static ngx_event_t timer;
static ngx_connection_t nowhere; /* nginx asks an event for a connection when it logs */
static struct {
    ngx_connection_t *c;      /* NULL: free */
    ngx_atomic_uint_t number; /* tells whether it is still the same connection */
    int64_t until_ms;
} places[AT_A_TIME];

static size_t
find_free(void)
{
    size_t i = 0;
    while (i < AT_A_TIME && places[i].c != NULL)
        i++;
    return i;
}

static void
close_gate(void)
{
    if (listening->connection != NULL && listening->connection->read->active)
        (void)ngx_del_event(listening->connection->read, NGX_READ_EVENT, NGX_DISABLE_EVENT);
}

static void
open_gate(void)
{
    /* A draining process has no listener any more. */
    if (!ngx_exiting && listening->connection != NULL && !listening->connection->read->active)
        (void)ngx_add_event(listening->connection->read, NGX_READ_EVENT, NGX_EXCLUSIVE_EVENT);
}

static void
on_accepted(ngx_connection_t *c)
{
    ngx_atomic_uint_t number = c->number;
    accepted(c);
    size_t i = find_free();
    if (i < AT_A_TIME) {
        places[i].c = c;
        places[i].number = number;
        places[i].until_ms = clock_steady_ms() + PATIENCE_MS;
    }
    if (find_free() == AT_A_TIME)
        close_gate();
    if (!timer.timer_set)
        ngx_add_timer(&timer, LOOK_MS);
}

static bool
is_over(size_t i, int64_t now_ms)
{
    const ngx_connection_t *c = places[i].c;
    return c->fd == (ngx_socket_t)-1 || c->number != places[i].number || (c->ssl != NULL && c->ssl->handshaked) ||
           places[i].until_ms <= now_ms;
}

static void
on_timer(ngx_event_t *event)
{
    int64_t now_ms = clock_steady_ms();
    bool is_busy = false;
    for (size_t i = 0; i < AT_A_TIME; i++) {
        if (places[i].c != NULL && is_over(i, now_ms))
            places[i].c = NULL;
        is_busy |= places[i].c != NULL;
    }
    if (find_free() < AT_A_TIME)
        open_gate();
    if (is_busy)
        ngx_add_timer(event, LOOK_MS);
}

/* nginx writes "*" as the address that it is. */
static bool
is_at(const ngx_listening_t *ls, str address)
{
    static const char any[] = "0.0.0.0";
    str text = { (const char *)ls->addr_text.data, ls->addr_text.len };
    if (address.len > 0 && address.data[0] == '*') {
        if (!str_starts_with(text, STR("0.0.0.0")))
            return false;
        text = str_slice(text, sizeof(any) - 1, text.len);
        address = str_slice(address, 1, address.len);
    }
    return str_eq(text, address);
}

void
handshake_limit_start(ngx_cycle_t *cycle, const char *address)
{
    ngx_listening_t *all = cycle->listening.elts;
    for (ngx_uint_t i = 0; i < cycle->listening.nelts; i++) {
        if (is_at(&all[i], str_from(address)))
            listening = &all[i];
    }
    if (listening == NULL) {
        log_line(
            LOG_WARNING, "agents_not_held_back",
            "agent_listen shares its socket with another address; hosts that come back at once slow down tenants' requests.");
        return;
    }
    nowhere.fd = (ngx_socket_t)-1;
    timer.handler = on_timer;
    timer.data = &nowhere;
    timer.log = cycle->log;
    timer.cancelable = 1;
    accepted = listening->handler;
    listening->handler = on_accepted;
}
