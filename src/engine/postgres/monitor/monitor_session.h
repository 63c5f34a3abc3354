/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session that measures: as a role of its own that sees statistics and nothing else, so whatever a tenant put in its way runs with no more rights than
 * that. It is kept for days. Questions are prepared once and asked together; nothing waits for longer than it is told to.
 */
#ifndef ENGINE_POSTGRES_MONITOR_MONITOR_SESSION_H
#define ENGINE_POSTGRES_MONITOR_MONITOR_SESSION_H

#include <libpq-fe.h>

#include "engine/engine.h"
#include "engine/sql.gen.h"

enum { MONITOR_MOST_QUESTIONS = 8 };

struct monitor_session;

/* Until `deadline_ms` of the steady clock, as everything here. */
MUST_USE error monitor_session_open(struct engine_member *self, str database, int64_t deadline_ms,
                                    struct monitor_session **ret_session);
void monitor_session_close(struct monitor_session *session); /* NULL is allowed */
void monitor_session_cleanup(struct monitor_session **session);
int monitor_session_version(const struct monitor_session *session); /* 170006 */

struct monitor_question {
    enum member_sql sql;
    const char *parameter; /* the only one; NULL: none */
};
/*
 * `ret_results` has one for each question, NULL for one that failed; the caller clears them. An error: the session is of no use any more.
 */
MUST_USE error monitor_session_ask(struct monitor_session *session, struct arena *arena, size_t count,
                                   const struct monitor_question *questions, int64_t deadline_ms,
                                   PGresult *ret_results[]);

#endif
