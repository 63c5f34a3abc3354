/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/own/own_copy.h"

#include <errno.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/disk.h"
#include "base/failpoint.h"
#include "engine/postgres/backup/newest_program.h"
#include "engine/postgres/backup/wal_place.h"
#include "engine/program.h"

#define LABEL      "backup_label"
#define LABEL_KEPT "reeve_backup_label"
#define BEGIN_MARK "START WAL LOCATION: "
#define END_MARK   "write-ahead log end point: "

enum { SAID_BYTES = 64 * 1024, LABEL_BYTES = 64 * 1024 };

struct copy {
    struct arena *arena;
    str folder, data;
    str start_lsn, stop_lsn, start_wal;
};

static str
behind(str text, const char *mark)
{
    const char *found = text.len == 0 ? NULL : memmem(text.data, text.len, mark, strlen(mark));
    if (found == NULL)
        return STR_EMPTY;
    str rest = str_slice(text, (size_t)(found - text.data) + strlen(mark), text.len);
    return str_cut(&rest, '\n');
}

/* All of it is of this program's own user, in a unit that may not use what disk_remove_tree() does. */
static int
remove_one(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
    (void)status;
    (void)type;
    (void)ftw;
    return remove(path);
}

static bool
remove_tree(str path)
{
    return nftw(path.data, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) == 0 || errno == ENOENT;
}

/* ---- pg_basebackup ---- */
/* With its own WAL, which is thrown away: only then does it say where the copy ends. */
static error
copy_server(struct copy *copy, const struct receive_config *config)
{
    str program = newest_program(copy->arena, "pg_basebackup"), said, end;
    str to = str_format(copy->arena, "--pgdata=%s", copy->data.data);
    str from = str_format(copy->arena, "--dbname=%s", receive_conninfo(copy->arena, config, -1).data);
    const char *const argv[] = {
        program.data, "--verbose", "--wal-method=stream", "--checkpoint=fast", "--no-manifest", "--no-sync", to.data,
        from.data,    NULL
    };
    if (program.len == 0)
        return problem(copy->arena, "There is no pg_basebackup under /usr/lib/postgresql.");
    failpoint("keep:copy:before");
    TRY(program_ask(copy->arena, argv, STR_EMPTY, SAID_BYTES, &said));
    end = behind(said, END_MARK);
    copy->stop_lsn = str_dup(copy->arena, str_trim(end));
    uint64_t ignored;
    return lsn_parse(copy->stop_lsn, &ignored) ? OK
                                               : problem(copy->arena, "pg_basebackup did not say where its copy ends.");
}

/* "START WAL LOCATION: 0/9000028 (file 000000010000000000000009)" */
static error
read_label(struct copy *copy)
{
    str path = str_format(copy->arena, "%s/" LABEL, copy->data.data), text, line;
    struct wal_place place;
    uint64_t ignored;
    if (!disk_read(copy->arena, path.data, LABEL_BYTES, &text))
        return problem(copy->arena, "%s cannot be read: %s.", path.data, strerror(errno));
    line = behind(text, BEGIN_MARK);
    copy->start_lsn = str_dup(copy->arena, str_cut(&line, ' '));
    (void)str_cut(&line, ' ');
    copy->start_wal = str_dup(copy->arena, str_cut(&line, ')'));
    if (!lsn_parse(copy->start_lsn, &ignored) || !wal_place_parse(copy->start_wal, 1 << 20, &place))
        return problem(copy->arena, "%s does not say where the copy begins.", path.data);
    return OK;
}

/* pgBackRest leaves a file of that name out: it thinks that the server has made it for somebody else's backup. */
static error
put_label_away(struct copy *copy)
{
    str from = str_format(copy->arena, "%s/" LABEL, copy->data.data);
    str to = str_format(copy->arena, "%s/" LABEL_KEPT, copy->data.data);
    return rename(from.data, to.data) == 0
               ? OK
               : problem(copy->arena, "%s cannot be renamed: %s.", from.data, strerror(errno));
}

/* The receiver has it, too. How large its files are is seen here, and nowhere else without a program of the server's version. */
static error
drop_wal(struct copy *copy, int64_t *ret_segment_bytes)
{
    str wal = str_format(copy->arena, "%s/pg_wal", copy->data.data);
    str first = str_format(copy->arena, "%s/%s", wal.data, copy->start_wal.data);
    struct stat status;
    if (stat(first.data, &status) != 0)
        return problem(copy->arena, "%s was not copied: %s.", first.data, strerror(errno));
    *ret_segment_bytes = status.st_size;
    if (!remove_tree(wal) || mkdir(wal.data, 0700) != 0)
        return problem(copy->arena, "%s cannot be emptied: %s.", wal.data, strerror(errno));
    return OK;
}

