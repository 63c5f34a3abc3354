/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/report_restore.h"

#include "wire/report_parts.h"

void
report_add_gate(struct buf *out, struct arena *arena, const struct report_gate *gate)
{
    report_add_text(out, arena, "{\"id\":", id_text(arena, gate->id));
    report_add_text(out, arena, ",\"state\":", str_from(report_gate_words[gate->state]));
    report_add_text_or_null(out, arena, ",\"problem\":", gate->problem);
    report_add_text_or_null(out, arena, ",\"servedLsn\":", gate->served_lsn);
    report_add_text_or_null(out, arena, ",\"servedAt\":", gate->served_at);
    buf_add_char(out, '}');
}

void
report_add_restore(struct buf *out, struct arena *arena, const struct report_restore *restore)
{
    if (!id_is_there(restore->id)) {
        buf_add_text(out, "null");
        return;
    }
    report_add_text(out, arena, "{\"id\":", id_text(arena, restore->id));
    report_add_text(out, arena, ",\"state\":", str_from(report_restore_words[restore->state]));
    report_add_text(out, arena, ",\"phase\":", str_from(goal_restore_phase_words[restore->phase]));
    report_add_text_or_null(out, arena, ",\"problem\":", restore->problem);
    report_add_number(out, ",\"doneBytes\":", restore->done_bytes);
    report_add_number(out, ",\"totalBytes\":", restore->total_bytes);
    report_add_text_or_null(out, arena, ",\"reachedLsn\":", restore->reached_lsn);
    report_add_text_or_null(out, arena, ",\"reachedAt\":", restore->reached_at);
    buf_add_char(out, '}');
}
