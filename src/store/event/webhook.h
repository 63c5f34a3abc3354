/* SPDX-License-Identifier: Apache-2.0 */
/* Webhooks: who is told about an organization's events. The row holds the whole state of delivery. */
#ifndef STORE_EVENT_WEBHOOK_H
#define STORE_EVENT_WEBHOOK_H

#include "store/store.h"

enum { WEBHOOK_MAX = 10 }; /* of an organization */

struct webhook_draft {
    str url, description;
    str event_types; /* as PostgreSQL writes a text[]; empty: all */
    bool enabled;
};
MUST_USE error store_webhook_count(struct tx *tx, id organization, int64_t *ret_count);
MUST_USE error store_webhook_add(struct tx *tx, id organization, id webhook, const struct webhook_draft *draft,
                                 str sealed_secret);
/* The document is empty when there is none. */
MUST_USE error store_webhook_lock(struct tx *tx, id organization, id webhook, str *ret_document, int64_t *ret_revision);
MUST_USE error store_webhook_update(struct tx *tx, id organization, id webhook, const struct webhook_draft *draft);
MUST_USE error store_webhook_delete(struct tx *tx, id organization, id webhook);

/* ---- For the worker ---- */
struct webhook_place {
    id organization, webhook;
};
enum { WEBHOOK_DUE_MAX = 16 };
MUST_USE error store_webhook_due(struct store *store, struct arena *arena,
                                 struct webhook_place ret_due[WEBHOOK_DUE_MAX], size_t *ret_count);

struct webhook_claim {
    struct webhook_place place;
    int64_t epoch; /* of the lease: a holder of an older one cannot write any more */
    str url, sealed_secret;
    str event_types; /* separated by commas; empty: all */
    int64_t delivered_seq, failures;
};
/* False when somebody else has it. Each of these is a transaction of its own. */
MUST_USE error store_webhook_claim(struct store *store, struct arena *arena, struct webhook_place place,
                                   int64_t lease_s, int64_t retry_ms, bool *ret_claimed,
                                   struct webhook_claim *ret_claim);
/* Moves past `seq`; false when the lease is lost. Without a status nothing had to be sent. */
MUST_USE error store_webhook_delivered(struct store *store, struct arena *arena, struct webhook_claim *claim,
                                       int64_t seq, int status, int64_t lease_s, bool *ret_kept);
/* Gives it back; the event of a pause is written with it. */
MUST_USE error store_webhook_failed(struct store *store, struct arena *arena, const struct webhook_claim *claim,
                                    int status, str why, int64_t retry_ms, int64_t pause_after_s);
MUST_USE error store_webhook_release(struct store *store, struct arena *arena, const struct webhook_claim *claim);

#endif
