/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/report.h"

#include "base/date.h"
#include "base/id.h"
#include "base/net/net.h"
#include "wire/goal_restore.h"
#include "wire/lsn.h"
#include "wire/peering/report_peering.h"

/* ---- The tables: what may be said ---- */
enum kind {
    KIND_ID,     /* 24 hexadecimal digits */
    KIND_TEXT,   /* at most `max` bytes */
    KIND_LONG,   /* a sentence: what is beyond `max` bytes is cut off */
    KIND_CHOICE, /* one of the words in `choices` */
    KIND_COUNT,  /* whole number from 0 to `max` */
    KIND_NUMBER, /* above 0, at most `max` */
    KIND_BOOL,
    KIND_ADDRESS, /* IPv4 or IPv6 */
    KIND_TEXTS,   /* a list of at most `max` texts */
    KIND_IDS,     /* a list of at most `max` identifiers */
    KIND_DATE,
    KIND_LSN, /* a place in WAL: 0/5000148 */
};

struct said_field {
    const char *name;
    enum kind kind;
    bool is_needed;
    int64_t max;
    const char *const *choices;
    const char *fallback; /* as JSON, when it is not said or null; NULL: then it is left out */
};
enum { TEXT_BYTES = 256, LIST_MAX = 20000, CHOICES_BYTES = 1024 };
#define COUNT_MAX ((int64_t)1 << 53)

