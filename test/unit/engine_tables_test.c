/* SPDX-License-Identifier: Apache-2.0 */
/* Which tables of a real server are measured, and what is told of them, against what was done there. */
#include "arena_fixture.h"

#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/postgres/monitor/monitor.h"
#include "engine/postgres/monitor/monitor_tables.h"
#include "wire/monitor/table_name.h"
#include "wire/points.h"

enum { OUT_BYTES = 512 * 1024, MANY = 120, ROUNDS = 6, ROUND_MS = 60 * 1000, NAMES_BYTES = 8192 };

static char folder[] = "/tmp/reeve-tables-XXXXXX";
static struct goal_cluster cluster;
static struct goal_member member = { .name = STR("test") };
static struct engine_member self;
static struct engine_monitor *monitor;
static int64_t now_ms; /* a round a minute, as an agent has them, without waiting for it */

static PGconn *
connect_to(const char *database)
{
    const char *const names[] = { "host", "port", "user", "dbname", NULL };
    const char *const values[] = { getenv("REEVE_TEST_DIR"), getenv("PGPORT_TEST"), "postgres", database, NULL };
    return PQconnectdbParams(names, values, 0);
}

/* A session tells its counts when it ends. */
static void
run(const char *database, const char *sql)
{
    PGconn *connection = connect_to(database);
    PGresult *result = PQexec(connection, sql);
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        fail_msg("%s: %s", sql, PQerrorMessage(connection));
    PQclear(result);
    PQclear(PQexec(connection, "SELECT pg_stat_force_next_flush()"));
    PQfinish(connection);
    clock_sleep_ms(200);
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
    self = (struct engine_member){ .arena = arena, .cluster = &cluster, .member = &member, .folder = str_from(folder) };
    PGconn *connection = connect_to("postgres");
    cluster.major_version = str_from_int(arena, PQserverVersion(connection) / 10000);
    PQfinish(connection);
    now_ms = clock_now_ms();
    if (symlink(socket_folder, link_path) != 0 || monitor_make_role(&self) != OK)
        return 1;
    run("postgres", "CREATE DATABASE shop");
    run("postgres", "CREATE DATABASE other");
    return 0;
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
    cluster.pinned_tables = (struct wire_texts){ 0 };
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

/* ---- What is told ---- */
static str
measure(void)
{
    struct buf out = buf_in(arena, OUT_BYTES);
    const struct engine_round round = { now_ms += ROUND_MS, true, false };
    error why = postgres_measure(&self, monitor, &round, &out);
    if (why != OK)
        fail_msg("%.*s", STR_ARG(why->detail));
    return buf_str(&out);
}

struct told {
    size_t lines;
    double first, last; /* of a metric of a table */
    int64_t first_ms, last_ms;
};

/* Of all tables when `name` is NULL. */
static struct told
told_of(str lines, const char *name, enum metric_number metric)
{
    struct points_reader reader = points_read(lines);
    struct points_line line;
    struct told told = { 0 };
    enum points_found found;
    while ((found = points_next(&reader, &line)) == POINTS_LINE) {
        for (size_t i = 0;
             line.scope == METRIC_TABLE && (name == NULL || str_is(line.name, name)) && i < line.value_count; i++) {
            if (line.values[i].metric->number != metric)
                continue;
            double value = strtod(line.values[i].number.data, NULL);
            if (told.lines++ == 0) {
                told.first = value;
                told.first_ms = line.time_ms;
            }
            told.last = value;
            told.last_ms = line.time_ms;
        }
    }
    assert_int_equal(found, POINTS_END); /* whatever we write, we can read */
    return told;
}

static void
pin(size_t count, str *names)
{
    cluster.pinned_tables = (struct wire_texts){ count, names };
}

/* ---- ---- */
static void
operations_since_the_last_look_are_told(void **state)
{
    (void)state;
    run("shop", "CREATE TABLE orders (id int PRIMARY KEY); INSERT INTO orders SELECT generate_series(1, 100)");
    assert_int_equal(told_of(measure(), NULL, M_TOTAL_OPS).lines, 0); /* nobody knows when that was */
    run("shop", "INSERT INTO orders SELECT generate_series(101, 140); UPDATE orders SET id = -id WHERE id > 130;"
                "DELETE FROM orders WHERE id = 1; SELECT count(*) FROM orders");
    str lines = measure();
    struct told writes = told_of(lines, "shop.orders", M_WRITES_OPS),
                reads = told_of(lines, "shop.orders", M_READS_OPS), both = told_of(lines, "shop.orders", M_TOTAL_OPS);
    assert_int_equal(writes.lines, 2); /* and the point before, which was not told then */
    assert_int_equal(writes.last_ms - writes.first_ms, ROUND_MS);
    assert_int_equal((int)(writes.last - writes.first), 40 + 10 + 1);
    assert_int_equal((int)(reads.last - reads.first), 3);
    assert_int_equal((int)(both.last - both.first), 40 + 10 + 1 + 3);
    run("shop", "INSERT INTO orders VALUES (1000)");
    struct told next = told_of(measure(), "shop.orders", M_WRITES_OPS);
    assert_int_equal(next.lines, 1);
    assert_int_equal((int)(next.last - writes.last), 1);
    assert_int_equal(told_of(measure(), "shop.orders", M_WRITES_OPS).lines, 0); /* it did nothing */
    run("shop", "INSERT INTO orders VALUES (1001)");
    struct told later = told_of(measure(), "shop.orders", M_WRITES_OPS);
    assert_int_equal(later.lines, 2);
    assert_int_equal((int)(later.last - next.last), 1);
    run("shop", "DROP TABLE orders");
}

static void
one_that_was_made_since_counts_from_nothing(void **state)
{
    (void)state;
    (void)measure();
    run("shop", "CREATE TABLE fresh (id int); INSERT INTO fresh SELECT generate_series(1, 7)");
    struct told told = told_of(measure(), "shop.fresh", M_WRITES_OPS);
    assert_int_equal(told.lines, 2);
    assert_int_equal((int)told.first, 0);
    assert_int_equal((int)told.last, 7);
    /* Another one of that name, which has done more by now. */
    run("shop", "DROP TABLE fresh; CREATE TABLE fresh (id int); INSERT INTO fresh SELECT generate_series(1, 30)");
    struct told again = told_of(measure(), "shop.fresh", M_WRITES_OPS);
    assert_int_equal(again.lines, 2);
    assert_int_equal((int)again.first, 0);
    assert_int_equal(again.first_ms - told.last_ms, 1);
    assert_int_equal((int)again.last, 30);
    run("shop", "DROP TABLE fresh");
}

static void
a_quiet_table_is_told_when_it_is_pinned(void **state)
{
    (void)state;
    static str names[] = { STR("shop.quiet"), STR("other.\"in.side\".quiet"), STR("shop.missing"), STR("nonsense") };
    run("shop", "CREATE TABLE quiet (id int)");
    run("other", "CREATE SCHEMA \"in.side\"; CREATE TABLE \"in.side\".quiet (id int)");
    (void)measure();
    assert_int_equal(told_of(measure(), NULL, M_TOTAL_OPS).lines, 0);
    pin(LENGTH(names), names);
    str lines = measure();
    assert_true(told_of(lines, "shop.quiet", M_TOTAL_OPS).lines > 0);
    assert_true(told_of(lines, "other.\"in.side\".quiet", M_READS_OPS).lines > 0);
    lines = measure();
    assert_int_equal(told_of(lines, "shop.quiet", M_TOTAL_OPS).lines, 1);
    assert_int_equal(told_of(lines, NULL, M_TOTAL_OPS).lines, 2); /* what is not there is not told */
    pin(0, NULL);
    assert_int_equal(told_of(measure(), NULL, M_TOTAL_OPS).lines, 0);
    run("shop", "DROP TABLE quiet");
    run("other", "DROP SCHEMA \"in.side\" CASCADE");
}

#define WORDS \
    "\xf0\x9f\x90\x98\xf0\x9f\x90\x98\xf0\x9f\x90\x98\xf0\x9f\x90\x98\xf0\x9f\x90\x98\xf0\x9f\x90\x98\xf0\x9f\x90\x98" /* seven elephants */

static void
tables_may_be_called_anything(void **state)
{
    (void)state;
    static const struct {
        const char *sql, *told;
    } tables[] = {
        { "\"a,b=c d\"", "shop.a,b=c d" },
        { "\"x\ny\r\t\"", "shop.x\ny\r\t" },
        { "\"\"\"; DROP TABLE x; --\"", "shop.\"\"\"; DROP TABLE x; --\"" },
        { "\"one.two\"", "shop.\"one.two\"" },
        { "one.two", "shop.one.two" },
        { "\"" WORDS WORDS "\xc3\xa9\xc3\xa9\xc3\xa9"
          "x\"",
          "shop." WORDS WORDS "\xc3\xa9\xc3\xa9\xc3\xa9"
          "x" }, /* 63 bytes */
        { "\"%2E{member=~\"\".*\"\"}\"", "shop.\"%2E{member=~\"\".*\"\"}\"" },
    };
    static str pinned[LENGTH(tables)];
    run("shop", "CREATE SCHEMA one");
    (void)measure();
    for (size_t i = 0; i < LENGTH(tables); i++) {
        run("shop", str_format(arena, "CREATE TABLE %s (id int); INSERT INTO %s SELECT generate_series(1, %d)",
                               tables[i].sql, tables[i].sql, (int)i + 1)
                        .data);
        pinned[i] = str_from(tables[i].told);
    }
    str lines = measure();
    for (size_t i = 0; i < LENGTH(tables); i++) {
        struct told told = told_of(lines, tables[i].told, M_WRITES_OPS);
        if (told.lines != 2 || told.last - told.first != (double)i + 1)
            fail_msg("%s: %zu lines, %g", tables[i].told, told.lines, told.last - told.first);
    }
    pin(LENGTH(tables), pinned); /* and by the same name they are pinned */
    lines = measure();
    assert_int_equal(told_of(lines, NULL, M_WRITES_OPS).lines, LENGTH(tables));
    for (size_t i = 0; i < LENGTH(tables); i++)
        run("shop", str_format(arena, "DROP TABLE %s", tables[i].sql).data);
    run("shop", "DROP SCHEMA one");
}

/* ---- Bounds ---- */
static void
write_into(int from, int to)
{
    run("shop",
        str_format(
            arena,
            "DO $$ BEGIN FOR i IN %d..%d LOOP EXECUTE format('INSERT INTO many%%s SELECT generate_series(1, %%s)', "
            "i, 1000 - i); END LOOP; END $$",
            from, to)
            .data);
}

static size_t
count_names(str lines, struct buf *names)
{
    struct points_reader reader = points_read(lines);
    struct points_line line;
    size_t new_names = 0;
    while (points_next(&reader, &line) == POINTS_LINE) {
        str key = str_format(arena, "|%.*s|", STR_ARG(line.name));
        if (line.scope != METRIC_TABLE || (names->len > 0 && strstr(buf_str(names).data, key.data) != NULL))
            continue;
        new_names++;
        buf_add(names, key);
    }
    return new_names;
}

static void
only_the_busiest_are_told_and_few_names_an_hour(void **state)
{
    (void)state;
    static str pinned[TABLE_MOST_PINNED];
    struct buf names = buf_in(arena, NAMES_BYTES);
    size_t told = 0;
    run("shop", "DO $$ BEGIN FOR i IN 1..120 LOOP EXECUTE format('CREATE TABLE many%s (id int)', i); END LOOP; END $$");
    (void)measure();
    write_into(1, MANY);
    str lines = measure();
    told = count_names(lines, &names);
    assert_int_equal(told, MONITOR_MOST_TABLES);
    assert_true(told_of(lines, "shop.many1", M_WRITES_OPS).lines > 0); /* it wrote most */
    assert_int_equal(told_of(lines, "shop.many21", M_WRITES_OPS).lines, 0);
    for (int i = 1; i <= ROUNDS - 1; i++) { /* always other ones */
        write_into(i * 20 + 1, i * 20 + 20);
        told += count_names(measure(), &names);
    }
    assert_int_equal(told, MONITOR_MOST_BUSY_NAMES);
    for (int i = 0; i < TABLE_MOST_PINNED; i++)
        pinned[i] = str_format(arena, "shop.many%d", MANY - i);
    pin(TABLE_MOST_PINNED, pinned);
    assert_int_equal(count_names(measure(), &names), TABLE_MOST_PINNED); /* a place is kept for those */
    now_ms += MONITOR_NAME_MS;
    pin(0, NULL);
    (void)measure(); /* too long ago to compare with */
    write_into(41, 60);
    assert_int_equal(count_names(measure(), &names), 20); /* in the next hour there is room for others */
    run("shop", "DO $$ BEGIN FOR i IN 1..120 LOOP EXECUTE format('DROP TABLE many%s', i); END LOOP; END $$");
}

static void
temporary_tables_are_not_told(void **state)
{
    (void)state;
    (void)measure();
    PGconn *connection = connect_to("shop");
    PQclear(
        PQexec(connection,
               "CREATE TEMPORARY TABLE mine AS SELECT generate_series(1, 1000); SELECT pg_stat_force_next_flush()"));
    PQclear(PQexec(connection, "SELECT 1"));
    assert_int_equal(told_of(measure(), NULL, M_WRITES_OPS).lines, 0);
    PQfinish(connection);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, new_monitor, free_monitor)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(operations_since_the_last_look_are_told),         TEST(one_that_was_made_since_counts_from_nothing),
        TEST(a_quiet_table_is_told_when_it_is_pinned),         TEST(tables_may_be_called_anything),
        TEST(only_the_busiest_are_told_and_few_names_an_hour), TEST(temporary_tables_are_not_told),
    };
    return cmocka_run_group_tests(tests, open_member, close_member);
}
