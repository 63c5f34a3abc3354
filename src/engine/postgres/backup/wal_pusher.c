/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/backup/wal_pusher.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/disk.h"
#include "base/failpoint.h"
#include "base/log.h"
#include "engine/postgres/backup/wal_folder.h"
#include "engine/program.h"

enum { LOOK_MS = 100, ARENA_BYTES = 64 * 1024 * 1024, CLEAR_MS = 3600 * 1000, AGAIN_MS = 1000, AGAIN_MOST_MS = 30000 };

struct pusher {
    const struct receive_config *config;
    struct wal_state *state;
    struct wal_source *source;
};

static error
pgbackrest(struct pusher *pusher, struct arena *arena, const char *file, const char *command, const char *argument)
{
    str config = str_format(arena, "--config=%s/%s", pusher->config->folder.data, file);
    str stanza = str_format(arena, "--stanza=%s", pusher->config->stanza.data);
    const char *const argv[] = { "/usr/bin/pgbackrest", config.data, stanza.data, command, argument, NULL };
    return program_run(arena, argv, STR_EMPTY);
}

/* The first copy of the control plane's own database makes it (own_copy.h): before that pgBackRest has nothing that says which server it is. */
static error
find_stanza(struct pusher *pusher, struct arena *arena, bool *ret_found)
{
    str path =
        str_format(arena, "%s/repo/archive/%s/archive.info", pusher->config->folder.data, pusher->config->stanza.data);
    *ret_found = wal_state_has_stanza(pusher->state) || disk_exists(path.data);
    return *ret_found && !wal_state_has_stanza(pusher->state) ? wal_state_made_stanza(pusher->state, arena) : OK;
}

/* It asks the members what they are, so it needs them; done twice it changes nothing. */
static error
make_stanza(struct pusher *pusher, struct arena *arena, bool *ret_found)
{
    if (pusher->config->connection.len > 0)
        return find_stanza(pusher, arena, ret_found);
    *ret_found = true;
    if (wal_state_has_stanza(pusher->state))
        return OK;
    failpoint("receive:stanza:before");
    TRY(pgbackrest(pusher, arena, SEAT_PULL_CONFIG, "stanza-create", NULL));
    failpoint("receive:stanza:after");
    return wal_state_made_stanza(pusher->state, arena);
}

static error
push_histories(struct pusher *pusher, struct arena *arena, const struct wal_files *files)
{
    for (size_t i = 0; i < files->history_count; i++) {
        if (wal_state_has_history(pusher->state, files->histories[i]))
            continue;
        str path = str_format(arena, "%s/" SEAT_WAL "/%08X.history", pusher->config->folder.data, files->histories[i]);
        failpoint("receive:push-history:before");
        TRY(pgbackrest(pusher, arena, SEAT_PUSH_CONFIG, "archive-push", path.data));
        TRY(wal_state_pushed_history(pusher->state, arena, files->histories[i]));
    }
    return OK;
}

/* ---- Segments ---- */
static bool
is_new(struct wal_place place, struct wal_place last)
{
    return place.timeline > last.timeline || (place.timeline == last.timeline && place.segment > last.segment);
}

/* When it does not follow, what is missing is said, and something new begins: nobody is led to believe that there is no gap. */
static error
check_follows(struct pusher *pusher, struct arena *arena, struct wal_place place, uint64_t segment_bytes,
              bool *ret_is_mark)
{
    struct wal_history *own = ARENA_ARRAY(arena, struct wal_history, 1),
                       *to = ARENA_ARRAY(arena, struct wal_history, 1);
    struct wal_place last;
    if (own == NULL || to == NULL)
        return fail(arena, OVERLOADED);
    if (!wal_state_last(pusher->state, &last))
        return OK;
    if (!wal_folder_history(arena, pusher->config->folder, place.timeline, to))
        return problem(arena, "The history of timeline %u has not come yet.", place.timeline);
    *ret_is_mark = wal_is_mark(place, to, segment_bytes);
    bool has_own = wal_folder_history(arena, pusher->config->folder, last.timeline, own);
    if (*ret_is_mark || wal_follows(last, place, has_own ? own : NULL, to, segment_bytes))
        return OK;
    str reason = str_format(arena, "WAL between %s and %s is missing.", wal_place_text(arena, last, segment_bytes).data,
                            wal_place_text(arena, place, segment_bytes).data);
    log_line(LOG_ERROR, "wal_gap", "%.*s", STR_ARG(reason));
    return wal_state_begin_span(pusher->state, arena, place, reason);
}

