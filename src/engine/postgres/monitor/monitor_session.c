/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/monitor/monitor_session.h"

#include <poll.h>
#include <stdlib.h>

#include "base/clock.h"
#include "engine/postgres/postgres.h"

enum { OPTIONS_BYTES = 2048, SLICE_MS = 1000 };

/* Stronger than what a database's owner has set for it: nothing of theirs slows these sessions down or ends them. */
static const char options[] =
    "-c statement_timeout=5s -c lock_timeout=500ms -c search_path=pg_catalog -c role=none -c local_preload_libraries= "
    "-c default_transaction_read_only=on -c default_transaction_isolation=read\\ committed -c default_transaction_deferrable=off "
    "-c client_min_messages=error -c idle_session_timeout=0 -c idle_in_transaction_session_timeout=0 -c jit=off "
    "-c max_parallel_workers_per_gather=0";
static const char options_from_17[] = " -c transaction_timeout=0";

struct monitor_session {
    PGconn *connection;
    bool is_prepared[MEMBER_SQL_COUNT];
};

/* ---- Waiting ---- */
/* False when the time is over. */
static bool
wait_for_socket(PGconn *connection, short events, int64_t deadline_ms)
{
    int64_t left = deadline_ms - clock_steady_ms();
    struct pollfd one = { .fd = PQsocket(connection), .events = events };
    if (left <= 0)
        return false;
    (void)poll(&one, 1, left < SLICE_MS ? (int)left : SLICE_MS);
    return true;
}

static error
failed(struct arena *arena, PGconn *connection, const char *what)
{
    str said = str_from(PQerrorMessage(connection));
    said = str_trim(str_cut(&said, '\n'));
    return problem(arena, "%s: %.*s.", what, STR_ARG(said));
}

/* ---- Opening ---- */
static error
finish_connecting(struct arena *arena, PGconn *connection, int64_t deadline_ms)
{
    PostgresPollingStatusType status = PGRES_POLLING_WRITING;
    while (PQstatus(connection) != CONNECTION_BAD && status != PGRES_POLLING_OK && status != PGRES_POLLING_FAILED) {
        if (!wait_for_socket(connection, status == PGRES_POLLING_READING ? POLLIN : POLLOUT, deadline_ms))
            return problem(arena, "no session: the server does not answer.");
        status = PQconnectPoll(connection);
    }
    if (PQstatus(connection) != CONNECTION_OK)
        return failed(arena, connection, "no session");
    return PQsetnonblocking(connection, 1) == 0 ? OK : failed(arena, connection, "no session");
}

static error
connect_as(struct engine_member *self, const char *user, str database, int64_t deadline_ms, PGconn **ret_connection)
{
    int64_t major = 0;
    str folder = member_path(self, "run"), port = str_from_int(self->arena, self->member->port);
    bool is_17 = str_to_int(self->cluster->major_version, 1, INT32_MAX, &major) && major >= 17;
    str all = str_format(self->arena, "%s%s", options, is_17 ? options_from_17 : "");
    /* The member could put a link to another member's socket there: whoever answers must run as the member. */
    str peer = self->is_shared ? STR(SUPERUSER) : self->user;
    const char *const names[] = { "host",    "port",        "dbname",          "user", "application_name",
                                  "options", "requirepeer", "client_encoding", NULL };
    const char *const values[] = { folder.data, port.data, database.data, user, "reeve-monitor",
                                   all.data,    peer.data, "UTF8",        NULL };
    PGconn *connection = PQconnectStartParams(names, values, 0);
    if (connection == NULL)
        return fail(self->arena, OVERLOADED);
    error why = finish_connecting(self->arena, connection, deadline_ms);
    if (why != OK)
        PQfinish(connection);
    else
        *ret_connection = connection;
    return why;
}

static bool
is_full(error why)
{
    return strstr(why->detail.data, "connection slots are reserved") != NULL ||
           strstr(why->detail.data, "too many clients") != NULL;
}

static error
wait_for_result(struct monitor_session *session, struct arena *arena, int64_t deadline_ms, PGresult **ret_result)
{
    PGconn *connection = session->connection;
    int unsent;
    while ((unsent = PQflush(connection)) != 0 || PQisBusy(connection)) {
        if (unsent < 0)
            return failed(arena, connection, "the session is gone");
        if (!wait_for_socket(connection, unsent > 0 ? POLLIN | POLLOUT : POLLIN, deadline_ms))
            return problem(arena, "the server does not answer.");
        if (!PQconsumeInput(connection))
            return failed(arena, connection, "the session is gone");
    }
    *ret_result = PQgetResult(connection);
    return OK;
}

