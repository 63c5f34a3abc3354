/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A database as CSV: schema.sql, a file for each table that has rows of its own, sequences.sql and constraints.sql. Rows are read by a role that reads everything and changes
 * nothing, so whatever of the tenant's could run on the way could do no more.
 */
#ifndef ENGINE_POSTGRES_EXPORT_EXPORT_CSV_H
#define ENGINE_POSTGRES_EXPORT_EXPORT_CSV_H

#include "base/json.h"
#include "engine/problem.h"

struct export_csv {
    struct arena *arena;
    str folder, major_version;
    json_t *tables; /* by the path of its file: {"schema", "table", "rows"} */
};

/* Into a folder of that name below dump/. */
MUST_USE error export_csv_database(struct export_csv *csv, str database, str into);

#endif