static error
push_segments(struct pusher *pusher, struct arena *arena, const struct wal_files *files, uint64_t segment_bytes)
{
    for (size_t i = 0; i < files->count; i++) {
        struct wal_place last;
        const struct wal_file *file = &files->items[i];
        if (!file->is_complete || (wal_state_last(pusher->state, &last) && !is_new(file->place, last)))
            continue;
        bool is_mark = false;
        TRY(check_follows(pusher, arena, file->place, segment_bytes, &is_mark));
        if (is_mark)
            continue;
        failpoint("receive:push:before");
        TRY(pgbackrest(pusher, arena, SEAT_PUSH_CONFIG, "archive-push",
                       wal_folder_path(arena, pusher->config->folder, file, segment_bytes).data));
        failpoint("receive:push:after");
        TRY(wal_state_pushed(pusher->state, arena, file->place));
    }
    return OK;
}

/*
 * What is in the repository goes, but for the last complete file that is there: pg_receivewal goes on after that. An unfinished file of a timeline that
 * was left may have what no other server ever had, so it is put aside and not removed.
 */
static error
clear(struct pusher *pusher, struct arena *arena, const struct wal_files *files, uint64_t segment_bytes)
{
    struct wal_place last;
    const struct wal_file *highest = NULL;
    if (!wal_state_last(pusher->state, &last))
        return OK;
    for (size_t i = 0; i < files->count; i++) {
        const struct wal_file *file = &files->items[i];
        if (file->is_complete && (highest == NULL || wal_place_compare(file->place, highest->place) > 0))
            highest = file;
    }
    for (size_t i = 0; i < files->count; i++) {
        const struct wal_file *file = &files->items[i];
        if (file == highest || is_new(file->place, last))
            continue;
        if (file->is_complete)
            TRY(wal_folder_remove(arena, pusher->config->folder, file, segment_bytes));
        else if (wal_place_compare(file->place, last) < 0)
            TRY(wal_folder_put_aside(arena, pusher->config->folder, file, segment_bytes));
    }
    return OK;
}

static error
push_all(struct pusher *pusher, struct arena *arena)
{
    struct wal_files files;
    bool has_stanza;
    uint64_t segment_bytes = wal_state_segment_bytes(pusher->state);
    if (segment_bytes == 0)
        return OK; /* the primary has not said anything yet */
    TRY(make_stanza(pusher, arena, &has_stanza));
    if (!has_stanza)
        return OK;
    TRY(wal_state_follow_clock(pusher->state, arena));
    TRY(wal_folder_list(arena, pusher->config->folder, segment_bytes, &files));
    TRY(push_histories(pusher, arena, &files));
    TRY(push_segments(pusher, arena, &files, segment_bytes));
    return clear(pusher, arena, &files, segment_bytes);
}

static void *
run(void *context)
{
    struct pusher *pusher = context;
    int64_t cleared_ms = 0;
    int failures = 0;
    for (;;) {
        struct arena *arena CLEANUP(arena_cleanup) = arena_new(ARENA_BYTES);
        error why = arena == NULL ? WOULD_BLOCK : push_all(pusher, arena);
        wal_state_set_problem(pusher->state, true, why == OK ? STR_EMPTY : why->detail);
        if (why != OK && failures == 0)
            log_line(LOG_WARNING, "not_pushed", "%.*s", STR_ARG(why->detail));
        failures = why == OK ? 0 : failures + 1;
        if (arena != NULL && (cleared_ms == 0 || clock_steady_ms() - cleared_ms > CLEAR_MS)) {
            wal_folder_clear_aside(arena, pusher->config->folder);
            cleared_ms = clock_steady_ms();
        }
        clock_sleep_ms(failures == 0 ? LOOK_MS : backoff_ms((struct backoff){ AGAIN_MS, AGAIN_MOST_MS }, failures - 1));
    }
    return NULL;
}

bool
wal_pusher_start(const struct receive_config *config, struct wal_state *state, struct wal_source *source)
{
    pthread_t thread;
    struct pusher *pusher = calloc(1, sizeof(*pusher));
    if (pusher == NULL)
        return false;
    *pusher = (struct pusher){ config, state, source };
    if (pthread_create(&thread, NULL, run, pusher) != 0) {
        free(pusher);
        return false;
    }
    pthread_detach(thread);
    return true;
}
