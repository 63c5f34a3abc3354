/* SPDX-License-Identifier: Apache-2.0 */
#include "base/crypto/tunnel_key.h"

#include <openssl/evp.h>

#include "base/crypto/crypto.h"

enum { RAW_BYTES = 32 };

bool
tunnel_key_new(struct arena *arena, str *ret_private)
{
    uint8_t raw[RAW_BYTES];
    crypto_random(raw, sizeof(raw));
    /* As RFC 7748 says, so that every program writes it in the same way. */
    raw[0] &= 248;
    raw[31] = (uint8_t)((raw[31] & 127) | 64);
    *ret_private = str_base64(arena, raw, sizeof(raw));
    crypto_wipe(raw, sizeof(raw));
    return ret_private->len > 0;
}

bool
tunnel_key_public(struct arena *arena, str private_key, str *ret_public)
{
    str raw;
    uint8_t public_raw[RAW_BYTES];
    size_t count = sizeof(public_raw);
    if (!str_from_base64(arena, private_key, &raw) || raw.len != RAW_BYTES)
        return false;
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, (const uint8_t *)raw.data, raw.len);
    bool made = key != NULL && EVP_PKEY_get_raw_public_key(key, public_raw, &count) == 1 && count == RAW_BYTES;
    EVP_PKEY_free(key);
    if (made)
        *ret_public = str_base64(arena, public_raw, sizeof(public_raw));
    return made && ret_public->len > 0;
}

/* OpenSSL refuses to derive with one of the few points of which the result would be the same for everybody. */
bool
tunnel_key_is_public(struct arena *arena, str text)
{
    str own, raw, own_raw;
    uint8_t shared[RAW_BYTES];
    size_t count = sizeof(shared);
    if (!str_from_base64(arena, text, &raw) || raw.len != RAW_BYTES || !tunnel_key_new(arena, &own) ||
        !str_from_base64(arena, own, &own_raw))
        return false;
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, (const uint8_t *)own_raw.data, own_raw.len);
    EVP_PKEY *other = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, NULL, (const uint8_t *)raw.data, raw.len);
    EVP_PKEY_CTX *context = key == NULL || other == NULL ? NULL : EVP_PKEY_CTX_new(key, NULL);
    bool is_one = context != NULL && EVP_PKEY_derive_init(context) == 1 &&
                  EVP_PKEY_derive_set_peer(context, other) == 1 && EVP_PKEY_derive(context, shared, &count) == 1;
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(other);
    EVP_PKEY_free(key);
    return is_one;
}
