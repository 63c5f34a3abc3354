/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/drill/drill_server.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/disk.h"
#include "engine/postgres/backup/control_data.h"
#include "engine/postgres/backup/restore_log.h"
#include "engine/postgres/drill/drill_ask.h"
#include "engine/postgres/drill/drill_files.h"
#include "engine/postgres/postgres.h"

enum { LOG_BYTES = 4 * 1024 * 1024, LOOK_MS = 100, STOP_MS = 60 * 1000 };

#define ONLY_THE_BACKUP \
    "recovery_target_timeline = 'current'\nrecovery_target = 'immediate'\nrecovery_target_action = 'promote'\n"

static const struct disk_owner unchanged = { (uid_t)-1, (gid_t)-1 };

/* ---- Settings ---- */
/* Prepared transactions come back, and need as much room as they had. */
static str
prepared_of_source(struct drill_server *server)
{
    str data = str_format(server->arena, "%s/" DRILL_DATA, server->folder.data), said;
    str program = drill_program(server->arena, server->major_version, "pg_controldata");
    int64_t count;
    if (control_data_read(server->arena, program, data, &said) != OK ||
        !str_to_int(control_data_value(said, "max_prepared_xacts setting", STR("0")), 0, 10000, &count))
        return STR("0");
    return str_from_int(server->arena, count);
}

static str
settings_text(struct drill_server *server)
{
    const char *folder = server->folder.data;
    int64_t major = 0;
    bool has_switch = str_to_int(server->major_version, 1, INT32_MAX, &major) && major >= 17;
    return str_format(
        server->arena,
        "listen_addresses = ''\nport = 5432\nunix_socket_directories = '%s/run'\n"
        "data_directory = '%s/" DRILL_DATA "'\nhba_file = '%s/conf/pg_hba.conf'\nident_file = '%s/conf/pg_ident.conf'\n"
        "restore_command = 'cp \"%s/" DRILL_WAL "/%%f\" \"%%p\"'\n%s"
        /* Then nothing has to be set as large as it was at the source. */
        "hot_standby = off\n"
        "max_connections = 20\nmax_wal_senders = 0\nmax_prepared_transactions = %s\nshared_buffers = '128MB'\n"
        "archive_mode = off\nautovacuum = off\nmax_logical_replication_workers = 0\nssl = off\njit = off\nmax_wal_size = '1GB'\n"
        "shared_preload_libraries = ''\nsession_preload_libraries = ''\nlocal_preload_libraries = ''\n"
        "session_replication_role = replica\n%s"
        "logging_collector = off\nlog_destination = 'stderr'\nlog_statement = none\nlog_min_messages = warning\n"
        "lc_messages = 'C'\n",
        folder, folder, folder, folder, folder,
        server->is_of_backup ? ONLY_THE_BACKUP : "recovery_target_timeline = 'latest'\n",
        prepared_of_source(server).data, has_switch ? "event_triggers = off\n" : "");
}

static error
write_settings(struct drill_server *server)
{
    const struct {
        const char *name;
        str text;
    } files[] = {
        { "conf/postgresql.conf", settings_text(server) },
        { "conf/pg_hba.conf", STR("local all all trust\n") },
        { "conf/pg_ident.conf", STR("\n") },
        { DRILL_DATA "/postgresql.auto.conf", STR("# Nothing of the source.\n") },
        { DRILL_DATA "/recovery.signal", STR("\n") },
    };
    for (size_t i = 0; i < LENGTH(files); i++) {
        str path = str_format(server->arena, "%s/%s", server->folder.data, files[i].name);
        if (files[i].text.len == 0 || !disk_replace(path.data, files[i].text, 0600, unchanged))
            return problem(server->arena, "%s cannot be written: %s.", path.data, strerror(errno));
    }
    str standby = str_format(server->arena, "%s/" DRILL_DATA "/standby.signal", server->folder.data);
    return disk_remove(standby.data) ? OK : problem(server->arena, "%s cannot be removed.", standby.data);
}

