/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/backup/restore.h"

#include <errno.h>
#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/disk.h"
#include "base/failpoint.h"
#include "base/json.h"
#include "base/log.h"
#include "engine/postgres/backup/control_data.h"
#include "engine/postgres/backup/restore_log.h"
#include "engine/postgres/backup/restore_order.h"
#include "engine/postgres/backup/restore_wal.h"
#include "engine/postgres/backup/wal_place.h"
#include "engine/program.h"

enum {
    FILE_BYTES = 1024 * 1024,
    SAID_BYTES = 16 * 1024 * 1024,
    LOOK_MS = 1000,
    NAME_BYTES = 512,
    PATH_NOT_EMPTY = 40, /* of pgBackRest */
};

#define COPIED   RESTORE_FOLDER "/copied" /* the data is there, and was not begun with before */
#define SETTINGS RESTORE_FOLDER "/postgresql.conf"
#define DOORS    RESTORE_FOLDER "/pg_hba.conf"
#define LOG      RESTORE_FOLDER "/postgresql.log"

static const struct disk_owner whoever = { (uid_t)-1, (gid_t)-1 };

struct restore {
    struct arena *arena;
    str folder, id, stanza, label, agent, bin;
    str end_lsn;            /* how far the repository host brings somebody; empty: nobody said */
    const json_t *recovery; /* settings of PostgreSQL */
    int64_t tries;
    str problem; /* of the last try; empty: there was none */
};

/* By how much hope there is: a repository host that is started again is back within ten minutes. */
static const int most_tries[] = { [HOPE_NONE] = 0, [HOPE_LATER] = 120, [HOPE_UNKNOWN] = 10 };

static str
path(struct restore *restore, const char *name)
{
    return str_format(restore->arena, "%s/%s", restore->folder.data, name);
}

static error
write_file(struct restore *restore, const char *name, str text)
{
    str there = path(restore, name);
    if (text.len > 0 && disk_replace(there.data, text, 0600, whoever))
        return OK;
    return problem(restore->arena, "%s cannot be written: %s.", there.data, strerror(errno));
}

/* ---- How far it is ---- */
static atomic_llong used_bytes; /* nftw() has no place for a context, and this program does one thing */
static atomic_llong done_bytes, total_bytes;
static atomic_bool has_ended;

static int
add_size(const char *file, const struct stat *status, int type, struct FTW *ftw)
{
    (void)file;
    (void)ftw;
    if (type == FTW_F)
        used_bytes += (long long)status->st_size;
    return 0;
}

static error
note_progress(struct restore *restore)
{
    json_t *progress = json_in(restore->arena, json_pack("{s:s, s:I, s:I, s:I, s:s}", "id", restore->id.data, "tries",
                                                         (json_int_t)restore->tries, "doneBytes",
                                                         (json_int_t)done_bytes, "totalBytes", (json_int_t)total_bytes,
                                                         "problem", str_dup(restore->arena, restore->problem).data));
    return progress == NULL ? fail(restore->arena, OVERLOADED)
                            : write_file(restore, RESTORE_PROGRESS, json_text(restore->arena, progress));
}

/* In a thread: what copies says nothing itself until it is done. */
static void *
watch(void *context)
{
    const struct restore *restore = context;
    char data[NAME_BYTES];
    snprintf(data, sizeof(data), "%s/data", restore->folder.data);
    while (!has_ended) {
        struct arena *arena CLEANUP(arena_cleanup) = arena_new(FILE_BYTES);
        struct restore own = *restore;
        own.arena = arena;
        used_bytes = 0;
        nftw(data, add_size, 16, FTW_PHYS);
        done_bytes = used_bytes;
        error ignored = arena == NULL ? OK : note_progress(&own);
        (void)ignored;
        for (int i = 0; i < 10 && !has_ended; i++)
            clock_sleep_ms(LOOK_MS / 10);
    }
    return NULL;
}

/* ---- Data ---- */
static error
pgbackrest(struct restore *restore, const char *const *words, int *ret_status, str *ret_said)
{
    enum { MOST_WORDS = 16 };
    str config = str_format(restore->arena, "--config=%s/" RESTORE_CONFIG, restore->folder.data);
    str stanza = str_format(restore->arena, "--stanza=%s", restore->stanza.data);
    const char *argv[MOST_WORDS] = { "/usr/bin/pgbackrest", config.data, stanza.data };
    size_t count = 3;
    for (size_t i = 0; words[i] != NULL && count < MOST_WORDS - 1; i++)
        argv[count++] = words[i];
    argv[count] = NULL;
    return program_try(restore->arena, argv, SAID_BYTES, ret_status, ret_said);
}

