/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/backup/wal_source.h"

#include <libpq-fe.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "engine/sql.gen.h"

enum {
    EVERY_MS = 1000,
    AGAIN_MS = 200,
    FRESH_MS = 5000,
    HEARTBEAT_MS = 60 * 1000,
    SENTENCE = 512,
    ARENA_BYTES = 1 << 20
};

/* What owners of databases have set does not reach these sessions. Nobody waits for a replica to have a heartbeat. */
static const char options[] =
    " options='-c statement_timeout=10s -c synchronous_commit=local -c default_transaction_read_only=off -c search_path=pg_catalog'";

struct wal_source {
    const struct receive_config *config;
    pthread_t thread;
    pthread_mutex_t lock;
    struct wal_observation seen;
    char problem[SENTENCE];
};

static PGconn *
connect_to_primary(struct arena *arena, const struct receive_config *config, const char *more)
{
    str conninfo = str_format(arena, "%s%s%s", receive_conninfo(arena, config, -1).data, options, more);
    return PQconnectdb(conninfo.data);
}

static void
note_problem(struct wal_source *source, const char *message)
{
    pthread_mutex_lock(&source->lock);
    snprintf(source->problem, sizeof(source->problem), "The primary does not answer: %s", message);
    for (char *c = source->problem; *c != '\0'; c++)
        *c = *c == '\n' ? ' ' : *c;
    pthread_mutex_unlock(&source->lock);
}

static str
column(const PGresult *result, const char *name)
{
    return str_from(PQgetvalue(result, 0, PQfnumber(result, name)));
}

static bool
read_position(const PGresult *result, struct wal_observation *seen)
{
    int64_t segment_bytes;
    struct wal_place place;
    str file = column(result, "file");
    seen->steady_ms = clock_steady_ms();
    if (!str_to_int(column(result, "at_ms"), 0, INT64_MAX, &seen->primary_ms) ||
        !lsn_parse(column(result, "flushed"), &seen->flushed) ||
        !str_to_int(column(result, "segment_bytes"), 1 << 20, 1 << 30, &segment_bytes))
        return false;
    seen->segment_bytes = (uint64_t)segment_bytes;
    if (!wal_place_parse(file, seen->segment_bytes, &place))
        return false;
    seen->timeline = place.timeline;
    seen->skew_ms = seen->primary_ms - clock_now_ms();
    if (!lsn_parse(column(result, "confirmed"), &seen->confirmed))
        seen->confirmed = 0;
    seen->slot_is_active = str_is(column(result, "is_active"), "t");
    seen->slot_is_lost = str_is(column(result, "is_lost"), "t");
    snprintf(seen->version, sizeof(seen->version), "%.*s", STR_ARG(column(result, "version")));
    return true;
}

static bool
ask(struct wal_source *source, PGconn *connection)
{
    const char *const parameters[] = { source->config->slot.data };
    PGresult *result =
        PQexecParams(connection, member_sql_rows[SQL_WAL_POSITION].text, 1, NULL, parameters, NULL, NULL, 0);
    struct wal_observation seen = { 0 };
    bool is_fine = PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) == 1 && read_position(result, &seen);
    if (is_fine) {
        pthread_mutex_lock(&source->lock);
        seen.number = source->seen.number + 1;
        source->seen = seen;
        source->problem[0] = '\0';
        pthread_mutex_unlock(&source->lock);
    } else {
        note_problem(source, PQerrorMessage(connection));
    }
    PQclear(result);
    return is_fine;
}

/* Members have the slot from Patroni. A server of the operator's has it from nobody, nor has the one that takes its place. */
static bool
make_slot(struct wal_source *source, PGconn *connection)
{
    const char *const parameters[] = { source->config->slot.data };
    if (source->config->connection.len == 0)
        return true;
    PGresult *result =
        PQexecParams(connection, member_sql_rows[SQL_WAL_SLOT_MAKE].text, 1, NULL, parameters, NULL, NULL, 0);
    bool is_fine = PQresultStatus(result) == PGRES_TUPLES_OK;
    if (!is_fine)
        note_problem(source, PQerrorMessage(connection));
    PQclear(result);
    return is_fine;
}

