/* SPDX-License-Identifier: Apache-2.0 */
#include "base/crypto/crypto.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "base/log.h"

enum { NONCE_BYTES = 12, TAG_BYTES = 16, SECRET_CHARS = 43, CHECKSUM_CHARS = 6, FILE_CHUNK_BYTES = 64 * 1024 };

/* Fetched once: looking an algorithm up by name costs five times as much as hashing a short text. */
static struct {
    EVP_MD *sha256, *md5;
    EVP_MAC *hmac;
    EVP_CIPHER *aes_gcm;
} algorithms;
static pthread_once_t algorithms_once = PTHREAD_ONCE_INIT;
static pthread_key_t mac_of_thread; /* frees a thread's context when the thread ends */

static void
free_mac(void *context)
{
    EVP_MAC_CTX_free(context);
}

static void
fetch_algorithms(void)
{
    pthread_key_create(&mac_of_thread, free_mac);
    algorithms.sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    algorithms.md5 = EVP_MD_fetch(NULL, "MD5", NULL);
    algorithms.hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    algorithms.aes_gcm = EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL);
}

static _Noreturn void
die(const char *what)
{
    log_line(LOG_ERROR, "crypto_failed", "%s failed; the process cannot go on safely.", what);
    abort();
}

void
crypto_random(void *ret_bytes, size_t count)
{
    if (RAND_bytes(ret_bytes, (int)count) != 1)
        die("RAND_bytes");
}

static void
digest(EVP_MD *algorithm, str text, uint8_t *ret_digest)
{
    if (algorithm == NULL || EVP_Digest(text.data, text.len, ret_digest, NULL, algorithm, NULL) != 1)
        die("EVP_Digest");
}

void
crypto_sha256(str text, uint8_t ret_digest[SHA256_BYTES])
{
    pthread_once(&algorithms_once, fetch_algorithms);
    digest(algorithms.sha256, text, ret_digest);
}

bool
crypto_sha256_file(int file, int64_t offset, int64_t bytes, uint8_t ret_digest[SHA256_BYTES])
{
    uint8_t some[FILE_CHUNK_BYTES];
    pthread_once(&algorithms_once, fetch_algorithms);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (algorithms.sha256 == NULL || context == NULL || EVP_DigestInit_ex2(context, algorithms.sha256, NULL) != 1)
        die("EVP_DigestInit");
    while (bytes > 0) {
        size_t wanted = bytes < (int64_t)sizeof(some) ? (size_t)bytes : sizeof(some);
        ssize_t got = pread(file, some, wanted, offset);
        if (got <= 0)
            break;
        if (EVP_DigestUpdate(context, some, (size_t)got) != 1)
            die("EVP_DigestUpdate");
        offset += got;
        bytes -= got;
    }
    if (EVP_DigestFinal_ex(context, ret_digest, NULL) != 1)
        die("EVP_DigestFinal");
    EVP_MD_CTX_free(context);
    return bytes == 0;
}

void
crypto_md5(str text, uint8_t ret_digest[MD5_BYTES])
{
    pthread_once(&algorithms_once, fetch_algorithms);
    digest(algorithms.md5, text, ret_digest);
}

void
crypto_hmac_sha256(const struct key *key, str text, uint8_t ret_mac[SHA256_BYTES])
{
    /* One context a thread, kept for its life: making one costs more than the MAC. */
    static _Thread_local EVP_MAC_CTX *context;
    pthread_once(&algorithms_once, fetch_algorithms);
    if (context == NULL) {
        context = EVP_MAC_CTX_new(algorithms.hmac);
        OSSL_PARAM params[] = { OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0),
                                OSSL_PARAM_construct_end() };
        if (context == NULL || EVP_MAC_CTX_set_params(context, params) != 1)
            die("EVP_MAC_CTX_new");
        pthread_setspecific(mac_of_thread, context);
    }
    size_t length = 0;
    if (EVP_MAC_init(context, key->bytes, KEY_BYTES, NULL) != 1 ||
        EVP_MAC_update(context, (const unsigned char *)text.data, text.len) != 1 ||
        EVP_MAC_final(context, ret_mac, &length, SHA256_BYTES) != 1 || length != SHA256_BYTES)
        die("EVP_MAC");
}

void
crypto_hmac_sha256_text(str key, str text, uint8_t ret_mac[SHA256_BYTES])
{
    unsigned length = SHA256_BYTES;
    if (HMAC(EVP_sha256(), key.data, (int)key.len, (const unsigned char *)text.data, text.len, ret_mac, &length) ==
        NULL)
        die("HMAC");
}

void
crypto_pbkdf2_sha256(str password, str salt, int iterations, uint8_t ret_key[SHA256_BYTES])
{
    if (PKCS5_PBKDF2_HMAC(password.data, (int)password.len, (const unsigned char *)salt.data, (int)salt.len, iterations,
                          EVP_sha256(), SHA256_BYTES, ret_key) != 1)
        die("PKCS5_PBKDF2_HMAC");
}

