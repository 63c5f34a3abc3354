/* SPDX-License-Identifier: Apache-2.0 */
#include "auth/saml/signature.h"

#include <openssl/bn.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "base/crypto/certificate_look.h"
#include "base/json.h"

enum { MIN_RSA_BITS = 2048, MIN_EC_BITS = 256, CERTIFICATES_MAX = 10 };

// clang-format off
static const struct algorithm {
    const char *name, *digest;
    int key; /* EVP_PKEY_RSA, EVP_PKEY_EC; 0: a digest alone */
} algorithms[] = {
    { "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",   "SHA256", EVP_PKEY_RSA },
    { "http://www.w3.org/2001/04/xmldsig-more#rsa-sha384",   "SHA384", EVP_PKEY_RSA },
    { "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512",   "SHA512", EVP_PKEY_RSA },
    { "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256", "SHA256", EVP_PKEY_EC },
    { "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384", "SHA384", EVP_PKEY_EC },
    { "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha512", "SHA512", EVP_PKEY_EC },
    { "http://www.w3.org/2001/04/xmlenc#sha256",             "SHA256", 0 },
    { "http://www.w3.org/2001/04/xmldsig-more#sha384",       "SHA384", 0 },
    { "http://www.w3.org/2001/04/xmlenc#sha512",             "SHA512", 0 },
    /* Only where a provider's settings ask for it. */
    { "http://www.w3.org/2000/09/xmldsig#rsa-sha1",          "SHA1", EVP_PKEY_RSA },
    { "http://www.w3.org/2000/09/xmldsig#sha1",              "SHA1", 0 },
};
// clang-format on

#define ENVELOPED "http://www.w3.org/2000/09/xmldsig#enveloped-signature"

/* What is being checked. */
struct check {
    struct arena *arena;
    const xmlNode *element, *signature, *info, *reference;
    const char *what;
    const struct saml_trust *trust;
    const char **why;
};

static bool
refuse(const struct check *check, const char *half)
{
    *check->why = str_format(check->arena, "%s %s", check->what, half).data;
    return false;
}

static str
algorithm_name(const struct check *check, const xmlNode *node)
{
    return saml_xml_attribute(check->arena, node, "Algorithm");
}

/* NULL when it is not known here, or not taken. */
static const struct algorithm *
find_algorithm(const struct check *check, const xmlNode *node, bool is_digest)
{
    str name = algorithm_name(check, node);
    for (size_t i = 0; i < LENGTH(algorithms); i++) {
        const struct algorithm *one = &algorithms[i];
        if (str_is(name, one->name) && (one->key == 0) == is_digest &&
            (check->trust->takes_sha1 || strcmp(one->digest, "SHA1") != 0))
            return one;
    }
    return NULL;
}

/* ---- Where it stands, and what it is for ---- */
/* An element with the same identifier elsewhere could be taken for the one that is signed. However they are spelled: other readers know other spellings. */
static bool
has_own_id(const struct check *check, str own)
{
    static const char *const spellings[] = { "ID", "Id", "id", "AssertionID", "ResponseID" };
    int found = 0;
    for (const xmlNode *at = saml_xml_root(check->element->doc); at != NULL; at = saml_xml_walk(at)) {
        for (const xmlAttr *named = at->properties; named != NULL; named = named->next) {
            for (size_t i = 0; i < LENGTH(spellings); i++) {
                if (strcmp((const char *)named->name, spellings[i]) == 0 && named->children != NULL &&
                    named->children->content != NULL && str_is(own, (const char *)named->children->content))
                    found++;
            }
        }
    }
    return found == 1;
}

