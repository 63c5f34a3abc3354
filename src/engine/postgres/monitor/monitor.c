/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/postgres/monitor/monitor.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/disk_below.h"
#include "engine/counter.h"
#include "engine/postgres/monitor/monitor_databases.h"
#include "engine/postgres/monitor/monitor_rows.h"
#include "engine/postgres/monitor/monitor_session.h"
#include "engine/postgres/postgres.h"
#include "engine/postgres/session.h"

enum {
    ANSWER_MS = 8000,
    STARTED_BYTES = 64,
    FIRST_WAIT_MS = 5000,
    MOST_WAIT_MS = 60 * 1000,
    PID_FILE_BYTES = 4096,
    MEMORY_BYTES = 16 * 1024
};
enum { FROM_17 = 170000 };

/* Sums over databases, which fall when a database is dropped. */
static const enum metric_number summed[] = { M_DEADLOCKS,        M_TRANSACTIONS_COMMITTED, M_TRANSACTIONS_ROLLED_BACK,
                                             M_OPCOUNTER_QUERY,  M_OPCOUNTER_INSERT,       M_OPCOUNTER_UPDATE,
                                             M_OPCOUNTER_DELETE, M_CACHE_BYTES_READ_INTO,  M_TEMPORARY_FILE_BYTES };

struct engine_monitor {
    struct monitor_session *session; /* NULL: none now */
    int failures;
    int64_t try_again_ms;        /* of the steady clock */
    char started[STARTED_BYTES]; /* when the server did */
    struct counter sums[LENGTH(summed)], hits;
    struct monitor_databases *databases;
    char *memory; /* NULL: what was counted ends with this agent */
};

/* ---- What the next agent goes on from ---- */
static bool
read_number(struct arena *arena, str word, double *ret_number)
{
    char *end;
    *ret_number = strtod(str_dup(arena, word).data, &end);
    return word.len > 0 && *end == '\0';
}

/* A file that is not whole is none: then counting begins anew. */
static void
read_memory(struct engine_monitor *monitor)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(2 * MEMORY_BYTES);
    struct counter sums[LENGTH(summed)] = { 0 };
    str text;
    if (monitor->memory == NULL || arena == NULL || !disk_read(arena, monitor->memory, MEMORY_BYTES, &text))
        return;
    str started = str_cut(&text, '\n');
    bool is_whole = started.len > 0 && started.len < STARTED_BYTES;
    for (size_t i = 0; is_whole && i < LENGTH(summed); i++) {
        str line = str_cut(&text, '\n'), raw = str_cut(&line, ' ');
        sums[i].is_known = true;
        is_whole = read_number(arena, raw, &sums[i].raw) && read_number(arena, line, &sums[i].total);
    }
    if (!is_whole)
        return;
    memcpy(monitor->sums, sums, sizeof(sums));
    memcpy(monitor->started, started.data, started.len);
}

/* In memory of the host, so nothing is synced. What is not written is counted again from 0 by the next agent. */
static void
write_memory(const struct engine_monitor *monitor, struct arena *arena)
{
    str beside = str_format(arena, "%s.new", monitor->memory == NULL ? "" : monitor->memory);
    FILE *file = monitor->memory == NULL ? NULL : fopen(beside.data, "we");
    if (file == NULL)
        return;
    fprintf(file, "%s\n", monitor->started);
    for (size_t i = 0; i < LENGTH(summed); i++)
        fprintf(file, "%.17g %.17g\n", monitor->sums[i].raw, monitor->sums[i].total);
    if (fclose(file) != 0 || rename(beside.data, monitor->memory) != 0)
        (void)remove(beside.data);
}

struct engine_monitor *
postgres_monitor_new(const char *memory)
{
    struct engine_monitor *monitor = calloc(1, sizeof(*monitor));
    if (monitor == NULL)
        return NULL;
    monitor->databases = monitor_databases_new();
    monitor->memory = memory == NULL ? NULL : strdup(memory);
    if (monitor->databases == NULL || (memory != NULL && monitor->memory == NULL)) {
        postgres_monitor_free(monitor);
        return NULL;
    }
    read_memory(monitor);
    return monitor;
}

void
postgres_monitor_free(struct engine_monitor *monitor)
{
    if (monitor == NULL)
        return;
    monitor_session_close(monitor->session);
    monitor_databases_free(monitor->databases);
    free(monitor->memory);
    free(monitor);
}

/* ---- The session ---- */
/* A server that is not up yet, or whose primary has not made the role, is not asked every time: each refusal is a line in the tenant's log. */
static error
keep_session(struct engine_member *self, struct engine_monitor *monitor)
{
    static const struct backoff pace = { FIRST_WAIT_MS, MOST_WAIT_MS };
    int64_t now = clock_steady_ms();
    if (monitor->session != NULL)
        return OK;
    if (now < monitor->try_again_ms)
        return problem(self->arena, "%s: no session yet.", self->member->name.data);
    error why = monitor_session_open(self, STR(SUPERUSER), now + ANSWER_MS, &monitor->session);
    if (why != OK)
        monitor->try_again_ms = clock_steady_ms() + backoff_ms(pace, monitor->failures++);
    else
        monitor->failures = 0;
    return why;
}

