/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Secrets of backups, always stored sealed. What a stanza is encrypted with is made here, 256 bits. Keys of an object store come
 * from its owner. Each is bound to its row: in another row it does not open.
 */
#ifndef BASE_CRYPTO_BACKUP_SECRET_H
#define BASE_CRYPTO_BACKUP_SECRET_H

#include "base/crypto/crypto.h"
#include "base/id.h"

#define BACKUP_KEY_PURPOSE "backup secret v1" /* of crypto_derive() */

/* Sealed; open it to get the passphrase. */
MUST_USE bool backup_cipher_new(struct arena *arena, const struct key *key, id stanza, str *ret_sealed);
MUST_USE bool backup_cipher_open(struct arena *arena, const struct key *key, id stanza, str sealed, str *ret_pass);

/* `keys` is JSON: {"key", "secretKey"}. */
MUST_USE bool object_store_keys_seal(struct arena *arena, const struct key *key, str store, str keys, str *ret_sealed);
MUST_USE bool object_store_keys_open(struct arena *arena, const struct key *key, str store, str sealed, str *ret_keys);

#endif
