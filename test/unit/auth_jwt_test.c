/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of identity providers: the RFC's own examples, and what must never be taken for one. */
#include "arena_fixture.h"

#include "auth/jwt.h"
#include "base/json.h"

/* RFC 7515, appendices A.2 and A.3 */
#define CLAIMS "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
#define RSA_SIGNATURE                                                                                                          \
    "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQ" \
    "jbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqt" \
    "FZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"
#define EC_SIGNATURE "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
#define RSA_TOKEN    "eyJhbGciOiJSUzI1NiJ9." CLAIMS "." RSA_SIGNATURE
#define EC_TOKEN     "eyJhbGciOiJFUzI1NiJ9." CLAIMS "." EC_SIGNATURE
#define N                                                                                                                      \
    "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_" \
    "YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uD" \
    "Zlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"
#define RSA_KEY "{\"kty\": \"RSA\", \"n\": \"" N "\", \"e\": \"AQAB\", \"kid\": \"r\"}"
#define EC_POINT \
    "\"crv\": \"P-256\", \"x\": \"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU\", \"y\": \"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0\""
#define EC_KEY "{\"kty\": \"EC\", " EC_POINT ", \"kid\": \"e\"}"

static size_t
read_keys(const char *text, struct jwk *keys)
{
    return jwk_read(arena, json_parse_own(arena, str_from(text)), keys);
}

static bool
is_good(const char *token, const char *keys_text)
{
    struct jwk keys[JWK_MAX];
    struct jwt jwt;
    const char *why;
    size_t count = read_keys(keys_text, keys);
    if (!jwt_parse(arena, str_from(token), &jwt, &why))
        return false;
    const struct jwk *key = jwk_find(keys, count, &jwt);
    return key != NULL && jwt_is_signed_by(&jwt, key);
}

static str
with_header(const char *header)
{
    str encoded = str_base64url(arena, header, strlen(header));
    return str_format(arena, "%s." CLAIMS "." RSA_SIGNATURE, encoded.data);
}

static void
examples_of_the_rfc_are_good(void **state)
{
    (void)state;
    assert_true(is_good(RSA_TOKEN, "[" RSA_KEY "]"));
    assert_true(is_good(EC_TOKEN, "[" EC_KEY "]"));
    assert_true(is_good(RSA_TOKEN, "[" EC_KEY ", " RSA_KEY "]"));
    assert_true(is_good(EC_TOKEN, "[" EC_KEY ", " RSA_KEY "]"));
}

static void
every_changed_character_is_noticed(void **state)
{
    (void)state;
    static const char *const tokens[] = { RSA_TOKEN, EC_TOKEN };
    for (size_t t = 0; t < LENGTH(tokens); t++) {
        str token = str_dup(arena, str_from(tokens[t]));
        for (size_t i = 0; i < token.len; i++) {
            char *at = (char *)&token.data[i], was = *at;
            *at = was == 'A' ? 'B' : 'A';
            /* The last character of a part may have bits that say nothing; then it must be refused, or say the same. */
            if (is_good(token.data, "[" EC_KEY ", " RSA_KEY "]"))
                fail_msg("character %zu of token %zu may be changed", i, t);
            *at = was;
        }
    }
}

static void
other_algorithms_are_no_tokens(void **state)
{
    (void)state;
    static const char *const headers[] = {
        "{\"alg\":\"none\"}",
        "{\"alg\":\"None\"}",
        "{\"alg\":\"HS256\"}",
        "{\"alg\":\"rs256\"}",
        "{\"alg\":\"RS512\"}",
        "{\"alg\":\"PS256\"}",
        "{\"alg\":\"EdDSA\"}",
        "{\"alg\":1}",
        "{\"alg\":null}",
        "{}",
        "[]",
        "\"RS256\"",
        "",
        "{\"alg\":\"RS256\",\"alg\":\"RS256\"}",
        "{\"alg\":\"RS256\",\"crit\":[\"x\"]}",
        "{\"alg\":\"RS256\",\"kid\":7}",
    };
    struct jwt jwt;
    const char *why;
    for (size_t i = 0; i < LENGTH(headers); i++)
        assert_false(jwt_parse(arena, with_header(headers[i]), &jwt, &why));
    assert_false(jwt_parse(arena, STR("eyJhbGciOiJSUzI1NiJ9." CLAIMS "."), &jwt, &why));
    assert_false(jwt_parse(arena, STR("eyJhbGciOiJSUzI1NiJ9." CLAIMS), &jwt, &why));
    assert_false(jwt_parse(arena, STR(RSA_TOKEN ".x"), &jwt, &why));
    assert_false(jwt_parse(arena, STR(".."), &jwt, &why));
    assert_false(jwt_parse(arena, STR(""), &jwt, &why));
}

/* What a token calls itself does not decide with what kind of key it is checked. */
static void
keys_are_used_for_their_own_algorithm_only(void **state)
{
    (void)state;
    assert_false(is_good(with_header("{\"alg\":\"ES256\",\"kid\":\"r\"}").data, "[" RSA_KEY "]"));
    assert_false(is_good(RSA_TOKEN, "[" EC_KEY "]"));
    assert_false(is_good(EC_TOKEN, "[" RSA_KEY "]"));
}

