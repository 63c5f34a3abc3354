/* SPDX-License-Identifier: Apache-2.0 */
/* The OAuth endpoints: RFC 6749 (token), 7009 (revocation), 8414 (metadata). */
#include "auth_support.h"

#include "auth/authorization.h"
#include "auth/oauth.h"

static str
base64(str text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    struct buf out = buf_in(arena, 4096);
    for (size_t i = 0; i < text.len; i += 3) {
        unsigned char b[3] = { 0 };
        size_t count = text.len - i < 3 ? text.len - i : 3;
        memcpy(b, text.data + i, count);
        buf_add_char(&out, digits[b[0] >> 2]);
        buf_add_char(&out, digits[(b[0] & 3) << 4 | b[1] >> 4]);
        buf_add_char(&out, count > 1 ? digits[(b[1] & 15) << 2 | b[2] >> 6] : '=');
        buf_add_char(&out, count > 2 ? digits[b[2] & 63] : '=');
    }
    return buf_str(&out);
}

static str
basic(str user, str password)
{
    return str_format(arena, "Basic %.*s",
                      STR_ARG(base64(str_format(arena, "%.*s:%.*s", STR_ARG(user), STR_ARG(password)))));
}

static struct oauth_answer
post(str authorization, const char *content_type, str form, const char *from)
{
    struct credentials credentials = { .authorization = authorization, .client = address(from) };
    struct oauth_answer answer;
    oauth_token(node.auth, arena, &credentials, str_from(content_type), form, &answer);
    return answer;
}

static void
expect_error(struct oauth_answer answer, unsigned status, const char *code)
{
    assert_int_equal(answer.status, status);
    assert_text(json_member(answer.body, "error"), code);
    assert_int_equal(answer.www_authenticate.len > 0, status == 401);
    if (status == 401)
        assert_true(str_starts_with(answer.www_authenticate, STR("Basic realm=")));
}

#define GRANT "grant_type=client_credentials"

static void
client_gets_a_token_by_both_methods(void **state)
{
    (void)state;
    struct client client = new_client(&node);
    str user = client.account.client_id, secret = client.account.secret;
    assert_true(secret_is_well_formed(secret, "sk"));
    struct oauth_answer answers[] = {
        post(basic(user, secret), FORM, STR(GRANT), "192.0.2.1"),
        post(basic(user, secret), "Application/X-WWW-Form-Urlencoded ; charset=utf-8", STR(GRANT "&scope=anything"),
             "192.0.2.1"),
        post(basic(str_format(arena, "%%72eeve%.*s", STR_ARG(str_slice(user, 5, user.len))), secret), FORM, STR(GRANT),
             "192.0.2.1"),
        post(basic(user, secret), FORM, str_format(arena, GRANT "&client_id=%.*s", STR_ARG(user)), "192.0.2.1"),
        post(STR_EMPTY, FORM,
             str_format(arena, "client_id=%.*s&&client_secret=%.*s&" GRANT, STR_ARG(user), STR_ARG(secret)),
             "192.0.2.1"),
    };
    for (size_t i = 0; i < LENGTH(answers); i++) {
        assert_int_equal(answers[i].status, 200);
        json_t *json = json_parse_own(arena, answers[i].body);
        assert_string_equal(json_string_value(json_object_get(json, "token_type")), "Bearer");
        assert_int_equal(json_integer_value(json_object_get(json, "expires_in")), 3600);
        assert_ok(try_bearer(&node, json_str(json_object_get(json, "access_token")), true));
    }
}

static void
malformed_requests_are_named(void **state)
{
    (void)state;
    struct client client = new_client(&node);
    str good = basic(client.account.client_id, client.account.secret);
    expect_error(post(good, "application/json", STR(GRANT), "192.0.2.1"), 400, "invalid_request");
    expect_error(post(good, "", STR(GRANT), "192.0.2.1"), 400, "invalid_request");
    expect_error(post(good, FORM, STR(""), "192.0.2.1"), 400, "invalid_request");
    expect_error(post(good, FORM, STR("grant_type="), "192.0.2.1"), 400, "invalid_request");
    expect_error(post(good, FORM, STR(GRANT "&" GRANT), "192.0.2.1"), 400, "invalid_request");
    expect_error(post(good, FORM, STR(GRANT "&x=1&%78=2"), "192.0.2.1"), 400, "invalid_request");
    expect_error(post(good, FORM, STR(GRANT "&x=%zz"), "192.0.2.1"), 400, "invalid_request");
    expect_error(post(good, FORM, STR(GRANT "&x=%00"), "192.0.2.1"), 400, "invalid_request");
    expect_error(post(good, FORM, STR(GRANT "&x=%ff"), "192.0.2.1"), 400, "invalid_request");
    expect_error(post(good, FORM, STR("grant_type=password"), "192.0.2.1"), 400, "unsupported_grant_type");
    expect_error(post(good, FORM, STR(GRANT "&client_secret=x"), "192.0.2.1"), 400, "invalid_request");
    expect_error(post(good, FORM, STR(GRANT "&client_id=another"), "192.0.2.1"), 400, "invalid_request");
    struct buf many = buf_in(arena, 1 << 20);
    buf_add_text(&many, GRANT);
    for (int i = 0; i < 40; i++)
        buf_format(&many, "&x%d=1", i);
    expect_error(post(good, FORM, buf_str(&many), "192.0.2.1"), 400, "invalid_request");
}

