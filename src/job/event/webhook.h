/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells webhooks what happened: at least once, in the order of the organization's events. Any number of threads and workers
 * take webhooks from each other's reach by a lease; the epoch of the lease keeps one that was too slow from writing.
 */
#ifndef JOB_EVENT_WEBHOOK_H
#define JOB_EVENT_WEBHOOK_H

#include "base/crypto/crypto.h"
#include "base/net/egress.h"
#include "store/store.h"

struct webhook_worker;

struct webhook_config {
    struct store *store;
    const char *dsn;
    struct key key; /* of webhook_seal_secret() */
    struct egress_allowed allowed;
    const char *ca_file; /* NULL: the system's */
    int threads;
    int64_t pause_after_s;
};

/* What it is given must outlive it. NULL without memory or threads. */
MUST_USE struct webhook_worker *webhook_worker_new(const struct webhook_config *config);
/* Ends after the requests that are under way. */
void webhook_worker_free(struct webhook_worker *worker);

#endif
