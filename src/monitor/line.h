/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How points stand in a store. Series are called reeve_<METRIC>. Their labels are identifiers, which the control plane takes from its
 * database, and names of databases, disks and tables, percent-encoded: nothing that a tenant or an agent wrote can end a label.
 */
#ifndef MONITOR_LINE_H
#define MONITOR_LINE_H

#include "base/id.h"
#include "wire/points.h"

struct monitor_owner {
    id project, cluster, member;
};

/* One line for POST /write. */
void monitor_line_add(struct buf *out, const struct monitor_owner *owner, const struct points_line *line);

/* A name as the label has it: one spelling for each name. */
str monitor_label(struct arena *arena, str name);
/* And back; empty when it is none. */
str monitor_label_name(struct arena *arena, str label);

#endif
