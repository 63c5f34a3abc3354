/* SPDX-License-Identifier: Apache-2.0 */
#include "auth/digest.h"

#include "auth/authorization.h"

enum { NONCE_SIGNED_BYTES = 16, NONCE_MAC_BYTES = 16, NC_DIGITS = 8 };

/* ---- The header ---- */

enum parameter { USERNAME, REALM, NONCE, URI, RESPONSE, CNONCE, NC, QOP, ALGORITHM, USERHASH, PARAMETER_COUNT };
static const char *const parameter_names[PARAMETER_COUNT] = {
    "username", "realm", "nonce", "uri", "response", "cnonce", "nc", "qop", "algorithm", "userhash",
};

struct reader {
    struct arena *arena;
    str text;
    size_t at;
};

static void
skip_spaces(struct reader *in)
{
    while (in->at < in->text.len && (in->text.data[in->at] == ' ' || in->text.data[in->at] == '\t'))
        in->at++;
}

static bool
take_char(struct reader *in, char c)
{
    if (in->at >= in->text.len || in->text.data[in->at] != c)
        return false;
    in->at++;
    return true;
}

static str
take_token(struct reader *in)
{
    size_t from = in->at;
    while (in->at < in->text.len && authorization_is_token_char(in->text.data[in->at]))
        in->at++;
    return str_slice(in->text, from, in->at);
}

/* Behind the opening quote. A backslash makes the next character plain. */
static bool
take_quoted(struct reader *in, str *ret_value)
{
    char *out = arena_alloc(in->arena, in->text.len - in->at + 1);
    if (out == NULL)
        return false;
    for (size_t length = 0; in->at < in->text.len;) {
        char c = in->text.data[in->at++];
        if (c == '"') {
            *ret_value = (str){ out, length };
            return true;
        }
        if (c == '\\') {
            if (in->at == in->text.len)
                return false;
            c = in->text.data[in->at++];
        }
        if (c == '\0')
            return false;
        out[length++] = c;
    }
    return false;
}

/* Clients disagree on what they put in quotes, so every value may come either way. */
static bool
take_parameter(struct reader *in, str *ret_name, str *ret_value)
{
    *ret_name = take_token(in);
    skip_spaces(in);
    if (ret_name->len == 0 || !take_char(in, '='))
        return false;
    skip_spaces(in);
    if (take_char(in, '"'))
        return take_quoted(in, ret_value);
    *ret_value = take_token(in);
    return ret_value->len > 0;
}

/* Every parameter once, the unknown ones too: two parsers that pick different twins disagree on who calls. */
static bool
read_parameters(struct reader *in, str values[PARAMETER_COUNT], bool present[PARAMETER_COUNT])
{
    str names[DIGEST_MAX_PARAMETERS];
    size_t count = 0;
    for (;;) {
        skip_spaces(in);
        while (take_char(in, ','))
            skip_spaces(in);
        if (in->at == in->text.len)
            return count > 0;
        str name, value;
        if (count == DIGEST_MAX_PARAMETERS || !take_parameter(in, &name, &value))
            return false;
        for (size_t i = 0; i < count; i++) {
            if (str_eq_nocase(names[i], name))
                return false;
        }
        names[count++] = name;
        for (int p = 0; p < PARAMETER_COUNT; p++) {
            if (str_eq_nocase(name, str_from(parameter_names[p]))) {
                values[p] = value;
                present[p] = true;
            }
        }
        skip_spaces(in);
        if (in->at < in->text.len && in->text.data[in->at] != ',')
            return false;
    }
}

static bool
is_hex(str text, size_t length)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')))
            return false;
    }
    return text.len == length;
}

bool
digest_parse(struct arena *arena, str parameters, struct digest_header *ret_header)
{
    str values[PARAMETER_COUNT] = { 0 };
    bool present[PARAMETER_COUNT] = { false };
    struct reader in = { .arena = arena, .text = parameters };
    if (parameters.len > AUTHORIZATION_MAX_BYTES || !read_parameters(&in, values, present))
        return false;
    for (int p = 0; p <= QOP; p++) {
        if (!present[p] || values[p].len == 0)
            return false;
    }
    enum digest_algorithm algorithm = DIGEST_MD5; /* RFC 7616 section 3.4 */
    if (present[ALGORITHM]) {
        if (str_eq_nocase(values[ALGORITHM], STR("SHA-256")))
            algorithm = DIGEST_SHA256;
        else if (!str_eq_nocase(values[ALGORITHM], STR("MD5")))
            return false;
    }
    if (!str_eq_nocase(values[QOP], STR("auth")) || !is_hex(values[NC], NC_DIGITS) ||
        !is_hex(values[RESPONSE], digest_hex_length(algorithm)))
        return false;
    if (present[USERHASH] && !str_eq_nocase(values[USERHASH], STR("false")))
        return false;
    *ret_header = (struct digest_header){
        .algorithm = algorithm,
        .username = values[USERNAME],
        .realm = values[REALM],
        .nonce = values[NONCE],
        .uri = values[URI],
        .response = values[RESPONSE],
        .cnonce = values[CNONCE],
        .nc = values[NC],
    };
    return true;
}