/* Only for people who wait; whatever is wrong with the repository is said by the restore itself. */
static void
ask_size(struct restore *restore)
{
    str set = str_format(restore->arena, "--set=%s", restore->label.data), said = STR_EMPTY;
    const char *const words[] = { "info", set.data, "--output=json", "--log-level-console=off", NULL };
    int status;
    if (pgbackrest(restore, words, &status, &said) != OK || status != 0)
        return;
    const json_t *backup =
        json_array_get(json_object_get(json_array_get(json_parse_own(restore->arena, said), 0), "backup"), 0);
    total_bytes = json_integer_value(json_object_get(json_object_get(backup, "info"), "size"));
}

static error
make_data_folder(struct restore *restore)
{
    str data = path(restore, "data");
    return mkdir(data.data, 0700) == 0 || errno == EEXIST
               ? OK
               : problem(restore->arena, "%s cannot be made: %s.", data.data, strerror(errno));
}

/* With --delta what an earlier try has brought is not fetched again; what was there before that pgBackRest knows as its own is begun anew. */
static error
fetch(struct restore *restore)
{
    str set = str_format(restore->arena, "--set=%s", restore->label.data), said = STR_EMPTY;
    const char *const words[] = { set.data, "--delta", "--type=none", "--archive-mode=off", "restore", NULL };
    int status = 0;
    TRY(make_data_folder(restore));
    TRY(pgbackrest(restore, words, &status, &said));
    if (status == PATH_NOT_EMPTY) {
        if (!disk_remove_tree(path(restore, "data").data))
            return problem(restore->arena, "%s cannot be removed: %s.", path(restore, "data").data, strerror(errno));
        TRY(make_data_folder(restore));
        TRY(pgbackrest(restore, words, &status, &said));
    }
    return status == 0 ? OK : problem(restore->arena, "%s", program_complaint(restore->arena, said).data);
}

/* pgBackRest brings pg_wal as a folder; where WAL has a volume of its own, it belongs there. */
static error
move_wal(struct restore *restore)
{
    struct stat status;
    str from = path(restore, "data/pg_wal"), to = path(restore, WAL_FOLDER);
    const char *const words[] = { "/usr/bin/mv", "--no-target-directory", from.data, to.data, NULL };
    if (!disk_exists(path(restore, WAL_VOLUME).data) || lstat(from.data, &status) != 0 || !S_ISDIR(status.st_mode))
        return OK;
    failpoint("restore:wal:before");
    if (!disk_remove_tree(to.data))
        return problem(restore->arena, "%s cannot be removed: %s.", to.data, strerror(errno));
    TRY(program_run(restore->arena, words, STR_EMPTY));
    failpoint("restore:wal:after");
    return symlink(to.data, from.data) == 0
               ? OK
               : problem(restore->arena, "%s cannot be made: %s.", from.data, strerror(errno));
}

/*
 * What came along of the cluster that was backed up: where it archives to, whom it follows, what Patroni was told. Nothing of it is true here. The
 * last line says that the server has to recover; PostgreSQL itself removes that file when it has.
 */
static error
make_ours(struct restore *restore)
{
    static const char *const foreign[] = { "standby.signal",     "patroni.dynamic.json", "postmaster.pid",
                                           "postmaster.opts",    "postgresql.conf",      "postgresql.conf.backup",
                                           "pg_hba.conf.backup", "pg_ident.conf.backup", "recovery.signal" };
    for (size_t i = 0; i < LENGTH(foreign); i++) {
        str there = path(restore, str_format(restore->arena, "data/%s", foreign[i]).data);
        if (!disk_remove(there.data))
            return problem(restore->arena, "%s cannot be removed: %s.", there.data, strerror(errno));
    }
    TRY(write_file(restore, "data/postgresql.auto.conf",
                   STR("# Do not edit this file manually!\n# It will be overwritten by the ALTER SYSTEM command.\n")));
    TRY(write_file(restore, "data/recovery.signal", STR("\n")));
    if (!disk_remove(path(restore, LOG).data))
        return problem(restore->arena, "%s cannot be removed: %s.", path(restore, LOG).data, strerror(errno));
    failpoint("restore:copied:before");
    TRY(write_file(restore, COPIED, restore->id));
    failpoint("restore:copied:after");
    return OK;
}

