/* SPDX-License-Identifier: Apache-2.0 */
#include "auth/jwt.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include "base/json.h"

enum { MIN_RSA_BITS = 2048, MAX_RSA_BITS = 8192, P256_BYTES = 32, NUMBER_MAX_BYTES = 1024 };

static const struct {
    const char *name;
    enum jwt_algorithm algorithm;
} algorithms[] = { { "RS256", JWT_RS256 }, { "ES256", JWT_ES256 } };

static bool
algorithm_from(const json_t *name, enum jwt_algorithm *ret)
{
    for (size_t i = 0; i < LENGTH(algorithms); i++) {
        if (json_is_string(name) && str_is(json_str(name), algorithms[i].name)) {
            *ret = algorithms[i].algorithm;
            return true;
        }
    }
    return false;
}

/* ---- Tokens ---- */

static bool
decode(struct arena *arena, str text, str *ret_bytes)
{
    size_t count = text.len / 4 * 3 + (text.len % 4 == 0 ? 0 : text.len % 4 - 1);
    if (text.len == 0 || text.len % 4 == 1)
        return false;
    char *bytes = arena_alloc(arena, count + 1);
    if (bytes == NULL || !str_from_base64url(text, bytes, count))
        return false;
    bytes[count] = '\0';
    *ret_bytes = (str){ bytes, count };
    return true;
}

static json_t *
decode_object(struct arena *arena, str text)
{
    str bytes;
    json_t *json;
    if (!decode(arena, text, &bytes) || json_parse_within(arena, bytes, JWT_MAX_BYTES, &json) != OK)
        return NULL;
    return json_is_object(json) ? json : NULL;
}

bool
jwt_is_likely(str text)
{
    size_t dots = 0;
    for (size_t i = 0; i < text.len; i++)
        dots += text.data[i] == '.';
    return dots == 2;
}

bool
jwt_parse(struct arena *arena, str text, struct jwt *ret_jwt, const char **ret_why)
{
    str rest = text;
    *ret_why = "the token cannot be read";
    if (text.len > JWT_MAX_BYTES || !jwt_is_likely(text))
        return false;
    str head = str_cut(&rest, '.');
    str body = str_cut(&rest, '.');
    struct jwt jwt = { .signed_of = str_slice(text, 0, head.len + 1 + body.len) };
    const json_t *header = decode_object(arena, head);
    jwt.claims = decode_object(arena, body);
    if (header == NULL || jwt.claims == NULL)
        return false;
    if (!algorithm_from(json_object_get(header, "alg"), &jwt.algorithm)) {
        *ret_why = "the token is signed with an algorithm other than RS256 and ES256";
        return false;
    }
    /* What must be understood (RFC 7515, 4.1.11) and is not. */
    if (json_object_get(header, "crit") != NULL || !decode(arena, rest, &jwt.signature))
        return false;
    const json_t *key_id = json_object_get(header, "kid");
    if (key_id != NULL && !json_is_string(key_id))
        return false;
    jwt.key_id = key_id == NULL ? STR_EMPTY : json_str(key_id);
    *ret_jwt = jwt;
    return true;
}

/* ---- Keys ---- */

static void
free_key(void *key)
{
    EVP_PKEY_free(key);
}

static EVP_PKEY *
key_from(const char *type, OSSL_PARAM_BLD *builder)
{
    EVP_PKEY *key = NULL;
    OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(builder);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    if (params == NULL || context == NULL || EVP_PKEY_fromdata_init(context) != 1 ||
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, params) != 1)
        key = NULL;
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(params);
    return key;
}

static BIGNUM *
number_from(struct arena *arena, const json_t *text)
{
    str bytes;
    if (!json_is_string(text) || !decode(arena, json_str(text), &bytes) || bytes.len > NUMBER_MAX_BYTES)
        return NULL;
    return BN_bin2bn((const unsigned char *)bytes.data, (int)bytes.len, NULL);
}

static EVP_PKEY *
read_rsa(struct arena *arena, const json_t *jwk)
{
    EVP_PKEY *key = NULL;
    BIGNUM *n = number_from(arena, json_object_get(jwk, "n")), *e = number_from(arena, json_object_get(jwk, "e"));
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    if (n != NULL && e != NULL && builder != NULL && BN_num_bits(n) >= MIN_RSA_BITS && BN_num_bits(n) <= MAX_RSA_BITS &&
        BN_is_odd(e) && !BN_is_one(e) && BN_num_bits(e) <= 32 &&
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) == 1 &&
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) == 1)
        key = key_from("RSA", builder);
    OSSL_PARAM_BLD_free(builder);
    BN_free(n);
    BN_free(e);
    return key;
}

static EVP_PKEY *
read_p256(struct arena *arena, const json_t *jwk)
{
    str x, y;
    unsigned char point[1 + 2 * P256_BYTES] = { POINT_CONVERSION_UNCOMPRESSED };
    if (!str_is(json_str(json_object_get(jwk, "crv")), "P-256") ||
        !decode(arena, json_str(json_object_get(jwk, "x")), &x) ||
        !decode(arena, json_str(json_object_get(jwk, "y")), &y) || x.len != P256_BYTES || y.len != P256_BYTES)
        return NULL;
    memcpy(point + 1, x.data, P256_BYTES);
    memcpy(point + 1 + P256_BYTES, y.data, P256_BYTES);
    EVP_PKEY *key = NULL;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    if (builder != NULL && OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) == 1 &&
        OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, sizeof(point)) == 1)
        key = key_from("EC", builder);
    OSSL_PARAM_BLD_free(builder);
    return key;
}

