/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fairness between callers. A request needs a place in this process: for a statement on the loop's own connection, for
 * a thread, or for a thread for large requests. Each caller has a lane. A lane has a limited number of places, and when
 * several lanes wait, their requests take turns. So a caller who sends five hundred requests at once delays only
 * themselves.
 *
 * A caller is the organization that the credentials belong to, or the person, or, before it is known, the address.
 *
 * Only the event loop calls these. When a client of HTTP/2 cancels a waiting request, it leaves its lane at once.
 */
#ifndef HTTP_FAIR_H
#define HTTP_FAIR_H

#include "http/exchange.h"
#include "http/wiring.h"

void fair_start(const struct fair_limits *limits);

/*
 * Calls `go` as soon as it is the request's turn, perhaps at once; the request has the place until fair_leave(). False
 * when too many wait already: a lane may not have more waiting than there is room left, so that a new caller always
 * finds some.
 */
MUST_USE bool fair_enter(struct exchange *x, enum fair_kind kind, int cost, void (*go)(struct exchange *x));
/* Gives the place back, and lets the next one go. Nothing happens when the request has none. */
void fair_leave(struct exchange *x);
/* The request is gone: gives back its place, or takes it out of its lane. */
void fair_forget(struct exchange *x);

unsigned fair_waiting(void);

#endif
