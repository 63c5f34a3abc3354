/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/monitor/monitor_databases.h"

#include <stdlib.h>

#include "base/clock.h"
#include "engine/postgres/monitor/monitor_rows.h"

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
};

struct monitor_databases *
monitor_databases_new(void)
{
    return calloc(1, sizeof(struct monitor_databases));
}

void
monitor_databases_free(struct monitor_databases *memory)
{
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
add_tables(struct engine_member *self, const struct engine_round *round, const PGresult *rows, struct buf *out)
{
    for (int row = 0; rows != NULL && row < PQntuples(rows); row++) {
        struct points_writer writer =
            points_begin(out, self->member->id, round->time_ms, METRIC_TABLE, monitor_text(rows, row, "name"));
        monitor_add_row(&writer, rows, row);
        points_end(&writer);
    }
}

static void
take_sizes(struct known *known, PGresult *const results[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (results[i] != NULL) {
            remember(known, results[i]);
            known->looked_at_ms = clock_steady_ms();
        }
    }
}

/* What does not answer in time is left for the next round: a lock of the tenant's, or a hundred thousand tables. */
static void
look_inside(struct engine_member *self, const struct engine_round *round, str database, bool with_tables,
            struct known *known, struct buf *out)
{
    struct monitor_session *session CLEANUP(monitor_session_cleanup) = NULL;
    int64_t deadline_ms = clock_steady_ms() + ONE_MS;
    str most = str_from_int(self->arena, MONITOR_MOST_TABLES);
    struct monitor_question questions[MONITOR_MOST_QUESTIONS];
    PGresult *results[MONITOR_MOST_QUESTIONS];
    size_t sizes = 0, count = 0;
    if (round->with_sizes) {
        questions[count++] = (struct monitor_question){ SQL_MONITOR_DATABASE_SIZE, NULL };
        questions[count++] = (struct monitor_question){ SQL_MONITOR_RELATIONS, NULL };
        sizes = count;
    }
    if (with_tables)
        questions[count++] = (struct monitor_question){ SQL_MONITOR_TABLES, most.data };
    if (count == 0 || monitor_session_open(self, database, deadline_ms, &session) != OK ||
        monitor_session_ask(session, self->arena, count, questions, deadline_ms, results) != OK)
        return;
    take_sizes(known, results, sizes);
    if (with_tables)
        add_tables(self, round, results[count - 1], out);
    for (size_t i = 0; i < count; i++)
        PQclear(results[i]);
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
    for (int row = 0; rows != NULL && row < PQntuples(rows); row++) {
        str name = monitor_text(rows, row, "name");
        struct known *known = find_known(memory, name);
        struct engine_round here = *round;
        if (known == NULL)
            known = make_known(memory, name);
        here.with_sizes |= known->looked_at_ms == 0; /* one that is new is looked at once */
        if (clock_steady_ms() < deadline_ms)
            look_inside(self, &here, name, row < MONITOR_MOST_WATCHED, known, out);
        add_database(self, round, rows, row, known, out);
    }
}
