/* SPDX-License-Identifier: Apache-2.0 */
/* Alerts about what is measured: from points in real stores to alerts, notifications and events, each once. */
#include "cluster_fixture.h"
#include "monitor_fixture.h"

#include "job/alert/alert_metric.h"
#include "job/kinds.h"
#include "monitor/instant.h"
#include "monitor/line.h"

#define HALF_FULL \
    "{\"metricName\": \"CONNECTIONS_PERCENT\", \"operator\": \"GREATER_THAN\", \"threshold\": 50, \"units\": \"RAW\"}"
#define LAGS \
    "{\"metricName\": \"OPLOG_SLAVE_LAG_MASTER_TIME\", \"operator\": \"GREATER_THAN\", \"threshold\": 2, \"units\": \"MINUTES\"}"

static struct place
new_measured(void)
{
    struct place place = new_place();
    assert_asks(place, "createGroupCluster", "", document("orders", THREE_IN_A), "OK");
    settle();
    fixture_ask("DELETE FROM resource WHERE kind = 'alertConfig'");
    fixture_ask("DELETE FROM alert");
    fixture_ask("INSERT INTO alert_cursor (org_id, project_id, project_seq) VALUES (%s, %s, 0) ON CONFLICT DO NOTHING",
                fixture_quote(place.organization), fixture_quote(place.project));
    return place;
}

static void
add_config(struct place place, uint32_t number, const char *threshold, const char *matchers)
{
    fixture_ask(
        "INSERT INTO resource (scope, kind, id, name, org_id, document) VALUES (%s, 'alertConfig', %s, '%u', %s, "
        "'{\"eventTypeName\": \"OUTSIDE_METRIC_THRESHOLD\", \"enabled\": true, \"matchers\": %s, \"metricThreshold\": %s, "
        "\"notifications\": [{\"notifierId\": \"65a1b2c3d4e5f60718293a4b\", \"typeName\": \"EMAIL\", \"emailAddress\": \"a@example.org\", \"delayMin\": 0}]}')",
        fixture_quote(place.project), fixture_quote(fixture_id(number)), number, fixture_quote(place.organization),
        matchers, threshold);
}

static id
member_of(struct place place, int ordinal)
{
    id member;
    assert_true(
        id_parse(str_from(fixture_ask("SELECT encode(m.id, 'hex') FROM cluster_member m JOIN cluster c ON c.id = "
                                      "m.cluster_id WHERE c.project_id = %s AND m.ordinal = %d",
                                      fixture_quote(place.project), ordinal)),
                 &member));
    return member;
}

/* A point of this moment, in one of the stores; it can be read then. */
static void
measure(struct place place, id member, enum metric_number metric, double value, size_t in_store)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct buf wire = buf_in(arena, 4096), out = buf_in(arena, 4096);
    struct monitor_owner owner = { place.project, fixture_id(50), member };
    struct points_line line;
    struct points_writer writer = points_begin(&wire, member, clock_now_ms(), METRIC_PROCESS, STR_EMPTY);
    points_add(&writer, metric, value);
    points_end(&writer);
    struct points_reader reader = points_read(buf_str(&wire));
    assert_int_equal(points_next(&reader, &line), POINTS_LINE);
    monitor_line_add(&out, &owner, &line);
    monitor_put(arena, in_store, buf_str(&out));
    monitor_show(arena, in_store);
    for (int64_t until = clock_steady_ms() + patient(MONITOR_WAIT_MS); clock_steady_ms() < until; usleep(20000)) {
        struct arena *own CLEANUP(arena_cleanup) = arena_new(256 * 1024 * 1024);
        struct instant_list list;
        double seen;
        str query = str_format(own, "last_over_time(reeve_%s[1m])", metric_table[metric].name);
        if (instant_read(monitor.stores, own, query.data, &list) == OK && instant_find(&list, member, &seen) &&
            seen == value)
            return;
    }
    fail_msg("the point cannot be read");
}

static void
sweep(void)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct job_environment environment = { .domain = "example.test", .monitor = monitor.stores };
    assert_ok(metric_alerts_sweep.run(&(struct sweep_context){ store, arena, &environment }));
}

/* "0 OPEN 80, 1 CLOSED 60": the member, and what became of it. */
static const char *
alerts_of(struct place place)
{
    return fixture_ask(
        "SELECT coalesce(string_agg(m.ordinal || ' ' || a.status || ' ' || a.value, ', ' ORDER BY a.created_at, m.ordinal), '') FROM alert a "
        "LEFT JOIN cluster_member m ON m.id = a.member_id WHERE a.project_id = %s",
        fixture_quote(place.project));
}