// clang-format off
static const struct said_field fact_fields[] = {
    { "agentVersion",     KIND_TEXT,    false, 64,            NULL, NULL },
    { "patroniVersion",   KIND_TEXT,    false, 64,            NULL, NULL },
    { "postgresVersions", KIND_TEXTS,   false, 32,            NULL, NULL },
    { "pgbackrestVersion", KIND_TEXT,   false, 64,            NULL, NULL },
    { "extensions",       KIND_TEXTS,   false, 1024,          NULL, NULL },
    { "cpus",             KIND_NUMBER,  false, 65536,         NULL, NULL },
    { "memoryMb",         KIND_COUNT,   false, INT32_MAX,     NULL, NULL },
    { "diskGb",           KIND_COUNT,   false, INT32_MAX,     NULL, NULL },
    { "address",          KIND_ADDRESS, false, 0,             NULL, NULL },
    { "walls",            KIND_TEXTS,   false, 8192,          NULL, NULL },
    { "encrypts",         KIND_BOOL,    false, 0,             NULL, NULL },
    { "keys",             KIND_TEXTS,   false, 8192,          NULL, NULL },
};
static const struct said_field member_fields[] = {
    { "id",               KIND_ID,      true,     0,         NULL, NULL },
    { "unit",             KIND_TEXT,    false,        32,        NULL, "\"unknown\"" },
    { "role",             KIND_CHOICE,  false,        0,         report_role_words, "\"NONE\"" },
    { "running",          KIND_TEXT,    false,        64,        NULL, "\"unknown\"" },
    { "timeline",         KIND_COUNT,   false,    COUNT_MAX, NULL, "null" },
    { "lagBytes",         KIND_COUNT,   false,    COUNT_MAX, NULL, "null" },
    { "version",          KIND_TEXT,    false,    64,        NULL, "null" },
    { "goalGeneration",   KIND_COUNT,   false,        COUNT_MAX, NULL, "0" },
    { "accessGeneration", KIND_COUNT,   false,        COUNT_MAX, NULL, "0" },
    { "restartNonce",     KIND_COUNT,   false,        COUNT_MAX, NULL, "0" },
    { "pendingRestart",   KIND_BOOL,    false,        0,         NULL, "false" },
    { "problem",          KIND_LONG,    false,    1024,      NULL, "null" },
    { "pooler",           KIND_CHOICE,  false,        0,         report_pooler_words, "\"OFF\"" },
};
static const struct said_field task_fields[] = {
    { "id",               KIND_ID,      true,     0,         NULL, NULL },
    { "outcome",          KIND_CHOICE,  true,     0,         report_task_words, NULL },
    { "detail",           KIND_LONG,    false,    4096,      NULL, "\"\"" },
};
static const char *const copy_types[] = { "FULL", "INCR", NULL };
static const char *const copy_states[] = { "IN_PROGRESS", "COMPLETED", "FAILED", NULL };
static const char *const copy_frequencies[] = { "hourly", "daily", "weekly", "monthly", "yearly", NULL };
static const struct said_field seat_fields[] = {
    { "id",               KIND_ID,      true,     0,         NULL, NULL },
    { "unit",             KIND_TEXT,    false,    32,        NULL, "\"unknown\"" },
    { "problem",          KIND_LONG,    false,    1024,      NULL, "null" },
    { "receivedLsn",      KIND_LSN,     false,    0,         NULL, "null" },
    { "timeline",         KIND_COUNT,   false,    COUNT_MAX, NULL, "null" },
    { "lagBytes",         KIND_COUNT,   false,    COUNT_MAX, NULL, "null" },
    { "lagMs",            KIND_COUNT,   false,    COUNT_MAX, NULL, "null" },
    { "windowFrom",       KIND_DATE,    false,    0,         NULL, "null" },
    { "windowTo",         KIND_DATE,    false,    0,         NULL, "null" },
    { "usedBytes",        KIND_COUNT,   false,    COUNT_MAX, NULL, "null" },
};
static const struct said_field span_fields[] = { /* of a seat */
    { "ordinal",          KIND_COUNT,   true,     INT32_MAX, NULL, NULL },
    { "fromLsn",          KIND_LSN,     false,    0,         NULL, "null" },
    { "toLsn",            KIND_LSN,     false,    0,         NULL, "null" },
    { "fromTimeline",     KIND_COUNT,   false,    COUNT_MAX, NULL, "null" },
    { "toTimeline",       KIND_COUNT,   false,    COUNT_MAX, NULL, "null" },
    { "fromAt",           KIND_DATE,    false,    0,         NULL, "null" },
    { "toAt",             KIND_DATE,    false,    0,         NULL, "null" },
    { "endedBy",          KIND_LONG,    false,    1024,      NULL, "null" },
};
static const struct said_field copy_fields[] = { /* of a snapshot, at a seat */
    { "id",               KIND_ID,      true,     0,         NULL, NULL },
    { "label",            KIND_TEXT,    false,    64,        NULL, "null" },
    { "type",             KIND_CHOICE,  false,    0,         copy_types, "null" },
    { "needs",            KIND_TEXTS,   false,    1000,      NULL, "[]" },
    { "state",            KIND_CHOICE,  true,     0,         copy_states, NULL },
    { "frequency",        KIND_CHOICE,  false,    0,         copy_frequencies, "null" },
    { "policyItems",      KIND_IDS,     false,    64,        NULL, "[]" },
    { "createdAt",        KIND_DATE,    false,    0,         NULL, "null" },
    { "finishedAt",       KIND_DATE,    false,    0,         NULL, "null" },
    { "expiresAt",        KIND_DATE,    false,    0,         NULL, "null" },
    { "timeline",         KIND_COUNT,   false,    COUNT_MAX, NULL, "null" },
    { "startLsn",         KIND_LSN,     false,    0,         NULL, "null" },
    { "stopLsn",          KIND_LSN,     false,    0,         NULL, "null" },
    { "sizeBytes",        KIND_COUNT,   false,    COUNT_MAX, NULL, "null" },
    { "deltaBytes",       KIND_COUNT,   false,    COUNT_MAX, NULL, "null" },
    { "serverVersion",    KIND_TEXT,    false,    64,        NULL, "null" },
    { "problem",          KIND_LONG,    false,    1024,      NULL, "null" },
};
static const struct said_field gate_fields[] = {
    { "id",               KIND_ID,      true,     0,         NULL, NULL },
    { "state",            KIND_CHOICE,  true,     0,         report_gate_words, NULL },
    { "problem",          KIND_LONG,    false,    1024,      NULL, "null" },
    { "servedLsn",        KIND_LSN,     false,    0,         NULL, "null" },
    { "servedAt",         KIND_DATE,    false,    0,         NULL, "null" },
};
static const struct said_field relay_fields[] = {
    { "id",               KIND_ID,      true,     0,         NULL, NULL },
    { "state",            KIND_CHOICE,  true,     0,         report_relay_words, NULL },
    { "problem",          KIND_LONG,    false,    1024,      NULL, "null" },
    { "clients",          KIND_TEXTS,   false,    256,       NULL, "[]" },
};
static const struct said_field peering_fields[] = {
    { "id",               KIND_ID,      true,     0,         NULL, NULL },
    { "state",            KIND_CHOICE,  true,     0,         report_peering_words, NULL },
    { "problem",          KIND_LONG,    false,    1024,      NULL, "null" },
    { "publicKey",        KIND_TEXT,    false,    44,        NULL, "null" },
    { "handshakeAt",      KIND_DATE,    false,    0,         NULL, "null" },
};
static const struct said_field restore_fields[] = { /* of a member */
    { "id",               KIND_ID,      true,     0,         NULL, NULL },
    { "state",            KIND_CHOICE,  true,     0,         report_restore_words, NULL },
    { "phase",            KIND_CHOICE,  false,    0,         goal_restore_phase_words, "null" },
    { "problem",          KIND_LONG,    false,    1024,      NULL, "null" },
    { "doneBytes",        KIND_COUNT,   false,    COUNT_MAX, NULL, "null" },
    { "totalBytes",       KIND_COUNT,   false,    COUNT_MAX, NULL, "null" },
    { "reachedLsn",       KIND_LSN,     false,    0,         NULL, "null" },
    { "reachedAt",        KIND_DATE,    false,    0,         NULL, "null" },
};
static const struct said_field drill_fields[] = { /* of a seat */
    { "id",               KIND_ID,      true,     0,         NULL, NULL },
    { "state",            KIND_CHOICE,  true,     0,         report_drill_words, NULL },
    { "problem",          KIND_LONG,    false,    1024,      NULL, "null" },
    { "label",            KIND_TEXT,    false,    64,        NULL, "null" },
    { "startedAt",        KIND_DATE,    false,    0,         NULL, "null" },
    { "finishedAt",       KIND_DATE,    false,    0,         NULL, "null" },
    { "recoveryPoint",    KIND_DATE,    false,    0,         NULL, "null" },
    { "rtoMs",            KIND_COUNT,   false,    COUNT_MAX, NULL, "null" },
    { "dataBytes",        KIND_COUNT,   false,    COUNT_MAX, NULL, "null" },
    { "serverVersion",    KIND_TEXT,    false,    256,       NULL, "null" },
};
static const char *const drill_phases[] = { "restore", "wal", "recover", "check", NULL };
static const struct said_field phase_fields[] = { /* of a drill */
    { "name",             KIND_CHOICE,  true,     0,         drill_phases, NULL },
    { "startedAt",        KIND_DATE,    false,    0,         NULL, "null" },
    { "ms",               KIND_COUNT,   false,    COUNT_MAX, NULL, "null" },
};
static const struct said_field check_fields[] = { /* of a drill */
    { "name",             KIND_LONG,    true,     160,       NULL, NULL },
    { "database",         KIND_LONG,    false,    160,       NULL, "null" },
    { "result",           KIND_CHOICE,  true,     0,         report_check_words, NULL },
    { "sentence",         KIND_LONG,    false,    1024,      NULL, "null" },
    { "tables",           KIND_COUNT,   false,    COUNT_MAX, NULL, "null" },
    { "rows",             KIND_COUNT,   false,    COUNT_MAX, NULL, "null" },
};
static const struct said_field export_fields[] = { /* of a seat */
    { "id",               KIND_ID,      true,     0,         NULL, NULL },
    { "state",            KIND_CHOICE,  true,     0,         report_export_words, NULL },
    { "code",             KIND_TEXT,    false,    64,        NULL, "null" },
    { "problem",          KIND_LONG,    false,    1024,      NULL, "null" },
    { "startedAt",        KIND_DATE,    false,    0,         NULL, "null" },
    { "finishedAt",       KIND_DATE,    false,    0,         NULL, "null" },
    { "tablesDone",       KIND_COUNT,   false,    COUNT_MAX, NULL, "null" },
    { "tablesTotal",      KIND_COUNT,   false,    COUNT_MAX, NULL, "null" },
};
static const struct said_field download_fields[] = { /* of a seat */
    { "id",               KIND_ID,      true,     0,         NULL, NULL },
    { "state",            KIND_CHOICE,  true,     0,         report_download_words, NULL },
    { "problem",          KIND_LONG,    false,    1024,      NULL, "null" },
    { "bytes",            KIND_COUNT,   false,    COUNT_MAX, NULL, "null" },
    { "sha256",           KIND_TEXT,    false,    64,        NULL, "null" },
};
static const struct said_field log_fields[] = { /* kept with the facts, too */
    { "id",               KIND_ID,      true,     0,         NULL, NULL },
    { "state",            KIND_CHOICE,  true,     0,         report_log_words, NULL },
    { "detail",           KIND_LONG,    false,    1024,      NULL, "\"\"" },
};
static const struct said_field report_fields[] = {
    { "epoch",            KIND_COUNT,   true,     COUNT_MAX, NULL, NULL },
    { "version",          KIND_COUNT,   true,     COUNT_MAX, NULL, NULL },
};
static const struct said_field state_fields[] = { /* kept with the facts */
    { "bootId",           KIND_TEXT,    false,    64,        NULL, NULL },
    { "strays",           KIND_TEXTS,   false,        1000,      NULL, "[]" },
};
// clang-format on

