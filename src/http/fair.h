/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fair between callers. What a request needs next in this process is a place: for a statement on the loop's own connection, for a
 * thread, or for a thread with what is large. Each caller has a lane; a lane may have only so many places at a time, and when
 * several lanes wait, their requests take turns. So whoever sends five hundred requests at once waits behind themselves, and nobody else does.
 *
 * A caller is the organization that the credentials belong to, or the person, or, before it is known, the address.
 *
 * Only the event loop calls these. A request of HTTP/2 that its client takes back while it waits leaves the line at once.
 */
#ifndef HTTP_FAIR_H
#define HTTP_FAIR_H

#include "http/exchange.h"
#include "http/wiring.h"

void fair_start(const struct fair_limits *limits);

/*
 * Calls `go` as soon as it is the request's turn, perhaps at once; the place is the request's until fair_leave(). False when too
 * many wait already: a lane may not have more waiting than there is room left, so that one that comes new always finds some.
 */
MUST_USE bool fair_enter(struct exchange *x, enum fair_kind kind, int cost, void (*go)(struct exchange *x));
/* Gives the place back, and lets the next one go. Nothing happens when the request has none. */
void fair_leave(struct exchange *x);
/* The request is gone, wherever it was. */
void fair_forget(struct exchange *x);

unsigned fair_waiting(void);

#endif
