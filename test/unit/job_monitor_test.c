/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hours and days of measurements, made from the points of real stores: they are what was counted, nothing is made too early or left out,
 * and whatever is made again comes to the same.
 */
#include "monitor_fixture.h"
#include "open_store_fixture.h"

#include "base/json.h"
#include "job/kinds.h"
#include "monitor/line.h"
#include "monitor/steps.h"

enum {
    ORGANIZATION = 1,
    PROJECT = 2,
    CLUSTER = 3,
    HOST = 4,
    MEMBERS = 20, /* more than two batches */
    MINUTE_MS = 60 * 1000,
    EVERY_MS = SAMPLES_EVERY_MS,
    RISE = 7, /* of a counter, in ten seconds */
};

static struct arena *arena;
static int first_member; /* others in each test: of these no store has heard */
static int64_t this_hour_ms, clock_ms;

static int64_t
now_ms(void)
{
    return clock_ms;
}

static struct job_environment environment = { .now_ms = now_ms };

static int64_t
hours_ago(int hours)
{
    return this_hour_ms - (int64_t)hours * STEPS_HOUR_MS;
}

/* ---- Points ---- */
/*
 * As an agent sends them: a counter, a gauge that is always 5, and the size of a database. The counter's value follows from the time, so
 * points of any two spans fit together.
 */
static void
measure(size_t at_store, int member, int64_t from_ms, int64_t to_ms)
{
    struct buf wire = buf_in(arena, 4 << 20), out = buf_in(arena, 8 << 20);
    struct monitor_owner owner = { fixture_id(PROJECT), fixture_id(CLUSTER), fixture_id((uint32_t)member) };
    for (int64_t at_ms = from_ms; at_ms < to_ms; at_ms += EVERY_MS) {
        struct points_writer process = points_begin(&wire, owner.member, at_ms, METRIC_PROCESS, STR_EMPTY);
        points_add(&process, M_TRANSACTIONS_COMMITTED, (double)((at_ms - hours_ago(100)) / EVERY_MS * RISE));
        points_add(&process, M_CONNECTIONS, 5);
        points_end(&process);
        struct points_writer database = points_begin(&wire, owner.member, at_ms, METRIC_DATABASE, STR("sh op,1"));
        points_add(&database, M_DATABASE_DATA_SIZE, 1e12);
        points_end(&database);
    }
    struct points_reader reader = points_read(buf_str(&wire));
    struct points_line line;
    while (points_next(&reader, &line) == POINTS_LINE)
        monitor_line_add(&out, &owner, &line);
    monitor_put(arena, at_store, buf_str(&out));
    monitor_show(arena, at_store);
}

/* ---- Hours ---- */
static error
sweep(void)
{
    return measurements_sweep.run(&(struct sweep_context){ store, arena, &environment });
}

static void
set_cursor(int64_t at_ms, int member)
{
    fixture_ask("DELETE FROM monitor_cursor");
    fixture_ask("INSERT INTO monitor_cursor (at, member_id) VALUES (to_timestamp(%lld), %s)", (long long)(at_ms / 1000),
                member == 0 ? "NULL" : fixture_quote(fixture_id((uint32_t)member)));
}

static bool
has_come_to(int64_t at_ms)
{
    return atoll(fixture_ask("SELECT coalesce(max((extract(epoch FROM at) * 1000)::bigint), 0) FROM monitor_cursor "
                             "WHERE member_id IS NULL")) == at_ms;
}

static void
assert_cursor(int64_t at_ms)
{
    assert_true(has_come_to(at_ms));
}

/* -1: there is no such hour. */
static double
value(int member, int64_t at_ms, const char *column, unsigned metric)
{
    const char *scope = metric_table[metric].scope == METRIC_PROCESS ? "p" : "d";
    return atof(
        fixture_ask("SELECT coalesce((SELECT %s[%u] FROM monitor_hour WHERE member_id = %s AND scope = '%s' AND at = "
                    "to_timestamp(%lld)), -1)",
                    column, metric + 1, fixture_quote(fixture_id((uint32_t)member)), scope, (long long)(at_ms / 1000)));
}

