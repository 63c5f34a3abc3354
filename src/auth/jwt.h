/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signed tokens of identity providers (RFC 7515, 7517, 7519), as far as they are needed here: read, and checked against
 * a public key. Two algorithms, each with one kind of key. The algorithm that a token names only chooses between these
 * two: "none" and all algorithms with a shared secret are refused.
 */
#ifndef AUTH_JWT_H
#define AUTH_JWT_H

#include <jansson.h>
#include <openssl/types.h>

#include "base/str.h"

enum { JWT_MAX_BYTES = 16 * 1024, JWK_MAX = 64 };

enum jwt_algorithm { JWT_RS256, JWT_ES256 };

struct jwt {
    enum jwt_algorithm algorithm;
    str key_id;    /* empty: not named */
    str signed_of; /* what the signature is over */
    str signature; /* bytes */
    const json_t *claims;
};

/* Whether it looks like one at all: three parts. Reeve's own tokens have no dots. */
bool jwt_is_likely(str text);
/* False, with half a sentence, when it is not one that could ever be accepted. */
MUST_USE bool jwt_parse(struct arena *arena, str text, struct jwt *ret_jwt, const char **ret_why);

struct jwk {
    enum jwt_algorithm algorithm;
    str key_id;
    EVP_PKEY *key;
};
/* Those keys of the list of a JWKS that can be used here, at most JWK_MAX. They live as long as the arena. */
size_t jwk_read(struct arena *arena, const json_t *keys, struct jwk ret_keys[JWK_MAX]);

/* NULL when none of the keys is the one that the token names; a token that names none needs a list with one fitting key. */
const struct jwk *jwk_find(const struct jwk *keys, size_t count, const struct jwt *jwt);
MUST_USE bool jwt_is_signed_by(const struct jwt *jwt, const struct jwk *key);

/* ---- Claims ---- */
enum { JWT_LEEWAY_S = 60 };
/* Half a sentence about what is wrong with exp, nbf and iat, or NULL; exp and iat must be there. */
const char *jwt_check_times(const struct jwt *jwt, int64_t now_s);
int64_t jwt_time(const struct jwt *jwt, const char *claim);
/* `aud` is, or contains, the text. */
bool jwt_is_for(const struct jwt *jwt, str audience);

#endif