error
own_copy_drop(struct arena *arena, str folder)
{
    str data = str_format(arena, "%s/" SEAT_COPY, folder.data);
    return remove_tree(data) ? OK : problem(arena, "%s cannot be removed: %s.", data.data, strerror(errno));
}

error
own_copy_make(struct arena *arena, const struct receive_config *config, const char *ret_words[OWN_COPY_WORDS])
{
    struct copy copy = { .arena = arena,
                         .folder = config->folder,
                         .data = str_format(arena, "%s/" SEAT_COPY, config->folder.data) };
    int64_t segment_bytes = 0;
    TRY(own_copy_drop(arena, config->folder));
    TRY(copy_server(&copy, config));
    TRY(read_label(&copy));
    TRY(drop_wal(&copy, &segment_bytes));
    TRY(put_label_away(&copy));
    ret_words[0] = str_format(arena, "--annotation=startWal=%s", copy.start_wal.data).data;
    ret_words[1] = str_format(arena, "--annotation=startLsn=%s", copy.start_lsn.data).data;
    ret_words[2] = str_format(arena, "--annotation=stopLsn=%s", copy.stop_lsn.data).data;
    ret_words[3] = str_format(arena, "--annotation=segmentBytes=%lld", (long long)segment_bytes).data;
    return OK;
}

/* ---- What `info` cannot say ---- */
void
own_copy_complete(json_t *backups)
{
    json_t *one;
    size_t i;
    json_array_foreach(backups, i, one)
    {
        json_t *notes = json_object_get(one, "annotation"), *start = json_object_get(notes, "startWal");
        if (!json_is_string(start))
            continue;
        json_object_set_new(one, "archive", json_pack("{s:O}", "start", start));
        json_object_set_new(one, "lsn",
                            json_pack("{s:O*, s:O*}", "start", json_object_get(notes, "startLsn"), "stop",
                                      json_object_get(notes, "stopLsn")));
    }
}

error
own_copy_begin_recovery(struct arena *arena, str data)
{
    str from = str_format(arena, "%s/" LABEL_KEPT, data.data), to = str_format(arena, "%s/" LABEL, data.data);
    if (disk_exists(to.data) || !disk_exists(from.data))
        return OK;
    return rename(from.data, to.data) == 0 ? OK
                                           : problem(arena, "%s cannot be renamed: %s.", from.data, strerror(errno));
}

/* ---- WAL that nobody needs ---- */
/* Digits of its name behind the timeline: they grow with the segment, however large segments are. */
static str
place_digits(str name)
{
    return str_slice(name, 8, WAL_NAME_DIGITS);
}

static bool
is_needed(const json_t *backups, str name, uint64_t segment_bytes)
{
    struct wal_place place;
    const json_t *one;
    size_t i;
    if (!wal_place_parse(name, segment_bytes, &place))
        return true; /* a history */
    json_array_foreach(backups, i, one)
    {
        const json_t *lsn = json_object_get(one, "lsn");
        uint64_t from, to;
        if (!lsn_parse(json_text_at(lsn, "start"), &from) || !lsn_parse(json_text_at(lsn, "stop"), &to))
            return true;
        if (place.segment >= from / segment_bytes && place.segment <= to / segment_bytes)
            return true;
    }
    return false;
}

static uint64_t
segment_bytes_of(const json_t *backups)
{
    int64_t bytes;
    str said = json_text_at(json_object_get(json_array_get(backups, 0), "annotation"), "segmentBytes");
    return str_to_int(said, 1 << 20, 1 << 30, &bytes) ? (uint64_t)bytes : 0;
}

/* archive/<stanza>/17-1/0000000100000000/000000010000000000000004-<sum>.zst */
error
own_copy_shorten_wal(struct arena *arena, str archive, const json_t *backups, str first)
{
    uint64_t segment_bytes = segment_bytes_of(backups);
    glob_t found;
    error why = OK;
    if (segment_bytes == 0 || first.len != WAL_NAME_DIGITS ||
        glob(str_format(arena, "%s/*/*/*-*", archive.data).data, 0, NULL, &found) != 0)
        return OK;
    for (size_t i = 0; i < found.gl_pathc && why == OK; i++) {
        str name = str_from(strrchr(found.gl_pathv[i], '/') + 1);
        if (name.len <= WAL_NAME_DIGITS || name.data[WAL_NAME_DIGITS] != '-')
            continue;
        name = str_slice(name, 0, WAL_NAME_DIGITS);
        if (str_compare(place_digits(name), place_digits(first)) < 0 && !is_needed(backups, name, segment_bytes) &&
            !disk_remove(found.gl_pathv[i]))
            why = problem(arena, "%s cannot be removed: %s.", found.gl_pathv[i], strerror(errno));
    }
    globfree(&found);
    return why;
}