static void
assert_rise(int member, int64_t at_ms, double rise)
{
    assert_true(value(member, at_ms, "sums", M_TRANSACTIONS_COMMITTED) == rise);
}

/* Days are what their hours are together. */
static void
assert_days_agree(void)
{
    assert_string_equal(
        fixture_ask(
            "SELECT count(*) FROM (SELECT member_id, scope, name, date_trunc('day', at AT TIME ZONE 'UTC') AT TIME ZONE "
            "'UTC' AS day, sum(sums[%d]) AS rise, sum(counts[%d]) AS points FROM monitor_hour GROUP BY 1, 2, 3, 4) h "
            "FULL JOIN monitor_day d ON (d.member_id, d.scope, d.name, d.at) = (h.member_id, h.scope, h.name, h.day) "
            "WHERE d.sums[%d] IS DISTINCT FROM h.rise OR d.counts[%d] IS DISTINCT FROM h.points",
            M_TRANSACTIONS_COMMITTED + 1, M_TRANSACTIONS_COMMITTED + 1, M_TRANSACTIONS_COMMITTED + 1,
            M_TRANSACTIONS_COMMITTED + 1),
        "0");
}

static void
hours_and_days_are_what_was_counted(void **state)
{
    (void)state;
    int64_t from_ms = hours_ago(30), to_ms = hours_ago(0);
    measure(0, first_member, from_ms, hours_ago(10)); /* each store has a part of it, and some of it both */
    measure(1, first_member, hours_ago(12) + EVERY_MS, to_ms);
    set_cursor(from_ms, 0);
    clock_ms = to_ms + 6 * MINUTE_MS;
    assert_ok(sweep());
    assert_cursor(to_ms);
    assert_rise(first_member, from_ms, 359 * RISE); /* nothing was before its first point */
    for (int hours = 29; hours >= 1; hours--) {
        assert_rise(first_member, hours_ago(hours), 360 * RISE);
        assert_true(value(first_member, hours_ago(hours), "sums", M_CONNECTIONS) == 360 * 5);
        assert_true(value(first_member, hours_ago(hours), "counts", M_CONNECTIONS) == 360);
        assert_true(value(first_member, hours_ago(hours), "sums", M_DATABASE_DATA_SIZE) == 360 * 1e12);
    }
    assert_string_equal(fixture_ask("SELECT string_agg(DISTINCT name, '|' ORDER BY name) FROM monitor_hour"),
                        "|sh op,1");
    assert_string_equal(fixture_ask("SELECT count(*) FROM monitor_hour"), "60");
    assert_days_agree();
}

/* A point a minute, of a table that is called what only a tenant would call one. */
static void
hours_of_tables_are_what_was_counted(void **state)
{
    (void)state;
    const str name = STR("shop.\"a.b\n\"");
    struct buf wire = buf_in(arena, 4 << 20), out = buf_in(arena, 8 << 20);
    struct monitor_owner owner = { fixture_id(PROJECT), fixture_id(CLUSTER), fixture_id((uint32_t)first_member) };
    for (int64_t at_ms = hours_ago(30) + EVERY_MS; at_ms < hours_ago(0); at_ms += MINUTE_MS) {
        struct points_writer table = points_begin(&wire, owner.member, at_ms, METRIC_TABLE, name);
        points_add(&table, M_TOTAL_OPS, (double)((at_ms - hours_ago(100)) / MINUTE_MS * RISE));
        points_end(&table);
    }
    struct points_reader reader = points_read(buf_str(&wire));
    struct points_line line;
    while (points_next(&reader, &line) == POINTS_LINE)
        monitor_line_add(&out, &owner, &line);
    monitor_put(arena, 0, buf_str(&out));
    monitor_show(arena, 0);
    set_cursor(hours_ago(30), 0);
    clock_ms = hours_ago(0) + 6 * MINUTE_MS;
    assert_ok(sweep());
    for (int hours = 29; hours >= 1; hours--) {
        assert_string_equal(
            fixture_ask(
                "SELECT sums[%d] FROM monitor_hour WHERE scope = 't' AND name = E'shop.\"a.b\\n\"' AND at = to_timestamp(%lld)",
                M_TOTAL_OPS + 1, (long long)(hours_ago(hours) / 1000)),
            str_from_int(arena, 60 * RISE).data);
    }
    assert_string_equal(fixture_ask("SELECT sum(sums[%d]) FROM monitor_day WHERE scope = 't'", M_TOTAL_OPS + 1),
                        str_from_int(arena, (30 * 60 - 1) * RISE).data); /* nothing was before its first point */
    assert_days_agree();
}

