/* SPDX-License-Identifier: Apache-2.0 */
/* From rows to points: a column is the metric that has its name. */
#ifndef ENGINE_POSTGRES_MONITOR_MONITOR_ROWS_H
#define ENGINE_POSTGRES_MONITOR_MONITOR_ROWS_H

#include <libpq-fe.h>

#include "wire/points.h"

/* NULL when the column is no metric. */
const struct metric *monitor_column_metric(const PGresult *rows, int column);
/* False when it is NULL, or no number. */
MUST_USE bool monitor_number(const PGresult *rows, int row, int column, double *ret_value);
/* Empty when there is no such column. */
str monitor_text(const PGresult *rows, int row, const char *column);
/* Of the only row; false when there is none, or no such column, or it is no number. */
MUST_USE bool monitor_value(const PGresult *rows, const char *column, double *ret_value);
/* All metrics of a row. */
void monitor_add_row(struct points_writer *writer, const PGresult *rows, int row);

#endif
