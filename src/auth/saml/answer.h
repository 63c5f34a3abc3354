/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a SAML 2.0 provider answers to a question of ours (web browser SSO profile, HTTP-POST). Pure: no clock, no store. Whatever is refused is refused with half a sentence for the
 * person and their administrator that says what to change. Statements are read from the bytes that were signed, and from nothing else.
 */
#ifndef AUTH_SAML_ANSWER_H
#define AUTH_SAML_ANSWER_H

#include "auth/saml/signature.h"

/* What the answer must be to, and from whom. */
struct saml_question {
    str issuer, audience, acs, request_id;
    int64_t asked_at_s;
    struct saml_trust trust;
};

struct saml_statement {
    str address;                /* NameID: an e-mail address */
    json_t *groups;             /* texts of the attribute memberOf */
    int64_t issued_s;           /* when the provider said so */
    int64_t authenticated_at_s; /* when they showed the provider who they are */
};

enum { SAML_LEEWAY_S = 60, SAML_GROUPS_MAX = 1000, SAML_GROUP_BYTES_MAX = 1024 };

MUST_USE bool saml_answer_read(struct arena *arena, str xml, const struct saml_question *question,
                               struct saml_statement *ret_statement, const char **ret_why);

/* Only the statement: bytes that were signed. Whoever calls this has checked by whom. */
MUST_USE bool saml_assertion_read(struct arena *arena, str bytes, const struct saml_question *question,
                                  struct saml_statement *ret_statement, const char **ret_why);

#endif
