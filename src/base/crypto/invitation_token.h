/* SPDX-License-Identifier: Apache-2.0 */
/* The token of an invitation while it waits for its mail: sealed, and bound to the invitation. */
#ifndef BASE_CRYPTO_INVITATION_TOKEN_H
#define BASE_CRYPTO_INVITATION_TOKEN_H

#include "base/crypto/crypto.h"
#include "base/id.h"

/* The node's key for it: crypto_derive(). */
#define INVITATION_KEY_PURPOSE "invitation token v1"

MUST_USE bool invitation_token_seal(struct arena *arena, const struct key *key, id invitation, str token,
                                    str *ret_sealed);
MUST_USE bool invitation_token_open(struct arena *arena, const struct key *key, id invitation, str sealed,
                                    str *ret_token);

#endif