static bool
is_copied(struct restore *restore)
{
    str text;
    return disk_read(restore->arena, path(restore, COPIED).data, FILE_BYTES, &text) &&
           str_eq(str_trim(text), restore->id);
}

static error
copy(struct restore *restore)
{
    pthread_t watcher;
    if (is_copied(restore))
        return OK;
    ask_size(restore);
    bool is_watched = pthread_create(&watcher, NULL, watch, restore) == 0;
    int64_t began_ms = clock_steady_ms();
    failpoint("restore:fetch:before");
    error why = fetch(restore);
    has_ended = true;
    if (is_watched)
        pthread_join(watcher, NULL);
    TRY(why);
    failpoint("restore:fetch:after");
    done_bytes = total_bytes;
    log_line(LOG_INFO, "restore_copied", "%lld bytes in %lld ms", (long long)total_bytes,
             (long long)(clock_steady_ms() - began_ms));
    TRY(note_progress(restore));
    TRY(move_wal(restore));
    return make_ours(restore);
}

/* ---- Recovery ---- */
static error
read_control(struct restore *restore, str *ret_control)
{
    str program = str_format(restore->arena, "%s/pg_controldata", restore->bin.data);
    return control_data_read(restore->arena, program, path(restore, "data"), ret_control);
}

static void
add_setting(struct buf *out, const char *name, str value)
{
    buf_format(out, "%s = '", name);
    for (size_t i = 0; i < value.len; i++) {
        if (value.data[i] == '\'' || value.data[i] == '\\')
            buf_add_char(out, value.data[i]);
        buf_add_char(out, value.data[i]);
    }
    buf_add_text(out, "'\n");
}

#define NOT_REACHED "recovery ended before configured recovery target was reached"

/* It listens on a socket only, which it must, in a folder of its own, and refuses everybody: nobody sees data from the middle of a recovery. */
static str
settings_text(struct restore *restore, str control, bool to_the_end)
{
    struct buf out = buf_in(restore->arena, FILE_BYTES);
    const struct {
        const char *name;
        str value;
    } settings[] = {
        { "listen_addresses", STR_EMPTY },
        { "unix_socket_directories", path(restore, RESTORE_FOLDER) },
        { "hba_file", path(restore, DOORS) },
        { "ssl", STR("off") },
        { "hot_standby", STR("off") },
        { "archive_mode", STR("off") },
        { "shared_buffers", STR("32MB") },
        { "huge_pages", STR("off") },
        { "max_connections", STR("10") },
        /* What must not be less than at the server that was backed up. */
        { "max_prepared_transactions", control_data_value(control, "max_prepared_xacts setting", STR("0")) },
        { "track_commit_timestamp", control_data_value(control, "track_commit_timestamp setting", STR("off")) },
        { "wal_level", STR("replica") },
        { "timezone", STR("UTC") },
        { "log_timezone", STR("UTC") },
        { "log_line_prefix", STR("%m ") },
        { "restore_command", str_format(restore->arena, "%s restore-wal --folder %s --name %%f --into %%p",
                                        restore->agent.data, restore->folder.data) },
    };
    const char *name;
    const json_t *value;
    for (size_t i = 0; i < LENGTH(settings); i++)
        add_setting(&out, settings[i].name, settings[i].value);
    json_object_foreach((json_t *)(uintptr_t)restore->recovery, name, value)
    {
        if (!to_the_end || strcmp(name, "recovery_target_timeline") == 0)
            add_setting(&out, name, json_str(value));
    }
    return buf_str(&out);
}

static error
pg_ctl(struct restore *restore, const char *const *words)
{
    enum { MOST_WORDS = 16 };
    str program = str_format(restore->arena, "%s/pg_ctl", restore->bin.data), data = path(restore, "data"), ignored;
    const char *argv[MOST_WORDS] = { program.data, "-D", data.data, "-w", "-s" };
    size_t count = 5;
    for (size_t i = 0; words[i] != NULL && count < MOST_WORDS - 1; i++)
        argv[count++] = words[i];
    argv[count] = NULL;
    return program_ask(restore->arena, argv, STR_EMPTY, SAID_BYTES, &ignored);
}

