/* SPDX-License-Identifier: Apache-2.0 */
#include "store/connection.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "store/fault.h"
#include "store/rows.h"

/* How much longer than the server we wait, and how long a transaction may sit idle with its locks. */
enum { GRACE_MS = 1000, IDLE_IN_TRANSACTION_MS = 30 * 1000 };

struct connection_words
connection_words(const char *dsn)
{
    /* What comes later wins, so an operator's DSN can change everything above it. */
    return (struct connection_words){
        .keywords = { "connect_timeout", "keepalives_idle", "keepalives_interval", "keepalives_count",
                      "tcp_user_timeout", "fallback_application_name", "dbname", "client_encoding", NULL },
        .values = { "3", "10", "5", "3", "10000", "reeve", dsn, "UTF8", NULL },
    };
}

bool
connection_succeeded(const PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

/* False when nothing arrived until the deadline or the connection broke. */
static bool
wait_for_result(struct connection *connection, int64_t deadline_ms)
{
    while (PQisBusy(connection->pg) == 1) {
        int64_t left = deadline_ms - clock_steady_ms();
        struct pollfd socket = { .fd = PQsocket(connection->pg), .events = POLLIN };
        if (left <= 0 || socket.fd < 0)
            return false;
        int ready = poll(&socket, 1, (int)left);
        if (ready < 0 && errno != EINTR)
            return false;
        if (ready > 0 && PQconsumeInput(connection->pg) == 0)
            return false;
    }
    return true;
}

static PGresult *
collect(struct connection *connection)
{
    int64_t deadline = clock_steady_ms() + connection->timeout_ms + GRACE_MS;
    PGresult *kept = NULL;
    for (;;) {
        if (!wait_for_result(connection, deadline)) {
            connection->broken = true;
            PQclear(kept);
            return NULL;
        }
        PGresult *result = PQgetResult(connection->pg);
        if (result == NULL)
            break;
        if (kept != NULL && !connection_succeeded(kept)) {
            PQclear(result);
            continue;
        }
        PQclear(kept);
        kept = result;
    }
    if (PQstatus(connection->pg) != CONNECTION_OK ||
        (kept != NULL && !connection_succeeded(kept) && fault_ends_connection(kept)))
        connection->broken = true;
    return kept;
}

PGresult *
connection_exec(struct connection *connection, const char *text)
{
    if (connection->broken || PQsendQuery(connection->pg, text) == 0) {
        connection->broken = true;
        return NULL;
    }
    return collect(connection);
}

PGresult *
connection_run(struct connection *connection, enum sql statement, const struct params *params)
{
    static const struct params none;
    if (params == NULL)
        params = &none;
    const struct sql_row *row = &sql_rows[statement];
    uint64_t bit = UINT64_C(1) << (statement % 64), *word = &connection->prepared[statement / 64];
    if (connection->broken)
        return NULL;
    if ((*word & bit) == 0) {
        if (PQsendPrepare(connection->pg, row->name, row->text, 0, NULL) == 0) {
            connection->broken = true;
            return NULL;
        }
        PGresult *result = collect(connection);
        if (result == NULL || !connection_succeeded(result))
            return result;
        PQclear(result);
        *word |= bit;
    }
    if (PQsendQueryPrepared(connection->pg, row->name, params->count, params->values, params->lengths, params->formats,
                            0) == 0) {
        connection->broken = true;
        return NULL;
    }
    return collect(connection);
}

static void
ignore_notice(void *context, const PGresult *notice)
{
    (void)context;
    (void)notice;
}

struct connection *
connection_open(const char *dsn, const char *role, int statement_timeout_ms)
{
    struct connection *connection = calloc(1, sizeof(*connection));
    if (connection == NULL)
        return NULL;
    struct connection_words words = connection_words(dsn);
    connection->timeout_ms = statement_timeout_ms;
    connection->pg = PQconnectdbParams(words.keywords, words.values, 1);
    if (PQstatus(connection->pg) != CONNECTION_OK) {
        fault_log_connection(connection->pg, "no connection");
        connection_close(connection);
        return NULL;
    }
    PQsetNoticeReceiver(connection->pg, ignore_notice, NULL);
    char setup[256];
    snprintf(
        setup, sizeof(setup),
        "SET ROLE %s; SET statement_timeout = %d; SET lock_timeout = %d; SET idle_in_transaction_session_timeout = %d",
        role == NULL ? "NONE" : role, statement_timeout_ms, statement_timeout_ms / 2, IDLE_IN_TRANSACTION_MS);
    PGresult *result = connection_exec(connection, setup);
    bool is_set_up = result != NULL && connection_succeeded(result);
    PQclear(result);
    if (!is_set_up) {
        fault_log_connection(connection->pg, "a connection could not be set up");
        connection_close(connection);
        return NULL;
    }
    return connection;
}

void
connection_close(struct connection *connection)
{
    if (connection == NULL)
        return;
    PQfinish(connection->pg);
    free(connection);
}

void
connection_cleanup(struct connection **connection)
{
    connection_close(*connection);
}

error
connection_query(struct connection *connection, struct arena *arena, enum sql statement, const struct params *params,
                 struct rows *ret_rows)
{
    PGresult *result = connection_run(connection, statement, params);
    if (result == NULL || !connection_succeeded(result)) {
        error problem = fault_of_result(result, sql_rows[statement].name, NULL);
        PQclear(result);
        return problem;
    }
    return rows_adopt(arena, result, ret_rows) ? OK : &fault_overloaded;
}
