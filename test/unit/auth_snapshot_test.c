/* SPDX-License-Identifier: Apache-2.0 */
/* What nodes keep in memory: how fast a change is seen elsewhere, and what serves when the database is out of reach. */
#include "auth_support.h"

#include "auth/cache.h"

/* The token's principal is in memory and would be believed. */
struct known {
    struct node *node;
    str token;
};

static bool
is_known(void *context)
{
    const struct known *known = context;
    return try_bearer(known->node, known->token, false) == OK;
}

static bool
is_not_known(void *context)
{
    return !is_known(context);
}

static bool
becomes_known(void *context)
{
    const struct known *known = context;
    return try_bearer(known->node, known->token, true) == OK && is_known(context);
}

/* Loads it until it stays: what was told when it was made may arrive after the first time. */
static void
warm_up(struct known *known)
{
    do {
        assert_true(eventually(becomes_known, known, 5000));
        usleep(50000);
    } while (!is_known(known));
}

static void
end_tokens_of(const struct client *client)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    assert_ok(tx_begin(node.store, arena, client->organization, &tx));
    assert_ok(revoke_tokens(tx, client->account.id));
    assert_ok(tx_commit(tx));
}

static void
grant(const struct client *client, const char *role)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    assert_ok(tx_begin(node.store, arena, client->organization, &tx));
    assert_ok(add_role_grant(tx, client->account.id, client->organization, ID_NONE, str_from(role)));
    assert_ok(tx_commit(tx));
}

static void
revoked_token_is_refused_by_another_node_within_five_seconds(void **state)
{
    (void)state;
    struct node other = node_new(NULL, NULL);
    struct client client = new_client(&node);
    struct known known = { &other, get_token(&node, &client) };
    str untouched = get_token(&node, &client);
    while (str_eq(untouched, known.token)) { /* tokens of the same second are the same */
        usleep(100000);
        untouched = get_token(&node, &client);
    }
    warm_up(&known);
    struct oauth_answer answer;
    struct credentials from = { .client = address("192.0.2.1") };
    str form = str_format(arena, "token=%.*s&client_id=%.*s&client_secret=%.*s", STR_ARG(known.token),
                          STR_ARG(client.account.client_id), STR_ARG(client.account.secret));
    oauth_revoke(node.auth, arena, &from, STR(FORM), form, &answer);
    int64_t began_us = clock_steady_us();
    assert_int_equal(answer.status, 200);
    assert_true(eventually(is_not_known, &known, 5000));
    print_message("a revocation was seen by another node after %d us\n", (int)(clock_steady_us() - began_us));
    assert_code(try_bearer(&other, known.token, true), INVALID_CREDENTIALS);
    assert_code(try_bearer(&node, known.token, true), INVALID_CREDENTIALS);
    assert_ok(try_bearer(&other, untouched, true));
    node_free(&other);
}

static void
refusal_is_left_to_a_thread_that_may_ask(void **state)
{
    (void)state;
    struct client client = new_client(&node);
    struct known known = { &node, get_token(&node, &client) };
    warm_up(&known);
    /* Without a word to anybody: the node still believes the token, and finds out when it is asked for a fresh answer. */
    run_sql(str_format(arena, "UPDATE principal SET generation = 7 WHERE id = decode('%s', 'hex')",
                       id_text(arena, client.account.id).data)
                .data);
    const struct principal *principal;
    assert_true(is_known(&known));
    assert_code(authenticate(&node, str_format(arena, "Bearer %.*s", STR_ARG(known.token)), true, true, &principal),
                INVALID_CREDENTIALS);
    assert_ptr_equal(try_bearer(&node, known.token, false), WOULD_BLOCK);
    /* And what it refuses from memory it asks again: the token is good as soon as the row is. */
    run_sql(str_format(arena, "UPDATE principal SET generation = 1 WHERE id = decode('%s', 'hex')",
                       id_text(arena, client.account.id).data)
                .data);
    assert_ok(try_bearer(&node, known.token, true));
}