/* ---- The hashes ---- */

size_t
digest_hex_length(enum digest_algorithm algorithm)
{
    return algorithm == DIGEST_SHA256 ? 2 * SHA256_BYTES : 2 * MD5_BYTES;
}

const char *
digest_algorithm_name(enum digest_algorithm algorithm)
{
    return algorithm == DIGEST_SHA256 ? "SHA-256" : "MD5";
}

static void
hash_hex(enum digest_algorithm algorithm, str text, char ret_hex[DIGEST_HEX_MAX])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t hash[SHA256_BYTES];
    if (algorithm == DIGEST_SHA256)
        crypto_sha256(text, hash);
    else
        crypto_md5(text, hash);
    for (size_t i = 0; i < digest_hex_length(algorithm); i++)
        ret_hex[i] = digits[i % 2 == 0 ? hash[i / 2] >> 4 : hash[i / 2] & 15];
}

void
digest_a1(struct arena *arena, enum digest_algorithm algorithm, str username, str realm, str password,
          char ret_hex[DIGEST_HEX_MAX])
{
    str a1 = str_format(arena, "%.*s:%.*s:%.*s", STR_ARG(username), STR_ARG(realm), STR_ARG(password));
    hash_hex(algorithm, a1, ret_hex);
    crypto_wipe((char *)a1.data, a1.len);
}

void
digest_response(struct arena *arena, const struct digest_header *header, str method, const char *a1_hex,
                char ret_hex[DIGEST_HEX_MAX])
{
    size_t length = digest_hex_length(header->algorithm);
    char a2_hex[DIGEST_HEX_MAX];
    hash_hex(header->algorithm, str_format(arena, "%.*s:%.*s", STR_ARG(method), STR_ARG(header->uri)), a2_hex);
    hash_hex(header->algorithm,
             str_format(arena, "%.*s:%.*s:%.*s:%.*s:auth:%.*s", (int)length, a1_hex, STR_ARG(header->nonce),
                        STR_ARG(header->nc), STR_ARG(header->cnonce), (int)length, a2_hex),
             ret_hex);
}

/* ---- Nonces ---- */

str
digest_nonce_new(struct arena *arena, const struct key *key, int64_t now_s)
{
    uint8_t bytes[DIGEST_NONCE_BYTES], mac[SHA256_BYTES];
    for (int i = 7; i >= 0; i--, now_s >>= 8)
        bytes[i] = (uint8_t)now_s;
    crypto_random(bytes + 8, 8);
    crypto_hmac_sha256(key, (str){ (const char *)bytes, NONCE_SIGNED_BYTES }, mac);
    memcpy(bytes + NONCE_SIGNED_BYTES, mac, NONCE_MAC_BYTES);
    return str_base64url(arena, bytes, sizeof(bytes));
}

enum nonce_state
digest_nonce_check(const struct key *key, str nonce, int64_t now_s)
{
    uint8_t bytes[DIGEST_NONCE_BYTES], mac[SHA256_BYTES];
    if (!str_from_base64url(nonce, bytes, sizeof(bytes)))
        return NONCE_FOREIGN;
    crypto_hmac_sha256(key, (str){ (const char *)bytes, NONCE_SIGNED_BYTES }, mac);
    if (!crypto_equal(mac, bytes + NONCE_SIGNED_BYTES, NONCE_MAC_BYTES))
        return NONCE_FOREIGN;
    uint64_t made_at_s = 0;
    for (int i = 0; i < 8; i++)
        made_at_s = made_at_s << 8 | bytes[i];
    /* Genuine, so the number is one of ours. A little ahead is another node's clock. */
    int64_t age_s = now_s - (int64_t)made_at_s;
    return age_s <= DIGEST_NONCE_LIFETIME_S && age_s >= -30 ? NONCE_GOOD : NONCE_STALE;
}
