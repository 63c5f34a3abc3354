/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/roles_apply.h"

#include "base/failpoint.h"
#include "engine/postgres/postgres.h"
#include "engine/postgres/roles_catalog.h"
#include "engine/postgres/roles_gone.h"

/* ---- Databases ---- */
static error
make_database(struct session *session, struct arena *arena, str name, bool is_there)
{
    str owner = role_of_owner(arena, name);
    TRY(role_make(session, owner));
    if (is_there)
        return OK;
    failpoint("agent:roles:create-database:before");
    TRY(session_run(session, SQL_DATABASE_CREATE, SQL_VALUES({ "database", name }, { "owner", owner })));
    return session_run(session, SQL_DATABASE_CLOSE, SQL_VALUES({ "database", name }));
}

/* ---- Groups ---- */
static error
role_grant(struct session *session, str role, str member)
{
    return session_run(session, SQL_ROLE_GRANT, SQL_VALUES({ "role", role }, { "member", member }));
}

static const struct {
    unsigned also;
    const char *role;
} predefined[] = {
    { ALSO_MONITOR, "pg_monitor" },
    { ALSO_SIGNAL, "pg_signal_backend" },
};

static error
make_group(struct session *session, const struct role_group *group)
{
    TRY(role_make(session, group->name));
    TRY(session_run(session, SQL_GROUP_COMMENT, SQL_VALUES({ "role", group->name }, { "meaning", group->meaning })));
    for (size_t i = 0; i < LENGTH(predefined); i++) {
        if (group->also & predefined[i].also)
            TRY(role_grant(session, str_from(predefined[i].role), group->name));
    }
    return OK;
}

static bool
concerns(const struct role_privilege *privilege, str database)
{
    if (privilege->database.len > 0)
        return str_eq(privilege->database, database);
    return !str_is(database, SUPERUSER); /* "everywhere" is not the database that is kept for maintenance */
}

static error
grant_on_database(struct session *session, struct arena *arena, const struct role_group *group, unsigned may,
                  str database)
{
    struct session_rows rows;
    const str both[] = { group->name, database };
    TRY(session_query(session, SQL_GROUP_LACKS_DATABASE, LENGTH(both), both, &rows));
    if (rows.count > 0)
        TRY(session_run(session, SQL_GROUP_GRANT_DATABASE,
                        SQL_VALUES({ "database", database }, { "role", group->name })));
    if (!(may & MAY_OWN))
        return OK;
    const str owner = role_of_owner(arena, database), membership[] = { group->name, owner };
    TRY(role_make(session, owner));
    TRY(session_query(session, SQL_ROLE_LACKS_ROLE, LENGTH(membership), membership, &rows));
    return rows.count == 0 ? OK : role_grant(session, owner, group->name);
}

/* On databases themselves: shared by all of them, so said once, from anywhere. One that somebody holds on to keeps no other back. */
static error
grant_on_databases(struct session *session, struct arena *arena, const struct role_group *group,
                   const struct wire_texts *databases)
{
    error first = OK;
    for (size_t d = 0; d < databases->count; d++) {
        for (size_t i = 0; i < group->count; i++) {
            const struct role_privilege *privilege = &group->privileges[i];
            if (!concerns(privilege, databases->items[d]))
                continue;
            error why = grant_on_database(session, arena, group, privilege->may, databases->items[d]);
            first = first == OK ? why : first;
        }
    }
    return first;
}

static error
grant_in_database(struct session *session, struct arena *arena, const struct role_group *group,
                  const struct role_privilege *privilege)
{
    struct session_rows rows;
    const str parameters[] = {
        group->name,
        privilege->collection,
        role_table_privileges(arena, privilege->may, session_server_version(session)),
        privilege->may & (MAY_INSERT | MAY_UPDATE) ? STR("SELECT,USAGE,UPDATE")
        : privilege->may & MAY_SELECT              ? STR("SELECT")
                                                   : STR_EMPTY,
        privilege->may & MAY_CREATE ? STR("USAGE,CREATE") : STR("USAGE"),
    };
    TRY(session_query(session, SQL_KEEP_GRANT, LENGTH(parameters), parameters, &rows));
    return session_run(session, SQL_GROUP_GRANT, NULL);
}

