/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps up with groups of projects' directories: asks every half a minute who is in them, and makes these people users of the project's
 * databases (docs/internals/access.md#groups-of-a-directory). Directories that answered quickly the last time have threads of their own,
 * so that a slow one holds up only those of which nothing better is known.
 */
#ifndef JOB_ACCESS_DIRECTORY_SYNC_H
#define JOB_ACCESS_DIRECTORY_SYNC_H

#include "base/crypto/crypto.h"
#include "base/net/egress.h"
#include "store/store.h"

struct directory_sync;

struct directory_sync_config {
    struct store *store;
    const char *dsn;
    struct key key; /* of DIRECTORY_KEY_PURPOSE */
    struct egress_allowed allowed;
    int threads; /* of either kind */
};

/* What it is given must outlive it. NULL without memory or threads. */
MUST_USE struct directory_sync *directory_sync_new(const struct directory_sync_config *config);
/* Ends after the questions that are under way. */
void directory_sync_free(struct directory_sync *sync);

#endif