static void
remove_place(struct place place)
{
    assert_asks(place, "deleteGroupCluster", "orders", NULL, "OK");
    settle();
    fixture_ask("DELETE FROM resource WHERE kind = 'alertConfig'");
}

/* ---- The tests ---- */
static void
a_member_outside_raises_one_alert_and_closes_it(void **state)
{
    (void)state;
    struct place place = new_measured();
    add_config(place, 7001, HALF_FULL, "[]");
    sweep();
    assert_string_equal(alerts_of(place), ""); /* nothing was measured */
    measure(place, member_of(place, 0), M_CONNECTIONS_PERCENT, 80, 0);
    measure(place, member_of(place, 1), M_CONNECTIONS_PERCENT, 50, 0); /* not more than 50 */
    sweep();
    sweep();
    assert_string_equal(alerts_of(place), "0 OPEN 80");
    assert_string_equal(fixture_ask("SELECT count(*) FROM alert_notification WHERE state = 'PENDING'"), "1");
    assert_string_equal(
        fixture_ask(
            "SELECT (alert_json(a)::json ->> 'metricName') || ' ' || (alert_json(a)::json #>> '{currentValue,units}') || ' ' || "
            "(alert_json(a)::json ->> 'clusterName') || ' ' || ((alert_json(a)::json ->> 'hostnameAndPort') LIKE '%%:5432') || ' ' || "
            "((alert_json(a)::json -> 'eventId') IS NULL) FROM alert a"),
        "CONNECTIONS_PERCENT RAW orders true true");
    assert_int_equal(events_of(place, "ALERT_OPENED"), 1);
    fixture_ask("UPDATE alert_notification SET state = 'SENT'");
    /* The mean of half a minute: it takes some points until it is inside again. */
    for (int i = 0; i < 10; i++)
        measure(place, member_of(place, 0), M_CONNECTIONS_PERCENT, i, 0);
    sweep();
    sweep();
    assert_string_equal(alerts_of(place), "0 CLOSED 80");
    assert_int_equal(events_of(place, "ALERT_CLOSED"), 1);
    assert_string_equal(fixture_ask("SELECT count(*) FROM alert_notification WHERE about = 'CLOSED'"), "1");
    remove_place(place);
}

static void
what_one_store_lacks_is_in_the_other(void **state)
{
    (void)state;
    struct place place = new_measured();
    add_config(place, 7002, LAGS, "[]");
    measure(place, member_of(place, 1), M_REPLICATION_LAG, 121, 0);
    measure(place, member_of(place, 2), M_REPLICATION_LAG, 150, 1);
    sweep();
    assert_string_equal(
        fixture_ask(
            "SELECT string_agg(m.ordinal || ' ' || round(a.value::numeric, 2) || ' ' || a.units, ', ' ORDER BY m.ordinal) FROM alert a "
            "JOIN cluster_member m ON m.id = a.member_id"),
        "1 2.02 MINUTES, 2 2.50 MINUTES");
    remove_place(place);
}

static void
matchers_choose_members(void **state)
{
    (void)state;
    struct place place = new_measured();
    add_config(place, 7003, HALF_FULL,
               "[{\"fieldName\": \"TYPE_NAME\", \"operator\": \"EQUALS\", \"value\": \"SECONDARY\"}]");
    add_config(place, 7004, HALF_FULL,
               "[{\"fieldName\": \"CLUSTER_NAME\", \"operator\": \"EQUALS\", \"value\": \"another\"}]");
    add_config(place, 7005, HALF_FULL, "[{\"fieldName\": \"PORT\", \"operator\": \"EQUALS\", \"value\": \"5432\"}]");
    for (int i = 0; i < 3; i++)
        measure(place, member_of(place, i), M_CONNECTIONS_PERCENT, 90, 0);
    sweep();
    assert_string_equal(
        fixture_ask(
            "SELECT string_agg(x.n, ', ' ORDER BY x.config_id) FROM (SELECT a.config_id, count(*) || ' ' || count(*) FILTER (WHERE m.role = 'PRIMARY') AS n "
            "FROM alert a JOIN cluster_member m ON m.id = a.member_id GROUP BY a.config_id) x"),
        "2 0, 3 1");
    remove_place(place);
}

