/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/roles_apply.h"

#include "base/failpoint.h"
#include "engine/postgres/postgres.h"
#include "engine/postgres/roles_catalog.h"
#include "engine/postgres/roles_gone.h"

/* ---- Statements ---- */
/* Nobody but the superuser has to do anything in the template: a session in it keeps everybody from creating databases (S11). The
 * database of the superuser is named by the connection strings; one can connect there, and make nothing. */
static const char close_template_sql[] = "REVOKE ALL ON DATABASE template1 FROM PUBLIC";
static const char close_maintenance_sql[] = "REVOKE TEMPORARY ON DATABASE " SUPERUSER " FROM PUBLIC";

/* Which of our own roles a role is in. */
static const char list_parents_sql[] =
    "SELECT g.rolname FROM pg_auth_members m JOIN pg_roles g ON g.oid = m.roleid JOIN pg_roles u ON u.oid = m.member "
    "WHERE u.rolname = $1 AND g.rolname LIKE 'reeve\\_%' ORDER BY 1";

/* The verifier comes as a parameter and is put together inside of the server: no text of a statement has it. */
static const char keep_verifier_sql[] =
    "SELECT set_config('reeve.role', $1, true), set_config('reeve.verifier', $2, true), "
    "set_config('reeve.until', $3, true), set_config('reeve.attributes', $4, true)";
static const char set_login_sql[] =
    "DO $$ BEGIN EXECUTE format('ALTER ROLE %I LOGIN PASSWORD %s VALID UNTIL %L %s', current_setting('reeve.role'), "
    "CASE current_setting('reeve.verifier') WHEN '' THEN 'NULL' ELSE quote_literal(current_setting('reeve.verifier')) END, "
    "current_setting('reeve.until'), current_setting('reeve.attributes')); END $$";

/* What a group lacks on a database, so that nothing is written when all is granted. */
static const char lacks_database_sql[] =
    "SELECT FROM pg_database WHERE datname = $2 AND NOT (has_database_privilege($1, oid, "
    "'CONNECT') AND has_database_privilege($1, oid, 'TEMPORARY'))";
static const char lacks_membership_sql[] = "SELECT WHERE NOT pg_has_role($1, $2, 'MEMBER')";

/*
 * Grants in the current database to one group. Looks first: granting again what was granted writes to the catalog each time.
 * A collection is a table of the schema public, or of another one as "schema.table".
 */
static const char grant_parameters_sql[] =
    "SELECT set_config('reeve.grantee', $1, false), set_config('reeve.collection', $2, false), "
    "set_config('reeve.tables', $3, false), set_config('reeve.sequences', $4, false), set_config('reeve.schemas', $5, false)";
static const char grant_sql[] =
    "DO $$\n"
    "DECLARE\n"
    "    grantee    text := current_setting('reeve.grantee');\n"
    "    collection text := current_setting('reeve.collection');\n"
    "    tables     text := current_setting('reeve.tables');\n"
    "    sequences  text := current_setting('reeve.sequences');\n"
    "    schemas    text := current_setting('reeve.schemas');\n"
    "    one        record;\n"
    "BEGIN\n"
    "    FOR one IN SELECT n.nspname, p.word FROM pg_namespace n, string_to_table(schemas, ',') AS p (word)\n"
    "               WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'\n"
    "                 AND NOT has_schema_privilege(grantee, n.oid, p.word) LOOP\n"
    "        EXECUTE format('GRANT %s ON SCHEMA %I TO %I', one.word, one.nspname, grantee);\n"
    "    END LOOP;\n"
    "    FOR one IN SELECT c.relname, n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace\n"
    "               WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'\n"
    "                 AND (collection = '' OR (n.nspname = 'public' AND c.relname = collection) OR n.nspname || '.' || c.relname = collection)\n"
    "                 AND EXISTS (SELECT FROM string_to_table(tables, ',') AS p (word) WHERE NOT has_table_privilege(grantee, c.oid, p.word)) LOOP\n"
    "        EXECUTE format('GRANT %s ON TABLE %I.%I TO %I', tables, one.nspname, one.relname, grantee);\n"
    "    END LOOP;\n"
    "    FOR one IN SELECT c.relname, n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace\n"
    "               WHERE c.relkind = 'S' AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND collection = ''\n"
    "                 AND EXISTS (SELECT FROM string_to_table(sequences, ',') AS p (word) WHERE NOT has_sequence_privilege(grantee, c.oid, p.word)) LOOP\n"
    "        EXECUTE format('GRANT %s ON SEQUENCE %I.%I TO %I', sequences, one.nspname, one.relname, grantee);\n"
    "    END LOOP;\n"
    "END $$";

