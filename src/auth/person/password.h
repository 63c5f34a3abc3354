/* SPDX-License-Identifier: Apache-2.0 */
/*
 * People's passwords: which are taken, and what is kept of one. It is HMAC-SHA-256 under a key of the deployment and then argon2id, so that the
 * database alone is nothing to guess from, and each guess costs 19 MiB for tens of milliseconds. Whoever computes one must be on a thread; a process
 * computes few at a time, and refuses more instead of letting others wait.
 */
#ifndef AUTH_PERSON_PASSWORD_H
#define AUTH_PERSON_PASSWORD_H

#include "base/crypto/crypto.h"
#include "base/error.h"

#define PASSWORD_PEPPER_PURPOSE "password pepper v1"
enum {
    PASSWORD_MIN_CHARACTERS = 12,
    PASSWORD_MAX_CHARACTERS = 128,
    PASSWORDS_AT_ONCE = 2 /* of each process: 38 MiB, and a quarter of the usual eight threads */
};

/* Of a new one: NULL, or half a sentence about what is wrong with it. Its length is judged elsewhere, with all lengths. */
const char *password_problem(str password, str username);

/* OVERLOADED with Retry-After when as many as may be are being computed. */
MUST_USE error password_make(struct arena *arena, const struct key *pepper, str password, str *ret_hash);
/* `hash` is empty when there is nobody to compare with: it takes as long, and is wrong. */
MUST_USE error password_check(struct arena *arena, const struct key *pepper, str password, str hash, bool *ret_right);

#endif
