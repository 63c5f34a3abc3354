/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Identity providers of a federation. Every statement names an organization of that federation and works only on its
 * providers. The row also has the provider's public keys and the state of fetching them.
 */
#ifndef STORE_FEDERATION_IDENTITY_PROVIDER_H
#define STORE_FEDERATION_IDENTITY_PROVIDER_H

#include "store/store.h"

enum { IDENTITY_PROVIDER_MAX = 10 }; /* of a federation */

struct identity_provider_draft {
    str protocol, status, issuer;
    str domains;  /* JSON list */
    str settings; /* JSON object */
};
MUST_USE error store_identity_provider_count(struct tx *tx, id organization, int64_t *ret_count);
MUST_USE error store_identity_provider_add(struct tx *tx, id organization, id provider,
                                           const struct identity_provider_draft *draft);
/* The document is empty when there is none. What is in `settings` as "hidden" is in no document; ret_hidden may be NULL. */
MUST_USE error store_identity_provider_lock(struct tx *tx, id organization, id provider, str *ret_document,
                                            int64_t *ret_revision, str *ret_hidden);
/* The protocol stays. */
MUST_USE error store_identity_provider_update(struct tx *tx, id organization, id provider,
                                              const struct identity_provider_draft *draft);
/* *ret_in_use: an organization uses it, so it is still there and the transaction can only roll back. */
MUST_USE error store_identity_provider_delete(struct tx *tx, id organization, id provider, bool *ret_in_use);
MUST_USE error store_identity_provider_forget_keys(struct tx *tx, id organization, id provider);

/* ---- For the worker that fetches keys ---- */
struct identity_provider_place {
    id organization, provider;
};
enum { IDENTITY_PROVIDER_DUE_MAX = 16 };
MUST_USE error store_identity_provider_due(struct store *store, struct arena *arena,
                                           struct identity_provider_place ret_due[IDENTITY_PROVIDER_DUE_MAX],
                                           size_t *ret_count);
struct identity_provider_claim {
    struct identity_provider_place place;
    str issuer;
    int64_t epoch; /* a holder of an older one cannot write any more */
    id federation;
};
/* False when somebody else took it. Each of these is a transaction of its own. */
MUST_USE error store_identity_provider_claim(struct store *store, struct arena *arena,
                                             struct identity_provider_place place, bool *ret_claimed,
                                             struct identity_provider_claim *ret_claim);
/* `pages` is what is kept of the discovery document; empty: people cannot be sent there. */
MUST_USE error store_identity_provider_fetched(struct store *store, struct arena *arena,
                                               const struct identity_provider_claim *claim, str keys, str pages,
                                               int64_t again_after_s);
MUST_USE error store_identity_provider_not_fetched(struct store *store, struct arena *arena,
                                                   const struct identity_provider_claim *claim, str why);

#endif
