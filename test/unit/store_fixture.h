/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A database of its own for each test program of the store, migrated and empty, and plain SQL beside the store to look at
 * what it did. Needs script/with-services; without it the program counts as skipped.
 */
#ifndef TEST_UNIT_STORE_FIXTURE_H
#define TEST_UNIT_STORE_FIXTURE_H

#include "check.h"

#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "store/migrate.h"
#include "store/store.h"

enum { FIXTURE_ARENA_BYTES = 64 * 1024 * 1024, FIXTURE_SKIPPED = 77 };

static char fixture_dsn[1024], fixture_super_dsn[1024];
static PGconn *fixture_owner; /* logs in as the owner of the tables, for which row security does not hold */

#define assert_ok(expression)                                                                 \
    do {                                                                                      \
        error ok_error = (expression);                                                        \
        if (ok_error != OK)                                                                   \
            fail_msg("%s: %.*s", error_rows[ok_error->code].name, STR_ARG(ok_error->detail)); \
    } while (0)
#define assert_fails(expression, expected)                                                  \
    do {                                                                                    \
        error fails_error = (expression);                                                   \
        assert_non_null(fails_error);                                                       \
        assert_string_equal(error_rows[fails_error->code].name, error_rows[expected].name); \
    } while (0)

static __attribute__((unused)) PGconn *
fixture_connect(const char *dsn)
{
    PGconn *pg = PQconnectdb(dsn);
    if (PQstatus(pg) != CONNECTION_OK)
        fail_msg("%s", PQerrorMessage(pg));
    return pg;
}

/* Runs SQL and returns the first column of the first row in a static buffer; "" when there is none. */
static __attribute__((unused)) const char *
fixture_ask_on(PGconn *pg, const char *text)
{
    static _Thread_local char answer[256];
    PGresult *result = PQexec(pg, text);
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
        fail_msg("%s: %s", text, PQerrorMessage(pg));
    bool has_row = status == PGRES_TUPLES_OK && PQntuples(result) > 0;
    snprintf(answer, sizeof(answer), "%s", has_row ? PQgetvalue(result, 0, 0) : "");
    PQclear(result);
    return answer;
}

static __attribute__((unused)) PRINTF_LIKE(1, 2) const char *fixture_ask(const char *format, ...)
{
    char text[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return fixture_ask_on(fixture_owner, text);
}

static __attribute__((unused)) id
fixture_id(uint32_t number)
{
    return (id){ { 0x65, 0, 0, 0, 0, 1, 0, 0, (uint8_t)(number >> 24), (uint8_t)(number >> 16), (uint8_t)(number >> 8),
                   (uint8_t)number },
                 true };
}

/* In a rotating buffer, for use in the text of a statement: '\x...' */
static __attribute__((unused)) const char *
fixture_quote(id value)
{
    static _Thread_local char texts[128][40];
    static _Thread_local int turn;
    char digits[ID_DIGITS + 1], *text = texts[turn++ % 128];
    id_write(value, digits);
    snprintf(text, sizeof(texts[0]), "'\\x%s'", digits);
    return text;
}

static __attribute__((unused)) void
fixture_add_organization(id organization)
{
    const char *name = fixture_quote(organization);
    fixture_ask("INSERT INTO organization (id, name, federation_id, access_list_required) VALUES (%s, 'o', %s, false)",
                name, name);
}

static __attribute__((unused)) void
fixture_add_project(id project, id organization)
{
    fixture_ask("INSERT INTO project (id, org_id, name) VALUES (%s, %s, encode(%s, 'hex'))", fixture_quote(project),
                fixture_quote(organization), fixture_quote(project));
}

static __attribute__((unused)) struct store_config
fixture_config(void)
{
    return (struct store_config){ .dsn = fixture_dsn,
                                  .max_transactions = 4,
                                  .readers = 2,
                                  .pool_wait_ms = 10000,
                                  .statement_timeout_ms = 20000,
                                  .cell = 1 };
}

/* Waits until the readers are connected: what a service does before it takes requests. */
static __attribute__((unused)) struct store *
fixture_store(const struct store_config *config)
{
    struct store *store = store_new(config);
    assert_non_null(store);
    for (int i = 0; i < 3000 && !store_status(store).reachable; i++) /* half a minute: machines stall */
        usleep(10000);
    assert_true(store_status(store).reachable);
    return store;
}

static __attribute__((unused)) void
fixture_create_database(const char *suffix)
{
    const char *dsn = getenv("REEVE_TEST_DSN"), *super = getenv("REEVE_TEST_SUPER_DSN");
    if (dsn == NULL || super == NULL)
        exit(FIXTURE_SKIPPED);
    char name[64], create[128];
    PGconn *pg = fixture_connect(super);
    /* Numbers of processes come again while the same server runs: on a busy machine after minutes. */
    snprintf(name, sizeof(name), "test_%d_%lld%s", (int)getpid(), (long long)clock_now_ms(), suffix);
    snprintf(create, sizeof(create), "CREATE DATABASE %s OWNER reeve", name);
    fixture_ask_on(pg, create);
    PQfinish(pg);
    /* In a connection string the later word wins. */
    snprintf(fixture_dsn, sizeof(fixture_dsn), "%s dbname=%s", dsn, name);
    snprintf(fixture_super_dsn, sizeof(fixture_super_dsn), "%s dbname=%s", super, name);
}

/* For cmocka_run_group_tests(). */
static __attribute__((unused)) int
fixture_set_up(void **state)
{
    (void)state;
    fixture_create_database("");
    struct arena *arena = arena_new(FIXTURE_ARENA_BYTES);
    int applied = 0;
    error problem = store_migrate(fixture_dsn, arena, &applied);
    arena_free(arena);
    if (problem != OK || applied != migration_count)
        return -1;
    fixture_owner = fixture_connect(fixture_dsn);
    return 0;
}

static __attribute__((unused)) int
fixture_tear_down(void **state)
{
    (void)state;
    PQfinish(fixture_owner);
    return 0;
}

#endif
