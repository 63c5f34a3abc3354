/* SPDX-License-Identifier: Apache-2.0 */
/* News of one channel of the database (store/listener.h), brought into the event loop. */
#ifndef HTTP_BELL_H
#define HTTP_BELL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/id.h"

struct bell;

/* In the loop. With `all` some may have been missed, or were too many to note: then anything may have changed. An id may be
 * told twice. */
typedef void bell_news(const id *about, size_t count, bool all);

/* NULL when there is no memory, thread or place in the event loop. */
MUST_USE struct bell *bell_new(const char *dsn, const char *channel, bell_news *news);
void bell_free(struct bell *bell); /* NULL is allowed */
/* False while nothing would be heard. When it becomes true again, `all` was told. */
bool bell_is_listening(const struct bell *bell);

#endif
