/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a certificate that somebody else made, to find out whether it can be used. */
#ifndef BASE_CRYPTO_CERTIFICATE_LOOK_H
#define BASE_CRYPTO_CERTIFICATE_LOOK_H

#include "base/crypto/crypto.h"

struct certificate_facts {
    int64_t not_before_ms, not_after_ms;
    uint8_t fingerprint[SHA256_BYTES]; /* of the whole certificate in DER */
    bool is_strong;                    /* its key is RSA of at least 2048 bits, or one on a curve of at least 256 */
};
/* Of the first certificate in a PEM text. */
MUST_USE bool certificate_read(str pem, struct certificate_facts *ret_facts);
/* Whether it was made for this key, and is valid for this host name or address. */
bool certificate_is_of(str pem, str key);
bool certificate_is_for(str pem, str name_or_address);
/* Whether a server accepts it from a client: its purpose allows it, or it has no purpose. */
bool certificate_is_clients(str pem);
/* The certificate with this fingerprint among several in one PEM text, as PEM; false when there is none. */
MUST_USE bool certificate_find(struct arena *arena, str pems, const uint8_t fingerprint[SHA256_BYTES], str *ret_pem);

#endif
