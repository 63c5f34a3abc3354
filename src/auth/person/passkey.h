/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Passkeys (Web Authentication level 2, section 7.2), as far as they are needed here: whether a browser's answer to a challenge was
 * signed by the key that somebody enrolled. Pure functions on bytes from outside.
 *
 * Nothing of CBOR is read: the browser gives the public key as SubjectPublicKeyInfo (getPublicKey()), and attestations are not asked for.
 * Instead an enrolment is followed by an assertion at once, which proves that the key is there.
 */
#ifndef AUTH_PASSKEY_H
#define AUTH_PASSKEY_H

#include "base/str.h"

enum {
    PASSKEY_CHALLENGE_BYTES = 32,
    PASSKEY_MAX_CLIENT_DATA_BYTES = 2048,
    PASSKEY_MAX_KEY_BYTES = 1024,
    PASSKEY_MAX_SIGNATURE_BYTES = 1024,
    PASSKEY_MAX_AUTHENTICATOR_BYTES = 2048, /* with a new key and what it may say beside it */
    PASSKEY_MAX_CREDENTIAL_BYTES = 1023     /* section 4: an authenticator's id of a key is never longer */
};

/* What only this node, this page and this try can have asked for. */
struct passkey_question {
    uint8_t challenge[PASSKEY_CHALLENGE_BYTES];
    str origin;       /* "https://reeve.example:8443", to the letter */
    str rp_id;        /* "reeve.example": whose keys the browser offers */
    bool is_new;      /* the key is being made: only what the browser says is looked at, there is no signature */
    str key;          /* SubjectPublicKeyInfo, DER */
    uint32_t counter; /* how often the key was used, as it said last; 0: it does not count */
};

struct passkey_answer {
    str client_data;        /* JSON, as the browser wrote it */
    str authenticator_data; /* 37 bytes and what may follow */
    str signature;
};

/* Whether it is a key that can be used here: P-256, RSA from 2048 bits on, Ed25519. */
bool passkey_key_is_usable(str key);

/* NULL, or half a sentence about what is wrong. *ret_counter is what the question of the next time must have. */
const char *passkey_check(struct arena *arena, const struct passkey_question *question,
                          const struct passkey_answer *answer, uint32_t *ret_counter);

#endif
