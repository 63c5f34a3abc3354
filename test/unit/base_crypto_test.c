/* SPDX-License-Identifier: Apache-2.0 */
#include "arena_fixture.h"

#include <pthread.h>
#include <stdio.h>

#include "base/crypto/crypto.h"
#include "base/crypto/download_token.h"
#include "base/crypto/s3_signature.h"
#include "base/crypto/secret.h"
#include "base/crypto/tool_password.h"

static void
digests_are_those_of_the_standards(void **state)
{
    (void)state;
    uint8_t digest[SHA256_BYTES];
    crypto_sha256(STR("abc"), digest);
    assert_string_equal(str_hex(arena, digest, SHA256_BYTES).data,
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    crypto_sha256(STR_EMPTY, digest);
    assert_string_equal(str_hex(arena, digest, SHA256_BYTES).data,
                        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    crypto_sha256((str){ NULL, 0 }, digest);
    assert_int_equal(digest[0], 0xe3);
    crypto_md5(STR("Mufasa:testrealm@host.com:Circle Of Life"), digest);
    assert_string_equal(str_hex(arena, digest, MD5_BYTES).data, "939e7578ed9e3c518a452acee763bce9");
}

static void
mac_is_that_of_the_standard_with_every_key(void **state)
{
    (void)state;
    struct key zero = { { 0 } }, one = { { 1 } };
    uint8_t mac[SHA256_BYTES], other[SHA256_BYTES];
    crypto_hmac_sha256(&zero, STR_EMPTY, mac);
    assert_string_equal(str_hex(arena, mac, SHA256_BYTES).data,
                        "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
    crypto_hmac_sha256(&one, STR_EMPTY, other);
    assert_false(crypto_equal(mac, other, SHA256_BYTES));
    crypto_hmac_sha256(&zero, STR_EMPTY, other);
    assert_true(crypto_equal(mac, other, SHA256_BYTES));
}

static void
derived_keys_differ_by_purpose_and_stay_the_same(void **state)
{
    (void)state;
    struct key from = { { 7 } };
    struct key a = crypto_derive(&from, "pepper v1"), b = crypto_derive(&from, "idempotency"),
               again = crypto_derive(&from, "pepper v1");
    assert_memory_equal(&a, &again, sizeof(a));
    assert_memory_not_equal(&a, &b, sizeof(a));
    assert_memory_not_equal(&a, &from, sizeof(a));
}

static void
sealed_text_opens_with_the_same_key_and_place_only(void **state)
{
    (void)state;
    struct key key = { { 1 } }, wrong = { { 2 } };
    static const str texts[] = {
        { "", 0 }, { "a", 1 }, { "0123456789abcdef0123456789abcdef!", 33 }, { "nul\0inside", 10 }
    };
    for (size_t i = 0; i < LENGTH(texts); i++) {
        str sealed, plain;
        assert_true(crypto_seal(arena, &key, STR("key/1/secret"), texts[i], &sealed));
        assert_int_equal(sealed.len, texts[i].len + SEAL_OVERHEAD_BYTES);
        assert_true(crypto_open(arena, &key, STR("key/1/secret"), sealed, &plain));
        assert_true(str_eq(plain, texts[i]));
        assert_false(crypto_open(arena, &wrong, STR("key/1/secret"), sealed, &plain));
        assert_false(crypto_open(arena, &key, STR("key/2/secret"), sealed, &plain));
        for (size_t at = 0; at < sealed.len; at++) {
            char *broken = (char *)str_dup(arena, sealed).data;
            broken[at] ^= 1;
            assert_false(crypto_open(arena, &key, STR("key/1/secret"), (str){ broken, sealed.len }, &plain));
        }
        assert_false(crypto_open(arena, &key, STR("key/1/secret"), str_slice(sealed, 0, sealed.len - 1), &plain));
        assert_false(crypto_open(arena, &key, STR("key/1/secret"), str_slice(sealed, 0, 27), &plain));
    }
}

static void
same_text_is_never_sealed_the_same_way(void **state)
{
    (void)state;
    struct key key = { { 1 } };
    str a, b;
    assert_true(crypto_seal(arena, &key, STR_EMPTY, STR("x"), &a));
    assert_true(crypto_seal(arena, &key, STR_EMPTY, STR("x"), &b));
    assert_false(str_eq(a, b));
}

static void
secrets_have_a_form_that_scanners_can_check(void **state)
{
    (void)state;
    str secret = secret_new(arena, "sa");
    assert_true(str_starts_with(secret, STR("reeve_sa_")));
    assert_int_equal(secret.len, strlen("reeve_sa_") + 43 + 6);
    assert_true(secret_is_well_formed(secret, "sa"));
    assert_false(secret_is_well_formed(secret, "key"));
    assert_false(secret_is_well_formed(str_slice(secret, 0, secret.len - 1), "sa"));
    for (size_t at = 0; at < secret.len; at++) {
        char *broken = (char *)str_dup(arena, secret).data;
        broken[at] = broken[at] == 'A' ? 'B' : 'A';
        assert_false(secret_is_well_formed((str){ broken, secret.len }, "sa"));
    }
    assert_false(str_eq(secret, secret_new(arena, "sa")));
}

static void *
hash_for_a_while(void *unused)
{
    (void)unused;
    struct key key = { { 3 } };
    uint8_t first[SHA256_BYTES], mac[SHA256_BYTES];
    crypto_hmac_sha256(&key, STR("text"), first);
    for (int i = 0; i < 2000; i++) {
        crypto_hmac_sha256(&key, STR("text"), mac);
        if (!crypto_equal(first, mac, SHA256_BYTES))
            return (void *)1;
    }
    return NULL;
}

static void
threads_do_not_disturb_each_other(void **state)
{
    (void)state;
    pthread_t threads[4];
    for (size_t i = 0; i < LENGTH(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, hash_for_a_while, NULL), 0);
    for (size_t i = 0; i < LENGTH(threads); i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
}

static void
part_of_a_file_is_hashed(void **state)
{
    (void)state;
    uint8_t digest[SHA256_BYTES];
    FILE *file = tmpfile();
    assert_non_null(file);
    fputs("xabcx", file);
    fflush(file);
    assert_true(crypto_sha256_file(fileno(file), 1, 3, digest));
    assert_string_equal(str_hex(arena, digest, SHA256_BYTES).data,
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_false(crypto_sha256_file(fileno(file), 1, 5, digest)); /* it became shorter */
    fclose(file);
}

/* The examples of the description of Signature Version 4. */
static void
requests_to_stores_are_signed_as_the_examples_are(void **state)
{
    (void)state;
    const struct s3_keys keys = { STR("AKIAIOSFODNN7EXAMPLE"), STR("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
                                  STR("us-east-1") };
    static const struct {
        const char *query, *signature;
    } rows[] = {
        { "lifecycle=", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543" },
        { "max-keys=2&prefix=J", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7" },
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const struct s3_request request = {
            .method = "GET",
            .host = STR("examplebucket.s3.amazonaws.com"),
            .path = STR("/"),
            .query = str_from(rows[i].query),
            .body_sha256 = STR("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            .moment = s3_moment(arena, 1369353600000),
        };
        assert_string_equal(request.moment.data, "20130524T000000Z");
        str wanted = str_format(arena,
                                "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
                                "SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=%s",
                                rows[i].signature);
        assert_string_equal(s3_authorization(arena, &keys, &request).data, wanted.data);
    }
    assert_string_equal(s3_encode_path(arena, STR("/b/a b/\xc3\xa4+=~_.-")).data, "/b/a%20b/%C3%A4%2B%3D~_.-");
}

/* Found by the id alone, and by nobody without the key. */
static void
the_token_of_a_download_follows_from_its_id(void **state)
{
    (void)state;
    const struct key key = { { 1 } }, other = { { 2 } };
    const id download = { { 1 }, true }, another = { { 2 }, true };
    str token = download_token(arena, &key, download);
    assert_int_equal(token.len, strlen("reeve_dl_") + 43);
    assert_true(str_eq(token, download_token(arena, &key, download)));
    assert_true(download_token_is(arena, &key, download, token));
    assert_false(download_token_is(arena, &key, another, token));
    assert_false(download_token_is(arena, &other, download, token));
    assert_false(download_token_is(arena, &key, download, str_slice(token, 0, token.len - 1)));
    assert_false(download_token_is(arena, &key, download, STR_EMPTY));
    assert_true(secret_is_in(token.data, token.len)); /* so logs hide it */
}

static void
password_of_tools_is_one_hash_over_project_name_and_password(void **state)
{
    (void)state;
    const struct key key = { { 1 } }, other = { { 2 } };
    const id project = { { 1 }, true }, another = { { 2 }, true };
    str hash = tool_password_hash(arena, &key, project, STR("grafana"), STR("long password"));
    assert_int_equal(hash.len, 2 * SHA256_BYTES);
    assert_true(tool_password_is(arena, &key, project, STR("grafana"), STR("long password"), hash));
    assert_false(tool_password_is(arena, &key, project, STR("grafana"), STR("long passwort"), hash));
    assert_false(tool_password_is(arena, &key, project, STR("grafan"), STR("along password"), hash));
    assert_false(tool_password_is(arena, &key, project, STR("grafanal"), STR("ong password"), hash));
    assert_false(tool_password_is(arena, &key, another, STR("grafana"), STR("long password"), hash));
    assert_false(tool_password_is(arena, &other, project, STR("grafana"), STR("long password"), hash));
    assert_false(tool_password_is(arena, &key, project, STR("grafana"), STR("long password"), STR_EMPTY));
    assert_false(tool_password_is(arena, &key, project, STR_EMPTY, STR_EMPTY, STR_EMPTY));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(password_of_tools_is_one_hash_over_project_name_and_password),
        cmocka_unit_test(digests_are_those_of_the_standards),
        cmocka_unit_test(mac_is_that_of_the_standard_with_every_key),
        cmocka_unit_test(derived_keys_differ_by_purpose_and_stay_the_same),
        cmocka_unit_test(sealed_text_opens_with_the_same_key_and_place_only),
        cmocka_unit_test(same_text_is_never_sealed_the_same_way),
        cmocka_unit_test(secrets_have_a_form_that_scanners_can_check),
        cmocka_unit_test(the_token_of_a_download_follows_from_its_id),
        cmocka_unit_test(threads_do_not_disturb_each_other),
        cmocka_unit_test(part_of_a_file_is_hashed),
        cmocka_unit_test(requests_to_stores_are_signed_as_the_examples_are),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
