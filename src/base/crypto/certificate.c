/* SPDX-License-Identifier: Apache-2.0 */
#include "base/crypto/certificate.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>

#include "base/clock.h"

enum { SERIAL_BYTES = SERIAL_DIGITS / 2, CLOCK_SKEW_S = 300, RSA_MIN_BITS = 2048, RSA_MAX_BITS = 8192 };

/* What OpenSSL makes is freed where it goes out of sight. */
#define DISPOSER(name, type, dispose) \
    static void name(type **thing)    \
    {                                 \
        dispose(*thing);              \
    }
DISPOSER(free_bio, BIO, BIO_free)
DISPOSER(free_key, EVP_PKEY, EVP_PKEY_free)
DISPOSER(free_request, X509_REQ, X509_REQ_free)
DISPOSER(free_certificate, X509, X509_free)
DISPOSER(free_number, BIGNUM, BN_free)

/* ---- PEM ---- */
static BIO *
reader_of(str pem)
{
    return pem.len == 0 || pem.len > CERTIFICATE_MAX_BYTES ? NULL : BIO_new_mem_buf(pem.data, (int)pem.len);
}

/* A password is never asked for: a key that has one cannot be read. */
static int
no_password(char *buf, int size, int for_writing, void *context)
{
    (void)buf, (void)size, (void)for_writing, (void)context;
    return -1;
}

static EVP_PKEY *
read_key(str pem)
{
    BIO *bio CLEANUP(free_bio) = reader_of(pem);
    return bio == NULL ? NULL : PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL);
}

static X509 *
read_certificate(str pem)
{
    BIO *bio CLEANUP(free_bio) = reader_of(pem);
    return bio == NULL ? NULL : PEM_read_bio_X509(bio, NULL, no_password, NULL);
}

static X509_REQ *
read_request(str pem)
{
    BIO *bio CLEANUP(free_bio) = reader_of(pem);
    return bio == NULL ? NULL : PEM_read_bio_X509_REQ(bio, NULL, no_password, NULL);
}

/* `written` is what PEM_write_bio_…() said. */
static bool
take_text(struct arena *arena, BIO *bio, int written, str *ret_pem)
{
    char *data = NULL;
    long len = bio == NULL ? 0 : BIO_get_mem_data(bio, &data);
    if (written != 1 || len <= 0)
        return false;
    *ret_pem = str_dup(arena, (str){ data, (size_t)len });
    crypto_wipe(data, (size_t)len); /* it may have been a key */
    return ret_pem->len > 0;
}

/* ---- Keys and requests ---- */
bool
certificate_key_new(struct arena *arena, str *ret_key)
{
    EVP_PKEY *key CLEANUP(free_key) = EVP_EC_gen("P-256");
    BIO *bio CLEANUP(free_bio) = BIO_new(BIO_s_mem());
    if (key == NULL || bio == NULL)
        return false;
    return take_text(arena, bio, PEM_write_bio_PKCS8PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL), ret_key);
}

static bool
add_entry(X509_NAME *name, const char *field, str value)
{
    return value.len == 0 || X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, (const unsigned char *)value.data,
                                                        (int)value.len, -1, 0) == 1;
}

bool
certificate_request_new(struct arena *arena, str key_pem, str common_name, str *ret_request)
{
    EVP_PKEY *key CLEANUP(free_key) = read_key(key_pem);
    X509_REQ *request CLEANUP(free_request) = X509_REQ_new();
    BIO *bio CLEANUP(free_bio) = BIO_new(BIO_s_mem());
    if (key == NULL || request == NULL || bio == NULL ||
        !add_entry(X509_REQ_get_subject_name(request), "CN", common_name) || X509_REQ_set_pubkey(request, key) != 1 ||
        X509_REQ_sign(request, key, EVP_sha256()) == 0)
        return false;
    return take_text(arena, bio, PEM_write_bio_X509_REQ(bio, request), ret_request);
}

/* P-256 and P-384, or RSA of 2,048 bits and more. */
static bool
is_strong(EVP_PKEY *key)
{
    int bits = EVP_PKEY_get_bits(key);
    char group[64] = "";
    if (EVP_PKEY_is_a(key, "RSA"))
        return bits >= RSA_MIN_BITS && bits <= RSA_MAX_BITS;
    return EVP_PKEY_is_a(key, "EC") && EVP_PKEY_get_group_name(key, group, sizeof(group), NULL) == 1 &&
           (strcmp(group, "prime256v1") == 0 || strcmp(group, "secp384r1") == 0);
}

