/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/crypto/certificate.h"
#include "base/crypto/certificate_look.h"

enum { ARENA_BYTES = 4 * 1024 * 1024, HOUR_S = 3600 };

static struct arena *arena;
static str authority_key;
static struct certificate authority;

static X509 *
parse(str pem)
{
    BIO *bio = BIO_new_mem_buf(pem.data, (int)pem.len);
    X509 *certificate = PEM_read_bio_X509(bio, NULL, NULL, NULL);
    BIO_free(bio);
    assert_non_null(certificate);
    return certificate;
}

/* As a TLS library would: chain, time, purpose. */
static int
verify(str pem, int purpose)
{
    X509 *leaf = parse(pem), *root = parse(authority.pem);
    X509_STORE *store = X509_STORE_new();
    X509_STORE_CTX *context = X509_STORE_CTX_new();
    X509_STORE_add_cert(store, root);
    X509_STORE_CTX_init(context, store, leaf, NULL);
    X509_STORE_CTX_set_purpose(context, purpose);
    int status = X509_verify_cert(context) == 1 ? X509_V_OK : X509_STORE_CTX_get_error(context);
    X509_STORE_CTX_free(context);
    X509_STORE_free(store);
    X509_free(leaf);
    X509_free(root);
    return status;
}

static str
new_request(void)
{
    str key, request;
    assert_true(certificate_key_new(arena, &key));
    assert_true(certificate_request_new(arena, key, STR("ignored"), &request));
    return request;
}

static int
set_up(void **state)
{
    (void)state;
    arena = arena_new(ARENA_BYTES);
    struct certificate_subject subject = { .common_name = STR("root"),
                                           .organization = STR("o"),
                                           .lifetime_s = 10 * HOUR_S };
    return certificate_key_new(arena, &authority_key) &&
                   certificate_authority_new(arena, authority_key, &subject, &authority)
               ? 0
               : -1;
}

static int
tear_down(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static void
signed_certificate_is_good_for_servers_and_clients(void **state)
{
    (void)state;
    str names[] = { STR("a.example.test"), STR("b.example.test,DNS:evil.test") };
    str addresses[] = { STR("10.0.0.1"), STR("2001:db8::1") };
    struct certificate_subject subject = { STR("m-00"), STR("reeve-member"), names, 2, addresses, 2, HOUR_S };
    struct certificate made;
    assert_true(certificate_sign(arena, authority.pem, authority_key, new_request(), &subject, &made));
    assert_int_equal(verify(made.pem, X509_PURPOSE_SSL_SERVER), X509_V_OK);
    assert_int_equal(verify(made.pem, X509_PURPOSE_SSL_CLIENT), X509_V_OK);
    X509 *leaf = parse(made.pem);
    char text[256];
    X509_NAME_oneline(X509_get_subject_name(leaf), text, sizeof(text));
    assert_string_equal(text, "/O=reeve-member/CN=m-00"); /* nothing of the request's own */
    assert_int_equal(X509_check_host(leaf, "a.example.test", 0, 0, NULL), 1);
    assert_int_equal(X509_check_host(leaf, "evil.test", 0, 0, NULL), 0); /* a comma does not begin another name */
    assert_int_equal(X509_check_ip_asc(leaf, "10.0.0.1", 0), 1);
    assert_int_equal(X509_check_ip_asc(leaf, "2001:db8::1", 0), 1);
    assert_int_equal(X509_check_ip_asc(leaf, "10.0.0.2", 0), 0);
    assert_int_equal(X509_check_ca(leaf), 0);
    BIGNUM *serial = ASN1_INTEGER_to_BN(X509_get_serialNumber(leaf), NULL);
    char *digits = BN_bn2hex(serial);
    assert_string_equal(digits, made.serial);
    OPENSSL_free(digits);
    BN_free(serial);
    X509_free(leaf);
}

/* S3: what it is for is in it, and whoever checks it holds it to that. */
static void
certificate_is_refused_for_what_it_is_not_for(void **state)
{
    (void)state;
    static const struct {
        enum certificate_use use;
        bool server, client;
    } rows[] = { { USE_BOTH, true, true }, { USE_SERVER, true, false }, { USE_CLIENT, false, true } };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct certificate_subject subject = { .organization = STR("reeve-etcd"),
                                               .lifetime_s = HOUR_S,
                                               .use = rows[i].use };
        struct certificate made;
        char text[256];
        assert_true(certificate_sign(arena, authority.pem, authority_key, new_request(), &subject, &made));
        assert_int_equal(verify(made.pem, X509_PURPOSE_SSL_SERVER) == X509_V_OK, rows[i].server);
        assert_int_equal(verify(made.pem, X509_PURPOSE_SSL_CLIENT) == X509_V_OK, rows[i].client);
        assert_int_equal(certificate_is_clients(made.pem), rows[i].client);
        X509 *leaf = parse(made.pem);
        X509_NAME_oneline(X509_get_subject_name(leaf), text, sizeof(text));
        assert_string_equal(text, "/O=reeve-etcd"); /* etcd takes a common name for a user's */
        X509_free(leaf);
    }
}

