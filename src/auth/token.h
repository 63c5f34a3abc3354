/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bearer tokens: `reeve_at_` and the base64url of 60 bytes: version 1, signing key 1, principal 12, expiry 4 (seconds
 * since 1970), generation 4 (low bits), 6 random ones, HMAC-SHA-256 32 over all of these. Opaque to clients, verified
 * without a query. The random bytes make two tokens of one second differ, so that one can be revoked without the other.
 * Pure: no clock, no key ring.
 */
#ifndef AUTH_TOKEN_H
#define AUTH_TOKEN_H

#include "auth/principal.h"
#include "base/crypto/crypto.h"

enum {
    TOKEN_VERSION = 1,
    TOKEN_SIGNED_BYTES = 28,
    TOKEN_BYTES = TOKEN_SIGNED_BYTES + SHA256_BYTES,
    TOKEN_TEXT_LENGTH = 9 + TOKEN_BYTES * 8 / 6,
};

struct token {
    uint8_t key_id;
    id principal;
    uint32_t expires_at_s;
    uint32_t generation;
    uint8_t bytes[TOKEN_BYTES];
};

/* Signed text; empty when the arena is full. */
str token_new(struct arena *arena, const struct key *key, uint8_t key_id, id principal, uint32_t expires_at_s,
              uint32_t generation);

/* Only parses the text: the caller finds the key and calls token_is_signed_by(). */
MUST_USE bool token_parse(str text, struct token *ret_token);
/* In constant time. */
bool token_is_signed_by(const struct token *token, const struct key *key);
/* The first TOKEN_FINGERPRINT_BYTES of the MAC: what a revocation remembers. */
const uint8_t *token_fingerprint(const struct token *token);

#endif