/* ---- Points ---- */
static bool
is_restarted(struct engine_monitor *monitor, const PGresult *rows)
{
    str started = monitor_text(rows, 0, "started");
    if (str_is(started, monitor->started) || started.len >= STARTED_BYTES)
        return false;
    memcpy(monitor->started, started.data, started.len);
    monitor->started[started.len] = '\0';
    return true;
}

/* Of the blocks that were asked for since the last look; nothing when there were none. */
static void
add_hit_ratio(struct points_writer *writer, double hits, double reads)
{
    if (hits + reads > 0)
        points_add(writer, M_CACHE_HIT_RATIO, 100 * hits / (hits + reads));
}

static void
add_totals(struct points_writer *writer, struct engine_monitor *monitor, const PGresult *rows)
{
    double value, read_before = 0, read_after = 0;
    if (rows == NULL || PQntuples(rows) == 0)
        return;
    bool is_new = is_restarted(monitor, rows);
    for (int column = 0; column < PQnfields(rows); column++) {
        const struct metric *metric = monitor_column_metric(rows, column);
        size_t i = 0;
        if (metric == NULL || !monitor_number(rows, 0, column, &value))
            continue;
        while (i < LENGTH(summed) && summed[i] != metric->number)
            i++;
        if (i < LENGTH(summed)) {
            double before = monitor->sums[i].total;
            value = counter_follow(&monitor->sums[i], value, is_new);
            if (summed[i] == M_CACHE_BYTES_READ_INTO) {
                read_before = before;
                read_after = value;
            }
        }
        points_add(writer, (enum metric_number)metric->number, value);
    }
    double hits_before = monitor->hits.total;
    if (monitor_value(rows, "cache_bytes_hit", &value))
        add_hit_ratio(writer, counter_follow(&monitor->hits, value, is_new) - hits_before, read_after - read_before);
}

static void
add_process(struct engine_member *self, struct engine_monitor *monitor, const struct engine_round *round,
            PGresult *const results[], struct buf *out)
{
    struct points_writer writer = points_begin(out, self->member->id, round->time_ms, METRIC_PROCESS, STR_EMPTY);
    add_totals(&writer, monitor, results[0]);
    for (size_t i = 1; i < 4; i++) {
        if (results[i] != NULL && PQntuples(results[i]) > 0)
            monitor_add_row(&writer, results[i], 0);
    }
    points_end(&writer);
}

/* ---- A round ---- */
static error
ask(struct engine_member *self, struct engine_monitor *monitor, const struct engine_round *round, struct buf *out)
{
    PGresult *results[MONITOR_MOST_QUESTIONS];
    str most = str_from_int(self->arena, MONITOR_MOST_DATABASES);
    bool is_17 = monitor_session_version(monitor->session) >= FROM_17;
    const struct monitor_question questions[] = {
        { SQL_MONITOR_TOTALS, NULL },
        { SQL_MONITOR_SESSIONS, NULL },
        { SQL_MONITOR_REPLICATION, NULL },
        { is_17 ? SQL_MONITOR_WRITES_FROM_17 : SQL_MONITOR_WRITES_UNTIL_16, NULL },
        { SQL_MONITOR_DATABASES, most.data },
    };
    bool with_databases = round->with_databases && !goal_is_off(self->cluster, GOAL_DATABASE_STATISTICS);
    size_t count = with_databases ? LENGTH(questions) : LENGTH(questions) - 1;
    TRY(monitor_session_ask(monitor->session, self->arena, count, questions, clock_steady_ms() + ANSWER_MS, results));
    add_process(self, monitor, round, results, out);
    write_memory(monitor, self->arena);
    if (with_databases)
        monitor_databases_measure(self, monitor->databases, round, results[count - 1], out);
    for (size_t i = 0; i < count; i++)
        PQclear(results[i]);
    return OK;
}

error
postgres_measure(struct engine_member *self, struct engine_monitor *monitor, const struct engine_round *round,
                 struct buf *out)
{
    bool is_kept = monitor->session != NULL;
    TRY(keep_session(self, monitor));
    error why = ask(self, monitor, round, out);
    if (why != OK) {
        monitor_session_close(monitor->session);
        monitor->session = NULL;
    }
    /* One that was kept may have been ended since, by a restart of the server: that costs no round. */
    if (why != OK && is_kept) {
        TRY(keep_session(self, monitor));
        why = ask(self, monitor, round, out);
    }
    return why;
}

int64_t
postgres_first_process(struct engine_member *self)
{
    str text;
    int64_t process;
    if (!disk_below_read(self->arena, self->folder.data, "data/postmaster.pid", PID_FILE_BYTES, self->owner.user,
                         &text) ||
        !str_to_int(str_cut(&text, '\n'), 2, INT32_MAX, &process))
        return 0;
    return process;
}

error
monitor_make_role(struct engine_member *self)
{
    struct session *session CLEANUP(session_cleanup) = NULL;
    TRY(session_open(self, STR(SUPERUSER), &session));
    return session_run(session, SQL_MONITOR_ROLE_MAKE, NULL);
}