static void
whatever_is_wrong_with_a_client_the_answer_is_the_same(void **state)
{
    (void)state;
    struct client client = new_client(&node), listed = new_client(&node), expired = new_client(&node);
    str user = client.account.client_id, secret = client.account.secret;
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    assert_ok(tx_begin(node.store, arena, listed.organization, &tx));
    assert_ok(add_access_list_entry(tx, listed.account.id, listed.organization, STR("198.51.100.0/24"), STR("")));
    assert_ok(tx_commit(tx));
    run_sql(str_format(arena, "UPDATE service_account_secret SET expires_at = now() WHERE id = decode('%s', 'hex')",
                       id_text(arena, expired.account.secret_id).data)
                .data);
    struct oauth_answer answers[] = {
        post(basic(user, STR("wrong")), FORM, STR(GRANT), "192.0.2.1"),
        post(basic(user, STR_EMPTY), FORM, STR(GRANT), "192.0.2.1"),
        post(basic(user, secret_new(arena, "sk")), FORM, STR(GRANT), "192.0.2.1"),
        post(basic(STR("reeve_sa_000000000000000000000000"), secret), FORM, STR(GRANT), "192.0.2.1"),
        post(basic(STR("nobody"), secret), FORM, STR(GRANT), "192.0.2.1"),
        post(basic(listed.account.client_id, secret), FORM, STR(GRANT), "192.0.2.1"),
        post(basic(listed.account.client_id, listed.account.secret), FORM, STR(GRANT), "192.0.2.1"),
        post(basic(expired.account.client_id, expired.account.secret), FORM, STR(GRANT), "192.0.2.1"),
        post(STR("Basic !"), FORM, STR(GRANT), "192.0.2.1"),
        post(STR("Basic eA=="), FORM, STR(GRANT), "192.0.2.1"),
        post(STR("Bearer x"), FORM, STR(GRANT), "192.0.2.1"),
        post(STR_EMPTY, FORM, STR(GRANT), "192.0.2.1"),
        post(STR_EMPTY, FORM, str_format(arena, GRANT "&client_id=%.*s", STR_ARG(user)), "192.0.2.1"),
    };
    for (size_t i = 0; i < LENGTH(answers); i++) {
        expect_error(answers[i], 401, "invalid_client");
        assert_true(str_eq(answers[i].body, answers[0].body));
    }
    assert_int_equal(
        post(basic(listed.account.client_id, listed.account.secret), FORM, STR(GRANT), "198.51.100.9").status, 200);
}

static void
every_unexpired_secret_of_an_account_is_good(void **state)
{
    (void)state;
    struct client client = new_client(&node);
    struct new_secret second, foreign;
    {
        struct tx *tx CLEANUP(tx_cleanup) = NULL;
        assert_ok(tx_begin(node.store, arena, client.organization, &tx));
        assert_ok(
            auth_create_secret(node.auth, tx, client.organization, client.account.id, clock_now_ms() + 60000, &second));
        assert_ok(tx_commit(tx));
    }
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct client other = new_client(&node);
    assert_ok(tx_begin(node.store, arena, other.organization, &tx));
    assert_code(auth_create_secret(node.auth, tx, other.organization, client.account.id, clock_now_ms(), &foreign),
                RESOURCE_NOT_FOUND);
    assert_int_equal(post(basic(client.account.client_id, second.secret), FORM, STR(GRANT), "192.0.2.1").status, 200);
    assert_int_equal(post(basic(client.account.client_id, client.account.secret), FORM, STR(GRANT), "192.0.2.1").status,
                     200);
    assert_text(second.mask, str_format(arena, "reeve_sk_\u2026%.4s", second.secret.data + second.secret.len - 4).data);
    /* Both uses were noted, and neither secret is anywhere in the table. */
    run_sql(
        str_format(
            arena,
            "DO $$ BEGIN IF (SELECT count(*) FROM service_account_secret s WHERE account_id = decode('%s', 'hex') AND "
            "last_used_at IS NOT NULL AND s::text NOT LIKE '%%%.20s%%') <> 2 THEN RAISE 'wrong'; END IF; END $$",
            id_text(arena, client.account.id).data, second.secret.data + 9)
            .data);
}

static struct oauth_answer
post_revoke(const struct client *client, str token)
{
    struct credentials credentials = { .authorization = basic(client->account.client_id, client->account.secret),
                                       .client = address("192.0.2.1") };
    struct oauth_answer answer;
    oauth_revoke(node.auth, arena, &credentials, STR(FORM),
                 str_format(arena, "token=%.*s&token_type_hint=x", STR_ARG(token)), &answer);
    return answer;
}

