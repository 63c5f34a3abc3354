/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/drill/drill_prove.h"

#include "base/failpoint.h"
#include "engine/postgres/drill/drill_ask.h"
#include "engine/postgres/drill/drill_files.h"
#include "engine/postgres/drill/drill_server.h"
#include "engine/postgres/own/own_rehearse.h"
#include "engine/program.h"
#include "engine/sql.gen.h"

/* The unit ends everything after the time that it has; what stands here is so long that it comes first only when something hangs. */
enum { QUESTION_MS = 60 * 1000, COUNT_MS = 3600 * 1000, SAID_BYTES = 64 * 1024, MOST_DATABASES = 100 };

struct prove {
    struct arena *arena;
    str folder;
    json_t *order, *checks;
    struct drill_story story;
    struct drill_server server;
    size_t database_count;
    str databases[MOST_DATABASES];
    bool sorts_differently[MOST_DATABASES];
    error cut_short; /* a check that somebody ended: there is no verdict then */
};

/* ---- What is found ---- */
static void
note_counted(struct prove *prove, const char *name, str database, const char *result, str sentence, int64_t tables,
             int64_t rows)
{
    sentence = drill_sentence(sentence);
    json_array_append_new(prove->checks,
                          json_pack("{s:s, s:s%, s:s, s:s%, s:I, s:I}", "name", name, "database", database.data,
                                    database.len, "result", result, "sentence", sentence.data, sentence.len, "tables",
                                    (json_int_t)tables, "rows", (json_int_t)rows));
}

static void
note(struct prove *prove, const char *name, str database, const char *result, str sentence)
{
    note_counted(prove, name, database, result, sentence, -1, -1);
}

static void
note_outcome(struct prove *prove, const char *name, str database, error why, const char *fine)
{
    note(prove, name, database, why == OK ? "PASSED" : "FAILED", why == OK ? str_from(fine) : why->detail);
}

/* ---- What came back ---- */
static error
look(struct prove *prove, struct drill_ask *ask)
{
    struct drill_answer answer;
    int64_t recovered = -1, bytes = -1;
    TRY(drill_ask(ask, member_sql_rows[SQL_DRILL_RECOVERED].text, QUESTION_MS, &answer));
    if (!str_to_int(drill_value(&answer, 0, 0), 0, INT64_MAX, &recovered))
        recovered = -1; /* nothing was committed since the backup began */
    if (!str_to_int(drill_value(&answer, 0, 1), 0, INT64_MAX, &bytes))
        bytes = -1;
    str version = str_dup(prove->arena, drill_value(&answer, 0, 2)), end = drill_server_reached(&prove->server);
    json_object_set_new(prove->story.said, "recoveryPointMs", json_integer(recovered));
    json_object_set_new(prove->story.said, "endLsn", json_stringn(end.data, end.len));
    json_object_set_new(prove->story.said, "dataBytes", json_integer(bytes));
    json_object_set_new(prove->story.said, "serverVersion", json_stringn(version.data, version.len));
    return OK;
}

static error
list_databases(struct prove *prove, struct drill_ask *ask)
{
    struct drill_answer answer;
    TRY(drill_ask(ask, member_sql_rows[SQL_DRILL_DATABASE_LIST].text, QUESTION_MS, &answer));
    for (int i = 0; i < answer.rows && prove->database_count < MOST_DATABASES; i++) {
        prove->databases[prove->database_count] = str_dup(prove->arena, drill_value(&answer, i, 0));
        prove->sorts_differently[prove->database_count++] = str_is(drill_value(&answer, i, 1), "t");
    }
    if (answer.rows > MOST_DATABASES)
        note(prove, "databases", STR_EMPTY, "SKIPPED",
             str_format(prove->arena, "There are %d databases: the first %d by name are looked at.", answer.rows,
                        MOST_DATABASES));
    return OK;
}

