/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/advisor/advice.h"

#include <stdlib.h>

#include "base/clock.h"
#include "engine/postgres/advisor/load.h"
#include "engine/postgres/advisor/trial.h"
#include "engine/postgres/postgres.h"

enum { MOST_DATABASES = 100, ROUND_MS = 30000, MOST_GAINS = 20, MOST_LISTED = 200, MOST_TRIALS = 3 };

struct round {
    struct engine_member *self;
    json_t *document, *advice;
    struct session *statistics; /* in the database of the superuser */
    bool is_primary, has_hypopg, is_counted;
    bool wants_indexes, wants_schema; /* the project may have switched either off */
    int64_t end_ms;
};

static void
note_problem(struct round *round, str sentence)
{
    if (json_text_at(round->advice, "problem").len == 0)
        json_object_set_new(round->advice, "problem", json_stringn(sentence.data, sentence.len));
}

/* ---- Indexes that would help ---- */
static error
read_statements(struct round *round, str database, struct trial *trial)
{
    struct session_rows rows;
    struct arena *arena = round->self->arena;
    trial->statements = ARENA_ARRAY(arena, struct trial_statement, TRIAL_MOST_STATEMENTS);
    if (trial->statements == NULL)
        return fail(arena, OVERLOADED);
    TRY(session_query(round->statistics, SQL_ADVISOR_STATEMENTS, 1, &database, &rows));
    for (int i = 0; i < rows.count && trial->statement_count < TRIAL_MOST_STATEMENTS; i++) {
        struct trial_statement *one = &trial->statements[trial->statement_count];
        *one = (struct trial_statement){ .query = str_dup(arena, session_value(&rows, i, 1)),
                                         .calls = strtoll(session_value(&rows, i, 2).data, NULL, 10),
                                         .ms = strtod(session_value(&rows, i, 3).data, NULL) };
        if (shape_of(arena, one->query, &one->shape) && strcmp(one->shape.command, "INSERT") != 0)
            trial->statement_count++;
    }
    return OK;
}

/* "+name", as those that could go: upwards. */
static json_t *
keys_of(struct arena *arena, const struct trial_index *index)
{
    json_t *keys = json_array();
    for (size_t i = 0; i < index->column_count; i++)
        json_array_append_new(keys, json_string(str_format(arena, "+%s", index->columns[i].data).data));
    return keys;
}

static json_t *
gains_of(struct round *round, const struct trial *trial, str database, size_t index)
{
    json_t *gains = json_array();
    for (size_t i = 0; i < trial->statement_count && json_array_size(gains) < MOST_GAINS; i++) {
        const struct trial_statement *one = &trial->statements[i];
        ptrdiff_t place =
            trial->uses[i][index] ? load_shape_place(round->self->arena, round->document, database, &one->shape) : -1;
        if (place >= 0)
            json_array_append_new(gains,
                                  json_pack("{s:i, s:f, s:f, s:I, s:f}", "shape", (int)place, "before", one->before,
                                            "after", one->after, "calls", (json_int_t)one->calls, "ms", one->ms));
    }
    return gains;
}

static void
tell_chosen(struct round *round, const struct trial *trial, str database)
{
    json_t *list = json_object_get(round->advice, "indexes");
    for (size_t i = 0; i < trial->chosen_count; i++) {
        const struct trial_index *index = trial->chosen[i];
        json_t *gains = gains_of(round, trial, database, i);
        if (json_array_size(gains) > 0 && json_array_size(list) < MOST_LISTED)
            json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:o, s:I, s:I, s:O}", "database", database.data,
                                                  "schema", index->schema.data, "table", index->table.data, "keys",
                                                  keys_of(round->self->arena, index), "bytes", (json_int_t)index->bytes,
                                                  "rowBytes", (json_int_t)index->row_bytes, "gains", gains));
        json_decref(gains);
    }
}

