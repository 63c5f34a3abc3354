/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What people sign in with, beyond the first passkey: passwords, further passkeys, and how all of it is taken away from somebody who lost theirs. Whatever
 * takes something away locks the person first, so that nobody is left with nothing.
 */
#ifndef STORE_SESSION_PERSON_CREDENTIAL_H
#define STORE_SESSION_PERSON_CREDENTIAL_H

#include "store/store.h"

struct password_row {
    id person; /* none: nobody has this name */
    str username, hash /* empty: they have none */;
    bool has_passkey;
};
MUST_USE error store_password_find(struct store *store, struct arena *arena, str username,
                                   struct password_row *ret_row);
MUST_USE error store_password_put(struct tx *tx, id person, str hash);
/* False when there is none, or no passkey to sign in with instead. */
MUST_USE error store_password_remove(struct tx *tx, id person, bool *ret_removed);

/* *ret_list is JSON; *ret_changed is when the password was set, empty: there is none. */
MUST_USE error store_passkey_list(struct store *store, struct arena *arena, id person, str *ret_list, str *ret_changed);
MUST_USE error store_passkey_rename(struct tx *tx, id person, id passkey, str name, bool *ret_found);
enum passkey_removal { PASSKEY_REMOVED, PASSKEY_IS_UNKNOWN, PASSKEY_IS_LAST };
/* *ret_name is what it was called. A password is something to sign in with only if it counts. */
MUST_USE error store_passkey_remove(struct tx *tx, id person, id passkey, bool counts_password,
                                    enum passkey_removal *ret_outcome, str *ret_name);

/* Those that a session of the person opens, in order; `provider` is with which it began, or zero. */
MUST_USE error store_person_organizations(struct store *store, struct arena *arena, id person, id provider,
                                          size_t *ret_count, const id **ret_organizations);
/* All nodes are told. `kept` is none: no session stays. */
MUST_USE error store_session_end_others(struct tx *tx, id person, id kept);
/* Passkeys, password and sessions. */
MUST_USE error store_credentials_forget(struct tx *tx, id person);

#endif
