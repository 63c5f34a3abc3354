/* SPDX-License-Identifier: Apache-2.0 */
/* What hosts report about restores (docs/internals/backups.md): repository hosts about gates, others about their members. */
#ifndef WIRE_REPORT_RESTORE_H
#define WIRE_REPORT_RESTORE_H

#include "base/id.h"
#include "wire/goal_restore.h"
#include "wire/report_words.h"
#include "wire/shape.h"

/* Positions are as PostgreSQL writes them, times as date_text() does. Empty and -1: not known, written as null. */
struct report_gate {
    id id; /* the restore's */
    enum report_gate_state state;
    str problem;
    str served_lsn, served_at; /* up to where it can bring somebody */
};

struct report_restore { /* of a member */
    id id;              /* none: it is not being restored */
    enum report_restore_state state;
    enum goal_restore_phase phase; /* that the state is about */
    str problem;
    int64_t done_bytes, total_bytes;
    str reached_lsn, reached_at;
};

struct buf;
void report_add_gate(struct buf *out, struct arena *arena, const struct report_gate *gate);
void report_add_restore(struct buf *out, struct arena *arena, const struct report_restore *restore);

#endif
