/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/own/own_restore.h"

#include <errno.h>
#include <glob.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/seat/seat_files.h"
#include "base/date.h"
#include "base/disk_below.h"
#include "engine/postgres/backup/keep.h"
#include "engine/postgres/drill/drill_fetch.h"
#include "engine/postgres/drill/drill_files.h"
#include "engine/postgres/own/own_copy.h"
#include "engine/program.h"

#define WORK ".restoring" /* beside what is made: it gets its name when it is whole */
#define WAL  "reeve_wal"

enum { FILE_BYTES = 4 * 1024 * 1024, INFO_BYTES = 64 * 1024 * 1024 };

struct restore {
    struct arena *arena;
    const struct own_restore *wish;
    struct goal_seat seat; /* of which only stanza and passphrase are known */
    str work, source;      /* its folder, and one in it that looks like the seat's */
    const json_t *info, *backup;
};

static const struct disk_owner root = { 0, 0 };

static str
path(struct restore *restore, const char *name)
{
    return str_format(restore->arena, "%s/%s", restore->work.data, name);
}

static error
write_file(struct restore *restore, str where, str text)
{
    if (text.len == 0 || !disk_replace(where.data, text, 0600, root))
        return problem(restore->arena, "%s cannot be written: %s.", where.data, strerror(errno));
    return OK;
}

/* ---- The repository ---- */
/* "…/repo/backup/own-7709104988126412573/backup.info": the newest, when the server was made anew once. */
static error
find_stanza(struct restore *restore)
{
    str pattern = str_format(restore->arena, "%s/repo/backup/own-*/backup.info", restore->wish->from.data);
    time_t newest = 0;
    glob_t found;
    restore->seat.stanza = STR_EMPTY;
    if (glob(pattern.data, 0, NULL, &found) != 0)
        return problem(restore->arena, "There are no backups of a control plane's database in %s/repo.",
                       restore->wish->from.data);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct stat status;
        str rest = str_from(found.gl_pathv[i] + restore->wish->from.len + strlen("/repo/backup/"));
        if (stat(found.gl_pathv[i], &status) != 0 || status.st_mtime < newest)
            continue;
        newest = status.st_mtime;
        restore->seat.stanza = str_dup(restore->arena, str_cut(&rest, '/'));
    }
    globfree(&found);
    return restore->seat.stanza.len > 0 ? OK : problem(restore->arena, "%s cannot be read.", pattern.data);
}

static error
find_passphrase(struct restore *restore)
{
    static const char mark[] = "\nrepo1-cipher-pass=";
    str config = str_format(restore->arena, "%s/" SEAT_PUSH_CONFIG, restore->wish->from.data), text;
    restore->seat.cipher_pass = restore->wish->passphrase;
    if (restore->seat.cipher_pass.len > 0)
        return OK;
    const char *at = disk_read(restore->arena, config.data, FILE_BYTES, &text) ? strstr(text.data, mark) : NULL;
    if (at == NULL)
        return problem(restore->arena, "The passphrase is not in %s: give it with --passphrase-file.", config.data);
    str rest = str_from(at + strlen(mark));
    restore->seat.cipher_pass = str_dup(restore->arena, str_cut(&rest, '\n'));
    return OK;
}

static error
make_link(struct restore *restore, const char *name)
{
    str to = str_format(restore->arena, "%s/%s", restore->wish->from.data, name);
    str at = str_format(restore->arena, "%s/%s", restore->source.data, name);
    return symlink(to.data, at.data) == 0 ? OK
                                          : problem(restore->arena, "%s cannot be made: %s.", at.data, strerror(errno));
}

/* Nothing is written to the repository: it may be the last copy, and on a disk that is mounted read-only. */
static error
make_work(struct restore *restore)
{
    static const char *const folders[] = { "", "source", "said", "spool", DRILL_DATA, DRILL_WAL };
    if (!disk_remove_tree(restore->work.data))
        return problem(restore->arena, "%s cannot be removed: %s.", restore->work.data, strerror(errno));
    for (size_t i = 0; i < LENGTH(folders); i++) {
        if (!disk_make_folder(path(restore, folders[i]).data, 0700, root))
            return problem(restore->arena, "%s cannot be made: %s.", path(restore, folders[i]).data, strerror(errno));
    }
    TRY(make_link(restore, "repo"));
    TRY(make_link(restore, SEAT_WAL));
    return write_file(restore, path(restore, "source/" SEAT_PUSH_CONFIG),
                      seat_config_text(restore->arena, &restore->seat, restore->source, false));
}

