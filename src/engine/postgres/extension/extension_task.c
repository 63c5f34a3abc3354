/* SPDX-License-Identifier: Apache-2.0 */
#include "base/failpoint.h"
#include "engine/postgres/extension/extension.h"
#include "engine/postgres/postgres.h"
#include "engine/postgres/session.h"
#include "wire/extension/extension.h"

struct wish {
    const struct extension_row *row;
    str database, schema;
};

static error
read_wish(struct engine_member *self, json_t *parameters, struct wish *ret_wish)
{
    str name = json_str(json_object_get(parameters, "name")),
        database = json_str(json_object_get(parameters, "database"));
    struct wish wish = { .row = extension_find(name), .database = database };
    /* Whoever asks: what is not on the list is not made. */
    if (!extension_is_offered(wish.row))
        return problem(self->arena, "%.*s is not offered: %s.", STR_ARG(name), extension_refusal(wish.row));
    if (database.len == 0 || str_is(database, SUPERUSER) || str_starts_with(database, STR("template")))
        return problem(self->arena, "Extensions are made in databases of tenants only.");
    wish.schema = wish.row->is_in_catalog ? STR("pg_catalog") : STR(EXTENSION_SCHEMA);
    *ret_wish = wish;
    return OK;
}

static error
check_database(struct engine_member *self, str database)
{
    struct session *session CLEANUP(session_cleanup) = NULL;
    struct session_rows rows;
    TRY(session_open(self, STR(SUPERUSER), &session));
    TRY(session_query(session, SQL_DATABASE_FIND, 1, &database, &rows));
    return rows.count > 0 ? OK : problem(self->arena, "There is no database \"%.*s\".", STR_ARG(database));
}

/* Whether it is there; an error when it is somebody else's. */
static error
look(struct engine_member *self, struct session *session, const struct wish *wish, bool *ret_is_there)
{
    struct session_rows rows;
    str name = str_from(wish->row->name);
    TRY(session_query(session, SQL_EXTENSION_STATE, 1, &name, &rows));
    *ret_is_there = rows.count > 0;
    if (rows.count == 0)
        return OK;
    if (!str_is(session_value(&rows, 0, 1), "t") || !str_eq(session_value(&rows, 0, 2), wish->schema))
        return problem(self->arena,
                       "The database has an extension %s already, of %.*s in the schema %.*s: that one is not Reeve's.",
                       name.data, STR_ARG(session_value(&rows, 0, 0)), STR_ARG(session_value(&rows, 0, 2)));
    return OK;
}

static error
complaint(struct engine_member *self, const struct session *session, const struct wish *wish, const char *what)
{
    return problem(self->arena, "%s cannot be %s: %s.", wish->row->name, what, session_complaint(session).data);
}

static error
create(struct engine_member *self, const struct wish *wish)
{
    struct session *session CLEANUP(session_cleanup) = NULL;
    struct session_rows rows;
    bool is_there;
    str name = str_from(wish->row->name);
    TRY(check_database(self, wish->database));
    TRY(session_open(self, wish->database, &session));
    TRY(session_query(session, SQL_EXTENSION_AVAILABLE, 1, &name, &rows));
    if (rows.count == 0)
        return problem(self->arena, "The host of %s does not have %s.", self->member->name.data, name.data);
    if (wish->row->library != NULL) {
        const str library = str_from(wish->row->library);
        TRY(session_query(session, SQL_AUDIT_LOADED, 1, &library, &rows));
        if (!str_is(session_value(&rows, 0, 0), "t"))
            return problem(self->arena, "%s has not loaded %s.", self->member->name.data, library.data);
    }
    TRY(look(self, session, wish, &is_there));
    if (is_there)
        return OK;
    failpoint("agent:task:create-extension:before");
    if (session_run(session, SQL_EXTENSION_CREATE, SQL_VALUES({ "extension", name }, { "schema", wish->schema })) != OK)
        return complaint(self, session, wish, "made");
    failpoint("agent:task:create-extension:after");
    return OK;
}

static error
drop(struct engine_member *self, const struct wish *wish)
{
    struct session *session CLEANUP(session_cleanup) = NULL;
    struct session_rows rows;
    bool is_there;
    str name = str_from(wish->row->name);
    TRY(session_open(self, STR(SUPERUSER), &session));
    TRY(session_query(session, SQL_DATABASE_FIND, 1, &wish->database, &rows));
    if (rows.count == 0)
        return OK; /* it went with its database */
    session_close(session);
    session = NULL;
    TRY(session_open(self, wish->database, &session));
    TRY(look(self, session, wish, &is_there));
    if (is_there && session_run(session, SQL_EXTENSION_DROP, SQL_VALUES({ "extension", name })) != OK)
        return complaint(self, session, wish, "dropped");
    return OK;
}

static enum engine_outcome
run(struct engine_member *self, json_t *parameters, error (*what)(struct engine_member *, const struct wish *),
    str *ret_detail)
{
    struct wish wish;
    error why = read_wish(self, parameters, &wish);
    if (why == OK)
        why = what(self, &wish);
    if (why != OK)
        *ret_detail = why->detail;
    return why == OK ? OUTCOME_DONE : OUTCOME_FAILED;
}

enum engine_outcome
extension_create(struct engine_member *self, json_t *parameters, str *ret_detail)
{
    return run(self, parameters, create, ret_detail);
}

enum engine_outcome
extension_drop(struct engine_member *self, json_t *parameters, str *ret_detail)
{
    return run(self, parameters, drop, ret_detail);
}