/* The number of its process, and what it says about itself: lines 1 and 8 of the file that it has while it runs. */
static bool
read_server(struct restore *restore, int64_t *ret_process, bool *ret_is_ready)
{
    enum { STATUS_LINE = 8 };
    str text, line = STR_EMPTY;
    *ret_process = 0;
    *ret_is_ready = false;
    if (!disk_read(restore->arena, path(restore, "data/postmaster.pid").data, FILE_BYTES, &text))
        return false;
    for (int i = 1; i <= STATUS_LINE && text.len > 0; i++) {
        line = str_trim(str_cut(&text, '\n'));
        if (i == 1 && !str_to_int(line, 1, INT32_MAX, ret_process))
            return false;
        *ret_is_ready = i == STATUS_LINE && str_is(line, "ready");
    }
    return kill((pid_t)*ret_process, 0) == 0;
}

/* pg_ctl is content with a server that recovers. This one is to be promoted, however long it takes. */
static error
wait_until_promoted(struct restore *restore)
{
    int64_t process;
    bool is_ready;
    for (bool runs = true; runs;) {
        struct arena *arena CLEANUP(arena_cleanup) = arena_new(2 * FILE_BYTES); /* it may take hours */
        struct restore own = *restore;
        own.arena = arena;
        runs = arena != NULL && read_server(&own, &process, &is_ready);
        if (runs && is_ready)
            return OK;
        clock_sleep_ms(LOOK_MS / 10);
    }
    return problem(restore->arena, "PostgreSQL ended before it had recovered.");
}

static error
check_promoted(struct restore *restore)
{
    str control;
    TRY(read_control(restore, &control));
    if (!str_is(control_data_value(control, "Database cluster state", STR_EMPTY), "shut down") ||
        disk_exists(path(restore, "data/recovery.signal").data))
        return problem(restore->arena, "PostgreSQL did not recover all of it.");
    return OK;
}

static str
log_text(struct restore *restore)
{
    str text;
    return disk_read(restore->arena, path(restore, LOG).data, SAID_BYTES, &text) ? text : STR_EMPTY;
}

/* Why a server ended: a file of WAL that could not be had says more than that. */
static error
why_not(struct restore *restore, error otherwise)
{
    str wal, fatal = restore_fatal(restore->arena, log_text(restore));
    if (disk_read(restore->arena, path(restore, RESTORE_WAL_PROBLEM).data, FILE_BYTES, &wal) && wal.len > 0 &&
        (fatal.len == 0 || memmem(fatal.data, fatal.len, "could not restore file", 22) != NULL))
        return problem(restore->arena, "%.*s", STR_ARG(wal));
    return fatal.len > 0 ? problem(restore->arena, "%.*s", STR_ARG(fatal)) : otherwise;
}

/* A moment after which nothing was committed is never seen by PostgreSQL: the end of what there is has the same rows. */
static bool
is_quiet_since(struct restore *restore, error why)
{
    return json_object_get(restore->recovery, "recovery_target_time") != NULL &&
           memmem(why->detail.data, why->detail.len, NOT_REACHED, strlen(NOT_REACHED)) != NULL;
}

static error
recover(struct restore *restore, bool to_the_end)
{
    str data = path(restore, "data"), log = path(restore, LOG), control;
    str options = str_format(restore->arena, "-c config_file=%s/" SETTINGS, restore->folder.data);
    const char *const start[] = { "-t", "31536000", "-l", log.data, "-o", options.data, "start", NULL };
    const char *const stop[] = { "-t", "3600", "-m", "fast", "stop", NULL };
    TRY(read_control(restore, &control));
    TRY(write_file(restore, SETTINGS, settings_text(restore, control, to_the_end)));
    TRY(write_file(restore, DOORS, STR("local all all reject\n")));
    if (!disk_remove(path(restore, "data/postmaster.pid").data) ||
        !disk_remove(path(restore, RESTORE_WAL_PROBLEM).data))
        return problem(restore->arena, "%s cannot be cleared: %s.", data.data, strerror(errno));
    failpoint("restore:recover:before");
    error why = pg_ctl(restore, start);
    if (why == OK)
        why = wait_until_promoted(restore);
    if (why != OK)
        return why_not(restore, why);
    failpoint("restore:recover:after");
    TRY(pg_ctl(restore, stop));
    return check_promoted(restore);
}

