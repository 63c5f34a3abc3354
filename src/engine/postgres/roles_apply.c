/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/roles_apply.h"

#include "base/failpoint.h"
#include "engine/postgres/postgres.h"
#include "engine/postgres/session.h"

/* ---- Statements ---- */
#define GROUP_PATTERN "'reeve\\_g\\_%'"

/* Only for names that we made ourselves: they have no character that could end the body. */
static const char make_role_sql[] =
    "DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = %s) THEN CREATE ROLE %s; END IF; END $$";

static const char list_databases_sql[] =
    "SELECT datname, pg_get_userbyid(datdba) FROM pg_database WHERE datallowconn AND NOT datistemplate ORDER BY 1";

static const char list_users_sql[] =
    "SELECT u.rolname FROM pg_auth_members m JOIN pg_roles g ON g.oid = m.roleid JOIN pg_roles u ON u.oid = m.member "
    "WHERE g.rolname = '" MANAGED_ROLE "' AND u.rolcanlogin IS NOT NULL ORDER BY 1";

static const char list_groups_sql[] = "SELECT rolname FROM pg_roles WHERE rolname LIKE " GROUP_PATTERN " ORDER BY 1";

/* Which of our own roles a role is in. */
static const char list_parents_sql[] =
    "SELECT g.rolname FROM pg_auth_members m JOIN pg_roles g ON g.oid = m.roleid JOIN pg_roles u ON u.oid = m.member "
    "WHERE u.rolname = $1 AND g.rolname LIKE 'reeve\\_%' ORDER BY 1";

/* The verifier comes as a parameter and is put together inside of the server: no text of a statement has it. */
static const char keep_verifier_sql[] =
    "SELECT set_config('reeve.role', $1, true), set_config('reeve.verifier', $2, true), "
    "set_config('reeve.until', $3, true)";
static const char set_login_sql[] =
    "DO $$ BEGIN EXECUTE format('ALTER ROLE %%I LOGIN PASSWORD %%s VALID UNTIL %%L %s %s', current_setting('reeve.role'), "
    "CASE current_setting('reeve.verifier') WHEN '' THEN 'NULL' ELSE quote_literal(current_setting('reeve.verifier')) END, "
    "current_setting('reeve.until')); END $$";

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

/* Whoever is no longer in the plan: the door is closed first, then what it owns goes to whom the database belongs. */
static const char reassign_parameters_sql[] =
    "SELECT set_config('reeve.role', $1, false), set_config('reeve.owner', $2, false)";
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

/* ---- Small things ---- */

static error
make_role(struct session *session, str name)
{
    return session_run(session, make_role_sql, session_text(session, name).data, session_name(session, name).data);
}

