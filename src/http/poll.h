/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Agents that wait for a new goal. A poll waits in the event loop and costs no thread and no timer: the database tells
 * which hosts have a new goal, and only their polls are checked. Ten thousand polls are normal.
 */
#ifndef HTTP_POLL_H
#define HTTP_POLL_H

#include "http/exchange.h"

/* With the process: hears what the database tells. */
MUST_USE bool poll_start(const char *dsn);
void poll_stop(void);
/*
 * Called each second: answers polls that waited long enough, retries failed reads, and ends all when the process
 * drains.
 */
void poll_tick(void);

/* The request asks for a goal, and belongs to its poll from here on. */
void poll_begin(struct exchange *x);

#endif
