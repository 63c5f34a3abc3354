/* SPDX-License-Identifier: Apache-2.0 */
/* The password for searching a directory, as the database keeps it: sealed, and bound to the resource it belongs to. */
#ifndef BASE_CRYPTO_DIRECTORY_PASSWORD_H
#define BASE_CRYPTO_DIRECTORY_PASSWORD_H

#include "base/crypto/crypto.h"
#include "base/id.h"

/* The node's key for it: crypto_derive(). */
#define DIRECTORY_KEY_PURPOSE "directory"

/* Base64; empty when it could not be sealed. */
str directory_password_seal(struct arena *arena, const struct key *key, id resource, str password);
MUST_USE bool directory_password_open(struct arena *arena, const struct key *key, id resource, str sealed,
                                      str *ret_password);

#endif
