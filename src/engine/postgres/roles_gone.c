/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/roles_gone.h"

#include "base/failpoint.h"
#include "engine/postgres/postgres.h"
#include "engine/postgres/roles_catalog.h"

/* ---- Statements ---- */
static const char may_log_in_sql[] = "SELECT FROM pg_roles WHERE rolname = $1 AND rolcanlogin";
static const char groups_sql[] = "SELECT rolname FROM pg_roles WHERE rolname LIKE 'reeve\\_g\\_%' ORDER BY 1";

static const char keep_name_sql[] = "SELECT set_config('reeve.role', $1, true)";
static const char shut_sql[] =
    "DO $$ BEGIN EXECUTE format('ALTER ROLE %I NOLOGIN PASSWORD NULL', current_setting('reeve.role')); END $$";

static const char keep_owner_sql[] = "SELECT set_config('reeve.role', $1, false), set_config('reeve.owner', $2, false)";
static const char reassign_sql[] =
    "DO $$\n"
    "DECLARE\n"
    "    gone  text := current_setting('reeve.role');\n"
    "    owner text;\n"
    "BEGIN\n"
    "    SELECT pg_get_userbyid(datdba) INTO owner FROM pg_database WHERE datname = current_database();\n"
    "    IF owner = gone THEN\n"
    "        owner := current_setting('reeve.owner');\n"
    "    END IF;\n"
    "    EXECUTE format('REASSIGN OWNED BY %I TO %I', gone, owner);\n"
    "    EXECUTE format('DROP OWNED BY %I', gone);\n"
    "END $$";

/* ---- Who goes ---- */
static bool
is_planned_user(const struct role_plan *plan, str name)
{
    for (size_t i = 0; i < plan->user_count; i++) {
        if (str_eq(plan->users[i].name, name))
            return true;
    }
    return false;
}

static bool
is_planned_group(const struct role_plan *plan, str name)
{
    for (size_t i = 0; i < plan->group_count; i++) {
        if (str_eq(plan->groups[i].name, name))
            return true;
    }
    return false;
}

static error
gone_users(struct session *session, struct arena *arena, const struct role_plan *plan, struct wire_texts *ret_names)
{
    struct wire_texts names;
    size_t kept = 0;
    TRY(role_users(session, arena, &names));
    for (size_t i = 0; i < names.count; i++) {
        if (!is_planned_user(plan, names.items[i]))
            names.items[kept++] = names.items[i];
    }
    names.count = kept;
    *ret_names = names;
    return OK;
}

static error
shut_out(struct session *session, str user)
{
    struct session_rows rows;
    const struct role_change change = {
        .user = user, .keep_sql = keep_name_sql, .alter_sql = shut_sql, .parameter_count = 1, .parameters = &user
    };
    TRY(session_query(session, may_log_in_sql, 1, &user, &rows));
    if (rows.count > 0)
        TRY(role_change(session, &change));
    return role_end_sessions(session, user);
}

error
roles_shut_out(struct engine_member *self, struct session *session, const struct role_plan *plan)
{
    struct wire_texts users;
    error first = OK;
    TRY(gone_users(session, self->arena, plan, &users));
    failpoint("agent:roles:shut-out:before");
    for (size_t i = 0; i < users.count; i++) {
        error why = shut_out(session, users.items[i]);
        first = first == OK ? why : first;
    }
    failpoint("agent:roles:shut-out:after");
    return first;
}

/* ---- What they leave behind ---- */
static error
empty_role_in(struct engine_member *self, str database, str name)
{
    struct session *session CLEANUP(session_cleanup) = NULL;
    const str parameters[] = { name, role_of_owner(self->arena, database) };
    struct session_rows rows;
    TRY(session_open(self, database, &session));
    TRY(role_make(session, parameters[1]));
    TRY(session_query(session, keep_owner_sql, LENGTH(parameters), parameters, &rows));
    return session_run(session, "%s", reassign_sql);
}

static error
drop_role(struct engine_member *self, struct session *session, const struct wire_texts *databases, str name)
{
    error first = OK;
    for (size_t i = 0; i < databases->count; i++) {
        error why = empty_role_in(self, databases->items[i], name);
        first = first == OK ? why : first;
    }
    TRY(first);
    return session_run(session, "DROP ROLE %s", session_name(session, name).data);
}

error
roles_clear_away(struct engine_member *self, struct session *session, const struct role_plan *plan)
{
    struct wire_texts databases, users, groups;
    error first = OK;
    TRY(role_databases(session, self->arena, &databases));
    TRY(gone_users(session, self->arena, plan, &users));
    TRY(role_names(session, self->arena, groups_sql, 0, NULL, &groups));
    for (size_t i = 0; i < users.count; i++) {
        failpoint("agent:roles:drop-user:before");
        error why = drop_role(self, session, &databases, users.items[i]);
        first = first == OK ? why : first;
        failpoint("agent:roles:drop-user:after");
    }
    for (size_t i = 0; i < groups.count; i++) {
        error why =
            is_planned_group(plan, groups.items[i]) ? OK : drop_role(self, session, &databases, groups.items[i]);
        first = first == OK ? why : first;
    }
    return first;
}
