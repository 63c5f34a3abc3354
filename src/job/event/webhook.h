/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Delivers events to webhooks: at least once, in the order of the organization's events. Any number of threads and
 * workers can run; a lease gives a webhook to one of them, and the epoch of the lease keeps a slow one from writing.
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
