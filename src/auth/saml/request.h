/* SPDX-License-Identifier: Apache-2.0 */
/* The question with which a browser is sent to a SAML 2.0 provider. Not signed: nothing is in it that the provider may not be told by anybody, and the answer is for acsUrl only. Pure. */
#ifndef AUTH_SAML_REQUEST_H
#define AUTH_SAML_REQUEST_H

#include "base/str.h"

struct saml_request {
    str id, audience, acs, sso_url;
    int64_t now_s;
    bool asks_anew; /* ForceAuthn: also somebody who has a session there */
};

/* AuthnRequest as XML. */
str saml_request_xml(struct arena *arena, const struct saml_request *request);
/* HTTP-POST: what the form's field SAMLRequest has. HTTP-Redirect: the whole address. Empty: the arena is full. */
str saml_request_posted(struct arena *arena, const struct saml_request *request);
str saml_request_address(struct arena *arena, const struct saml_request *request, str relay_state);

/* `text` where HTML or XML has an attribute's value in double quotes. */
void saml_add_quoted(struct buf *out, str text);

#endif
