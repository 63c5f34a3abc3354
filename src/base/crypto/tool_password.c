/* SPDX-License-Identifier: Apache-2.0 */
#include "base/crypto/tool_password.h"

str
tool_password_hash(struct arena *arena, const struct key *key, id project, str username, str password)
{
    uint8_t mac[SHA256_BYTES];
    /* The length of the name says where the password begins. */
    str text = str_format(arena, "%s %zu %.*s%.*s", id_text(arena, project).data, username.len, STR_ARG(username),
                          STR_ARG(password));
    crypto_hmac_sha256(key, text, mac);
    return text.len == 0 ? STR_EMPTY : str_hex(arena, mac, sizeof(mac));
}

bool
tool_password_is(struct arena *arena, const struct key *key, id project, str username, str password, str hash)
{
    static const char none[2 * SHA256_BYTES + 1] = "no hash of anything";
    str given = tool_password_hash(arena, key, project, username, password);
    bool is_hash = hash.len == 2 * SHA256_BYTES;
    bool is_equal = given.len == 2 * SHA256_BYTES && crypto_equal(given.data, is_hash ? hash.data : none, given.len);
    return is_hash && is_equal;
}
