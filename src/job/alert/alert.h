/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Raises alerts from events and sends notifications. Each event is processed once; each notification is sent at least
 * once, always with the same id. Any number of threads and workers can do it in parallel.
 */
#ifndef JOB_ALERT_ALERT_H
#define JOB_ALERT_ALERT_H

#include "base/crypto/crypto.h"
#include "base/net/egress.h"
#include "job/identity/invitation_mail.h"
#include "store/store.h"

struct alert_worker;

struct alert_worker_config {
    struct store *store;
    const char *dsn;
    struct key key;             /* of ALERT_KEY_PURPOSE */
    struct key integration_key; /* of INTEGRATION_KEY_PURPOSE */
    struct egress_allowed allowed;
    const char *ca_file; /* NULL: the system's */
    struct mail_server mail;
    struct invitation_mailer invitations; /* mails that are no alerts go out on the same threads */
    const char *relay;                    /* of chat and paging services; NULL: they are reached directly */
    int threads;
};

/* What it is given must outlive it. NULL without memory or threads. */
MUST_USE struct alert_worker *alert_worker_new(const struct alert_worker_config *config);
/* Ends after what is under way. */
void alert_worker_free(struct alert_worker *worker);

#endif
