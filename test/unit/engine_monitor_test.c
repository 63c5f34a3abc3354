/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is measured in a real server, against what was done there. The server is this test's own: it counts transactions of all databases, and is restarted,
 * ended and filled up with sessions.
 */
#include "arena_fixture.h"

#include <libpq-fe.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/counter.h"
#include "engine/postgres/monitor/monitor.h"
#include "engine/postgres/monitor/monitor_session.h"
#include "engine/postgres/postgres.h"
#include "wire/points.h"

enum { OUT_BYTES = 512 * 1024, MOST_SESSIONS = 250, COMMITS = 400, ROLLBACKS = 60 };

static char folder[] = "/tmp/reeve-monitor-XXXXXX";
static struct goal_cluster cluster;
static struct goal_member member = { .name = STR("test") };
static struct engine_member self;
static struct engine_monitor *monitor;

static PGconn *
connect_as(const char *user, const char *database)
{
    const char *const names[] = { "host", "port", "user", "dbname", NULL };
    const char *const values[] = { getenv("REEVE_TEST_DIR"), getenv("PGPORT_TEST"), user, database, NULL };
    return PQconnectdbParams(names, values, 0);
}

static bool
runs(PGconn *connection, const char *sql)
{
    PGresult *result = PQexec(connection, sql);
    ExecStatusType status = PQresultStatus(result);
    PQclear(result);
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

static bool
runs_as(const char *user, const char *database, const char *sql)
{
    PGconn *connection = connect_as(user, database);
    bool ran = runs(connection, sql);
    if (!ran)
        print_message("%s: %s", sql, PQerrorMessage(connection));
    PQfinish(connection);
    return ran;
}

static int
open_member(void **state)
{
    const char *socket_folder = getenv("REEVE_TEST_DIR"), *port = getenv("PGPORT_TEST");
    char link_path[64];
    if (open_arena(state) != 0 || socket_folder == NULL || port == NULL || mkdtemp(folder) == NULL)
        return 1;
    snprintf(link_path, sizeof(link_path), "%s/run", folder);
    member.port = atoi(port);
    member.id = id_new(1);
    static str pinned[] = { STR("shop.orders") };
    cluster.pinned_tables = (struct wire_texts){ 1, pinned };
    self = (struct engine_member){ .arena = arena, .cluster = &cluster, .member = &member, .folder = str_from(folder) };
    PGconn *connection = connect_as("postgres", "postgres");
    cluster.major_version = str_from_int(arena, PQserverVersion(connection) / 10000);
    PQfinish(connection);
    if (symlink(socket_folder, link_path) != 0 || monitor_make_role(&self) != OK)
        return 1;
    return runs_as("postgres", "postgres", "CREATE DATABASE shop") ? 0 : 1;
}

static int
close_member(void **state)
{
    char link_path[64];
    snprintf(link_path, sizeof(link_path), "%s/run", folder);
    unlink(link_path);
    rmdir(folder);
    return close_arena(state);
}

static int
new_monitor(void **state)
{
    (void)state;
    monitor = postgres_monitor_new(NULL);
    return monitor == NULL;
}

static int
free_monitor(void **state)
{
    (void)state;
    postgres_monitor_free(monitor);
    monitor = NULL;
    return 0;
}

/* ---- What is measured ---- */
static str
measure(bool with_databases)
{
    struct buf out = buf_in(arena, OUT_BYTES);
    const struct engine_round round = { clock_now_ms(), with_databases, with_databases };
    error why = postgres_measure(&self, monitor, &round, &out);
    if (why != OK)
        fail_msg("%.*s", STR_ARG(why->detail));
    return buf_str(&out);
}

/* The value of a metric in lines, of a database or table when it is one of theirs; -1: there is none. */
static double
value_of(str lines, enum metric_number metric, const char *name)
{
    struct points_reader reader = points_read(lines);
    struct points_line line;
    enum points_found found;
    while ((found = points_next(&reader, &line)) == POINTS_LINE) {
        for (size_t i = 0; str_is(line.name, name) && i < line.value_count; i++) {
            if (line.values[i].metric->number == metric)
                return strtod(line.values[i].number.data, NULL);
        }
    }
    assert_int_equal(found, POINTS_END); /* whatever we write, we can read */
    return -1;
}

static void
commit_times(int commits, int rollbacks)
{
    PGconn *connection = connect_as("postgres", "shop");
    assert_true(runs(connection, "SET synchronous_commit = off"));
    for (int i = 0; i < commits; i++)
        assert_true(runs(connection, "INSERT INTO orders VALUES (1)"));
    for (int i = 0; i < rollbacks; i++)
        assert_true(runs(connection, "BEGIN") && runs(connection, "ROLLBACK"));
    /* A session tells its counts when it ends; until then at most once a second. */
    assert_true(runs(connection, "SELECT pg_stat_force_next_flush()"));
    PQfinish(connection);
    clock_sleep_ms(300);
}

/* Sessions of this test and of the monitor commit, too: some dozens. */
static void
assert_near(double value, double least, double more)
{
    if (value < least || value > least + more)
        fail_msg("%.0f is not between %.0f and %.0f", value, least, least + more);
}

static void
the_role_sees_statistics_and_nothing_else(void **state)
{
    (void)state;
    assert_true(runs_as("postgres", "shop",
                        "CREATE TABLE orders (id int); CREATE INDEX ON orders (id); INSERT INTO orders VALUES (1)"));
    PGconn *connection = connect_as(MONITOR_ROLE, "shop");
    assert_int_equal(PQstatus(connection), CONNECTION_OK);
    assert_true(runs(connection, "SELECT query FROM pg_stat_activity"));
    assert_false(runs(connection, "SELECT * FROM orders"));
    assert_false(runs(connection, "SELECT rolpassword FROM pg_authid"));
    assert_false(runs(connection, "SELECT pg_read_file('/etc/passwd')"));
    assert_false(runs(connection, "CREATE ROLE x"));
    assert_false(runs(connection, "SET ROLE postgres"));
    PQfinish(connection);
}

/* Somebody who may create roles made one of that name, is a member of it, and gave it more than it should have. */
static void
a_role_of_that_name_that_is_a_tenants_is_taken_over(void **state)
{
    (void)state;
    assert_true(
        runs_as("postgres", "postgres",
                "CREATE ROLE tenant LOGIN; GRANT reeve_monitor TO tenant; GRANT pg_read_all_data TO reeve_monitor;"
                "ALTER ROLE reeve_monitor CREATEDB PASSWORD 'x' CONNECTION LIMIT 0"));
    assert_true(runs_as("postgres", "postgres", "REVOKE CONNECT ON DATABASE shop FROM PUBLIC"));
    assert_null(monitor_make_role(&self));
    assert_null(monitor_make_role(&self)); /* and again: nothing is left to do */
    PGconn *connection = connect_as(MONITOR_ROLE, "shop");
    assert_int_equal(PQstatus(connection), CONNECTION_OK);
    assert_false(runs(connection, "SELECT * FROM orders"));
    assert_false(runs(connection, "CREATE DATABASE x"));
    PQfinish(connection);
    connection = connect_as("tenant", "postgres");
    assert_false(runs(connection, "SET ROLE reeve_monitor"));
    PQfinish(connection);
    assert_true(runs_as("postgres", "postgres", "DROP ROLE tenant"));
}

static void
commits_are_those_that_were_made(void **state)
{
    (void)state;
    str before = measure(false);
    commit_times(COMMITS, ROLLBACKS);
    str after = measure(false);
    assert_near(value_of(after, M_TRANSACTIONS_COMMITTED, "") - value_of(before, M_TRANSACTIONS_COMMITTED, ""), COMMITS,
                60);
    assert_near(value_of(after, M_TRANSACTIONS_ROLLED_BACK, "") - value_of(before, M_TRANSACTIONS_ROLLED_BACK, ""),
                ROLLBACKS, 5);
    assert_near(value_of(after, M_OPCOUNTER_INSERT, "") - value_of(before, M_OPCOUNTER_INSERT, ""), COMMITS, 20);
    assert_true(value_of(after, M_LOG_BYTES_WRITTEN, "") > value_of(before, M_LOG_BYTES_WRITTEN, ""));
    assert_true(value_of(after, M_CACHE_HIT_RATIO, "") > 0);
}

/* Every metric of a process that the server knows. Those of replicas are looked at on a cluster. */
static void
every_value_of_a_process_is_there(void **state)
{
    (void)state;
    static const enum metric_number all[] = {
        M_CONNECTIONS,
        M_CONNECTIONS_MAX,
        M_CONNECTIONS_PERCENT,
        M_SESSIONS_ACTIVE,
        M_SESSIONS_IDLE_IN_TRANSACTION,
        M_LOCKS_WAITING,
        M_SESSIONS_WAITING_IO,
        M_LONGEST_TRANSACTION,
        M_LONGEST_QUERY,
        M_DEADLOCKS,
        M_TRANSACTIONS_COMMITTED,
        M_TRANSACTIONS_ROLLED_BACK,
        M_OPCOUNTER_QUERY,
        M_OPCOUNTER_INSERT,
        M_OPCOUNTER_UPDATE,
        M_OPCOUNTER_DELETE,
        M_CACHE_BYTES_READ_INTO,
        M_TEMPORARY_FILE_BYTES,
        M_CHECKPOINTS,
        M_CHECKPOINT_WRITE_TIME,
        M_LOG_BYTES_WRITTEN,
        M_TRANSACTION_ID_AGE,
        M_REPLICATION_SLOT_RETAINED_BYTES,
        M_ARCHIVE_FAILURES,
    };
    assert_true(runs_as("postgres", "postgres", "SELECT pg_create_physical_replication_slot('kept', true)"));
    str lines = measure(false);
    for (size_t i = 0; i < LENGTH(all); i++) {
        if (value_of(lines, all[i], "") < 0)
            fail_msg("%s is missing", metric_table[all[i]].name);
    }
    assert_true(runs_as("postgres", "postgres", "SELECT pg_drop_replication_slot('kept')"));
    assert_true(value_of(lines, M_REPLICATION_LAG, "") < 0); /* a primary is not behind */
    assert_int_equal((int)value_of(lines, M_CONNECTIONS_MAX, ""), 200);
}

static void
sessions_are_counted_by_what_they_do(void **state)
{
    (void)state;
    PGconn *idle = connect_as("postgres", "shop"), *holder = connect_as("postgres", "shop"),
           *waiter = connect_as("postgres", "shop");
    str before = measure(false);
    assert_true(runs(idle, "BEGIN; SELECT 1"));
    assert_true(runs(holder, "BEGIN; LOCK TABLE orders"));
    assert_true(PQsendQuery(waiter, "BEGIN; LOCK TABLE orders"));
    clock_sleep_ms(1200);
    str after = measure(true);
    assert_int_equal((int)(value_of(after, M_SESSIONS_IDLE_IN_TRANSACTION, "") -
                           value_of(before, M_SESSIONS_IDLE_IN_TRANSACTION, "")),
                     2);
    assert_int_equal((int)(value_of(after, M_LOCKS_WAITING, "") - value_of(before, M_LOCKS_WAITING, "")), 1);
    assert_int_equal((int)value_of(after, M_DATABASE_CONNECTIONS, "shop"), 3);
    assert_true(value_of(after, M_LONGEST_TRANSACTION, "") >= 1.0);
    assert_true(value_of(after, M_LONGEST_QUERY, "") >= 1.0);
    /* The table is locked, so nobody can say how large it is; the rest is there nevertheless. */
    assert_true(value_of(after, M_DATABASE_STORAGE_SIZE, "shop") > 1000000);
    assert_true(value_of(after, M_READS_OPS, "shop.orders") >= 0);
    PQfinish(holder);
    PQfinish(waiter);
    PQfinish(idle);
}

static void
databases_and_tables_are_measured(void **state)
{
    (void)state;
    commit_times(50, 0);
    str lines = measure(true);
    assert_int_equal((int)value_of(lines, M_DATABASE_COLLECTION_COUNT, "shop"), 1);
    assert_int_equal((int)value_of(lines, M_DATABASE_INDEX_COUNT, "shop"), 1);
    assert_int_equal((int)value_of(lines, M_DATABASE_VIEW_COUNT, "shop"), 0);
    assert_true(value_of(lines, M_DATABASE_DATA_SIZE, "shop") >= 8192);
    assert_true(value_of(lines, M_DATABASE_INDEX_SIZE, "shop") >= 8192);
    double before = value_of(lines, M_WRITES_OPS, "shop.orders");
    commit_times(COMMITS, 0);
    lines = measure(true);
    assert_int_equal((int)(value_of(lines, M_WRITES_OPS, "shop.orders") - before), COMMITS);
    /* Said again in rounds in between, without being looked at. */
    struct buf out = buf_in(arena, OUT_BYTES);
    const struct engine_round round = { clock_now_ms(), true, false };
    assert_null(postgres_measure(&self, monitor, &round, &out));
    assert_true(value_of(buf_str(&out), M_DATABASE_DATA_SIZE, "shop") >= 8192);
}

/* The sum over databases falls then; it must not look like a new beginning. */
static void
databases_of_a_project_that_switched_it_off_are_not_measured(void **state)
{
    (void)state;
    static str off[] = { STR(GOAL_DATABASE_STATISTICS) };
    cluster.switched_off = (struct wire_texts){ 1, off };
    str lines = measure(true);
    cluster.switched_off = (struct wire_texts){ 0 };
    assert_null(strstr(lines.data, "shop"));
    assert_non_null(strstr(measure(true).data, "shop"));
}

static void
a_database_that_is_dropped_takes_nothing_back(void **state)
{
    (void)state;
    assert_true(runs_as("postgres", "postgres", "CREATE DATABASE short"));
    assert_true(runs_as("postgres", "short", "CREATE TABLE a AS SELECT generate_series(1, 100000)"));
    clock_sleep_ms(300);
    str before = measure(false);
    assert_true(runs_as("postgres", "postgres", "DROP DATABASE short"));
    clock_sleep_ms(300);
    str after = measure(false);
    double inserted = value_of(after, M_OPCOUNTER_INSERT, "") - value_of(before, M_OPCOUNTER_INSERT, "");
    assert_true(inserted >= 0 && inserted < 1000);
}

static void
counts_that_begin_anew_go_on(void **state)
{
    (void)state;
    struct counter counter = { 0 };
    assert_true(counter_follow(&counter, 1000, true) == 0);
    assert_true(counter_follow(&counter, 1500, false) == 500);
    assert_true(counter_follow(&counter, 200, false) == 500); /* a part of it is gone */
    assert_true(counter_follow(&counter, 250, false) == 550);
    assert_true(counter_follow(&counter, 30, true) == 580); /* it began at 0 again */
}

/* An agent that is killed and started again goes on from what the one before had counted. */
static void
commits_while_no_agent_runs_count(void **state)
{
    (void)state;
    str memory = str_format(arena, "%s/counts", folder);
    postgres_monitor_free(monitor);
    monitor = postgres_monitor_new(memory.data);
    (void)measure(false);
    commit_times(COMMITS, 0);
    str before = measure(false);
    postgres_monitor_free(monitor);
    commit_times(COMMITS, 0);
    monitor = postgres_monitor_new(memory.data);
    str after = measure(false);
    assert_near(value_of(after, M_TRANSACTIONS_COMMITTED, "") - value_of(before, M_TRANSACTIONS_COMMITTED, ""), COMMITS,
                60);
    assert_true(value_of(before, M_TRANSACTIONS_COMMITTED, "") >= COMMITS);
    postgres_monitor_free(monitor);
    assert_int_equal(truncate(memory.data, 60), 0); /* it was not written whole */
    monitor = postgres_monitor_new(memory.data);
    assert_true(value_of(measure(false), M_TRANSACTIONS_COMMITTED, "") < 1);
    assert_int_equal(unlink(memory.data), 0);
}

/* ---- In spite of ---- */
static void
restart_server(void)
{
    const char *as = geteuid() == 0 ? "runuser -u postgres -- " : "";
    int64_t major;
    assert_true(str_to_int(cluster.major_version, 1, 99, &major));
    str command = str_format(
        arena, "%s/usr/lib/postgresql/%d/bin/pg_ctl -D %s/data -l %s/restarted.log -m fast -w restart > /dev/null", as,
        (int)major, getenv("REEVE_TEST_DIR"), getenv("REEVE_TEST_DIR"));
    assert_int_equal(system(command.data), 0);
}

static void
commits_on_both_sides_of_a_restart_count(void **state)
{
    (void)state;
    str before = measure(false);
    commit_times(COMMITS, 0);
    restart_server();
    str between = measure(false); /* in the same round in which the session was found gone */
    commit_times(COMMITS, 0);
    str after = measure(false);
    double first = value_of(between, M_TRANSACTIONS_COMMITTED, "") - value_of(before, M_TRANSACTIONS_COMMITTED, "");
    double both = value_of(after, M_TRANSACTIONS_COMMITTED, "") - value_of(before, M_TRANSACTIONS_COMMITTED, "");
    assert_near(first, COMMITS, 60);
    assert_near(both, 2 * COMMITS, 120);
}

static void
used_up_connections_do_not_stop_it(void **state)
{
    (void)state;
    PGconn *sessions[MOST_SESSIONS];
    size_t count = 0;
    assert_true(runs_as("postgres", "postgres", "CREATE ROLE greedy LOGIN"));
    (void)measure(false);
    while (count < MOST_SESSIONS && PQstatus(sessions[count] = connect_as("greedy", "postgres")) == CONNECTION_OK)
        count++;
    assert_true(count < MOST_SESSIONS);
    PQfinish(sessions[count]);
    str lines = measure(false); /* the session that it has */
    assert_true(value_of(lines, M_CONNECTIONS_PERCENT, "") > 90);
    postgres_monitor_free(monitor); /* an agent that starts now has none, and gets one nevertheless */
    monitor = postgres_monitor_new(NULL);
    lines = measure(true);
    assert_int_equal((int)value_of(lines, M_CONNECTIONS, ""), (int)count);
    while (count > 0)
        PQfinish(sessions[--count]);
    assert_true(runs_as("postgres", "postgres", "DROP ROLE greedy"));
}

/* What is kept for the superuser is used to come in only. */
static void
a_session_that_came_in_that_way_is_not_the_superusers(void **state)
{
    (void)state;
    struct monitor_session *session CLEANUP(monitor_session_cleanup) = NULL;
    PGconn *sessions[MOST_SESSIONS];
    size_t count = 0;
    assert_true(runs_as("postgres", "postgres", "CREATE ROLE greedy LOGIN"));
    while (count < MOST_SESSIONS && PQstatus(sessions[count] = connect_as("greedy", "postgres")) == CONNECTION_OK)
        count++;
    PQfinish(sessions[count]);
    assert_null(monitor_session_open(&self, STR("postgres"), clock_steady_ms() + 5000, &session));
    /* Only superusers may do this. */
    const struct monitor_question question = { SQL_CONFIGURATION_RELOAD, NULL };
    PGresult *result;
    assert_null(monitor_session_ask(session, arena, 1, &question, clock_steady_ms() + 5000, &result));
    assert_null(result);
    while (count > 0)
        PQfinish(sessions[--count]);
    assert_true(runs_as("postgres", "postgres", "DROP ROLE greedy"));
}

/* A server that is stopped in the middle of everything answers nobody; the round ends all the same. */
static void
a_server_that_hangs_ends_the_round_in_time(void **state)
{
    (void)state;
    (void)measure(false);
    PGconn *watcher = connect_as("postgres", "postgres");
    PGresult *result = PQexec(watcher, "SELECT pid FROM pg_stat_activity WHERE application_name = 'reeve-monitor'");
    pid_t pid = atoi(PQgetvalue(result, 0, 0));
    PQclear(result);
    result = PQexec(watcher, "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)");
    pid_t first = atoi(PQgetvalue(result, 0, 0));
    PQclear(result);
    PQfinish(watcher);
    assert_int_equal(kill(pid, SIGSTOP), 0);
    assert_int_equal(kill(first, SIGSTOP), 0);
    struct buf out = buf_in(arena, OUT_BYTES);
    const struct engine_round round = { clock_now_ms(), false, false };
    int64_t began = clock_steady_ms();
    error why = postgres_measure(&self, monitor, &round, &out);
    int64_t took = clock_steady_ms() - began;
    kill(first, SIGCONT);
    kill(pid, SIGCONT);
    assert_non_null(why);
    assert_true(took < patient(20 * 1000));
    clock_sleep_ms(6000); /* until it may be tried again */
    assert_true(value_of(measure(false), M_CONNECTIONS, "") >= 0);
}

/* A tenant's settings of their own database have no part in it. */
static void
settings_of_a_database_do_not_matter(void **state)
{
    (void)state;
    assert_true(runs_as("postgres", "postgres",
                        "ALTER DATABASE shop SET statement_timeout = 1; ALTER DATABASE shop SET search_path = evil;"
                        "ALTER DATABASE shop SET default_transaction_isolation = 'serializable';"
                        "ALTER DATABASE shop SET local_preload_libraries = 'nowhere'"));
    assert_true(runs_as("postgres", "template1", "SELECT 1"));
    postgres_monitor_free(monitor);
    monitor = postgres_monitor_new(NULL);
    assert_true(value_of(measure(true), M_DATABASE_DATA_SIZE, "shop") >= 8192);
    assert_true(runs_as("postgres", "postgres", "ALTER DATABASE shop RESET ALL"));
}

/* Views of a tenant that look like those of the catalog, in a schema that is searched first. */
static void
what_a_tenant_made_is_not_evaluated(void **state)
{
    (void)state;
    assert_true(runs_as(
        "postgres", "shop",
        "CREATE FUNCTION public.trap() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'sprung'; END $$;"
        "CREATE VIEW public.pg_stat_user_tables AS SELECT public.trap() AS relid;"
        "CREATE VIEW public.pg_class AS SELECT public.trap() AS oid;"
        "CREATE FUNCTION public.pg_relation_size(oid) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'sprung'; END $$"));
    str lines = measure(true);
    assert_true(value_of(lines, M_DATABASE_DATA_SIZE, "shop") >= 8192);
    assert_true(value_of(lines, M_READS_OPS, "shop.orders") >= 0);
    assert_true(runs_as(
        "postgres", "shop",
        "DROP VIEW public.pg_stat_user_tables, public.pg_class; DROP FUNCTION public.trap(), public.pg_relation_size(oid)"));
}

static void
odd_names_are_written_so_that_they_can_be_read(void **state)
{
    (void)state;
    assert_true(runs_as("postgres", "postgres", "CREATE DATABASE \"a b,c=\"\"d\"\"%\n\xc3\xa9\""));
    str lines = measure(true);
    assert_true(value_of(lines, M_DATABASE_CONNECTIONS, "a b,c=\"d\"%\n\xc3\xa9") >= 0);
    assert_true(runs_as("postgres", "postgres", "DROP DATABASE \"a b,c=\"\"d\"\"%\n\xc3\xa9\""));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, new_monitor, free_monitor)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_role_sees_statistics_and_nothing_else),
        TEST(a_role_of_that_name_that_is_a_tenants_is_taken_over),
        TEST(commits_are_those_that_were_made),
        TEST(every_value_of_a_process_is_there),
        TEST(sessions_are_counted_by_what_they_do),
        TEST(databases_and_tables_are_measured),
        TEST(databases_of_a_project_that_switched_it_off_are_not_measured),
        TEST(a_database_that_is_dropped_takes_nothing_back),
        TEST(counts_that_begin_anew_go_on),
        TEST(commits_while_no_agent_runs_count),
        TEST(commits_on_both_sides_of_a_restart_count),
        TEST(used_up_connections_do_not_stop_it),
        TEST(a_session_that_came_in_that_way_is_not_the_superusers),
        TEST(settings_of_a_database_do_not_matter),
        TEST(what_a_tenant_made_is_not_evaluated),
        TEST(odd_names_are_written_so_that_they_can_be_read),
        TEST(a_server_that_hangs_ends_the_round_in_time),
    };
    return cmocka_run_group_tests(tests, open_member, close_member);
}
