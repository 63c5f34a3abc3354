/* SPDX-License-Identifier: Apache-2.0 */
/* The form that clients post to the OAuth endpoints. Pure; takes any bytes. The endpoints themselves are in auth.h. */
#ifndef AUTH_OAUTH_H
#define AUTH_OAUTH_H

#include "base/str.h"

enum { OAUTH_FORM_MAX_PARAMETERS = 32 };

/* Decoded values; empty when the parameter was left out or had no value, which is the same (RFC 6749 section 3.2). */
struct oauth_form {
    str grant_type, client_id, client_secret, client_assertion, client_assertion_type, token, device_code, host;
};

/* False when it is malformed, too large, or a parameter comes twice. Unknown parameters are ignored. */
MUST_USE bool oauth_form_parse(struct arena *arena, str form, struct oauth_form *ret_form);
/* application/x-www-form-urlencoded, with or without parameters. */
bool oauth_is_form(str content_type);

#endif
