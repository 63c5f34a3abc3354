/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Receives what transactions send with tx_notify(). It has its own thread and connection; both callbacks run on that
 * thread. Between on_state(false) and the next on_state(true) notifications may be missed: cached values must then be
 * read again.
 */
#ifndef STORE_LISTENER_H
#define STORE_LISTENER_H

#include <stdbool.h>

#include "base/str.h"

struct listener;

/* The channel is an identifier: small letters, digits and _. Starts disconnected; on_state(true) follows when it
 * listens. NULL without memory. */
MUST_USE struct listener *listener_new(const char *dsn, const char *channel,
                                       void (*on_notify)(void *owner, str payload),
                                       void (*on_state)(void *owner, bool connected), void *owner);
/* Waits for the thread; no callback runs afterwards. NULL is allowed. */
void listener_free(struct listener *listener);

#endif
