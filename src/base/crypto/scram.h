/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What PostgreSQL keeps of a password (RFC 5802, RFC 7677). It is computed before anything is stored, so the password
 * itself is only in the request.
 */
#ifndef BASE_CRYPTO_SCRAM_H
#define BASE_CRYPTO_SCRAM_H

#include "base/str.h"

enum { SCRAM_SALT_BYTES = 16, SCRAM_ITERATIONS = 4096 }; /* PostgreSQL's own */

/*
 * Whether clients agree on the bytes of this password: printable ASCII. Anything else would have to be normalized
 * (SASLprep, RFC 4013), which clients do in different ways or not at all.
 */
bool scram_takes(str password);

/* "SCRAM-SHA-256$4096:<salt>$<StoredKey>:<ServerKey>" with a new salt; empty when the arena is full. */
str scram_verifier(struct arena *arena, str password);
str scram_verifier_with(struct arena *arena, str password, str salt, int iterations);

#endif
