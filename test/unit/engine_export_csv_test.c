/* SPDX-License-Identifier: Apache-2.0 */
/* Databases as CSV, read from a real server in which everything is hostile: names, settings, and whatever runs when it is asked for. */
#include "check.h"

#include <ftw.h>
#include <libpq-fe.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/disk.h"
#include "engine/postgres/drill/drill_ask.h"
#include "engine/postgres/export/export_csv.h"
#include "engine/postgres/export/export_name.h"
#include "engine/postgres/export/export_upload.h"
#include "engine/postgres/postgres.h"

enum { ARENA_BYTES = 64 << 20, TEXT_BYTES = 1 << 16 };

#define DATABASE "sh'op"

/* What runs anything of it fails: nothing is exported then. */
static const char hostile[] =
    "CREATE FUNCTION public.trap() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'the tenant''s code was run'; END $$;"
    "CREATE FUNCTION public.quiet() RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN 1; END $$;"
    "CREATE TABLE plain (n int PRIMARY KEY, words text, moment timestamptz, made int GENERATED ALWAYS AS (n + public.quiet()) STORED, more int DEFAULT public.trap());"
    "INSERT INTO plain (n, words, moment, more) VALUES (1, 'a,\"b\"', '2026-11-17 08:00:00+00', 7), (2, NULL, NULL, 8), (3, '', 'infinity', 9);"
    "CREATE OR REPLACE FUNCTION public.quiet() RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN public.trap(); END $$;"
    "ALTER TABLE plain ENABLE ROW LEVEL SECURITY; ALTER TABLE plain FORCE ROW LEVEL SECURITY; CREATE POLICY p ON plain USING (public.trap() = n);"
    "CREATE INDEX ON plain (words);"
    "CREATE VIEW looks AS SELECT public.trap() AS n; CREATE MATERIALIZED VIEW kept AS SELECT public.trap() AS n WITH NO DATA;"
    "CREATE RULE again AS ON UPDATE TO plain DO ALSO SELECT public.trap();"
    "CREATE TABLE parts (n int) PARTITION BY RANGE (n); CREATE TABLE low PARTITION OF parts FOR VALUES FROM (0) TO (10);"
    "CREATE TABLE high PARTITION OF parts FOR VALUES FROM (10) TO (20); INSERT INTO parts VALUES (1), (11), (12);"
    "CREATE TABLE empty (); CREATE SEQUENCE used; SELECT nextval('used'), nextval('used'); CREATE SEQUENCE unused;"
    "CREATE TABLE \"a b/../../c\" (n int); INSERT INTO \"a b/../../c\" VALUES (7);"
    "CREATE TABLE \"two\nlines\" (n int); CREATE TABLE \"..\" (n int); CREATE TABLE \"table-1\" (n int); CREATE TABLE \"-x\" (n int);"
    "CREATE SCHEMA \"../up\"; CREATE TABLE \"../up\".t (n int); CREATE SCHEMA \"schema.sql\"; CREATE TABLE \"schema.sql\".t (n int); CREATE SCHEMA \"schema-2\"; CREATE TABLE \"schema-2\".t (n int);"
    /* What is looked for without its schema is found there first. */
    "CREATE SCHEMA evil; CREATE FUNCTION evil.format(text, VARIADIC text[]) RETURNS text LANGUAGE sql AS $$ SELECT public.trap()::text $$;"
    "CREATE FUNCTION evil.format(text, VARIADIC name[]) RETURNS text LANGUAGE sql AS $$ SELECT public.trap()::text $$;"
    "ALTER DATABASE \"" DATABASE "\" SET search_path = evil, public, pg_catalog;"
    "ALTER DATABASE \"" DATABASE "\" SET datestyle = 'German'; ALTER DATABASE \"" DATABASE
    "\" SET timezone = 'Asia/Tokyo'; ALTER DATABASE \"" DATABASE "\" SET default_transaction_read_only = off;"
    "ALTER DATABASE \"" DATABASE "\" SET row_security = on; REVOKE CONNECT ON DATABASE \"" DATABASE "\" FROM PUBLIC";

static struct arena *arena;
static char folder[] = "/tmp/reeve-csv.XXXXXX";

static void
run_sql(const char *database, const char *sql)
{
    str dsn = str_format(arena, "host=%s port=%s user=postgres dbname='%s'", getenv("REEVE_TEST_DIR"),
                         getenv("PGPORT_TEST"), database);
    PGconn *connection = PQconnectdb(dsn.data);
    PGresult *result = PQexec(connection, sql);
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        fail_msg("%s", PQerrorMessage(connection));
    PQclear(result);
    PQfinish(connection);
}

static const char *
below(const char *path)
{
    return str_format(arena, "%s/%s", folder, path).data;
}

