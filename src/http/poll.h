/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Agents that wait for a new goal. A poll is parked in the event loop and costs no thread and no timer: the database tells whose
 * goal has moved, and only those are looked at. Ten thousand are an ordinary number.
 */
#ifndef HTTP_POLL_H
#define HTTP_POLL_H

#include "http/exchange.h"

/* With the process: hears what the database tells. */
MUST_USE bool poll_start(const char *dsn);
void poll_stop(void);
/* Each second: those that have waited long enough, what could not be read before, and the end when the process drains. */
void poll_tick(void);

/* The request asks for a goal, and belongs to its poll from here on. */
void poll_begin(struct exchange *x);

#endif
