/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/log/log_message.h"

enum { US_PER_S = 1000000, US_PER_MS = 1000, NS_PER_US = 1000 };

static const struct {
    const char *service; /* what wrote it */
    const char *name;    /* of the log, as the API's paths have it */
} types[LOG_TYPE_COUNT] = {
    [LOG_POSTGRES] = { "postgresql", "postgres" },
    [LOG_POSTGRES_AUDIT] = { "postgresql", "postgres-audit" },
    [LOG_PATRONI] = { "patroni", "patroni" },
};

static void
add_text(struct buf *out, const char *name, str value)
{
    buf_add_text(out, name);
    buf_add_json(out, value);
}

/* ---- The OpenTelemetry protocol: https://opentelemetry.io/docs/specs/otlp/ ---- */

/* Numbers of the protocol's severities: the first of each range. */
static const int severity_numbers[] = { [SEVERITY_NONE] = 0,     [SEVERITY_DEBUG] = 5,  [SEVERITY_INFO] = 9,
                                        [SEVERITY_WARNING] = 13, [SEVERITY_ERROR] = 17, [SEVERITY_FATAL] = 21 };

static void
add_attribute(struct buf *out, const char *before, const char *name, str value)
{
    buf_format(out, "%s{\"key\":\"%s\",\"value\":{\"stringValue\":", before, name);
    buf_add_json(out, value);
    buf_add_text(out, "}}");
}

static void
open_resource(struct buf *out, struct arena *arena, const struct log_line *line)
{
    buf_add_text(out, "{\"resource\":{\"attributes\":[");
    add_attribute(out, "", "service.name", str_from(types[line->type].service));
    add_attribute(out, ",", "host.name", line->member->name);
    add_attribute(out, ",", "reeve.project.id", id_text(arena, line->cluster->project));
    add_attribute(out, ",", "reeve.cluster.name", line->cluster->name);
    add_attribute(out, ",", "reeve.log", str_from(types[line->type].name));
    buf_add_text(out, "]},\"scopeLogs\":[{\"scope\":{\"name\":\"reeve-agent\",\"version\":\"" REEVE_VERSION
                      "\"},\"logRecords\":[");
}

static void
add_record(struct buf *out, const struct log_line *line)
{
    str word;
    enum log_severity severity = log_line_severity(line->text, &word);
    /* 64-bit numbers are texts in this protocol's JSON. */
    buf_format(out, "{\"timeUnixNano\":\"%lld\"", (long long)line->time_us * NS_PER_US);
    if (severity != SEVERITY_NONE) {
        buf_format(out, ",\"severityNumber\":%d", severity_numbers[severity]);
        add_text(out, ",\"severityText\":", word);
    }
    add_text(out, ",\"body\":{\"stringValue\":", line->text);
    buf_add_text(out, "}}");
}

static void
write_otlp(struct buf *out, struct arena *arena, const struct log_line *lines, size_t count)
{
    buf_add_text(out, "{\"resourceLogs\":[");
    for (size_t i = 0; i < count; i++) {
        bool is_first = i == 0 || lines[i].member != lines[i - 1].member || lines[i].type != lines[i - 1].type;
        if (is_first) {
            buf_add_text(out, i == 0 ? "" : "]}]},");
            open_resource(out, arena, &lines[i]);
        } else {
            buf_add_char(out, ',');
        }
        add_record(out, &lines[i]);
    }
    buf_add_text(out, "]}]}]}");
}

/* ---- One document an event ---- */
static void
write_events(struct buf *out, struct arena *arena, const struct log_line *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct log_line *line = &lines[i];
        buf_format(out, "{\"time\":%lld.%06lld", (long long)(line->time_us / US_PER_S),
                   (long long)(line->time_us % US_PER_S));
        add_text(out, ",\"host\":", line->member->name);
        buf_format(out, ",\"source\":\"%s\",\"sourcetype\":\"reeve:%s\"", types[line->type].name,
                   types[line->type].name);
        add_text(out, ",\"event\":", line->text);
        add_text(out, ",\"fields\":{\"project\":", id_text(arena, line->cluster->project));
        add_text(out, ",\"cluster\":", line->cluster->name);
        buf_add_text(out, "}}\n");
    }
}

/* ---- A list of documents ---- */
static void
write_items(struct buf *out, struct arena *arena, const struct log_line *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct log_line *line = &lines[i];
        str word;
        enum log_severity severity = log_line_severity(line->text, &word);
        buf_format(out, "%s{\"timestamp\":%lld", i == 0 ? "[" : ",", (long long)(line->time_us / US_PER_MS));
        buf_format(out, ",\"ddsource\":\"%s\",\"service\":\"%s\"", types[line->type].service, types[line->type].name);
        add_text(out, ",\"hostname\":", line->member->name);
        add_text(out, ",\"ddtags\":",
                 str_format(arena, "project:%s,cluster:%s", id_text(arena, line->cluster->project).data,
                            line->cluster->name.data));
        if (severity != SEVERITY_NONE)
            add_text(out, ",\"status\":", word);
        add_text(out, ",\"message\":", line->text);
        buf_add_char(out, '}');
    }
    buf_add_char(out, ']');
}

str
log_message(struct arena *arena, enum goal_log_form form, const struct log_line *lines, size_t count)
{
    static void (*const writers[])(struct buf *, struct arena *, const struct log_line *, size_t) = {
        [LOG_FORM_OTLP] = write_otlp,
        [LOG_FORM_EVENTS] = write_events,
        [LOG_FORM_ITEMS] = write_items,
    };
    struct buf out = buf_in(arena, LOG_MESSAGE_MAX_BYTES);
    if (form >= LOG_FORM_UNKNOWN || count == 0)
        return STR_EMPTY;
    writers[form](&out, arena, lines, count);
    return arena_is_exhausted(arena) ? STR_EMPTY : buf_str(&out);
}
