/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/backup/receive.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/failpoint.h"
#include "base/log.h"
#include "engine/postgres/backup/newest_program.h"
#include "engine/postgres/backup/wal_folder.h"
#include "engine/postgres/backup/wal_pusher.h"

enum {
    TICK_MS = 100,
    PUBLISH_MS = 1000,
    AGAIN_MS = 200,          /* a receiver that ended is started again */
    SETTLED_MS = 1000,       /* after that a slot says what this receiver has, and not who had it before */
    FILL_FOR_MS = 60 * 1000, /* members are asked for what the primary no longer has */
    WORDS_BYTES = 8192,
    TICK_ARENA_BYTES = 64 * 1024 * 1024,
};

struct receiver {
    const struct receive_config *config;
    struct wal_state *state;
    struct wal_source *source;
    str program;

    pid_t child; /* 0: none */
    int words;   /* what it says, a file in memory */
    int64_t started_ms, start_at_ms, published_ms;
    uint64_t received;

    /* While the primary has no longer what comes next, it is fetched from a member that has. */
    bool fills;
    int fill_member; /* that is asked now, or next */
    int64_t fill_since_ms;
};

/* ---- pg_receivewal ---- */
static error
start(struct receiver *receiver, struct arena *arena, const char *const *argv)
{
    static char *const environment[] = { "PATH=/usr/bin:/bin", "LANG=C.UTF-8", "HOME=/nonexistent", NULL };
    posix_spawn_file_actions_t actions;
    if (receiver->words >= 0)
        close(receiver->words);
    receiver->words = memfd_create("pg_receivewal", MFD_CLOEXEC);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, receiver->words, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, receiver->words, STDERR_FILENO);
    int why = receiver->words < 0
                  ? errno
                  : posix_spawn(&receiver->child, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environment);
    posix_spawn_file_actions_destroy(&actions);
    if (why != 0) {
        receiver->child = 0;
        return problem(arena, "%s cannot be run: %s.", argv[0], strerror(why));
    }
    receiver->started_ms = clock_steady_ms();
    return OK;
}

/* From the primary, through the slot that keeps what has not been received. Each write is on this disk before it is confirmed. */
static error
pull(struct receiver *receiver, struct arena *arena)
{
    str folder = str_format(arena, "--directory=%s/" SEAT_WAL, receiver->config->folder.data);
    str slot = str_format(arena, "--slot=%s", receiver->config->slot.data);
    str from = str_format(arena, "--dbname=%s", receive_conninfo(arena, receiver->config, -1).data);
    const char *const argv[] = { receiver->program.data,
                                 "--no-loop",
                                 "--synchronous",
                                 "--status-interval=2",
                                 folder.data,
                                 slot.data,
                                 from.data,
                                 NULL };
    failpoint("receive:pull:before");
    return start(receiver, arena, argv);
}

/* From any member, without a slot, up to where the primary has it again. */
static error
pull_from(struct receiver *receiver, struct arena *arena, int member, uint64_t until)
{
    str folder = str_format(arena, "--directory=%s/" SEAT_WAL, receiver->config->folder.data);
    str end = str_format(arena, "--endpos=%s", lsn_text(arena, until).data);
    str from = str_format(arena, "--dbname=%s", receive_conninfo(arena, receiver->config, member).data);
    const char *const argv[] = {
        receiver->program.data, "--no-loop", "--synchronous", folder.data, end.data, from.data, NULL
    };
    log_line(LOG_WARNING, "wal_from_member", "What the primary no longer has is asked of %s.",
             receiver->config->members[member].name.data);
    failpoint("receive:fill:before");
    return start(receiver, arena, argv);
}

static str
last_words(struct receiver *receiver, struct arena *arena)
{
    char words[WORDS_BYTES];
    off_t size = lseek(receiver->words, 0, SEEK_END);
    off_t from = size > WORDS_BYTES ? size - WORDS_BYTES : 0;
    ssize_t got = pread(receiver->words, words, sizeof(words), from);
    return got <= 0 ? STR_EMPTY : str_dup(arena, (str){ words, (size_t)got });
}

/* The last line says what ended it, unless that is only that it has ended. */
static str
sentence_of(struct arena *arena, str words)
{
    str last = STR_EMPTY;
    while (words.len > 0) {
        str line = str_trim(str_cut(&words, '\n'));
        if (line.len > 0 && (last.len == 0 || !str_ends_with(line, STR("error: disconnected"))))
            last = line;
    }
    return str_dup(arena, last);
}

/* ---- Files of a timeline that was left ---- */
static error
put_others_aside(struct receiver *receiver, struct arena *arena, const struct wal_files *files,
                 const struct wal_history *to, uint64_t segment_bytes, size_t *ret_count)
{
    for (size_t i = 0; i < files->count; i++) {
        if (wal_is_of(files->items[i].place, files->items[i].is_complete, to, segment_bytes))
            continue;
        failpoint("receive:aside:before");
        TRY(wal_folder_put_aside(arena, receiver->config->folder, &files->items[i], segment_bytes));
        (*ret_count)++;
    }
    return OK;
}