static void
granted_role_is_there_at_once_when_it_is_asked_for_again(void **state)
{
    (void)state;
    struct node other = node_new(NULL, NULL);
    struct client client = new_client(&node);
    struct known known = { &other, get_token(&node, &client) };
    warm_up(&known);
    const struct principal *principal;
    grant(&client, "ORG_OWNER");
    assert_ok(authenticate(&other, str_format(arena, "Bearer %.*s", STR_ARG(known.token)), true, true, &principal));
    assert_true(principal_roles_in_organization(principal, client.organization) & ORG_OWNER);
    node_free(&other);
}

static void
principal_in_use_survives_its_invalidation(void **state)
{
    (void)state;
    struct client client = new_client(&node);
    grant(&client, "ORG_OWNER");
    struct known known = { &node, get_token(&node, &client) };
    warm_up(&known);
    const struct principal *before, *after;
    str header = str_format(arena, "Bearer %.*s", STR_ARG(known.token));
    assert_ok(authenticate(&node, header, true, false, &before));
    snapshot_invalidate(node.auth->snapshot, STR("all"));
    assert_false(is_known(&known));
    assert_ok(authenticate(&node, header, true, false, &after));
    assert_ptr_not_equal(before, after);
    assert_int_equal(before->grant_count, 1);
    assert_true(principal_roles_in_organization(before, client.organization) & ORG_OWNER);
}

static void *
load_in_thread(void *context)
{
    struct known *known = context;
    struct arena *own = arena_new(1024 * 1024);
    struct credentials credentials = { .authorization = known->token, .method = STR("GET"), .target = STR("/") };
    const struct principal *principal;
    error problem = auth_authenticate(known->node->auth, own, &credentials, true, true, &principal);
    arena_free(own);
    return (void *)problem;
}

static void
load_that_began_before_an_invalidation_is_not_kept(void **state)
{
    (void)state;
    struct client client = new_client(&node), witness = new_client(&node);
    struct known known = { &node, get_token(&node, &client) }, seen = { &node, get_token(&node, &witness) };
    warm_up(&known);
    warm_up(&seen);
    snapshot_invalidate(node.auth->snapshot, str_format(arena, "principal:%s", id_text(arena, client.account.id).data));
    assert_false(is_known(&known));

    PGconn *lock = PQconnectdb(str_format(arena, "%s dbname=%s", getenv("REEVE_TEST_SUPER_DSN"), test_database).data);
    PQclear(PQexec(lock, "BEGIN"));
    PQclear(PQexec(lock, "LOCK TABLE access_list_entry IN ACCESS EXCLUSIVE MODE"));
    struct known header = { &node, str_format(arena, "Bearer %.*s", STR_ARG(known.token)) };
    pthread_t thread;
    pthread_create(&thread, NULL, load_in_thread, &header);
    /* The load waits for the lock before it goes on. */
    wait_for_a_lock();
    run_sql(
        str_format(arena, "SELECT pg_notify('reeve_authority', 'principal:%s')", id_text(arena, client.account.id).data)
            .data);
    run_sql(str_format(arena, "SELECT pg_notify('reeve_authority', 'principal:%s')",
                       id_text(arena, witness.account.id).data)
                .data);
    assert_true(eventually(is_not_known, &seen, 5000));
    PQclear(PQexec(lock, "COMMIT"));
    PQfinish(lock);
    void *problem;
    pthread_join(thread, &problem);
    assert_null(problem); /* the request itself was answered */
    assert_false(is_known(&known));
    assert_ok(try_bearer(&node, known.token, true));
    assert_true(is_known(&known));
}