/* As the superuser, for whom places are kept when clients have taken all others; but only to come in. */
static error
step_down(struct monitor_session *session, struct arena *arena, int64_t deadline_ms)
{
    PGresult *result = NULL;
    bool is_done = false;
    if (!PQsendQuery(session->connection, "SET SESSION AUTHORIZATION " MONITOR_ROLE))
        return failed(arena, session->connection, "the session is gone");
    do {
        PQclear(result);
        TRY(wait_for_result(session, arena, deadline_ms, &result));
        is_done |= result != NULL && PQresultStatus(result) == PGRES_COMMAND_OK;
    } while (result != NULL);
    return is_done ? OK : failed(arena, session->connection, "no session");
}

error
monitor_session_open(struct engine_member *self, str database, int64_t deadline_ms,
                     struct monitor_session **ret_session)
{
    struct monitor_session *session = calloc(1, sizeof(*session));
    if (session == NULL)
        return fail(self->arena, OVERLOADED);
    error why = connect_as(self, MONITOR_ROLE, database, deadline_ms, &session->connection);
    if (why != OK && is_full(why) && str_is(database, SUPERUSER)) {
        why = connect_as(self, SUPERUSER, database, deadline_ms, &session->connection);
        if (why == OK)
            why = step_down(session, self->arena, deadline_ms);
    }
    if (why == OK && PQenterPipelineMode(session->connection) != 1)
        why = failed(self->arena, session->connection, "no pipeline");
    if (why != OK)
        monitor_session_close(session);
    else
        *ret_session = session;
    return why;
}

void
monitor_session_close(struct monitor_session *session)
{
    if (session == NULL)
        return;
    PQfinish(session->connection);
    free(session);
}

void
monitor_session_cleanup(struct monitor_session **session)
{
    monitor_session_close(*session);
}

int
monitor_session_version(const struct monitor_session *session)
{
    return PQserverVersion(session->connection);
}

/* ---- Asking ---- */
/* Each behind a Sync of its own: one that fails does not take the others with it. */
static bool
send(struct monitor_session *session, const struct monitor_question *question)
{
    const struct member_sql_row *row = &member_sql_rows[question->sql];
    const char *const values[] = { question->parameter };
    int count = question->parameter == NULL ? 0 : 1;
    if (!session->is_prepared[question->sql] &&
        (!PQsendPrepare(session->connection, row->name, row->text, count, NULL) ||
         !PQpipelineSync(session->connection)))
        return false;
    return PQsendQueryPrepared(session->connection, row->name, count, values, NULL, NULL, 0) &&
           PQpipelineSync(session->connection);
}

/* Everything up to the next Sync. What fails leaves NULL; what only was to be prepared has no rows. */
static error
take_answer(struct monitor_session *session, struct arena *arena, int64_t deadline_ms, bool *ret_is_fine,
            PGresult **ret_rows)
{
    bool is_over = false;
    *ret_is_fine = true;
    *ret_rows = NULL;
    while (!is_over) {
        PGresult *result = NULL;
        TRY(wait_for_result(session, arena, deadline_ms, &result));
        ExecStatusType status = PQresultStatus(result);
        is_over = result != NULL && status == PGRES_PIPELINE_SYNC;
        if (result == NULL && PQstatus(session->connection) == CONNECTION_BAD)
            return failed(arena, session->connection, "the session is gone");
        if (status == PGRES_TUPLES_OK && *ret_rows == NULL) {
            *ret_rows = result;
            continue;
        }
        if (result != NULL && !is_over && status != PGRES_COMMAND_OK)
            *ret_is_fine = false;
        PQclear(result);
    }
    return OK;
}

static error
take_answers(struct monitor_session *session, struct arena *arena, size_t count,
             const struct monitor_question *questions, int64_t deadline_ms, PGresult *results[])
{
    for (size_t i = 0; i < count; i++) {
        bool *is_prepared = &session->is_prepared[questions[i].sql];
        bool is_fine;
        PGresult *none = NULL;
        if (!*is_prepared) {
            TRY(take_answer(session, arena, deadline_ms, is_prepared, &none));
            PQclear(none);
        }
        TRY(take_answer(session, arena, deadline_ms, &is_fine, &results[i]));
    }
    return OK;
}

error
monitor_session_ask(struct monitor_session *session, struct arena *arena, size_t count,
                    const struct monitor_question *questions, int64_t deadline_ms, PGresult *ret_results[])
{
    for (size_t i = 0; i < count; i++)
        ret_results[i] = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!send(session, &questions[i]))
            return failed(arena, session->connection, "the session is gone");
    }
    error why = take_answers(session, arena, count, questions, deadline_ms, ret_results);
    for (size_t i = 0; why != OK && i < count; i++) {
        PQclear(ret_results[i]);
        ret_results[i] = NULL;
    }
    return why;
}
