/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/drill/drill_ask.h"

#include <libpq-fe.h>
#include <poll.h>
#include <stdlib.h>

#include "base/clock.h"
#include "engine/postgres/postgres.h"
#include "engine/sql.gen.h"

#define DRILL_ROLE "reeve_drill"

enum { GRACE_MS = 3000, MOST_SAID = 400, LET_IN_MS = 60 * 1000 };

/*
 * What a database's owner has set for it does not apply: libraries, roles and settings that make a server overlook damage. Triggers of events
 * and of logins are left out.
 */
#define OPTIONS                                                                                         \
    "-c role=none -c session_preload_libraries= -c local_preload_libraries= -c zero_damaged_pages=off " \
    "-c ignore_checksum_failure=off -c session_replication_role=replica -c client_min_messages=error -c search_path=pg_catalog "
/* For whoever may not set those of superusers; they see what the tenant's own sessions see. */
#define OPTIONS_OF_ASSERTIONS \
    "-c role=none -c local_preload_libraries= -c client_min_messages=error -c default_transaction_read_only=on "
/* Row security: what would be left out is an error. */
#define OPTIONS_OF_ROWS                                                                                               \
    OPTIONS_OF_ASSERTIONS "-c search_path=pg_catalog -c row_security=off -c datestyle=ISO -c intervalstyle=postgres " \
                          "-c extra_float_digits=1 -c bytea_output=hex -c timezone=UTC "

static const struct {
    const char *user, *options; /* NULL: the superuser */
} sessions[] = {
    [DRILL_CHECKS] = { NULL, OPTIONS "-c default_transaction_read_only=off" },
    [DRILL_ASSERTS] = { DRILL_ROLE, OPTIONS_OF_ASSERTIONS },
    [DRILL_READS] = { DRILL_ROLE, OPTIONS_OF_ROWS },
};

struct drill_ask {
    struct arena *arena;
    PGconn *connection;
    PGresult *last;
    bool is_stuck; /* it was given up: what it sends is nobody's answer any more */
};

/* What a server says may have a value of the tenant's in it, of any length. */
static str
said(struct arena *arena, const char *message)
{
    str first = { message, strnlen(message, MOST_SAID) };
    first = str_trim(str_cut(&first, '\n'));
    return str_dup(arena, str_starts_with(first, STR("ERROR:  ")) ? str_slice(first, 8, first.len) : first);
}

/* ---- Connections ---- */
static void
add_quoted(struct buf *out, str value)
{
    buf_add_char(out, '\'');
    for (size_t i = 0; i < value.len; i++) {
        if (value.data[i] == '\'' || value.data[i] == '\\')
            buf_add_char(out, '\\');
        buf_add_char(out, value.data[i]);
    }
    buf_add_char(out, '\'');
}

static str
conninfo(struct arena *arena, str folder, str database, const char *user, const char *options)
{
    struct buf out = buf_in(arena, 16 * 1024);
    buf_format(
        &out,
        "host=%s/run port=5432 user=%s connect_timeout=10 application_name=reeve-drill client_encoding=UTF8 dbname=",
        folder.data, user);
    add_quoted(&out, database);
    buf_add_text(&out, " options=");
    add_quoted(&out, str_from(options));
    return buf_str(&out);
}

str
drill_conninfo(struct arena *arena, str folder, str database, const char *superuser)
{
    return conninfo(arena, folder, database, superuser, OPTIONS);
}

error
drill_ask_open(struct arena *arena, str folder, str database, enum drill_session session, const char *superuser,
               struct drill_ask **ret_ask)
{
    const char *user = sessions[session].user != NULL ? sessions[session].user : superuser;
    struct drill_ask *ask = calloc(1, sizeof(*ask));
    if (ask == NULL)
        return fail(arena, OVERLOADED);
    ask->arena = arena;
    ask->connection = PQconnectdb(conninfo(arena, folder, database, user, sessions[session].options).data);
    if (PQstatus(ask->connection) == CONNECTION_OK) {
        *ret_ask = ask;
        return OK;
    }
    error why = problem(arena, "No session: %s.", said(arena, PQerrorMessage(ask->connection)).data);
    drill_ask_close(ask);
    return why;
}

void
drill_ask_close(struct drill_ask *ask)
{
    if (ask == NULL)
        return;
    PQclear(ask->last);
    PQfinish(ask->connection);
    free(ask);
}

void
drill_ask_cleanup(struct drill_ask **ask)
{
    drill_ask_close(*ask);
}

error
drill_let_in(struct arena *arena, str folder, str database, const char *superuser)
{
    struct drill_ask *ask CLEANUP(drill_ask_cleanup) = NULL;
    struct drill_answer ignored;
    TRY(drill_ask_open(arena, folder, STR("postgres"), DRILL_CHECKS, superuser, &ask));
    TRY(drill_ask(ask, member_sql_rows[SQL_DRILL_ROLE_MAKE].text, LET_IN_MS, &ignored));
    str grant = str_format(arena, "GRANT CONNECT ON DATABASE %s TO " DRILL_ROLE, drill_name(ask, database).data);
    return drill_ask(ask, grant.data, LET_IN_MS, &ignored);
}

