/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/restore/gate_last.h"

#include <errno.h>

#include "base/date.h"
#include "base/disk_below.h"
#include "base/failpoint.h"
#include "base/json.h"
#include "engine/postgres/backup/receive_config.h"
#include "wire/lsn.h"

enum { STATE_BYTES = 4 * 1024 * 1024, SEGMENT_BYTES = 64 * 1024 * 1024, MOST_FILES = 4096, SEGMENT_DIGITS = 24 };

#define SERVED_FILE "key/served.json" /* root's own */
#define PARTIAL     ".partial"
#define HISTORY     ".history"

/* The last span and the window, as the receiver said; the copies that are made after this have at least that. */
static str
what_was_received(struct gate_pass *pass)
{
    str text;
    json_t *said = NULL;
    if (!disk_below_read(pass->arena, pass->seat_folder.data, SEAT_STATE_FILE, STATE_BYTES, pass->user, &text) ||
        json_parse_within(pass->arena, text, STATE_BYTES, &said) != OK)
        return STR("{}");
    const json_t *spans = json_object_get(said, "spans");
    const json_t *span = json_array_size(spans) == 0 ? NULL : json_array_get(spans, json_array_size(spans) - 1);
    str lsn = json_str(json_object_get(said, "receivedLsn"));
    int64_t to_ms = json_integer_value(json_object_get(span, "toMs"));
    if (!lsn_is_valid(lsn))
        return STR("{}");
    json_t *served = json_in(pass->arena, json_pack("{s:s}", "lsn", lsn.data));
    if (to_ms > 0)
        json_object_set_new(served, "at", json_string(date_text(pass->arena, to_ms).data));
    return json_text(pass->arena, served);
}

/* ---- Names ---- */
struct listing {
    struct arena *arena;
    size_t count;
    str names[MOST_FILES];
};

static bool
is_hexadecimal(str text)
{
    return text.len > 0 && strspn(text.data, "0123456789ABCDEF") >= text.len;
}

/* Segments, the one that is being written, and histories; nothing else is served, whatever lies there. */
static bool
is_wal(str name)
{
    if (str_ends_with(name, STR(HISTORY)))
        return is_hexadecimal(str_slice(name, 0, name.len - strlen(HISTORY)));
    if (str_ends_with(name, STR(PARTIAL)))
        name = str_slice(name, 0, name.len - strlen(PARTIAL));
    return name.len == SEGMENT_DIGITS && is_hexadecimal(name);
}

static bool
list_one(void *context, const char *entry)
{
    struct listing *list = context;
    if (is_wal(str_from(entry)) && list->count < MOST_FILES)
        list->names[list->count++] = str_dup(list->arena, str_from(entry));
    return true;
}

/* ---- Copies ---- */
/* One that is gone has got its whole name, or is in the repository by now. */
static error
copy_one(struct gate_pass *pass, str name)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(SEGMENT_BYTES + STATE_BYTES);
    str from = str_format(pass->arena, SEAT_WAL "/%s", name.data), content;
    if (str_ends_with(name, STR(PARTIAL)))
        name = str_slice(name, 0, name.len - strlen(PARTIAL));
    str to = str_format(pass->arena, "last/%.*s", STR_ARG(name));
    if (arena == NULL)
        return fail(pass->arena, OVERLOADED);
    if (!disk_below_read(arena, pass->seat_folder.data, from.data, SEGMENT_BYTES, pass->user, &content))
        return errno == ENOENT ? OK
                               : problem(pass->arena, "%s/%s cannot be read: %s.", pass->seat_folder.data, from.data,
                                         strerror(errno));
    failpoint("agent:gate:copy:before");
    return disk_below_replace(pass->folder.data, to.data, content, 0640, pass->files)
               ? OK
               : problem(pass->arena, "%s/%s cannot be written: %s.", pass->folder.data, to.data, strerror(errno));
}

/* The piece that is being written first: when it is gone in the second look, the whole one is there or was stored meanwhile. */
static error
copy_all(struct gate_pass *pass, bool partial, struct listing *list)
{
    list->count = 0;
    if (!disk_below_each(pass->seat_folder.data, SEAT_WAL, list_one, list))
        return problem(pass->arena, "%s/" SEAT_WAL " cannot be read: %s.", pass->seat_folder.data, strerror(errno));
    for (size_t i = 0; i < list->count; i++) {
        if (str_ends_with(list->names[i], STR(PARTIAL)) == partial)
            TRY(copy_one(pass, list->names[i]));
    }
    return OK;
}

error
gate_last_copy(struct gate_pass *pass)
{
    struct listing *list = arena_alloc(pass->arena, sizeof(*list));
    if (list == NULL)
        return fail(pass->arena, OVERLOADED);
    list->arena = pass->arena;
    /* What was put aside since the gate was open last must not be served any more. */
    if (!disk_remove_tree(str_format(pass->arena, "%s/last", pass->folder.data).data) ||
        !disk_below_make_folder(pass->folder.data, "last", 0750, pass->files))
        return problem(pass->arena, "%s/last cannot be made: %s.", pass->folder.data, strerror(errno));
    str served = what_was_received(pass);
    TRY(copy_all(pass, true, list));
    TRY(copy_all(pass, false, list));
    if (!disk_below_replace(pass->folder.data, SERVED_FILE, served, 0600, (struct disk_owner){ 0, 0 }))
        return problem(pass->arena, "%s/" SERVED_FILE " cannot be written: %s.", pass->folder.data, strerror(errno));
    return OK;
}

void
gate_last_served(struct gate_pass *pass, str *ret_lsn, str *ret_at)
{
    str text;
    *ret_lsn = *ret_at = STR_EMPTY;
    if (!disk_below_read(pass->arena, pass->folder.data, SERVED_FILE, STATE_BYTES, 0, &text))
        return;
    json_t *served = json_parse_own(pass->arena, text);
    *ret_lsn = json_str(json_object_get(served, "lsn"));
    *ret_at = json_str(json_object_get(served, "at"));
}
