/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/report.h"

/* Programs' messages may be long and need not be UTF-8; a report is both short and text. */
static str
presentable(struct arena *arena, str text)
{
    if (text.len <= REPORT_SENTENCE_BYTES && str_is_text(text))
        return text;
    size_t length = text.len < REPORT_SENTENCE_BYTES ? text.len : REPORT_SENTENCE_BYTES;
    char *copy = arena_alloc(arena, length + 1);
    if (copy == NULL)
        return STR_EMPTY;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text.data[i];
        copy[i] = c >= 0x80 || c < 0x20 ? '?' : (char)c;
    }
    return (str){ copy, length };
}

static void
add_text(struct buf *out, struct arena *arena, const char *name, str text)
{
    buf_add_text(out, name);
    buf_add_json(out, presentable(arena, text));
}

static void
add_text_or_null(struct buf *out, struct arena *arena, const char *name, str text)
{
    if (text.len > 0) {
        add_text(out, arena, name, text);
    } else {
        buf_add_text(out, name);
        buf_add_text(out, "null");
    }
}

static void
add_number(struct buf *out, const char *name, int64_t value)
{
    buf_add_text(out, name);
    if (value < 0)
        buf_add_text(out, "null");
    else
        buf_add_int(out, value);
}

static void
add_texts(struct buf *out, struct arena *arena, const char *name, const struct wire_texts *texts)
{
    buf_add_text(out, name);
    buf_add_char(out, '[');
    for (size_t i = 0; i < texts->count; i++)
        add_text(out, arena, i == 0 ? "" : ",", texts->items[i]);
    buf_add_char(out, ']');
}

static void
add_facts(struct buf *out, struct arena *arena, const struct report_facts *facts)
{
    add_text(out, arena, "\"facts\":{\"agentVersion\":", facts->agent_version);
    add_text_or_null(out, arena, ",\"patroniVersion\":", facts->patroni_version);
    add_texts(out, arena, ",\"postgresVersions\":", &facts->postgres_versions);
    add_number(out, ",\"cpus\":", facts->cpus);
    add_number(out, ",\"memoryMb\":", facts->memory_mb);
    add_number(out, ",\"diskGb\":", facts->disk_gb);
    add_texts(out, arena, ",\"walls\":", &facts->walls);
    buf_add_char(out, '}');
}

static void
add_member(struct buf *out, struct arena *arena, const struct report_member *member)
{
    add_text(out, arena, "{\"id\":", id_text(arena, member->id));
    add_text(out, arena, ",\"unit\":", member->unit);
    add_text(out, arena, ",\"role\":", str_from(report_role_words[member->role]));
    add_text(out, arena, ",\"running\":", member->running);
    add_number(out, ",\"timeline\":", member->timeline);
    add_number(out, ",\"lagBytes\":", member->lag_bytes);
    add_text_or_null(out, arena, ",\"version\":", member->version);
    add_number(out, ",\"goalGeneration\":", member->goal_generation);
    add_number(out, ",\"accessGeneration\":", member->access_generation);
    add_number(out, ",\"restartNonce\":", member->restart_nonce);
    buf_add_text(out, member->pending_restart ? ",\"pendingRestart\":true" : ",\"pendingRestart\":false");
    add_text_or_null(out, arena, ",\"problem\":", member->problem);
    buf_add_char(out, '}');
}

str
report_write(struct arena *arena, const struct report *report)
{
    struct buf out = buf_in(arena, REPORT_MAX_BYTES);
    add_number(&out, "{\"epoch\":", report->epoch);
    add_number(&out, ",\"version\":", report->version);
    add_text(&out, arena, ",\"bootId\":", report->boot_id);
    buf_add_char(&out, ',');
    add_facts(&out, arena, &report->facts);
    buf_add_text(&out, ",\"members\":[");
    for (size_t i = 0; i < report->member_count; i++) {
        buf_add_text(&out, i == 0 ? "" : ",");
        add_member(&out, arena, &report->members[i]);
    }
    buf_add_text(&out, "],\"tasks\":[");
    for (size_t i = 0; i < report->task_count; i++) {
        add_text(&out, arena, i == 0 ? "{\"id\":" : ",{\"id\":", id_text(arena, report->tasks[i].id));
        add_text(&out, arena, ",\"outcome\":", str_from(report_task_words[report->tasks[i].done]));
        add_text(&out, arena, ",\"detail\":", report->tasks[i].detail);
        buf_add_char(&out, '}');
    }
    buf_add_text(&out, "],\"logs\":[");
    for (size_t i = 0; i < report->log_count; i++) {
        add_text(&out, arena, i == 0 ? "{\"id\":" : ",{\"id\":", id_text(arena, report->logs[i].target));
        add_text(&out, arena, ",\"state\":", str_from(report_log_words[report->logs[i].works]));
        add_text(&out, arena, ",\"detail\":", report->logs[i].problem);
        buf_add_char(&out, '}');
    }
    add_texts(&out, arena, "],\"strays\":", &report->strays);
    buf_add_char(&out, '}');
    str text = buf_str(&out);
    return arena_is_exhausted(arena) ? STR_EMPTY : text;
}