static void
hour_is_made_five_minutes_after_its_end(void **state)
{
    (void)state;
    measure(0, first_member, hours_ago(2), hours_ago(0));
    set_cursor(hours_ago(1), 0);
    clock_ms = hours_ago(0) + 5 * MINUTE_MS - 1;
    assert_ok(sweep());
    assert_string_equal(fixture_ask("SELECT count(*) FROM monitor_hour"), "0");
    clock_ms++;
    assert_ok(sweep());
    assert_rise(first_member, hours_ago(1), 360 * RISE);
    assert_cursor(hours_ago(0));
}

/* The first time of all only the last hour is made, and after a long time nothing that stores do not have. */
static void
sweep_begins_where_there_are_points(void **state)
{
    (void)state;
    clock_ms = hours_ago(0) + 6 * MINUTE_MS;
    measure(0, first_member, hours_ago(3), hours_ago(0));
    assert_ok(sweep());
    assert_string_equal(fixture_ask("SELECT count(DISTINCT at) FROM monitor_hour"), "1");
    assert_rise(first_member, hours_ago(1), 360 * RISE);
    set_cursor(hours_ago(1000), 0);
    /* Eight days of twenty members: on a busy machine that is more than a sweep does in one run. */
    for (int runs = 0; runs < 20 && !has_come_to(hours_ago(0)); runs++)
        assert_ok(sweep());
    assert_cursor(hours_ago(0));
    assert_string_equal(fixture_ask("SELECT count(DISTINCT at) FROM monitor_hour"), "3");
    assert_days_agree();
}

static void
every_member_has_its_turn_and_a_worker_goes_on_where_another_ended(void **state)
{
    (void)state;
    for (int i = 0; i < MEMBERS; i++)
        measure((size_t)i % MONITOR_STORES, first_member + i, hours_ago(2), hours_ago(0));
    set_cursor(hours_ago(2), 0);
    clock_ms = hours_ago(0) + 6 * MINUTE_MS;
    assert_ok(sweep());
    for (int i = 0; i < MEMBERS; i++)
        assert_rise(first_member + i, hours_ago(1), 360 * RISE);
    assert_cursor(hours_ago(0));
    fixture_ask("DELETE FROM monitor_hour");
    set_cursor(hours_ago(1), first_member + 10);
    assert_ok(sweep());
    assert_cursor(hours_ago(0));
    for (int i = 0; i < MEMBERS; i++)
        assert_rise(first_member + i, hours_ago(1), i <= 10 ? -1 : 360 * RISE);
}

static void
points_that_come_late_are_counted(void **state)
{
    (void)state;
    int64_t hour_ms = hours_ago(2), hole_ms = hour_ms + 20 * MINUTE_MS, after_ms = hour_ms + 40 * MINUTE_MS;
    measure(0, first_member, hours_ago(3), hole_ms);
    measure(0, first_member, after_ms, hours_ago(0));
    set_cursor(hours_ago(3), 0);
    clock_ms = hours_ago(0) + 6 * MINUTE_MS;
    assert_ok(sweep());
    assert_rise(first_member, hour_ms, (120 + 119) * RISE); /* what is not known is not made up */
    measure(1, first_member, hole_ms, after_ms);
    /* Marked a moment ago, however long the sweep takes here. */
    fixture_ask(
        "INSERT INTO monitor_late (member_id, at, marked_at) VALUES (%s, to_timestamp(%lld), now() + interval '1 hour')",
        fixture_quote(fixture_id((uint32_t)first_member)), (long long)(hour_ms / 1000));
    assert_ok(sweep());
    assert_rise(first_member, hour_ms, (120 + 119) * RISE); /* more of them may be on their way */
    fixture_ask("UPDATE monitor_late SET marked_at = now() - interval '2 minutes'");
    assert_ok(sweep());
    assert_rise(first_member, hour_ms, 360 * RISE);
    assert_string_equal(fixture_ask("SELECT count(*) FROM monitor_late"), "0");
    assert_cursor(hours_ago(0));
    assert_days_agree();
}