static void
what_is_not_measured_any_more_stays_as_it_is_until_it_is_gone(void **state)
{
    (void)state;
    struct place place = new_measured();
    add_config(place, 7006, HALF_FULL, "[]");
    measure(place, member_of(place, 0), M_CONNECTIONS_PERCENT, 80, 0);
    sweep();
    assert_string_equal(alerts_of(place), "0 OPEN 80");
    struct monitor_stores *both = monitor.stores;
    monitor.stores = NULL; /* no store is named any more */
    sweep();
    monitor.stores = both;
    assert_string_equal(alerts_of(place), "0 OPEN 80");
    /* A configuration that asks for something else while it is looked at is not acted for. */
    fixture_ask("UPDATE resource SET document = jsonb_set(document, '{enabled}', 'false') WHERE kind = 'alertConfig'");
    sweep();
    assert_string_equal(alerts_of(place), "0 OPEN 80");
    fixture_ask("UPDATE resource SET document = jsonb_set(document, '{enabled}', 'true') WHERE kind = 'alertConfig'");
    fixture_ask("UPDATE cluster_member SET desired = 'STOPPED'");
    sweep();
    assert_string_equal(alerts_of(place), "0 CLOSED 80");
    fixture_ask("UPDATE cluster_member SET desired = 'RUNNING'");
    remove_place(place);
}

/* Matchers are tenants' own: a look at them is short, whatever they are. */
static void
matchers_that_take_long_keep_nobody_waiting(void **state)
{
    (void)state;
    enum { CONFIGS = 2000, MOST_MS = 3000 };
    struct place place = new_measured(), other = new_place();
    assert_asks(other, "createGroupCluster", "", document("theirs", THREE_IN_A), "OK");
    settle();
    fixture_ask("INSERT INTO alert_cursor (org_id, project_id, project_seq) VALUES (%s, %s, 0) ON CONFLICT DO NOTHING",
                fixture_quote(other.organization), fixture_quote(other.project));
    add_config(place, 8000, HALF_FULL,
               "[{\"fieldName\": \"HOSTNAME\", \"operator\": \"REGEX\", \"value\": \"^([a-z0-9.-]+)+[A-Z]$\"}]");
    fixture_ask(
        "INSERT INTO resource (scope, kind, id, name, org_id, document) SELECT r.scope, r.kind, decode(substr(md5(n::text), 1, 24), 'hex'), 'n' || n, r.org_id, r.document "
        "FROM resource r, generate_series(1, %d) n WHERE r.kind = 'alertConfig'",
        CONFIGS);
    add_config(other, 8999, HALF_FULL, "[]");
    for (int i = 0; i < 3; i++)
        measure(place, member_of(place, i), M_CONNECTIONS_PERCENT, 90, 0);
    measure(other, member_of(other, 0), M_CONNECTIONS_PERCENT, 90, 0);
    int64_t began_ms = clock_steady_ms();
    sweep();
    int64_t took_ms = clock_steady_ms() - began_ms;
    assert_string_equal(alerts_of(place), "");
    assert_string_equal(alerts_of(other), "0 OPEN 90");
    if (took_ms > patient(MOST_MS))
        fail_msg("a look took %lld ms", (long long)took_ms);
    assert_asks(other, "deleteGroupCluster", "theirs", NULL, "OK");
    remove_place(place);
}

static void
every_query_is_understood_by_a_store(void **state)
{
    (void)state;
    for (const struct alert_metric *metric = alert_metrics; metric->name != NULL; metric++) {
        struct arena *arena CLEANUP(arena_cleanup) = arena_new(256 * 1024 * 1024);
        struct instant_list list;
        if (instant_read(monitor.stores, arena, metric->query, &list) != OK)
            fail_msg("%s: %s", metric->name, metric->query);
    }
}

static int
set_up(void **state)
{
    monitor_open();
    return cluster_set_up(state);
}

static int
tear_down(void **state)
{
    monitor_close();
    return cluster_tear_down(state);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_member_outside_raises_one_alert_and_closes_it),
        cmocka_unit_test(what_one_store_lacks_is_in_the_other),
        cmocka_unit_test(matchers_choose_members),
        cmocka_unit_test(what_is_not_measured_any_more_stays_as_it_is_until_it_is_gone),
        cmocka_unit_test(matchers_that_take_long_keep_nobody_waiting),
        cmocka_unit_test(every_query_is_understood_by_a_store),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
