/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/seat/seat_spans.h"

#include "engine/postgres/backup/wal_place.h"

static bool
lsn_of(const json_t *object, const char *name, uint64_t *ret_lsn)
{
    return lsn_parse(json_text_at(object, name), ret_lsn);
}

static bool
is_longer_than_nothing(const json_t *span)
{
    uint64_t from, to;
    return lsn_of(span, "fromLsn", &from) && lsn_of(span, "toLsn", &to) && from < to;
}

static bool
is_in(const json_t *span, const json_t *hole)
{
    uint64_t from, to, hole_from, hole_to;
    return json_int_at(span, "ordinal") == json_int_at(hole, "ordinal") && lsn_of(span, "fromLsn", &from) &&
           lsn_of(span, "toLsn", &to) && lsn_of(hole, "fromLsn", &hole_from) && lsn_of(hole, "toLsn", &hole_to) &&
           from <= hole_from && hole_from < hole_to && hole_to <= to;
}

static void
set(json_t *span, const char *name, json_t *value)
{
    json_object_set(span, name, value);
}

static void
set_ms(json_t *span, const char *name, int64_t ms)
{
    json_object_set_new(span, name, json_integer(ms));
}

/* Gives the piece before the hole; the span is what is left behind it. */
static json_t *
split(json_t *span, const json_t *hole)
{
    json_t *before = json_copy(span);
    int64_t before_ms = json_int_at(hole, "beforeMs"), after_ms = json_int_at(hole, "afterMs");
    int64_t from_ms = json_int_at(span, "fromMs"), to_ms = json_int_at(span, "toMs");
    set(before, "toLsn", json_object_get(hole, "fromLsn"));
    set(before, "toTimeline", json_object_get(hole, "beforeTimeline"));
    set(before, "endedBy", json_object_get(hole, "why"));
    set_ms(before, "toMs", before_ms >= from_ms && before_ms <= to_ms ? before_ms : from_ms);
    set(span, "fromLsn", json_object_get(hole, "toLsn"));
    set(span, "fromTimeline", json_object_get(hole, "afterTimeline"));
    set_ms(span, "fromMs", after_ms >= from_ms && after_ms <= to_ms ? after_ms : to_ms);
    return before;
}

static void
add(json_t *spans, json_t *span)
{
    json_object_set_new(span, "ordinal", json_integer((json_int_t)json_array_size(spans)));
    json_array_append_new(spans, span);
}

json_t *
seat_spans(struct arena *arena, const json_t *wal, const json_t *kept)
{
    json_t *spans = json_in(arena, json_array());
    const json_t *told, *hole;
    size_t i, k;
    json_array_foreach(spans == NULL ? NULL : json_object_get(wal, "spans"), i, told)
    {
        json_t *rest = json_copy((json_t *)(uintptr_t)told);
        json_array_foreach(json_object_get(kept, "holes"), k, hole)
        {
            if (!is_in(rest, hole))
                continue;
            json_t *before = split(rest, hole);
            if (is_longer_than_nothing(before))
                add(spans, before);
            else
                json_decref(before);
        }
        if (json_text_at(rest, "endedBy").len == 0 || is_longer_than_nothing(rest))
            add(spans, rest);
        else
            json_decref(rest);
    }
    return spans;
}
