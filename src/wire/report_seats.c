/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/report_seats.h"

#include "wire/report_parts.h"
#include "wire/report_words.h"

const char *const report_copy_words[] = { "IN_PROGRESS", "COMPLETED", "FAILED", NULL };
const char *const report_drill_words[] = { "WAITING", "RUNNING", "PASSED", "FAILED", NULL };
const char *const report_export_words[] = { "WAITING", "RUNNING", "SUCCEEDED", "FAILED", NULL };
const char *const report_download_words[] = { "WAITING", "RUNNING", "READY", "FAILED", "ABSENT", NULL };
const char *const report_check_words[] = { "PASSED", "FAILED", "SKIPPED", NULL };

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

static void
add_phase(struct buf *out, struct arena *arena, const struct report_phase *phase)
{
    report_add_text(out, arena, "{\"name\":", phase->name);
    report_add_text_or_null(out, arena, ",\"startedAt\":", phase->started_at);
    report_add_number(out, ",\"ms\":", phase->ms);
    buf_add_char(out, '}');
}

static void
add_check(struct buf *out, struct arena *arena, const struct report_check *check)
{
    report_add_text(out, arena, "{\"name\":", check->name);
    report_add_text_or_null(out, arena, ",\"database\":", check->database);
    report_add_text(out, arena, ",\"result\":", str_from(report_check_words[check->result]));
    report_add_text_or_null(out, arena, ",\"sentence\":", check->sentence);
    report_add_number(out, ",\"tables\":", check->tables);
    report_add_number(out, ",\"rows\":", check->rows);
    buf_add_char(out, '}');
}

static void
add_drill(struct buf *out, struct arena *arena, const struct report_drill *drill)
{
    report_add_text(out, arena, ",\"drill\":{\"id\":", id_text(arena, drill->id));
    report_add_text(out, arena, ",\"state\":", str_from(report_drill_words[drill->state]));
    report_add_text_or_null(out, arena, ",\"problem\":", drill->problem);
    report_add_text_or_null(out, arena, ",\"label\":", drill->label);
    report_add_text_or_null(out, arena, ",\"startedAt\":", drill->started_at);
    report_add_text_or_null(out, arena, ",\"finishedAt\":", drill->finished_at);
    report_add_text_or_null(out, arena, ",\"recoveryPoint\":", drill->recovery_point);
    report_add_number(out, ",\"rtoMs\":", drill->rto_ms);
    report_add_number(out, ",\"dataBytes\":", drill->data_bytes);
    report_add_text_or_null(out, arena, ",\"serverVersion\":", drill->server_version);
    buf_add_text(out, ",\"phases\":[");
    for (size_t i = 0; i < drill->phase_count; i++) {
        buf_add_text(out, i == 0 ? "" : ",");
        add_phase(out, arena, &drill->phases[i]);
    }
    buf_add_text(out, "],\"checks\":[");
    for (size_t i = 0; i < drill->check_count; i++) {
        buf_add_text(out, i == 0 ? "" : ",");
        add_check(out, arena, &drill->checks[i]);
    }
    buf_add_text(out, "]}");
}

static void
add_export(struct buf *out, struct arena *arena, const struct report_export *job)
{
    report_add_text(out, arena, ",\"export\":{\"id\":", id_text(arena, job->id));
    report_add_text(out, arena, ",\"state\":", str_from(report_export_words[job->state]));
    report_add_text_or_null(out, arena, ",\"code\":", job->code);
    report_add_text_or_null(out, arena, ",\"problem\":", job->problem);
    report_add_text_or_null(out, arena, ",\"startedAt\":", job->started_at);
    report_add_text_or_null(out, arena, ",\"finishedAt\":", job->finished_at);
    report_add_number(out, ",\"tablesDone\":", job->tables_done);
    report_add_number(out, ",\"tablesTotal\":", job->tables_total);
    buf_add_char(out, '}');
}

static void
add_download(struct buf *out, struct arena *arena, const struct report_download *download)
{
    report_add_text(out, arena, ",\"download\":{\"id\":", id_text(arena, download->id));
    report_add_text(out, arena, ",\"state\":", str_from(report_download_words[download->state]));
    report_add_text_or_null(out, arena, ",\"problem\":", download->problem);
    report_add_number(out, ",\"bytes\":", download->bytes);
    report_add_text_or_null(out, arena, ",\"sha256\":", download->sha256);
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
    buf_add_text(out, "]");
    if (id_is_there(seat->drill.id))
        add_drill(out, arena, &seat->drill);
    if (id_is_there(seat->export_job.id))
        add_export(out, arena, &seat->export_job);
    if (id_is_there(seat->download.id))
        add_download(out, arena, &seat->download);
    buf_add_text(out, seat->copies == NULL ? ",\"snapshots\":null}" : ",\"snapshots\":[");
    for (size_t i = 0; seat->copies != NULL && i < seat->copy_count; i++) {
        buf_add_text(out, i == 0 ? "" : ",");
        add_copy(out, arena, &seat->copies[i]);
    }
    if (seat->copies != NULL)
        buf_add_text(out, "]}");
    return buf_str(out);
}
