/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/roles_catalog.h"

#include "engine/postgres/postgres.h"

enum { MOST_TRIES = 40 };

static const char make_sql[] =
    "DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = %s) THEN CREATE ROLE %s; END IF; END $$";
static const char users_sql[] =
    "SELECT u.rolname FROM pg_auth_members m JOIN pg_roles g ON g.oid = m.roleid JOIN pg_roles u ON u.oid = m.member "
    "WHERE g.rolname = '" MANAGED_ROLE "' ORDER BY 1";
static const char databases_sql[] =
    "SELECT datname FROM pg_database WHERE datallowconn AND NOT datistemplate ORDER BY 1";

error
role_names(struct session *session, struct arena *arena, const char *sql, size_t parameter_count, const str *parameters,
           struct wire_texts *ret_names)
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
    return role_names(session, arena, users_sql, 0, NULL, ret_names);
}

error
role_databases(struct session *session, struct arena *arena, struct wire_texts *ret_names)
{
    return role_names(session, arena, databases_sql, 0, NULL, ret_names);
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
    return session_run(session, make_sql, session_text(session, name).data, session_name(session, name).data);
}

error
role_end_sessions(struct session *session, str user)
{
    struct session_rows rows;
    return session_query(session, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1", 1, &user,
                         &rows);
}

static error
try_change(struct session *session, const struct role_change *change, bool *ret_met_a_lock)
{
    struct session_rows rows;
    TRY(session_run(session, "BEGIN; SET LOCAL lock_timeout = '250ms'"));
    error why = session_query(session, change->keep_sql, change->parameter_count, change->parameters, &rows);
    if (why == OK)
        why = session_run(session, "%s", change->alter_sql);
    if (why == OK)
        return session_run(session, "COMMIT");
    *ret_met_a_lock = session_met_a_lock(session);
    error ignored = session_run(session, "ROLLBACK");
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
