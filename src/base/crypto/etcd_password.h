/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Passwords of etcd's users: made here, 256 bits, and always stored sealed. Each is bound to its row: in another row it
 * does not open.
 */
#ifndef BASE_CRYPTO_ETCD_PASSWORD_H
#define BASE_CRYPTO_ETCD_PASSWORD_H

#include "base/crypto/crypto.h"
#include "base/id.h"

#define ETCD_KEY_PURPOSE "etcd password v1" /* of crypto_derive() */

/* Sealed; open it to get the password. */
MUST_USE bool etcd_password_of_root_new(struct arena *arena, const struct key *key, str group, str *ret_sealed);
MUST_USE bool etcd_password_of_root_open(struct arena *arena, const struct key *key, str group, str sealed,
                                         str *ret_password);
MUST_USE bool etcd_password_of_cluster_new(struct arena *arena, const struct key *key, id cluster, str *ret_sealed);
MUST_USE bool etcd_password_of_cluster_open(struct arena *arena, const struct key *key, id cluster, str sealed,
                                            str *ret_password);

#endif
