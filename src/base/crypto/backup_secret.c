/* SPDX-License-Identifier: Apache-2.0 */
#include "base/crypto/backup_secret.h"

static str
place_of_cipher(struct arena *arena, id stanza)
{
    return str_format(arena, "stanza/%s/cipher", id_text(arena, stanza).data);
}

static str
place_of_keys(struct arena *arena, str store)
{
    return str_format(arena, "object-store/%.*s/keys", STR_ARG(store));
}

bool
backup_cipher_new(struct arena *arena, const struct key *key, id stanza, str *ret_sealed)
{
    uint8_t bytes[KEY_BYTES];
    crypto_random(bytes, sizeof(bytes));
    str pass = str_hex(arena, bytes, sizeof(bytes));
    crypto_wipe(bytes, sizeof(bytes));
    return pass.len > 0 && crypto_seal(arena, key, place_of_cipher(arena, stanza), pass, ret_sealed);
}

bool
backup_cipher_open(struct arena *arena, const struct key *key, id stanza, str sealed, str *ret_pass)
{
    return crypto_open(arena, key, place_of_cipher(arena, stanza), sealed, ret_pass);
}

bool
object_store_keys_seal(struct arena *arena, const struct key *key, str store, str keys, str *ret_sealed)
{
    return crypto_seal(arena, key, place_of_keys(arena, store), keys, ret_sealed);
}

bool
object_store_keys_open(struct arena *arena, const struct key *key, str store, str sealed, str *ret_keys)
{
    return crypto_open(arena, key, place_of_keys(arena, store), sealed, ret_keys);
}
