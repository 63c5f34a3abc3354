/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/roles_gone.h"

#include "base/failpoint.h"
#include "engine/postgres/postgres.h"
#include "engine/postgres/roles_catalog.h"

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
        .user = user, .keep = SQL_KEEP_USER, .alter = SQL_USER_SHUT_OUT, .parameter_count = 1, .parameters = &user
    };
    TRY(session_query(session, SQL_USER_MAY_LOG_IN, 1, &user, &rows));
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
    TRY(session_query(session, SQL_KEEP_OWNER, LENGTH(parameters), parameters, &rows));
    return session_run(session, SQL_ROLE_EMPTY, NULL);
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
    return session_run(session, SQL_ROLE_DROP, SQL_VALUES({ "role", name }));
}

error
roles_clear_away(struct engine_member *self, struct session *session, const struct role_plan *plan)
{
    struct wire_texts databases, users, groups;
    error first = OK;
    TRY(role_databases(session, self->arena, &databases));
    TRY(gone_users(session, self->arena, plan, &users));
    TRY(role_names(session, self->arena, SQL_GROUP_LIST, 0, NULL, &groups));
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