/* ---- One field ---- */
static const char *
name_choices(struct arena *arena, const char *const *choices)
{
    struct buf out = buf_in(arena, CHOICES_BYTES);
    buf_add_text(&out, "it must be one of");
    for (; *choices != NULL; choices++)
        buf_format(&out, " %s", *choices);
    return buf_str(&out).data;
}

/* Not in the middle of a character. */
static size_t
cut_length(str text, size_t max)
{
    if (text.len <= max)
        return text.len;
    while (max > 0 && ((unsigned char)text.data[max] & 0xC0) == 0x80)
        max--;
    return max;
}

/* Lists of texts or identifiers. */
static const char *
why_not_list(const struct said_field *field, const json_t *value, struct arena *arena)
{
    id parsed;
    if (!json_is_array(value) || json_array_size(value) > (size_t)field->max)
        return str_format(arena, "it must be a list of at most %lld texts", (long long)field->max).data;
    for (size_t i = 0; i < json_array_size(value); i++) {
        str item = json_str(json_array_get(value, i));
        if (field->kind == KIND_IDS && !id_parse(item, &parsed))
            return "its items must be 24 hexadecimal digits";
        if (item.len == 0 || item.len > TEXT_BYTES)
            return "its items must be texts of at most 256 bytes";
    }
    return NULL;
}