static void
what_is_made_twice_comes_to_the_same(void **state)
{
    (void)state;
    /* Each row once and in an order of its own: four hours can lie in two days. */
    const char *text =
        "SELECT string_agg(line, E'\\n' ORDER BY line) FROM (SELECT h::text AS line FROM monitor_hour h UNION ALL "
        "SELECT d::text FROM monitor_day d) made";
    measure(0, first_member, hours_ago(4), hours_ago(0));
    set_cursor(hours_ago(4), 0);
    clock_ms = hours_ago(0) + 6 * MINUTE_MS;
    assert_ok(sweep());
    char *before = strdup(fixture_ask("%s", text));
    set_cursor(hours_ago(4), 0);
    assert_ok(sweep());
    assert_string_equal(fixture_ask("%s", text), before);
    free(before);
}

/* Neither an hour nor a mark is passed over because nobody could say what was measured. */
static void
without_a_store_nothing_is_passed_over(void **state)
{
    (void)state;
    measure(0, first_member, hours_ago(3), hours_ago(0));
    set_cursor(hours_ago(2), 0);
    clock_ms = hours_ago(0) + 6 * MINUTE_MS;
    monitor_kill(0);
    monitor_kill(1);
    assert_fails(sweep(), MEASUREMENTS_UNAVAILABLE);
    assert_cursor(hours_ago(2));
    set_cursor(hours_ago(0), 0);
    fixture_ask(
        "INSERT INTO monitor_late (member_id, at, marked_at) VALUES (%s, to_timestamp(%lld), now() - interval '1 hour')",
        fixture_quote(fixture_id((uint32_t)first_member)), (long long)(hours_ago(1) / 1000));
    assert_fails(sweep(), MEASUREMENTS_UNAVAILABLE);
    assert_string_equal(fixture_ask("SELECT count(*) FROM monitor_late"), "1");
    monitor_start(0);
    monitor_start(1);
    measure(0, first_member, hours_ago(3), hours_ago(0)); /* a store that is killed loses its last seconds */
    measure(1, first_member, hours_ago(3), hours_ago(0)); /* until a store has answered, hours are made without it */
    set_cursor(hours_ago(2), 0);
    assert_ok(sweep());
    assert_rise(first_member, hours_ago(2), 360 * RISE);
    assert_rise(first_member, hours_ago(1), 360 * RISE);
    assert_string_equal(fixture_ask("SELECT count(*) FROM monitor_late"), "0");
}

/* Each store has a part of the hour, and one of them is away when it is made. */
static void
gaps_are_filled_when_the_store_that_has_them_is_back(void **state)
{
    (void)state;
    int64_t hour_ms = hours_ago(1), half_ms = hour_ms + 30 * MINUTE_MS;
    measure(0, first_member, half_ms, hours_ago(0));
    measure(1, first_member, hours_ago(2), half_ms);
    set_cursor(hour_ms, 0);
    clock_ms = hours_ago(0) + 6 * MINUTE_MS;
    monitor_kill(1);
    assert_ok(sweep());
    assert_rise(first_member, hour_ms, 179 * RISE);
    /* All of them: nobody can say whether it has points of those without any. */
    const char *waiting = "SELECT count(*) FROM monitor_late WHERE marked_at > now() + interval '5 minutes'";
    assert_string_equal(fixture_ask("%s", waiting), "20");
    fixture_ask("UPDATE monitor_late SET marked_at = now() - interval '2 minutes'");
    assert_ok(sweep());
    assert_string_equal(fixture_ask("%s", waiting), "20"); /* it is away still */
    monitor_start(1);
    measure(1, first_member, hours_ago(2), half_ms); /* a store that is killed loses its last seconds */
    fixture_ask("UPDATE monitor_late SET marked_at = now() - interval '2 minutes'");
    assert_ok(sweep());
    assert_rise(first_member, hour_ms, 360 * RISE);
    assert_string_equal(fixture_ask("SELECT count(*) FROM monitor_late"), "0");
    assert_days_agree();
}

