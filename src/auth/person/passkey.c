/* SPDX-License-Identifier: Apache-2.0 */
#include "auth/person/passkey.h"

#include <jansson.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include "base/attributes.h"
#include "base/crypto/crypto.h"
#include "base/json.h"

/* Section 6.1: where things are in the authenticator's data. */
enum { FLAGS_AT = SHA256_BYTES, COUNTER_AT = FLAGS_AT + 1, AUTHENTICATOR_MIN_BYTES = COUNTER_AT + 4 };
enum { USER_PRESENT = 0x01, USER_VERIFIED = 0x04 };
enum { LEAST_RSA_BITS = 2048, MOST_RSA_BITS = 4096 }; /* what takes longer to check is nobody's passkey */

static void
free_key(EVP_PKEY **key)
{
    EVP_PKEY_free(*key);
}

static void
free_context(EVP_MD_CTX **context)
{
    EVP_MD_CTX_free(*context);
}

/* ---- The key ---- */

static bool
is_strong(EVP_PKEY *key)
{
    char group[32];
    int bits = EVP_PKEY_get_bits(key);
    if (EVP_PKEY_is_a(key, "RSA"))
        return bits >= LEAST_RSA_BITS && bits <= MOST_RSA_BITS;
    if (EVP_PKEY_is_a(key, "ED25519"))
        return true;
    return EVP_PKEY_is_a(key, "EC") && EVP_PKEY_get_group_name(key, group, sizeof(group), NULL) == 1 &&
           strcmp(group, "prime256v1") == 0;
}

/* NULL unless the bytes are such a key and nothing else. */
static EVP_PKEY *
read_key(str bytes)
{
    const unsigned char *at = (const unsigned char *)bytes.data, *end = at + bytes.len;
    if (bytes.len == 0 || bytes.len > PASSKEY_MAX_KEY_BYTES)
        return NULL;
    EVP_PKEY *key = d2i_PUBKEY(NULL, &at, (long)bytes.len);
    if (key != NULL && at == end && is_strong(key))
        return key;
    EVP_PKEY_free(key);
    return NULL;
}

bool
passkey_key_is_usable(str key)
{
    EVP_PKEY *read CLEANUP(free_key) = read_key(key);
    return read != NULL;
}

/* ---- What the browser says ---- */

static bool
says(const json_t *client_data, const char *name, str expected)
{
    const json_t *value = json_object_get(client_data, name);
    return json_is_string(value) && str_eq(json_str(value), expected);
}

static const char *
check_client_data(struct arena *arena, const struct passkey_question *question, str text)
{
    json_t *said;
    if (text.len > PASSKEY_MAX_CLIENT_DATA_BYTES || json_parse(arena, text, &said) != OK || !json_is_object(said))
        return "what the browser says cannot be read";
    if (!says(said, "type", question->is_new ? STR("webauthn.create") : STR("webauthn.get")))
        return "it answers another kind of question";
    if (!says(said, "challenge", str_base64url(arena, question->challenge, PASSKEY_CHALLENGE_BYTES)))
        return "it answers another challenge";
    if (!says(said, "origin", question->origin))
        return "it was given to a page of another address";
    /* A page of another address may show ours in a frame. */
    const json_t *crossed = json_object_get(said, "crossOrigin");
    return crossed != NULL && !json_is_false(crossed) ? "it was given inside of a page of another address" : NULL;
}

/* ---- What the authenticator says ---- */

static uint32_t
counter_of(const uint8_t *data)
{
    const uint8_t *at = data + COUNTER_AT;
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static const char *
check_authenticator(const struct passkey_question *question, str bytes, uint32_t *ret_counter)
{
    uint8_t expected[SHA256_BYTES];
    const uint8_t *data = (const uint8_t *)bytes.data;
    if (bytes.len < AUTHENTICATOR_MIN_BYTES)
        return "the authenticator's data is cut off";
    crypto_sha256(question->rp_id, expected);
    if (!crypto_equal(expected, data, SHA256_BYTES))
        return "the key is one for another service";
    if ((data[FLAGS_AT] & USER_PRESENT) == 0 || (data[FLAGS_AT] & USER_VERIFIED) == 0)
        return "the authenticator did not verify who used it";
    uint32_t counter = counter_of(data);
    /* One that counted before and does not count on was copied. */
    if (!question->is_new && (counter != 0 || question->counter != 0) && counter <= question->counter)
        return "the key was used elsewhere since: it may have been copied";
    *ret_counter = counter;
    return NULL;
}

/* Over the authenticator's data and the hash of what the browser says. */
static bool
is_signed(struct arena *arena, str key_bytes, const struct passkey_answer *answer)
{
    uint8_t hash[SHA256_BYTES];
    EVP_PKEY *key CLEANUP(free_key) = read_key(key_bytes);
    EVP_MD_CTX *context CLEANUP(free_context) = EVP_MD_CTX_new();
    if (key == NULL || context == NULL || answer->signature.len > PASSKEY_MAX_SIGNATURE_BYTES)
        return false;
    crypto_sha256(answer->client_data, hash);
    size_t length = answer->authenticator_data.len + sizeof(hash);
    uint8_t *over = ARENA_ARRAY(arena, uint8_t, length);
    if (over == NULL)
        return false;
    memcpy(over, answer->authenticator_data.data, answer->authenticator_data.len);
    memcpy(over + answer->authenticator_data.len, hash, sizeof(hash));
    const EVP_MD *digest = EVP_PKEY_is_a(key, "ED25519") ? NULL : EVP_sha256(); /* that one hashes by itself */
    return EVP_DigestVerifyInit(context, NULL, digest, NULL, key) == 1 &&
           EVP_DigestVerify(context, (const unsigned char *)answer->signature.data, answer->signature.len, over,
                            length) == 1;
}

const char *
passkey_check(struct arena *arena, const struct passkey_question *question, const struct passkey_answer *answer,
              uint32_t *ret_counter)
{
    const char *why = check_client_data(arena, question, answer->client_data);
    if (why == NULL)
        why = check_authenticator(question, answer->authenticator_data, ret_counter);
    if (why == NULL && !question->is_new && !is_signed(arena, question->key, answer))
        why = "the signature is not by the enrolled key";
    return why;
}