/* PostgreSQL takes damaged WAL for the end of it, and is content. */
static error
check_end(struct restore *restore)
{
    str lsn, at, control;
    uint64_t reached, end, segment_bytes;
    restore_reached(restore->arena, log_text(restore), &lsn, &at);
    if (!lsn_parse(lsn, &reached) || !lsn_parse(restore->end_lsn, &end))
        return OK;
    TRY(read_control(restore, &control));
    TRY(control_data_segment_bytes(restore->arena, control, &segment_bytes));
    if (wal_reaches(reached, end, segment_bytes))
        return OK;
    return problem(restore->arena, RESTORE_LACKS_WAL ": it ended at %.*s, and %.*s was received.", STR_ARG(lsn),
                   STR_ARG(restore->end_lsn));
}

/* ---- ---- */
static error
note_result(struct restore *restore, const char *state, str why)
{
    str lsn, at;
    restore_reached(restore->arena, log_text(restore), &lsn, &at);
    json_t *result = json_in(restore->arena, json_pack("{s:s, s:s, s:s, s:s, s:s}", "id", restore->id.data, "state",
                                                       state, "problem", str_dup(restore->arena, why).data,
                                                       "reachedLsn", lsn.data, "reachedAt", at.data));
    return result == NULL ? fail(restore->arena, OVERLOADED)
                          : write_file(restore, RESTORE_RESULT, json_text(restore->arena, result));
}

static const json_t *
read_said(struct restore *restore, const char *name)
{
    str text;
    const json_t *said = disk_read(restore->arena, path(restore, name).data, FILE_BYTES, &text)
                             ? json_parse_own(restore->arena, text)
                             : NULL;
    return str_eq(json_str(json_object_get(said, "id")), restore->id) ? said : NULL;
}

static error
read_order(struct restore *restore)
{
    str text, there = path(restore, RESTORE_ORDER_FILE);
    const json_t *order =
        disk_read(restore->arena, there.data, FILE_BYTES, &text) ? json_parse_own(restore->arena, text) : NULL;
    const struct {
        const char *name;
        str *place;
    } fields[] = { { "id", &restore->id },
                   { "stanza", &restore->stanza },
                   { "label", &restore->label },
                   { "agent", &restore->agent },
                   { "bin", &restore->bin } };
    for (size_t i = 0; i < LENGTH(fields); i++) {
        *fields[i].place = json_str(json_object_get(order, fields[i].name));
        if (fields[i].place->len == 0)
            return problem(restore->arena, "%s cannot be understood.", there.data);
    }
    restore->recovery = json_object_get(order, "recovery");
    restore->end_lsn = json_str(json_object_get(order, "endLsn"));
    const json_t *before = read_said(restore, RESTORE_PROGRESS);
    restore->tries = json_integer_value(json_object_get(before, "tries")) + 1;
    restore->problem = json_str(json_object_get(before, "problem"));
    done_bytes = json_integer_value(json_object_get(before, "doneBytes"));
    total_bytes = json_integer_value(json_object_get(before, "totalBytes"));
    return OK;
}

error
restore_run(struct arena *arena, str folder)
{
    struct restore restore = { .arena = arena, .folder = folder };
    enum restore_hope hope;
    TRY(read_order(&restore));
    if (read_said(&restore, RESTORE_RESULT) != NULL)
        return OK;
    TRY(note_progress(&restore));
    error why = copy(&restore);
    bool to_the_end = json_object_get(restore.recovery, "recovery_target_action") == NULL;
    if (why == OK)
        why = recover(&restore, to_the_end);
    if (why != OK && is_quiet_since(&restore, why)) {
        to_the_end = true;
        why = recover(&restore, true);
    }
    if (why == OK && to_the_end)
        why = check_end(&restore);
    if (why == OK)
        return note_result(&restore, "RESTORED", STR_EMPTY);
    log_line(LOG_ERROR, "restore", "Try %d: %.*s", (int)restore.tries, STR_ARG(why->detail));
    restore.problem = restore_explain(arena, why->detail, &hope);
    if (restore.tries >= most_tries[hope])
        return note_result(&restore, "FAILED", restore.problem);
    TRY(note_progress(&restore));
    return why;
}
