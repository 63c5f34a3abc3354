/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When the entries of access lists were last used. Requests note it in memory, which costs them a look at one word; a thread of
 * its own writes it down, so no request waits for it and none fails because of it. It is coarse: once a minute at most, and
 * forgotten when the database cannot be reached. Thread safe.
 */
#ifndef AUTH_USAGE_H
#define AUTH_USAGE_H

#include "auth/principal.h"
#include "store/store.h"

struct usage;

/* Starts the thread; NULL without memory or thread. */
MUST_USE struct usage *usage_new(struct store *store);
/* What was noted and not written yet is forgotten. */
void usage_free(struct usage *usage);

/* A caller was let in from this address, because of its access list. Never blocks for long. */
void usage_note(struct usage *usage, const struct principal *principal, const struct net_address *address);

#endif
