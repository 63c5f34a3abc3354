/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a measurement of a member costs: processor time of the agent's side and of the session in the server, and memory of both.
 *
 *     script/with-services build/test/monitor_cost 2000 [TABLES]
 *
 * TABLES is how many tables one of the databases has, each with an index and a row.
 */
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "agent/monitor/host.h"
#include "base/clock.h"
#include "engine/postgres/monitor/monitor.h"
#include "engine/postgres/postgres.h"

enum {
    ROUND_ARENA_BYTES = 16 * 1024 * 1024,
    OUT_BYTES = 512 * 1024,
    ROUNDS_A_MINUTE = 6,
    ROUNDS_OF_SIZES = 30,
    EVERY_MS = 10 * 1000
};

static double
own_seconds(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (double)use.ru_utime.tv_sec + (double)use.ru_stime.tv_sec +
           (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

/* Ticks of a process and of its children that have ended: those of the first one are all sessions that were closed. */
static double
seconds_of(const char *process, bool with_ended)
{
    char path[64], text[1024];
    double n[4] = { 0 };
    snprintf(path, sizeof(path), "/proc/%s/stat", process);
    FILE *file = fopen(path, "r");
    size_t length = file == NULL ? 0 : fread(text, 1, sizeof(text) - 1, file);
    if (file != NULL)
        fclose(file);
    text[length] = '\0';
    const char *rest = strrchr(text, ')');
    if (rest == NULL ||
        sscanf(rest, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lf %lf %lf %lf", &n[0], &n[1], &n[2], &n[3]) != 4)
        return 0;
    return (n[0] + n[1] + (with_ended ? n[2] + n[3] : 0)) / (double)sysconf(_SC_CLK_TCK);
}

static long
private_kb(const char *process)
{
    char path[64], line[256];
    long all = 0, one;
    snprintf(path, sizeof(path), "/proc/%s/smaps_rollup", process);
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        if (sscanf(line, "Private_%*[A-Za-z]: %ld kB", &one) == 1)
            all += one;
    }
    if (file != NULL)
        fclose(file);
    return all;
}

static char *
ask(PGconn *connection, const char *question)
{
    PGresult *result = PQexec(connection, question);
    char *answer = strdup(PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : "0");
    PQclear(result);
    return answer;
}

/* All of them did something, so all are compared with what they had done before. */
static void
make_tables(PGconn *connection, const char *sockets, const char *port, int count)
{
    const char *const names[] = { "host", "port", "user", "dbname", NULL };
    const char *const values[] = { sockets, port, "postgres", "many", NULL };
    char sql[512];
    free(ask(connection, "CREATE DATABASE many"));
    PGconn *many = PQconnectdbParams(names, values, 0);
    snprintf(sql, sizeof(sql),
             "DO $$ BEGIN FOR i IN 1..%d LOOP EXECUTE format('CREATE TABLE t%%s (id int PRIMARY KEY)', i); EXECUTE "
             "format('INSERT INTO t%%s VALUES (1)', i); IF i %% 500 = 0 THEN COMMIT; END IF; END LOOP; END $$",
             count);
    free(ask(many, sql));
    PQfinish(many);
}

int
main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1000, tables = argc > 2 ? atoi(argv[2]) : 0;
    const char *sockets = getenv("REEVE_TEST_DIR"), *port = getenv("PGPORT_TEST");
    char folder[] = "/tmp/reeve-cost-XXXXXX", run[64];
    struct arena *arena = arena_new(ROUND_ARENA_BYTES);
    if (sockets == NULL || port == NULL || mkdtemp(folder) == NULL || arena == NULL)
        return 2;
    snprintf(run, sizeof(run), "%s/run", folder);
    const char *const names[] = { "host", "port", "user", "dbname", NULL };
    const char *const values[] = { sockets, port, "postgres", "postgres", NULL };
    PGconn *connection = PQconnectdbParams(names, values, 0);
    static struct goal_cluster cluster;
    struct goal_member member = { .name = STR("test"), .id = id_new(1), .port = atoi(port) };
    cluster.major_version = str_from_int(arena, PQserverVersion(connection) / 10000);
    struct engine_member self = { .arena = arena, .cluster = &cluster, .member = &member, .folder = str_from(folder) };
    struct engine_monitor *monitor = postgres_monitor_new(NULL);
    struct host_memory *host = host_memory_new();
    if (tables > 0)
        make_tables(connection, sockets, port, tables);
    if (symlink(sockets, run) != 0 || monitor_make_role(&self) != OK)
        return 2;
    char *first = ask(connection, "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)");
    struct host_member about = {
        .id = member.id, .unit = STR("none"), .folder = STR("/tmp"), .user = geteuid(), .first_process = getpid()
    };
    double own = 0, in_session = 0, in_databases = 0;
    size_t bytes = 0;
    char *session = NULL;
    for (int i = -10; i < rounds; i++) { /* the first ones open and prepare */
        struct arena *round_arena = arena_new(ROUND_ARENA_BYTES);
        struct buf out = buf_in(round_arena, OUT_BYTES);
        /* As if ten seconds had passed: what is compared with the last look must not be too old. */
        const struct engine_round round = { clock_now_ms() + (int64_t)i * EVERY_MS, i % ROUNDS_A_MINUTE == 0,
                                            i % ROUNDS_OF_SIZES == 0 };
        if (i == 0) {
            session = ask(connection, "SELECT pid FROM pg_stat_activity WHERE application_name = 'reeve-monitor'");
            own = own_seconds();
            in_session = seconds_of(session, false);
            in_databases = seconds_of(first, true);
        }
        self.arena = round_arena;
        host_measure(host, round_arena, &about, round.time_ms, &out);
        error why = postgres_measure(&self, monitor, &round, &out);
        if (why != OK) {
            fprintf(stderr, "%.*s\n", STR_ARG(why->detail));
            return 1;
        }
        bytes += i < 0 ? 0 : out.len;
        arena_free(round_arena);
    }
    own = own_seconds() - own;
    in_session = seconds_of(session, false) - in_session;
    in_databases = seconds_of(first, true) - in_databases;
    double all_ms = 1000 * (own + in_session + in_databases) / rounds;
    printf("%d rounds: agent %.2f ms, session %.2f ms, sessions in databases %.2f ms a round: %.3f%% of a core\n",
           rounds, 1000 * own / rounds, 1000 * in_session / rounds, 1000 * in_databases / rounds,
           100 * all_ms / EVERY_MS);
    printf("memory: this program %ld KB, the session in the server %ld KB; %zu bytes a round, %.1f MB a day\n",
           private_kb("self"), private_kb(session), bytes / (size_t)rounds, (double)bytes / rounds * 8640 / 1e6);
    PQfinish(connection);
    unlink(run);
    rmdir(folder);
    return 0;
}
