/* SPDX-License-Identifier: Apache-2.0 */
#include "base/metric.h"

#define ROW(identifier, name, type, labels, help, more) { name, type, labels, help, more },
const struct metric_row metric_rows[METRIC_COUNT] = { METRIC_TABLE(ROW) };
#undef ROW

void
metric_begin(struct buf *out, enum metric metric)
{
    const struct metric_row *row = &metric_rows[metric];
    buf_format(out, "# HELP %s %s\n# TYPE %s %s\n", row->name, row->help, row->name, row->type);
}