/* What it must be, for the message; NULL when it is fine. */
static const char *
why_not(const struct said_field *field, const json_t *value, struct arena *arena)
{
    str text = json_str(value);
    struct net_address address;
    id parsed;
    int64_t moment;
    switch (field->kind) {
    case KIND_ID: return id_parse(text, &parsed) ? NULL : "it must be 24 hexadecimal digits";
    case KIND_TEXT:
        if (json_is_string(value) && text.len <= (size_t)field->max)
            return NULL;
        return str_format(arena, "it must be a text of at most %lld bytes", (long long)field->max).data;
    case KIND_LONG: return json_is_string(value) ? NULL : "it must be a text";
    case KIND_CHOICE: return str_word(text, field->choices) >= 0 ? NULL : name_choices(arena, field->choices);
    case KIND_COUNT:
        if (json_is_integer(value) && json_integer_value(value) >= 0 && json_integer_value(value) <= field->max)
            return NULL;
        return str_format(arena, "it must be a whole number from 0 to %lld", (long long)field->max).data;
    case KIND_NUMBER:
        return json_is_number(value) && json_number_value(value) > 0 && json_number_value(value) <= (double)field->max
                   ? NULL
                   : "it must be a number above 0";
    case KIND_BOOL: return json_is_boolean(value) ? NULL : "it must be true or false";
    case KIND_ADDRESS: return net_parse_address(text, &address) ? NULL : "it must be an address";
    case KIND_DATE: return date_parse(text, &moment) ? NULL : "it must be a date such as 2027-01-01T00:00:00Z";
    case KIND_LSN: return lsn_is_valid(text) ? NULL : "it must be a place in WAL such as 0/5000148";
    case KIND_TEXTS:
    case KIND_IDS: break;
    }
    return why_not_list(field, value, arena);
}