bool
crypto_equal(const void *a, const void *b, size_t count)
{
    return CRYPTO_memcmp(a, b, count) == 0;
}

void
crypto_wipe(void *bytes, size_t count)
{
    OPENSSL_cleanse(bytes, count);
}

struct key
crypto_derive(const struct key *from, const char *purpose)
{
    struct key derived;
    EVP_KDF *kdf = EVP_KDF_fetch(NULL, "HKDF", NULL);
    EVP_KDF_CTX *context = kdf == NULL ? NULL : EVP_KDF_CTX_new(kdf);
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)"SHA256", 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)from->bytes, KEY_BYTES),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)purpose, strlen(purpose)),
        OSSL_PARAM_construct_end(),
    };
    if (context == NULL || EVP_KDF_derive(context, derived.bytes, KEY_BYTES, params) != 1)
        die("HKDF");
    EVP_KDF_CTX_free(context);
    EVP_KDF_free(kdf);
    return derived;
}

bool
crypto_seal(struct arena *arena, const struct key *key, str bound_to, str plain, str *ret_sealed)
{
    pthread_once(&algorithms_once, fetch_algorithms);
    uint8_t *out = arena_alloc(arena, plain.len + SEAL_OVERHEAD_BYTES);
    if (out == NULL)
        return false;
    crypto_random(out, NONCE_BYTES);
    int part = 0, length = 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    bool done =
        context != NULL && EVP_EncryptInit_ex2(context, algorithms.aes_gcm, key->bytes, out, NULL) == 1 &&
        EVP_EncryptUpdate(context, NULL, &part, (const uint8_t *)bound_to.data, (int)bound_to.len) == 1 &&
        EVP_EncryptUpdate(context, out + NONCE_BYTES, &length, (const uint8_t *)plain.data, (int)plain.len) == 1 &&
        EVP_EncryptFinal_ex(context, out + NONCE_BYTES + length, &part) == 1 &&
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, TAG_BYTES, out + NONCE_BYTES + plain.len) == 1;
    EVP_CIPHER_CTX_free(context);
    if (done)
        *ret_sealed = (str){ (char *)out, plain.len + SEAL_OVERHEAD_BYTES };
    return done;
}

bool
crypto_open(struct arena *arena, const struct key *key, str bound_to, str sealed, str *ret_plain)
{
    pthread_once(&algorithms_once, fetch_algorithms);
    if (sealed.len < SEAL_OVERHEAD_BYTES)
        return false;
    size_t plain_len = sealed.len - SEAL_OVERHEAD_BYTES;
    const uint8_t *in = (const uint8_t *)sealed.data;
    uint8_t *out = arena_alloc(arena, plain_len + 1);
    if (out == NULL)
        return false;
    int part = 0, length = 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    bool done =
        context != NULL && EVP_DecryptInit_ex2(context, algorithms.aes_gcm, key->bytes, in, NULL) == 1 &&
        EVP_DecryptUpdate(context, NULL, &part, (const uint8_t *)bound_to.data, (int)bound_to.len) == 1 &&
        EVP_DecryptUpdate(context, out, &length, in + NONCE_BYTES, (int)plain_len) == 1 &&
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, TAG_BYTES, (void *)(in + NONCE_BYTES + plain_len)) == 1 &&
        EVP_DecryptFinal_ex(context, out + length, &part) == 1;
    EVP_CIPHER_CTX_free(context);
    if (done)
        *ret_plain = (str){ (char *)out, plain_len };
    return done;
}

static void
write_checksum(str text, char ret_digits[CHECKSUM_CHARS])
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    unsigned long crc = crc32(0, (const unsigned char *)text.data, (unsigned)text.len);
    for (int i = CHECKSUM_CHARS - 1; i >= 0; i--, crc /= 62)
        ret_digits[i] = digits[crc % 62];
}

str
secret_new(struct arena *arena, const char *kind)
{
    uint8_t random[32];
    char checksum[CHECKSUM_CHARS];
    crypto_random(random, sizeof(random));
    str body = str_base64url(arena, random, sizeof(random));
    crypto_wipe(random, sizeof(random));
    str front = str_format(arena, "reeve_%s_%.*s", kind, STR_ARG(body));
    write_checksum(front, checksum);
    return str_format(arena, "%.*s%.*s", STR_ARG(front), CHECKSUM_CHARS, checksum);
}

bool
secret_is_well_formed(str secret, const char *kind)
{
    size_t kind_len = strlen(kind);
    if (secret.len != 6 + kind_len + 1 + SECRET_CHARS + CHECKSUM_CHARS || !str_starts_with(secret, STR("reeve_")) ||
        !str_eq(str_slice(secret, 6, 6 + kind_len), str_from(kind)) || secret.data[6 + kind_len] != '_')
        return false;
    char checksum[CHECKSUM_CHARS];
    write_checksum(str_slice(secret, 0, secret.len - CHECKSUM_CHARS), checksum);
    return memcmp(checksum, secret.data + secret.len - CHECKSUM_CHARS, CHECKSUM_CHARS) == 0;
}