static error
try_once(struct round *round, str path, str database, struct trial *trial, bool *ret_stuck)
{
    struct session *planner CLEANUP(session_cleanup) = NULL;
    struct session_rows rows;
    TRY(session_open_planner(round->self, database, &planner));
    TRY(session_query(planner, SQL_ADVISOR_PATH_SET, 1, &path, &rows));
    trial->planner = planner;
    error why = trial_run(trial);
    trial->planner = NULL;
    *ret_stuck = session_is_stuck(planner);
    return why;
}

/* A statement that cannot be ended is left out, so that whoever wrote it does not keep advice from everybody else. */
static error
try_indexes(struct round *round, struct session *catalog, str database, struct trial *trial)
{
    struct session_rows rows;
    bool is_stuck = true;
    TRY(session_query(catalog, SQL_ADVISOR_PATH_FIND, 0, NULL, &rows));
    str path = str_dup(round->self->arena, session_value(&rows, 0, 0));
    for (int i = 0; is_stuck && i < MOST_TRIALS; i++)
        TRY(try_once(round, path, database, trial, &is_stuck));
    return is_stuck ? problem(round->self->arena, "Planning statements of %s does not end.", database.data) : OK;
}

/* What planning needs is there for as long as it takes, and no longer. */
static error
prove_indexes(struct round *round, struct session *catalog, str database, struct trial *trial)
{
    TRY(session_run(round->statistics, SQL_ADVISOR_ROLE_MAKE, NULL));
    error why = session_run(catalog, SQL_ADVISOR_PREPARE, NULL);
    if (why == OK)
        why = try_indexes(round, catalog, database, trial);
    error cleaned = session_run(catalog, SQL_ADVISOR_CLEAN, NULL);
    if (why == OK)
        tell_chosen(round, trial, database);
    return why == OK ? cleaned : why;
}

/* ---- Tables ---- */
static void
tell_table(struct round *round, str database, const json_t *found)
{
    json_t *list = json_object_get(round->advice, "tables"), *one = json_copy((json_t *)found);
    json_object_set_new(one, "database", json_string(database.data));
    if (json_array_size(list) < MOST_LISTED)
        json_array_append(list, one);
    json_decref(one);
}

static bool
is_told(const json_t *list, const char *trigger, str database, str table)
{
    size_t i;
    const json_t *one;
    json_array_foreach(list, i, one)
    {
        if (str_is(json_text_at(one, "trigger"), trigger) && str_eq(json_text_at(one, "database"), database) &&
            str_eq(json_text_at(one, "table"), table))
            return true;
    }
    return false;
}

static void
tell_case_ignored(struct round *round, const struct trial *trial, str database)
{
    static const char trigger[] = "QUERIES_CONTAIN_CASE_INSENSITIVE_REGEX";
    for (size_t i = 0; i < trial->statement_count; i++) {
        const struct shape *shape = &trial->statements[i].shape;
        if (!shape->ignores_case || shape->table.len == 0 ||
            is_told(json_object_get(round->advice, "tables"), trigger, database, shape->table))
            continue;
        json_t *found =
            json_in(round->self->arena,
                    json_pack("{s:s, s:s, s:s}", "trigger", trigger, "table", shape->table.data, "description",
                              "Queries search the table without regard to case, which no plain index helps with."));
        tell_table(round, database, found);
    }
}

static error
tell_tables(struct round *round, struct session *catalog, str database)
{
    struct session_rows rows;
    size_t i;
    const json_t *one;
    TRY(session_query(catalog, SQL_ADVISOR_TABLES, 0, NULL, &rows));
    json_t *found = json_parse_own(round->self->arena, session_value(&rows, 0, 0));
    json_array_foreach(found, i, one) tell_table(round, database, one);
    return OK;
}

