/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/drill/drill_fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/disk.h"
#include "base/failpoint.h"
#include "engine/postgres/backup/receive_config.h"
#include "engine/postgres/backup/wal_place.h"
#include "engine/postgres/drill/drill_files.h"
#include "engine/program.h"

enum { SAID_BYTES = 64 * 1024, MOST_WORDS = 16, HISTORY_BYTES = 256 * 1024 };

struct fetch {
    struct arena *arena;
    str seat, folder;
    json_t *order;
    struct drill_story story;
    uint64_t segment_bytes;
    struct wal_history *history; /* of the timeline that recovery goes to */
};

static str
ordered(const struct fetch *fetch, const char *name)
{
    return json_str(json_object_get(fetch->order, name));
}

/* ---- pgBackRest ---- */
/*
 * The repository is mounted read-only in this unit, so locks are kept elsewhere. What `ret_said` has when it failed without saying ERROR: it
 * looked, and there is none.
 */
static error
pgbackrest(struct fetch *fetch, const char *const *words, str *ret_said)
{
    struct arena *arena = fetch->arena;
    const char *argv[MOST_WORDS + 6] = {
        "/usr/bin/pgbackrest",
        str_format(arena, "--config=%s/" SEAT_PUSH_CONFIG, fetch->seat.data).data,
        str_format(arena, "--stanza=%s", ordered(fetch, "stanza").data).data,
        str_format(arena, "--pg1-path=%s/" DRILL_DATA, fetch->folder.data).data,
        str_format(arena, "--lock-path=%s/spool", fetch->folder.data).data,
    };
    size_t count = 5;
    for (size_t i = 0; words[i] != NULL && i < MOST_WORDS; i++)
        argv[count++] = words[i];
    argv[count] = NULL;
    return program_ask(arena, argv, STR_EMPTY, SAID_BYTES, ret_said);
}

/*
 * A superuser of the source could have made a tablespace, or a link, that leads anywhere: into the repository itself, for one. All tablespaces
 * go into the drill's own folder, and links are restored as what they lead to.
 */
static error
restore(struct fetch *fetch)
{
    str set = str_format(fetch->arena, "--set=%s", ordered(fetch, "label").data), ignored;
    str tablespaces =
        str_format(fetch->arena, "--tablespace-map-all=%s/" DRILL_DATA "/reeve_tablespaces", fetch->folder.data);
    const char *const words[] = { set.data, tablespaces.data, "--type=none", "--archive-mode=off", "restore", NULL };
    TRY(drill_story_phase(&fetch->story, "restore"));
    failpoint("drill:restore:before");
    TRY(pgbackrest(fetch, words, &ignored));
    failpoint("drill:restore:after");
    return OK;
}

/* ---- Files of WAL ---- */
static bool
is_error(str said)
{
    return said.len > 0 && memmem(said.data, said.len, "ERROR", strlen("ERROR")) != NULL;
}

static error
copy(struct fetch *fetch, const char *from, const char *to, bool *ret_found)
{
    int in = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), out = -1;
    struct stat status;
    *ret_found =
        in >= 0 && fstat(in, &status) == 0 && (out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)) >= 0;
    ssize_t got = 1;
    for (off_t at = 0; *ret_found && got > 0 && at < status.st_size;)
        got = sendfile(out, in, &at, (size_t)(status.st_size - at));
    error why = got >= 0 ? OK : problem(fetch->arena, "%s cannot be copied: %s.", from, strerror(errno));
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return why;
}

/* From the repository, or from what was received and is not stored yet. A file goes from one to the other meanwhile: so twice. */
static error
get_file(struct fetch *fetch, str name, bool *ret_found)
{
    static const char *const suffixes[] = { "", ".partial" };
    str to = str_format(fetch->arena, "%s/" DRILL_WAL "/%s", fetch->folder.data, name.data), said;
    const char *const words[] = { "archive-get", name.data, to.data, NULL };
    *ret_found = false;
    for (int try = 0; try < 2; try++) {
        error why = pgbackrest(fetch, words, &said);
        *ret_found = why == OK;
        if (*ret_found || is_error(said))
            return why;
        for (size_t i = 0; i < LENGTH(suffixes); i++) {
            str from = str_format(fetch->arena, "%s/" SEAT_WAL "/%s%s", fetch->seat.data, name.data, suffixes[i]);
            TRY(copy(fetch, from.data, to.data, ret_found));
            if (*ret_found)
                return OK;
        }
    }
    return OK;
}

static error
read_segment_bytes(struct fetch *fetch)
{
    static const char mark[] = "Bytes per WAL segment:";
    str data = str_format(fetch->arena, "%s/" DRILL_DATA, fetch->folder.data), said;
    str program = drill_program(fetch->arena, ordered(fetch, "majorVersion"), "pg_controldata");
    const char *const argv[] = { program.data, data.data, NULL };
    TRY(program_ask(fetch->arena, argv, STR_EMPTY, SAID_BYTES, &said));
    const char *found = memmem(said.data, said.len, mark, strlen(mark));
    str rest = found == NULL ? STR_EMPTY : str_slice(said, (size_t)(found - said.data) + strlen(mark), said.len);
    int64_t bytes;
    if (!str_to_int(str_trim(str_cut(&rest, '\n')), 1 << 20, 1 << 30, &bytes))
        return problem(fetch->arena, "pg_controldata does not say how large files of WAL are.");
    fetch->segment_bytes = (uint64_t)bytes;
    return OK;
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
    TRY(read_segment_bytes(fetch));
    if (!wal_place_parse(ordered(fetch, "from"), fetch->segment_bytes, &place))
        return problem(fetch->arena, "The backup does not say where its WAL begins.");
    if (ordered(fetch, "until").len > 0)
        return get_wal_of_backup(fetch, place);
    TRY(follow_timelines(fetch, place.timeline));
    failpoint("drill:wal:before");
    for (; found; place.segment++)
        TRY(get_segment(fetch, place.segment, &found));
    failpoint("drill:wal:after");
    return OK;
}

error
drill_fetch_run(struct arena *arena, str seat, str folder)
{
    struct fetch fetch = { .arena = arena, .seat = seat, .folder = folder };
    fetch.history = ARENA_ARRAY(arena, struct wal_history, 1);
    if (fetch.history == NULL)
        return fail(arena, OVERLOADED);
    TRY(drill_order_read(arena, folder, &fetch.order));
    TRY(drill_story_begin(arena, folder, DRILL_FETCHED_FILE, &fetch.story));
    error why = restore(&fetch);
    if (why == OK)
        why = get_wal(&fetch);
    return drill_story_end(&fetch.story, why);
}