/* The kind of the key decides the algorithm; what the key says of itself must agree. */
static bool
read_key(struct arena *arena, const json_t *jwk, struct jwk *ret_key)
{
    const json_t *use = json_object_get(jwk, "use"), *named = json_object_get(jwk, "alg");
    str type = json_str(json_object_get(jwk, "kty"));
    struct jwk key = { .algorithm = str_is(type, "RSA") ? JWT_RS256 : JWT_ES256 };
    enum jwt_algorithm meant;
    if (!str_is(type, "RSA") && !str_is(type, "EC"))
        return false;
    if (use != NULL && !str_is(json_str(use), "sig"))
        return false;
    if (named != NULL && (!algorithm_from(named, &meant) || meant != key.algorithm))
        return false;
    key.key = key.algorithm == JWT_RS256 ? read_rsa(arena, jwk) : read_p256(arena, jwk);
    if (key.key == NULL)
        return false;
    if (!arena_on_free(arena, free_key, key.key)) /* which has freed it then */
        return false;
    key.key_id = json_str(json_object_get(jwk, "kid"));
    *ret_key = key;
    return true;
}

size_t
jwk_read(struct arena *arena, const json_t *keys, struct jwk ret_keys[JWK_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(keys) && count < JWK_MAX; i++)
        count += read_key(arena, json_array_get(keys, i), &ret_keys[count]);
    return count;
}

const struct jwk *
jwk_find(const struct jwk *keys, size_t count, const struct jwt *jwt)
{
    const struct jwk *found = NULL;
    for (size_t i = 0; i < count; i++) {
        if (keys[i].algorithm != jwt->algorithm)
            continue;
        if (jwt->key_id.len > 0 && str_eq(keys[i].key_id, jwt->key_id))
            return &keys[i];
        if (jwt->key_id.len == 0 && found != NULL)
            return NULL; /* which of them is anybody's guess */
        if (jwt->key_id.len == 0)
            found = &keys[i];
    }
    return found;
}

/* ---- Signatures ---- */

/* The two numbers of ES256, as OpenSSL wants them. NULL when they are none. */
static unsigned char *
ecdsa_der(str signature, size_t *ret_size)
{
    const unsigned char *bytes = (const unsigned char *)signature.data;
    unsigned char *der = NULL;
    if (signature.len != 2 * P256_BYTES)
        return NULL;
    ECDSA_SIG *sig = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(bytes, P256_BYTES, NULL), *s = BN_bin2bn(bytes + P256_BYTES, P256_BYTES, NULL);
    if (sig == NULL || r == NULL || s == NULL || ECDSA_SIG_set0(sig, r, s) != 1) {
        BN_free(r);
        BN_free(s);
        ECDSA_SIG_free(sig);
        return NULL;
    }
    int size = i2d_ECDSA_SIG(sig, &der);
    ECDSA_SIG_free(sig);
    *ret_size = size > 0 ? (size_t)size : 0;
    return size > 0 ? der : NULL;
}

static bool
verify(EVP_PKEY *key, const unsigned char *signature, size_t size, str over)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool good = context != NULL && EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key) == 1 &&
                EVP_DigestVerify(context, signature, size, (const unsigned char *)over.data, over.len) == 1;
    EVP_MD_CTX_free(context);
    return good;
}

bool
jwt_is_signed_by(const struct jwt *jwt, const struct jwk *key)
{
    if (jwt->algorithm != key->algorithm)
        return false;
    if (jwt->algorithm == JWT_RS256)
        return verify(key->key, (const unsigned char *)jwt->signature.data, jwt->signature.len, jwt->signed_of);
    size_t size;
    unsigned char *der = ecdsa_der(jwt->signature, &size);
    bool good = der != NULL && verify(key->key, der, size, jwt->signed_of);
    OPENSSL_free(der);
    return good;
}

/* ---- Claims ---- */

/* Seconds since 1970, possibly with a fraction; -1 when it is not there or not a time. */
int64_t
jwt_time(const struct jwt *jwt, const char *claim)
{
    const json_t *value = json_object_get(jwt->claims, claim);
    if (json_is_integer(value) && json_integer_value(value) >= 0 && json_integer_value(value) < (int64_t)1 << 40)
        return json_integer_value(value);
    double seconds = json_is_real(value) ? json_real_value(value) : -1;
    return seconds >= 0 && seconds < (double)((int64_t)1 << 40) ? (int64_t)seconds : -1;
}

const char *
jwt_check_times(const struct jwt *jwt, int64_t now_s)
{
    int64_t expires_s = jwt_time(jwt, "exp"), issued_s = jwt_time(jwt, "iat");
    if (expires_s < 0 || issued_s < 0)
        return "the token does not say when it was issued and when it expires";
    if (now_s >= expires_s + JWT_LEEWAY_S)
        return "the token has expired";
    if (json_object_get(jwt->claims, "nbf") != NULL &&
        (jwt_time(jwt, "nbf") < 0 || jwt_time(jwt, "nbf") > now_s + JWT_LEEWAY_S))
        return "the token is not valid yet";
    return issued_s > now_s + JWT_LEEWAY_S ? "the token was issued in the future" : NULL;
}

bool
jwt_is_for(const struct jwt *jwt, str audience)
{
    const json_t *named = json_object_get(jwt->claims, "aud");
    if (json_is_string(named))
        return str_eq(json_str(named), audience);
    for (size_t i = 0; i < json_array_size(named); i++) {
        const json_t *one = json_array_get(named, i);
        if (json_is_string(one) && str_eq(json_str(one), audience))
            return true;
    }
    return false;
}
