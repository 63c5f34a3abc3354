/* SPDX-License-Identifier: Apache-2.0 */
/*
 * X.509 as far as a fleet needs it: keys, requests for certificates, and an authority that signs them. Everything goes
 * in and comes out as PEM. The signer says what the certificate is for. Of a request only its public key is used, and
 * only when the request proves that its maker has the private key.
 */
#ifndef BASE_CRYPTO_CERTIFICATE_H
#define BASE_CRYPTO_CERTIFICATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/crypto/crypto.h"
#include "base/str.h"

enum {
    CERTIFICATE_MAX_BYTES = 16 * 1024, /* of anything in PEM that is read here */
    CERTIFICATE_MAX_NAMES = 32,
    SERIAL_DIGITS = 32, /* 128 bits, the first of them never set */
};

/* What a certificate may be used for: those who check it refuse it for anything else. */
enum certificate_use { USE_BOTH, USE_SERVER, USE_CLIENT };

/* What a certificate says. One of the two names may be empty. */
struct certificate_subject {
    str common_name, organization;
    const str *names; /* DNS */
    size_t name_count;
    const str *addresses; /* IPv4 or IPv6 */
    size_t address_count;
    int64_t lifetime_s;
    enum certificate_use use; /* not of an authority */
};

struct certificate {
    str pem;
    char serial[SERIAL_DIGITS + 1]; /* hexadecimal, in capitals as nginx writes it, without leading zeros */
    int64_t not_after_ms;
};

/* All of these are false when something is wrong with what was given, or there is no memory. */

/* An EC key on P-256, in PKCS #8. */
MUST_USE bool certificate_key_new(struct arena *arena, str *ret_key);
/* Signed with the key; its subject is only a remark and is never trusted. */
MUST_USE bool certificate_request_new(struct arena *arena, str key, str common_name, str *ret_request);

/* A certificate that may sign others, signed by its own key. */
MUST_USE bool certificate_authority_new(struct arena *arena, str key, const struct certificate_subject *subject,
                                        struct certificate *ret_certificate);
/* Signed by the authority. */
MUST_USE bool certificate_sign(struct arena *arena, str authority, str authority_key, str request,
                               const struct certificate_subject *subject, struct certificate *ret_certificate);
/* Whether a request can be signed: it is well-formed, its key is strong enough, and the key signed it. */
bool certificate_request_is_fine(str request);

/* Whether the text consists of certificates of authorities and nothing else. */
bool certificate_is_authority_bundle(str pem);

/* SHA-256 of the certificate itself (DER), as `openssl x509 -fingerprint -sha256` has it. */
MUST_USE bool certificate_fingerprint(str certificate, uint8_t ret_digest[SHA256_BYTES]);

#endif
