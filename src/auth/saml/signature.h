/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signatures in XML, as SAML restricts them (core, section 5.4): enveloped in the element that they are for, one reference to it, exclusive canonical form. Which key counts is
 * ours to know: what a message says of keys and certificates (KeyInfo) is not looked at. Pure: no clock, no store.
 */
#ifndef AUTH_SAML_SIGNATURE_H
#define AUTH_SAML_SIGNATURE_H

#include <jansson.h>

#include "auth/saml/xml.h"

struct saml_trust {
    const json_t *certificates; /* PEM texts */
    bool takes_sha1;
    int64_t now_ms;
};

/*
 * The bytes of the element that one of the certificates' keys has signed: the element in canonical form, without the signature in it. Only what is read from these bytes has
 * been signed; where the element stood in the document, and what else is there, does not matter any more. False with half a sentence; `what` is what it is called there.
 */
MUST_USE bool saml_signed_bytes(struct arena *arena, const xmlNode *element, const char *what,
                                const struct saml_trust *trust, str *ret_bytes, const char **ret_why);

#endif
