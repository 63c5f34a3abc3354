/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/report_seats.h"

#include "wire/report_parts.h"
#include "wire/report_words.h"

const char *const report_copy_words[] = { "IN_PROGRESS", "COMPLETED", "FAILED", NULL };

static void
add_span(struct buf *out, struct arena *arena, const struct report_span *span)
{
    report_add_number(out, "{\"ordinal\":", span->ordinal);
    report_add_text_or_null(out, arena, ",\"fromLsn\":", span->from_lsn);
    report_add_text_or_null(out, arena, ",\"toLsn\":", span->to_lsn);
    report_add_number(out, ",\"fromTimeline\":", span->from_timeline);
    report_add_number(out, ",\"toTimeline\":", span->to_timeline);
    report_add_text_or_null(out, arena, ",\"fromAt\":", span->from_at);
    report_add_text_or_null(out, arena, ",\"toAt\":", span->to_at);
    report_add_text_or_null(out, arena, ",\"endedBy\":", span->ended_by);
    buf_add_char(out, '}');
}

/* One item by itself and all of them: control planes that know one look at the first. */
static void
add_policy(struct buf *out, struct arena *arena, const struct report_copy *copy)
{
    report_add_text_or_null(out, arena, ",\"frequency\":", copy->frequency);
    report_add_text_or_null(out, arena,
                            ",\"policyItem\":", copy->policy_items.count > 0 ? copy->policy_items.items[0] : STR_EMPTY);
    report_add_texts(out, arena, ",\"policyItems\":", &copy->policy_items);
}

static void
add_copy(struct buf *out, struct arena *arena, const struct report_copy *copy)
{
    report_add_text(out, arena, "{\"id\":", id_text(arena, copy->snapshot));
    report_add_text_or_null(out, arena, ",\"label\":", copy->label);
    report_add_text_or_null(out, arena, ",\"type\":", copy->type);
    report_add_texts(out, arena, ",\"needs\":", &copy->needs);
    report_add_text(out, arena, ",\"state\":", str_from(report_copy_words[copy->state]));
    add_policy(out, arena, copy);
    report_add_text_or_null(out, arena, ",\"createdAt\":", copy->created_at);
    report_add_text_or_null(out, arena, ",\"finishedAt\":", copy->finished_at);
    report_add_text_or_null(out, arena, ",\"expiresAt\":", copy->expires_at);
    report_add_number(out, ",\"timeline\":", copy->timeline);
    report_add_text_or_null(out, arena, ",\"startLsn\":", copy->start_lsn);
    report_add_text_or_null(out, arena, ",\"stopLsn\":", copy->stop_lsn);
    report_add_number(out, ",\"sizeBytes\":", copy->size_bytes);
    report_add_number(out, ",\"deltaBytes\":", copy->delta_bytes);
    report_add_text_or_null(out, arena, ",\"serverVersion\":", copy->server_version);
    report_add_text_or_null(out, arena, ",\"problem\":", copy->problem);
    buf_add_char(out, '}');
}

str
report_seat_text(struct arena *arena, const struct report_seat *seat)
{
    struct buf text = buf_in(arena, REPORT_MAX_BYTES), *out = &text;
    report_add_text(out, arena, "{\"id\":", id_text(arena, seat->id));
    report_add_text(out, arena, ",\"unit\":", seat->unit);
    report_add_text_or_null(out, arena, ",\"problem\":", seat->problem);
    report_add_text_or_null(out, arena, ",\"receivedLsn\":", seat->received_lsn);
    report_add_number(out, ",\"timeline\":", seat->timeline);
    report_add_number(out, ",\"lagBytes\":", seat->lag_bytes);
    report_add_number(out, ",\"lagMs\":", seat->lag_ms);
    report_add_text_or_null(out, arena, ",\"windowFrom\":", seat->window_from);
    report_add_text_or_null(out, arena, ",\"windowTo\":", seat->window_to);
    report_add_number(out, ",\"usedBytes\":", seat->used_bytes);
    buf_add_text(out, ",\"spans\":[");
    for (size_t i = 0; i < seat->span_count; i++) {
        buf_add_text(out, i == 0 ? "" : ",");
        add_span(out, arena, &seat->spans[i]);
    }
    buf_add_text(out, seat->copies == NULL ? "],\"snapshots\":null}" : "],\"snapshots\":[");
    for (size_t i = 0; seat->copies != NULL && i < seat->copy_count; i++) {
        buf_add_text(out, i == 0 ? "" : ",");
        add_copy(out, arena, &seat->copies[i]);
    }
    if (seat->copies != NULL)
        buf_add_text(out, "]}");
    return buf_str(out);
}