static void
stay_connected(struct wal_source *source, PGconn *connection)
{
    int64_t last_beat = 0;
    while (make_slot(source, connection) && ask(source, connection)) {
        int64_t now = clock_steady_ms();
        if (last_beat == 0 || now - last_beat >= HEARTBEAT_MS) {
            PQclear(PQexec(connection, member_sql_rows[SQL_WAL_HEARTBEAT].text));
            last_beat = now;
        }
        clock_sleep_ms(EVERY_MS);
    }
}

static void *
run(void *context)
{
    struct wal_source *source = context;
    for (;;) {
        struct arena *arena CLEANUP(arena_cleanup) = arena_new(ARENA_BYTES);
        PGconn *connection = arena == NULL ? NULL : connect_to_primary(arena, source->config, "");
        if (PQstatus(connection) == CONNECTION_OK)
            stay_connected(source, connection);
        else
            note_problem(source, PQerrorMessage(connection));
        PQfinish(connection);
        clock_sleep_ms(AGAIN_MS);
    }
    return NULL;
}

struct wal_source *
wal_source_new(const struct receive_config *config)
{
    struct wal_source *source = calloc(1, sizeof(*source));
    if (source == NULL)
        return NULL;
    source->config = config;
    pthread_mutex_init(&source->lock, NULL);
    if (pthread_create(&source->thread, NULL, run, source) == 0)
        return source;
    pthread_mutex_destroy(&source->lock);
    free(source);
    return NULL;
}

bool
wal_source_look(struct wal_source *source, struct arena *arena, struct wal_observation *ret_seen, str *ret_problem)
{
    pthread_mutex_lock(&source->lock);
    *ret_seen = source->seen;
    *ret_problem = str_dup(arena, str_from(source->problem));
    pthread_mutex_unlock(&source->lock);
    return ret_seen->number > 0 && clock_steady_ms() - ret_seen->steady_ms < FRESH_MS;
}

/* ---- Once ---- */
error
wal_source_history(struct arena *arena, const struct receive_config *config, uint32_t timeline,
                   struct wal_history *ret_history)
{
    if (timeline == 1) {
        *ret_history = (struct wal_history){ .timeline = 1 };
        return OK;
    }
    PGconn *connection = connect_to_primary(arena, config, " replication=true");
    str command = str_format(arena, "TIMELINE_HISTORY %u", timeline);
    PGresult *result = PQstatus(connection) == CONNECTION_OK ? PQexec(connection, command.data) : NULL;
    error why = OK;
    if (PQresultStatus(result) != PGRES_TUPLES_OK || PQntuples(result) != 1 ||
        !wal_history_parse(timeline, column(result, "content"), ret_history))
        why = problem(arena, "The primary does not say where timeline %u came from: %s", timeline,
                      PQerrorMessage(connection));
    PQclear(result);
    PQfinish(connection);
    return why;
}

error
wal_source_drop_lost_slot(struct arena *arena, const struct receive_config *config)
{
    const char *const parameters[] = { config->slot.data };
    PGconn *connection = connect_to_primary(arena, config, "");
    PGresult *result =
        PQstatus(connection) == CONNECTION_OK
            ? PQexecParams(connection, member_sql_rows[SQL_WAL_SLOT_DROP].text, 1, NULL, parameters, NULL, NULL, 0)
            : NULL;
    error why = PQresultStatus(result) == PGRES_TUPLES_OK
                    ? OK
                    : problem(arena, "A slot without its WAL cannot be dropped: %s", PQerrorMessage(connection));
    PQclear(result);
    PQfinish(connection);
    return why;
}