static error
recover(struct prove *prove)
{
    struct drill_ask *ask CLEANUP(drill_ask_cleanup) = NULL;
    TRY(drill_story_phase(&prove->story, "recover"));
    failpoint("drill:recover:before");
    TRY(drill_server_start(&prove->server));
    failpoint("drill:recover:after");
    TRY(drill_story_phase(&prove->story, "check"));
    TRY(drill_ask_open(prove->arena, prove->folder, STR("postgres"), DRILL_CHECKS, drill_superuser(prove->order),
                       &ask));
    TRY(look(prove, ask));
    return list_databases(prove, ask);
}

/* ---- Checks ---- */
static bool
is_cut_short(struct prove *prove, error why)
{
    if (problem_is_of_moment(why))
        prove->cut_short = why;
    return problem_is_of_moment(why);
}

/* Every table and every index, and whether each row is in each index of its table. */
static void
check_structure(struct prove *prove, str database, bool sorts_differently)
{
    struct arena *arena = prove->arena;
    str program = drill_program(arena, prove->server.major_version, "pg_amcheck"), said = STR_EMPTY;
    str conninfo = drill_conninfo(arena, prove->folder, database, drill_superuser(prove->order));
    const char *const argv[] = {
        program.data, "--install-missing", "--heapallindexed", "--jobs=1", conninfo.data, NULL
    };
    error why = program_ask(arena, argv, STR_EMPTY, SAID_BYTES, &said);
    if (is_cut_short(prove, why))
        return;
    if (why == OK) {
        note(prove, "amcheck", database, "PASSED", STR("All tables and indexes are sound."));
        return;
    }
    said = str_trim(str_cut(&said, '\n'));
    note(prove, "amcheck", database, "FAILED",
         str_format(
             arena, "pg_amcheck: %.*s%s", STR_ARG(said),
             sorts_differently
                 ? " (This host sorts texts in another way than the cluster's hosts did: install the same C library.)"
                 : ""));
}

static error
count_rows(struct prove *prove, str database, int64_t *ret_tables, int64_t *ret_rows)
{
    struct drill_ask *ask CLEANUP(drill_ask_cleanup) = NULL, *other CLEANUP(drill_ask_cleanup) = NULL;
    struct drill_answer tables, count;
    const char *superuser = drill_superuser(prove->order);
    TRY(drill_ask_open(prove->arena, prove->folder, database, DRILL_CHECKS, superuser, &ask));
    TRY(drill_ask_open(prove->arena, prove->folder, database, DRILL_CHECKS, superuser, &other));
    TRY(drill_ask(ask, member_sql_rows[SQL_DRILL_TABLE_LIST].text, QUESTION_MS, &tables));
    for (int i = 0; i < tables.rows; i++) {
        int64_t rows = 0;
        TRY(drill_ask(other, drill_value(&tables, i, 0).data, COUNT_MS, &count));
        if (str_to_int(drill_value(&count, 0, 0), 0, INT64_MAX / 2, &rows) && *ret_rows < INT64_MAX / 2)
            *ret_rows += rows;
    }
    *ret_tables = tables.rows;
    return OK;
}

static void
check_rows(struct prove *prove, str database)
{
    int64_t tables = 0, rows = 0;
    error why = count_rows(prove, database, &tables, &rows);
    str sentence =
        why != OK ? why->detail
                  : str_format(prove->arena, "%lld rows in %lld tables were read.", (long long)rows, (long long)tables);
    note_counted(prove, "rows", database, why == OK ? "PASSED" : "FAILED", sentence, why == OK ? tables : -1,
                 why == OK ? rows : -1);
}

static void
check_databases(struct prove *prove)
{
    for (size_t i = 0; i < prove->database_count; i++) {
        check_structure(prove, prove->databases[i], prove->sorts_differently[i]);
        check_rows(prove, prove->databases[i]);
    }
}

