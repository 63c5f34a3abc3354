/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Refusals of callers who go on asking are held back. A 429 costs little, but whoever sends a thousand requests a second beyond
 * their limits takes a processor from everybody else; so the first refusals of a second are answered at once, and the others after
 * a moment in which a client that waits for its answers sends nothing. Nobody who minds Retry-After ever notices.
 */
#ifndef HTTP_REFUSAL_DELAY_H
#define HTTP_REFUSAL_DELAY_H

#include "http/exchange.h"

enum {
    REFUSAL_DELAY_FREE_A_SECOND = 20, /* refusals of one caller in one process */
    REFUSAL_DELAY_MS = 100,
    REFUSAL_DELAY_MOST_HELD = 1000, /* at a time; what is beyond is answered at once */
};

/* The request was answered. True when its answer is held back: then `done` is called from the event loop. */
MUST_USE bool refusal_delay_hold(struct exchange *x, void (*done)(struct exchange *x));

#endif
