/* SPDX-License-Identifier: Apache-2.0 */
/* News of one channel of the database (store/listener.h), brought into the event loop. */
#ifndef HTTP_LOOP_LISTENER_H
#define HTTP_LOOP_LISTENER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/id.h"

struct loop_listener;

/*
 * Runs in the event loop. With `all` some news were missed or too many: then anything may have changed. An id may be
 * told twice.
 */
typedef void loop_listener_news(const id *about, size_t count, bool all);

/* NULL when there is no memory, thread or place in the event loop. */
MUST_USE struct loop_listener *loop_listener_new(const char *dsn, const char *channel, loop_listener_news *news);
void loop_listener_free(struct loop_listener *listener); /* NULL is allowed */
/* False while the connection is lost. When it becomes true again, the callback was called with `all`. */
bool loop_listener_is_listening(const struct loop_listener *listener);

#endif
