/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pooler's own console, through its socket. It looks at who a client is only when that client logs in, so whoever was
 * taken off the access list or lost their user since is ended from here.
 */
#include <libpq-fe.h>
#include <string.h>

#include "engine/postgres/pooler/pooler.h"
#include "engine/postgres/postgres.h"
#include "engine/postgres/session.h"

static void
finish(PGconn **console)
{
    PQfinish(*console);
}

static void
clear(PGresult **result)
{
    PQclear(*result);
}

static error
failed(struct engine_member *self, PGconn *console, const char *what)
{
    str message = str_trim(str_from(PQerrorMessage(console)));
    return problem(self->arena, "The pooler of %s: %s: %.*s.", self->member->name.data, what, STR_ARG(message));
}

static error
console_open(struct engine_member *self, PGconn **ret_console)
{
    str folder = member_path(self, "run"), port = str_from_int(self->arena, self->cluster->pooling.port);
    const char *const names[] = { "host", "port", "dbname", "user", "connect_timeout", "requirepeer", NULL };
    const char *const values[] = { folder.data, port.data, "pgbouncer", POOLER_ADMIN, "5", self->user.data, NULL };
    *ret_console = PQconnectdbParams(names, values, 0);
    return PQstatus(*ret_console) == CONNECTION_OK ? OK : failed(self, *ret_console, "no session");
}

/* It does not know the words of a prepared statement: only plain commands. */
static error
command(struct engine_member *self, PGconn *console, const char *text, PGresult **ret_result)
{
    *ret_result = PQexec(console, text);
    ExecStatusType status = PQresultStatus(*ret_result);
    return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK ? OK : failed(self, console, text);
}

static error
may_log_in(struct session *session, str user, bool *ret_may)
{
    struct session_rows rows;
    TRY(session_query(session, SQL_POOLER_MAY_LOG_IN, 1, &user, &rows));
    *ret_may = rows.count > 0;
    return OK;
}

/* Each user is asked about once: clients of one stand beside each other seldom, but users are few. */
struct judged {
    str user;
    bool may;
};

static error
judge_user(struct engine_member *self, struct session *session, struct judged *users, size_t *count, str user,
           bool *ret_may)
{
    for (size_t i = 0; i < *count; i++) {
        if (str_eq(users[i].user, user)) {
            *ret_may = users[i].may;
            return OK;
        }
    }
    TRY(may_log_in(session, user, ret_may));
    users[(*count)++] = (struct judged){ str_dup(self->arena, user), *ret_may };
    return OK;
}

static error
turn_out(struct engine_member *self, PGconn *console)
{
    PGresult *clients CLEANUP(clear) = NULL;
    struct session *session CLEANUP(session_cleanup) = NULL;
    size_t known = 0;
    TRY(command(self, console, "SHOW CLIENTS", &clients));
    int count = PQntuples(clients), user = PQfnumber(clients, "user"), address = PQfnumber(clients, "addr"),
        number = PQfnumber(clients, "id");
    if (user < 0 || address < 0 || number < 0)
        return problem(self->arena, "The pooler of %s says nothing about its clients.", self->member->name.data);
    struct judged *users = ARENA_ARRAY(self->arena, struct judged, (size_t)count + 1);
    if (users == NULL)
        return fail(self->arena, OVERLOADED);
    TRY(session_open(self, STR(SUPERUSER), &session));
    for (int i = 0; i < count; i++) {
        str name = str_from(PQgetvalue(clients, i, user)), place = str_from(PQgetvalue(clients, i, address));
        bool may = true;
        if (str_is(place, "unix")) /* the agent itself */
            continue;
        TRY(judge_user(self, session, users, &known, name, &may));
        if (may && pooler_lets_in(&self->cluster->access, place))
            continue;
        PGresult *ended CLEANUP(clear) = NULL;
        str text = str_format(self->arena, "KILL_CLIENT %s", PQgetvalue(clients, i, number));
        error gone = command(self, console, text.data, &ended); /* it may have left by itself */
        (void)gone;
    }
    return OK;
}

error
pooler_follow(struct engine_member *self)
{
    PGconn *console CLEANUP(finish) = NULL;
    PGresult *read_again CLEANUP(clear) = NULL;
    TRY(console_open(self, &console));
    TRY(command(self, console, "RELOAD", &read_again));
    return turn_out(self, console);
}
