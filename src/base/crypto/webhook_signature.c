/* SPDX-License-Identifier: Apache-2.0 */
#include "base/crypto/webhook_signature.h"

enum { SIGNED_MAX_BYTES = 64 * 1024 * 1024 };

static str
place_of(struct arena *arena, id webhook)
{
    return str_format(arena, "webhook/%s/secret", id_text(arena, webhook).data);
}

bool
webhook_seal_secret(struct arena *arena, const struct key *key, id webhook, str secret, str *ret_sealed)
{
    return crypto_seal(arena, key, place_of(arena, webhook), secret, ret_sealed);
}

bool
webhook_open_secret(struct arena *arena, const struct key *key, id webhook, str sealed, str *ret_secret)
{
    return crypto_open(arena, key, place_of(arena, webhook), sealed, ret_secret);
}

str
webhook_signature(struct arena *arena, str secret, int64_t timestamp_s, str body)
{
    uint8_t mac[SHA256_BYTES];
    struct buf text = buf_in(arena, SIGNED_MAX_BYTES);
    buf_format(&text, "%lld.", (long long)timestamp_s);
    buf_add(&text, body);
    str to_sign = buf_str(&text);
    if (to_sign.len == 0)
        return STR_EMPTY;
    crypto_hmac_sha256_text(secret, to_sign, mac);
    return str_format(arena, "v1=%s", str_hex(arena, mac, sizeof(mac)).data);
}