static bool
find_parts(struct check *check)
{
    size_t count;
    check->signature = saml_xml_child(check->element, DSIG_NS, "Signature", &count);
    if (count == 0)
        return refuse(check, "is not signed; have the provider sign it");
    if (count > 1)
        return refuse(check, "has more than one signature");
    check->info = saml_xml_only(check->signature, DSIG_NS, "SignedInfo");
    check->reference = saml_xml_only(check->info, DSIG_NS, "Reference");
    if (check->reference == NULL || saml_xml_only(check->signature, DSIG_NS, "SignatureValue") == NULL)
        return refuse(check, "has a signature that is not as SAML wants it");
    str own = saml_xml_attribute(check->arena, check->element, "ID");
    str uri = saml_xml_attribute(check->arena, check->reference, "URI");
    if (own.len == 0 || uri.len != own.len + 1 || uri.data[0] != '#' || !str_eq(str_slice(uri, 1, uri.len), own))
        return refuse(check, "has a signature that is for something else");
    return has_own_id(check, own) ||
           refuse(check, "has an identifier that stands for something else in the answer, too");
}

/* Elements that a canonical form is told to name all namespaces of. */
static bool
read_prefixes(const struct check *check, const xmlNode *method, str *ret_prefixes)
{
    size_t count;
    const xmlNode *more = saml_xml_child(method, C14N_NS, "InclusiveNamespaces", &count);
    *ret_prefixes = saml_xml_attribute(check->arena, more, "PrefixList");
    return count <= 1 && str_is(algorithm_name(check, method), C14N_NS);
}

/* Exactly two, which SAML names: without the signature, then the exclusive canonical form. No other changes what is signed. */
static bool
read_transforms(const struct check *check, str *ret_prefixes)
{
    size_t count;
    const xmlNode *list = saml_xml_only(check->reference, DSIG_NS, "Transforms");
    const xmlNode *first = saml_xml_child(list, DSIG_NS, "Transform", &count);
    if (count != 2 || !str_is(algorithm_name(check, first), ENVELOPED) || first->children != NULL)
        return false;
    return read_prefixes(check, saml_xml_next(first), ret_prefixes);
}

/* ---- The digest ---- */
static bool
digest_is(const struct check *check, const struct algorithm *algorithm, str bytes, str wanted)
{
    unsigned char made[EVP_MAX_MD_SIZE];
    size_t size = 0;
    (void)check;
    return EVP_Q_digest(NULL, algorithm->digest, NULL, bytes.data, bytes.len, made, &size) == 1 && size == wanted.len &&
           CRYPTO_memcmp(made, wanted.data, size) == 0;
}

static bool
check_digest(const struct check *check, str *ret_bytes)
{
    str prefixes, bytes, text, wanted;
    const struct algorithm *digest =
        find_algorithm(check, saml_xml_only(check->reference, DSIG_NS, "DigestMethod"), true);
    if (digest == NULL)
        return refuse(check, "is signed with a digest that is not taken; have the provider use SHA-256");
    if (!read_transforms(check, &prefixes))
        return refuse(check, "has a signature with other transforms than SAML names");
    if (!saml_xml_text(check->arena, saml_xml_only(check->reference, DSIG_NS, "DigestValue"), &text) ||
        !saml_xml_bytes(check->arena, text, &wanted) ||
        !saml_xml_canonical(check->arena, check->element, check->signature, prefixes, &bytes))
        return refuse(check, "has a signature that cannot be read");
    if (!digest_is(check, digest, bytes, wanted))
        return refuse(check, "was changed after it was signed");
    *ret_bytes = bytes;
    return true;
}

/* ---- The signature ---- */
/* XML has the two numbers of an ECDSA signature side by side (RFC 4050), OpenSSL wants them in DER. */
static unsigned char *
ecdsa_der(str raw, size_t *ret_size)
{
    unsigned char *der = NULL;
    ECDSA_SIG *signature = ECDSA_SIG_new();
    const unsigned char *bytes = (const unsigned char *)raw.data;
    int half = (int)(raw.len / 2);
    BIGNUM *r = BN_bin2bn(bytes, half, NULL), *s = BN_bin2bn(bytes + half, half, NULL);
    int size = -1;
    if (signature != NULL && r != NULL && s != NULL && ECDSA_SIG_set0(signature, r, s) == 1) {
        r = s = NULL; /* the signature's own now */
        size = i2d_ECDSA_SIG(signature, &der);
    }
    BN_free(r);
    BN_free(s);
    ECDSA_SIG_free(signature);
    *ret_size = size < 0 ? 0 : (size_t)size;
    return size < 0 ? NULL : der;
}