static error
read_info(struct restore *restore)
{
    str config = str_format(restore->arena, "--config=%s/" SEAT_PUSH_CONFIG, restore->source.data), said;
    str stanza = str_format(restore->arena, "--stanza=%s", restore->seat.stanza.data);
    const char *const argv[] = { "/usr/bin/pgbackrest",     config.data, stanza.data, "info", "--output=json",
                                 "--log-level-console=off", NULL };
    TRY(program_ask(restore->arena, argv, STR_EMPTY, INFO_BYTES, &said));
    json_t *info = json_parse_own(restore->arena, said);
    str why = keep_unreadable(info);
    if (!json_is_array(info) || why.len > 0)
        return problem(restore->arena, "The repository cannot be read. Is the passphrase right? %.*s", STR_ARG(why));
    own_copy_complete(keep_backups(info));
    restore->info = info;
    return OK;
}

/* ---- Which backup ---- */
static int64_t
ended_ms(const json_t *backup)
{
    return json_int_at(json_object_get(backup, "timestamp"), "stop") * 1000;
}

/* The newest that was there at the moment. */
static error
choose(struct restore *restore)
{
    const json_t *all = keep_backups(restore->info), *one;
    int64_t to = restore->wish->to_ms;
    for (size_t i = json_array_size(all); i > 0; i--) {
        one = json_array_get(all, i - 1);
        if (json_is_true(json_object_get(one, "error")) || (to >= 0 && ended_ms(one) > to) ||
            json_text_at(json_object_get(one, "archive"), "start").len == 0)
            continue;
        restore->backup = one;
        return OK;
    }
    return problem(restore->arena, "There is no backup%s. The first of %zu ended at %s.",
                   to < 0 ? "" : " before that moment", json_array_size(all),
                   date_text(restore->arena, ended_ms(json_array_get(all, 0))).data);
}

/* ---- What comes back ---- */
static str
note_of(const struct restore *restore, const char *name)
{
    return json_text_at(json_object_get(restore->backup, "annotation"), name);
}

static error
fetch(struct restore *restore)
{
    int64_t segment_bytes;
    str text;
    if (!str_to_int(note_of(restore, "segmentBytes"), 1 << 20, 1 << 30, &segment_bytes))
        return problem(restore->arena, "The backup does not say how large files of WAL are.");
    json_t *order =
        json_in(restore->arena, json_pack("{s:s, s:s, s:s, s:s, s:I}", "stanza", restore->seat.stanza.data, "label",
                                          json_text_at(restore->backup, "label").data, "from",
                                          json_text_at(json_object_get(restore->backup, "archive"), "start").data,
                                          "majorVersion", "", "segmentBytes", (json_int_t)segment_bytes));
    TRY(write_file(restore, path(restore, DRILL_ORDER_FILE), json_text(restore->arena, order)));
    TRY(drill_fetch_run(restore->arena, restore->source, restore->work));
    json_t *fetched = disk_read(restore->arena, path(restore, DRILL_FETCHED_FILE).data, FILE_BYTES, &text)
                          ? json_parse_own(restore->arena, text)
                          : NULL;
    str why = json_text_at(fetched, "problem");
    if (!json_is_true(json_object_get(fetched, "isDone")) || why.len > 0)
        return problem(restore->arena, "%.*s", STR_ARG(why.len > 0 ? why : STR("It ended before it was done.")));
    return disk_exists(path(restore, DRILL_DATA "/backup_label").data)
               ? OK
               : problem(restore->arena, "The backup does not say where recovery begins.");
}

/* "2026-11-17 12:00:00.250+00": PostgreSQL takes no letters here. */
static str
target(struct restore *restore)
{
    if (restore->wish->to_ms < 0)
        return STR_EMPTY;
    str time = date_text(restore->arena, restore->wish->to_ms), day = str_cut(&time, 'T');
    return str_format(restore->arena, "recovery_target_time = '%.*s %.*s+00'\nrecovery_target_action = 'promote'\n",
                      STR_ARG(day), STR_ARG(str_cut(&time, 'Z')));
}

