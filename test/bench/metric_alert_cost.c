/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What it costs to compare a hundred thousand configurations with what is measured on a thousand members. One look is wall time of one thread with a database and a
 * store that have nothing else to do: at least the processor time of all three.
 *
 *     script/with-services build/test/metric_alert_cost
 */
#include "../unit/cluster_fixture.h"
#include "../unit/monitor_fixture.h"

#include "job/kinds.h"

enum { PROJECTS = 334, CONFIGS_OF_PROJECT = 300, LOOKS = 3, MINUTE_S = 60, ARENA_BYTES = 64 * 1024 * 1024 };

/* A cluster of three, and its project, again and again with other identifiers. */
#define AGAIN(table, alias, changes)                                                                       \
    "INSERT INTO " table " SELECT (jsonb_populate_record(NULL::" table ", to_jsonb(" alias ") || " changes \
    ")).* FROM " table " " alias ", generate_series(2, %d) n"
#define OTHER_ID(column) "'\\x' || encode(substring(" column " FROM 1 FOR 9), 'hex') || lpad(to_hex(n), 6, '0')"

static void
copy_projects(void)
{
    fixture_ask(AGAIN("project", "p", "jsonb_build_object('id', " OTHER_ID("p.id") ", 'name', 'p' || n)"), PROJECTS);
    fixture_ask(AGAIN("cluster", "c",
                      "jsonb_build_object('id', " OTHER_ID("c.id") ", 'project_id', " OTHER_ID(
                          "c.project_id") ", 'set_name', lpad(n::text, 6, 'a'))"),
                PROJECTS);
    fixture_ask(AGAIN("cluster_member", "m",
                      "jsonb_build_object('id', " OTHER_ID("m.id") ", 'cluster_id', " OTHER_ID("m.cluster_id") ")"),
                PROJECTS);
    fixture_ask(
        "INSERT INTO dns_record (name, type, content, org_id, cluster_id) SELECT member_name(c.set_name, m.ordinal) || '.x.test', 'A', '10.0.0.1', c.org_id, c.id "
        "FROM cluster_member m JOIN cluster c ON c.id = m.cluster_id ON CONFLICT DO NOTHING");
    fixture_ask(
        "INSERT INTO resource (scope, kind, id, name, org_id, document) SELECT p.id, 'alertConfig', decode(substr(md5(p.name || n), 1, 24), 'hex'), n::text, p.org_id, "
        "'{\"eventTypeName\": \"OUTSIDE_METRIC_THRESHOLD\", \"enabled\": true, \"matchers\": [], \"metricThreshold\": {\"metricName\": \"CONNECTIONS_PERCENT\", "
        "\"operator\": \"GREATER_THAN\", \"threshold\": 50, \"units\": \"RAW\"}, \"notifications\": []}' FROM project p, generate_series(1, %d) n",
        CONFIGS_OF_PROJECT);
    fixture_ask("ANALYZE");
}

static void
measure_all(void)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(ARENA_BYTES);
    struct buf out = buf_in(arena, ARENA_BYTES / 2);
    PGresult *rows = PQexec(
        fixture_owner,
        "SELECT encode(c.project_id, 'hex'), encode(c.id, 'hex'), encode(m.id, 'hex') FROM cluster_member m JOIN cluster c ON c.id = m.cluster_id");
    for (int i = 0; i < PQntuples(rows); i++)
        buf_format(&out, "reeve,project=%s,cluster=%s,member=%s CONNECTIONS_PERCENT=10 %lld\n", PQgetvalue(rows, i, 0),
                   PQgetvalue(rows, i, 1), PQgetvalue(rows, i, 2), (long long)clock_now_ms());
    PQclear(rows);
    for (size_t number = 0; number < MONITOR_STORES; number++)
        monitor_put(arena, number, buf_str(&out));
}

static void
a_hundred_thousand_configurations(void **state)
{
    (void)state;
    struct place place = new_place();
    struct job_environment environment = { .domain = "example.test", .monitor = monitor.stores };
    assert_asks(place, "createGroupCluster", "", document("orders", THREE_IN_A), "OK");
    settle();
    copy_projects();
    int64_t spent_ms = 0;
    for (int i = 0; i < LOOKS; i++) {
        struct arena *arena CLEANUP(arena_cleanup) = arena_new(ARENA_BYTES);
        measure_all();
        sleep(3);                                      /* until the store shows them */
        sleep(spent_ms * 10 / 1000 / (i > 0 ? i : 1)); /* it rests */
        int64_t began = clock_steady_ms();
        assert_ok(metric_alerts_sweep.run(&(struct sweep_context){ store, arena, &environment }));
        spent_ms += clock_steady_ms() - began;
    }
    double each = (double)spent_ms / 1000 / LOOKS;
    print_message(
        "metric alerts: %s members, %.2f s a look: %.1f%% of a core once a minute\n",
        fixture_ask(
            "SELECT (SELECT count(*) FROM resource WHERE kind = 'alertConfig') || ' configurations, ' || count(*) FROM cluster_member"),
        each, 100 * each / MINUTE_S);
    assert_string_equal(fixture_ask("SELECT count(*) FROM alert"), "0");
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
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_hundred_thousand_configurations) };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
