/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cryptography that Reeve needs, over OpenSSL 3. Keys and secrets are types of their own: the logger and the
 * renderer have no function that takes one.
 */
#ifndef BASE_CRYPTO_CRYPTO_H
#define BASE_CRYPTO_CRYPTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum { KEY_BYTES = 32, SHA256_BYTES = 32, MD5_BYTES = 16, SEAL_OVERHEAD_BYTES = 28 };

struct key {
    uint8_t bytes[KEY_BYTES];
};

/* Ends the process when the system has no randomness: nothing safe can follow. */
void crypto_random(void *ret_bytes, size_t count);

void crypto_sha256(str text, uint8_t ret_digest[SHA256_BYTES]);
/* Of `bytes` bytes of an open file from `offset` on. False when it has fewer, or cannot be read. */
MUST_USE bool crypto_sha256_file(int file, int64_t offset, int64_t bytes, uint8_t ret_digest[SHA256_BYTES]);
void crypto_md5(str text, uint8_t ret_digest[MD5_BYTES]);
void crypto_hmac_sha256(const struct key *key, str text, uint8_t ret_mac[SHA256_BYTES]);
/* The same with a key of any length, for keys that other programs share. */
void crypto_hmac_sha256_text(str key, str text, uint8_t ret_mac[SHA256_BYTES]);
/* PBKDF2 with HMAC-SHA-256: a slow hash of a password. */
void crypto_pbkdf2_sha256(str password, str salt, int iterations, uint8_t ret_key[SHA256_BYTES]);
bool crypto_equal(const void *a, const void *b, size_t count); /* in constant time */
void crypto_wipe(void *bytes, size_t count);

/* HKDF-SHA-256: a key of its own for each purpose ("pepper v1", "idempotency"). */
struct key crypto_derive(const struct key *from, const char *purpose);

/*
 * AES-256-GCM with a random nonce in front and the tag behind: `plain.len + SEAL_OVERHEAD_BYTES` bytes. `bound_to`
 * names table, row and column, so that a sealed value cannot be moved to another place.
 */
MUST_USE bool crypto_seal(struct arena *arena, const struct key *key, str bound_to, str plain, str *ret_sealed);
MUST_USE bool crypto_open(struct arena *arena, const struct key *key, str bound_to, str sealed, str *ret_plain);

/*
 * A generated secret: `reeve_<kind>_<43 characters><6-character checksum>`, 256 random bits. The checksum (CRC-32
 * in base 62) lets scanners tell a leaked secret from noise without asking anybody.
 */
str secret_new(struct arena *arena, const char *kind);
bool secret_is_well_formed(str secret, const char *kind);

#endif
