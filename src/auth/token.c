/* SPDX-License-Identifier: Apache-2.0 */
#include "auth/token.h"

#define PREFIX "reeve_at_"
enum { PREFIX_LENGTH = sizeof(PREFIX) - 1 };

static void
write_u32(uint8_t *out, uint32_t value)
{
    for (int i = 3; i >= 0; i--, value >>= 8)
        out[i] = (uint8_t)value;
}

static uint32_t
read_u32(const uint8_t *in)
{
    return (uint32_t)in[0] << 24 | (uint32_t)in[1] << 16 | (uint32_t)in[2] << 8 | in[3];
}

str
token_new(struct arena *arena, const struct key *key, uint8_t key_id, id principal, uint32_t expires_at_s,
          uint32_t generation)
{
    uint8_t bytes[TOKEN_BYTES] = { TOKEN_VERSION, key_id };
    memcpy(bytes + 2, principal.bytes, ID_BYTES);
    write_u32(bytes + 14, expires_at_s);
    write_u32(bytes + 18, generation);
    crypto_random(bytes + 22, TOKEN_SIGNED_BYTES - 22);
    crypto_hmac_sha256(key, (str){ (const char *)bytes, TOKEN_SIGNED_BYTES }, bytes + TOKEN_SIGNED_BYTES);
    str body = str_base64url(arena, bytes, sizeof(bytes));
    return str_format(arena, PREFIX "%.*s", STR_ARG(body));
}

/* By table and without branches: the characters are as good as random, and a wrong guess costs more than a look. */
// clang-format off
static const int8_t digit_values[256] = {
#define V4(c, n) [(c)] = (n) + 1, [(c) + 1] = (n) + 2, [(c) + 2] = (n) + 3, [(c) + 3] = (n) + 4
#define V2(c, n) [(c)] = (n) + 1, [(c) + 1] = (n) + 2
    V4('A', 0),  V4('E', 4),  V4('I', 8),  V4('M', 12), V4('Q', 16), V4('U', 20), V2('Y', 24),
    V4('a', 26), V4('e', 30), V4('i', 34), V4('m', 38), V4('q', 42), V4('u', 46), V2('y', 50),
    V4('0', 52), V4('4', 56), V2('8', 60), ['-'] = 63,  ['_'] = 64,
#undef V4
#undef V2
};
// clang-format on

static bool
decode(const char *text, uint8_t ret_bytes[TOKEN_BYTES])
{
    /* 60 bytes are 80 digits without a spare bit, so each token has one spelling only. */
    int wrong = 0;
    for (int out = 0; out < TOKEN_BYTES; out += 3, text += 4) {
        uint32_t bits = 0;
        for (int i = 0; i < 4; i++) {
            int value = digit_values[(unsigned char)text[i]] - 1;
            wrong |= value;
            bits = bits << 6 | ((uint32_t)value & 63);
        }
        ret_bytes[out] = (uint8_t)(bits >> 16);
        ret_bytes[out + 1] = (uint8_t)(bits >> 8);
        ret_bytes[out + 2] = (uint8_t)bits;
    }
    return wrong >= 0;
}

bool
token_parse(str text, struct token *ret_token)
{
    struct token token;
    if (text.len != TOKEN_TEXT_LENGTH || memcmp(text.data, PREFIX, PREFIX_LENGTH) != 0)
        return false;
    if (!decode(text.data + PREFIX_LENGTH, token.bytes) || token.bytes[0] != TOKEN_VERSION)
        return false;
    token.key_id = token.bytes[1];
    token.principal = id_of_bytes(token.bytes + 2);
    token.expires_at_s = read_u32(token.bytes + 14);
    token.generation = read_u32(token.bytes + 18);
    *ret_token = token;
    return true;
}

bool
token_is_signed_by(const struct token *token, const struct key *key)
{
    uint8_t mac[SHA256_BYTES];
    crypto_hmac_sha256(key, (str){ (const char *)token->bytes, TOKEN_SIGNED_BYTES }, mac);
    return crypto_equal(mac, token->bytes + TOKEN_SIGNED_BYTES, SHA256_BYTES);
}

const uint8_t *
token_fingerprint(const struct token *token)
{
    return token->bytes + TOKEN_SIGNED_BYTES;
}
