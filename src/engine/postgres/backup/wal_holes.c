/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/backup/wal_holes.h"

#include <stdlib.h>

#include "engine/postgres/backup/keep.h"
#include "engine/postgres/backup/wal_folder.h"

enum { LINE_BYTES_LEAST = WAL_NAME_DIGITS };

/* Segments from one to another, the last not included. */
struct range {
    uint64_t from, to;
};
struct places {
    size_t count;
    struct wal_place *items; /* sorted */
};
struct look {
    struct arena *arena;
    const struct wal_look *given;
    uint64_t segment_bytes;
    struct places present, damaged;
    size_t own_count;
    struct range *own; /* what each backup needs for itself */
    uint64_t all_from; /* from here on everything is needed */
};

/* ---- What is there ---- */
static int
compare(const void *a, const void *b)
{
    return wal_place_compare(*(const struct wal_place *)a, *(const struct wal_place *)b);
}

static bool
has(const struct places *places, struct wal_place place)
{
    return places->count > 0 && bsearch(&place, places->items, places->count, sizeof(place), compare) != NULL;
}

/* "000000010000000000000003-<sum>.zst"; histories and labels of backups are none. */
static bool
read_name(str name, uint64_t segment_bytes, struct wal_place *ret_place)
{
    return name.len > WAL_NAME_DIGITS && name.data[WAL_NAME_DIGITS] == '-' &&
           wal_place_parse(str_slice(name, 0, WAL_NAME_DIGITS), segment_bytes, ret_place);
}

static void
add_damaged(struct look *look)
{
    const json_t *one;
    size_t i;
    json_array_foreach(look->given->damaged, i, one)
    {
        if (read_name(json_str(one), look->segment_bytes, &look->damaged.items[look->damaged.count]))
            look->damaged.count++;
    }
    qsort(look->damaged.items, look->damaged.count, sizeof(*look->damaged.items), compare);
}

static void
add_present(struct look *look)
{
    for (str rest = look->given->listed; rest.len > 0;) {
        str name = str_trim(str_cut(&rest, '\n'));
        struct wal_place place;
        for (str after = name; after.len > 0;) /* behind the last slash */
            name = str_cut(&after, '/');
        if (read_name(name, look->segment_bytes, &place) && !has(&look->damaged, place))
            look->present.items[look->present.count++] = place;
    }
    qsort(look->present.items, look->present.count, sizeof(*look->present.items), compare);
}

/* ---- What must be there ---- */
static bool
segment_of(const json_t *backup, const char *end, uint64_t segment_bytes, uint64_t *ret_segment)
{
    uint64_t lsn;
    if (!lsn_parse(json_text_at(json_object_get(backup, "lsn"), end), &lsn))
        return false;
    *ret_segment = lsn / segment_bytes;
    return true;
}

/* Where WAL was removed, only backups have what they need for themselves. */
static void
add_needs(struct look *look)
{
    const json_t *backup;
    size_t i;
    bool is_shortened = look->given->shortened_ms > 0;
    look->all_from = is_shortened ? UINT64_MAX : 0;
    json_array_foreach(keep_backups(look->given->info), i, backup)
    {
        struct range own;
        if (!segment_of(backup, "start", look->segment_bytes, &own.from) ||
            !segment_of(backup, "stop", look->segment_bytes, &own.to))
            continue;
        own.to++;
        look->own[look->own_count++] = own;
        int64_t end_ms = json_int_at(json_object_get(backup, "timestamp"), "stop") * 1000;
        if (str_is(json_text_at(backup, "type"), "full") && end_ms >= look->given->shortened_ms &&
            own.from < look->all_from)
            look->all_from = own.from;
    }
}

static bool
is_needed(const struct look *look, uint64_t segment)
{
    if (segment >= look->all_from)
        return true;
    for (size_t i = 0; i < look->own_count; i++) {
        if (segment >= look->own[i].from && segment < look->own[i].to)
            return true;
    }
    return false;
}

/* Whose file has it on the way to that timeline: PostgreSQL looks for the newest one first. */
static uint32_t
owner(const struct look *look, const struct wal_history *history, uint64_t segment)
{
    uint32_t timeline = history->timeline;
    for (size_t i = history->count; i > 0; i--) {
        if (segment >= history->forks[i - 1].lsn / look->segment_bytes)
            return timeline;
        timeline = history->forks[i - 1].timeline;
    }
    return timeline;
}

/* ---- When it was ---- */
static int64_t
mark_ms(const json_t *mark)
{
    return json_integer_value(json_array_get(mark, 1));
}

static uint64_t
mark_lsn(const json_t *mark)
{
    return (uint64_t)json_integer_value(json_array_get(mark, 0));
}

/*
 * The last moment whose commits all lie before the position; -1: none of the span is known. PostgreSQL finds no end at a segment that is there and damaged,
 * so it must find a later commit before that: there it is one mark less.
 */
static int64_t
ms_before(const json_t *marks, uint64_t lsn, bool is_damaged, int64_t span_from_ms)
{
    int skip = is_damaged ? 1 : 0;
    for (size_t i = json_array_size(marks); i > 0; i--) {
        const json_t *mark = json_array_get(marks, i - 1);
        if (mark_lsn(mark) <= lsn && skip-- == 0)
            return mark_ms(mark) >= span_from_ms ? mark_ms(mark) : -1;
    }
    return -1;
}