static void
node_that_does_not_listen_asks_the_database_every_time(void **state)
{
    (void)state;
    struct relay *relay = relay_new();
    struct node deaf = node_new(NULL, relay);
    struct client client = new_client(&node);
    struct known known = { &deaf, get_token(&node, &client) };
    warm_up(&known);
    atomic_store(&relay->cut, true);
    assert_true(eventually(is_not_known, &known, 5000));
    assert_false(auth_status(deaf.auth).listening);
    assert_ok(try_bearer(&deaf, known.token, true));
    assert_ptr_equal(try_bearer(&deaf, known.token, false), WOULD_BLOCK);
    end_tokens_of(&client);
    assert_code(try_bearer(&deaf, known.token, true), INVALID_CREDENTIALS);

    /* What it has missed meanwhile cannot come back with the connection. */
    struct client second = new_client(&node);
    known.token = get_token(&node, &second);
    assert_ok(try_bearer(&deaf, known.token, true));
    atomic_store(&relay->cut, false);
    assert_true(eventually(is_listening, &deaf, 10000));
    assert_ptr_equal(try_bearer(&deaf, known.token, false), WOULD_BLOCK);
    warm_up(&known);
    node_free(&deaf);
    relay_free(relay);
}

static bool
is_refused(void *context)
{
    const struct known *known = context;
    error problem = try_bearer(known->node, known->token, true);
    return problem != OK && problem->code == INVALID_CREDENTIALS;
}

static void
revocation_reaches_a_node_whose_connection_hangs_within_five_seconds(void **state)
{
    (void)state;
    struct relay *relay = relay_new();
    struct node deaf = node_new(NULL, relay);
    struct client client = new_client(&node);
    struct known known = { &deaf, get_token(&node, &client) };
    warm_up(&known);
    atomic_store(&relay->stalled, true);
    usleep(100000); /* the relay looks every 20 ms */
    assert_true(is_known(&known));
    end_tokens_of(&client);
    assert_true(is_known(&known)); /* it cannot have heard */
    int64_t began_ms = clock_steady_ms();
    assert_true(eventually(is_refused, &known, 5000));
    print_message("a hanging connection hid a revocation for %d ms\n", (int)(clock_steady_ms() - began_ms));
    atomic_store(&relay->stalled, false);
    node_free(&deaf);
    relay_free(relay);
}

static void
memory_serves_for_a_while_when_the_database_is_gone(void **state)
{
    (void)state;
    struct relay *relay = relay_new();
    struct node cut_off = node_new(relay, relay);
    struct client client = new_client(&node), unknown = new_client(&node), revoked = new_client(&node);
    struct known known = { &cut_off, get_token(&node, &client) }, bad = { &cut_off, get_token(&node, &revoked) };
    const struct context_facts *facts;
    warm_up(&known);
    warm_up(&bad);
    assert_ok(auth_organization_facts(cut_off.auth, arena, client.organization, true, false, &facts));
    end_tokens_of(&revoked);
    assert_true(eventually(is_refused, &bad, 5000)); /* and so its new generation is in memory */
    atomic_store(&relay->cut, true);
    assert_true(eventually(is_not_known, &known, 5000));

    int64_t began_ms = clock_steady_ms();
    assert_ok(try_bearer(&cut_off, known.token, true));
    print_message("the first answer without the database took %d ms\n", (int)(clock_steady_ms() - began_ms));
    assert_ok(auth_organization_facts(cut_off.auth, arena, client.organization, true, false, &facts));
    assert_true(facts->exists);
    /* For a moment nobody needs to find out again that it is gone. Here it is a long one: a busy machine may stall for as long as it lasts. */
    assert_true(atomic_load(&cut_off.auth->freshness.unreachable_until_ms) > began_ms);
    atomic_store(&cut_off.auth->freshness.unreachable_until_ms, clock_steady_ms() + 60000);
    assert_ok(try_bearer(&cut_off, known.token, true));
    assert_ok(try_bearer(&cut_off, known.token, false));
    /* What is not in memory, and a refusal, cannot be answered. */
    assert_code(try_bearer(&cut_off, get_token(&node, &unknown), true), DATABASE_UNAVAILABLE);
    assert_code(try_bearer(&cut_off, bad.token, true), DATABASE_UNAVAILABLE);
    const struct principal *principal;
    assert_code(authenticate(&cut_off, str_format(arena, "Bearer %.*s", STR_ARG(known.token)), true, true, &principal),
                DATABASE_UNAVAILABLE);
    struct oauth_answer answer = ask_token(&cut_off, &client);
    assert_int_equal(answer.status, 503);
    assert_true(answer.retry_after_s > 0);

    /* The minute, shortened to what has already passed. */
    assert_int_equal(atomic_load(&cut_off.auth->freshness.max_age_ms), 60000);
    atomic_store(&cut_off.auth->freshness.max_age_ms, 1);
    usleep(5000);
    assert_code(try_bearer(&cut_off, known.token, true), DATABASE_UNAVAILABLE);
    atomic_store(&cut_off.auth->freshness.max_age_ms, 60000);
    atomic_store(&cut_off.auth->freshness.unreachable_until_ms, 0);
    atomic_store(&relay->cut, false);
    assert_true(eventually(is_listening, &cut_off, 10000));
    warm_up(&known);
    node_free(&cut_off);
    relay_free(relay);
}

