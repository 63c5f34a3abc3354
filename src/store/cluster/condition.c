/* SPDX-License-Identifier: Apache-2.0 */
#include "store/cluster/condition.h"

#include "store/connection.h"
#include "store/fault.h"
#include "store/rows.h"

enum { STATEMENT_MS = 10 * 1000 };

static error
ask(const char *dsn, const char *role, enum sql statement, struct arena *arena, str *ret_json)
{
    struct rows rows;
    struct connection *connection CLEANUP(connection_cleanup) = connection_open(dsn, role, STATEMENT_MS);
    if (connection == NULL)
        return &fault_unavailable;
    TRY(connection_query(connection, arena, statement, NULL, &rows));
    *ret_json = rows_text(&rows, 0, C_JSON);
    return OK;
}

error
store_condition_server(const char *dsn, struct arena *arena, str *ret_json)
{
    return ask(dsn, NULL, SQL_CONDITION_SERVER, arena, ret_json);
}

error
store_condition_service(const char *dsn, struct arena *arena, str *ret_json)
{
    return ask(dsn, ROLE_READER, SQL_CONDITION_SERVICE, arena, ret_json);
}

bool
store_condition_place(const char *dsn, unsigned which, struct arena *arena, const char **ret_host,
                      const char **ret_port)
{
    return connection_place(dsn, which, arena, ret_host, ret_port);
}