/* ---- Indexes that could go ---- */
static error
tell_indexes(struct round *round, struct session *catalog, str database)
{
    static const char *const lists[] = { "redundant", "unused" };
    struct session_rows rows;
    TRY(session_query(catalog, SQL_ADVISOR_INDEXES, 0, NULL, &rows));
    json_t *found = json_parse_own(round->self->arena, session_value(&rows, 0, 0));
    for (size_t i = 0; i < LENGTH(lists); i++) {
        json_t *one, *list = json_object_get(round->advice, lists[i]);
        size_t k;
        json_array_foreach(json_object_get(found, lists[i]), k, one)
        {
            json_object_set_new(one, "database", json_string(database.data));
            json_object_set(one, "since", json_object_get(found, "since"));
            if (json_array_size(list) < MOST_LISTED)
                json_array_append(list, one);
        }
    }
    return OK;
}

/* ---- A round ---- */
static error
advise_database(struct round *round, str database)
{
    struct session *catalog CLEANUP(session_cleanup) = NULL;
    struct trial *trial = ARENA_NEW(round->self->arena, struct trial);
    if (trial == NULL)
        return fail(round->self->arena, OVERLOADED);
    TRY(session_open(round->self, database, &catalog));
    if (round->wants_indexes)
        TRY(tell_indexes(round, catalog, database));
    if (!round->is_primary)
        return OK;
    if (round->wants_schema)
        TRY(tell_tables(round, catalog, database));
    if (!round->is_counted || !round->wants_indexes)
        return OK;
    *trial = (struct trial){ .arena = round->self->arena, .catalog = catalog, .end_ms = round->end_ms };
    TRY(read_statements(round, database, trial));
    if (round->wants_schema)
        tell_case_ignored(round, trial, database);
    return round->has_hypopg && trial->statement_count > 0 ? prove_indexes(round, catalog, database, trial) : OK;
}

/* A statement of a session ends what the one before has answered: the names are copied. */
static error
advise_all(struct round *round)
{
    struct session_rows rows;
    str names[MOST_DATABASES];
    int count;
    TRY(session_query(round->statistics, SQL_ADVISOR_DATABASES, 0, NULL, &rows));
    count = rows.count < MOST_DATABASES ? rows.count : MOST_DATABASES;
    for (int i = 0; i < count; i++)
        names[i] = str_dup(round->self->arena, session_value(&rows, i, 0));
    for (int i = 0; i < count && clock_steady_ms() < round->end_ms; i++) {
        error why = advise_database(round, names[i]);
        if (why != OK)
            note_problem(round, why->detail);
    }
    return OK;
}

error
advice_add(struct engine_member *self, json_t *document)
{
    struct session *statistics CLEANUP(session_cleanup) = NULL;
    struct session_rows rows;
    struct round round = {
        .self = self,
        .document = document,
        .end_ms = clock_steady_ms() + ROUND_MS,
        .wants_indexes = !goal_is_off(self->cluster, GOAL_PERFORMANCE_ADVISOR),
        .wants_schema = !goal_is_off(self->cluster, GOAL_SCHEMA_ADVISOR),
    };
    TRY(session_open(self, STR(SUPERUSER), &statistics));
    round.statistics = statistics;
    TRY(session_query(statistics, SQL_ADVISOR_STATISTICS_STATE, 0, NULL, &rows));
    round.is_counted = str_is(session_value(&rows, 0, 0), "t") && str_is(session_value(&rows, 0, 1), "t");
    round.is_primary = str_is(session_value(&rows, 0, 2), "f");
    TRY(session_query(statistics, SQL_ADVISOR_HYPOPG_OFFERED, 0, NULL, &rows));
    round.has_hypopg = str_is(session_value(&rows, 0, 0), "t");
    round.advice = json_pack("{s:b, s:s, s:[], s:[], s:[], s:[]}", "isPrimary", (int)round.is_primary, "problem",
                             round.has_hypopg ? "" : "hypopg is not installed on this host: no indexes are suggested.",
                             "indexes", "unused", "redundant", "tables");
    if (round.advice == NULL || json_object_set_new(document, "advice", round.advice) != 0)
        return fail(self->arena, OVERLOADED);
    return advise_all(&round);
}