/* ---- ---- */
static int
open_world(void **state)
{
    if (open_store(state) != 0)
        return -1;
    json_init();
    monitor_open();
    environment.monitor = monitor.stores;
    int64_t now = clock_now_ms(); /* once: a millisecond may pass before it is asked again */
    this_hour_ms = now - now % STEPS_HOUR_MS;
    fixture_add_organization(fixture_id(ORGANIZATION));
    fixture_add_project(fixture_id(PROJECT), fixture_id(ORGANIZATION));
    fixture_ask("INSERT INTO provider (name) VALUES ('P') ON CONFLICT DO NOTHING");
    fixture_ask("INSERT INTO region (provider, name) VALUES ('P', 'R')");
    fixture_ask("INSERT INTO instance_size VALUES ('S', 1, 1, 1, 1, 1) ON CONFLICT DO NOTHING");
    fixture_ask(
        "INSERT INTO host (id, name, provider, region, zone, cpus, memory_mb, disk_gb) VALUES (%s, 'h', 'P', 'R', 'z', 99, "
        "99, 99)",
        fixture_quote(fixture_id(HOST)));
    fixture_ask("INSERT INTO project_access (project_id, org_id, hash) VALUES (%s, %s, 'hash0') ON CONFLICT DO NOTHING",
                fixture_quote(fixture_id(PROJECT)), fixture_quote(fixture_id(ORGANIZATION)));
    return 0;
}

static int
close_world(void **state)
{
    monitor_close();
    return close_store(state);
}

static int
set_up(void **state)
{
    (void)state;
    arena = arena_new((size_t)256 << 20);
    first_member += 100;
    fixture_ask("DELETE FROM monitor_cursor");
    fixture_ask("DELETE FROM cluster_member");
    fixture_ask("DELETE FROM cluster");
    fixture_ask(
        "INSERT INTO cluster (id, org_id, project_id, name, set_name, major_version) VALUES (%s, %s, %s, 'c', 'cccccc', '17')",
        fixture_quote(fixture_id(CLUSTER)), fixture_quote(fixture_id(ORGANIZATION)),
        fixture_quote(fixture_id(PROJECT)));
    for (int i = 0; i < MEMBERS; i++)
        fixture_ask(
            "INSERT INTO cluster_member (id, org_id, cluster_id, host_id, ordinal, desired, size, cpus, memory_mb, disk_gb) "
            "VALUES (%s, %s, %s, %s, %d, 'RUNNING', 'S', 1, 1, 1)",
            fixture_quote(fixture_id((uint32_t)(first_member + i))), fixture_quote(fixture_id(ORGANIZATION)),
            fixture_quote(fixture_id(CLUSTER)), fixture_quote(fixture_id(HOST)), i);
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(hours_and_days_are_what_was_counted),
        TEST(hours_of_tables_are_what_was_counted),
        TEST(hour_is_made_five_minutes_after_its_end),
        TEST(sweep_begins_where_there_are_points),
        TEST(every_member_has_its_turn_and_a_worker_goes_on_where_another_ended),
        TEST(points_that_come_late_are_counted),
        TEST(what_is_made_twice_comes_to_the_same),
        TEST(without_a_store_nothing_is_passed_over),
        TEST(gaps_are_filled_when_the_store_that_has_them_is_back),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
