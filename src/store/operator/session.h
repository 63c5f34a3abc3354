/* SPDX-License-Identifier: Apache-2.0 */
/* Operators' sessions in a browser, their passkeys, and the tokens with which they add the first one. Nothing of it is people's (store/session). */
#ifndef STORE_OPERATOR_SESSION_H
#define STORE_OPERATOR_SESSION_H

#include "store/session/session.h"

struct operator_session_draft {
    id session, operator_id;
    str mac; /* of the cookie's value */
    str address, browser;
};
MUST_USE error store_operator_session_add(struct tx *tx, const struct operator_session_draft *draft, str *ret_expires);

struct operator_session_row {
    bool is_found;
    id operator_id;
    str name, mac;
    int64_t verified_ms; /* so long ago the operator proved with a key who they are */
    bool is_due;         /* its use is to be noted */
};
MUST_USE error store_operator_session_load(struct store *store, struct arena *arena, id session,
                                           struct operator_session_row *ret_row);
/* In a transaction of its own. */
MUST_USE error store_operator_session_touch(struct store *store, struct arena *arena, id session);
/* False when it has ended. */
MUST_USE error store_operator_session_verified(struct tx *tx, id operator_id, id session, bool *ret_is_there);
MUST_USE error store_operator_session_end(struct tx *tx, id operator_id, id session, bool *ret_is_there);
/* JSON list. */
MUST_USE error store_operator_session_list(struct store *store, struct arena *arena, id operator_id, str *ret_list);

/* As people's: `person` is the operator's id and `username` their name. */
MUST_USE error store_operator_passkey_find(struct store *store, struct arena *arena, str credential,
                                           struct passkey_row *ret_row);
/* SIGN_IN_REFUSED when another one has the credential's id. */
MUST_USE error store_operator_passkey_add(struct tx *tx, id operator_id, str credential, str public_key,
                                          int64_t counter, str name);
/* False when it did not count on since it was found. */
MUST_USE error store_operator_passkey_used(struct tx *tx, const struct passkey_row *row, int64_t counter,
                                           bool *ret_counts);

MUST_USE error store_operator_enrolment_add(struct tx *tx, str name, str mac, int64_t hours,
                                            enum enrolment_outcome *ret_outcome, str *ret_expires);
/* *ret_operator is none when nobody's first passkey is to come with this token. */
MUST_USE error store_operator_enrolment_find(struct store *store, struct arena *arena, str mac, id *ret_operator,
                                             str *ret_name);
MUST_USE error store_operator_enrolment_use(struct tx *tx, id operator_id, str mac, bool *ret_used);

#endif