/* The segment that comes after what is stored, on the way to the primary's timeline. False: there is none, a gap, and the pusher says so. */
static bool
next_to_store(struct receiver *receiver, struct arena *arena, const struct wal_history *to, uint64_t segment_bytes,
              uint64_t *ret_segment)
{
    struct wal_history *own = ARENA_ARRAY(arena, struct wal_history, 1);
    struct wal_place last;
    if (own == NULL || !wal_state_last(receiver->state, &last))
        return false;
    bool has_own = wal_folder_history(arena, receiver->config->folder, last.timeline, own);
    return wal_next_segment(last, has_own ? own : NULL, to, segment_bytes, ret_segment);
}

/*
 * pg_receivewal goes on after the highest file. Two things keep it from that for ever:
 * - The receiver has more of the old timeline than the new primary ever had: that is not in the new primary's history. It is put aside, and it begins again at the fork.
 * - The old timeline was left where a segment ends. A server that is asked for what comes next on the old timeline has nothing to send, and pg_receivewal takes that for
 *   an error without words. So it begins on the next timeline.
 */
static error
heal_fork(struct receiver *receiver, struct arena *arena, const struct wal_observation *seen)
{
    struct wal_files files;
    struct wal_history *to = ARENA_ARRAY(arena, struct wal_history, 1);
    const struct wal_file *highest = NULL;
    size_t aside = 0;
    if (to == NULL)
        return fail(arena, OVERLOADED);
    TRY(wal_folder_list(arena, receiver->config->folder, seen->segment_bytes, &files));
    for (size_t i = 0; i < files.count; i++)
        highest =
            highest == NULL || wal_place_compare(files.items[i].place, highest->place) > 0 ? &files.items[i] : highest;
    if (highest == NULL || highest->place.timeline == seen->timeline)
        return OK;
    TRY(wal_source_history(arena, receiver->config, seen->timeline, to));
    TRY(put_others_aside(receiver, arena, &files, to, seen->segment_bytes, &aside));
    struct wal_place next = { .segment = highest->place.segment + (highest->is_complete ? 1 : 0) };
    if (aside > 0 && !next_to_store(receiver, arena, to, seen->segment_bytes, &next.segment))
        return OK;
    next.timeline = wal_timeline_at(to, next.segment * seen->segment_bytes);
    if (aside == 0 && next.timeline == highest->place.timeline)
        return OK;
    log_line(LOG_WARNING, "wal_aside", "%zu files of a timeline that was left are put aside; it goes on at %s.", aside,
             wal_place_text(arena, next, seen->segment_bytes).data);
    return wal_folder_begin_at(arena, receiver->config->folder, next, seen->segment_bytes);
}

/* ---- What the primary no longer has ---- */
/*
 * Nobody has it: what is here is given up as a beginning, and pg_receivewal begins where the slot is. The pusher sees the gap, ends the
 * span, and the agent takes a full backup.
 */
static error
give_up(struct receiver *receiver, struct arena *arena, const struct wal_observation *seen)
{
    struct wal_files files;
    log_line(LOG_ERROR, "wal_lost", "No member has the WAL that comes next.");
    TRY(wal_folder_list(arena, receiver->config->folder, seen->segment_bytes, &files));
    for (size_t i = 0; i < files.count; i++)
        TRY(wal_folder_put_aside(arena, receiver->config->folder, &files.items[i], seen->segment_bytes));
    receiver->fills = false;
    return seen->slot_is_lost ? wal_source_drop_lost_slot(arena, receiver->config) : OK;
}

static void
begin_to_fill(struct receiver *receiver)
{
    if (receiver->fills)
        return;
    receiver->fills = true;
    receiver->fill_member = 0;
    receiver->fill_since_ms = clock_steady_ms();
}

/* Whether complete files that are not in the repository yet are waiting there: they are not put aside. */
static bool
has_backlog(struct receiver *receiver, struct arena *arena, uint64_t segment_bytes)
{
    struct wal_files files;
    struct wal_place last;
    if (wal_folder_list(arena, receiver->config->folder, segment_bytes, &files) != OK)
        return true;
    bool has_last = wal_state_last(receiver->state, &last);
    for (size_t i = 0; i < files.count; i++) {
        if (files.items[i].is_complete && (!has_last || wal_place_compare(files.items[i].place, last) > 0))
            return true;
    }
    return false;
}

static error
fill(struct receiver *receiver, struct arena *arena, const struct wal_observation *seen)
{
    uint64_t until = seen->confirmed != 0 && !seen->slot_is_lost ? seen->confirmed : seen->flushed;
    if (receiver->fill_member < (int)receiver->config->member_count)
        return pull_from(receiver, arena, receiver->fill_member, until);
    if (clock_steady_ms() - receiver->fill_since_ms < FILL_FOR_MS) {
        receiver->fill_member = 0; /* one may have been away for a moment */
        return OK;
    }
    return has_backlog(receiver, arena, seen->segment_bytes) ? OK : give_up(receiver, arena, seen);
}