static error
take_field(struct arena *arena, const char *path, const struct said_field *field, const json_t *said, json_t *into)
{
    json_t *value = json_object_get(said, field->name), *taken;
    if (value == NULL || json_is_null(value)) {
        if (field->is_needed)
            return fail(arena, MISSING_ATTRIBUTE, V(str_format(arena, "%s%s", path, field->name)));
        if (field->fallback == NULL)
            return OK;
        taken = json_loads(field->fallback, JSON_DECODE_ANY, NULL);
    } else {
        const char *must_be = why_not(field, value, arena);
        if (must_be != NULL)
            return fail(arena, INVALID_ATTRIBUTE_VALUE, V(str_format(arena, "%s%s", path, field->name)), V(must_be));
        str text = json_str(value);
        int64_t moment = 0;
        if (field->kind == KIND_LONG)
            taken = json_stringn(text.data, cut_length(text, (size_t)field->max));
        else if (field->kind == KIND_DATE && date_parse(text, &moment)) /* the database's own time zone is not asked */
            taken = json_string(date_text(arena, moment).data);
        else
            taken = json_incref(value);
    }
    return json_object_set_new(into, field->name, taken) == 0 ? OK : fail(arena, OVERLOADED);
}

static error
take_fields(struct arena *arena, const char *path, const struct said_field *fields, size_t count, const json_t *said,
            json_t *into)
{
    for (size_t i = 0; i < count; i++)
        TRY(take_field(arena, path, &fields[i], said, into));
    return OK;
}

/* ---- Lists of objects ---- */
/* `name` is the list's path as well, in front of which `before` stands: "seats[3].". */
static error
take_list(struct arena *arena, const char *before, const char *name, const struct said_field *fields, size_t count,
          const json_t *said, json_t *into)
{
    json_t *list = json_object_get(said, name), *taken = json_array();
    if (taken == NULL || json_object_set_new(into, name, taken) != 0)
        return fail(arena, OVERLOADED);
    if (list == NULL || json_is_null(list))
        return OK;
    if (!json_is_array(list) || json_array_size(list) > LIST_MAX)
        return fail(arena, INVALID_ATTRIBUTE_VALUE, V(str_format(arena, "%s%s", before, name)),
                    V("it must be a list of at most 20000 objects"));
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *item = json_object();
        if (item == NULL || json_array_append_new(taken, item) != 0)
            return fail(arena, OVERLOADED);
        char path[96];
        snprintf(path, sizeof(path), "%s%s[%zu].", before, name, i);
        if (!json_is_object(json_array_get(list, i)))
            return fail(arena, INVALID_ATTRIBUTE_VALUE, V(str_format(arena, "%s%s[%zu]", before, name, i)),
                        V("it must be an object"));
        TRY(take_fields(arena, path, fields, count, json_array_get(list, i), item));
    }
    return OK;
}

