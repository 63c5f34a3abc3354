/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Delays refusals of callers who ignore them. A 429 costs little, but a thousand of them a second use up a processor.
 * So the first refusals of a second are answered at once, and the others after a moment, in which a client that waits
 * for its answers sends nothing. A client that respects Retry-After never notices.
 */
#ifndef HTTP_REFUSAL_DELAY_H
#define HTTP_REFUSAL_DELAY_H

#include "http/exchange.h"

enum {
    REFUSAL_DELAY_FREE_A_SECOND = 20, /* refusals of one caller in one process */
    REFUSAL_DELAY_MS = 100,
    REFUSAL_DELAY_MOST_HELD = 1000, /* delayed at a time; more are answered at once */
};

/* The request was answered. True when its answer is delayed: then `done` is called from the event loop. */
MUST_USE bool refusal_delay_hold(struct exchange *x, void (*done)(struct exchange *x));

#endif