/* ---- Questions ---- */
/* False: no answer until then. */
static bool
wait_for(struct drill_ask *ask, int64_t deadline_ms)
{
    while (PQisBusy(ask->connection)) {
        int64_t left = deadline_ms - clock_steady_ms();
        struct pollfd one = { .fd = PQsocket(ask->connection), .events = POLLIN };
        if (left <= 0)
            return false;
        poll(&one, 1, left > 1000 ? 1000 : (int)left);
        if (one.revents != 0 && !PQconsumeInput(ask->connection))
            return true; /* the connection is gone, which the result says */
    }
    return true;
}

static error
too_late(struct drill_ask *ask, int64_t timeout_ms)
{
    ask->is_stuck = true;
    return problem(ask->arena, "It did not end within %lld s.", (long long)timeout_ms / 1000);
}

/* The server's own limit first, which leaves the session usable. */
error
drill_ask(struct drill_ask *ask, const char *sql, int64_t timeout_ms, struct drill_answer *ret_answer)
{
    int64_t deadline_ms = clock_steady_ms() + timeout_ms + GRACE_MS;
    str limit = str_format(ask->arena, "SET statement_timeout = %lld", (long long)timeout_ms);
    if (ask->is_stuck)
        return problem(ask->arena, "An earlier question did not end.");
    PQclear(PQexec(ask->connection, limit.data));
    if (!PQsendQueryParams(ask->connection, sql, 0, NULL, NULL, NULL, NULL, 0))
        return problem(ask->arena, "%s.", said(ask->arena, PQerrorMessage(ask->connection)).data);
    if (!wait_for(ask, deadline_ms))
        return too_late(ask, timeout_ms);
    PQclear(ask->last);
    ask->last = PQgetResult(ask->connection);
    for (PGresult *more; wait_for(ask, deadline_ms) && (more = PQgetResult(ask->connection)) != NULL;)
        PQclear(more);
    ExecStatusType status = PQresultStatus(ask->last);
    const char *state = PQresultErrorField(ask->last, PG_DIAG_SQLSTATE);
    if (state != NULL && strcmp(state, "57014") == 0)
        return problem(ask->arena, "It did not end within %lld s.", (long long)timeout_ms / 1000);
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
        return problem(ask->arena, "%s.", said(ask->arena, PQerrorMessage(ask->connection)).data);
    *ret_answer = (struct drill_answer){ PQntuples(ask->last), PQnfields(ask->last), ask->last };
    return OK;
}

/* ---- Rows ---- */
/* Until there is more to read. */
static error
wait_for_more(struct drill_ask *ask, int64_t silence_ms)
{
    struct pollfd one = { .fd = PQsocket(ask->connection), .events = POLLIN };
    if (poll(&one, 1, (int)silence_ms) <= 0)
        return too_late(ask, silence_ms);
    return PQconsumeInput(ask->connection)
               ? OK
               : problem(ask->arena, "%s.", said(ask->arena, PQerrorMessage(ask->connection)).data);
}

static error
take_pieces(struct drill_ask *ask, int64_t silence_ms, drill_take *take, void *context)
{
    char *piece;
    int length;
    while ((length = PQgetCopyData(ask->connection, &piece, true)) >= 0) {
        if (length == 0) {
            TRY(wait_for_more(ask, silence_ms));
            continue;
        }
        bool is_taken = take(context, (str){ piece, (size_t)length });
        PQfreemem(piece);
        if (!is_taken) {
            ask->is_stuck = true;
            return problem(ask->arena, "What was read cannot be written.");
        }
    }
    return OK;
}

/* What the server says of the statement as such: that it begins, or how it ended. */
static error
expect(struct drill_ask *ask, ExecStatusType wanted, int64_t silence_ms)
{
    if (!wait_for(ask, clock_steady_ms() + silence_ms))
        return too_late(ask, silence_ms);
    PQclear(ask->last);
    ask->last = PQgetResult(ask->connection);
    return PQresultStatus(ask->last) == wanted
               ? OK
               : problem(ask->arena, "%s.", said(ask->arena, PQerrorMessage(ask->connection)).data);
}

error
drill_copy(struct drill_ask *ask, const char *sql, int64_t silence_ms, drill_take *take, void *context,
           int64_t *ret_rows)
{
    if (ask->is_stuck)
        return problem(ask->arena, "An earlier question did not end.");
    PQclear(PQexec(ask->connection, "SET statement_timeout = 0"));
    if (!PQsendQueryParams(ask->connection, sql, 0, NULL, NULL, NULL, NULL, 0))
        return problem(ask->arena, "%s.", said(ask->arena, PQerrorMessage(ask->connection)).data);
    TRY(expect(ask, PGRES_COPY_OUT, silence_ms));
    TRY(take_pieces(ask, silence_ms, take, context));
    TRY(expect(ask, PGRES_COMMAND_OK, silence_ms));
    str rows = str_from(PQcmdTuples(ask->last));
    for (PGresult *more; (more = PQgetResult(ask->connection)) != NULL;)
        PQclear(more);
    return str_to_int(rows, 0, INT64_MAX, ret_rows) ? OK
                                                    : problem(ask->arena, "It does not say how many rows there are.");
}

str
drill_value(const struct drill_answer *answer, int row, int column)
{
    return row >= answer->rows || column >= answer->columns
               ? STR_EMPTY
               : (str){ PQgetvalue(answer->result, row, column), (size_t)PQgetlength(answer->result, row, column) };
}

str
drill_name(struct drill_ask *ask, str name)
{
    char *quoted = PQescapeIdentifier(ask->connection, name.data, name.len);
    str copy = quoted == NULL ? STR_EMPTY : str_dup(ask->arena, str_from(quoted));
    PQfreemem(quoted);
    return copy;
}