static void
entry_is_given_up_when_it_is_old(void **state)
{
    (void)state;
    struct client client = new_client(&node);
    struct known known = { &node, get_token(&node, &client) };
    warm_up(&known);
    atomic_store(&node.auth->freshness.max_age_ms, 30);
    usleep(40000);
    assert_ptr_equal(try_bearer(&node, known.token, false), WOULD_BLOCK);
    atomic_store(&node.auth->freshness.max_age_ms, 60000);
}

static bool
facts_are_unknown(void *project)
{
    const struct context_facts *facts;
    return auth_project_facts(node.auth, arena, *(id *)project, false, false, &facts) == WOULD_BLOCK;
}

static void
facts_follow_the_project_and_its_limits(void **state)
{
    (void)state;
    struct client client = new_client(&node);
    id project = id_new(1);
    const struct context_facts *facts;
    assert_ok(auth_project_facts(node.auth, arena, project, true, false, &facts));
    assert_false(facts->exists);
    assert_ptr_equal(auth_project_facts(node.auth, arena, project, false, false, &facts), WOULD_BLOCK);
    {
        struct tx *tx CLEANUP(tx_cleanup) = NULL;
        assert_ok(tx_begin(node.store, arena, client.organization, &tx));
        assert_ok(store_project_add(tx, client.organization, project, STR("p"), STR("{}")));
        assert_ok(set_limit_override(tx, "org", client.organization, STR("S17"), 10, 5));
        assert_ok(set_limit_override(tx, "project", project, STR("S17"), 20, 6));
        assert_ok(set_limit_override(tx, "project", project, STR("S01"), 30, 7));
        assert_ok(set_limit_override(tx, "user", client.account.id, STR("S57"), 40, 8));
        assert_ok(tx_commit(tx));
    }
    /* That it did not exist was not kept. */
    assert_ok(auth_project_facts(node.auth, arena, project, true, false, &facts));
    assert_true(facts->exists);
    assert_true(id_eq(facts->organization, client.organization));
    assert_true(id_eq(facts->project, project));
    assert_int_equal(facts->override_count, 3);
    assert_int_equal(facts->overrides[2].set, S17); /* the organization's comes last */
    assert_int_equal(facts->overrides[2].capacity, 10);
    assert_ok(auth_organization_facts(node.auth, arena, client.organization, true, false, &facts));
    assert_int_equal(facts->override_count, 1);
    assert_false(id_is_there(facts->project));
    assert_ok(auth_user_facts(node.auth, arena, client.account.id, true, false, &facts));
    assert_int_equal(facts->override_count, 2);
    assert_int_equal(facts->overrides[0].set, S57);
    assert_int_equal(facts->overrides[0].refill, 8);

    assert_ok(auth_project_facts(node.auth, arena, project, true, true, &facts));
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    assert_ok(tx_begin(node.store, arena, client.organization, &tx));
    assert_ok(remove_limit_override(tx, "org", client.organization, STR("S17"), NULL));
    assert_ok(tx_commit(tx));
    assert_true(eventually(facts_are_unknown, &project, 5000));
    assert_ok(auth_project_facts(node.auth, arena, project, true, false, &facts));
    assert_int_equal(facts->override_count, 2);
}

