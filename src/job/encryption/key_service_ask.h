/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks key services of projects now and then whether their keys can be used: what `valid` says. It decides nothing about members, whose hosts ask for
 * themselves. Services that answered quickly the last time have threads of their own, so that a silent one holds up only those of which nothing better is known.
 */
#ifndef JOB_ENCRYPTION_KEY_SERVICE_ASK_H
#define JOB_ENCRYPTION_KEY_SERVICE_ASK_H

#include "base/crypto/crypto.h"
#include "base/net/egress.h"
#include "store/store.h"

struct key_service_asker;

struct key_service_asker_config {
    struct store *store;
    const char *dsn;
    struct key key; /* of KEY_SERVICE_KEY_PURPOSE */
    struct egress_allowed allowed;
    int threads; /* of either kind */
};

/* What it is given must outlive it. NULL without memory or threads. */
MUST_USE struct key_service_asker *key_service_asker_new(const struct key_service_asker_config *config);
/* Ends after the questions that are under way. */
void key_service_asker_free(struct key_service_asker *asker);

#endif
