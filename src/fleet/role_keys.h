/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of a role in an object store, for the goal of a host that writes with it (docs/internals/provider-roles.md). */
#ifndef FLEET_ROLE_KEYS_H
#define FLEET_ROLE_KEYS_H

#include "base/crypto/crypto.h"

struct role_keys {
    str key, secret_key;
    str authority; /* PEM of who signs for the store; empty: whom hosts trust */
};

/* `owner` and `both` are what provider_role_sealed.sql has before and behind its first colon. False when it cannot be opened, as when the role is gone. */
MUST_USE bool role_keys_open(struct arena *arena, const struct key *backup_key, str owner, str both,
                             struct role_keys *ret_keys);

#endif
