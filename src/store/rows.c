/* SPDX-License-Identifier: Apache-2.0 */
#include "store/rows.h"

str
rows_text(const struct rows *rows, int row, int column)
{
    return (str){ PQgetvalue(rows->result, row, column), (size_t)PQgetlength(rows->result, row, column) };
}

bool
rows_is_null(const struct rows *rows, int row, int column)
{
    return PQgetisnull(rows->result, row, column) == 1;
}

int64_t
rows_int(const struct rows *rows, int row, int column)
{
    int64_t value = 0;
    return str_to_int(rows_text(rows, row, column), INT64_MIN, INT64_MAX, &value) ? value : 0;
}

bool
rows_bool(const struct rows *rows, int row, int column)
{
    return str_is(rows_text(rows, row, column), "t");
}

id
rows_id(const struct rows *rows, int row, int column)
{
    id value = ID_NONE;
    return id_parse(rows_text(rows, row, column), &value) ? value : ID_NONE;
}

str
rows_bytes(struct arena *arena, const struct rows *rows, int row, int column)
{
    str hex = rows_text(rows, row, column);
    char *bytes = arena_alloc(arena, hex.len / 2 + 1);
    if (bytes == NULL || !str_from_hex(hex, bytes, hex.len / 2))
        return STR_EMPTY;
    return (str){ bytes, hex.len / 2 };
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

int
rows_count(const PGresult *result)
{
    if (PQresultStatus(result) == PGRES_TUPLES_OK)
        return PQntuples(result);
    int64_t affected = 0;
    return str_to_int(str_from(PQcmdTuples((PGresult *)(uintptr_t)result)), 0, INT32_MAX, &affected) ? (int)affected
                                                                                                     : 0;
}

bool
rows_adopt(struct arena *arena, PGresult *result, struct rows *ret_rows)
{
    struct rows rows = { .result = result, .count = rows_count(result) };
    if (!arena_on_free(arena, dispose_result, result))
        return false;
    *ret_rows = rows;
    return true;
}
