/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists that are followed, as server-sent events. A stream waits in the event loop and costs no thread. When the
 * database says that its organization has a new event, it reads through the loop's own connection, and sends.
 */
#ifndef HTTP_STREAM_H
#define HTTP_STREAM_H

#include "http/exchange.h"

/* Bounds in a process. An organization can have any number of callers, so it has its own bound. */
enum { STREAMS_OF_A_CALLER = 5, STREAMS_OF_AN_ORGANIZATION = 100, STREAMS_OF_A_PROCESS = 2000 };

/* With the process: hears what the database tells. */
MUST_USE bool stream_start(const char *dsn);
void stream_stop(void);
/* Called each second: sends heartbeats, checks rights, retries failed reads, and ends all when the process drains. */
void stream_tick(void);

/* The request is answered by a stream (api_is_stream()) and belongs to it from here on. */
void stream_begin(struct exchange *x);

#endif
