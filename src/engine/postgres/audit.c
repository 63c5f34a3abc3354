/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What sessions leave in the server's log, by pgaudit (docs/internals/audit.md). A rule for everybody is a parameter of the server, so
 * that it holds for sessions that are open; one that names users or databases is made of settings of these, in the catalog.
 */
#include "engine/postgres/audit.h"

#include <ctype.h>

#include "engine/postgres/postgres.h"
#include "engine/postgres/roles.h"
#include "engine/postgres/session.h"

enum { CLASSES_BYTES = 1024 };

/* "read,ddl" */
static str
class_list(struct arena *arena, const struct goal_audit *audit)
{
    struct buf out = buf_in(arena, CLASSES_BYTES);
    for (size_t i = 0; i < audit->classes.count; i++) {
        str class = audit->classes.items[i];
        buf_add_text(&out, i > 0 ? "," : "");
        for (size_t k = 0; k < class.len; k++)
            buf_add_char(&out, (char)tolower((unsigned char)class.data[k]));
    }
    return audit->classes.count == 0 ? STR("none") : buf_str(&out);
}

static bool
is_narrow(const struct goal_audit *audit)
{
    return audit->users.count > 0 || audit->databases.count > 0;
}

static void
put(json_t *parameters, const char *name, str value)
{
    json_object_set_new(parameters, name, json_stringn(value.data, value.len));
}

static str
on_or_off(bool is_on)
{
    return is_on ? STR("on") : STR("off");
}

json_t *
audit_parameters(struct arena *arena, const struct goal_audit *audit)
{
    json_t *parameters = json_in(arena, json_object());
    put(parameters, "pgaudit.log", is_narrow(audit) ? STR("none") : class_list(arena, audit));
    put(parameters, "pgaudit.log_catalog", on_or_off(audit->catalog));
    put(parameters, "pgaudit.log_parameter", on_or_off(audit->parameters));
    put(parameters, "log_connections", on_or_off(audit->logins));
    put(parameters, "log_disconnections", on_or_off(audit->logins));
    return parameters;
}

/* ---- Users and databases ---- */
/* Only a superuser can set it, so whatever is there is ours. Patroni asks the server every few seconds in the database of the
 * superuser, where no tenant ever is: that is left out. */
static const char keep_rule_sql[] = "SELECT set_config('reeve.audit', $1, false)";
static const char apply_sql[] =
    "DO $$\n"
    "DECLARE\n"
    "    rule json := current_setting('reeve.audit')::json;\n"
    "    one  record;\n"
    "BEGIN\n"
    "    FOR one IN\n"
    "        WITH users AS (\n"
    "            SELECT r.oid, r.rolname::text AS name FROM pg_roles r WHERE r.rolname IN (SELECT json_array_elements_text(rule -> 'users'))\n"
    "            UNION ALL SELECT 0, NULL WHERE json_array_length(rule -> 'users') = 0),\n"
    "        databases AS (\n"
    "            SELECT d.oid, d.datname::text AS name FROM pg_database d\n"
    "            WHERE d.datname IN (SELECT json_array_elements_text(rule -> 'databases'))\n"
    "            UNION ALL SELECT 0, NULL WHERE json_array_length(rule -> 'databases') = 0),\n"
    "        wanted AS (\n"
    "            SELECT u.oid AS role, d.oid AS database, rule ->> 'log' AS log FROM users u, databases d WHERE u.oid <> 0 OR d.oid <> 0\n"
    "            UNION ALL SELECT r.oid, d.oid, 'none' FROM pg_roles r, pg_database d\n"
    "            WHERE r.rolname = '" SUPERUSER "' AND d.datname = '" SUPERUSER "'),\n"
    "        have AS (\n"
    "            SELECT s.setrole AS role, s.setdatabase AS database, substr(c, length('pgaudit.log=') + 1) AS log\n"
    "            FROM pg_db_role_setting s, unnest(s.setconfig) AS c WHERE c LIKE 'pgaudit.log=%'),\n"
    "        differing AS (\n"
    "            SELECT role, database, max(w.log) AS log FROM wanted w FULL JOIN have h USING (role, database)\n"
    "            WHERE w.log IS DISTINCT FROM h.log GROUP BY role, database)\n"
    "        SELECT r.rolname, d.datname, x.log\n"
    "        FROM differing x LEFT JOIN pg_roles r ON r.oid = x.role LEFT JOIN pg_database d ON d.oid = x.database LOOP\n"
    "        EXECUTE CASE WHEN one.rolname IS NULL THEN format('ALTER DATABASE %I', one.datname)\n"
    "                     WHEN one.datname IS NULL THEN format('ALTER ROLE %I', one.rolname)\n"
    "                     ELSE format('ALTER ROLE %I IN DATABASE %I', one.rolname, one.datname) END\n"
    "             || CASE WHEN one.log IS NULL THEN ' RESET pgaudit.log' ELSE format(' SET pgaudit.log = %L', one.log) END;\n"
    "    END LOOP;\n"
    "END $$";