/* What others create from now on is granted with it, for each who may create something here. */
static error
grant_in_advance(struct session *session, struct arena *arena, const struct role_plan *plan,
                 const struct role_group *group, const struct role_privilege *privilege, str database)
{
    str tables = role_table_privileges(arena, privilege->may, session_server_version(session));
    str sequences = privilege->may & (MAY_INSERT | MAY_UPDATE) ? STR("SELECT, USAGE, UPDATE") : STR("SELECT");
    if (tables.len == 0 || privilege->collection.len > 0)
        return OK;
    for (size_t i = 0; i <= plan->user_count; i++) {
        str creator = i < plan->user_count ? plan->users[i].name : role_of_owner(arena, database);
        TRY(session_run(session, SQL_GROUP_GRANT_IN_ADVANCE,
                        SQL_VALUES({ "creator", creator }, { "tables", tables }, { "sequences", sequences },
                                   { "role", group->name })));
    }
    return OK;
}

static error
grant_everything_in(struct engine_member *self, const struct role_plan *plan, str database, bool in_advance)
{
    struct session *session CLEANUP(session_cleanup) = NULL;
    bool any = false;
    for (size_t i = 0; i < plan->group_count && !any; i++) {
        for (size_t k = 0; k < plan->groups[i].count && !any; k++)
            any = concerns(&plan->groups[i].privileges[k], database);
    }
    if (!any)
        return OK;
    TRY(session_open(self, database, &session));
    if (in_advance)
        TRY(session_run(session, SQL_OWNER_GRANT_SCHEMA,
                        SQL_VALUES({ "owner", role_of_owner(self->arena, database) })));
    for (size_t i = 0; i < plan->group_count; i++) {
        const struct role_group *group = &plan->groups[i];
        for (size_t k = 0; k < group->count; k++) {
            if (!concerns(&group->privileges[k], database))
                continue;
            TRY(grant_in_database(session, self->arena, group, &group->privileges[k]));
            if (in_advance)
                TRY(grant_in_advance(session, self->arena, plan, group, &group->privileges[k], database));
        }
    }
    return OK;
}

/* ---- Users ---- */
/* Before 16 whoever may create roles may grant every role but a superuser's, also those that run programs on the host (S1). */
static bool
may_create_roles(const struct session *session, const struct role_user *user)
{
    return user->creates_roles && session_server_version(session) >= 160000;
}

static error
set_login(struct session *session, struct arena *arena, const struct role_user *user)
{
    const str parameters[] = {
        user->name,
        user->login == LOGIN_SCRAM ? user->verifier : STR_EMPTY,
        user->valid_until.len > 0 ? user->valid_until : STR("infinity"),
        str_format(arena, "%s %s", user->creates_databases ? "CREATEDB" : "NOCREATEDB",
                   may_create_roles(session, user) ? "CREATEROLE" : "NOCREATEROLE"),
    };
    const struct role_change change = { .user = user->name,
                                        .keep = SQL_KEEP_LOGIN,
                                        .alter = SQL_USER_SET_LOGIN,
                                        .parameter_count = LENGTH(parameters),
                                        .parameters = parameters };
    return role_change(session, &change);
}

static error
set_memberships(struct session *session, struct arena *arena, const struct role_user *user)
{
    struct wire_texts have, want = { .items = ARENA_ARRAY(arena, str, user->groups.count + 2) };
    if (want.items == NULL)
        return fail(arena, OVERLOADED);
    for (size_t i = 0; i < user->groups.count; i++)
        want.items[want.count++] = user->groups.items[i];
    want.items[want.count++] = STR(MANAGED_ROLE);
    if (user->login == LOGIN_X509)
        want.items[want.count++] = STR(X509_ROLE);
    if (user->login == LOGIN_LDAP)
        want.items[want.count++] = STR(LDAP_ROLE);
    TRY(role_names(session, arena, SQL_ROLE_PARENTS, 1, &user->name, &have));
    for (size_t i = 0; i < want.count; i++) {
        if (!role_is_in(&have, want.items[i]))
            TRY(role_grant(session, want.items[i], user->name));
    }
    for (size_t i = 0; i < have.count; i++) {
        if (!role_is_in(&want, have.items[i]))
            TRY(session_run(session, SQL_ROLE_REVOKE, SQL_VALUES({ "role", have.items[i] }, { "member", user->name })));
    }
    return OK;
}

