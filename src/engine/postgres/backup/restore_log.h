/* SPDX-License-Identifier: Apache-2.0 */
/* What pgBackRest and PostgreSQL say about a restore, and what whoever asked for it can do about it. */
#ifndef ENGINE_POSTGRES_BACKUP_RESTORE_LOG_H
#define ENGINE_POSTGRES_BACKUP_RESTORE_LOG_H

#include "engine/problem.h"

/* Whether trying again helps: never; as soon as somebody else is back; or nobody knows. */
enum restore_hope { HOPE_NONE, HOPE_LATER, HOPE_UNKNOWN };

/* What a server that recovered is said to have done when it ended too early. */
#define RESTORE_LACKS_WAL "recovery ended before the end of WAL"

/* A sentence for people. */
str restore_explain(struct arena *arena, str said, enum restore_hope *ret_hope);

/* Of a server's log in UTC: where recovery ended ("0/5000148"), and the last commit before that as date_text() writes it. Empty: it does not say. */
void restore_reached(struct arena *arena, str log, str *ret_lsn, str *ret_at);
/* The last line of a server's log that says why it ended; empty: none does. */
str restore_fatal(struct arena *arena, str log);

#endif