static bool
is_revoked(void *token)
{
    const struct principal *principal;
    error problem =
        authenticate(&node, str_format(arena, "Bearer %.*s", STR_ARG(*(str *)token)), true, false, &principal);
    return problem != OK && problem->code == INVALID_CREDENTIALS;
}

static void
client_revokes_its_own_tokens_only(void **state)
{
    (void)state;
    struct client client = new_client(&node), thief = new_client(&node);
    str token = get_token(&node, &client);
    assert_ok(try_bearer(&node, token, true));
    /* Somebody else's, and what is no token at all, are answered like a success. */
    assert_int_equal(post_revoke(&thief, token).status, 200);
    assert_int_equal(post_revoke(&client, STR("nonsense")).status, 200);
    const struct principal *principal;
    assert_ok(authenticate(&node, str_format(arena, "Bearer %.*s", STR_ARG(token)), true, true, &principal));
    assert_int_equal(principal->revoked_count, 0);
    assert_int_equal(post_revoke(&client, token).status, 200);
    assert_int_equal(post_revoke(&client, token).status, 200);
    assert_true(eventually(is_revoked, &token, 5000));

    struct oauth_answer answer;
    struct credentials nobody = { .client = address("192.0.2.1") };
    oauth_revoke(node.auth, arena, &nobody, STR(FORM), str_format(arena, "token=%.*s", STR_ARG(token)), &answer);
    expect_error(answer, 401, "invalid_client");
    nobody.authorization = basic(client.account.client_id, client.account.secret);
    oauth_revoke(node.auth, arena, &nobody, STR(FORM), STR("token="), &answer);
    expect_error(answer, 400, "invalid_request");
}

static void
endless_revocations_end_all_tokens_instead(void **state)
{
    (void)state;
    struct client client = new_client(&node);
    str token = get_token(&node, &client), other = token;
    while (str_eq(other, token)) {
        usleep(100000);
        other = get_token(&node, &client);
    }
    run_sql(
        str_format(
            arena,
            "INSERT INTO revoked_token SELECT decode('%s', 'hex'), decode(md5(n::text), 'hex'), now() + interval '1 hour' "
            "FROM generate_series(1, 10000) n",
            id_text(arena, client.account.id).data)
            .data);
    assert_ok(try_bearer(&node, other, true));
    assert_int_equal(post_revoke(&client, token).status, 200);
    assert_true(eventually(is_revoked, &other, 5000));
    const struct principal *principal;
    assert_ok(snapshot_principal(node.auth->snapshot, arena, client.account.id, true, true, &principal));
    assert_int_equal(principal->revoked_count, 0);
    assert_int_equal(principal->generation, 2);
    assert_ok(try_bearer(&node, get_token(&node, &client), true));
}

static void
metadata_is_that_of_rfc_8414(void **state)
{
    (void)state;
    str document = oauth_metadata(arena, STR("https://reeve.example.org/"), false);
    assert_text(json_member(document, "issuer"), "https://reeve.example.org");
    assert_text(json_member(document, "token_endpoint"), "https://reeve.example.org/api/oauth/token");
    assert_text(json_member(document, "revocation_endpoint"), "https://reeve.example.org/api/oauth/revoke");
}

static void
hostile_bytes_are_read_without_harm(void **state)
{
    (void)state;
    uint64_t seed = 42;
    for (int round = 0; round < 20000; round++) {
        struct arena *own = arena_new(256 * 1024);
        size_t length = seed % 60;
        char *bytes = malloc(length + 1);
        static const char likely[] = "%=&:+,\"\\ Basic Digest client_id grant_type 00ff\0";
        for (size_t i = 0; i < length; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            bytes[i] = seed >> 63 ? likely[(seed >> 33) % sizeof(likely)] : (char)(seed >> 40);
        }
        struct oauth_form form;
        struct authorization header;
        str user, password, text = { bytes, length };
        if (oauth_form_parse(own, text, &form))
            assert_true(str_is_text(form.client_id));
        if (authorization_parse(text, &header))
            assert_true(header.scheme.len > 0);
        if (authorization_parse_basic(own, text, &user, &password))
            assert_true(str_is_text(user));
        oauth_is_form(text);
        free(bytes);
        arena_free(own);
        seed = seed * 6364136223846793005u + 1442695040888963407u;
    }
}

int
main(void)
{
    need_services();
    json_init();
    const struct CMUnitTest tests[] = {
        TEST(client_gets_a_token_by_both_methods),
        TEST(malformed_requests_are_named),
        TEST(whatever_is_wrong_with_a_client_the_answer_is_the_same),
        TEST(every_unexpired_secret_of_an_account_is_good),
        TEST(client_revokes_its_own_tokens_only),
        TEST(endless_revocations_end_all_tokens_instead),
        TEST(metadata_is_that_of_rfc_8414),
        TEST(hostile_bytes_are_read_without_harm),
    };
    return cmocka_run_group_tests(tests, before_all, after_all);
}
