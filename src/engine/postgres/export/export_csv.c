/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/export/export_csv.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/disk.h"
#include "base/failpoint.h"
#include "engine/postgres/drill/drill_ask.h"
#include "engine/postgres/drill/drill_files.h"
#include "engine/postgres/export/export_files.h"
#include "engine/postgres/export/export_name.h"
#include "engine/postgres/postgres.h"
#include "engine/program.h"
#include "engine/sql.gen.h"

enum {
    QUESTION_MS = 60 * 1000,
    SILENCE_MS = 3600 * 1000, /* of a server that reads a table in which most rows are dead */
    SAID_BYTES = 64 * 1024,
    MOST_TABLES = 100 * 1000,
    STATEMENTS_BYTES = 64 * 1024 * 1024,
};

static error
make_folder(struct export_csv *csv, str name)
{
    str path = str_format(csv->arena, "%s/" EXPORT_DUMP "/%s", csv->folder.data, name.data);
    return mkdir(path.data, 0700) == 0 || errno == EEXIST
               ? OK
               : problem(csv->arena, "%s cannot be made: %s.", path.data, strerror(errno));
}

/* ---- What is around the rows ---- */
/* What tables need before they have rows, or what they get afterwards: indexes, keys and triggers. */
static error
dump_section(struct export_csv *csv, str database, str into, const char *section, const char *file)
{
    struct arena *arena = csv->arena;
    str program = drill_program(arena, csv->major_version, "pg_dump"), ignored;
    str path = str_format(arena, "--file=%s/" EXPORT_DUMP "/%s/%s", csv->folder.data, into.data, file);
    str place = str_format(arena, "--dbname=%s", drill_conninfo(arena, csv->folder, database, SUPERUSER).data);
    const char *const argv[] = { program.data, section, "--no-password", path.data, place.data, NULL };
    return program_ask(arena, argv, STR_EMPTY, SAID_BYTES, &ignored);
}

static error
write_sequences(struct export_csv *csv, struct drill_ask *ask, str into)
{
    static const struct disk_owner unchanged = { (uid_t)-1, (gid_t)-1 };
    struct buf out = buf_in(csv->arena, STATEMENTS_BYTES);
    struct drill_answer answer;
    str path = str_format(csv->arena, "%s/" EXPORT_DUMP "/%s/" EXPORT_SEQUENCES, csv->folder.data, into.data);
    TRY(drill_ask(ask, member_sql_rows[SQL_EXPORT_SEQUENCE_LIST].text, QUESTION_MS, &answer));
    for (int i = 0; i < answer.rows; i++) {
        buf_add(&out, drill_value(&answer, i, 0));
        buf_add_char(&out, '\n');
    }
    if (out.failed)
        return problem(csv->arena, "There are too many sequences.");
    return disk_replace(path.data, buf_str(&out), 0600, unchanged)
               ? OK
               : problem(csv->arena, "%s cannot be written: %s.", path.data, strerror(errno));
}

/* ---- Rows ---- */
static bool
take_row(void *context, str row)
{
    return gzwrite((gzFile)context, row.data, (unsigned)row.len) == (int)row.len;
}

/* An own file: nothing that is there already is written to, or followed. */
static gzFile
make_file(const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    gzFile made = file < 0 ? NULL : gzdopen(file, "wb6");
    if (file >= 0 && made == NULL)
        close(file);
    return made;
}

static error
copy_table(struct export_csv *csv, struct drill_ask *ask, const char *statement, str path, int64_t *ret_rows)
{
    str place = str_format(csv->arena, "%s/" EXPORT_DUMP "/%s", csv->folder.data, path.data);
    gzFile file = make_file(place.data);
    if (file == NULL)
        return problem(csv->arena, "%s cannot be made: %s.", path.data, strerror(errno));
    error why = drill_copy(ask, statement, SILENCE_MS, take_row, file, ret_rows);
    if (gzclose(file) != Z_OK && why == OK)
        why = problem(csv->arena, "%s cannot be written.", path.data);
    return why;
}

static error
note_table(struct export_csv *csv, str path, str schema, str table, int64_t rows)
{
    json_t *about = json_pack("{s:s%, s:s%, s:I}", "schema", schema.data, schema.len, "table", table.data, table.len,
                              "rows", (json_int_t)rows);
    if (about == NULL)
        return problem(csv->arena, "The name of a table is not UTF-8: export it as DUMP.");
    return json_object_set_new(csv->tables, path.data, about) == 0 ? OK : fail(csv->arena, OVERLOADED);
}

/* The folder of a schema, made with its first table: they come in the order of their schemas. */
struct schema_folder {
    str schema, path;
    size_t number;
};

static error
go_to_schema(struct export_csv *csv, str into, str schema, struct schema_folder *folder)
{
    if (folder->number > 0 && str_eq(folder->schema, schema))
        return OK;
    folder->schema = schema;
    folder->number++;
    str name = export_name(csv->arena, schema, "schema", folder->number);
    folder->path = str_format(csv->arena, "%s/%.*s", into.data, STR_ARG(name));
    return make_folder(csv, folder->path);
}

static error
export_table(struct export_csv *csv, struct drill_ask *ask, const struct schema_folder *folder, str table,
             size_t number, const char *statement)
{
    int64_t rows = 0;
    str name = export_name(csv->arena, table, "table", number);
    str path = str_format(csv->arena, "%s/%.*s" EXPORT_CSV_END, folder->path.data, STR_ARG(name));
    failpoint("export:csv:before");
    TRY(copy_table(csv, ask, statement, path, &rows));
    return note_table(csv, path, folder->schema, table, rows);
}

/* One session has the list, the other reads. */
static error
export_tables(struct export_csv *csv, struct drill_ask *ask, struct drill_ask *other, str into)
{
    struct drill_answer tables;
    struct schema_folder folder = { 0 };
    TRY(drill_ask(ask, member_sql_rows[SQL_EXPORT_TABLE_LIST].text, QUESTION_MS, &tables));
    if ((size_t)tables.rows + json_object_size(csv->tables) > MOST_TABLES)
        return problem(csv->arena, "There are more than %d tables: export it as DUMP.", MOST_TABLES);
    for (int i = 0; i < tables.rows; i++) {
        TRY(go_to_schema(csv, into, drill_value(&tables, i, 0), &folder));
        TRY(export_table(csv, other, &folder, drill_value(&tables, i, 1), (size_t)i + 1,
                         drill_value(&tables, i, 2).data));
    }
    return OK;
}

error
export_csv_database(struct export_csv *csv, str database, str into)
{
    struct drill_ask *ask CLEANUP(drill_ask_cleanup) = NULL, *other CLEANUP(drill_ask_cleanup) = NULL;
    into = str_dup(csv->arena, into);
    TRY(make_folder(csv, into));
    TRY(dump_section(csv, database, into, "--section=pre-data", EXPORT_SCHEMA));
    TRY(dump_section(csv, database, into, "--section=post-data", EXPORT_CONSTRAINTS));
    TRY(drill_let_in(csv->arena, csv->folder, database, SUPERUSER));
    TRY(drill_ask_open(csv->arena, csv->folder, database, DRILL_READS, SUPERUSER, &ask));
    TRY(drill_ask_open(csv->arena, csv->folder, database, DRILL_READS, SUPERUSER, &other));
    TRY(write_sequences(csv, ask, into));
    return export_tables(csv, ask, other, into);
}
