/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/monitor/monitor_rows.h"

#include <ctype.h>
#include <stdlib.h>

const struct metric *
monitor_column_metric(const PGresult *rows, int column)
{
    const char *name = PQfname(rows, column);
    char capitals[POINTS_METRIC_BYTES];
    size_t length = 0;
    for (; name[length] != '\0' && length < sizeof(capitals); length++)
        capitals[length] = (char)toupper((unsigned char)name[length]);
    return metric_find((str){ capitals, length });
}

bool
monitor_number(const PGresult *rows, int row, int column, double *ret_value)
{
    char *end;
    const char *text = PQgetvalue(rows, row, column);
    if (PQgetisnull(rows, row, column))
        return false;
    double value = strtod(text, &end);
    if (end == text || *end != '\0')
        return false;
    *ret_value = value;
    return true;
}

str
monitor_text(const PGresult *rows, int row, const char *column)
{
    int number = rows == NULL ? -1 : PQfnumber(rows, column);
    if (number < 0 || row >= PQntuples(rows))
        return STR_EMPTY;
    return (str){ PQgetvalue(rows, row, number), (size_t)PQgetlength(rows, row, number) };
}

bool
monitor_value(const PGresult *rows, const char *column, double *ret_value)
{
    int number = rows == NULL || PQntuples(rows) == 0 ? -1 : PQfnumber(rows, column);
    return number >= 0 && monitor_number(rows, 0, number, ret_value);
}

void
monitor_add_row(struct points_writer *writer, const PGresult *rows, int row)
{
    for (int column = 0; column < PQnfields(rows); column++) {
        const struct metric *metric = monitor_column_metric(rows, column);
        double value;
        if (metric != NULL && monitor_number(rows, row, column, &value))
            points_add(writer, (enum metric_number)metric->number, value);
    }
}
