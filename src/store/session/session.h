/* SPDX-License-Identifier: Apache-2.0 */
/*
 * People's sessions in a browser, their passkeys, the tokens with which they add the first one, and challenges that were used. People belong to
 * no organization: every transaction here is the service's own.
 */
#ifndef STORE_SESSION_SESSION_H
#define STORE_SESSION_SESSION_H

#include "store/store.h"

struct session_draft {
    id session, person;
    str mac; /* of the cookie's value */
    int pepper_version;
    str address, browser;
};
MUST_USE error store_session_add(struct tx *tx, const struct session_draft *draft, str *ret_expires);
/* Notes that it is in use, in a transaction of its own. */
MUST_USE error store_session_touch(struct store *store, struct arena *arena, id session);
/* The next two tell all nodes. The person proved once more who they are; SESSION_ENDED when it has ended. */
MUST_USE error store_session_verified(struct tx *tx, id person, id session);
MUST_USE error store_session_end(struct tx *tx, id person, id session, bool *ret_ended);
/* JSON list. */
MUST_USE error store_session_list(struct store *store, struct arena *arena, id person, str *ret_list);

struct passkey_row {
    bool is_found;
    id passkey, person;
    str username, public_key;
    int64_t counter;
};
MUST_USE error store_passkey_find(struct store *store, struct arena *arena, str credential,
                                  struct passkey_row *ret_row);
/* SIGN_IN_REFUSED when another one has the credential's id, or the person has too many. */
MUST_USE error store_passkey_add(struct tx *tx, id person, str credential, str public_key, int64_t counter, str name);
/* False when it did not count on since it was found. */
MUST_USE error store_passkey_used(struct tx *tx, const struct passkey_row *row, int64_t counter, bool *ret_counts);

enum enrolment_outcome { ENROLMENT_MADE, ENROLMENT_NOBODY, ENROLMENT_HAS_PASSKEY };
MUST_USE error store_enrolment_add(struct tx *tx, str username, str mac, int pepper_version, int64_t hours,
                                   enum enrolment_outcome *ret_outcome, str *ret_expires);
/* *ret_person is none when nobody's first passkey is to come with this token. */
MUST_USE error store_enrolment_find(struct store *store, struct arena *arena, str mac, id *ret_person,
                                    str *ret_username);
MUST_USE error store_enrolment_use(struct tx *tx, id person, str mac, bool *ret_used);

/* *ret_is_first is false when it was used before. */
MUST_USE error store_challenge_use(struct tx *tx, str challenge, int64_t expires_at_s, bool *ret_is_first);

#endif
