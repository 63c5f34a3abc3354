/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session with a member of this host as its superuser, who can connect only through the unix socket. Statements time
 * out, are not logged by the server, and do not wait for standbys: after a failover the new primary's agent makes their
 * changes again.
 *
 * Settings of a database (ALTER DATABASE … SET) do not apply to these sessions. And because a superuser runs them, no
 * statement may evaluate what a tenant wrote: no expression, default, trigger, rule, view or function of theirs. A
 * statement that must touch rows of tenants runs as the owner of the table (SET ROLE).
 */
#ifndef ENGINE_POSTGRES_SESSION_H
#define ENGINE_POSTGRES_SESSION_H

#include "engine/engine.h"
#include "engine/sql.gen.h"

struct session;

MUST_USE error session_open(struct engine_member *self, str database, struct session **ret_session);
void session_close(struct session *session); /* NULL is allowed */
void session_cleanup(struct session **session);
int session_server_version(const struct session *session); /* 170006 */
/* Whether the last statement failed because somebody else held a lock for too long. */
bool session_met_a_lock(const struct session *session);

/* Why the last statement failed, in the server's words on one line, without a full stop: what it says, and to whom it applies. */
str session_complaint(const struct session *session);

/* A value that may be NULL (data NULL). */
#define SQL_NULL ((str){ NULL, 0 })

struct session_rows {
    struct session *session;
    void *result;
    int count;
};
/* What is run stands in sql/, one file each. A statement with parameters as texts ($1, $2 …): the rows are valid until the next statement. */
MUST_USE error session_query(struct session *session, enum member_sql sql, size_t count, const str *parameters,
                             struct session_rows *ret_rows);
/* The same of a statement that is in no file: for tests, which ask what a session is. */
MUST_USE error session_query_row(struct session *session, const struct member_sql_row *row, size_t count,
                                 const str *parameters, struct session_rows *ret_rows);
str session_value(const struct session_rows *rows, int row, int column); /* NULL is empty */

/*
 * Statements with places instead, for what PostgreSQL takes no parameters in. How a value is quoted is said by the statement and done by libpq:
 * :"place" is a name, :'place' a text. :place is put in as it is, so only for words of our own, and for what session_name() has quoted.
 */
struct sql_value {
    const char *place;
    str value;
};
#define SQL_VALUES(...) ((const struct sql_value[]){ __VA_ARGS__, { NULL, { NULL, 0 } } })
/* `values` may be NULL for a statement without places. */
MUST_USE error session_run(struct session *session, enum member_sql sql, const struct sql_value *values);
/* A name as it stands in a statement. */
str session_name(struct session *session, str name);

/*
 * Planning what tenants wrote, which runs their IMMUTABLE functions. The role of such a session may read nothing and write nothing, so it cannot run what it
 * has planned, either: the server tells the plan before it looks at rights, and then refuses (docs/internals/advisor.md).
 */
MUST_USE error session_open_planner(struct engine_member *self, str database, struct session **ret_session);
/*
 * The plan in PostgreSQL's own words, good until the next one; false when there is none. A function that does not let itself be cancelled is ended by
 * `superuser`, a session of any database, and the planner's session with it.
 */
bool session_plan(struct session *session, struct session *superuser, str statement, str *ret_plan);
/* Whether that was so: the session answers nothing any more. */
bool session_is_stuck(const struct session *session);

#endif
