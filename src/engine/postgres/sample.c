/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/sample.h"

#include "base/failpoint.h"
#include "engine/postgres/postgres.h"
#include "engine/postgres/roles.h"
#include "engine/postgres/session.h"

static error
make_database(struct engine_member *self)
{
    struct session *session CLEANUP(session_cleanup) = NULL;
    struct session_rows rows;
    const str name = STR(SAMPLE_DATABASE);
    str owner = role_of_owner(self->arena, name);
    TRY(session_open(self, STR(SUPERUSER), &session));
    TRY(session_query(session, SQL_ROLE_FIND, 1, &owner, &rows));
    if (rows.count == 0)
        TRY(session_run(session, SQL_ROLE_CREATE, SQL_VALUES({ "role", owner })));
    TRY(session_query(session, SQL_DATABASE_FIND, 1, &name, &rows));
    if (rows.count > 0)
        return OK;
    TRY(session_run(session, SQL_DATABASE_CREATE, SQL_VALUES({ "database", name }, { "owner", owner })));
    return session_run(session, SQL_DATABASE_CLOSE, SQL_VALUES({ "database", name }));
}

error
sample_load(struct engine_member *self)
{
    struct session *session CLEANUP(session_cleanup) = NULL;
    struct session_rows rows;
    TRY(make_database(self));
    TRY(session_open(self, STR(SAMPLE_DATABASE), &session));
    TRY(session_query(session, SQL_SAMPLE_FIND, 0, NULL, &rows));
    if (str_is(session_value(&rows, 0, 0), "t"))
        return OK;
    failpoint("agent:task:load-sample:before");
    return session_run(session, SQL_SAMPLE_LOAD,
                       SQL_VALUES({ "database", STR(SAMPLE_DATABASE) },
                                  { "owner", role_of_owner(self->arena, STR(SAMPLE_DATABASE)) }));
}
