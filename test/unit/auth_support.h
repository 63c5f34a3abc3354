/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of auth/ share: a database of their own (the signing keys in it are sealed under the test's master key),
 * nodes on it, and a relay in front of it that can be cut.
 */
#ifndef TEST_UNIT_AUTH_SUPPORT_H
#define TEST_UNIT_AUTH_SUPPORT_H

#include "check.h"

#include <arpa/inet.h>
#include <libpq-fe.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "auth/auth.h"
#include "auth/internal.h"
#include "auth/token.h"
#include "base/clock.h"
#include "base/json.h"
#include "store/auth/principal.h"
#include "store/migrate.h"
#include "store/tenant/organization.h"
#include "store/tenant/project.h"

#define FORM "application/x-www-form-urlencoded"

static char test_dsn[512], test_database[64];
static int test_port;
static struct arena *arena; /* of the running test */

#define assert_ok(expression)                                                                                   \
    do {                                                                                                        \
        error ok_error = (expression);                                                                          \
        if (ok_error != OK)                                                                                     \
            fail_msg("%s: %s (%.*s)", #expression, error_rows[ok_error->code].name, STR_ARG(ok_error->detail)); \
    } while (0)
#define assert_code(expression, expected)                                                  \
    do {                                                                                   \
        error code_error = (expression);                                                   \
        if (code_error == OK)                                                              \
            fail_msg("%s: is OK", #expression);                                            \
        assert_string_equal(error_rows[code_error->code].name, error_rows[expected].name); \
    } while (0)
#define assert_text(actual, expected) assert_string_equal(str_format(arena, "%.*s", STR_ARG(actual)).data, expected)

/* ---- A relay between a node and PostgreSQL ---- */
enum { RELAY_PAIRS = 64 };
struct relay {
    pthread_t thread;
    int listening, port;
    atomic_bool stop, cut, stalled;
    int pairs[RELAY_PAIRS][2];
};

static void
relay_close(struct relay *relay, int pair)
{
    for (int side = 0; side < 2; side++) {
        if (relay->pairs[pair][side] >= 0)
            close(relay->pairs[pair][side]);
        relay->pairs[pair][side] = -1;
    }
}

static int
connect_to_port(int port)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port),
                                   .sin_addr = { htonl(INADDR_LOOPBACK) } };
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static void
relay_accept(struct relay *relay)
{
    int client = accept(relay->listening, NULL, NULL);
    for (int i = 0; i < RELAY_PAIRS && client >= 0; i++) {
        if (relay->pairs[i][0] >= 0)
            continue;
        int server = atomic_load(&relay->cut) ? -1 : connect_to_port(test_port);
        if (server < 0)
            break;
        relay->pairs[i][0] = client;
        relay->pairs[i][1] = server;
        return;
    }
    if (client >= 0)
        close(client);
}

static void
relay_pump(struct relay *relay, int pair, int side)
{
    char bytes[65536];
    ssize_t count = read(relay->pairs[pair][side], bytes, sizeof(bytes));
    for (ssize_t at = 0, done; count > 0 && at < count; at += done) {
        done = send(relay->pairs[pair][1 - side], bytes + at, (size_t)(count - at), MSG_NOSIGNAL);
        if (done <= 0)
            count = -1;
    }
    if (count <= 0)
        relay_close(relay, pair);
}

static void *
relay_run(void *context)
{
    struct relay *relay = context;
    while (!atomic_load(&relay->stop)) {
        struct pollfd fds[1 + 2 * RELAY_PAIRS];
        bool stalled = atomic_load(&relay->stalled);
        fds[0] = (struct pollfd){ .fd = relay->listening, .events = POLLIN };
        for (int i = 0; i < 2 * RELAY_PAIRS; i++) {
            if (atomic_load(&relay->cut))
                relay_close(relay, i / 2);
            fds[1 + i] = (struct pollfd){ .fd = stalled ? -1 : relay->pairs[i / 2][i % 2], .events = POLLIN };
        }
        if (poll(fds, 1 + 2 * RELAY_PAIRS, 20) <= 0)
            continue;
        for (int i = 0; i < 2 * RELAY_PAIRS; i++) {
            if (fds[1 + i].revents != 0 && relay->pairs[i / 2][i % 2] == fds[1 + i].fd)
                relay_pump(relay, i / 2, i % 2);
        }
        if (fds[0].revents != 0)
            relay_accept(relay);
    }
    for (int i = 0; i < RELAY_PAIRS; i++)
        relay_close(relay, i);
    close(relay->listening);
    return NULL;
}

static inline struct relay *
relay_new(void)
{
    struct relay *relay = calloc(1, sizeof(*relay));
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t length = sizeof(address);
    relay->listening = socket(AF_INET, SOCK_STREAM, 0);
    for (int i = 0; i < RELAY_PAIRS; i++)
        relay->pairs[i][0] = relay->pairs[i][1] = -1;
    assert_int_equal(bind(relay->listening, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(relay->listening, 64), 0);
    assert_int_equal(getsockname(relay->listening, (struct sockaddr *)&address, &length), 0);
    relay->port = ntohs(address.sin_port);
    pthread_create(&relay->thread, NULL, relay_run, relay);
    return relay;
}

static inline void
relay_free(struct relay *relay)
{
    atomic_store(&relay->stop, true);
    pthread_join(relay->thread, NULL);
    free(relay);
}

/* ---- A node ---- */
struct node {
    struct store *store;
    struct limiter *limiter;
    struct auth *auth;
};

static const struct key test_master_key = { { 1, 2, 3, 4, 5, 6, 7 } };

static inline bool
eventually(bool (*is_so)(void *), void *context, int within_ms)
{
    for (int64_t end_ms = clock_steady_ms() + patient(within_ms); clock_steady_ms() < end_ms; usleep(2000)) {
        if (is_so(context))
            return true;
    }
    return is_so(context);
}

static bool
is_listening(void *node)
{
    return auth_status(((struct node *)node)->auth).listening;
}

static const char *
dsn_through(const struct relay *relay)
{
    return relay == NULL
               ? test_dsn
               : str_format(arena, "host=127.0.0.1 port=%d user=reeve dbname=%s", relay->port, test_database).data;
}

/* Either relay may be NULL: then the node reaches the database directly. */
static inline struct node
node_new(const struct relay *store_relay, const struct relay *listener_relay)
{
    struct store_config store_config = { .dsn = dsn_through(store_relay),
                                         .max_transactions = 4,
                                         .readers = 1,
                                         .pool_wait_ms = 2000,
                                         .statement_timeout_ms = 5000,
                                         .cell = 1 };
    struct limit_config limit_config = { .redis_socket = getenv("REEVE_TEST_REDIS"),
                                         .redis_timeout_ms = 5000,
                                         .guard_failures_per_minute = 100000 };
    struct auth_config auth_config = { .master_key = test_master_key,
                                       .token_lifetime_s = 3600,
                                       .dsn = dsn_through(listener_relay) };
    struct node node;
    node.store = store_new(&store_config);
    node.limiter = limiter_new(&limit_config);
    node.auth = auth_new(node.store, node.limiter, &auth_config);
    assert_non_null(node.auth);
    if (listener_relay == NULL || !atomic_load(&listener_relay->cut))
        assert_true(eventually(is_listening, &node, 5000));
    usleep(2000); /* what is loaded in the millisecond in which it began to listen does not count */
    return node;
}

static inline void
node_free(struct node *node)
{
    auth_free(node->auth);
    limiter_free(node->limiter);
    store_free(node->store);
}

/* ---- Things in the database ---- */
struct client {
    id organization;
    struct new_service_account account;
};

/* Directly, as the superuser; for what no function of the store does. */
static inline void
run_sql(const char *text)
{
    PGconn *connection =
        PQconnectdb(str_format(arena, "%s dbname=%s", getenv("REEVE_TEST_SUPER_DSN"), test_database).data);
    PGresult *result = PQexec(connection, text);
    if (PQresultStatus(result) != PGRES_COMMAND_OK && PQresultStatus(result) != PGRES_TUPLES_OK)
        fail_msg("%s: %s", text, PQerrorMessage(connection));
    PQclear(result);
    PQfinish(connection);
}

/* Until somebody waits for a lock: in this database, because other tests use the same server. */
static inline void
wait_for_a_lock(void)
{
    run_sql(
        "DO $$ BEGIN LOOP PERFORM pg_stat_clear_snapshot(); EXIT WHEN EXISTS (SELECT FROM pg_stat_activity "
        "WHERE datname = current_database() AND wait_event_type = 'Lock'); PERFORM pg_sleep(0.01); END LOOP; END $$");
}

static inline id
new_organization(struct node *node, bool access_list_required)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    id organization = id_new(1);
    assert_ok(tx_begin(node->store, arena, organization, &tx));
    assert_ok(store_organization_add(tx, organization, id_new(1), STR("test"), access_list_required, STR("{}")));
    assert_ok(tx_commit(tx));
    return organization;
}

static inline struct client
new_client(struct node *node)
{
    struct client client = { .organization = new_organization(node, false) };
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    assert_ok(tx_begin(node->store, arena, client.organization, &tx));
    assert_ok(auth_create_service_account(node->auth, tx, client.organization, STR("ci"), STR("for tests"),
                                          clock_now_ms() + 86400000, &client.account));
    assert_ok(tx_commit(tx));
    return client;
}

static inline struct net_address
address(const char *text)
{
    struct net_address parsed;
    assert_true(net_parse_address(str_from(text), &parsed));
    return parsed;
}

static inline struct oauth_answer
ask_token(struct node *node, const struct client *client)
{
    struct credentials from = { .client = address("192.0.2.1") };
    struct oauth_answer answer;
    str form = str_format(arena, "grant_type=client_credentials&client_id=%.*s&client_secret=%.*s",
                          STR_ARG(client->account.client_id), STR_ARG(client->account.secret));
    oauth_token(node->auth, arena, &from, STR(FORM), form, &answer);
    return answer;
}

static inline str
json_member(str document, const char *name)
{
    json_t *json = json_parse_own(arena, document);
    assert_non_null(json);
    return json_str(json_object_get(json, name));
}

static inline str
get_token(struct node *node, const struct client *client)
{
    struct oauth_answer answer = ask_token(node, client);
    assert_int_equal(answer.status, 200);
    return json_member(answer.body, "access_token");
}

static inline error
authenticate(struct node *node, str authorization, bool may_block, bool fresh, const struct principal **ret)
{
    struct credentials credentials = { .authorization = authorization,
                                       .method = STR("GET"),
                                       .target = STR("/api/svc/v2/groups"),
                                       .client = address("192.0.2.1") };
    return auth_authenticate(node->auth, arena, &credentials, may_block, fresh, ret);
}

static inline error
try_bearer(struct node *node, str token, bool may_block)
{
    const struct principal *principal;
    return authenticate(node, str_format(arena, "Bearer %.*s", STR_ARG(token)), may_block, false, &principal);
}

/* ---- Around the tests ---- */
static inline int
before_each(void **state)
{
    (void)state;
    arena = arena_new(64 * 1024 * 1024);
    return 0;
}

static inline int
after_each(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

/* Of the test program. */
static struct node node;

static inline bool
create_database(void)
{
    const char *super = getenv("REEVE_TEST_SUPER_DSN");
    /* Numbers of processes come again while the same server runs. */
    snprintf(test_database, sizeof(test_database), "auth_%d_%lld", (int)getpid(), (long long)clock_now_ms());
    PGconn *connection = PQconnectdb(super);
    PGresult *result = PQexec(connection, str_format(arena, "CREATE DATABASE %s OWNER reeve", test_database).data);
    bool made = PQresultStatus(result) == PGRES_COMMAND_OK;
    if (!made)
        print_error("%s\n", PQerrorMessage(connection));
    test_port = (int)strtol(PQport(connection), NULL, 10);
    PQclear(result);
    PQfinish(connection);
    snprintf(test_dsn, sizeof(test_dsn), "%s dbname=%s", getenv("REEVE_TEST_DSN"), test_database);
    int applied;
    error problem = made ? store_migrate(test_dsn, arena, &applied) : OK;
    return made && problem == OK;
}

static inline int
before_all(void **state)
{
    before_each(state);
    bool made = create_database();
    if (made)
        node = node_new(NULL, NULL);
    after_each(state);
    return made ? 0 : -1;
}

static inline int
after_all(void **state)
{
    (void)state;
    node_free(&node);
    return 0;
}

/* Exit status 77 tells meson that the test was skipped. */
static inline void
need_services(void)
{
    if (getenv("REEVE_TEST_SUPER_DSN") == NULL || getenv("REEVE_TEST_REDIS") == NULL)
        exit(77);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, before_each, after_each)

#endif
