/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/export/export_dump.h"

#include <errno.h>

#include "base/disk.h"
#include "base/failpoint.h"
#include "engine/postgres/drill/drill_ask.h"
#include "engine/postgres/drill/drill_files.h"
#include "engine/postgres/drill/drill_server.h"
#include "engine/postgres/export/export_csv.h"
#include "engine/postgres/export/export_files.h"
#include "engine/postgres/export/export_name.h"
#include "engine/postgres/postgres.h"
#include "engine/program.h"
#include "engine/sql.gen.h"

enum { QUESTION_MS = 60 * 1000, SAID_BYTES = 64 * 1024, FIRST_WITH_ZSTD = 16 };

struct dump {
    struct arena *arena;
    str folder;
    struct drill_story story;
    struct drill_server server;
    json_t *databases;
    bool has_zstd, is_csv;
};

/* What is in the server: each database that somebody can connect to. */
static error
list_databases(struct dump *dump)
{
    struct drill_ask *ask CLEANUP(drill_ask_cleanup) = NULL;
    struct drill_answer answer;
    TRY(drill_ask_open(dump->arena, dump->folder, STR("postgres"), DRILL_CHECKS, SUPERUSER, &ask));
    TRY(drill_ask(ask, member_sql_rows[SQL_DRILL_RECOVERED].text, QUESTION_MS, &answer));
    str version = drill_sentence(str_dup(dump->arena, drill_value(&answer, 0, 2)));
    json_object_set_new(dump->story.said, "serverVersion", json_stringn(version.data, version.len));
    TRY(drill_ask(ask, member_sql_rows[SQL_DRILL_DATABASE_LIST].text, QUESTION_MS, &answer));
    for (int i = 0; i < answer.rows; i++) {
        str name = str_dup(dump->arena, drill_value(&answer, i, 0));
        str folder = export_name(dump->arena, name, "database", json_array_size(dump->databases) + 1);
        if (!str_is(name, "template1"))
            json_array_append_new(dump->databases, json_pack("{s:s%, s:s%}", "name", name.data, name.len, "folder",
                                                             folder.data, folder.len));
    }
    return OK;
}

/* ---- Dumping ---- */
/* Who owns what; without passwords, which are nobody's in a bucket. */
static error
dump_roles(struct dump *dump)
{
    struct arena *arena = dump->arena;
    str program = drill_program(arena, dump->server.major_version, "pg_dumpall"), ignored;
    str file = str_format(arena, "--file=%s/" EXPORT_DUMP "/" EXPORT_ROLES, dump->folder.data);
    str conninfo = drill_conninfo(arena, dump->folder, STR("postgres"), SUPERUSER);
    str place = str_format(arena, "--dbname=%s", conninfo.data);
    const char *const argv[] = {
        program.data, "--roles-only", "--no-role-passwords", "--no-password", file.data, place.data, NULL
    };
    return program_ask(arena, argv, STR_EMPTY, SAID_BYTES, &ignored);
}

static error
dump_with(struct dump *dump, str name, str folder, const char *compression, str *ret_said)
{
    struct arena *arena = dump->arena;
    str program = drill_program(arena, dump->server.major_version, "pg_dump");
    str into = str_format(arena, "--file=%s/" EXPORT_DUMP "/%.*s", dump->folder.data, STR_ARG(folder));
    str place = str_format(arena, "--dbname=%s", drill_conninfo(arena, dump->folder, name, SUPERUSER).data);
    const char *const argv[] = { program.data, "--format=directory", compression, "--no-password",
                                 into.data,    place.data,           NULL };
    return program_ask(arena, argv, STR_EMPTY, SAID_BYTES, ret_said);
}

/* zstd where pg_dump knows it; it says so before it has written anything. */
static error
dump_database(struct dump *dump, str name, str folder)
{
    static const char missing[] = "does not support compression";
    str said = STR_EMPTY;
    if (dump->has_zstd) {
        error why = dump_with(dump, name, folder, "--compress=zstd:3", &said);
        if (why == OK || said.len == 0 || memmem(said.data, said.len, missing, strlen(missing)) == NULL)
            return why;
        dump->has_zstd = false;
    }
    return dump_with(dump, name, folder, "--compress=6", &said);
}

static error
dump_databases(struct dump *dump, struct export_csv *csv)
{
    const json_t *one;
    size_t i;
    json_array_foreach(dump->databases, i, one)
    {
        str name = json_str(json_object_get(one, "name")), folder = json_str(json_object_get(one, "folder"));
        failpoint("export:dump:before");
        TRY(dump->is_csv ? export_csv_database(csv, name, folder) : dump_database(dump, name, folder));
    }
    return OK;
}

/* Which table is in which file. There may be many, so they have a file of their own. */
static error
write_tables(struct dump *dump, const json_t *tables)
{
    static const struct disk_owner unchanged = { (uid_t)-1, (gid_t)-1 };
    str path = str_format(dump->arena, "%s/" EXPORT_TABLES_FILE, dump->folder.data);
    str text = json_text(dump->arena, tables);
    return text.len > 0 && disk_replace(path.data, text, 0600, unchanged)
               ? OK
               : problem(dump->arena, "%s cannot be written: %s.", path.data, strerror(errno));
}

static error
dump_all(struct dump *dump)
{
    struct export_csv csv = { dump->arena, dump->folder, dump->server.major_version,
                              json_in(dump->arena, json_object()) };
    TRY(list_databases(dump));
    TRY(dump_roles(dump));
    TRY(dump_databases(dump, &csv));
    if (dump->is_csv)
        TRY(write_tables(dump, csv.tables));
    json_object_set_new(dump->story.said, "format", json_string(dump->is_csv ? "csv" : "pg_dump directory"));
    json_object_set_new(dump->story.said, "compression", json_string(dump->has_zstd ? "zstd" : "gzip"));
    return OK;
}

static error
run(struct dump *dump)
{
    TRY(drill_story_phase(&dump->story, "recover"));
    TRY(drill_server_start(&dump->server));
    TRY(drill_story_phase(&dump->story, "dump"));
    TRY(dump_all(dump));
    return drill_server_stop(&dump->server);
}

error
export_dump_run(struct arena *arena, str folder)
{
    struct dump dump = { .arena = arena, .folder = folder };
    json_t *order;
    int64_t major = 0;
    TRY(drill_order_read(arena, folder, &order));
    TRY(drill_story_begin(arena, folder, EXPORT_DUMPED_FILE, &dump.story));
    dump.databases = json_array();
    json_object_set_new(dump.story.said, "databases", dump.databases);
    dump.server = (struct drill_server){ .arena = arena,
                                         .folder = folder,
                                         .major_version = json_str(json_object_get(order, "majorVersion")),
                                         .is_of_backup = true };
    dump.is_csv = str_is(json_str(json_object_get(order, "format")), EXPORT_CSV_WORD);
    dump.has_zstd =
        !dump.is_csv && str_to_int(dump.server.major_version, 1, INT32_MAX, &major) && major >= FIRST_WITH_ZSTD;
    return drill_story_end(&dump.story, run(&dump));
}
