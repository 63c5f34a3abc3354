/* SPDX-License-Identifier: Apache-2.0 */
/* Bearer tokens: their text, and what becomes of them when something changes. */
#include "auth_support.h"

#include <time.h>

static const struct key some_key = { { 9, 9, 9 } };

static void
token_survives_the_round_trip(void **state)
{
    (void)state;
    id principal = id_new(7);
    struct token token;
    str text = token_new(arena, &some_key, 3, principal, 4000000000u, 0xFFFFFFFEu);
    assert_int_equal(text.len, TOKEN_TEXT_LENGTH);
    assert_true(str_starts_with(text, STR("reeve_at_")));
    assert_true(token_parse(text, &token));
    assert_true(token_is_signed_by(&token, &some_key));
    assert_int_equal(token.key_id, 3);
    assert_true(id_eq(token.principal, principal));
    assert_int_equal(token.expires_at_s, 4000000000u);
    assert_int_equal(token.generation, 0xFFFFFFFEu);
}

static void
token_with_any_character_changed_is_refused(void **state)
{
    (void)state;
    struct token token;
    str text = token_new(arena, &some_key, 1, id_new(1), 4000000000u, 1);
    for (size_t i = 0; i < text.len; i++) {
        for (int c = 0; c < 256; c++) {
            char *copy = (char *)str_dup(arena, text).data;
            if (copy[i] == (char)c)
                continue;
            copy[i] = (char)c;
            assert_false(token_parse((str){ copy, text.len }, &token) && token_is_signed_by(&token, &some_key));
        }
    }
    assert_false(token_parse(str_slice(text, 0, text.len - 1), &token));
    assert_false(token_parse(str_format(arena, "%.*sA", STR_ARG(text)), &token));
    assert_false(token_parse(STR_EMPTY, &token));
}

static void
token_of_another_key_is_refused(void **state)
{
    (void)state;
    struct token token;
    struct key other = { { 9, 9, 8 } };
    assert_true(token_parse(token_new(arena, &other, 1, id_new(1), 4000000000u, 1), &token));
    assert_false(token_is_signed_by(&token, &some_key));
    /* Under the identifier of a real key, and of one that no node has. */
    for (int key_id = 1; key_id < 256; key_id += 200) {
        str forged = token_new(arena, &other, (uint8_t)key_id, id_new(1), 4000000000u, 1);
        assert_code(try_bearer(&node, forged, true), INVALID_CREDENTIALS);
    }
}

static void
token_of_a_client_is_accepted_with_its_roles(void **state)
{
    (void)state;
    struct client client = new_client(&node);
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    id project = id_new(1);
    assert_ok(tx_begin(node.store, arena, client.organization, &tx));
    assert_ok(store_project_add(tx, client.organization, project, STR("p"), STR("{}")));
    assert_ok(add_role_grant(tx, client.account.id, client.organization, ID_NONE, STR("ORG_MEMBER")));
    assert_ok(add_role_grant(tx, client.account.id, client.organization, project, STR("GROUP_CLUSTER_MANAGER")));
    assert_ok(add_role_grant(tx, client.account.id, client.organization, project, STR("GROUP_BACKUP_MANAGER")));
    assert_ok(add_role_grant(tx, client.account.id, client.organization, project, STR("GROUP_BACKUP_MANAGER")));
    assert_ok(add_access_list_entry(tx, client.account.id, client.organization, STR("192.0.2.0/24"), STR("office")));
    assert_ok(add_access_list_entry(tx, client.account.id, client.organization, STR("2001:db8::/32"), STR("")));
    assert_ok(tx_commit(tx));

    const struct principal *principal;
    str header = str_format(arena, "bearer  %.*s ", STR_ARG(get_token(&node, &client)));
    assert_ok(authenticate(&node, header, true, false, &principal));
    assert_true(id_eq(principal->id, client.account.id));
    assert_true(id_eq(principal->organization, client.organization));
    assert_int_equal(principal->kind, PRINCIPAL_SERVICE_ACCOUNT);
    assert_text(principal->name, client.account.client_id.data);
    assert_int_equal(principal->grant_count, 2);
    assert_true(principal_is_in_organization(principal, client.organization));
    assert_true(principal_is_in_project(principal, client.organization, project));
    assert_false(principal_is_in_organization(principal, id_new(1)));
    role_set roles = principal_roles_in_project(principal, client.organization, project);
    assert_true(roles & PROJECT_CLUSTER_CREATOR);
    assert_true(roles & PROJECT_BACKUP_CREATOR);
    assert_true(roles & ORG_MEMBER);
    assert_false(roles & PROJECT_OWNER);
    /* A project that is said to be elsewhere gives nothing. */
    assert_int_equal(principal_roles_in_project(principal, id_new(1), project), 0);
    assert_int_equal(principal_roles_in_organization(principal, client.organization), ORG_MEMBER);
    struct net_address listed = address("::ffff:192.0.2.77"), listed6 = address("2001:db8::1"),
                       other = address("192.0.3.1");
    assert_int_equal(principal_check_origin(principal, &listed), ORIGIN_ALLOWED);
    assert_int_equal(principal_check_origin(principal, &listed6), ORIGIN_ALLOWED);
    assert_int_equal(principal_check_origin(principal, &other), ORIGIN_NOT_LISTED);
}

