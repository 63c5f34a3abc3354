/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/drill/drill_fetch.h"

#include "base/disk.h"
#include "base/failpoint.h"
#include "engine/postgres/backup/bring.h"
#include "engine/postgres/backup/wal_place.h"
#include "engine/postgres/drill/drill_files.h"

enum { HISTORY_BYTES = 256 * 1024 };

struct fetch {
    struct arena *arena;
    str folder;
    json_t *order;
    struct bring bring;
    struct drill_story story;
    uint64_t segment_bytes;
    struct wal_history *history; /* of the timeline that recovery goes to */
};

static str
ordered(const struct fetch *fetch, const char *name)
{
    return json_str(json_object_get(fetch->order, name));
}

static error
restore(struct fetch *fetch)
{
    TRY(drill_story_phase(&fetch->story, "restore"));
    failpoint("drill:restore:before");
    TRY(bring_backup(&fetch->bring));
    failpoint("drill:restore:after");
    return OK;
}

/* ---- Files of WAL ---- */
static error
get_file(struct fetch *fetch, str name, bool *ret_found)
{
    str to = str_format(fetch->arena, "%s/" DRILL_WAL "/%s", fetch->folder.data, name.data);
    return bring_wal(&fetch->bring, name, to, ret_found);
}

/* As PostgreSQL looks for the newest timeline: one after the other, as long as there is a history. */
static error
follow_timelines(struct fetch *fetch, uint32_t first)
{
    *fetch->history = (struct wal_history){ .timeline = first };
    for (uint32_t timeline = first; timeline < UINT32_MAX; timeline++) {
        str name = str_format(fetch->arena, "%08X.history", timeline), text;
        str path = str_format(fetch->arena, "%s/" DRILL_WAL "/%s", fetch->folder.data, name.data);
        bool found = false;
        if (timeline > 1)
            TRY(get_file(fetch, name, &found));
        if (timeline > first && !found)
            return OK;
        if (found && (!disk_read(fetch->arena, path.data, HISTORY_BYTES, &text) ||
                      !wal_history_parse(timeline, text, fetch->history)))
            return problem(fetch->arena, "%s cannot be understood.", name.data);
    }
    return OK;
}

/* The newest timeline that has the segment, as PostgreSQL looks for it; older ones when it has not. */
static error
get_segment(struct fetch *fetch, uint64_t segment, bool *ret_found)
{
    const struct wal_history *history = fetch->history;
    *ret_found = false;
    for (size_t i = history->count + 1; i > 0 && !*ret_found; i--) {
        uint32_t timeline = i > history->count ? history->timeline : history->forks[i - 1].timeline;
        uint64_t begin = i < 2 ? 0 : history->forks[i - 2].lsn / fetch->segment_bytes;
        struct wal_place place = { timeline, segment };
        if (segment >= begin)
            TRY(get_file(fetch, wal_place_text(fetch->arena, place, fetch->segment_bytes), ret_found));
    }
    return OK;
}

/* Where a backup does not say it, a program of the server's version does. */
static error
find_segment_bytes(struct fetch *fetch)
{
    int64_t said = json_int_at(fetch->order, "segmentBytes");
    fetch->segment_bytes = (uint64_t)said;
    return said > 0 ? OK : bring_segment_bytes(&fetch->bring, &fetch->segment_bytes);
}

/* Only what the backup itself needs: its own timeline, up to where it ended. */
static error
get_wal_of_backup(struct fetch *fetch, struct wal_place place)
{
    struct wal_place until;
    bool found = true;
    if (!wal_place_parse(ordered(fetch, "until"), fetch->segment_bytes, &until))
        return problem(fetch->arena, "The backup does not say where its WAL ends.");
    *fetch->history = (struct wal_history){ .timeline = place.timeline };
    for (; found && place.segment <= until.segment; place.segment++)
        TRY(get_segment(fetch, place.segment, &found));
    return found ? OK : problem(fetch->arena, "WAL that the backup needs is missing in the repository.");
}

static error
get_wal(struct fetch *fetch)
{
    struct wal_place place;
    bool found = true;
    TRY(drill_story_phase(&fetch->story, "wal"));
    TRY(find_segment_bytes(fetch));
    json_object_set_new(fetch->story.said, "segmentBytes", json_integer((json_int_t)fetch->segment_bytes));
    if (!wal_place_parse(ordered(fetch, "from"), fetch->segment_bytes, &place))
        return problem(fetch->arena, "The backup does not say where its WAL begins.");
    if (ordered(fetch, "until").len > 0)
        return get_wal_of_backup(fetch, place);
    TRY(follow_timelines(fetch, place.timeline));
    json_object_set_new(fetch->story.said, "timeline", json_integer(fetch->history->timeline));
    failpoint("drill:wal:before");
    for (; found; place.segment++)
        TRY(get_segment(fetch, place.segment, &found));
    failpoint("drill:wal:after");
    return OK;
}

error
drill_fetch_run(struct arena *arena, str seat, str folder)
{
    struct fetch fetch = { .arena = arena, .folder = folder };
    fetch.history = ARENA_ARRAY(arena, struct wal_history, 1);
    if (fetch.history == NULL)
        return fail(arena, OVERLOADED);
    TRY(drill_order_read(arena, folder, &fetch.order));
    fetch.bring = (struct bring){ .arena = arena,
                                  .seat = seat,
                                  .folder = folder,
                                  .stanza = ordered(&fetch, "stanza"),
                                  .label = ordered(&fetch, "label"),
                                  .major_version = ordered(&fetch, "majorVersion") };
    TRY(drill_story_begin(arena, folder, DRILL_FETCHED_FILE, &fetch.story));
    error why = restore(&fetch);
    if (why == OK)
        why = get_wal(&fetch);
    return drill_story_end(&fetch.story, why);
}
