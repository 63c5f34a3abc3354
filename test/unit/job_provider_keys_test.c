/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of a provider's discovery document: addresses that people could be sent to, or none. */
#include "arena_fixture.h"

#include "job/federation/provider_keys.h"

#define ISSUER "https://login.example.org"
static const char *discovery; /* what the document says beside its issuer and where its keys are */

static bool
answer(struct arena *in, const struct egress_allowed *allowed, const char *ca_file, str url, str *ret_body,
       str *ret_why)
{
    (void)allowed, (void)ca_file, (void)ret_why;
    *ret_body = str_is(url, ISSUER "/jwks")
                    ? STR("{\"keys\": [{\"kid\": \"1\"}]}")
                    : str_format(in, "{\"issuer\": \"" ISSUER "\", \"jwks_uri\": \"" ISSUER "/jwks\"%s}", discovery);
    return true;
}

static str
pages_of(const char *said)
{
    struct egress_allowed none = { 0 };
    str keys, pages, why;
    discovery = said;
    assert_true(provider_keys_fetch(arena, answer, &none, NULL, STR(ISSUER), &keys, &pages, &why));
    assert_true(str_is(keys, "[{\"kid\":\"1\"}]"));
    return pages;
}

static void
pages_are_kept_with_whether_answers_name_the_issuer(void **state)
{
    (void)state;
    str pages = pages_of(
        ", \"authorization_endpoint\": \"https://a.example.org/auth\", \"token_endpoint\": \"https://b.example.org/token\"");
    assert_string_equal(
        pages.data,
        "{\"authorization\":\"https://a.example.org/auth\",\"token\":\"https://b.example.org/token\",\"namesIssuer\":false}");
    pages = pages_of(
        ", \"authorization_endpoint\": \"https://a/x?y=1\", \"token_endpoint\": \"https://b\", \"authorization_response_iss_parameter_supported\": true");
    assert_string_equal(pages.data,
                        "{\"authorization\":\"https://a/x?y=1\",\"token\":\"https://b\",\"namesIssuer\":true}");
}

static void
addresses_that_are_none_are_not_kept_and_tokens_count_all_the_same(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "javascript:alert(1)",      "http://a.example.org/auth", "https://user@a.example.org",
        "https://a.example.org/#x", "//a.example.org",           ""
    };
    assert_int_equal(pages_of("").len, 0);
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        assert_int_equal(
            pages_of(
                str_format(arena, ", \"authorization_endpoint\": \"%s\", \"token_endpoint\": \"https://b\"", wrong[i])
                    .data)
                .len,
            0);
        assert_int_equal(
            pages_of(
                str_format(arena, ", \"authorization_endpoint\": \"https://a\", \"token_endpoint\": \"%s\"", wrong[i])
                    .data)
                .len,
            0);
    }
    assert_int_equal(pages_of(", \"authorization_endpoint\": 1, \"token_endpoint\": [\"https://b\"]").len, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_kept_with_whether_answers_name_the_issuer),
        cmocka_unit_test(addresses_that_are_none_are_not_kept_and_tokens_count_all_the_same),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
