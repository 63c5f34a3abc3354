/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Challenges for passkeys. Nothing is kept of one that is given out: any node can tell that another one made it, what for, and when. Whoever
 * takes an answer keeps the challenge until it expires, so that it counts once. Pure: no clock, no store.
 */
#ifndef AUTH_PERSON_CHALLENGE_H
#define AUTH_PERSON_CHALLENGE_H

#include "auth/person/passkey.h"
#include "base/crypto/crypto.h"

#define CHALLENGE_KEY_PURPOSE "passkey challenge v1"
enum { CHALLENGE_LIFETIME_S = 300 };

/* What it is for: an answer to one is none to another. */
enum challenge_use { CHALLENGE_TO_SIGN_IN = 's', CHALLENGE_TO_ENROL = 'e', CHALLENGE_TO_CONFIRM = 'c' };

void challenge_new(const struct key *key, enum challenge_use use, int64_t now_s,
                   uint8_t ret_challenge[PASSKEY_CHALLENGE_BYTES]);
/* Whether it was made here for this, and has not expired. */
bool challenge_is_good(const struct key *key, enum challenge_use use, int64_t now_s,
                       const uint8_t challenge[PASSKEY_CHALLENGE_BYTES]);
int64_t challenge_expires_at_s(const uint8_t challenge[PASSKEY_CHALLENGE_BYTES]);

#endif
