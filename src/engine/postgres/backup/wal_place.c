/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/backup/wal_place.h"

/* ---- Names and positions ---- */
static bool
hex_number(str digits, uint64_t *ret_number)
{
    uint64_t number = 0;
    if (digits.len == 0 || digits.len > 8)
        return false;
    for (size_t i = 0; i < digits.len; i++) {
        char c = digits.data[i];
        bool is_decimal = c >= '0' && c <= '9';
        char base = is_decimal ? '0' : (c >= 'A' && c <= 'F') ? 'A' : (c >= 'a' && c <= 'f') ? 'a' : '\0';
        if (base == '\0')
            return false;
        number = number << 4 | (uint64_t)(c - base + (is_decimal ? 0 : 10));
    }
    *ret_number = number;
    return true;
}

static uint64_t
segments_in_file_number(uint64_t segment_bytes)
{
    return (UINT64_C(1) << 32) / segment_bytes;
}

bool
wal_timeline_parse(str digits, uint32_t *ret_timeline)
{
    uint64_t number;
    if (digits.len != 8 || !hex_number(digits, &number) || number == 0)
        return false;
    *ret_timeline = (uint32_t)number;
    return true;
}

bool
wal_place_parse(str name, uint64_t segment_bytes, struct wal_place *ret_place)
{
    uint64_t timeline, high, low;
    if (name.len != WAL_NAME_DIGITS || !hex_number(str_slice(name, 0, 8), &timeline) ||
        !hex_number(str_slice(name, 8, 16), &high) || !hex_number(str_slice(name, 16, 24), &low) || timeline == 0 ||
        low >= segments_in_file_number(segment_bytes))
        return false;
    *ret_place = (struct wal_place){ (uint32_t)timeline, high * segments_in_file_number(segment_bytes) + low };
    return true;
}

str
wal_place_text(struct arena *arena, struct wal_place place, uint64_t segment_bytes)
{
    uint64_t each = segments_in_file_number(segment_bytes);
    return str_format(arena, "%08X%08X%08X", place.timeline, (unsigned)(place.segment / each),
                      (unsigned)(place.segment % each));
}

int
wal_place_compare(struct wal_place a, struct wal_place b)
{
    if (a.segment != b.segment)
        return a.segment < b.segment ? -1 : 1;
    return a.timeline == b.timeline ? 0 : a.timeline < b.timeline ? -1 : 1;
}

bool
lsn_parse(str text, uint64_t *ret_lsn)
{
    uint64_t high, low;
    str first = str_cut(&text, '/');
    if (!hex_number(first, &high) || !hex_number(text, &low))
        return false;
    *ret_lsn = high << 32 | low;
    return true;
}

str
lsn_text(struct arena *arena, uint64_t lsn)
{
    return str_format(arena, "%X/%X", (unsigned)(lsn >> 32), (unsigned)lsn);
}

/* ---- Histories ---- */
bool
wal_history_parse(uint32_t timeline, str text, struct wal_history *ret_history)
{
    struct wal_history *history = ret_history;
    history->timeline = timeline;
    history->count = 0;
    while (text.len > 0) {
        str line = str_trim(str_cut(&text, '\n'));
        int64_t ancestor;
        uint64_t lsn;
        if (line.len == 0 || line.data[0] == '#')
            continue;
        str number = str_cut(&line, '\t'), position = str_cut(&line, '\t');
        if (history->count == WAL_MOST_FORKS || !str_to_int(number, 1, UINT32_MAX, &ancestor) ||
            !lsn_parse(position, &lsn) || ancestor >= timeline)
            return false;
        history->forks[history->count++] = (struct wal_fork){ (uint32_t)ancestor, lsn };
    }
    return timeline == 1 || history->count > 0;
}

bool
wal_history_fork(const struct wal_history *history, uint32_t ancestor, uint64_t *ret_lsn)
{
    for (size_t i = 0; i < history->count; i++) {
        if (history->forks[i].timeline == ancestor) {
            *ret_lsn = history->forks[i].lsn;
            return true;
        }
    }
    return false;
}

/* ---- What follows what ---- */
/* The newest timeline that is both an ancestor of `own`, or itself, and one of `to`, or itself; and up to where both are the same. */
static bool
common_ancestor(struct wal_place last, const struct wal_history *own, const struct wal_history *to,
                uint32_t *ret_ancestor, uint64_t *ret_own_fork)
{
    uint64_t ignored;
    if (last.timeline == to->timeline || wal_history_fork(to, last.timeline, &ignored)) {
        *ret_ancestor = last.timeline;
        *ret_own_fork = UINT64_MAX;
        return true;
    }
    for (size_t i = own == NULL ? 0 : own->count; i > 0; i--) {
        uint32_t timeline = own->forks[i - 1].timeline;
        if (timeline == to->timeline || wal_history_fork(to, timeline, &ignored)) {
            *ret_ancestor = timeline;
            *ret_own_fork = own->forks[i - 1].lsn;
            return true;
        }
    }
    return false;
}

static uint64_t
smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

bool
wal_next_segment(struct wal_place last, const struct wal_history *own, const struct wal_history *to,
                 uint64_t segment_bytes, uint64_t *ret_segment)
{
    uint32_t ancestor;
    uint64_t own_fork, fork = UINT64_MAX;
    if (!common_ancestor(last, own, to, &ancestor, &own_fork))
        return false;
    if (ancestor != to->timeline && !wal_history_fork(to, ancestor, &fork))
        return false;
    /* The segment of a fork is written once more by the timeline that begins there. */
    *ret_segment = smaller(last.segment + 1, smaller(own_fork, fork) / segment_bytes);
    return true;
}

bool
wal_follows(struct wal_place last, struct wal_place next, const struct wal_history *own, const struct wal_history *to,
            uint64_t segment_bytes)
{
    uint64_t segment;
    if (to->timeline != next.timeline || !wal_next_segment(last, own, to, segment_bytes, &segment) ||
        next.segment != segment)
        return false;
    /* And it is this timeline whose file has it, not one between. */
    return to->count == 0 || last.timeline == next.timeline || to->forks[to->count - 1].lsn / segment_bytes <= segment;
}

bool
wal_is_of(struct wal_place place, bool is_complete, const struct wal_history *history, uint64_t segment_bytes)
{
    uint64_t fork;
    if (place.timeline == history->timeline)
        return true;
    if (!wal_history_fork(history, place.timeline, &fork))
        return false;
    return is_complete ? (place.segment + 1) * segment_bytes <= fork : place.segment * segment_bytes < fork;
}

uint32_t
wal_timeline_at(const struct wal_history *history, uint64_t lsn)
{
    size_t i = 0;
    while (i < history->count && history->forks[i].lsn <= lsn)
        i++;
    return i < history->count ? history->forks[i].timeline : history->timeline;
}

bool
wal_is_mark(struct wal_place place, const struct wal_history *own, uint64_t segment_bytes)
{
    return own->count > 0 && (place.segment + 1) * segment_bytes <= own->forks[own->count - 1].lsn;
}

bool
wal_reaches(uint64_t reached, uint64_t end, uint64_t segment_bytes)
{
    enum { LONGEST_RECORD_BYTES = 1024 * 1024 }; /* none is as long */
    return reached + LONGEST_RECORD_BYTES + (end % segment_bytes == 0 ? segment_bytes : 0) >= end;
}

bool
wal_clocks_differ(int64_t skew_ms)
{
    enum { MOST_MS = 5 * 60 * 1000 };
    return skew_ms > MOST_MS || skew_ms < -MOST_MS;
}
