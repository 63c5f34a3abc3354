/* SPDX-License-Identifier: Apache-2.0 */
#include "base/crypto/certificate_look.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <time.h>

/* ---- OpenSSL's things, freed when their variable goes ---- */
#define DEFINE_CLEANUP(type, release)        \
    static void type##_cleanup(type **thing) \
    {                                        \
        release(*thing);                     \
    }
DEFINE_CLEANUP(EVP_PKEY, EVP_PKEY_free)
DEFINE_CLEANUP(X509, X509_free)
DEFINE_CLEANUP(BIO, BIO_free_all)

static str
text_of(struct arena *arena, BIO *out)
{
    char *bytes;
    long length = BIO_get_mem_data(out, &bytes);
    return length <= 0 ? STR_EMPTY : str_dup(arena, (str){ bytes, (size_t)length });
}

static EVP_PKEY *
read_key(str pem)
{
    BIO *in CLEANUP(BIO_cleanup) = BIO_new_mem_buf(pem.data, (int)pem.len);
    return in == NULL ? NULL : PEM_read_bio_PrivateKey(in, NULL, NULL, NULL);
}

static X509 *
read_certificate(str pem)
{
    BIO *in CLEANUP(BIO_cleanup) = BIO_new_mem_buf(pem.data, (int)pem.len);
    return in == NULL ? NULL : PEM_read_bio_X509(in, NULL, NULL, NULL);
}

static bool
fingerprint_of(const X509 *certificate, uint8_t ret_fingerprint[SHA256_BYTES])
{
    unsigned length = 0;
    return X509_digest(certificate, EVP_sha256(), ret_fingerprint, &length) == 1 && length == SHA256_BYTES;
}

static bool
time_ms(const ASN1_TIME *time, int64_t *ret_ms)
{
    struct tm parts;
    if (ASN1_TIME_to_tm(time, &parts) != 1)
        return false;
    *ret_ms = (int64_t)timegm(&parts) * 1000;
    return true;
}

static bool
is_strong(EVP_PKEY *key)
{
    enum { MIN_RSA_BITS = 2048, MIN_EC_BITS = 256 };
    int kind = key == NULL ? EVP_PKEY_NONE : EVP_PKEY_get_base_id(key);
    return (kind == EVP_PKEY_RSA && EVP_PKEY_get_bits(key) >= MIN_RSA_BITS) ||
           (kind == EVP_PKEY_EC && EVP_PKEY_get_bits(key) >= MIN_EC_BITS);
}

bool
certificate_read(str pem, struct certificate_facts *ret_facts)
{
    X509 *certificate CLEANUP(X509_cleanup) = read_certificate(pem);
    struct certificate_facts facts;
    if (certificate == NULL || !fingerprint_of(certificate, facts.fingerprint) ||
        !time_ms(X509_get0_notBefore(certificate), &facts.not_before_ms) ||
        !time_ms(X509_get0_notAfter(certificate), &facts.not_after_ms))
        return false;
    facts.is_strong = is_strong(X509_get0_pubkey(certificate));
    *ret_facts = facts;
    return true;
}

bool
certificate_is_of(str pem, str key_pem)
{
    X509 *certificate CLEANUP(X509_cleanup) = read_certificate(pem);
    EVP_PKEY *key CLEANUP(EVP_PKEY_cleanup) = read_key(key_pem);
    return certificate != NULL && key != NULL && X509_check_private_key(certificate, key) == 1;
}

bool
certificate_is_for(str pem, str name)
{
    X509 *certificate CLEANUP(X509_cleanup) = read_certificate(pem);
    return certificate != NULL && (X509_check_ip_asc(certificate, name.data, 0) == 1 ||
                                   X509_check_host(certificate, name.data, name.len, 0, NULL) == 1);
}

bool
certificate_is_clients(str pem)
{
    X509 *certificate CLEANUP(X509_cleanup) = read_certificate(pem);
    return certificate != NULL && X509_check_purpose(certificate, X509_PURPOSE_SSL_CLIENT, 0) == 1;
}

bool
certificate_find(struct arena *arena, str pems, const uint8_t fingerprint[SHA256_BYTES], str *ret_pem)
{
    BIO *in CLEANUP(BIO_cleanup) = BIO_new_mem_buf(pems.data, (int)pems.len);
    for (X509 *found = NULL; in != NULL && (found = PEM_read_bio_X509(in, NULL, NULL, NULL)) != NULL;) {
        X509 *certificate CLEANUP(X509_cleanup) = found;
        BIO *out CLEANUP(BIO_cleanup) = BIO_new(BIO_s_mem());
        uint8_t own[SHA256_BYTES];
        if (out != NULL && fingerprint_of(certificate, own) && crypto_equal(own, fingerprint, SHA256_BYTES) &&
            PEM_write_bio_X509(out, certificate) == 1) {
            *ret_pem = text_of(arena, out);
            return ret_pem->len > 0;
        }
    }
    return false;
}
