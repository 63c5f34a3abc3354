/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/monitor/monitor_databases.h"

#include <stdlib.h>

#include "base/clock.h"
#include "engine/postgres/monitor/monitor_rows.h"
#include "engine/postgres/monitor/monitor_tables.h"

enum {
    NAME_BYTES = 64,
    ONE_MS = 6000,             /* for a database */
    ALL_MS = 20 * 1000,        /* for all of them, in a round */
    LASTS_MS = 20 * 60 * 1000, /* how long a size is said again when it could not be looked at */
};

/* The metrics of a database that are said again. */
static const enum metric_number kept[] = { M_DATABASE_DATA_SIZE,        M_DATABASE_STORAGE_SIZE, M_DATABASE_INDEX_SIZE,
                                           M_DATABASE_COLLECTION_COUNT, M_DATABASE_INDEX_COUNT,  M_DATABASE_VIEW_COUNT,
                                           M_DATABASE_OBJECT_COUNT };

struct known {
    char name[NAME_BYTES];
    int64_t looked_at_ms; /* 0: never */
    bool has[LENGTH(kept)];
    double values[LENGTH(kept)];
};

struct monitor_databases {
    size_t count;
    struct known known[MONITOR_MOST_DATABASES];
    struct monitor_tables *tables;
};

struct monitor_databases *
monitor_databases_new(void)
{
    struct monitor_databases *memory = calloc(1, sizeof(*memory));
    if (memory == NULL || (memory->tables = monitor_tables_new()) != NULL)
        return memory;
    free(memory);
    return NULL;
}

void
monitor_databases_free(struct monitor_databases *memory)
{
    if (memory == NULL)
        return;
    monitor_tables_free(memory->tables);
    free(memory);
}

/* ---- What is remembered ---- */
static struct known *
find_known(struct monitor_databases *memory, str name)
{
    for (size_t i = 0; i < memory->count; i++) {
        if (str_is(name, memory->known[i].name))
            return &memory->known[i];
    }
    return NULL;
}

/* In the place of whichever was not looked at for the longest time, when all are taken. */
static struct known *
make_known(struct monitor_databases *memory, str name)
{
    struct known *oldest = &memory->known[0];
    if (memory->count < MONITOR_MOST_DATABASES)
        oldest = &memory->known[memory->count++];
    for (size_t i = 0; oldest->name[0] != '\0' && i < memory->count; i++) {
        if (memory->known[i].looked_at_ms < oldest->looked_at_ms)
            oldest = &memory->known[i];
    }
    *oldest = (struct known){ 0 };
    memcpy(oldest->name, name.data, name.len < NAME_BYTES ? name.len : NAME_BYTES - 1);
    return oldest;
}

static void
remember(struct known *known, const PGresult *rows)
{
    for (int column = 0; PQntuples(rows) > 0 && column < PQnfields(rows); column++) {
        const struct metric *metric = monitor_column_metric(rows, column);
        for (size_t i = 0; metric != NULL && i < LENGTH(kept); i++) {
            if (metric->number == kept[i])
                known->has[i] = monitor_number(rows, 0, column, &known->values[i]);
        }
    }
}

/* ---- Inside of one database ---- */
static void
look_at_sizes(struct engine_member *self, struct monitor_session *session, struct known *known, int64_t deadline_ms)
{
    static const struct monitor_question questions[] = { { SQL_MONITOR_DATABASE_SIZE, NULL },
                                                         { SQL_MONITOR_RELATIONS, NULL } };
    PGresult *results[LENGTH(questions)];
    if (monitor_session_ask(session, self->arena, LENGTH(questions), questions, deadline_ms, results) != OK)
        return;
    for (size_t i = 0; i < LENGTH(questions); i++) {
        if (results[i] != NULL) {
            remember(known, results[i]);
            known->looked_at_ms = clock_steady_ms();
        }
        PQclear(results[i]);
    }
}

/* What does not answer in time is left for the next round: a lock of the tenant's, or a hundred thousand tables. */
static void
look_inside(struct engine_member *self, struct monitor_tables *tables, str database, bool with_sizes, bool with_tables,
            struct known *known)
{
    struct monitor_session *session CLEANUP(monitor_session_cleanup) = NULL;
    int64_t deadline_ms = clock_steady_ms() + ONE_MS;
    if ((!with_sizes && !with_tables) || monitor_session_open(self, database, deadline_ms, &session) != OK)
        return;
    if (with_tables)
        monitor_tables_look(tables, database, session, deadline_ms);
    if (with_sizes)
        look_at_sizes(self, session, known, deadline_ms);
}

/* ---- All of them ---- */
static void
add_database(struct engine_member *self, const struct engine_round *round, const PGresult *rows, int row,
             const struct known *known, struct buf *out)
{
    bool is_fresh = known->looked_at_ms > 0 && clock_steady_ms() - known->looked_at_ms < LASTS_MS;
    struct points_writer writer =
        points_begin(out, self->member->id, round->time_ms, METRIC_DATABASE, monitor_text(rows, row, "name"));
    for (size_t i = 0; is_fresh && i < LENGTH(kept); i++) {
        if (known->has[i])
            points_add(&writer, kept[i], known->values[i]);
    }
    monitor_add_row(&writer, rows, row);
    points_end(&writer);
}

void
monitor_databases_measure(struct engine_member *self, struct monitor_databases *memory,
                          const struct engine_round *round, const PGresult *rows, struct buf *out)
{
    int64_t deadline_ms = clock_steady_ms() + ALL_MS;
    monitor_tables_begin(memory->tables, self, round);
    for (int row = 0; rows != NULL && row < PQntuples(rows); row++) {
        str name = monitor_text(rows, row, "name");
        struct known *known = find_known(memory, name);
        if (known == NULL)
            known = make_known(memory, name);
        bool with_sizes = round->with_sizes || known->looked_at_ms == 0; /* one that is new is looked at once */
        bool with_tables = monitor_tables_wants(memory->tables, name, row);
        if (clock_steady_ms() < deadline_ms)
            look_inside(self, memory->tables, name, with_sizes, with_tables, known);
        add_database(self, round, rows, row, known, out);
    }
    monitor_tables_tell(memory->tables, out);
}
