/* SPDX-License-Identifier: Apache-2.0 */
#include "store/migrate.h"

#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "base/crypto/crypto.h"
#include "base/log.h"
#include "store/connection.h"
#include "store/fault.h"

/*
 * LOCK_MS is short because whoever waits for a table's lock makes everybody behind it wait, too; the pause between two
 * tries lets them pass. The lock's number is "reeve" in ASCII.
 */
enum { LOCK_MS = 500, PAUSE_MS = 250, PATIENCE_MS = 120 * 1000, STATEMENT_MS = 600 * 1000 };
#define TAKE_LOCK "SELECT pg_try_advisory_lock(491328075365)"

static void
pause_ms(int ms)
{
    nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000 }, NULL);
}

static void
log_failure(const char *what, const PGresult *result)
{
    const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    const char *context = PQresultErrorField(result, PG_DIAG_CONTEXT);
    const char *position = PQresultErrorField(result, PG_DIAG_STATEMENT_POSITION);
    log_line(LOG_ERROR, "migration_failed", "%s: %s (at character %s) %s", what,
             message == NULL ? "connection lost" : message, position == NULL ? "?" : position,
             context == NULL ? "" : context);
}

static bool
is_lock_timeout(const PGresult *result)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    return state != NULL && strcmp(state, "55P03") == 0;
}

/* Runs the text again while it fails only because it had to wait for a lock. */
static error
exec_patiently(struct connection *connection, const char *what, const char *text, PGresult **ret_result)
{
    int64_t deadline = clock_steady_ms() + PATIENCE_MS;
    for (;;) {
        PGresult *result = connection_exec(connection, text);
        if (result != NULL && connection_succeeded(result)) {
            if (ret_result != NULL)
                *ret_result = result;
            else
                PQclear(result);
            return OK;
        }
        bool wait = result != NULL && is_lock_timeout(result) && clock_steady_ms() < deadline;
        if (!wait)
            log_failure(what, result);
        error problem = result == NULL || connection->broken ? &fault_unavailable : &fault_internal;
        PQclear(result);
        if (!wait)
            return problem;
        PQclear(connection_exec(connection, "ROLLBACK"));
        pause_ms(PAUSE_MS);
    }
}

/* A lock of the session, tried again and again: waiting for it in the server would be cut short by lock_timeout. */
static error
take_lock(struct connection *connection)
{
    int64_t deadline = clock_steady_ms() + PATIENCE_MS;
    for (;;) {
        PGresult *result;
        TRY(exec_patiently(connection, "the lock of migrations", TAKE_LOCK, &result));
        bool taken = strcmp(PQgetvalue(result, 0, 0), "t") == 0;
        PQclear(result);
        if (taken)
            return OK;
        if (clock_steady_ms() > deadline) {
            log_line(LOG_ERROR, "migration_failed", "another node has been migrating for too long");
            return &fault_unavailable;
        }
        pause_ms(PAUSE_MS / 5);
    }
}

static str
hash_of(struct arena *arena, const char *text)
{
    uint8_t digest[SHA256_BYTES];
    crypto_sha256(str_from(text), digest);
    return str_hex(arena, digest, sizeof(digest));
}

static bool
is_migration(struct arena *arena, const struct migration *migration, const char *hash)
{
    return str_is(hash_of(arena, migration->text), hash) ||
           (migration->was != NULL && strcmp(migration->was, hash) == 0);
}

static error
read_status(struct connection *connection, struct arena *arena, struct migration_status *ret_status)
{
    struct migration_status status = { .known = migration_count, .unchanged = true };
    PGresult *result;
    TRY(exec_patiently(connection, "the list of migrations", "SELECT to_regclass('schema_migration') IS NOT NULL",
                       &result));
    bool exists = strcmp(PQgetvalue(result, 0, 0), "t") == 0;
    PQclear(result);
    if (exists) {
        TRY(exec_patiently(connection, "the list of migrations",
                           "SELECT version, sha256 FROM schema_migration ORDER BY version", &result));
        for (int i = 0; i < PQntuples(result); i++) {
            int64_t version = 0;
            if (!str_to_int(str_from(PQgetvalue(result, i, 0)), 1, INT32_MAX, &version))
                continue;
            status.applied = (int)version;
            /* What a newer program applied cannot be judged by this one. */
            if (version <= migration_count &&
                (version != i + 1 || !is_migration(arena, &migrations[version - 1], PQgetvalue(result, i, 1)))) {
                status.unchanged = false;
                log_line(LOG_ERROR, "migration_changed", "migration %d was changed after it had been applied",
                         (int)version);
            }
        }
        PQclear(result);
    }
    *ret_status = status;
    return OK;
}