/* ---- Databases ---- */
static error
make_database(struct session *session, struct arena *arena, str name, bool is_there)
{
    str owner = role_of_owner(arena, name), quoted = session_name(session, name);
    TRY(role_make(session, owner));
    if (is_there)
        return OK;
    failpoint("agent:roles:create-database:before");
    /* Nobody but those who have a role in it connects. */
    TRY(session_run(session, "CREATE DATABASE %s OWNER %s", quoted.data, session_name(session, owner).data));
    return session_run(session, "REVOKE ALL ON DATABASE %s FROM PUBLIC", quoted.data);
}

/* ---- Groups ---- */
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
    str name = session_name(session, group->name);
    TRY(role_make(session, group->name));
    TRY(session_run(session, "COMMENT ON ROLE %s IS %s", name.data, session_text(session, group->meaning).data));
    for (size_t i = 0; i < LENGTH(predefined); i++) {
        if (group->also & predefined[i].also)
            TRY(session_run(session, "GRANT %s TO %s", predefined[i].role, name.data));
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
    str name = session_name(session, group->name);
    TRY(session_query(session, lacks_database_sql, LENGTH(both), both, &rows));
    if (rows.count > 0)
        TRY(session_run(session, "GRANT CONNECT, TEMPORARY ON DATABASE %s TO %s", session_name(session, database).data,
                        name.data));
    if (!(may & MAY_OWN))
        return OK;
    const str owner = role_of_owner(arena, database), membership[] = { group->name, owner };
    TRY(role_make(session, owner));
    TRY(session_query(session, lacks_membership_sql, LENGTH(membership), membership, &rows));
    return rows.count == 0 ? OK : session_run(session, "GRANT %s TO %s", session_name(session, owner).data, name.data);
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
    TRY(session_query(session, grant_parameters_sql, LENGTH(parameters), parameters, &rows));
    return session_run(session, "%s", grant_sql);
}

/* What others create from now on is granted with it, for each who may create something here. */
static error
grant_in_advance(struct session *session, struct arena *arena, const struct role_plan *plan,
                 const struct role_group *group, const struct role_privilege *privilege, str database)
{
    str tables = role_table_privileges(arena, privilege->may, session_server_version(session));
    str grantee = session_name(session, group->name);
    if (tables.len == 0 || privilege->collection.len > 0)
        return OK;
    for (size_t i = 0; i <= plan->user_count; i++) {
        str creator = i < plan->user_count ? plan->users[i].name : role_of_owner(arena, database);
        str quoted = session_name(session, creator);
        TRY(session_run(session,
                        "ALTER DEFAULT PRIVILEGES FOR ROLE %s GRANT %s ON TABLES TO %s;"
                        "ALTER DEFAULT PRIVILEGES FOR ROLE %s GRANT %s ON SEQUENCES TO %s;"
                        "ALTER DEFAULT PRIVILEGES FOR ROLE %s GRANT USAGE ON SCHEMAS TO %s",
                        quoted.data, tables.data, grantee.data, quoted.data,
                        privilege->may & (MAY_INSERT | MAY_UPDATE) ? "SELECT, USAGE, UPDATE" : "SELECT", grantee.data,
                        quoted.data, grantee.data));
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
        TRY(session_run(session, "GRANT ALL ON SCHEMA public TO %s",
                        session_name(session, role_of_owner(self->arena, database)).data));
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
                                        .keep_sql = keep_verifier_sql,
                                        .alter_sql = set_login_sql,
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
    TRY(role_names(session, arena, list_parents_sql, 1, &user->name, &have));
    str name = session_name(session, user->name);
    for (size_t i = 0; i < want.count; i++) {
        if (!role_is_in(&have, want.items[i]))
            TRY(session_run(session, "GRANT %s TO %s", session_name(session, want.items[i]).data, name.data));
    }
    for (size_t i = 0; i < have.count; i++) {
        if (!role_is_in(&want, have.items[i]))
            TRY(session_run(session, "REVOKE %s FROM %s", session_name(session, have.items[i]).data, name.data));
    }
    return OK;
}

static error
make_user(struct session *session, struct arena *arena, const struct role_user *user, const struct wire_texts *managed)
{
    struct session_rows rows;
    TRY(session_query(session, "SELECT FROM pg_roles WHERE rolname = $1", 1, &user->name, &rows));
    if (rows.count > 0 && !role_is_in(managed, user->name))
        return problem(arena, "User \"%s\" cannot be made: somebody created a role of that name in the database.",
                       user->name.data);
    failpoint("agent:roles:user:before");
    /* Ours from its first moment: a role that was made and not marked would be taken for the tenant's. */
    if (rows.count == 0)
        TRY(session_run(session, "CREATE ROLE %s IN ROLE " MANAGED_ROLE, session_name(session, user->name).data));
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
    TRY(session_run(session, "%s; %s", close_template_sql, close_maintenance_sql));
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