static void
required_access_list_that_is_empty_lets_nobody_in(void **state)
{
    (void)state;
    struct client client = new_client(&node);
    str token = get_token(&node, &client);
    const struct principal *principal;
    struct net_address anywhere = address("192.0.2.1");
    str header = str_format(arena, "Bearer %.*s", STR_ARG(token));
    assert_ok(authenticate(&node, header, true, true, &principal));
    assert_int_equal(principal_check_origin(principal, &anywhere), ORIGIN_ALLOWED);
    run_sql(str_format(arena, "UPDATE organization SET access_list_required = true WHERE id = decode('%s', 'hex')",
                       id_text(arena, client.organization).data)
                .data);
    assert_ok(authenticate(&node, header, true, true, &principal));
    assert_int_equal(principal_check_origin(principal, &anywhere), ORIGIN_LIST_MISSING);
}

static void
expired_token_is_refused(void **state)
{
    (void)state;
    struct client client = new_client(&node);
    get_token(&node, &client); /* so that the keys are there */
    uint8_t key_id;
    struct key key;
    assert_true(keyring_newest(node.auth->keyring, &key_id, &key));
    uint32_t now_s = (uint32_t)(clock_now_ms() / 1000);
    assert_ok(try_bearer(&node, token_new(arena, &key, key_id, client.account.id, now_s + 60, 1), true));
    assert_code(try_bearer(&node, token_new(arena, &key, key_id, client.account.id, now_s, 1), true),
                INVALID_CREDENTIALS);
    assert_code(try_bearer(&node, token_new(arena, &key, key_id, client.account.id, now_s - 1, 1), false),
                INVALID_CREDENTIALS);
    assert_code(try_bearer(&node, token_new(arena, &key, key_id, id_new(1), now_s + 60, 1), true), INVALID_CREDENTIALS);
}

static void
token_ends_when_the_generation_moves(void **state)
{
    (void)state;
    struct client client = new_client(&node);
    str token = get_token(&node, &client);
    assert_ok(try_bearer(&node, token, true));
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    assert_ok(tx_begin(node.store, arena, client.organization, &tx));
    assert_ok(revoke_tokens(tx, client.account.id));
    assert_ok(tx_commit(tx));
    const struct principal *principal;
    str header = str_format(arena, "Bearer %.*s", STR_ARG(token));
    assert_code(authenticate(&node, header, true, true, &principal), INVALID_CREDENTIALS);
    assert_ok(try_bearer(&node, get_token(&node, &client), true));
}

static void
revoking_a_foreign_principal_is_an_error_and_not_silence(void **state)
{
    (void)state;
    struct client one = new_client(&node), other = new_client(&node);
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    assert_ok(tx_begin(node.store, arena, one.organization, &tx));
    assert_code(revoke_tokens(tx, other.account.id), RESOURCE_NOT_FOUND);
}

static void
deleted_service_account_is_refused(void **state)
{
    (void)state;
    struct client client = new_client(&node);
    str token = get_token(&node, &client);
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    bool deleted;
    assert_ok(tx_begin(node.store, arena, client.organization, &tx));
    assert_ok(delete_principal(tx, client.account.id, client.organization, &deleted));
    assert_ok(tx_commit(tx));
    assert_true(deleted);
    const struct principal *principal;
    assert_code(authenticate(&node, str_format(arena, "Bearer %.*s", STR_ARG(token)), true, true, &principal),
                INVALID_CREDENTIALS);
    assert_int_equal(ask_token(&node, &client).status, 401);
}

