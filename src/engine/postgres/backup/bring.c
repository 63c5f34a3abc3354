/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/backup/bring.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/postgres/backup/control_data.h"
#include "engine/postgres/backup/receive_config.h"
#include "engine/postgres/drill/drill_files.h"
#include "engine/postgres/own/own_copy.h"
#include "engine/program.h"

enum { SAID_BYTES = 64 * 1024, MOST_WORDS = 16 };

/* ---- pgBackRest ---- */
/* The repository is mounted read-only in this unit, so locks are kept elsewhere. `ret_is_none` is for who asks for a file: it looked, and there is none. */
static error
pgbackrest(const struct bring *bring, const char *const *words, bool *ret_is_none)
{
    enum { NONE = 1, WAS_TOLD_TO_END = 63 };
    struct arena *arena = bring->arena;
    const char *argv[MOST_WORDS + 6] = {
        "/usr/bin/pgbackrest",
        str_format(arena, "--config=%s/" SEAT_PUSH_CONFIG, bring->seat.data).data,
        str_format(arena, "--stanza=%s", bring->stanza.data).data,
        str_format(arena, "--pg1-path=%s/" DRILL_DATA, bring->folder.data).data,
        str_format(arena, "--lock-path=%s/spool", bring->folder.data).data,
    };
    size_t count = 5;
    for (size_t i = 0; words[i] != NULL && i < MOST_WORDS; i++)
        argv[count++] = words[i];
    argv[count] = NULL;
    int status;
    str said;
    TRY(program_try(arena, argv, SAID_BYTES, &status, &said));
    if (status < 0 || status == WAS_TOLD_TO_END)
        return problem_of_moment(arena, "%s was ended before it was done.", argv[0]);
    bool is_none = ret_is_none != NULL && status == NONE;
    if (ret_is_none != NULL)
        *ret_is_none = is_none;
    return status == 0 || is_none ? OK : problem(arena, "%s failed: %s.", argv[0], program_complaint(arena, said).data);
}

/*
 * A superuser of the source could have made a tablespace, or a link, that leads anywhere: into the repository itself, for one. All tablespaces
 * go into the data's own folder, and links are restored as what they lead to.
 */
error
bring_backup(const struct bring *bring)
{
    str set = str_format(bring->arena, "--set=%s", bring->label.data);
    str tablespaces =
        str_format(bring->arena, "--tablespace-map-all=%s/" DRILL_DATA "/reeve_tablespaces", bring->folder.data);
    const char *const words[] = { set.data, tablespaces.data, "--type=none", "--archive-mode=off", "restore", NULL };
    TRY(pgbackrest(bring, words, NULL));
    return own_copy_begin_recovery(bring->arena, str_format(bring->arena, "%s/" DRILL_DATA, bring->folder.data));
}

/* ---- Files of WAL ---- */
static error
copy(struct arena *arena, const char *from, const char *to, bool *ret_found)
{
    int in = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), out = -1;
    struct stat status;
    *ret_found =
        in >= 0 && fstat(in, &status) == 0 && (out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)) >= 0;
    ssize_t got = 1;
    for (off_t at = 0; *ret_found && got > 0 && at < status.st_size;)
        got = sendfile(out, in, &at, (size_t)(status.st_size - at));
    error why = got >= 0 ? OK : problem(arena, "%s cannot be copied: %s.", from, strerror(errno));
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return why;
}

/* A file goes from what was received to the repository meanwhile: so twice. */
error
bring_wal(const struct bring *bring, str name, str into, bool *ret_found)
{
    static const char *const suffixes[] = { "", ".partial" };
    const char *const words[] = { "archive-get", name.data, into.data, NULL };
    bool is_none;
    *ret_found = false;
    for (int try = 0; try < 2; try++) {
        TRY(pgbackrest(bring, words, &is_none));
        *ret_found = !is_none;
        if (*ret_found)
            return OK;
        for (size_t i = 0; i < LENGTH(suffixes); i++) {
            str from = str_format(bring->arena, "%s/" SEAT_WAL "/%s%s", bring->seat.data, name.data, suffixes[i]);
            TRY(copy(bring->arena, from.data, into.data, ret_found));
            if (*ret_found)
                return OK;
        }
    }
    return OK;
}

error
bring_segment_bytes(const struct bring *bring, uint64_t *ret_bytes)
{
    str data = str_format(bring->arena, "%s/" DRILL_DATA, bring->folder.data), said;
    str program = drill_program(bring->arena, bring->major_version, "pg_controldata");
    TRY(control_data_read(bring->arena, program, data, &said));
    return control_data_segment_bytes(bring->arena, said, ret_bytes);
}
