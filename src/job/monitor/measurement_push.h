/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends the measurements of a project's servers to the service that its integration names: every point at least once, in the order of time, for as
 * long as the service takes points that old. Any number of threads and workers can run; a lease gives an integration to one of them.
 */
#ifndef JOB_MONITOR_MEASUREMENT_PUSH_H
#define JOB_MONITOR_MEASUREMENT_PUSH_H

#include "base/crypto/crypto.h"
#include "base/net/egress.h"
#include "monitor/stores.h"
#include "store/store.h"

struct push_worker;

struct push_config {
    struct store *store;
    struct monitor_stores *monitor;
    const char *dsn;
    struct key integration_key; /* of INTEGRATION_KEY_PURPOSE */
    struct egress_allowed allowed;
    const char *ca_file; /* NULL: the system's */
    const char *relay;   /* of services with fixed addresses; empty: they are reached directly */
    int threads;
};

/* What it is given must outlive it. NULL without memory or threads. */
MUST_USE struct push_worker *push_worker_new(const struct push_config *config);
/* Ends after the requests that are under way. */
void push_worker_free(struct push_worker *worker);

#endif