static error
read_names(struct session *session, struct arena *arena, const char *sql, size_t parameter_count, const str *parameters,
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

static bool
is_in(const struct wire_texts *names, str name)
{
    for (size_t i = 0; i < names->count; i++) {
        if (str_eq(names->items[i], name))
            return true;
    }
    return false;
}

/* ---- Databases ---- */
static error
make_database(struct session *session, struct arena *arena, str name, bool is_there)
{
    str owner = role_of_owner(arena, name), quoted = session_name(session, name);
    TRY(make_role(session, owner));
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
    int since;
} predefined[] = {
    { ALSO_READ_ALL, "pg_read_all_data", 140000 }, { ALSO_WRITE_ALL, "pg_write_all_data", 140000 },
    { ALSO_MAINTAIN_ALL, "pg_maintain", 170000 },  { ALSO_MONITOR, "pg_monitor", 0 },
    { ALSO_SIGNAL, "pg_signal_backend", 0 },
};

static error
make_group(struct session *session, const struct role_group *group)
{
    str name = session_name(session, group->name);
    TRY(make_role(session, group->name));
    TRY(session_run(session, "COMMENT ON ROLE %s IS %s", name.data, session_text(session, group->meaning).data));
    for (size_t i = 0; i < LENGTH(predefined); i++) {
        if ((group->also & predefined[i].also) && session_server_version(session) >= predefined[i].since)
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

/* On the database itself: shared by all databases, so said once, from anywhere. */
static error
grant_on_database(struct session *session, struct arena *arena, const struct role_group *group,
                  const struct wire_texts *databases)
{
    for (size_t d = 0; d < databases->count; d++) {
        for (size_t i = 0; i < group->count; i++) {
            const struct role_privilege *privilege = &group->privileges[i];
            if (!concerns(privilege, databases->items[d]))
                continue;
            str database = session_name(session, databases->items[d]), name = session_name(session, group->name);
            TRY(session_run(session, "GRANT CONNECT, TEMPORARY ON DATABASE %s TO %s", database.data, name.data));
            if (privilege->may & MAY_OWN) {
                str owner = role_of_owner(arena, databases->items[d]);
                TRY(make_role(session, owner));
                TRY(session_run(session, "GRANT %s TO %s", session_name(session, owner).data, name.data));
            }
        }
    }
    return OK;
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
static error
set_login(struct session *session, const struct role_user *user)
{
    struct session_rows rows;
    const str parameters[] = { user->name, user->login == LOGIN_SCRAM ? user->verifier : STR_EMPTY,
                               user->valid_until.len > 0 ? user->valid_until : STR("infinity") };
    TRY(session_run(session, "BEGIN"));
    error why = session_query(session, keep_verifier_sql, LENGTH(parameters), parameters, &rows);
    if (why == OK)
        why = session_run(session, set_login_sql, user->creates_databases ? "CREATEDB" : "NOCREATEDB",
                          user->creates_roles ? "CREATEROLE" : "NOCREATEROLE");
    if (why == OK)
        return session_run(session, "COMMIT");
    error ignored = session_run(session, "ROLLBACK");
    (void)ignored;
    return why;
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
    TRY(read_names(session, arena, list_parents_sql, 1, &user->name, &have));
    str name = session_name(session, user->name);
    for (size_t i = 0; i < want.count; i++) {
        if (!is_in(&have, want.items[i]))
            TRY(session_run(session, "GRANT %s TO %s", session_name(session, want.items[i]).data, name.data));
    }
    for (size_t i = 0; i < have.count; i++) {
        if (!is_in(&want, have.items[i]))
            TRY(session_run(session, "REVOKE %s FROM %s", session_name(session, have.items[i]).data, name.data));
    }
    return OK;
}

static error
make_user(struct session *session, struct arena *arena, const struct role_user *user, const struct wire_texts *managed)
{
    struct session_rows rows;
    TRY(session_query(session, "SELECT FROM pg_roles WHERE rolname = $1", 1, &user->name, &rows));
    if (rows.count > 0 && !is_in(managed, user->name))
        return problem(arena, "User \"%s\" cannot be made: somebody created a role of that name in the database.",
                       user->name.data);
    failpoint("agent:roles:user:before");
    /* Ours from its first moment: a role that was made and not marked would be taken for the tenant's. */
    if (rows.count == 0)
        TRY(session_run(session, "CREATE ROLE %s IN ROLE " MANAGED_ROLE, session_name(session, user->name).data));
    TRY(set_memberships(session, arena, user));
    TRY(set_login(session, user));
    failpoint("agent:roles:user:after");
    return OK;
}

/* ---- Who goes ---- */
static error
empty_role(struct engine_member *self, const struct wire_texts *databases, str name)
{
    for (size_t i = 0; i < databases->count; i++) {
        struct session *session CLEANUP(session_cleanup) = NULL;
        const str parameters[] = { name, role_of_owner(self->arena, databases->items[i]) };
        struct session_rows rows;
        TRY(session_open(self, databases->items[i], &session));
        TRY(make_role(session, parameters[1]));
        TRY(session_query(session, reassign_parameters_sql, LENGTH(parameters), parameters, &rows));
        TRY(session_run(session, "%s", reassign_sql));
    }
    return OK;
}

static error
drop_user(struct engine_member *self, struct session *session, const struct wire_texts *databases, str name)
{
    struct session_rows rows;
    str quoted = session_name(session, name);
    failpoint("agent:roles:drop-user:before");
    TRY(session_run(session, "ALTER ROLE %s NOLOGIN PASSWORD NULL", quoted.data));
    TRY(session_query(session, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1", 1, &name,
                      &rows));
    TRY(empty_role(self, databases, name));
    TRY(session_run(session, "DROP ROLE %s", quoted.data));
    failpoint("agent:roles:drop-user:after");
    return OK;
}

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
drop_others(struct engine_member *self, struct session *session, const struct role_plan *plan,
            const struct wire_texts *databases)
{
    struct wire_texts users, groups;
    TRY(read_names(session, self->arena, list_users_sql, 0, NULL, &users));
    for (size_t i = 0; i < users.count; i++) {
        if (!is_planned_user(plan, users.items[i]))
            TRY(drop_user(self, session, databases, users.items[i]));
    }
    TRY(read_names(session, self->arena, list_groups_sql, 0, NULL, &groups));
    for (size_t i = 0; i < groups.count; i++) {
        if (is_planned_group(plan, groups.items[i]))
            continue;
        TRY(empty_role(self, databases, groups.items[i]));
        TRY(session_run(session, "DROP ROLE %s", session_name(session, groups.items[i]).data));
    }
    return OK;
}

/* ---- All of it ---- */
static error
make_roles(struct engine_member *self, struct session *session, const struct role_plan *plan,
           struct wire_texts *ret_databases)
{
    struct wire_texts managed;
    TRY(make_role(session, STR(MANAGED_ROLE)));
    TRY(make_role(session, STR(X509_ROLE)));
    TRY(make_role(session, STR(LDAP_ROLE)));
    TRY(read_names(session, self->arena, list_databases_sql, 0, NULL, ret_databases));
    for (size_t i = 0; i < plan->databases.count; i++)
        TRY(make_database(session, self->arena, plan->databases.items[i],
                          is_in(ret_databases, plan->databases.items[i])));
    TRY(read_names(session, self->arena, list_databases_sql, 0, NULL, ret_databases));
    for (size_t i = 0; i < plan->group_count; i++) {
        TRY(make_group(session, &plan->groups[i]));
        TRY(grant_on_database(session, self->arena, &plan->groups[i], ret_databases));
    }
    TRY(read_names(session, self->arena, list_users_sql, 0, NULL, &managed));
    error first = OK; /* one name that is taken does not keep others out */
    for (size_t i = 0; i < plan->user_count; i++) {
        error why = make_user(session, self->arena, &plan->users[i], &managed);
        first = first == OK ? why : first;
    }
    return first;
}

error
roles_apply(struct engine_member *self, const struct role_plan *plan)
{
    struct session *session CLEANUP(session_cleanup) = NULL;
    struct wire_texts databases = { 0 };
    TRY(session_open(self, STR(SUPERUSER), &session));
    error first = make_roles(self, session, plan, &databases);
    if (first != OK && databases.count == 0)
        return first;
    /* Who must go goes, even when somebody could not be made. */
    TRY(drop_others(self, session, plan, &databases));
    TRY(first);
    for (size_t i = 0; i < databases.count; i++)
        TRY(grant_everything_in(self, plan, databases.items[i], true));
    return OK;
}

error
roles_look_again(struct engine_member *self, const struct role_plan *plan)
{
    struct session *session CLEANUP(session_cleanup) = NULL;
    struct wire_texts databases;
    TRY(session_open(self, STR(SUPERUSER), &session));
    TRY(read_names(session, self->arena, list_databases_sql, 0, NULL, &databases));
    for (size_t i = 0; i < databases.count; i++)
        TRY(grant_everything_in(self, plan, databases.items[i], false));
    return OK;
}
