/* SPDX-License-Identifier: Apache-2.0 */
#include "api/api.h"
#include "store/migrate.h"

bool
api_is_ready(struct api *api, struct arena *arena, str *ret_why_not)
{
    struct params none = { 0 };
    struct rows rows;
    error problem = store_read(api->store, arena, SQL_SCHEMA_VERSION, &none, &rows);
    if (problem != OK) {
        *ret_why_not = STR("The database does not answer, or has no schema: run `reeved migrate`.");
        return false;
    }
    int64_t applied = rows_int(&rows, 0, C_VERSION), known = migrations[migration_count - 1].version;
    if (applied < known) {
        *ret_why_not =
            str_format(arena, "The schema is at migration %d of %d: run `reeved migrate`.", (int)applied, (int)known);
        return false;
    }
    return true;
}
