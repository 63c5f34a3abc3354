/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/roles_catalog.h"

#include "engine/postgres/postgres.h"

enum { MOST_TRIES = 40 };

error
role_names(struct session *session, struct arena *arena, enum member_sql sql, size_t parameter_count,
           const str *parameters, struct wire_texts *ret_names)
{
    struct session_rows rows;
    TRY(session_query(session, sql, parameter_count, parameters, &rows));
    struct wire_texts names = { .items = ARENA_ARRAY(arena, str, (size_t)rows.count + 1) };
    if (names.items == NULL)
        return fail(arena, OVERLOADED);
    for (int row = 0; row < rows.count; row++)
        names.items[names.count++] = str_dup(arena, session_value(&rows, row, 0));
    *ret_names = names;
    return OK;
}

error
role_users(struct session *session, struct arena *arena, struct wire_texts *ret_names)
{
    return role_names(session, arena, SQL_USER_LIST, 1, &STR(MANAGED_ROLE), ret_names);
}

error
role_databases(struct session *session, struct arena *arena, struct wire_texts *ret_names)
{
    return role_names(session, arena, SQL_DATABASE_LIST, 0, NULL, ret_names);
}

bool
role_is_in(const struct wire_texts *names, str name)
{
    for (size_t i = 0; i < names->count; i++) {
        if (str_eq(names->items[i], name))
            return true;
    }
    return false;
}

error
role_make(struct session *session, str name)
{
    return session_run(session, SQL_ROLE_MAKE, SQL_VALUES({ "role", name }));
}

error
role_end_sessions(struct session *session, str user)
{
    struct session_rows rows;
    return session_query(session, SQL_USER_END_SESSIONS, 1, &user, &rows);
}

static error
try_change(struct session *session, const struct role_change *change, bool *ret_met_a_lock)
{
    struct session_rows rows;
    TRY(session_run(session, SQL_CHANGE_BEGIN, NULL));
    error why = session_query(session, change->keep, change->parameter_count, change->parameters, &rows);
    if (why == OK)
        why = session_run(session, change->alter, NULL);
    if (why == OK)
        return session_run(session, SQL_CHANGE_COMMIT, NULL);
    *ret_met_a_lock = session_met_a_lock(session);
    error ignored = session_run(session, SQL_CHANGE_ROLLBACK, NULL);
    (void)ignored;
    return why;
}

error
role_change(struct session *session, const struct role_change *change)
{
    error why = OK;
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        bool met_a_lock = false;
        why = try_change(session, change, &met_a_lock);
        if (why == OK || !met_a_lock)
            return why;
        TRY(role_end_sessions(session, change->user));
    }
    return why;
}
