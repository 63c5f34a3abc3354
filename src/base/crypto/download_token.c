/* SPDX-License-Identifier: Apache-2.0 */
#include "base/crypto/download_token.h"

#define PREFIX "reeve_dl_" /* base/crypto/secret.h hides what follows */

str
download_token(struct arena *arena, const struct key *key, id download)
{
    uint8_t mac[SHA256_BYTES];
    crypto_hmac_sha256(key, id_text(arena, download), mac);
    return str_format(arena, PREFIX "%s", str_base64url(arena, mac, sizeof(mac)).data);
}

bool
download_token_is(struct arena *arena, const struct key *key, id download, str token)
{
    str wanted = download_token(arena, key, download);
    return wanted.len > 0 && token.len == wanted.len && crypto_equal(token.data, wanted.data, wanted.len);
}