/* ---- The process ---- */
static error
spawn(struct drill_server *server)
{
    struct arena *arena = server->arena;
    str program = drill_program(arena, server->major_version, "postgres");
    str data = str_format(arena, "%s/" DRILL_DATA, server->folder.data);
    str config = str_format(arena, "config_file=%s/conf/postgresql.conf", server->folder.data);
    str log = str_format(arena, "%s/out/server.log", server->folder.data);
    char *const argv[] = { (char *)(uintptr_t)program.data, "-D", (char *)(uintptr_t)data.data, "-c",
                           (char *)(uintptr_t)config.data,  NULL };
    static char *const environment[] = { "PATH=/usr/bin:/bin", "LANG=C.UTF-8", NULL };
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.data, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    int why = posix_spawn(&server->process, program.data, &actions, NULL, argv, environment);
    posix_spawn_file_actions_destroy(&actions);
    if (why == 0)
        return OK;
    server->process = 0;
    return problem(arena, "%s cannot be run: %s.", program.data, strerror(why));
}

static bool
has_ended(struct drill_server *server)
{
    if (server->process != 0 && waitpid(server->process, NULL, WNOHANG) == server->process)
        server->process = 0;
    return server->process == 0;
}

static bool
read_log(struct drill_server *server, str *ret_text)
{
    str path = str_format(server->arena, "%s/out/server.log", server->folder.data);
    return disk_read(server->arena, path.data, LOG_BYTES, ret_text);
}

/* The line that says why a server ends. */
static str
last_words(struct drill_server *server)
{
    str text, found = STR_EMPTY;
    if (!read_log(server, &text))
        return STR("it said nothing");
    while (text.len > 0) {
        str line = str_cut(&text, '\n');
        static const char *const marks[] = { "FATAL:  ", "PANIC:  " };
        for (size_t i = 0; i < LENGTH(marks); i++) {
            const char *at = line.len == 0 ? NULL : memmem(line.data, line.len, marks[i], strlen(marks[i]));
            if (at != NULL && memmem(line.data, line.len, "starting up", 11) == NULL &&
                memmem(line.data, line.len, "not yet accepting", 17) == NULL)
                found = str_slice(line, (size_t)(at - line.data) + strlen(marks[i]), line.len);
        }
    }
    return found.len == 0 ? STR("it did not say why") : str_dup(server->arena, found);
}

error
drill_server_start(struct drill_server *server)
{
    TRY(write_settings(server));
    TRY(spawn(server));
    while (!has_ended(server)) {
        struct arena *arena CLEANUP(arena_cleanup) = arena_new(1 << 20);
        struct drill_ask *ask CLEANUP(drill_ask_cleanup) = NULL;
        const char *superuser = server->superuser != NULL ? server->superuser : SUPERUSER;
        if (arena != NULL &&
            drill_ask_open(arena, server->folder, STR("postgres"), DRILL_CHECKS, superuser, &ask) == OK)
            return OK;
        clock_sleep_ms(LOOK_MS);
    }
    return problem(server->arena, "The restored server does not start: %s.", last_words(server).data);
}

str
drill_server_reached(struct drill_server *server)
{
    str text, lsn = STR_EMPTY, ignored;
    if (read_log(server, &text))
        restore_reached(server->arena, text, &lsn, &ignored);
    return lsn;
}

error
drill_server_stop(struct drill_server *server)
{
    int64_t deadline_ms = clock_steady_ms() + STOP_MS;
    if (has_ended(server))
        return problem(server->arena, "The restored server ended by itself: %s.", last_words(server).data);
    kill(server->process, SIGINT);
    while (!has_ended(server) && clock_steady_ms() < deadline_ms)
        clock_sleep_ms(LOOK_MS);
    if (server->process == 0)
        return OK;
    kill(server->process, SIGQUIT);
    while (!has_ended(server) && clock_steady_ms() < deadline_ms + STOP_MS / 4)
        clock_sleep_ms(LOOK_MS);
    return problem(server->arena, "The restored server did not end within %d s.", STOP_MS / 1000);
}
