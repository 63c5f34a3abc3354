/* SPDX-License-Identifier: Apache-2.0 */
/* Passkeys: an authenticator of OpenSSL's, and every single thing of its answer wrong once. */
#include "arena_fixture.h"

#include <openssl/evp.h>
#include <openssl/x509.h>

#include "auth/person/passkey.h"
#include "base/crypto/crypto.h"
#include "base/json.h"

#define ORIGIN "https://reeve.example:8443"
#define RP_ID  "reeve.example"
enum { PRESENT = 1, VERIFIED = 4 };

/* What an honest browser with an honest authenticator does; a test changes one thing of it. */
struct
try {
    EVP_PKEY *key;
    const char *type, *origin, *rp_id, *more;
    uint8_t challenge[PASSKEY_CHALLENGE_BYTES];
    uint8_t flags;
    uint32_t counter;
};

static struct passkey_question question;
static struct try honest;

static str
public_key(EVP_PKEY *key)
{
    unsigned char *der = NULL;
    int length = i2d_PUBKEY(key, &der);
    assert_true(length > 0);
    char *copy = ARENA_ARRAY(arena, char, (size_t)length);
    memcpy(copy, der, (size_t)length);
    OPENSSL_free(der);
    return (str){ copy, (size_t)length };
}

static str
sign(EVP_PKEY *key, str over)
{
    size_t length = 1024;
    char *signature = ARENA_ARRAY(arena, char, length);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    assert_int_equal(EVP_DigestSignInit(context, NULL, EVP_PKEY_is_a(key, "ED25519") ? NULL : EVP_sha256(), NULL, key),
                     1);
    assert_int_equal(
        EVP_DigestSign(context, (unsigned char *)signature, &length, (const unsigned char *)over.data, over.len), 1);
    EVP_MD_CTX_free(context);
    return (str){ signature, length };
}

static str
authenticator_data(const struct try *try)
{
    uint8_t *data = ARENA_ARRAY(arena, uint8_t, SHA256_BYTES + 5);
    crypto_sha256(str_from(try->rp_id), data);
    data[SHA256_BYTES] = try->flags;
    for (int i = 0; i < 4; i++)
        data[SHA256_BYTES + 1 + i] = (uint8_t)(try->counter >> (24 - 8 * i));
    return (str){ (char *)data, SHA256_BYTES + 5 };
}

static struct passkey_answer
answer_of(const struct try *try)
{
    uint8_t hash[SHA256_BYTES];
    str challenge = str_base64url(arena, try->challenge, PASSKEY_CHALLENGE_BYTES);
    struct passkey_answer answer = {
        .client_data = str_format(arena, "{\"type\":\"%s\",\"challenge\":\"%s\",\"origin\":\"%s\"%s}", try->type,
                                  challenge.data, try->origin, try->more),
        .authenticator_data = authenticator_data(try),
    };
    crypto_sha256(answer.client_data, hash);
    struct buf both = buf_in(arena, 4096);
    buf_add(&both, answer.authenticator_data);
    buf_add(&both, (str){ (char *)hash, SHA256_BYTES });
    answer.signature = sign(try->key, buf_str(&both));
    return answer;
}

static const char *
verdict(const struct try *try, uint32_t *ret_counter)
{
    struct passkey_answer answer = answer_of(try);
    return passkey_check(arena, &question, &answer, ret_counter);
}

static void
begin(EVP_PKEY *key)
{
    honest = (struct try){ .key = key,
                           .type = "webauthn.get",
                           .origin = ORIGIN,
                           .rp_id = RP_ID,
                           .more = ",\"crossOrigin\":false",
                           .flags = PRESENT | VERIFIED,
                           .counter = 8 };
    crypto_random(honest.challenge, sizeof(honest.challenge));
    question =
        (struct passkey_question){ .origin = STR(ORIGIN), .rp_id = STR(RP_ID), .key = public_key(key), .counter = 7 };
    memcpy(question.challenge, honest.challenge, sizeof(honest.challenge));
}

static void
honest_answers_of_every_kind_of_key_are_taken(void **state)
{
    (void)state;
    EVP_PKEY *keys[] = { EVP_EC_gen("P-256"), EVP_RSA_gen(2048), EVP_PKEY_Q_keygen(NULL, NULL, "ED25519") };
    for (size_t i = 0; i < LENGTH(keys); i++) {
        uint32_t counter = 0;
        begin(keys[i]);
        assert_null(verdict(&honest, &counter));
        assert_int_equal(counter, 8);
        EVP_PKEY_free(keys[i]);
    }
}

