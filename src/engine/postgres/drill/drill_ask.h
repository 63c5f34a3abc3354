/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions to a server that was restored. Whatever is in there may be hostile: an answer is waited for until a moment, and no longer,
 * whatever the server makes of its own limits.
 */
#ifndef ENGINE_POSTGRES_DRILL_DRILL_ASK_H
#define ENGINE_POSTGRES_DRILL_DRILL_ASK_H

#include "engine/problem.h"

struct drill_ask;

/* Who asks. All but the first are a role that reads everything and may do nothing else, in read-only transactions. */
enum drill_session {
    DRILL_CHECKS,  /* the superuser, whom settings of the tenant do not concern */
    DRILL_ASSERTS, /* for what tenants assert, with the settings that their own sessions have */
    DRILL_READS,   /* for rows: as text that does not depend on settings */
};
/* Makes that role, which is not trusted if one of its name came back, and lets it into the database. */
MUST_USE error drill_let_in(struct arena *arena, str folder, str database, const char *superuser);
/* `superuser`: how that one is called in this server. */
MUST_USE error drill_ask_open(struct arena *arena, str folder, str database, enum drill_session session,
                              const char *superuser, struct drill_ask **ret_ask);
void drill_ask_close(struct drill_ask *ask); /* NULL is allowed */
void drill_ask_cleanup(struct drill_ask **ask);

struct drill_answer {
    int rows, columns;
    const void *result; /* until the next question */
};
/* One statement. A failure is what the server said, and that it did not end in time. */
MUST_USE error drill_ask(struct drill_ask *ask, const char *sql, int64_t timeout_ms, struct drill_answer *ret_answer);
/* What takes a piece of what is copied; false: it cannot. */
typedef bool drill_take(void *context, str piece);
/* COPY … TO STDOUT, piece by piece. It may take as long as it likes, but must not be silent for so long. */
MUST_USE error drill_copy(struct drill_ask *ask, const char *sql, int64_t silence_ms, drill_take *take, void *context,
                          int64_t *ret_rows);
str drill_value(const struct drill_answer *answer, int row, int column); /* NULL is empty */
/* A name as it stands in a statement. */
str drill_name(struct drill_ask *ask, str name);
/* Of libpq, for programs that take one: the superuser's. */
str drill_conninfo(struct arena *arena, str folder, str database, const char *superuser);

#endif
