/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/session.h"

#include <libpq-fe.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine/postgres/postgres.h"

enum {
    MOST_PARAMETERS = 8,
    SETTINGS_BYTES = 4096,
    STATEMENT_BYTES = 256 * 1024,
    PLAN_BYTES = 4 * 1024 * 1024,
    PLAN_MS = 4000
};

/*
 * What stands here wins over what a database's owner has set for the database. The second half is there for nothing else: with a
 * library that does not exist, another role, read-only transactions or a millisecond of time they could keep the agent from its work (S9).
 */
static const char settings[] =
    /* The agent's own work is not what tenants have recorded, and verifiers are among its parameters. */
    "-c pgaudit.log=none -c pgaudit.log_parameter=off -c log_statement=none -c log_min_duration_statement=-1 "
    "-c log_min_error_statement=panic -c statement_timeout=60s -c lock_timeout=5s -c synchronous_commit=local "
    "-c search_path=pg_catalog "
    "-c role=none -c local_preload_libraries= -c default_transaction_read_only=off -c client_min_messages=error "
    "-c default_transaction_isolation=read\\ committed -c default_transaction_deferrable=off "
    "-c idle_session_timeout=0 -c idle_in_transaction_session_timeout=0";
/* Servers refuse settings that they do not know. */
static const struct {
    int64_t since; /* major version */
    const char *text;
} later_settings[] = {
    { 17, " -c transaction_timeout=0" },
};

struct session {
    struct arena *arena;
    PGconn *connection;
    PGresult *last;
    str member;    /* for sentences */
    char *plan;    /* the last one that the server has told; NULL: none */
    bool is_stuck; /* it was given up: what it sends is nobody's answer any more */
};

static error
failed(struct session *session, const char *what)
{
    str message = str_from(PQerrorMessage(session->connection));
    while (message.len > 0 && (message.data[message.len - 1] == '\n' || message.data[message.len - 1] == ' '))
        message.len--;
    return problem(session->arena, "%s: %s: %.*s.", session->member.data, what, STR_ARG(message));
}

static str
all_settings(const struct engine_member *self)
{
    struct buf out = buf_in(self->arena, SETTINGS_BYTES);
    int64_t major;
    buf_add_text(&out, settings);
    for (size_t i = 0; i < LENGTH(later_settings); i++) {
        if (str_to_int(self->cluster->major_version, 1, INT32_MAX, &major) && major >= later_settings[i].since)
            buf_add_text(&out, later_settings[i].text);
    }
    return buf_str(&out);
}

static error
open_as(struct engine_member *self, str database, const char *user, str options, struct session **ret_session)
{
    str folder = member_path(self, "run"), port = str_from_int(self->arena, self->member->port);
    /* The member could put a link to another member's socket there: whoever answers must run as the member. */
    str peer = self->is_shared ? STR(SUPERUSER) : self->user;
    const char *const names[] = {
        "host",    "port",        "dbname",          "user", "connect_timeout", "application_name",
        "options", "requirepeer", "client_encoding", NULL
    };
    const char *const values[] = { folder.data,   port.data,    database.data, user,   "5",
                                   "reeve-agent", options.data, peer.data,     "UTF8", NULL };
    struct session_rows undone;
    struct session *session = calloc(1, sizeof(*session));
    if (session == NULL)
        return fail(self->arena, OVERLOADED);
    session->arena = self->arena;
    session->member = self->member->name;
    session->connection = PQconnectdbParams(names, values, 0);
    if (PQstatus(session->connection) != CONNECTION_OK) {
        error why = failed(session, "no session");
        session_close(session);
        return why;
    }
    error why = session_query(session, SQL_SETTINGS_UNDO, 0, NULL, &undone);
    if (why != OK) {
        session_close(session);
        return why;
    }
    *ret_session = session;
    return OK;
}

error
session_open(struct engine_member *self, str database, struct session **ret_session)
{
    return open_as(self, database, SUPERUSER, all_settings(self), ret_session);
}

void
session_close(struct session *session)
{
    if (session == NULL)
        return;
    PQclear(session->last);
    PQfinish(session->connection);
    free(session->plan);
    free(session);
}

void
session_cleanup(struct session **session)
{
    session_close(*session);
}

int
session_server_version(const struct session *session)
{
    return PQserverVersion(session->connection);
}

bool
session_met_a_lock(const struct session *session)
{
    static const char lock_not_available[] = "55P03";
    const char *state = PQresultErrorField(session->last, PG_DIAG_SQLSTATE);
    return state != NULL && strcmp(state, lock_not_available) == 0;
}

