/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/log/log_range.h"

#include <stdio.h>
#include <zlib.h>

#include "agent/log/log_line.h"

enum {
    OUT_BYTES = 64 * 1024,
    FAST = 1, /* twice as fast as zlib's own choice, for a tenth more bytes */
    GZIP_WINDOW = 15 + 16,
    MEMORY_LEVEL = 8,
    COMMENT_BYTES = 64,
    MOST_UNITS = 4,
    SILENT_LINES =
        100 * 1000, /* of other logs: then a part is ended, so that whoever waits sees that somebody is at work */
};

/* ---- What logs there are ---- */
static const char *const of_server[] = { "", NULL };
static const char *const of_backups[] = { "-backup", "-restore", NULL };
static const struct log_kind kinds[] = {
    { "postgres", of_server, LOG_POSTGRES },
    { "audit", of_server, LOG_POSTGRES_AUDIT },
    { "patroni", of_server, LOG_PATRONI },
    { "pgbackrest", of_backups, -1 },
};

const struct log_kind *
log_kind_find(str name)
{
    for (size_t i = 0; i < LENGTH(kinds); i++) {
        if (str_is(name, kinds[i].name))
            return &kinds[i];
    }
    return NULL;
}

bool
log_position_read(str text, struct log_position *ret_position)
{
    str moment = str_cut(&text, '-');
    return str_to_int(moment, 1, INT64_MAX, &ret_position->time_us) &&
           str_to_int(text, 0, INT32_MAX, &ret_position->taken);
}

/* ---- Lines, one after another ---- */
struct reading {
    struct journal *journal;
    const struct log_range *range;
    struct log_memory memory;
    struct log_position position; /* behind the line that was read last, of this log or of another */
};

static bool
begin(struct reading *reading, struct arena *arena)
{
    const struct log_range *range = reading->range;
    str units[MOST_UNITS];
    size_t count = 0;
    for (const char *const *suffix = range->kind->suffixes; *suffix != NULL && count < MOST_UNITS; suffix++)
        units[count++] = str_format(arena, "reeve-member-%s%s.service", id_text(arena, range->member).data, *suffix);
    bool goes_on = range->after.time_us > 0;
    reading->position = goes_on ? range->after : (struct log_position){ range->from_us, 0 };
    return !arena_is_exhausted(arena) && journal_choose(reading->journal, units, count) &&
           journal_go_to_moment(reading->journal, goes_on ? range->after.time_us : range->from_us);
}

static bool
is_wanted(struct reading *reading, const struct journal_entry *entry)
{
    enum log_type type;
    int wanted = reading->range->kind->type;
    return log_line_classify(&reading->memory, entry->program, entry->pid, entry->text, &type) &&
           (wanted < 0 || (int)type == wanted);
}

enum { NONE = 0, LINE = 1, NOT_YET = 2 };

/* The next line of this log; -1 when the journal cannot be read. `left` counts down those that were taken before. */
static int
next(struct reading *reading, int64_t *left, struct journal_entry *ret_entry)
{
    int found, passed = 0;
    while ((found = journal_next(reading->journal, ret_entry)) > 0) {
        if (ret_entry->time_us > reading->range->to_us)
            return NONE;
        bool is_wanted_line = is_wanted(reading, ret_entry); /* asked of all: lines of one message belong together */
        if (*left > 0 && ret_entry->time_us == reading->range->after.time_us) {
            --*left;
            continue;
        }
        bool is_same = ret_entry->time_us == reading->position.time_us;
        reading->position = (struct log_position){ ret_entry->time_us, is_same ? reading->position.taken + 1 : 1 };
        if (is_wanted_line)
            return LINE;
        if (++passed == SILENT_LINES)
            return NOT_YET;
    }
    return found;
}

