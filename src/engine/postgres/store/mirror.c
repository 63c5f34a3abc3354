/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/store/mirror.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/failpoint.h"
#include "engine/postgres/backup/keep.h"
#include "engine/postgres/backup/receive_config.h"
#include "engine/postgres/drill/drill_files.h"
#include "engine/program.h"

enum {
    LIST_BYTES = 64 * 1024 * 1024,
    COMPLAINT_BYTES = 4096,
    AT_A_TIME = 4,
    SPARE_MB = 512,
    MOST_BACKUPS = 4096,
    PATIENCE_MS = 5 * 60 * 1000, /* with a store that does not answer */
    PAUSE_MS = 3000,
    TIMELINE_DIGITS = 8,
    SEGMENT_DIGITS = 24,
};

struct file {
    str path; /* in the repository */
    int64_t bytes;
    struct file *next;
};
struct mirror {
    struct arena *arena; /* of one attempt */
    str seat, folder, stanza, label;
    bool is_exact;
    bool is_final;      /* trying again is of no use */
    struct file *files; /* that are not here yet */
    int64_t bytes, missing_bytes, count;
};

/* ---- pgBackRest ---- */
#define FIRST_WORDS(mirror)                                                                                        \
    "/usr/bin/pgbackrest", str_format((mirror)->arena, "--config=%s/" SEAT_PUSH_CONFIG, (mirror)->seat.data).data, \
        str_format((mirror)->arena, "--stanza=%s", (mirror)->stanza.data).data

static error
ask(struct mirror *mirror, const char *const argv[], json_t **ret_said)
{
    str said;
    TRY(program_ask(mirror->arena, argv, STR_EMPTY, LIST_BYTES, &said));
    *ret_said = json_parse_own(mirror->arena, said);
    return *ret_said != NULL ? OK : problem(mirror->arena, "pgBackRest did not say what is in the store.");
}

/* ---- What is needed ---- */
/* Timelines differ in the first digits, and segments follow each other in the others. */
static str
place_of(str segment)
{
    return str_slice(segment, TIMELINE_DIGITS, SEGMENT_DIGITS);
}

bool
mirror_wants(str path, str first, str last)
{
    str name = path;
    for (str rest = path; rest.len > 0;)
        name = str_cut(&rest, '/');
    if (name.len < SEGMENT_DIGITS || strspn(name.data, "0123456789ABCDEF") < SEGMENT_DIGITS)
        return true;
    return str_compare(place_of(name), place_of(first)) >= 0 &&
           (last.len == 0 || str_compare(place_of(name), place_of(last)) <= 0);
}

/* Whole when it has its name: a file gets it last. */
static bool
is_here(struct mirror *mirror, str path, int64_t bytes)
{
    struct stat status;
    str here = str_format(mirror->arena, "%s/" MIRROR_COPY "/%s", mirror->folder.data, path.data);
    return stat(here.data, &status) == 0 && status.st_size == bytes;
}

static error
add_file(struct mirror *mirror, str path, int64_t bytes)
{
    if (memmem(path.data, path.len, "..", 2) != NULL) /* the word of a store */
        return problem(mirror->arena, "The store has a file of the name %.*s.", STR_ARG(path));
    mirror->bytes += bytes;
    mirror->count++;
    if (is_here(mirror, path, bytes))
        return OK;
    struct file *file = ARENA_NEW(mirror->arena, struct file);
    if (file == NULL)
        return fail(mirror->arena, OVERLOADED);
    *file = (struct file){ path, bytes, mirror->files };
    mirror->files = file;
    mirror->missing_bytes += bytes;
    return OK;
}

static error
add_folder(struct mirror *mirror, str folder, str first, str last)
{
    const char *const words[] = { FIRST_WORDS(mirror), "repo-ls",   "--recurse", "--output=json",
                                  "--sort=none",       folder.data, NULL };
    json_t *listed, *one;
    const char *name;
    TRY(ask(mirror, words, &listed));
    json_object_foreach(listed, name, one)
    {
        str path = str_format(mirror->arena, "%s/%s", folder.data, name);
        if (str_is(json_str(json_object_get(one, "type")), "file") &&
            (first.len == 0 || mirror_wants(path, first, last)))
            TRY(add_file(mirror, path, json_integer_value(json_object_get(one, "size"))));
    }
    return OK;
}

static const json_t *
find_backup(const json_t *info, str label)
{
    const json_t *one;
    size_t i;
    json_array_foreach(json_object_get(json_array_get(info, 0), "backup"), i, one)
    {
        if (str_eq(json_str(json_object_get(one, "label")), label))
            return one;
    }
    return NULL;
}

