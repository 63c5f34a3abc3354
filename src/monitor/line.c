/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/line.h"

static void
add_label(struct buf *out, const char *name, id value)
{
    char digits[ID_DIGITS + 1];
    id_write(value, digits);
    buf_format(out, ",%s=%s", name, digits);
}

void
monitor_line_add(struct buf *out, const struct monitor_owner *owner, const struct points_line *line)
{
    buf_add(out, STR("reeve"));
    add_label(out, "project", owner->project);
    add_label(out, "cluster", owner->cluster);
    add_label(out, "member", owner->member);
    if (line->scope != METRIC_PROCESS) {
        buf_add(out, STR(",name="));
        buf_add_percent_encoded(out, line->name);
    }
    for (size_t i = 0; i < line->value_count; i++) {
        buf_add_char(out, i == 0 ? ' ' : ',');
        buf_add_text(out, line->values[i].metric->name);
        buf_add_char(out, '=');
        buf_add(out, line->values[i].number);
    }
    buf_format(out, " %lld\n", (long long)line->time_ms);
}

str
monitor_label(struct arena *arena, str name)
{
    return str_percent_encode(arena, name);
}

str
monitor_label_name(struct arena *arena, str label)
{
    str name;
    return str_percent_decode(arena, label, false, &name) && str_is_text(name) ? name : STR_EMPTY;
}