static void
keys_that_will_not_do_are_left_out(void **state)
{
    (void)state;
    struct jwk keys[JWK_MAX];
    assert_int_equal(read_keys("[" RSA_KEY ", " EC_KEY "]", keys), 2);
    static const char *const unfit[] = {
        "[{\"kty\": \"oct\", \"k\": \"AAAA\", \"kid\": \"r\"}]",
        "[{\"kty\": \"RSA\", \"n\": \"AQAB\", \"e\": \"AQAB\"}]", /* too short */
        "[{\"kty\": \"RSA\", \"n\": \"" N "\", \"e\": \"AQ\"}]",  /* e = 1 */
        "[{\"kty\": \"RSA\", \"n\": \"" N "\", \"e\": \"AQAB\", \"use\": \"enc\"}]",
        "[{\"kty\": \"RSA\", \"n\": \"" N "\", \"e\": \"AQAB\", \"alg\": \"RS512\"}]",
        "[{\"kty\": \"RSA\", \"n\": \"" N "\", \"e\": \"AQAB\", \"alg\": \"ES256\"}]",
        "[{\"kty\": \"RSA\", \"n\": \"" N "\", \"e\": \"AQAB\", \"alg\": \"HS256\"}]",
        "[{\"kty\": \"RSA\", \"n\": 1, \"e\": null}]",
        "[{\"kty\": \"EC\", \"crv\": \"P-384\", \"x\": \"AA\", \"y\": \"AA\"}]",
        /* Not on the curve. */
        "[{\"kty\": \"EC\", \"crv\": \"P-256\", \"x\": \"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU\", \"y\": \"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU\"}]",
        "[1, null, \"x\", {}, []]",
        "{}",
    };
    for (size_t i = 0; i < LENGTH(unfit); i++) {
        if (read_keys(unfit[i], keys) != 0)
            fail_msg("key %zu was taken", i);
    }
}

static void
without_a_name_there_must_be_one_key(void **state)
{
    (void)state;
    struct jwk keys[JWK_MAX];
    struct jwt jwt;
    const char *why;
    assert_true(jwt_parse(arena, STR(RSA_TOKEN), &jwt, &why));
    assert_null(jwk_find(keys, read_keys("[" RSA_KEY ", " RSA_KEY "]", keys), &jwt));
    assert_true(jwt_parse(arena, with_header("{\"alg\":\"RS256\",\"kid\":\"other\"}"), &jwt, &why));
    assert_null(jwk_find(keys, read_keys("[" RSA_KEY "]", keys), &jwt));
    assert_true(jwt_parse(arena, with_header("{\"alg\":\"RS256\",\"kid\":\"r\"}"), &jwt, &why));
    assert_non_null(jwk_find(keys, read_keys("[" EC_KEY ", " RSA_KEY "]", keys), &jwt));
}

static struct jwt
claiming(const char *text)
{
    return (struct jwt){ .claims = json_parse_own(arena, str_from(text)) };
}

static void
times_have_a_leeway_and_an_end(void **state)
{
    (void)state;
    static const struct {
        const char *claims;
        bool good;
    } cases[] = {
        { "{\"iat\": 1000, \"exp\": 2000}", true },
        { "{\"iat\": 1000.5, \"exp\": 2000.5}", true },
        { "{\"iat\": 1000, \"exp\": 1441}", true },
        { "{\"iat\": 1000, \"exp\": 1440}", false },
        { "{\"iat\": 1560, \"exp\": 2000}", true },
        { "{\"iat\": 1561, \"exp\": 2000}", false },
        { "{\"iat\": 1000, \"exp\": 2000, \"nbf\": 1560}", true },
        { "{\"iat\": 1000, \"exp\": 2000, \"nbf\": 1561}", false },
        { "{\"iat\": 1000, \"exp\": 2000, \"nbf\": \"x\"}", false },
        { "{\"exp\": 2000}", false },
        { "{\"iat\": 1000}", false },
        { "{\"iat\": 1000, \"exp\": \"2000\"}", false },
        { "{\"iat\": 1000, \"exp\": -1}", false },
        { "{\"iat\": 1000, \"exp\": 1e300}", false },
        { "{\"iat\": 1000, \"exp\": 9223372036854775807}", false },
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct jwt jwt = claiming(cases[i].claims);
        if ((jwt_check_times(&jwt, 1500) == NULL) != cases[i].good)
            fail_msg("%s at 1500", cases[i].claims);
    }
}

static void
audience_is_compared_as_a_whole(void **state)
{
    (void)state;
    struct jwt one = claiming("{\"aud\": \"reeve\"}"), several = claiming("{\"aud\": [\"x\", 1, \"reeve\"]}");
    struct jwt none = claiming("{}"), odd = claiming("{\"aud\": {\"reeve\": 1}}");
    assert_true(jwt_is_for(&one, STR("reeve")) && jwt_is_for(&several, STR("reeve")));
    assert_false(jwt_is_for(&one, STR("reev")) || jwt_is_for(&one, STR("")) || jwt_is_for(&several, STR("ree")));
    assert_false(jwt_is_for(&none, STR("reeve")) || jwt_is_for(&odd, STR("reeve")) || jwt_is_for(&none, STR("")));
}

int
main(void)
{
    json_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(examples_of_the_rfc_are_good, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(every_changed_character_is_noticed, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(other_algorithms_are_no_tokens, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(keys_are_used_for_their_own_algorithm_only, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(keys_that_will_not_do_are_left_out, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(without_a_name_there_must_be_one_key, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(times_have_a_leeway_and_an_end, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(audience_is_compared_as_a_whole, open_arena, close_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
