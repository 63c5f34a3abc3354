/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP Digest (RFC 7616) for API keys: the header's parser, the hashes and the nonces. qop=auth only; SHA-256 and, for
 * old clients, MD5. Pure: no clock, no store; digest_parse() takes any bytes.
 *
 * The realm is part of every stored H(A1), so it never changes.
 */
#ifndef AUTH_DIGEST_H
#define AUTH_DIGEST_H

#include "base/crypto/crypto.h"

#define DIGEST_REALM "reeve"

enum digest_algorithm { DIGEST_SHA256, DIGEST_MD5 };

enum {
    DIGEST_MAX_PARAMETERS = 32,
    DIGEST_NONCE_BYTES = 32,
    DIGEST_NONCE_LENGTH = 43,
    DIGEST_NONCE_LIFETIME_S = 300,
    DIGEST_HEX_MAX = 2 * SHA256_BYTES,
};

/* What a client sent. Texts are unescaped and live in the arena. */
struct digest_header {
    enum digest_algorithm algorithm; /* MD5 when the client named none */
    str username, realm, nonce, uri, response, cnonce;
    str nc; /* exactly 8 hexadecimal digits */
};

/*
 * The parameters after "Digest", in any order; unknown ones are ignored. False when one comes twice, a required one is
 * missing, or the client wants something that is not supported (another algorithm or qop, userhash).
 */
MUST_USE bool digest_parse(struct arena *arena, str parameters, struct digest_header *ret_header);

/* ---- The hashes: lower-case hexadecimal digits, 64 for SHA-256 and 32 for MD5, without NUL ---- */
size_t digest_hex_length(enum digest_algorithm algorithm);
const char *digest_algorithm_name(enum digest_algorithm algorithm);
/* H(username:realm:password). As good as the password. */
void digest_a1(struct arena *arena, enum digest_algorithm algorithm, str username, str realm, str password,
               char ret_hex[DIGEST_HEX_MAX]);
/* What the client must have sent for this method, from H(A1). */
void digest_response(struct arena *arena, const struct digest_header *header, str method, const char *a1_hex,
                     char ret_hex[DIGEST_HEX_MAX]);

/* ---- Nonces: base64url of seconds 8, random 8, HMAC 16. Any node verifies what another one made. ---- */
enum nonce_state { NONCE_GOOD, NONCE_STALE, NONCE_FOREIGN };
str digest_nonce_new(struct arena *arena, const struct key *key, int64_t now_s);
enum nonce_state digest_nonce_check(const struct key *key, str nonce, int64_t now_s);

#endif