/*
 * By paths from the data's own folder, so that it can be moved to the machine that it will run on. What somebody set with ALTER SYSTEM is put
 * aside: an archive_command in it would write into the archive of the server that is gone. hot_standby is off until recovery has
 * ended: then no setting has to be as large as it was there.
 */
static error
make_ready(struct restore *restore)
{
    str data = path(restore, DRILL_DATA);
    str before = str_format(restore->arena, "%s/postgresql.auto.conf", data.data);
    str aside = str_format(restore->arena, "%s/postgresql.auto.conf.before", data.data);
    str settings = str_format(restore->arena,
                              "# Written by reeve-agent own-database restore. After recovery: ALTER SYSTEM RESET ALL\n"
                              "restore_command = 'cp \"" WAL "/%%f\" \"%%p\"'\n"
                              "recovery_target_timeline = 'latest'\nhot_standby = off\n%s",
                              target(restore).data);
    if (rename(path(restore, DRILL_WAL).data, str_format(restore->arena, "%s/" WAL, data.data).data) != 0 ||
        (rename(before.data, aside.data) != 0 && errno != ENOENT))
        return problem(restore->arena, "%s cannot be completed: %s.", data.data, strerror(errno));
    TRY(write_file(restore, before, settings));
    return write_file(restore, str_format(restore->arena, "%s/recovery.signal", data.data), STR("\n"));
}

/* The user that PostgreSQL runs as here. On a machine without one the files stay root's, and whoever copies them says whose they are. */
static error
give_name(struct restore *restore)
{
    const struct passwd *user = getpwnam("postgres");
    if (user != NULL &&
        !disk_below_own_tree(restore->work.data, DRILL_DATA, (struct disk_owner){ user->pw_uid, user->pw_gid }))
        return problem(restore->arena, "%s cannot be given to postgres: %s.", restore->work.data, strerror(errno));
    if (rename(path(restore, DRILL_DATA).data, restore->wish->into.data) != 0)
        return problem(restore->arena, "%s cannot be made: %s.", restore->wish->into.data, strerror(errno));
    return disk_remove_tree(restore->work.data)
               ? OK
               : problem(restore->arena, "%s cannot be removed: %s.", restore->work.data, strerror(errno));
}

static error
bring(struct restore *restore, struct own_restored *ret_restored)
{
    str major;
    TRY(make_work(restore));
    TRY(read_info(restore));
    TRY(choose(restore));
    TRY(fetch(restore));
    TRY(make_ready(restore));
    str version = path(restore, DRILL_DATA "/PG_VERSION");
    if (!disk_read(restore->arena, version.data, FILE_BYTES, &major))
        return problem(restore->arena, "%s cannot be read: %s.", version.data, strerror(errno));
    TRY(give_name(restore));
    *ret_restored = (struct own_restored){ .label = json_text_at(restore->backup, "label"),
                                           .major_version = str_cut(&major, '\n'),
                                           .backup_ms = ended_ms(restore->backup) };
    return OK;
}

error
own_restore(struct arena *arena, const struct own_restore *wish, struct own_restored *ret_restored)
{
    struct restore restore = { .arena = arena, .wish = wish, .work = str_format(arena, "%s" WORK, wish->into.data) };
    restore.source = path(&restore, "source");
    if (!str_starts_with(wish->into, STR("/")) || str_ends_with(wish->into, STR("/")) ||
        strrchr(wish->into.data, '/') == wish->into.data)
        return problem(arena, "%s is no path of a folder in another folder, such as /srv/reeve-database.",
                       wish->into.data);
    if (rmdir(wish->into.data) != 0 && errno != ENOENT)
        return problem(arena, "%s is there already: %s. Name a folder that is not.", wish->into.data, strerror(errno));
    TRY(find_stanza(&restore));
    TRY(find_passphrase(&restore));
    error why = bring(&restore, ret_restored);
    if (why != OK && !disk_remove_tree(restore.work.data)) /* the passphrase is in it */
        return problem(arena, "%.*s And %s cannot be removed: %s.", STR_ARG(why->detail), restore.work.data,
                       strerror(errno));
    return why;
}