str
session_complaint(const struct session *session)
{
    const char *message = PQresultErrorField(session->last, PG_DIAG_MESSAGE_PRIMARY),
               *detail = PQresultErrorField(session->last, PG_DIAG_MESSAGE_DETAIL);
    str all = str_format(session->arena, "%s%s%s", message == NULL ? "the server does not answer" : message,
                         detail == NULL ? "" : ": ", detail == NULL ? "" : detail);
    for (size_t i = 0; i < all.len; i++) {
        if (all.data[i] == '\n')
            ((char *)(uintptr_t)all.data)[i] = ';';
    }
    return all.len > 0 && all.data[all.len - 1] == '.' ? str_dup(session->arena, str_slice(all, 0, all.len - 1)) : all;
}

static error
judge(struct session *session, PGresult *result)
{
    PQclear(session->last);
    session->last = result;
    ExecStatusType status = PQresultStatus(result);
    return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK ? OK : failed(session, "a statement failed");
}

error
session_query_row(struct session *session, const struct member_sql_row *row, size_t count, const str *parameters,
                  struct session_rows *ret_rows)
{
    const char *values[MOST_PARAMETERS];
    if (count > MOST_PARAMETERS)
        abort();
    if (session->is_stuck)
        return problem(session->arena, "%s: an earlier statement did not end.", session->member.data);
    if (count != row->parameters)
        return problem(session->arena, "%s: %s has other parameters.", session->member.data, row->name);
    for (size_t i = 0; i < count; i++)
        values[i] = parameters[i].data;
    TRY(judge(session, PQexecParams(session->connection, row->text, (int)count, NULL, values, NULL, NULL, 0)));
    *ret_rows = (struct session_rows){ session, session->last, PQntuples(session->last) };
    return OK;
}

error
session_query(struct session *session, enum member_sql sql, size_t count, const str *parameters,
              struct session_rows *ret_rows)
{
    return session_query_row(session, &member_sql_rows[sql], count, parameters, ret_rows);
}

str
session_value(const struct session_rows *rows, int row, int column)
{
    return (str){ PQgetvalue(rows->result, row, column), (size_t)PQgetlength(rows->result, row, column) };
}

/* ---- Statements with places ---- */

static bool
is_in_name(char c)
{
    return (c >= 'a' && c <= 'z') || c == '_';
}

/* Takes a place off the beginning of `rest`: :"name", :'name' or :name. False when the colon there means something else. */
static bool
take_place(str *rest, char *ret_quote, str *ret_name)
{
    bool is_quoted = rest->len > 1 && (rest->data[1] == '"' || rest->data[1] == '\'');
    size_t from = is_quoted ? 2 : 1, to = from;
    while (to < rest->len && is_in_name(rest->data[to]))
        to++;
    if (to == from || (is_quoted && (to == rest->len || rest->data[to] != rest->data[1])))
        return false;
    *ret_quote = is_quoted ? rest->data[1] : '\0';
    *ret_name = str_slice(*rest, from, to);
    *rest = str_slice(*rest, to + is_quoted, rest->len);
    return true;
}

/* What libpq cannot quote is no part of a statement. */
static error
put_quoted(struct session *session, char quote, str value, struct buf *out)
{
    char *quoted = quote == '"' ? PQescapeIdentifier(session->connection, value.data, value.len)
                                : PQescapeLiteral(session->connection, value.data, value.len);
    if (quoted == NULL)
        return failed(session, "a value cannot be quoted");
    buf_add_text(out, quoted);
    PQfreemem(quoted);
    return OK;
}

static error
put_value(struct session *session, char quote, str name, const struct sql_value *values, struct buf *out)
{
    while (values != NULL && values->place != NULL && !str_is(name, values->place))
        values++;
    if (values == NULL || values->place == NULL)
        return problem(session->arena, "%s: nothing was said about \"%.*s\" of a statement.", session->member.data,
                       STR_ARG(name));
    if (quote != '\0')
        return put_quoted(session, quote, values->value, out);
    buf_add(out, values->value);
    return OK;
}

static error
fill_in(struct session *session, str text, const struct sql_value *values, struct buf *out)
{
    while (text.len > 0) {
        ptrdiff_t colon = str_find(text, ':');
        size_t before = colon < 0 ? text.len : (size_t)colon;
        char quote;
        str name;
        buf_add(out, str_slice(text, 0, before));
        text = str_slice(text, before, text.len);
        if (text.len == 0)
            break;
        if (take_place(&text, &quote, &name)) {
            TRY(put_value(session, quote, name, values, out));
            continue;
        }
        size_t colons = str_starts_with(text, STR("::")) ? 2 : 1; /* of a cast: what follows is a type */
        buf_add(out, str_slice(text, 0, colons));
        text = str_slice(text, colons, text.len);
    }
    return OK;
}

error
session_run(struct session *session, enum member_sql sql, const struct sql_value *values)
{
    struct buf out = buf_in(session->arena, STATEMENT_BYTES);
    TRY(fill_in(session, str_from(member_sql_rows[sql].text), values, &out));
    str text = buf_str(&out);
    if (text.len == 0)
        return fail(session->arena, OVERLOADED);
    return judge(session, PQexec(session->connection, text.data));
}