/* ---- What tenants assert ---- */
/* One value that is true. Whatever else the query could give, or do to this program by giving much of it, the server refuses. */
static error
assert_one(struct prove *prove, str database, str sql, int64_t timeout_ms)
{
    struct drill_ask *ask CLEANUP(drill_ask_cleanup) = NULL;
    struct drill_answer answer;
    TRY(drill_let_in(prove->arena, prove->folder, database, drill_superuser(prove->order)));
    TRY(drill_ask_open(prove->arena, prove->folder, database, DRILL_ASSERTS, drill_superuser(prove->order), &ask));
    while (sql.len > 0 && strchr("; \t\r\n", sql.data[sql.len - 1]) != NULL)
        sql.len--;
    str whole = str_format(prove->arena, "SELECT (\n%.*s\n)::boolean", STR_ARG(sql));
    TRY(drill_ask(ask, whole.data, timeout_ms, &answer));
    str value = drill_value(&answer, 0, 0);
    return str_is(value, "t")   ? OK
           : str_is(value, "f") ? problem(prove->arena, "It is false.")
                                : problem(prove->arena, "It gave no value, and one boolean is wanted.");
}

static void
check_assertions(struct prove *prove)
{
    const json_t *one;
    size_t i;
    int64_t timeout_ms = json_integer_value(json_object_get(prove->order, "assertionSeconds")) * 1000;
    json_array_foreach(json_object_get(prove->order, "assertions"), i, one)
    {
        str name = json_str(json_object_get(one, "name")), database = json_str(json_object_get(one, "database"));
        failpoint("drill:assert:before");
        error why = assert_one(prove, database, json_str(json_object_get(one, "sql")), timeout_ms);
        note_outcome(prove, str_format(prove->arena, "assertion %.*s", STR_ARG(name)).data, database, why,
                     "It is true.");
    }
}

/* ---- The control plane ---- */
static void
check_control_plane(struct prove *prove)
{
    const json_t *wish = json_object_get(prove->order, "controlPlane");
    str said = STR_EMPTY;
    if (!json_is_object(wish))
        return;
    error why = own_rehearse(prove->arena, prove->folder, wish, drill_superuser(prove->order), &said);
    if (is_cut_short(prove, why))
        return;
    note_outcome(prove, "control plane", json_text_at(wish, "database"), why, said.data);
}

/* ---- The files themselves ---- */
static void
check_checksums(struct prove *prove)
{
    str program = drill_program(prove->arena, prove->server.major_version, "pg_checksums"), said = STR_EMPTY;
    str data = str_format(prove->arena, "--pgdata=%s/" DRILL_DATA, prove->folder.data);
    const char *const argv[] = { program.data, "--check", data.data, NULL };
    error why = program_ask(prove->arena, argv, STR_EMPTY, SAID_BYTES, &said);
    if (is_cut_short(prove, why))
        return;
    if (why != OK && memmem(said.data, said.len, "not enabled", strlen("not enabled")) != NULL)
        note(prove, "checksums", STR_EMPTY, "SKIPPED", STR("The cluster has no checksums."));
    else
        note_outcome(prove, "checksums", STR_EMPTY, why, "The checksums of all pages are right.");
}

static error
prove(struct prove *prove)
{
    TRY(recover(prove));
    check_databases(prove);
    check_assertions(prove);
    check_control_plane(prove);
    failpoint("drill:stop:before");
    error stopped = drill_server_stop(&prove->server);
    if (stopped == OK)
        check_checksums(prove);
    else
        note_outcome(prove, "checksums", STR_EMPTY, stopped, "");
    return prove->cut_short;
}

error
drill_prove_run(struct arena *arena, str folder)
{
    struct prove *all = ARENA_ARRAY(arena, struct prove, 1);
    if (all == NULL)
        return fail(arena, OVERLOADED);
    *all = (struct prove){ .arena = arena, .folder = folder };
    TRY(drill_order_read(arena, folder, &all->order));
    TRY(drill_story_begin(arena, folder, DRILL_PROVED_FILE, &all->story));
    all->checks = json_array();
    json_object_set_new(all->story.said, "checks", all->checks);
    all->server = (struct drill_server){ .arena = arena,
                                         .folder = folder,
                                         .superuser = drill_superuser(all->order),
                                         .major_version = json_str(json_object_get(all->order, "majorVersion")) };
    return drill_story_end(&all->story, prove(all));
}