static void
organizations_settings_reach_its_principals(void **state)
{
    (void)state;
    struct client client = new_client(&node), neighbour = new_client(&node);
    struct known known = { &node, get_token(&node, &client) }, other = { &node, get_token(&node, &neighbour) };
    warm_up(&known);
    warm_up(&other);
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    assert_ok(tx_begin(node.store, arena, client.organization, &tx));
    assert_ok(authority_changed(tx, "org", client.organization));
    assert_ok(tx_commit(tx));
    assert_true(eventually(is_not_known, &known, 5000));
    assert_true(is_known(&other));
}

static void
people_and_federations_are_found(void **state)
{
    (void)state;
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    id person, federation = id_new(1), organization = id_new(1);
    str username = str_format(arena, "%s@Example.org", id_text(arena, organization).data);
    assert_ok(tx_begin_service(node.store, arena, &tx));
    assert_ok(create_person(tx, username, STR("A"), STR("B"), &person));
    assert_ok(tx_set_organization(tx, organization));
    assert_ok(store_organization_add(tx, organization, federation, STR("o"), false, STR("{}")));
    assert_ok(add_role_grant(tx, person, organization, ID_NONE, STR("ORG_OWNER")));
    assert_code(add_role_grant(tx, person, organization, id_new(1), STR("GROUP_OWNER")), RESOURCE_NOT_FOUND);
    assert_ok(tx_commit(tx));
    const struct principal *principal;
    assert_ok(snapshot_principal(node.auth->snapshot, arena, person, true, false, &principal));
    assert_int_equal(principal->kind, PRINCIPAL_PERSON);
    assert_false(id_is_there(principal->organization));
    assert_text(principal->name, username.data);
    assert_true(principal_is_in_organization(principal, organization));
    assert_false(principal_is_in_organization(principal, ID_NONE));
    size_t count;
    const id *organizations;
    assert_ok(auth_federation_organizations(node.auth, arena, federation, &count, &organizations));
    assert_int_equal(count, 1);
    assert_true(id_eq(organizations[0], organization));
    struct tx *again CLEANUP(tx_cleanup) = NULL;
    assert_ok(tx_begin_service(node.store, arena, &again));
    for (char *c = (char *)username.data; *c != '\0'; c++)
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c + 32 : *c);
    assert_code(create_person(again, username, STR("A"), STR("B"), &person), DUPLICATE_NAME);
}

/* ---- The map itself ---- */

static void
dispose_counted(struct cached *value)
{
    free(value);
}

static struct cached *
new_value(int64_t loaded_at_ms)
{
    struct cached *value = calloc(1, sizeof(*value));
    atomic_init(&value->references, 1);
    value->loaded_at_ms = loaded_at_ms;
    value->dispose = dispose_counted;
    return value;
}

static bool
yes(void *context)
{
    (void)context;
    return true;
}

static bool
is_odd(const struct cached *value, const void *context)
{
    (void)context;
    return value->loaded_at_ms % 2 == 1;
}