/* The server as the second stage of an export finds it. */
static int
open_world(void **state)
{
    (void)state;
    arena = arena_new(ARENA_BYTES);
    assert_non_null(mkdtemp(folder));
    assert_int_equal(mkdir(below("run"), 0700) | mkdir(below("dump"), 0700), 0);
    str real = str_format(arena, "%s/.s.PGSQL.%s", getenv("REEVE_TEST_DIR"), getenv("PGPORT_TEST"));
    assert_int_equal(symlink(real.data, below("run/.s.PGSQL.5432")), 0);
    run_sql("postgres", "CREATE DATABASE \"" DATABASE "\"");
    run_sql("sh\\'op", hostile);
    return 0;
}

static int
remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status, (void)type, (void)place;
    return remove(path);
}

static int
close_world(void **state)
{
    (void)state;
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    arena_free(arena);
    return 0;
}

static json_t *
export_all(const char *into)
{
    /* The newest server, as script/with-services takes it. */
    FILE *newest = popen("ls /usr/lib/postgresql | sort -V | tail -n 1 | tr -d '\\n'", "r");
    char version[16] = "";
    assert_non_null(fgets(version, sizeof(version), newest));
    pclose(newest);
    struct export_csv csv = { arena, str_from(folder), str_from(version), json_in(arena, json_object()) };
    error why = export_csv_database(&csv, STR(DATABASE), str_from(into));
    if (why != OK)
        fail_msg("%s", why->detail.data);
    return csv.tables;
}

static const char *
unpacked(const char *path)
{
    char *text = arena_alloc(arena, TEXT_BYTES);
    gzFile file = gzopen(below(path), "rb");
    assert_non_null(file);
    int length = gzread(file, text, TEXT_BYTES - 1);
    assert_true(length >= 0);
    gzclose(file);
    text[length] = '\0';
    return text;
}

static const char *
text_of(const char *path)
{
    str text;
    assert_true(disk_read(arena, below(path), TEXT_BYTES, &text));
    return text.data;
}

/* ---- Tests ---- */
static void
rows_are_what_they_are_whatever_the_database_is_set_to(void **state)
{
    (void)state;
    json_t *tables = export_all("a");
    assert_string_equal(unpacked("dump/a/public/plain.csv.gz"), "n,words,moment,more\n"
                                                                "1,\"a,\"\"b\"\"\",2026-11-17 08:00:00+00,7\n"
                                                                "2,,,8\n"
                                                                "3,\"\",infinity,9\n");
    const json_t *plain = json_object_get(tables, "a/public/plain.csv.gz");
    assert_int_equal(json_integer_value(json_object_get(plain, "rows")), 3);
    assert_string_equal(json_string_value(json_object_get(plain, "table")), "plain");
    assert_string_equal(unpacked("dump/a/public/high.csv.gz"), "n\n11\n12\n");
    assert_null(json_object_get(tables, "a/public/parts.csv.gz"));
    assert_null(json_object_get(tables, "a/public/looks.csv.gz"));
    assert_null(json_object_get(tables, "a/public/kept.csv.gz"));
}

static void
what_is_around_the_rows_is_there(void **state)
{
    (void)state;
    export_all("b");
    assert_non_null(strstr(text_of("dump/b/schema.sql"), "CREATE TABLE public.plain"));
    assert_null(strstr(text_of("dump/b/schema.sql"), "CREATE INDEX"));
    assert_non_null(strstr(text_of("dump/b/constraints.sql"), "CREATE INDEX"));
    assert_string_equal(text_of("dump/b/sequences.sql"), "SELECT pg_catalog.setval('public.used', 2);\n");
}

static void
a_name_that_cannot_stand_in_a_path_gets_a_number(void **state)
{
    (void)state;
    json_t *tables = export_all("c"), *about;
    const char *path;
    int found = 0;
    json_object_foreach(tables, path, about)
    {
        static const char *const odd[] = { "a b/../../c", "two\nlines", "..", "table-1", "-x" };
        for (size_t i = 0; i < LENGTH(odd); i++) {
            if (strcmp(json_string_value(json_object_get(about, "table")), odd[i]) == 0) {
                found++;
                assert_int_equal(strncmp(path, "c/public/table-", strlen("c/public/table-")), 0);
            }
        }
        assert_null(strstr(path, ".."));
        assert_int_equal(access(below(str_format(arena, "dump/%s", path).data), R_OK), 0);
    }
    assert_int_equal(found, 5);
    assert_string_equal(json_string_value(json_object_get(json_object_get(tables, "c/schema-1/t.csv.gz"), "schema")),
                        "../up");
    assert_non_null(strstr(text_of("dump/c/schema.sql"), "CREATE TABLE public.plain")); /* and not a folder */
}

