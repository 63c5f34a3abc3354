/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session with a member of this host as its superuser, which there is only on the unix socket. Statements time out, are not
 * logged by the server, and do not wait for standbys: what they make is made again by the agent of whoever is primary next.
 *
 * What the owner of a database has set for it (ALTER DATABASE … SET) does not hold for these sessions. And because a superuser
 * runs them, no statement may evaluate what a tenant wrote: no expression, default, trigger, rule, view or function of theirs. What
 * has to touch rows of tenants does so as the owner of the table (SET ROLE).
 */
#ifndef ENGINE_POSTGRES_SESSION_H
#define ENGINE_POSTGRES_SESSION_H

#include "engine/engine.h"

struct session;

MUST_USE error session_open(struct engine_member *self, str database, struct session **ret_session);
void session_close(struct session *session); /* NULL is allowed */
void session_cleanup(struct session **session);
int session_server_version(const struct session *session); /* 170006 */
/* Whether the last statement failed because somebody else held a lock for too long. */
bool session_met_a_lock(const struct session *session);

/* A value that may be NULL (data NULL). */
#define SQL_NULL ((str){ NULL, 0 })

struct session_rows {
    struct session *session;
    void *result;
    int count;
};
/* One statement with parameters as texts ($1, $2 …). The rows are valid until the next statement. */
MUST_USE error session_query(struct session *session, const char *sql, size_t count, const str *parameters,
                             struct session_rows *ret_rows);
str session_value(const struct session_rows *rows, int row, int column); /* NULL is empty */

/* Several statements without parameters; names in them are quoted with the two functions below. */
MUST_USE error session_run(struct session *session, const char *format, ...) PRINTF_LIKE(2, 3);
str session_name(struct session *session, str name);
str session_text(struct session *session, str text);

#endif
