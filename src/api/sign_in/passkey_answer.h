/* SPDX-License-Identifier: Apache-2.0 */
/* What browsers send when a passkey is made or asked: read, and compared with what was asked for, at whichever address it was asked. */
#ifndef API_SIGN_IN_PASSKEY_ANSWER_H
#define API_SIGN_IN_PASSKEY_ANSWER_H

#include "api/request.h"
#include "auth/person/challenge.h"
#include "auth/person/passkey.h"

/* Where passkeys are used. An answer that was given at one place is none at another. */
struct passkey_place {
    str origin;          /* of its pages */
    const char *setting; /* that says so, for messages */
    struct key key;      /* of its challenges */
};

/* ---- What is sent ---- */
/* base64url */
#define BYTES_FIELD(name, sentence, most_bytes) \
    TEXT(name, sentence, REQUIRED, .min = 1, .max = ((most_bytes) + 2) / 3 * 4)
#define PASSKEY_NAME_FIELD(flags)                                                 \
    TEXT("name", "What its owner calls the passkey.", flags, .min = 1, .max = 80, \
         .pattern = "^(?! )[^\\x00-\\x1f]{1,80}$")
/* A new passkey: what passkey_judge_new() reads. */
#define NEW_PASSKEY_FIELDS                                                                               \
    PASSKEY_NAME_FIELD(0),                                                                               \
        BYTES_FIELD("publicKey", "The new passkey, as getPublicKey() gives it.", PASSKEY_MAX_KEY_BYTES), \
        OBJECT("registration", "The browser's answer when the passkey was made.", REQUIRED,              \
               .of = &passkey_registration_schema),                                                      \
        OBJECT("assertion", "The new passkey's answer to another challenge, to sign in.", REQUIRED,      \
               .of = &passkey_assertion_schema)
extern const struct schema passkey_registration_schema, passkey_assertion_schema, passkey_token_schema,
    passkey_enrol_schema, passkey_session_schema;

/* SIGN_IN_REFUSED, with half a sentence. */
MUST_USE error passkey_refuse(struct request *req, const char *why);
/* Whose keys a browser offers: the origin's name without the port. Empty when it has none: then browsers have no keys for it. */
str passkey_rp_name(struct request *req, const struct passkey_place *place);
/* The same; SIGN_IN_REFUSED when it has none. */
MUST_USE error passkey_rp_id(struct request *req, const struct passkey_place *place, str *ret_name);
/* A new one, as base64url. */
str passkey_challenge(struct request *req, const struct passkey_place *place, enum challenge_use use);
/* base64url without padding; one spelling only. */
MUST_USE error passkey_read_bytes(struct request *req, const json_t *object, const char *name, str *ret_bytes);

/* The question that an answer is to, if it is one of this place for this use. It is used up when everything else is right. */
MUST_USE error passkey_read_question(struct request *req, const struct passkey_place *place, const json_t *answer,
                                     enum challenge_use use, struct passkey_question *ret_question);
/* In the transaction of the request: a question is answered once, at all nodes. */
MUST_USE error passkey_use_question(struct request *req, const struct passkey_question *question);
/* Whether the answer is right; SIGN_IN_REFUSED says what is not. */
MUST_USE error passkey_judge(struct request *req, const struct passkey_question *question, const json_t *answer,
                             uint32_t *ret_counter);
/* The same of a key that is being made (req->body has NEW_PASSKEY_FIELDS). It signs at once: so it is there, and can be used. */
MUST_USE error passkey_judge_new(struct request *req, const struct passkey_place *place,
                                 struct passkey_question *ret_enrol, struct passkey_question *ret_sign_in,
                                 uint32_t *ret_counter);

#endif