/* An object in each member that has one. */
static error
take_restores(struct arena *arena, const json_t *said, json_t *into)
{
    json_t *members = json_object_get(into, "members");
    for (size_t i = 0; i < json_array_size(members); i++) {
        json_t *from = json_object_get(json_array_get(json_object_get(said, "members"), i), "restore");
        char path[48];
        if (from == NULL || json_is_null(from))
            continue;
        json_t *restore = json_object();
        snprintf(path, sizeof(path), "members[%zu].restore.", i);
        if (restore == NULL || json_object_set_new(json_array_get(members, i), "restore", restore) != 0)
            return fail(arena, OVERLOADED);
        if (!json_is_object(from))
            return fail(arena, INVALID_ATTRIBUTE_VALUE, V(str_format(arena, "members[%zu].restore", i)),
                        V("it must be an object"));
        TRY(take_fields(arena, path, restore_fields, LENGTH(restore_fields), from, restore));
    }
    return OK;
}

/* An object of a seat, if it has it: NULL in *ret_taken when it has not. */
static error
take_object(struct arena *arena, const char *before, const char *name, const struct said_field *fields, size_t count,
            const json_t *said, json_t *into, json_t **ret_taken)
{
    const json_t *from = json_object_get(said, name);
    *ret_taken = NULL;
    if (from == NULL || json_is_null(from))
        return OK;
    json_t *taken = json_object();
    if (taken == NULL || json_object_set_new(into, name, taken) != 0)
        return fail(arena, OVERLOADED);
    if (!json_is_object(from))
        return fail(arena, INVALID_ATTRIBUTE_VALUE, V(str_format(arena, "%s%s", before, name)),
                    V("it must be an object"));
    *ret_taken = taken;
    return take_fields(arena, str_format(arena, "%s%s.", before, name).data, fields, count, from, taken);
}

static error
take_drill(struct arena *arena, const char *before, const json_t *said, json_t *into)
{
    const json_t *drill = json_object_get(said, "drill");
    json_t *taken;
    str path = str_format(arena, "%sdrill.", before);
    TRY(take_object(arena, before, "drill", drill_fields, LENGTH(drill_fields), said, into, &taken));
    if (taken == NULL)
        return OK;
    TRY(take_list(arena, path.data, "phases", phase_fields, LENGTH(phase_fields), drill, taken));
    return take_list(arena, path.data, "checks", check_fields, LENGTH(check_fields), drill, taken);
}

static error
take_download(struct arena *arena, const char *before, const json_t *said, json_t *into)
{
    const json_t *download = json_object_get(said, "download");
    if (download == NULL || json_is_null(download))
        return OK;
    json_t *taken = json_object();
    str path = str_format(arena, "%sdownload.", before);
    if (taken == NULL || json_object_set_new(into, "download", taken) != 0)
        return fail(arena, OVERLOADED);
    if (!json_is_object(download))
        return fail(arena, INVALID_ATTRIBUTE_VALUE, V(str_format(arena, "%sdownload", before)),
                    V("it must be an object"));
    return take_fields(arena, path.data, download_fields, LENGTH(download_fields), download, taken);
}

/* What a seat has beside its fields. An empty list of snapshots says that there are none; without a list it is not known now, and nothing may follow from that. */
static error
take_seat_parts(struct arena *arena, const char *path, const json_t *from, json_t *seat)
{
    const json_t *snapshots = json_object_get(from, "snapshots");
    TRY(take_list(arena, path, "spans", span_fields, LENGTH(span_fields), from, seat));
    TRY(take_drill(arena, path, from, seat));
    if (snapshots == NULL || json_is_null(snapshots))
        return OK;
    return take_list(arena, path, "snapshots", copy_fields, LENGTH(copy_fields), from, seat);
}

