/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers to requests with an Idempotency-Key, committed with their change, so that a repeated request gets the same
 * answer and has no second effect. A key belongs to its principal and is good for 24 hours. The answer is sealed by
 * the caller: it may hold a secret that is shown once.
 */
#ifndef STORE_IDEMPOTENCY_H
#define STORE_IDEMPOTENCY_H

#include "base/crypto/crypto.h"
#include "store/store.h"

struct idempotency_record {
    bool found;
    uint8_t request_hash[SHA256_BYTES];
    int status;
    str answer; /* sealed; in the arena of the transaction, or the one given */
};

/* Holds the key until the transaction ends. `ret_in_flight`: another transaction holds it, and this one does not. */
MUST_USE error store_idempotency_lock(struct tx *tx, id principal, str key, bool *ret_in_flight);
MUST_USE error store_idempotency_find(struct tx *tx, id principal, str key, struct idempotency_record *ret_record);
/* Takes the place of an expired record. Only with the key locked. */
MUST_USE error store_idempotency_add(struct tx *tx, id principal, str key, const uint8_t request_hash[SHA256_BYTES],
                                     int status, str answer);

/* After OUTCOME_UNKNOWN: the record exists if, and only if, the change was committed. */
MUST_USE error store_idempotency_find_outside(struct store *store, struct arena *arena, id principal, str key,
                                              struct idempotency_record *ret_record);

#endif