/* The key whose owner made the request; it belongs to the request. */
static EVP_PKEY *
proven_key(X509_REQ *request)
{
    EVP_PKEY *key = request == NULL ? NULL : X509_REQ_get0_pubkey(request);
    return key != NULL && is_strong(key) && X509_REQ_verify(request, key) == 1 ? key : NULL;
}

bool
certificate_request_is_fine(str request_pem)
{
    X509_REQ *request CLEANUP(free_request) = read_request(request_pem);
    return proven_key(request) != NULL;
}

/* ---- Certificates ---- */
static bool
set_serial(X509 *certificate, char ret_serial[SERIAL_DIGITS + 1])
{
    uint8_t bytes[SERIAL_BYTES];
    crypto_random(bytes, sizeof(bytes));
    bytes[0] = (uint8_t)((bytes[0] & 0x7F) | 0x40); /* positive, and always of the same length */
    BIGNUM *number CLEANUP(free_number) = BN_bin2bn(bytes, sizeof(bytes), NULL);
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < sizeof(bytes); i++) {
        ret_serial[2 * i] = digits[bytes[i] >> 4];
        ret_serial[2 * i + 1] = digits[bytes[i] & 15];
    }
    ret_serial[SERIAL_DIGITS] = '\0';
    return number != NULL && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != NULL;
}

static bool
set_lifetime(X509 *certificate, const X509 *issuer, int64_t lifetime_s, int64_t *ret_not_after_ms)
{
    int64_t now_s = clock_now_ms() / 1000;
    time_t from = (time_t)(now_s - CLOCK_SKEW_S), to = (time_t)(now_s + lifetime_s);
    /* Nothing outlives who signed it. */
    if (issuer != NULL && X509_cmp_time(X509_get0_notAfter(issuer), &to) < 0) {
        struct tm end;
        if (ASN1_TIME_to_tm(X509_get0_notAfter(issuer), &end) != 1)
            return false;
        to = timegm(&end);
    }
    *ret_not_after_ms = (int64_t)to * 1000;
    return ASN1_TIME_set(X509_getm_notBefore(certificate), from) != NULL &&
           ASN1_TIME_set(X509_getm_notAfter(certificate), to) != NULL;
}

static bool
set_subject(X509 *certificate, const struct certificate_subject *subject)
{
    X509_NAME *name = X509_get_subject_name(certificate);
    return subject->common_name.len + subject->organization.len > 0 && add_entry(name, "O", subject->organization) &&
           add_entry(name, "CN", subject->common_name);
}

static bool
add_extension(X509 *certificate, X509 *issuer, int kind, const char *value)
{
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, kind, value);
    bool added = extension != NULL && X509_add_ext(certificate, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return added;
}

/* OpenSSL's own language for these would let a comma in a name begin another one; so they are made piece by piece. */
static bool
add_alternative(GENERAL_NAMES *names, int kind, ASN1_STRING *value)
{
    GENERAL_NAME *name = GENERAL_NAME_new();
    if (name == NULL || value == NULL) {
        GENERAL_NAME_free(name);
        ASN1_STRING_free(value);
        return false;
    }
    GENERAL_NAME_set0_value(name, kind, value);
    if (sk_GENERAL_NAME_push(names, name) > 0)
        return true;
    GENERAL_NAME_free(name);
    return false;
}

static bool
add_alternatives(X509 *certificate, const struct certificate_subject *subject, GENERAL_NAMES *names)
{
    for (size_t i = 0; i < subject->name_count; i++) {
        ASN1_IA5STRING *text = ASN1_IA5STRING_new();
        if (text == NULL || ASN1_STRING_set(text, subject->names[i].data, (int)subject->names[i].len) != 1) {
            ASN1_IA5STRING_free(text);
            return false;
        }
        if (!add_alternative(names, GEN_DNS, text))
            return false;
    }
    for (size_t i = 0; i < subject->address_count; i++) {
        if (!add_alternative(names, GEN_IPADD, a2i_IPADDRESS(subject->addresses[i].data)))
            return false;
    }
    return sk_GENERAL_NAME_num(names) == 0 ||
           X509_add1_ext_i2d(certificate, NID_subject_alt_name, names, 0, X509V3_ADD_DEFAULT) == 1;
}

