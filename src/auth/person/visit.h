/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a browser carries while its person is at the pages of their identity provider (OpenID Connect, with PKCE): a statement of ours in a cookie, which any node
 * can read and nobody else can make. state, nonce and code verifier are MACs over it: whoever sees what goes through addresses (state, nonce, the
 * verifier's hash) can work out neither the verifier nor the cookie, and nothing is kept of whoever only begins. Pure: no clock, no store.
 */
#ifndef AUTH_PERSON_VISIT_H
#define AUTH_PERSON_VISIT_H

#include "base/crypto/crypto.h"
#include "base/id.h"
#include "base/str.h"

#define VISIT_KEY_PURPOSE "provider visit v1"
#define VISIT_COOKIE      "__Host-reeve_visit"
enum {
    VISIT_LIFETIME_S = 600,
    VISIT_TEXT_LENGTH = 103, /* base64url of what visit.c has */
    VISIT_WORD_LENGTH = 43,  /* base64url of 256 bits, as PKCE wants it (RFC 7636 section 4.1) */
};

struct visit {
    int64_t began_at_s;
    id provider;
    id session; /* in which they confirm; none: they sign in */
    uint8_t hash[SHA256_BYTES];
    str state, nonce, verifier;
};

/* Empty when the arena is full. */
str visit_new(struct arena *arena, const struct key *key, int64_t now_s, id provider, id session);
/* False when it was not made here, or has expired. */
MUST_USE bool visit_read(struct arena *arena, const struct key *key, int64_t now_s, str text, struct visit *ret_visit);
/* What the provider is told of the verifier (S256). */
str visit_code_challenge(struct arena *arena, const struct visit *visit);

#endif