static void
every_wrong_thing_is_refused_by_its_own_reason(void **state)
{
    (void)state;
    EVP_PKEY *key = EVP_EC_gen("P-256"), *other = EVP_EC_gen("P-256");
    begin(key);
    struct try wrong[11];
    const char *reasons[] = { "another kind of question", "another challenge",      "page of another address",
                              "page of another address",  "inside of a page",       "inside of a page",
                              "another service",          "did not verify",         "did not verify",
                              "used elsewhere",           "not by the enrolled key" };
    for (size_t i = 0; i < LENGTH(wrong); i++)
        wrong[i] = honest;
    wrong[0].type = "webauthn.create";
    wrong[1].challenge[31] ^= 1;
    wrong[2].origin = "https://reeve.example";
    wrong[3].origin = "http://reeve.example:8443";
    wrong[4].more = ",\"crossOrigin\":true";
    wrong[5].more = ",\"crossOrigin\":\"false\"";
    wrong[6].rp_id = "example";
    wrong[7].flags = PRESENT;
    wrong[8].flags = VERIFIED;
    wrong[9].counter = 7;
    wrong[10].key = other;
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        uint32_t counter;
        const char *why = verdict(&wrong[i], &counter);
        assert_non_null(why);
        assert_non_null(strstr(why, reasons[i]));
    }
    EVP_PKEY_free(key);
    EVP_PKEY_free(other);
}

static void
every_changed_byte_is_noticed(void **state)
{
    (void)state;
    EVP_PKEY *key = EVP_EC_gen("P-256");
    begin(key);
    struct passkey_answer answer = answer_of(&honest);
    str *parts[] = { &answer.client_data, &answer.authenticator_data, &answer.signature };
    for (size_t part = 0; part < LENGTH(parts); part++) {
        str whole = *parts[part];
        char *changed = ARENA_ARRAY(arena, char, whole.len);
        for (size_t i = 0; i < whole.len; i++) {
            uint32_t counter;
            memcpy(changed, whole.data, whole.len);
            changed[i] ^= 1;
            *parts[part] = (str){ changed, whole.len };
            assert_non_null(passkey_check(arena, &question, &answer, &counter));
            *parts[part] = (str){ whole.data, i }; /* cut off */
            assert_non_null(passkey_check(arena, &question, &answer, &counter));
        }
        *parts[part] = whole;
    }
    EVP_PKEY_free(key);
}

/* Most passkeys that are copied between devices always say 0. */
static void
keys_that_never_count_are_taken(void **state)
{
    (void)state;
    EVP_PKEY *key = EVP_EC_gen("P-256");
    uint32_t counter = 1;
    begin(key);
    question.counter = honest.counter = 0;
    assert_null(verdict(&honest, &counter));
    assert_int_equal(counter, 0);
    question.counter = 1; /* it counted once, so it would go on */
    assert_non_null(verdict(&honest, &counter));
    EVP_PKEY_free(key);
}

static void
a_new_key_is_looked_at_without_a_signature(void **state)
{
    (void)state;
    EVP_PKEY *key = EVP_EC_gen("P-256");
    uint32_t counter;
    begin(key);
    question.is_new = true;
    assert_non_null(strstr(verdict(&honest, &counter), "another kind of question"));
    honest.type = "webauthn.create";
    assert_null(verdict(&honest, &counter));
    EVP_PKEY_free(key);
}

static void
weak_and_broken_keys_are_not_usable(void **state)
{
    (void)state;
    EVP_PKEY *weak[] = { EVP_RSA_gen(1024), EVP_EC_gen("P-384"), EVP_EC_gen("secp256k1"),
                         EVP_PKEY_Q_keygen(NULL, NULL, "X25519") };
    for (size_t i = 0; i < LENGTH(weak); i++) {
        assert_false(passkey_key_is_usable(public_key(weak[i])));
        EVP_PKEY_free(weak[i]);
    }
    EVP_PKEY *good = EVP_EC_gen("P-256");
    str key = public_key(good);
    assert_true(passkey_key_is_usable(key));
    assert_false(passkey_key_is_usable((str){ key.data, key.len - 1 }));
    assert_false(passkey_key_is_usable(str_format(arena, "%s", "")));
    struct buf longer = buf_in(arena, 4096);
    buf_add(&longer, key);
    buf_add_text(&longer, "x");
    assert_false(passkey_key_is_usable(buf_str(&longer)));
    EVP_PKEY_free(good);
}

int
main(void)
{
    json_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(honest_answers_of_every_kind_of_key_are_taken),
        cmocka_unit_test(every_wrong_thing_is_refused_by_its_own_reason),
        cmocka_unit_test(every_changed_byte_is_noticed),
        cmocka_unit_test(keys_that_never_count_are_taken),
        cmocka_unit_test(a_new_key_is_looked_at_without_a_signature),
        cmocka_unit_test(weak_and_broken_keys_are_not_usable),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
