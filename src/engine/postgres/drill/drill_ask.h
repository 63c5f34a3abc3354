/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions to a server that was restored. Whatever is in there may be hostile: an answer is waited for until a moment, and no longer,
 * whatever the server makes of its own limits.
 */
#ifndef ENGINE_POSTGRES_DRILL_DRILL_ASK_H
#define ENGINE_POSTGRES_DRILL_DRILL_ASK_H

#include "engine/problem.h"

struct drill_ask;

/* `user` is the superuser, or whoever runs assertions. Only read-only transactions when `is_read_only`. */
MUST_USE error drill_ask_open(struct arena *arena, str folder, str database, const char *user, bool is_read_only,
                              struct drill_ask **ret_ask);
void drill_ask_close(struct drill_ask *ask); /* NULL is allowed */
void drill_ask_cleanup(struct drill_ask **ask);

struct drill_answer {
    int rows, columns;
    const void *result; /* until the next question */
};
/* One statement. A failure is what the server said, and that it did not end in time. */
MUST_USE error drill_ask(struct drill_ask *ask, const char *sql, int64_t timeout_ms, struct drill_answer *ret_answer);
str drill_value(const struct drill_answer *answer, int row, int column); /* NULL is empty */
/* A name as it stands in a statement. */
str drill_name(struct drill_ask *ask, str name);
/* Of libpq, for programs that take one. */
str drill_conninfo(struct arena *arena, str folder, str database, const char *user);

#endif