static error
make_user(struct session *session, struct arena *arena, const struct role_user *user, const struct wire_texts *managed)
{
    struct session_rows rows;
    TRY(session_query(session, SQL_ROLE_FIND, 1, &user->name, &rows));
    if (rows.count > 0 && !role_is_in(managed, user->name))
        return problem(arena, "User \"%s\" cannot be made: somebody created a role of that name in the database.",
                       user->name.data);
    failpoint("agent:roles:user:before");
    if (rows.count == 0)
        TRY(session_run(session, SQL_USER_CREATE,
                        SQL_VALUES({ "role", user->name }, { "managed", STR(MANAGED_ROLE) })));
    /* Before they can log in: what their sessions leave is decided when these begin. */
    if (user->is_recorded)
        TRY(session_run(session, SQL_USER_RECORD, SQL_VALUES({ "role", user->name })));
    TRY(set_memberships(session, arena, user));
    TRY(set_login(session, arena, user));
    failpoint("agent:roles:user:after");
    return OK;
}

/* ---- All of it ---- */
/* Goes on after a failure: whoever is in the way of one group or user keeps no other back. Returns the first. */
static error
make_roles(struct engine_member *self, struct session *session, const struct role_plan *plan,
           struct wire_texts *ret_databases)
{
    struct wire_texts managed;
    error first = OK;
    TRY(role_make(session, STR(MANAGED_ROLE)));
    TRY(role_make(session, STR(X509_ROLE)));
    TRY(role_make(session, STR(LDAP_ROLE)));
    TRY(session_run(session, SQL_MAINTENANCE_CLOSE, SQL_VALUES({ "maintenance", STR(SUPERUSER) })));
    TRY(role_databases(session, self->arena, ret_databases));
    for (size_t i = 0; i < plan->databases.count; i++)
        TRY(make_database(session, self->arena, plan->databases.items[i],
                          role_is_in(ret_databases, plan->databases.items[i])));
    TRY(role_databases(session, self->arena, ret_databases));
    for (size_t i = 0; i < plan->group_count; i++) {
        TRY(make_group(session, &plan->groups[i]));
        error why = grant_on_databases(session, self->arena, &plan->groups[i], ret_databases);
        first = first == OK ? why : first;
    }
    TRY(role_users(session, self->arena, &managed));
    for (size_t i = 0; i < plan->user_count; i++) {
        error why = make_user(session, self->arena, &plan->users[i], &managed);
        first = first == OK ? why : first;
    }
    return first;
}

static error
grant_everything(struct engine_member *self, const struct role_plan *plan, const struct wire_texts *databases,
                 bool in_advance)
{
    error first = OK;
    for (size_t i = 0; i < databases->count; i++) {
        error why = grant_everything_in(self, plan, databases->items[i], in_advance);
        first = first == OK ? why : first;
    }
    return first;
}

/* What is left behind is nobody's way in: it is said, and tried again later, and nothing waits for it. */
static void
clear_away(struct engine_member *self, struct session *session, struct role_plan *plan)
{
    error why = roles_clear_away(self, session, plan);
    if (why != OK && plan->problem.len == 0)
        plan->problem = why->detail;
}

error
roles_apply(struct engine_member *self, struct role_plan *plan)
{
    struct session *session CLEANUP(session_cleanup) = NULL;
    struct wire_texts databases = { 0 };
    TRY(session_open(self, STR(SUPERUSER), &session));
    /* The doors first, whatever comes of the rest. */
    error shut = roles_shut_out(self, session, plan), made = make_roles(self, session, plan, &databases);
    clear_away(self, session, plan);
    TRY(shut);
    TRY(made);
    return grant_everything(self, plan, &databases, true);
}

error
roles_look_again(struct engine_member *self, struct role_plan *plan)
{
    struct session *session CLEANUP(session_cleanup) = NULL;
    struct wire_texts databases;
    TRY(session_open(self, STR(SUPERUSER), &session));
    TRY(roles_shut_out(self, session, plan));
    clear_away(self, session, plan);
    TRY(role_databases(session, self->arena, &databases));
    return grant_everything(self, plan, &databases, false);
}