static void
tokens_outlive_a_rotation_of_the_signing_key(void **state)
{
    (void)state;
    struct client client = new_client(&node);
    struct node other = node_new(NULL, NULL);
    str before = get_token(&node, &client);
    assert_ok(try_bearer(&other, before, true));
    assert_ok(auth_rotate_signing_key(node.auth, arena));
    str after = get_token(&node, &client);
    struct token old_token, new_token;
    assert_true(token_parse(before, &old_token) && token_parse(after, &new_token));
    assert_int_equal(new_token.key_id, old_token.key_id + 1);
    /* At once, on a node that may not have heard of the new key yet. */
    assert_ok(try_bearer(&other, after, true));
    assert_ok(try_bearer(&other, before, true));
    assert_ok(try_bearer(&node, before, true));
    node_free(&other);
}

static void
other_schemes_and_unreadable_headers_are_refused(void **state)
{
    (void)state;
    const struct principal *principal;
    assert_code(authenticate(&node, STR_EMPTY, true, false, &principal), NOT_AUTHENTICATED);
    const char *headers[] = { "Bearer", "Bearer x",          "Basic eDp5", "Negotiate abc", "=",
                              " ",      "Bearer\treeve_at_", "Digest",     "Digest x" };
    for (size_t i = 0; i < LENGTH(headers); i++)
        assert_code(authenticate(&node, str_from(headers[i]), true, false, &principal), INVALID_CREDENTIALS);
    assert_code(authenticate(&node, (str){ "Bearer \0", 8 }, true, false, &principal), INVALID_CREDENTIALS);
}

/* Processor time of this thread: other tests on the same machine do not count. */
static int64_t
spent_ns(void)
{
    struct timespec spent;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    return (int64_t)spent.tv_sec * 1000000000 + spent.tv_nsec;
}

enum { ROUNDS = 50000 };

static int64_t
authentication_ns(str header)
{
    int64_t began_ns = spent_ns();
    for (int i = 0; i < ROUNDS; i++) {
        struct arena *request = arena_new(64 * 1024);
        struct credentials credentials = { .authorization = header, .method = STR("GET"), .target = STR("/") };
        const struct principal *principal;
        error problem = auth_authenticate(node.auth, request, &credentials, false, false, &principal);
        arena_free(request);
        assert_ptr_equal(problem, OK);
    }
    return (spent_ns() - began_ns) / ROUNDS;
}

static int64_t
arena_ns(void)
{
    int64_t began_ns = spent_ns();
    for (int i = 0; i < ROUNDS; i++) {
        struct arena *request = arena_new(64 * 1024);
        assert_non_null(arena_alloc(request, 1));
        arena_free(request);
    }
    return (spent_ns() - began_ns) / ROUNDS;
}

static int64_t
mac_ns(void)
{
    int64_t began_ns = spent_ns();
    for (int i = 0; i < ROUNDS; i++) {
        uint8_t mac[SHA256_BYTES];
        crypto_hmac_sha256(&some_key, (str){ (const char *)&i, sizeof(i) }, mac);
    }
    return (spent_ns() - began_ns) / ROUNDS;
}

static void
known_token_is_verified_in_memory_within_microseconds(void **state)
{
    (void)state;
    struct client client = new_client(&node);
    str token = get_token(&node, &client);
    usleep(50000); /* what making the client told has been heard */
    assert_ok(try_bearer(&node, token, true));
    str header = str_format(arena, "Bearer %.*s", STR_ARG(token));
    int64_t each_ns = authentication_ns(header), of_arena_ns = arena_ns();
    print_message("a known token: %d ns, of which the request's arena %d ns and the MAC %d ns\n", (int)each_ns,
                  (int)of_arena_ns, (int)mac_ns());
#ifndef UNDER_SANITIZER
    assert_true(each_ns - of_arena_ns < 20000); /* far above what it takes */
#endif
}

int
main(void)
{
    need_services();
    json_init();
    const struct CMUnitTest tests[] = {
        TEST(token_survives_the_round_trip),
        TEST(token_with_any_character_changed_is_refused),
        TEST(token_of_another_key_is_refused),
        TEST(token_of_a_client_is_accepted_with_its_roles),
        TEST(required_access_list_that_is_empty_lets_nobody_in),
        TEST(expired_token_is_refused),
        TEST(token_ends_when_the_generation_moves),
        TEST(revoking_a_foreign_principal_is_an_error_and_not_silence),
        TEST(deleted_service_account_is_refused),
        TEST(tokens_outlive_a_rotation_of_the_signing_key),
        TEST(other_schemes_and_unreadable_headers_are_refused),
        TEST(known_token_is_verified_in_memory_within_microseconds),
    };
    return cmocka_run_group_tests(tests, before_all, after_all);
}
