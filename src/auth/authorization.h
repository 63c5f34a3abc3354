/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the Authorization header: a scheme and what follows it (RFC 9110 section 11.4). Pure; takes any bytes. */
#ifndef AUTH_AUTHORIZATION_H
#define AUTH_AUTHORIZATION_H

#include "base/str.h"

enum { AUTHORIZATION_MAX_BYTES = 8 * 1024 };

struct authorization {
    str scheme; /* compare without case */
    str rest;   /* without the spaces around it; may be empty */
};

/* False when the scheme is no token, a control character is in it, or it is too long. Slices of `header`. */
MUST_USE bool authorization_parse(str header, struct authorization *ret_authorization);

/* A character of an HTTP token (RFC 9110 section 5.6.2). */
bool authorization_is_token_char(char c);

/*
 * The parts of Basic credentials as OAuth clients send them: base64 of "id:secret", both percent-encoded (RFC 6749
 * section 2.3.1). False when it is malformed.
 */
MUST_USE bool authorization_parse_basic(struct arena *arena, str encoded, str *ret_id, str *ret_secret);

#endif
