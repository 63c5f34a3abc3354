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
    put(parameters, "log_connections",
        STR("on")); /* for everybody: it is the access history (docs/internals/logs.md) */
    put(parameters, "log_disconnections", on_or_off(audit->logins));
    return parameters;
}

/* ---- Users and databases ---- */
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
    json_t *rule = json_in(self->arena, json_pack("{s:s, s:s, s:o, s:o}", "superuser", SUPERUSER,        //
                                                  "log", class_list(self->arena, audit).data,            //
                                                  "users", names(self->arena, &audit->users, role_name), //
                                                  "databases", names(self->arena, &audit->databases, NULL)));
    str text = rule == NULL ? STR_EMPTY : json_text(self->arena, rule);
    if (text.len == 0)
        return fail(self->arena, OVERLOADED);
    TRY(session_open(self, STR(SUPERUSER), &session));
    TRY(session_query(session, SQL_KEEP_AUDIT_RULE, 1, &text, &rows));
    return session_run(session, SQL_AUDIT_APPLY, NULL);
}

error
audit_quiet_patroni(struct engine_member *self, struct session *session, bool *is_quiet)
{
    struct session_rows rows;
    if (*is_quiet || self->cluster->access.audit.classes.count == 0)
        return OK;
    TRY(session_query(session, SQL_AUDIT_QUIET, 1, &STR(SUPERUSER), &rows));
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

error
audit_check_installed(struct engine_member *self)
{
    str file = library_path(self);
    if (!config_loads(self, AUDIT_LIBRARY) || disk_exists(file.data))
        return OK;
    return problem(self->arena, AUDIT_LIBRARY " is not installed on this host: there is no %s.", file.data);
}

error
audit_check_loaded(struct engine_member *self, struct session *session)
{
    struct session_rows rows;
    if (self->cluster->access.audit.classes.count == 0)
        return OK;
    TRY(audit_check_installed(self));
    TRY(session_query(session, SQL_AUDIT_LOADED, 1, &STR(AUDIT_LIBRARY), &rows));
    if (str_is(session_value(&rows, 0, 0), "t"))
        return OK;
    return problem(self->arena, "%s records nothing before it was restarted: it has not loaded " AUDIT_LIBRARY ".",
                   self->member->name.data);
}
