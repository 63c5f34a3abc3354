/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hears what transactions tell with tx_notify(). A thread of its own with a connection of its own; both callbacks run on
 * that thread. Between on_state(false) and the next on_state(true) notifications may have been missed: whoever keeps
 * something in memory because nobody said it changed must then ask anew.
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
