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

/* Others than these three stand for themselves. */
static void
add_escaped(struct buf *out, str value)
{
    for (size_t i = 0; i < value.len; i++) {
        if (value.data[i] == '"' || value.data[i] == '\\')
            buf_add_char(out, '\\');
        if (value.data[i] == '\n')
            buf_add_text(out, "\\n");
        else
            buf_add_char(out, value.data[i]);
    }
}

void
metric_add(struct buf *out, enum metric metric, const str labels[METRIC_LABELS_MAX], str value)
{
    str names = str_from(metric_rows[metric].labels);
    buf_add_text(out, metric_rows[metric].name);
    for (size_t i = 0; names.len > 0 && i < METRIC_LABELS_MAX; i++) {
        str name = str_trim(str_cut(&names, ','));
        buf_format(out, "%s%.*s=\"", i == 0 ? "{" : ",", STR_ARG(name));
        add_escaped(out, labels[i]);
        buf_add_text(out, "\"");
    }
    buf_format(out, "%s %.*s\n", metric_rows[metric].labels[0] == '\0' ? "" : "}", STR_ARG(value));
}