/* Runs a file and writes down that it was run, both or neither. */
static error
run_file(struct connection *connection, struct arena *arena, const char *what, const char *settings, const char *text,
         str record)
{
    str whole = str_format(arena, "BEGIN; SET LOCAL lock_timeout = %d;%s\n%s\n;%.*s; COMMIT", LOCK_MS, settings, text,
                           STR_ARG(record));
    return arena_is_exhausted(arena) ? &fault_overloaded : exec_patiently(connection, what, whole.data, NULL);
}

static error
apply(struct connection *connection, struct arena *arena, const struct migration *migration)
{
    char what[96];
    snprintf(what, sizeof(what), "migration %04d_%s", migration->version, migration->name);
    str record = str_format(arena, "INSERT INTO schema_migration (version, name, sha256) VALUES (%d, '%s', '%s')",
                            migration->version, migration->name, hash_of(arena, migration->text).data);
    TRY(run_file(connection, arena, what, "", migration->text, record));
    log_line(LOG_INFO, "migrated", "%s was applied", what);
    return OK;
}

/* ---- Routines ---- */

static bool
is_in_place(const PGresult *rows, struct arena *arena, const struct routine *routine)
{
    for (int i = 0; i < PQntuples(rows); i++) {
        if (strcmp(PQgetvalue(rows, i, 0), routine->name) == 0)
            return str_is(hash_of(arena, routine->text), PQgetvalue(rows, i, 1));
    }
    return false;
}

static error
put_in_place(struct connection *connection, struct arena *arena, const struct routine *routine, bool before_tables)
{
    char what[96];
    snprintf(what, sizeof(what), "routine %s", routine->name);
    str record = str_format(arena,
                            "INSERT INTO schema_routine (name, sha256) VALUES ('%s', '%s') ON CONFLICT (name) "
                            "DO UPDATE SET sha256 = excluded.sha256, applied_at = now()",
                            routine->name, hash_of(arena, routine->text).data);
    /* Bodies may name tables that are about to come. */
    const char *settings = before_tables ? " SET LOCAL check_function_bodies = off;" : "";
    return run_file(connection, arena, what, settings, routine->text, record);
}

/* The routines whose text is another one than in the database, in their order. One that this program does not know stays: nodes of
 * another version may call it. */
static error
put_routines_in_place(struct connection *connection, struct arena *arena, bool before_tables)
{
    PGresult *rows;
    int count = 0;
    TRY(exec_patiently(connection, "the list of routines", "SELECT name, sha256 FROM schema_routine", &rows));
    error problem = OK;
    for (int i = 0; i < routine_count && problem == OK; i++) {
        const struct routine *one = &routines[i];
        if ((before_tables && !one->before_tables) || is_in_place(rows, arena, one))
            continue;
        problem = put_in_place(connection, arena, one, before_tables);
        count++;
    }
    PQclear(rows);
    if (problem == OK && count > 0)
        log_line(LOG_INFO, "migrated", "%d functions and views were put in place", count);
    return problem;
}

error
store_migrate(const char *dsn, struct arena *arena, int *ret_applied)
{
    struct connection *connection CLEANUP(connection_cleanup) = connection_open(dsn, NULL, STATEMENT_MS);
    if (connection == NULL)
        return &fault_unavailable;
    TRY(take_lock(connection));
    TRY(exec_patiently(connection, "the table of migrations",
                       "CREATE TABLE IF NOT EXISTS schema_migration (version int PRIMARY KEY, name text NOT NULL, "
                       "sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())",
                       NULL));
    TRY(exec_patiently(connection, "the table of routines",
                       "CREATE TABLE IF NOT EXISTS schema_routine (name text PRIMARY KEY, sha256 text NOT NULL, "
                       "applied_at timestamptz NOT NULL DEFAULT now())",
                       NULL));
    struct migration_status status;
    TRY(read_status(connection, arena, &status));
    if (!status.unchanged)
        return &fault_internal;
    *ret_applied = 0;
    if (status.applied > migration_count)
        return OK;
    TRY(put_routines_in_place(connection, arena, true));
    for (int version = status.applied + 1; version <= migration_count; version++, ++*ret_applied)
        TRY(apply(connection, arena, &migrations[version - 1]));
    return put_routines_in_place(connection, arena, false);
}

error
store_migration_status(const char *dsn, struct arena *arena, struct migration_status *ret_status)
{
    struct connection *connection CLEANUP(connection_cleanup) = connection_open(dsn, NULL, STATEMENT_MS);
    if (connection == NULL)
        return &fault_unavailable;
    return read_status(connection, arena, ret_status);
}