static void
full_cache_gives_up_what_was_not_used(void **state)
{
    (void)state;
    struct cache *cache = cache_new(6400);
    id favourite = id_new(1);
    for (int i = 0; i < 50000; i++) {
        id key = i == 0 ? favourite : id_new(1);
        struct cached *value = new_value(i);
        cache_put(cache, key, value, yes, NULL);
        cached_release(value);
        struct cached *found = cache_get(cache, favourite);
        assert_non_null(found);
        cached_release(found);
    }
    assert_true(cache_count(cache) <= 6400);
    assert_true(cache_count(cache) > 6000);
    size_t before = cache_count(cache);
    cache_remove_if(cache, is_odd, NULL);
    assert_true(cache_count(cache) > 0 && cache_count(cache) < before);
    cache_remove(cache, favourite);
    assert_null(cache_get(cache, favourite));
    cache_free(cache);
}

static void
older_value_does_not_replace_a_newer_one(void **state)
{
    (void)state;
    struct cache *cache = cache_new(64);
    id key = id_new(1);
    struct cached *newer = new_value(2), *older = new_value(1);
    cache_put(cache, key, newer, yes, NULL);
    cache_put(cache, key, older, yes, NULL);
    struct cached *found = cache_get(cache, key);
    assert_ptr_equal(found, newer);
    cached_release(found);
    cached_release(newer);
    cached_release(older);
    cache_free(cache);
}

/* ---- Many at once ---- */

static atomic_bool enough;

static void *
call_again_and_again(void *context)
{
    struct known *known = context;
    intptr_t wrong = 0;
    while (!atomic_load(&enough)) {
        struct arena *own = arena_new(1024 * 1024);
        struct credentials credentials = { .authorization = known->token, .method = STR("GET"), .target = STR("/") };
        const struct principal *principal;
        error problem = auth_authenticate(known->node->auth, own, &credentials, true, false, &principal);
        wrong += problem != OK || principal->name.len != 33;
        arena_free(own);
    }
    return (void *)wrong;
}

static void
threads_and_invalidations_do_not_disturb_each_other(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    struct known known[THREADS];
    struct client clients[THREADS];
    atomic_store(&enough, false);
    for (int i = 0; i < THREADS; i++) {
        clients[i] = new_client(&node);
        known[i] =
            (struct known){ &node, str_format(arena, "Bearer %.*s", STR_ARG(get_token(&node, &clients[i % 2]))) };
        pthread_create(&threads[i], NULL, call_again_and_again, &known[i]);
    }
    for (int64_t end_ms = clock_steady_ms() + 1500; clock_steady_ms() < end_ms;) {
        grant(&clients[0], "ORG_OWNER");
        snapshot_invalidate(node.auth->snapshot, STR("all"));
        snapshot_invalidate(node.auth->snapshot,
                            str_format(arena, "org:%s", id_text(arena, clients[1].organization).data));
        keyring_mark_stale(node.auth->keyring);
    }
    atomic_store(&enough, true);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
}

int
main(void)
{
    need_services();
    json_init();
    const struct CMUnitTest tests[] = {
        TEST(revoked_token_is_refused_by_another_node_within_five_seconds),
        TEST(refusal_is_left_to_a_thread_that_may_ask),
        TEST(granted_role_is_there_at_once_when_it_is_asked_for_again),
        TEST(principal_in_use_survives_its_invalidation),
        TEST(load_that_began_before_an_invalidation_is_not_kept),
        TEST(node_that_does_not_listen_asks_the_database_every_time),
        TEST(revocation_reaches_a_node_whose_connection_hangs_within_five_seconds),
        TEST(memory_serves_for_a_while_when_the_database_is_gone),
        TEST(entry_is_given_up_when_it_is_old),
        TEST(facts_follow_the_project_and_its_limits),
        TEST(organizations_settings_reach_its_principals),
        TEST(people_and_federations_are_found),
        TEST(full_cache_gives_up_what_was_not_used),
        TEST(older_value_does_not_replace_a_newer_one),
        TEST(threads_and_invalidations_do_not_disturb_each_other),
    };
    return cmocka_run_group_tests(tests, before_all, after_all);
}