static error
add_backup(struct mirror *mirror, str label)
{
    return add_folder(mirror, str_format(mirror->arena, "backup/%s/%s", mirror->stanza.data, label.data), STR_EMPTY,
                      STR_EMPTY);
}

/* What says which backups and which WAL there are; each has a copy, in case that it is damaged. */
static error
add_infos(struct mirror *mirror)
{
    static const char *const folders[] = { "backup", "archive" };
    for (size_t i = 0; i < LENGTH(folders); i++) {
        str folder = str_format(mirror->arena, "%s/%s", folders[i], mirror->stanza.data);
        const char *const words[] = { FIRST_WORDS(mirror), "repo-ls", "--output=json", folder.data, NULL };
        json_t *listed, *one;
        const char *name;
        TRY(ask(mirror, words, &listed));
        json_object_foreach(listed, name, one)
        {
            if (str_is(json_str(json_object_get(one, "type")), "file"))
                TRY(add_file(mirror, str_format(mirror->arena, "%s/%s", folder.data, name),
                             json_integer_value(json_object_get(one, "size"))));
        }
    }
    return OK;
}

static error
find_files(struct mirror *mirror)
{
    const char *const words[] = { FIRST_WORDS(mirror), "info", "--output=json", "--log-level-console=off", NULL };
    json_t *info;
    const json_t *needed;
    size_t i;
    TRY(ask(mirror, words, &info));
    str why = keep_unreadable(info);
    if (why.len > 0)
        return problem(mirror->arena, "The store cannot be read: %.*s.", STR_ARG(why));
    const json_t *backup = find_backup(info, mirror->label), *archive = json_object_get(backup, "archive");
    str first = json_str(json_object_get(archive, "start")), last = json_str(json_object_get(archive, "stop"));
    mirror->is_final = backup == NULL || first.len != SEGMENT_DIGITS;
    if (mirror->is_final)
        return problem(mirror->arena, "The backup %.*s is not in the store.", STR_ARG(mirror->label));
    TRY(add_infos(mirror));
    TRY(add_backup(mirror, mirror->label));
    json_array_foreach(json_object_get(backup, "reference"), i, needed)
        TRY(i < MOST_BACKUPS ? add_backup(mirror, json_str(needed)) : OK);
    return add_folder(mirror, str_format(mirror->arena, "archive/%s", mirror->stanza.data), first,
                      mirror->is_exact ? last : STR_EMPTY);
}

static error
check_room(struct mirror *mirror)
{
    struct statvfs status;
    int64_t needed_mb = mirror->missing_bytes / (1024 * 1024) + SPARE_MB;
    if (statvfs(mirror->folder.data, &status) != 0)
        return OK;
    int64_t left_mb = (int64_t)(status.f_bavail * (status.f_frsize / 1024) / 1024);
    mirror->is_final = left_mb < needed_mb;
    return !mirror->is_final ? OK
                             : problem(mirror->arena,
                                       "What is restored is copied from the object store to the disk of the repository "
                                       "host first: %lld MB are needed there, and %lld MB are free.",
                                       (long long)needed_mb, (long long)left_mb);
}

/* ---- Fetching ---- */
struct fetch {
    pid_t child; /* 0: nothing is fetched in this place */
    int complaints;
    const struct file *file;
    str path, unfinished;
};

static bool
make_folders(struct arena *arena, str path)
{
    for (size_t i = 1; i < path.len; i++) {
        if (path.data[i] == '/' && mkdir(str_format(arena, "%.*s", (int)i, path.data).data, 0700) != 0 &&
            errno != EEXIST)
            return false;
    }
    return true;
}

static error
begin(struct mirror *mirror, const struct file *file, struct fetch *fetch)
{
    struct arena *arena = mirror->arena;
    const char *const words[] = { FIRST_WORDS(mirror), "repo-get", "--raw", file->path.data, NULL };
    fetch->file = file;
    fetch->path = str_format(arena, "%s/" MIRROR_COPY "/%s", mirror->folder.data, file->path.data);
    fetch->unfinished = str_format(arena, "%s.unfinished", fetch->path.data);
    fetch->complaints = memfd_create("complaints", MFD_CLOEXEC);
    int output = make_folders(arena, fetch->path)
                     ? open(fetch->unfinished.data, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600)
                     : -1;
    error why = output < 0 || fetch->complaints < 0
                    ? problem(arena, "%s cannot be written: %s.", fetch->path.data, strerror(errno))
                    : program_begin(arena, words, output, fetch->complaints, &fetch->child);
    if (output >= 0)
        close(output);
    return why;
}

