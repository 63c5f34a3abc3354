/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a process keeps in memory about callers and contexts, so that most requests cost no query for them. Entries are
 * immutable and live as long as somebody's arena holds them; a commit anywhere removes them everywhere (NOTIFY). What
 * does not exist is never kept.
 *
 * Each function: with `fresh` the database is always asked; with may_block = false nothing is, and what would have to be
 * is WOULD_BLOCK. Thread safe.
 */
#ifndef AUTH_SNAPSHOT_H
#define AUTH_SNAPSHOT_H

#include "auth/auth.h"
#include "auth/digest.h"
#include "auth/freshness.h"
#include "auth/principal.h"

struct snapshot;

enum { SNAPSHOT_CAP = 100000 }; /* entries of each kind */

MUST_USE struct snapshot *snapshot_new(struct store *store, struct freshness *freshness,
                                       const struct key *data_key_sealing);
void snapshot_free(struct snapshot *snapshot);
size_t snapshot_count(struct snapshot *snapshot);

/* H(A1) of an API key, for both algorithms; in hexadecimal digits, as it is hashed again. */
struct digest_secret {
    char md5_hex[2 * MD5_BYTES];
    char sha256_hex[2 * SHA256_BYTES];
    atomic_bool used; /* since it was loaded */
};
/* True once for each time that it was loaded, so about once a minute at most: then its use is recorded. */
bool snapshot_is_first_use(const struct digest_secret *secret);

/* *ret_principal is NULL when there is none. */
MUST_USE error snapshot_principal(struct snapshot *snapshot, struct arena *arena, id principal, bool may_block,
                                  bool fresh, const struct principal **ret_principal);
/* By the public key of an API key; both are NULL when there is none. */
MUST_USE error snapshot_api_key(struct snapshot *snapshot, struct arena *arena, str public_key, bool may_block,
                                bool fresh, const struct principal **ret_principal,
                                const struct digest_secret **ret_secret);

/* A session that has not ended. */
struct session_facts {
    id person;
    uint8_t mac[SHA256_BYTES];          /* of the cookie's or the token's value */
    bool is_device;                     /* it has a token, no cookie */
    id provider;                        /* with which it began; zero: none */
    int64_t ends_at_ms, verified_at_ms; /* steady clock */
    atomic_bool used;                   /* since it was loaded */
};
/* *ret_facts is NULL when there is none. */
MUST_USE error snapshot_session(struct snapshot *snapshot, struct arena *arena, id session, bool may_block, bool fresh,
                                const struct session_facts **ret_facts);
/* True once for each time that it was loaded, so about once a minute at most: then its use is recorded. */
bool snapshot_is_first_use_of_session(const struct session_facts *facts);
bool snapshot_is_unused_session(const struct session_facts *facts);

enum facts_kind { FACTS_OF_ORGANIZATION, FACTS_OF_PROJECT, FACTS_OF_USER, FACTS_KINDS };
MUST_USE error snapshot_facts(struct snapshot *snapshot, struct arena *arena, enum facts_kind kind, id owner,
                              bool may_block, bool fresh, const struct context_facts **ret_facts);

/* A payload of the channel reeve_authority. A payload that cannot be read invalidates everything, which is safe. */
void snapshot_invalidate(struct snapshot *snapshot, str payload);

#endif
