/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of sign_in/ share: reading a browser's answers, and beginning a session. Nobody else includes it. */
#ifndef API_SIGN_IN_PARTS_H
#define API_SIGN_IN_PARTS_H

#include "api/sign_in/passkey_answer.h"
#include "store/event/event.h"
#include "store/session/session.h"

/* ---- What is sent ---- */
#define NEW_PASSWORD_FIELD                                                                       \
    TEXT("password", "The new password.", REQUIRED | WRITE_ONLY, .min = PASSWORD_MIN_CHARACTERS, \
         .max = PASSWORD_MAX_CHARACTERS)

/* ---- Passkeys ---- */
struct passkey_place sign_in_place(struct request *req);
/* Whose keys a browser offers here. Empty: base_url is an address and no name. */
str sign_in_rp_id(struct request *req);

struct new_passkey {
    struct passkey_question enrol, sign_in; /* what was answered; the second one has the key */
    uint32_t counter;
    str credential, name;
};
/* The questions for somebody who makes a key: what a browser's navigator.credentials.create() needs. */
MUST_USE error sign_in_ask_for_key(struct request *req, id person, str username, json_t **ret_document);
/* What the body says of a new key. It signs at once: so it is there, and can be used. */
MUST_USE error sign_in_check_new_key(struct request *req, struct new_passkey *ret_key);
/* Uses up both challenges, and adds it. In the transaction of the request. */
MUST_USE error sign_in_add_key(struct request *req, id person, const struct new_passkey *key);

/* ---- Passwords ---- */
/* What is kept of the new password in the body, if it is one that is taken. */
MUST_USE error sign_in_new_password(struct request *req, str username, str *ret_hash);

/* ---- Events ---- */
/* In the service's transaction of the request, as late as can be: it locks chains. `provider` is that of their session, or zero; `more` is NULL, or has fields
 * beside who it was. */
MUST_USE error sign_in_note(struct request *req, enum event_type type, id person, str username, id provider,
                            json_t *more);

/* ---- Sessions ---- */
enum sign_in_way { WITH_PASSKEY, WITH_PASSWORD, WITH_PROVIDER };
struct signed_in {
    id person;
    str username;
    enum sign_in_way way;
    bool is_verified; /* with the best that they have, just now */
    id provider;      /* zero: they need none */
    int64_t provider_epoch;
};
/* Begins a session, commits, and answers with its cookie. */
MUST_USE error sign_in_begin(struct request *req, const struct signed_in *who);
/* Finds the session of the cookie. Only a session counts here: whoever calls with a token has none. */
MUST_USE error sign_in_session(struct request *req);
/* SESSION_OF_PROVIDER when it began with one: whoever decides there who somebody is must not get what opens more than that. */
MUST_USE error sign_in_check_own(struct request *req);
/* The same from the database, and its person must have confirmed lately: for what decides how they sign in. */
MUST_USE error sign_in_confirmed_session(struct request *req);
MUST_USE error sign_in_answer(struct request *req, json_t *document);
void sign_in_answer_nothing(struct request *req);

#endif