static void
who_reads_changes_nothing(void **state)
{
    (void)state;
    static const char *const tries[] = { "CREATE TABLE public.mine (n int)",
                                         "DELETE FROM public.high",
                                         "SELECT nextval('public.used')",
                                         "COPY public.high TO PROGRAM 'cat > /tmp/reeve-csv-out'",
                                         "COPY public.high TO '/tmp/reeve-csv-out'",
                                         "SELECT pg_read_file('/etc/passwd')",
                                         "SET ROLE postgres",
                                         "SELECT lo_export(lo_creat(-1), '/tmp/reeve-csv-out')" };
    struct drill_answer ignored;
    assert_ptr_equal(drill_let_in(arena, str_from(folder), STR(DATABASE), SUPERUSER), OK);
    for (size_t i = 0; i < LENGTH(tries); i++) {
        struct drill_ask *ask CLEANUP(drill_ask_cleanup) = NULL;
        assert_ptr_equal(drill_ask_open(arena, str_from(folder), STR(DATABASE), DRILL_READS, SUPERUSER, &ask), OK);
        assert_ptr_equal(drill_ask(ask, "SET default_transaction_read_only = off", 10000, &ignored), OK);
        if (drill_ask(ask, tries[i], 10000, &ignored) == OK)
            fail_msg("%s", tries[i]);
    }
}

/* As their own sessions see it; but as the role that changes nothing. */
static void
who_asserts_has_the_settings_of_the_tenant(void **state)
{
    (void)state;
    struct drill_ask *ask CLEANUP(drill_ask_cleanup) = NULL;
    struct drill_answer answer;
    assert_ptr_equal(drill_let_in(arena, str_from(folder), STR(DATABASE), SUPERUSER), OK);
    assert_ptr_equal(drill_ask_open(arena, str_from(folder), STR(DATABASE), DRILL_ASSERTS, SUPERUSER, &ask), OK);
    assert_ptr_equal(drill_ask(ask,
                               "SELECT concat_ws(' ', session_user, current_setting('transaction_read_only'), "
                               "current_setting('timezone'), (SELECT count(*) FROM plain))",
                               10000, &answer),
                     OK);
    assert_true(str_is(drill_value(&answer, 0, 0), "reeve_drill on Asia/Tokyo 3"));
}

static bool
take_nothing(void *context, str piece)
{
    (void)context, (void)piece;
    return false;
}

static void
what_cannot_be_written_ends_it(void **state)
{
    (void)state;
    struct drill_ask *ask CLEANUP(drill_ask_cleanup) = NULL;
    struct drill_answer ignored;
    int64_t rows;
    assert_ptr_equal(drill_ask_open(arena, str_from(folder), STR(DATABASE), DRILL_CHECKS, SUPERUSER, &ask), OK);
    assert_ptr_not_equal(drill_copy(ask, "COPY public.high TO STDOUT", 10000, take_nothing, NULL, &rows), OK);
    assert_ptr_not_equal(drill_ask(ask, "SELECT 1", 10000, &ignored), OK);
}

static void
a_server_that_says_nothing_is_given_up(void **state)
{
    (void)state;
    struct drill_ask *ask CLEANUP(drill_ask_cleanup) = NULL;
    int64_t rows;
    assert_ptr_equal(drill_ask_open(arena, str_from(folder), STR(DATABASE), DRILL_CHECKS, SUPERUSER, &ask), OK);
    error why = drill_copy(ask, "COPY (SELECT pg_sleep(60)) TO STDOUT", 300, take_nothing, NULL, &rows);
    assert_ptr_not_equal(why, OK);
    assert_non_null(strstr(why->detail.data, "did not end within"));
}

static void
files_are_counted_as_tables(void **state)
{
    (void)state;
    assert_true(export_is_table(STR("orders.csv.gz")));
    assert_false(export_is_table(STR("schema.sql")));
    assert_string_equal(export_name(arena, STR("manifest.json"), "database", 3).data, "database-3");
    assert_string_equal(export_name(arena, STR("roles.sql"), "database", 4).data, "database-4");
    assert_string_equal(export_name(arena, STR("shop"), "database", 5).data, "shop");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_what_they_are_whatever_the_database_is_set_to),
        cmocka_unit_test(what_is_around_the_rows_is_there),
        cmocka_unit_test(a_name_that_cannot_stand_in_a_path_gets_a_number),
        cmocka_unit_test(who_reads_changes_nothing),
        cmocka_unit_test(who_asserts_has_the_settings_of_the_tenant),
        cmocka_unit_test(what_cannot_be_written_ends_it),
        cmocka_unit_test(a_server_that_says_nothing_is_given_up),
        cmocka_unit_test(files_are_counted_as_tables),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