static bool
verify(EVP_PKEY *key, const struct algorithm *algorithm, const unsigned char *signature, size_t size, str over)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool is_good = context != NULL &&
                   EVP_DigestVerifyInit_ex(context, NULL, algorithm->digest, NULL, NULL, key, NULL) == 1 &&
                   EVP_DigestVerify(context, signature, size, (const unsigned char *)over.data, over.len) == 1;
    EVP_MD_CTX_free(context);
    return is_good;
}

static bool
is_signed_by(EVP_PKEY *key, const struct algorithm *algorithm, str signature, str over)
{
    int least = algorithm->key == EVP_PKEY_RSA ? MIN_RSA_BITS : MIN_EC_BITS;
    if (EVP_PKEY_get_base_id(key) != algorithm->key || EVP_PKEY_get_bits(key) < least)
        return false;
    if (algorithm->key == EVP_PKEY_RSA)
        return verify(key, algorithm, (const unsigned char *)signature.data, signature.len, over);
    if (signature.len % 2 != 0 || signature.len / 2 > (size_t)(EVP_PKEY_get_bits(key) + 7) / 8)
        return false;
    size_t size;
    unsigned char *der = ecdsa_der(signature, &size);
    bool is_good = der != NULL && verify(key, algorithm, der, size, over);
    OPENSSL_free(der);
    return is_good;
}

static EVP_PKEY *
key_of(str pem)
{
    BIO *in = BIO_new_mem_buf(pem.data, (int)pem.len);
    X509 *certificate = in == NULL ? NULL : PEM_read_bio_X509(in, NULL, NULL, NULL);
    EVP_PKEY *key = certificate == NULL ? NULL : X509_get_pubkey(certificate);
    X509_free(certificate);
    BIO_free_all(in);
    return key;
}

static bool
check_signature(const struct check *check)
{
    str prefixes, over, text, signature;
    bool has_expired = false;
    const struct algorithm *algorithm =
        find_algorithm(check, saml_xml_only(check->info, DSIG_NS, "SignatureMethod"), false);
    if (algorithm == NULL)
        return refuse(check,
                      "is signed with an algorithm that is not taken; have the provider use RSA with SHA-256, or set "
                      "responseSignatureAlgorithm to what it uses");
    if (!read_prefixes(check, saml_xml_only(check->info, DSIG_NS, "CanonicalizationMethod"), &prefixes) ||
        !saml_xml_text(check->arena, saml_xml_only(check->signature, DSIG_NS, "SignatureValue"), &text) ||
        !saml_xml_bytes(check->arena, text, &signature) ||
        !saml_xml_canonical(check->arena, check->info, NULL, prefixes, &over))
        return refuse(check, "has a signature that cannot be read");
    for (size_t i = 0; i < json_array_size(check->trust->certificates) && i < CERTIFICATES_MAX; i++) {
        str pem = json_str(json_array_get(check->trust->certificates, i));
        struct certificate_facts facts;
        EVP_PKEY *key = certificate_read(pem, &facts) ? key_of(pem) : NULL;
        bool is_good = key != NULL && is_signed_by(key, algorithm, signature, over);
        EVP_PKEY_free(key);
        if (is_good && facts.not_after_ms > check->trust->now_ms && facts.not_before_ms <= check->trust->now_ms)
            return true;
        has_expired |= is_good;
    }
    return refuse(
        check,
        has_expired
            ? "is signed with a certificate that has expired; give the provider a new one, and store it in pemFileInfo"
            : "is not signed with a certificate of pemFileInfo; store the one with which the provider signs now");
}

bool
saml_signed_bytes(struct arena *arena, const xmlNode *element, const char *what, const struct saml_trust *trust,
                  str *ret_bytes, const char **ret_why)
{
    struct check check = { .arena = arena, .element = element, .what = what, .trust = trust, .why = ret_why };
    return find_parts(&check) && check_signature(&check) && check_digest(&check, ret_bytes);
}