/* The first that is known to lie behind it. */
static int64_t
ms_after(const json_t *marks, uint64_t lsn)
{
    int64_t found = -1;
    for (size_t i = json_array_size(marks); i > 0 && mark_lsn(json_array_get(marks, i - 1)) >= lsn; i--)
        found = mark_ms(json_array_get(marks, i - 1));
    return found;
}

/* ---- What is not there ---- */
static struct wal_place
place_of(const struct look *look, const struct wal_history *history, uint64_t segment)
{
    return (struct wal_place){ owner(look, history, segment), segment };
}

static str
sentence(const struct look *look, const struct wal_history *history, struct range hole)
{
    struct wal_place first = place_of(look, history, hole.from), last = place_of(look, history, hole.to - 1);
    const char *what = has(&look->damaged, first) ? "damaged" : "missing";
    str from = wal_place_text(look->arena, first, look->segment_bytes);
    if (hole.to - hole.from == 1)
        return str_format(look->arena, "WAL is %s in the repository: %s.", what, from.data);
    return str_format(look->arena, "WAL is %s in the repository: from %s to %s.", what, from.data,
                      wal_place_text(look->arena, last, look->segment_bytes).data);
}

static void
add_hole(const struct look *look, const json_t *span, const struct wal_history *history, struct range hole,
         json_t *holes)
{
    const json_t *marks = json_object_get(look->given->memory, "marks");
    uint64_t from = hole.from * look->segment_bytes, to = hole.to * look->segment_bytes;
    bool is_damaged = has(&look->damaged, place_of(look, history, hole.from));
    json_array_append_new(
        holes, json_pack("{s:O, s:s, s:s, s:I, s:I, s:I, s:I, s:s}", "ordinal", json_object_get(span, "ordinal"),
                         "fromLsn", lsn_text(look->arena, from).data, "toLsn", lsn_text(look->arena, to).data,
                         "beforeTimeline", (json_int_t)owner(look, history, hole.from - 1), "afterTimeline",
                         (json_int_t)owner(look, history, hole.to), "beforeMs",
                         (json_int_t)ms_before(marks, from, is_damaged, json_int_at(span, "fromMs")), "afterMs",
                         (json_int_t)ms_after(marks, to), "why", sentence(look, history, hole).data));
}

static error
look_at_span(const struct look *look, const json_t *span, json_t *holes)
{
    struct wal_history *history = ARENA_ARRAY(look->arena, struct wal_history, 1);
    uint32_t timeline = (uint32_t)json_int_at(span, "toTimeline");
    struct range all, hole = { 0, 0 };
    if (history == NULL)
        return fail(look->arena, OVERLOADED);
    if (!lsn_parse(json_text_at(span, "fromLsn"), &all.from) || !lsn_parse(json_text_at(span, "toLsn"), &all.to))
        return problem(look->arena, "A span of WAL makes no sense.");
    if (!wal_folder_history(look->arena, look->given->folder, timeline, history))
        return problem(look->arena,
                       "The history of timeline %u is gone: whether WAL is missing in the repository is not seen.",
                       timeline);
    all = (struct range){ all.from / look->segment_bytes, all.to / look->segment_bytes };
    for (uint64_t segment = all.from; segment < all.to; segment++) {
        if (has(&look->present, place_of(look, history, segment)) || !is_needed(look, segment))
            continue;
        if (hole.to != segment && hole.to > 0)
            add_hole(look, span, history, hole, holes);
        hole = (struct range){ hole.to == segment && hole.to > 0 ? hole.from : segment, segment + 1 };
    }
    if (hole.to > 0)
        add_hole(look, span, history, hole, holes);
    return OK;
}

static bool
make_room(struct look *look)
{
    size_t lines = look->given->listed.len / LINE_BYTES_LEAST + 1;
    look->present.items = ARENA_ARRAY(look->arena, struct wal_place, lines);
    look->damaged.items = ARENA_ARRAY(look->arena, struct wal_place, json_array_size(look->given->damaged) + 1);
    look->own = ARENA_ARRAY(look->arena, struct range, json_array_size(keep_backups(look->given->info)) + 1);
    return look->present.items != NULL && look->damaged.items != NULL && look->own != NULL;
}

error
wal_holes(struct arena *arena, const struct wal_look *given, json_t **ret_holes)
{
    struct look look = { .arena = arena, .given = given };
    json_t *holes = json_in(arena, json_array());
    const json_t *span;
    size_t i;
    look.segment_bytes = (uint64_t)json_int_at(given->memory, "segmentBytes");
    if (holes == NULL || !make_room(&look))
        return fail(arena, OVERLOADED);
    if (look.segment_bytes > 0) { /* else nothing was ever stored */
        add_damaged(&look);
        add_present(&look);
        add_needs(&look);
        json_array_foreach(json_object_get(given->memory, "spans"), i, span) TRY(look_at_span(&look, span, holes));
    }
    *ret_holes = holes;
    return OK;
}