static bool
set_alternatives(X509 *certificate, const struct certificate_subject *subject)
{
    GENERAL_NAMES *names = sk_GENERAL_NAME_new_null();
    bool added = names != NULL && subject->name_count + subject->address_count <= CERTIFICATE_MAX_NAMES &&
                 add_alternatives(certificate, subject, names);
    sk_GENERAL_NAME_pop_free(names, GENERAL_NAME_free);
    return added;
}

/* `issuer` is NULL when it signs itself. */
static bool
make(struct arena *arena, X509 *issuer, EVP_PKEY *issuer_key, EVP_PKEY *key, const struct certificate_subject *subject,
     struct certificate *ret_certificate)
{
    X509 *made CLEANUP(free_certificate) = X509_new();
    BIO *bio CLEANUP(free_bio) = BIO_new(BIO_s_mem());
    bool is_authority = issuer == NULL;
    X509 *by = is_authority ? made : issuer;
    struct certificate certificate = { 0 };
    if (made == NULL || bio == NULL || X509_set_version(made, X509_VERSION_3) != 1 ||
        !set_serial(made, certificate.serial) ||
        !set_lifetime(made, issuer, subject->lifetime_s, &certificate.not_after_ms) || !set_subject(made, subject) ||
        X509_set_issuer_name(made, X509_get_subject_name(by)) != 1 || X509_set_pubkey(made, key) != 1)
        return false;
    if (!add_extension(made, by, NID_basic_constraints,
                       is_authority ? "critical,CA:TRUE,pathlen:0" : "critical,CA:FALSE") ||
        !add_extension(made, by, NID_key_usage,
                       is_authority ? "critical,keyCertSign,cRLSign" : "critical,digitalSignature") ||
        !add_extension(made, by, NID_subject_key_identifier, "hash") ||
        !add_extension(made, by, NID_authority_key_identifier, "keyid:always"))
        return false;
    static const char *const uses[] = {
        [USE_BOTH] = "serverAuth,clientAuth", [USE_SERVER] = "serverAuth", [USE_CLIENT] = "clientAuth"
    };
    if (!is_authority && !add_extension(made, by, NID_ext_key_usage, uses[subject->use]))
        return false;
    if (!set_alternatives(made, subject) || X509_sign(made, issuer_key, EVP_sha256()) == 0 ||
        !take_text(arena, bio, PEM_write_bio_X509(bio, made), &certificate.pem))
        return false;
    *ret_certificate = certificate;
    return true;
}

bool
certificate_authority_new(struct arena *arena, str key_pem, const struct certificate_subject *subject,
                          struct certificate *ret_certificate)
{
    EVP_PKEY *key CLEANUP(free_key) = read_key(key_pem);
    return key != NULL && make(arena, NULL, key, key, subject, ret_certificate);
}

bool
certificate_sign(struct arena *arena, str authority_pem, str authority_key_pem, str request_pem,
                 const struct certificate_subject *subject, struct certificate *ret_certificate)
{
    X509 *authority CLEANUP(free_certificate) = read_certificate(authority_pem);
    EVP_PKEY *authority_key CLEANUP(free_key) = read_key(authority_key_pem);
    X509_REQ *request CLEANUP(free_request) = read_request(request_pem);
    EVP_PKEY *key = proven_key(request);
    if (authority == NULL || authority_key == NULL || key == NULL ||
        X509_check_private_key(authority, authority_key) != 1)
        return false;
    return make(arena, authority, authority_key, key, subject, ret_certificate);
}

bool
certificate_fingerprint(str pem, uint8_t ret_digest[SHA256_BYTES])
{
    X509 *certificate CLEANUP(free_certificate) = read_certificate(pem);
    unsigned len = SHA256_BYTES;
    return certificate != NULL && X509_digest(certificate, EVP_sha256(), ret_digest, &len) == 1;
}

bool
certificate_is_authority_bundle(str pem)
{
    static const str begin = { "-----BEGIN ", 11 };
    size_t blocks = 0, authorities = 0;
    BIO *bio CLEANUP(free_bio) = reader_of(pem);
    for (size_t i = 0; i + begin.len <= pem.len; i++)
        blocks += memcmp(pem.data + i, begin.data, begin.len) == 0;
    while (bio != NULL && authorities < blocks) {
        X509 *certificate CLEANUP(free_certificate) = PEM_read_bio_X509(bio, NULL, no_password, NULL);
        if (certificate == NULL || X509_check_ca(certificate) == 0)
            return false;
        authorities++;
    }
    return authorities > 0;
}