bool
log_range_first(struct journal *journal, struct arena *arena, const struct log_range *range, int64_t *ret_time_us)
{
    struct reading reading = { .journal = journal, .range = range };
    struct journal_entry entry;
    if (!begin(&reading, arena))
        return false;
    int found = journal_next(journal, &entry);
    *ret_time_us = found > 0 ? entry.time_us : 0;
    return found >= 0;
}

/* ---- gzip ---- */
struct packing {
    z_stream stream;
    const struct log_sink *sink;
    unsigned char out[OUT_BYTES];
};

static bool
pack(struct packing *packing, str bytes, int flush)
{
    z_stream *stream = &packing->stream;
    stream->next_in = (Bytef *)(uintptr_t)bytes.data;
    stream->avail_in = (uInt)bytes.len;
    for (;;) {
        int result = deflate(stream, flush);
        bool is_over = flush == Z_FINISH ? result == Z_STREAM_END : stream->avail_in == 0;
        if (stream->avail_out == 0 || (is_over && flush == Z_FINISH)) {
            if (!packing->sink->take(packing->sink->context, packing->out, OUT_BYTES - stream->avail_out))
                return false;
            stream->next_out = packing->out;
            stream->avail_out = OUT_BYTES;
        }
        if (is_over)
            return true;
        if (result != Z_OK && result != Z_BUF_ERROR)
            return false;
    }
}

/* Further lines of one entry begin with a tab, as the server writes its own: no entry looks like two. */
static bool
pack_text(struct packing *packing, str text)
{
    ptrdiff_t at;
    while ((at = str_find(text, '\n')) >= 0) {
        if (!pack(packing, str_slice(text, 0, (size_t)at), Z_NO_FLUSH) || !pack(packing, STR("\n\t"), Z_NO_FLUSH))
            return false;
        text = str_slice(text, (size_t)at + 1, text.len);
    }
    return pack(packing, text, Z_NO_FLUSH) && pack(packing, STR("\n"), Z_NO_FLUSH);
}

static bool
packing_begin(struct packing *packing, gz_header *header)
{
    packing->stream = (z_stream){ .next_out = packing->out, .avail_out = OUT_BYTES };
    if (deflateInit2(&packing->stream, FAST, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    return header == NULL || deflateSetHeader(&packing->stream, header) == Z_OK;
}

static bool
end_part(struct packing *packing)
{
    return pack(packing, STR_EMPTY, Z_FINISH) && deflateReset(&packing->stream) == Z_OK;
}

/* gzip files can stand one behind another. An empty one at the end says where the next question goes on; programs that unpack
 * it do not notice. */
static bool
pack_position(struct packing *packing, const struct log_position *position)
{
    char comment[COMMENT_BYTES];
    gz_header header = { .os = 3, .comment = (Bytef *)comment };
    snprintf(comment, sizeof(comment), LOG_POSITION_NAME "%lld-%lld", (long long)position->time_us,
             (long long)position->taken);
    if (!packing_begin(packing, &header))
        return false;
    bool is_taken = pack(packing, STR_EMPTY, Z_FINISH);
    deflateEnd(&packing->stream);
    return is_taken;
}

int
log_range_send(struct journal *journal, struct arena *arena, const struct log_range *range, const struct log_sink *sink)
{
    struct reading reading = { .journal = journal, .range = range };
    struct journal_entry entry;
    struct packing packing = { .sink = sink };
    int64_t left = range->after.taken;
    int found = -1;
    if (!begin(&reading, arena) || !packing_begin(&packing, NULL))
        return -1;
    bool is_taken = true;
    while (is_taken && (found = next(&reading, &left, &entry)) > 0)
        is_taken = found == LINE ? pack_text(&packing, entry.text) : end_part(&packing);
    is_taken = is_taken && found == 0 && pack(&packing, STR_EMPTY, Z_FINISH);
    deflateEnd(&packing.stream);
    if (found < 0)
        return -1;
    return is_taken && pack_position(&packing, &reading.position) ? 1 : 0;
}
