/* SPDX-License-Identifier: Apache-2.0 */
#include "base/crypto/scram.h"

#include "base/crypto/crypto.h"

bool
scram_takes(str password)
{
    for (size_t i = 0; i < password.len; i++) {
        if (password.data[i] < ' ' || password.data[i] > '~')
            return false;
    }
    return password.len > 0;
}

str
scram_verifier_with(struct arena *arena, str password, str salt, int iterations)
{
    uint8_t salted[SHA256_BYTES], client_key[SHA256_BYTES], stored_key[SHA256_BYTES], server_key[SHA256_BYTES];
    crypto_pbkdf2_sha256(password, salt, iterations, salted);
    str key = { (const char *)salted, sizeof(salted) };
    crypto_hmac_sha256_text(key, STR("Client Key"), client_key);
    crypto_sha256((str){ (const char *)client_key, sizeof(client_key) }, stored_key);
    crypto_hmac_sha256_text(key, STR("Server Key"), server_key);
    crypto_wipe(salted, sizeof(salted));
    crypto_wipe(client_key, sizeof(client_key));
    str parts[] = { str_base64(arena, salt.data, salt.len), str_base64(arena, stored_key, sizeof(stored_key)),
                    str_base64(arena, server_key, sizeof(server_key)) };
    return str_format(arena, "SCRAM-SHA-256$%d:%.*s$%.*s:%.*s", iterations, STR_ARG(parts[0]), STR_ARG(parts[1]),
                      STR_ARG(parts[2]));
}

str
scram_verifier(struct arena *arena, str password)
{
    char salt[SCRAM_SALT_BYTES];
    crypto_random(salt, sizeof(salt));
    return scram_verifier_with(arena, password, (str){ salt, sizeof(salt) }, SCRAM_ITERATIONS);
}