static json_t *
names(struct arena *arena, const struct wire_texts *texts, str (*as_named)(struct arena *, str))
{
    json_t *list = json_array();
    for (size_t i = 0; i < texts->count; i++) {
        str name = as_named == NULL ? texts->items[i] : as_named(arena, texts->items[i]);
        json_array_append_new(list, json_stringn(name.data, name.len));
    }
    return list;
}

error
audit_apply(struct engine_member *self)
{
    struct session *session CLEANUP(session_cleanup) = NULL;
    struct session_rows rows;
    const struct goal_audit *audit = &self->cluster->access.audit;
    json_t *rule = json_in(self->arena, json_pack("{s:s, s:o, s:o}", "log", class_list(self->arena, audit).data, //
                                                  "users", names(self->arena, &audit->users, role_name),         //
                                                  "databases", names(self->arena, &audit->databases, NULL)));
    str text = rule == NULL ? STR_EMPTY : json_text(self->arena, rule);
    if (text.len == 0)
        return fail(self->arena, OVERLOADED);
    TRY(session_open(self, STR(SUPERUSER), &session));
    TRY(session_query(session, keep_rule_sql, 1, &text, &rows));
    return session_run(session, "%s", apply_sql);
}

/* Settings hold for new sessions only, and Patroni keeps its own open. It opens others when it finds them closed. */
static const char quiet_sql[] =
    "SELECT EXISTS (SELECT FROM pg_db_role_setting s JOIN pg_roles r ON r.oid = s.setrole JOIN pg_database d ON d.oid = s.setdatabase\n"
    "               WHERE r.rolname = '" SUPERUSER "' AND d.datname = '" SUPERUSER
    "' AND 'pgaudit.log=none' = ANY (s.setconfig)),\n"
    "       (SELECT count(pg_terminate_backend(a.pid)) FROM pg_stat_activity a\n"
    "        WHERE a.usename = '" SUPERUSER "' AND a.client_addr IS NULL AND a.application_name LIKE 'Patroni%')";

error
audit_quiet_patroni(struct engine_member *self, struct session *session, bool *is_quiet)
{
    struct session_rows rows;
    if (*is_quiet || self->cluster->access.audit.classes.count == 0)
        return OK;
    TRY(session_query(session, quiet_sql, 0, NULL, &rows));
    if (!str_is(session_value(&rows, 0, 0), "t"))
        return problem(self->arena, "%s has not heard yet whom to leave out.", self->member->name.data);
    *is_quiet = true;
    return OK;
}

/* ---- Whether the server can at all ---- */
static str
library_path(const struct engine_member *self)
{
    return str_format(self->arena, "/usr/lib/postgresql/%s/lib/" AUDIT_LIBRARY ".so",
                      self->cluster->major_version.data);
}

bool
audit_is_asked_for(const struct engine_member *self)
{
    for (size_t i = 0; i < self->cluster->parameters.count; i++) {
        const struct wire_pair *pair = &self->cluster->parameters.items[i];
        if (str_is(pair->name, "shared_preload_libraries"))
            return str_is(pair->value, AUDIT_LIBRARY);
    }
    return false;
}

error
audit_check_installed(struct engine_member *self)
{
    str file = library_path(self);
    if (!audit_is_asked_for(self) || disk_exists(file.data))
        return OK;
    return problem(self->arena, AUDIT_LIBRARY " is not installed on this host: there is no %s.", file.data);
}

static const char loaded_sql[] =
    "SELECT '" AUDIT_LIBRARY
    "' = ANY (string_to_array(replace(current_setting('shared_preload_libraries'), ' ', ''), ','))";

error
audit_check_loaded(struct engine_member *self, struct session *session)
{
    struct session_rows rows;
    if (self->cluster->access.audit.classes.count == 0)
        return OK;
    TRY(audit_check_installed(self));
    TRY(session_query(session, loaded_sql, 0, NULL, &rows));
    if (str_is(session_value(&rows, 0, 0), "t"))
        return OK;
    return problem(self->arena, "%s records nothing before it was restarted: it has not loaded " AUDIT_LIBRARY ".",
                   self->member->name.data);
}
