/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory of this process that requests hold: their bodies, and answers that their clients have not read. It is
 * counted for each organization, and for each address before the caller is known. A caller who holds too much waits
 * with the next request until they hold less; nobody else waits. So the memory of a process has a bound, and one caller
 * cannot use it up for others.
 */
#ifndef HTTP_LEDGER_H
#define HTTP_LEDGER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/id.h"
#include "base/net/net.h"
#include <ngx_config.h>
#include <ngx_core.h>

/* Bounds of a process, in bytes. */
struct ledger_bounds {
    size_t caller; /* what one organization or address may hold before it waits */
    size_t total;  /* beyond it only callers who hold nothing get some */
};

enum {
    /*
     * Most waiting requests of one caller; more are refused. More may wait with a body: a refusal would cost more,
     * because the connection needs a buffer for the answer and the body arrives anyway.
     */
    LEDGER_MOST_WAITING = 512,
    LEDGER_MOST_WITH_BODY = 1024,
    LEDGER_PATIENCE_S = 20, /* longer nobody waits */
};

struct holder;
struct exchange;
/* Of one request, in its exchange. All zero: it holds nothing. */
struct holding {
    struct holder *of;
    size_t bytes;
    bool waiting;
    int64_t since_ms;
    ngx_queue_t link;
    void (*done)(struct exchange *x, bool admitted);
};

void ledger_start(struct ledger_bounds bounds);

enum ledger_verdict { LEDGER_ADMITTED, LEDGER_WAITS, LEDGER_REFUSED };
/*
 * The request is about to hold this many bytes. LEDGER_WAITS: `done` is called from the event loop, with false when
 * there was no room in time. Meanwhile the client may leave; then the exchange is gone, too.
 */
enum ledger_verdict ledger_admit(struct exchange *x, size_t bytes, void (*done)(struct exchange *x, bool admitted));
/* What it holds now, whatever the bounds say. */
void ledger_set(struct exchange *x, size_t bytes);
/* It ends. */
void ledger_leave(struct exchange *x);
/* Each second: those who waited too long. */
void ledger_tick(void);

#endif
