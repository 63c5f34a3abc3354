/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When, from where and how often the entries of access lists were used. Requests are counted in memory; a thread of its
 * own writes the counts down, so no request waits for it and none fails because of it. The first use is written at
 * once, further ones every ten seconds. Counts are lost when the database cannot be reached or the process is killed.
 * Thread safe.
 */
#ifndef AUTH_USAGE_H
#define AUTH_USAGE_H

#include "auth/principal.h"
#include "store/store.h"

struct usage;

/* Starts the thread; NULL without memory or thread. */
MUST_USE struct usage *usage_new(struct store *store);
/* Writes down what was counted, as far as the database can be reached. */
void usage_free(struct usage *usage);

/* A caller was let in from this address, because of its access list. Never blocks for long. */
void usage_note(struct usage *usage, const struct principal *principal, const struct net_address *address);

#endif