/* libpq's own quoting, copied into the arena. An empty result makes the statement fail, never mean something else. */
str
session_name(struct session *session, str name)
{
    char *quoted = PQescapeIdentifier(session->connection, name.data, name.len);
    str copy = quoted == NULL ? STR_EMPTY : str_dup(session->arena, str_from(quoted));
    PQfreemem(quoted);
    return copy;
}

/* ---- Planning ---- */
/* Settings that anybody may make. What only a superuser may is set for the role itself: sql/advisor/advisor_role_make.sql. */
/* The server's own limit is shorter than PLAN_MS: it leaves the session usable. */
static const char planner_settings[] =
    "-c statement_timeout=2s -c lock_timeout=200ms -c default_transaction_read_only=on -c role=none "
    "-c local_preload_libraries= -c debug_print_parse=off -c debug_print_rewritten=off -c debug_pretty_print=off "
    "-c client_min_messages=log -c jit=off -c work_mem=4MB -c idle_session_timeout=60s "
    "-c default_transaction_isolation=read\\ committed -c default_transaction_deferrable=off";

static void
keep_plan(void *context, const PGresult *notice)
{
    struct session *session = context;
    const char *message = PQresultErrorField(notice, PG_DIAG_MESSAGE_PRIMARY);
    const char *detail = PQresultErrorField(notice, PG_DIAG_MESSAGE_DETAIL);
    if (message == NULL || detail == NULL || strcmp(message, "plan:") != 0)
        return;
    free(session->plan);
    session->plan = strlen(detail) > PLAN_BYTES ? NULL : strdup(detail);
}

error
session_open_planner(struct engine_member *self, str database, struct session **ret_session)
{
    TRY(open_as(self, database, PLANNER_ROLE, str_from(planner_settings), ret_session));
    PQsetNoticeReceiver((*ret_session)->connection, keep_plan, *ret_session);
    return OK;
}

/* The refusal that always comes, of the statement itself: one from inside of a function has a context. */
static bool
was_refused(const struct session *session)
{
    static const char insufficient_privilege[] = "42501";
    const char *state = PQresultErrorField(session->last, PG_DIAG_SQLSTATE);
    return state != NULL && strcmp(state, insufficient_privilege) == 0 &&
           PQresultErrorField(session->last, PG_DIAG_CONTEXT) == NULL;
}

/* False: no answer until then. */
static bool
wait_for(struct session *session, int64_t deadline_ms)
{
    while (PQisBusy(session->connection)) {
        int64_t left = deadline_ms - clock_steady_ms();
        struct pollfd one = { .fd = PQsocket(session->connection), .events = POLLIN };
        if (left <= 0)
            return false;
        poll(&one, 1, (int)left);
        if (one.revents != 0 && !PQconsumeInput(session->connection))
            return true; /* the connection is gone, which the result says */
    }
    return true;
}

/* The last answer of several statements, which is an error if any was; false: it did not come in time. */
static bool
run_in_time(struct session *session, str text, int64_t deadline_ms)
{
    PQclear(session->last);
    session->last = NULL;
    if (!PQsendQuery(session->connection, text.data))
        return true;
    for (;;) {
        if (!wait_for(session, deadline_ms))
            return false;
        PGresult *result = PQgetResult(session->connection);
        if (result == NULL)
            return true;
        PQclear(session->last);
        session->last = result;
    }
}

static void
end_stuck(struct session *session, struct session *superuser)
{
    struct session_rows rows;
    str pid = str_from_int(session->arena, PQbackendPID(session->connection));
    session->is_stuck = true;
    /* Should that fail as well, the server has other troubles, and the next look finds it again. */
    error ignored = session_query(superuser, SQL_ADVISOR_PLANNER_END, 1, &pid, &rows);
    (void)ignored;
}

bool
session_plan(struct session *session, struct session *superuser, str statement, str *ret_plan)
{
    struct buf out = buf_in(session->arena, STATEMENT_BYTES);
    free(session->plan);
    session->plan = NULL;
    if (session->is_stuck || fill_in(session, str_from(member_sql_rows[SQL_ADVISOR_PLAN].text),
                                     SQL_VALUES({ "statement", statement }), &out) != OK)
        return false;
    str text = buf_str(&out);
    if (text.len == 0)
        return false;
    if (!run_in_time(session, text, clock_steady_ms() + PLAN_MS)) {
        end_stuck(session, superuser);
        return false;
    }
    bool is_told = (PQresultStatus(session->last) == PGRES_TUPLES_OK || was_refused(session)) && session->plan != NULL;
    if (session_run(session, SQL_ADVISOR_PLAN_UNDO, NULL) != OK)
        return false;
    *ret_plan = is_told ? str_from(session->plan) : STR_EMPTY;
    return is_told;
}

bool
session_is_stuck(const struct session *session)
{
    return session->is_stuck;
}