static void
certificate_does_not_sign_others(void **state)
{
    (void)state;
    str key, request;
    struct certificate_subject subject = { .common_name = STR("x"), .lifetime_s = HOUR_S };
    struct certificate made, below;
    assert_true(certificate_key_new(arena, &key));
    assert_true(certificate_request_new(arena, key, STR("x"), &request));
    assert_true(certificate_sign(arena, authority.pem, authority_key, request, &subject, &made));
    assert_true(certificate_sign(arena, made.pem, key, new_request(), &subject, &below)); /* anybody can write one … */
    assert_int_not_equal(verify(below.pem, X509_PURPOSE_SSL_CLIENT), X509_V_OK); /* … and nobody believes it */
    /* The key must be the authority's. */
    assert_false(certificate_sign(arena, authority.pem, key, new_request(), &subject, &made));
}

static void
nothing_outlives_its_authority(void **state)
{
    (void)state;
    struct certificate_subject subject = { .common_name = STR("x"), .lifetime_s = 1000 * HOUR_S };
    struct certificate made;
    assert_true(certificate_sign(arena, authority.pem, authority_key, new_request(), &subject, &made));
    assert_true(made.not_after_ms <= authority.not_after_ms);
    subject.lifetime_s = HOUR_S;
    assert_true(certificate_sign(arena, authority.pem, authority_key, new_request(), &subject, &made));
    int64_t left_ms = made.not_after_ms - clock_now_ms();
    assert_true(left_ms > (HOUR_S - 60) * 1000 && left_ms <= HOUR_S * 1000);
}

static void
serial_numbers_differ(void **state)
{
    (void)state;
    enum { COUNT = 50 };
    static char serials[COUNT][SERIAL_DIGITS + 1];
    struct certificate_subject subject = { .common_name = STR("x"), .lifetime_s = HOUR_S };
    str request = new_request();
    for (int i = 0; i < COUNT; i++) {
        struct certificate made;
        assert_true(certificate_sign(arena, authority.pem, authority_key, request, &subject, &made));
        assert_int_equal(strlen(made.serial), SERIAL_DIGITS);
        for (int before = 0; before < i; before++)
            assert_string_not_equal(serials[before], made.serial);
        memcpy(serials[i], made.serial, sizeof(serials[i]));
    }
}

static void
request_that_proves_nothing_is_refused(void **state)
{
    (void)state;
    str request = new_request();
    struct certificate_subject subject = { .common_name = STR("x"), .lifetime_s = HOUR_S };
    struct certificate made;
    assert_true(certificate_request_is_fine(request));
    size_t accepted = 0;
    for (size_t i = 40; i + 40 < request.len; i++) {
        char *changed = (char *)str_dup(arena, request).data;
        if (changed[i] == '\n')
            continue;
        changed[i] = changed[i] == 'A' ? 'B' : 'A';
        accepted += certificate_request_is_fine((str){ changed, request.len });
    }
    assert_int_equal(accepted, 0);
    static const char *const broken[] = { "", "x",
                                          "-----BEGIN CERTIFICATE REQUEST-----\n-----END CERTIFICATE REQUEST-----\n" };
    for (size_t i = 0; i < LENGTH(broken); i++)
        assert_false(certificate_sign(arena, authority.pem, authority_key, str_from(broken[i]), &subject, &made));
    char *large = malloc(CERTIFICATE_MAX_BYTES + 1);
    memset(large, '\n', CERTIFICATE_MAX_BYTES + 1);
    memcpy(large, request.data, request.len);
    assert_false(certificate_request_is_fine((str){ large, CERTIFICATE_MAX_BYTES + 1 }));
    free(large);
    subject.common_name = STR_EMPTY;
    assert_false(certificate_sign(arena, authority.pem, authority_key, request, &subject, &made));
    subject.common_name = STR("x");
    str nowhere[] = { STR("not an address") };
    subject.addresses = nowhere;
    subject.address_count = 1;
    assert_false(certificate_sign(arena, authority.pem, authority_key, request, &subject, &made));
}

static void
fingerprint_is_of_the_certificate_itself(void **state)
{
    (void)state;
    uint8_t digest[SHA256_BYTES], expected[SHA256_BYTES];
    unsigned char *der = NULL;
    X509 *root = parse(authority.pem);
    int len = i2d_X509(root, &der);
    crypto_sha256((str){ (const char *)der, (size_t)len }, expected);
    assert_true(certificate_fingerprint(authority.pem, digest));
    assert_memory_equal(digest, expected, sizeof(digest));
    assert_false(certificate_fingerprint(STR("x"), digest));
    OPENSSL_free(der);
    X509_free(root);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signed_certificate_is_good_for_servers_and_clients),
        cmocka_unit_test(certificate_is_refused_for_what_it_is_not_for),
        cmocka_unit_test(certificate_does_not_sign_others),
        cmocka_unit_test(nothing_outlives_its_authority),
        cmocka_unit_test(serial_numbers_differ),
        cmocka_unit_test(request_that_proves_nothing_is_refused),
        cmocka_unit_test(fingerprint_is_of_the_certificate_itself),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
