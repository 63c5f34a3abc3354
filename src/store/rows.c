/* SPDX-License-Identifier: Apache-2.0 */
#include "store/rows.h"

#include <assert.h>

static int
place_of(const struct rows *rows, enum column column)
{
    /* Written by the statement's caller, not by a client: one that is not there is a bug that every run shows. */
    assert(rows->columns != NULL && rows->columns[column] > 0);
    return rows->columns[column] - 1;
}

str
rows_text(const struct rows *rows, int row, enum column column)
{
    int place = place_of(rows, column);
    return (str){ PQgetvalue(rows->result, row, place), (size_t)PQgetlength(rows->result, row, place) };
}

bool
rows_is_null(const struct rows *rows, int row, enum column column)
{
    return PQgetisnull(rows->result, row, place_of(rows, column)) == 1;
}

int64_t
rows_int(const struct rows *rows, int row, enum column column)
{
    int64_t value = 0;
    return str_to_int(rows_text(rows, row, column), INT64_MIN, INT64_MAX, &value) ? value : 0;
}

bool
rows_bool(const struct rows *rows, int row, enum column column)
{
    return str_is(rows_text(rows, row, column), "t");
}

id
rows_id(const struct rows *rows, int row, enum column column)
{
    id value = ID_NONE;
    return id_parse(rows_text(rows, row, column), &value) ? value : ID_NONE;
}

str
rows_bytes(struct arena *arena, const struct rows *rows, int row, enum column column)
{
    str bytes;
    return str_bytes_from_hex(arena, rows_text(rows, row, column), &bytes) ? bytes : STR_EMPTY;
}

size_t
rows_size(const struct rows *rows)
{
    return rows->result == NULL ? 0 : PQresultMemorySize(rows->result);
}

static void
dispose_result(void *result)
{
    PQclear(result);
}

static int
rows_count(const PGresult *result)
{
    if (PQresultStatus(result) == PGRES_TUPLES_OK)
        return PQntuples(result);
    int64_t affected = 0;
    return str_to_int(str_from(PQcmdTuples((PGresult *)(uintptr_t)result)), 0, INT32_MAX, &affected) ? (int)affected
                                                                                                     : 0;
}

struct rows
rows_of(enum sql statement, PGresult *result)
{
    return (struct rows){ .result = result, .columns = sql_rows[statement].columns, .count = rows_count(result) };
}

bool
rows_adopt(struct arena *arena, enum sql statement, PGresult *result, struct rows *ret_rows)
{
    struct rows rows = rows_of(statement, result);
    if (!arena_on_free(arena, dispose_result, result))
        return false;
    *ret_rows = rows;
    return true;
}
