/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/report.h"

#include "wire/report_parts.h"

static void
add_facts(struct buf *out, struct arena *arena, const struct report_facts *facts)
{
    report_add_text(out, arena, "\"facts\":{\"agentVersion\":", facts->agent_version);
    report_add_text_or_null(out, arena, ",\"patroniVersion\":", facts->patroni_version);
    report_add_text_or_null(out, arena, ",\"pgbackrestVersion\":", facts->pgbackrest_version);
    report_add_texts(out, arena, ",\"postgresVersions\":", &facts->postgres_versions);
    report_add_number(out, ",\"cpus\":", facts->cpus);
    report_add_number(out, ",\"memoryMb\":", facts->memory_mb);
    report_add_number(out, ",\"diskGb\":", facts->disk_gb);
    report_add_texts(out, arena, ",\"extensions\":", &facts->extensions);
    report_add_texts(out, arena, ",\"walls\":", &facts->walls);
    buf_format(out, ",\"encrypts\":%s", facts->encrypts ? "true" : "false");
    report_add_texts(out, arena, ",\"keys\":", &facts->keys);
    buf_add_char(out, '}');
}

static void
add_member(struct buf *out, struct arena *arena, const struct report_member *member)
{
    report_add_text(out, arena, "{\"id\":", id_text(arena, member->id));
    report_add_text(out, arena, ",\"unit\":", member->unit);
    report_add_text(out, arena, ",\"role\":", str_from(report_role_words[member->role]));
    report_add_text(out, arena, ",\"running\":", member->running);
    report_add_number(out, ",\"timeline\":", member->timeline);
    report_add_number(out, ",\"lagBytes\":", member->lag_bytes);
    report_add_text_or_null(out, arena, ",\"version\":", member->version);
    report_add_number(out, ",\"goalGeneration\":", member->goal_generation);
    report_add_number(out, ",\"accessGeneration\":", member->access_generation);
    report_add_number(out, ",\"restartNonce\":", member->restart_nonce);
    buf_add_text(out, member->pending_restart ? ",\"pendingRestart\":true" : ",\"pendingRestart\":false");
    report_add_text_or_null(out, arena, ",\"problem\":", member->problem);
    report_add_text(out, arena, ",\"pooler\":", str_from(report_pooler_words[member->pooler]));
    buf_add_text(out, ",\"restore\":");
    report_add_restore(out, arena, &member->restore);
    buf_add_char(out, '}');
}

str
report_write(struct arena *arena, const struct report *report)
{
    struct buf out = buf_in(arena, REPORT_MAX_BYTES);
    report_add_number(&out, "{\"epoch\":", report->epoch);
    report_add_number(&out, ",\"version\":", report->version);
    report_add_text(&out, arena, ",\"bootId\":", report->boot_id);
    buf_add_char(&out, ',');
    add_facts(&out, arena, &report->facts);
    buf_add_text(&out, ",\"members\":[");
    for (size_t i = 0; i < report->member_count; i++) {
        buf_add_text(&out, i == 0 ? "" : ",");
        add_member(&out, arena, &report->members[i]);
    }
    buf_add_text(&out, "],\"tasks\":[");
    for (size_t i = 0; i < report->task_count; i++) {
        report_add_text(&out, arena, i == 0 ? "{\"id\":" : ",{\"id\":", id_text(arena, report->tasks[i].id));
        report_add_text(&out, arena, ",\"outcome\":", str_from(report_task_words[report->tasks[i].done]));
        report_add_text(&out, arena, ",\"detail\":", report->tasks[i].detail);
        buf_add_char(&out, '}');
    }
    buf_add_text(&out, "],\"logs\":[");
    for (size_t i = 0; i < report->log_count; i++) {
        report_add_text(&out, arena, i == 0 ? "{\"id\":" : ",{\"id\":", id_text(arena, report->logs[i].target));
        report_add_text(&out, arena, ",\"state\":", str_from(report_log_words[report->logs[i].works]));
        report_add_text(&out, arena, ",\"detail\":", report->logs[i].problem);
        buf_add_char(&out, '}');
    }
    buf_add_text(&out, "],\"seats\":[");
    for (size_t i = 0; i < report->seat_count; i++) {
        buf_add_text(&out, i == 0 ? "" : ",");
        buf_add(&out, report->seats[i]);
    }
    buf_add_text(&out, "]");
    if (report->own_database.len > 0) {
        buf_add_text(&out, ",\"ownDatabase\":");
        buf_add(&out, report->own_database);
    }
    buf_add_text(&out, ",\"gates\":[");
    for (size_t i = 0; i < report->gate_count; i++) {
        buf_add_text(&out, i == 0 ? "" : ",");
        report_add_gate(&out, arena, &report->gates[i]);
    }
    buf_add_text(&out, "],\"relays\":[");
    for (size_t i = 0; i < report->relay_count; i++) {
        buf_add_text(&out, i == 0 ? "" : ",");
        report_add_relay(&out, arena, &report->relays[i]);
    }
    buf_add_text(&out, "],\"peerings\":[");
    for (size_t i = 0; i < report->peering_count; i++) {
        buf_add_text(&out, i == 0 ? "" : ",");
        report_add_peering(&out, arena, &report->peerings[i]);
    }
    report_add_texts(&out, arena, "],\"strays\":", &report->strays);
    buf_add_char(&out, '}');
    str text = buf_str(&out);
    return arena_is_exhausted(arena) ? STR_EMPTY : text;
}