/* ---- One tick ---- */
static void
bury(struct receiver *receiver, struct arena *arena)
{
    int status;
    if (receiver->child == 0 || waitpid(receiver->child, &status, WNOHANG) != receiver->child)
        return;
    str words = last_words(receiver, arena);
    bool is_gone = words.len > 0 && strstr(words.data, "has already been removed") != NULL;
    bool succeeded = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    log_line(LOG_INFO, "receiver_ended", "%.*s", STR_ARG(sentence_of(arena, words)));
    if (receiver->fills)
        receiver->fills = !succeeded; /* the primary has what comes next */
    else if (is_gone)
        begin_to_fill(receiver);
    if (receiver->fills && receiver->started_ms >= receiver->fill_since_ms)
        receiver->fill_member++;
    wal_state_set_problem(receiver->state, false, sentence_of(arena, words));
    receiver->child = 0;
    receiver->start_at_ms = clock_steady_ms() + AGAIN_MS;
}

static error
go_on(struct receiver *receiver, struct arena *arena, const struct wal_observation *seen)
{
    if (receiver->child != 0 || clock_steady_ms() < receiver->start_at_ms)
        return OK;
    receiver->start_at_ms = clock_steady_ms() + AGAIN_MS;
    TRY(heal_fork(receiver, arena, seen));
    TRY(wal_folder_put_stubs_aside(arena, receiver->config->folder, seen->segment_bytes));
    if (seen->slot_is_lost)
        begin_to_fill(receiver);
    return receiver->fills ? fill(receiver, arena, seen) : pull(receiver, arena);
}

/*
 * The slot says how far it was confirmed. That is believed only as far as files are here without a gap up to there, and only while this receiver
 * uses the slot.
 */
static void
look_how_far(struct receiver *receiver, struct arena *arena, const struct wal_observation *seen)
{
    struct wal_files files;
    struct wal_place last, place = { seen->timeline, (seen->confirmed - 1) / seen->segment_bytes };
    if (seen->confirmed == 0 || !seen->slot_is_active || receiver->child == 0 || receiver->fills ||
        seen->steady_ms - receiver->started_ms < SETTLED_MS ||
        wal_folder_list(arena, receiver->config->folder, seen->segment_bytes, &files) != OK)
        return;
    const struct wal_file *file = wal_folder_find(&files, place);
    if (file == NULL ||
        (seen->confirmed % seen->segment_bytes != 0 &&
         !wal_folder_has_written(arena, receiver->config->folder, file, seen->segment_bytes, seen->confirmed)))
        return;
    bool has_last = wal_state_last(receiver->state, &last);
    uint64_t next = has_last ? last.segment + 1 : place.segment;
    for (size_t i = 0; i < files.count && !has_last; i++)
        next = files.items[i].place.segment < next ? files.items[i].place.segment : next;
    for (; next < place.segment; next++) {
        bool found = false;
        for (size_t i = 0; i < files.count && !found; i++)
            found = files.items[i].is_complete && files.items[i].place.segment == next;
        if (!found)
            return;
    }
    receiver->received = seen->confirmed;
    wal_state_set_problem(receiver->state, false, STR_EMPTY);
}

static void
tick(struct receiver *receiver, struct arena *arena)
{
    struct wal_observation seen;
    str why_silent;
    bool answers = wal_source_look(receiver->source, arena, &seen, &why_silent);
    bury(receiver, arena);
    if (answers && !wal_state_set_segment_bytes(receiver->state, seen.segment_bytes)) {
        wal_state_set_problem(receiver->state, false, STR("The server has segments of another size than before."));
        return;
    }
    if (answers) {
        error why = go_on(receiver, arena, &seen);
        look_how_far(receiver, arena, &seen);
        wal_state_observe(receiver->state, &seen, receiver->received);
        if (why != OK)
            wal_state_set_problem(receiver->state, false, why->detail);
    } else if (why_silent.len > 0) {
        wal_state_set_problem(receiver->state, false, why_silent);
    }
}

error
receive_run(struct arena *arena, str folder)
{
    struct receive_config *config = ARENA_ARRAY(arena, struct receive_config, 1);
    struct receiver receiver = { .config = config, .words = -1, .program = newest_program(arena, "pg_receivewal") };
    if (config == NULL)
        return fail(arena, OVERLOADED);
    TRY(receive_config_read(arena, folder, config));
    TRY(wal_state_open(arena, folder, &receiver.state));
    if (receiver.program.len == 0)
        return problem(arena, "There is no pg_receivewal under /usr/lib/postgresql.");
    receiver.source = wal_source_new(config);
    if (receiver.source == NULL || !wal_pusher_start(config, receiver.state, receiver.source))
        return problem(arena, "There is no memory for a thread.");
    for (;;) {
        struct arena *short_lived CLEANUP(arena_cleanup) = arena_new(TICK_ARENA_BYTES);
        if (short_lived != NULL) {
            tick(&receiver, short_lived);
            if (clock_steady_ms() - receiver.published_ms >= PUBLISH_MS &&
                wal_state_publish(receiver.state, short_lived))
                receiver.published_ms = clock_steady_ms();
        }
        clock_sleep_ms(TICK_MS);
    }
}