static str
complaint_of(struct mirror *mirror, int complaints)
{
    char *said = ARENA_ARRAY(mirror->arena, char, COMPLAINT_BYTES);
    ssize_t got = said == NULL ? -1 : pread(complaints, said, COMPLAINT_BYTES - 1, 0);
    return got <= 0 ? STR("pgBackRest does not say why") : program_complaint(mirror->arena, (str){ said, (size_t)got });
}

static error
end(struct mirror *mirror, struct fetch *fetch, int status)
{
    struct stat found;
    bool is_whole = WIFEXITED(status) && WEXITSTATUS(status) == 0 && stat(fetch->unfinished.data, &found) == 0 &&
                    found.st_size == fetch->file->bytes;
    str why = is_whole ? STR_EMPTY : complaint_of(mirror, fetch->complaints);
    close(fetch->complaints);
    fetch->child = 0;
    if (!is_whole)
        return problem(mirror->arena, "%s cannot be read: %.*s.", fetch->file->path.data, STR_ARG(why));
    failpoint("mirror:rename:before");
    return rename(fetch->unfinished.data, fetch->path.data) == 0
               ? OK
               : problem(mirror->arena, "%s cannot be written: %s.", fetch->path.data, strerror(errno));
}

/* The next one that has ended. */
static error
wait_for_one(struct mirror *mirror, struct fetch *fetches)
{
    int status;
    pid_t child = wait(&status);
    for (size_t i = 0; i < AT_A_TIME; i++) {
        if (child > 0 && fetches[i].child == child)
            return end(mirror, &fetches[i], status);
    }
    return OK;
}

static struct fetch *
free_place(struct fetch *fetches)
{
    for (size_t i = 0; i < AT_A_TIME; i++) {
        if (fetches[i].child == 0)
            return &fetches[i];
    }
    return NULL;
}

static error
fetch_all(struct mirror *mirror)
{
    struct fetch fetches[AT_A_TIME] = { 0 };
    error first = OK;
    for (const struct file *file = mirror->files; file != NULL && first == OK; file = file->next) {
        while (first == OK && free_place(fetches) == NULL)
            first = wait_for_one(mirror, fetches);
        if (first == OK)
            first = begin(mirror, file, free_place(fetches));
    }
    for (size_t i = 0; i < AT_A_TIME; i++) {
        while (fetches[i].child != 0) {
            error why = wait_for_one(mirror, fetches);
            first = first == OK ? why : first;
        }
    }
    return first;
}

/* ---- Until it is there ---- */
/* Whoever finds the word that it is done finds the files, also when the machine stops in the next moment. */
static error
put_on_disk(struct mirror *mirror)
{
    int folder = open(mirror->folder.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool is_there = folder >= 0 && syncfs(folder) == 0;
    if (folder >= 0)
        close(folder);
    return is_there ? OK : problem(mirror->arena, "%s cannot be written: %s.", mirror->folder.data, strerror(errno));
}

static error
copy_once(struct mirror *mirror, struct drill_story *story)
{
    TRY(find_files(mirror));
    TRY(check_room(mirror));
    json_object_set_new(story->said, "bytes", json_integer(mirror->bytes));
    json_object_set_new(story->said, "files", json_integer(mirror->count));
    TRY(drill_story_write(story));
    TRY(fetch_all(mirror));
    return put_on_disk(mirror);
}

/* A store that is away for a while, or a file that is replaced meanwhile, is met again. */
static error
copy_all(struct arena *arena, struct mirror *mirror, struct drill_story *story)
{
    for (int64_t until = clock_steady_ms() + PATIENCE_MS;; clock_sleep_ms(PAUSE_MS)) {
        struct arena *attempt CLEANUP(arena_cleanup) = arena_new(4UL * LIST_BYTES);
        if (attempt == NULL)
            return fail(arena, OVERLOADED);
        struct mirror again = *mirror;
        again.arena = attempt;
        error why = copy_once(&again, story);
        if (why == OK)
            return OK;
        if (again.is_final || clock_steady_ms() > until)
            return problem(arena, "%.*s", STR_ARG(why->detail));
    }
}

error
mirror_run(struct arena *arena, str seat, str folder)
{
    struct drill_story story;
    json_t *order;
    TRY(drill_order_read(arena, folder, &order));
    struct mirror mirror = { .seat = seat,
                             .folder = folder,
                             .stanza = json_str(json_object_get(order, "stanza")),
                             .label = json_str(json_object_get(order, "label")),
                             .is_exact = json_is_true(json_object_get(order, "isExact")) };
    TRY(drill_story_begin(arena, folder, MIRROR_SAID_FILE, &story));
    TRY(drill_story_phase(&story, "copy"));
    return drill_story_end(&story, copy_all(arena, &mirror, &story));
}