/* The control plane's own database, as a repository host keeps it: a seat that no goal knows. */
static error
take_own_database(struct arena *arena, const json_t *said, json_t *into)
{
    json_t *taken;
    TRY(take_object(arena, "", "ownDatabase", seat_fields, LENGTH(seat_fields), said, into, &taken));
    return taken == NULL ? OK : take_seat_parts(arena, "ownDatabase.", json_object_get(said, "ownDatabase"), taken);
}

static error
take_seats(struct arena *arena, const json_t *said, json_t *into)
{
    TRY(take_list(arena, "", "seats", seat_fields, LENGTH(seat_fields), said, into));
    json_t *seats = json_object_get(into, "seats");
    for (size_t i = 0; i < json_array_size(seats); i++) {
        json_t *seat = json_array_get(seats, i), *from = json_array_get(json_object_get(said, "seats"), i), *ignored;
        char path[48];
        snprintf(path, sizeof(path), "seats[%zu].", i);
        TRY(take_seat_parts(arena, path, from, seat));
        TRY(take_object(arena, path, "export", export_fields, LENGTH(export_fields), from, seat, &ignored));
        TRY(take_download(arena, path, from, seat));
    }
    return OK;
}

/* ---- Documents ---- */
error
report_parse(struct arena *arena, str body, json_t **ret_object)
{
    TRY(json_parse_within(arena, body, REPORT_MAX_BYTES, ret_object));
    return json_is_object(*ret_object) ? OK : fail(arena, INVALID_JSON, V("it must be an object"));
}

error
report_read_facts(struct arena *arena, const char *path, const json_t *facts, json_t **ret_facts)
{
    *ret_facts = json_in(arena, json_object());
    if (*ret_facts == NULL)
        return fail(arena, OVERLOADED);
    if (facts == NULL || json_is_null(facts))
        return OK;
    if (!json_is_object(facts))
        return fail(arena, INVALID_ATTRIBUTE_VALUE, V("facts"), V("it must be an object"));
    return take_fields(arena, path, fact_fields, LENGTH(fact_fields), facts, *ret_facts);
}

error
report_read(struct arena *arena, str body, struct report *ret_report)
{
    json_t *said, *facts, *taken = json_in(arena, json_object());
    if (taken == NULL)
        return fail(arena, OVERLOADED);
    TRY(report_parse(arena, body, &said));
    TRY(take_fields(arena, "", report_fields, LENGTH(report_fields), said, taken));
    TRY(report_read_facts(arena, "facts.", json_object_get(said, "facts"), &facts));
    TRY(take_fields(arena, "", state_fields, LENGTH(state_fields), said, facts));
    TRY(take_list(arena, "", "logs", log_fields, LENGTH(log_fields), said, facts));
    if (json_object_set(taken, "facts", facts) != 0)
        return fail(arena, OVERLOADED);
    TRY(take_list(arena, "", "members", member_fields, LENGTH(member_fields), said, taken));
    TRY(take_restores(arena, said, taken));
    TRY(take_list(arena, "", "tasks", task_fields, LENGTH(task_fields), said, taken));
    TRY(take_seats(arena, said, taken));
    TRY(take_own_database(arena, said, taken));
    TRY(take_list(arena, "", "gates", gate_fields, LENGTH(gate_fields), said, taken));
    TRY(take_list(arena, "", "relays", relay_fields, LENGTH(relay_fields), said, taken));
    TRY(take_list(arena, "", "peerings", peering_fields, LENGTH(peering_fields), said, taken));
    ret_report->epoch = json_integer_value(json_object_get(taken, "epoch"));
    ret_report->json = json_text(arena, taken);
    return ret_report->json.len > 0 ? OK : fail(arena, OVERLOADED);
}
