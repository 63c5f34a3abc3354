/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clusters that follow their load by themselves, with everything real but hosts and time: points in real stores, the sweep as a worker runs it, requests
 * through their handlers, and the jobs that are ordered. Time is that of the test; what is read of it was stored.
 */
#include "cluster_fixture.h"
#include "monitor_fixture.h"

#include <sys/wait.h>

#include "base/failpoint.h"
#include "cluster/scaling.h"
#include "monitor/line.h"
#include "monitor/samples.h"

enum { MINUTE = SCALING_MINUTE_MS, MEMBERS = 3 };

/* ---- Time ---- */
static int64_t test_now_ms;

static int64_t
test_clock(void)
{
    return test_now_ms;
}

/* A day ago, so that nothing of it lies ahead; each test begins where the one before has ended. */
static void
begin_time(void)
{
    if (test_now_ms == 0)
        test_now_ms = clock_now_ms() / MINUTE * MINUTE - 100 * 60 * (int64_t)MINUTE;
    test_now_ms += 120 * (int64_t)MINUTE;
}

/* ---- Clusters ---- */
struct scaled {
    struct place place;
    const char *name;
    id members[MEMBERS];
    double counted[MEMBERS]; /* of processors */
    /* What its clients do: processors that they would use, memory that is not buffers, sessions, and GB of data. */
    double cpus, private_mb, sessions, data_gb;
    bool is_silent;
};

#define SCALES(size, low, high)                                                                              \
    "{\"providerName\": \"P\", \"regionName\": \"A\", \"electableSpecs\": {\"instanceSize\": \"" size        \
    "\", \"nodeCount\": 3}, \"autoScaling\": {\"compute\": {\"enabled\": true, \"scaleDownEnabled\": true, " \
    "\"minInstanceSize\": \"" low "\", \"maxInstanceSize\": \"" high "\"}, \"diskGB\": {\"enabled\": true}}}"

static const char *
asked(const char *format, struct scaled *scaled)
{
    return fixture_ask(format, fixture_quote(scaled->place.project), scaled->name);
}

/* What was noted of it so far is of this time. */
static void
enter_time(struct scaled *scaled)
{
    fixture_ask(
        "UPDATE cluster_scaling s SET changed_at = to_timestamp(%lld), looked_at = to_timestamp(0) FROM cluster c WHERE c.id = s.cluster_id AND c.project_id = %s "
        "AND c.name = '%s'",
        (long long)(test_now_ms / 1000), fixture_quote(scaled->place.project), scaled->name);
}

static void
find_members(struct scaled *scaled)
{
    for (int i = 0; i < MEMBERS; i++) {
        const char *digits = fixture_ask(
            "SELECT encode(m.id, 'hex') FROM cluster_member m JOIN cluster c ON c.id = m.cluster_id WHERE c.project_id = %s AND c.name = '%s' "
            "AND m.desired <> 'REMOVED' ORDER BY m.ordinal OFFSET %d LIMIT 1",
            fixture_quote(scaled->place.project), scaled->name, i);
        assert_true(id_parse(str_from(digits), &scaled->members[i]));
    }
}

static struct scaled
new_scaled(struct place place, const char *name, const char *regions)
{
    struct scaled scaled = {
        .place = place, .name = name, .cpus = 0.2, .private_mb = 100, .sessions = 10, .data_gb = 2
    };
    assert_asks(place, "createGroupCluster", "", document(name, regions), "OK");
    settle();
    find_members(&scaled);
    enter_time(&scaled);
    return scaled;
}

static void
remove_scaled(struct scaled *scaled)
{
    assert_asks(scaled->place, "deleteGroupCluster", scaled->name, NULL, "OK");
    settle();
}

static const char *
size_of(struct scaled *scaled)
{
    return asked(
        "SELECT r.document #>> '{replicationSpecs,0,regionConfigs,0,electableSpecs,instanceSize}' FROM resource r WHERE r.scope = %s AND r.name = '%s'",
        scaled);
}

static int
disk_of(struct scaled *scaled)
{
    return atoi(asked(
        "SELECT r.document #>> '{replicationSpecs,0,regionConfigs,0,electableSpecs,diskSizeGB}' FROM resource r WHERE r.scope = %s AND r.name = '%s'",
        scaled));
}

/* "TOO_SMALL FITS": of the size and of the disk. */
static const char *
found(struct scaled *scaled)
{
    return asked(
        "SELECT (s.found #>> '{compute,finding}') || ' ' || (s.found #>> '{disk,finding}') FROM cluster_scaling s JOIN cluster c ON c.id = s.cluster_id "
        "WHERE c.project_id = %s AND c.name = '%s'",
        scaled);
}

static int
jobs_of(struct scaled *scaled)
{
    return atoi(asked(
        "SELECT count(*) FROM job j JOIN cluster c ON c.id = j.subject WHERE c.project_id = %s AND c.name = '%s' AND j.kind = 'cluster.update'",
        scaled));
}

/* ---- What agents would have measured ---- */
static void
add_line(struct buf *out, struct scaled *scaled, int member, enum metric_scope scope, str name, int64_t at_ms,
         const enum metric_number *metrics, const double *values, size_t count)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct buf wire = buf_in(arena, 4096);
    struct monitor_owner owner = { scaled->place.project, fixture_id(50), scaled->members[member] };
    struct points_line line;
    struct points_writer writer = points_begin(&wire, scaled->members[member], at_ms, scope, name);
    for (size_t i = 0; i < count; i++)
        points_add(&writer, metrics[i], values[i]);
    points_end(&writer);
    struct points_reader reader = points_read(buf_str(&wire));
    assert_int_equal(points_next(&reader, &line), POINTS_LINE);
    monitor_line_add(out, &owner, &line);
}

/* Six points of each member for the minute before now. The first one works as its clients ask for, as far as its size goes, the others half as much. */
static void
measure_minute(struct buf *out, struct scaled *scaled)
{
    static const enum metric_number process[] = { M_PROCESS_NORMALIZED_CPU_USER, M_PROCESS_NORMALIZED_CPU_KERNEL,
                                                  M_MEMORY_RESIDENT, M_CONNECTIONS };
    static const enum metric_number database[] = { M_DATABASE_STORAGE_SIZE };
    const char *facts =
        asked("SELECT s.cpus || ' ' || s.memory_mb FROM resource r JOIN instance_size s ON s.name = r.document #>> "
              "'{replicationSpecs,0,regionConfigs,0,electableSpecs,instanceSize}' WHERE r.scope = %s AND r.name = '%s'",
              scaled);
    double cpus = 0, memory_mb = 0;
    assert_int_equal(sscanf(facts, "%lf %lf", &cpus, &memory_mb), 2);
    for (int m = 0; m < MEMBERS && !scaled->is_silent; m++) {
        double part = m == 0 ? 1 : 0.5, percent = scaled->cpus / cpus * 100;
        percent = (percent > 100 ? 100 : percent) * part;
        for (int64_t at = test_now_ms - MINUTE + 5000; at < test_now_ms; at += 10000) {
            scaled->counted[m] += percent * 10;
            const double values[] = { scaled->counted[m] * 0.75, scaled->counted[m] * 0.25,
                                      (scaled->private_mb * part + memory_mb / 8) * 1048576, scaled->sessions };
            add_line(out, scaled, m, METRIC_PROCESS, STR_EMPTY, at, process, values, LENGTH(process));
        }
        if (test_now_ms / MINUTE % 5 == 0) {
            const double bytes[] = { scaled->data_gb * 1073741824 };
            add_line(out, scaled, m, METRIC_DATABASE, STR("shop"), test_now_ms - 7000, database, bytes, 1);
        }
    }
}

/* The store shows what it was given. */
static void
put_and_show(struct buf *out)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    monitor_put(arena, 0, buf_str(out));
    monitor_put(arena, 1, buf_str(out));
    monitor_show(arena, 0);
    monitor_show(arena, 1);
}

static error
sweep(struct arena *arena)
{
    struct job_environment environment = { .domain = "example.test", .monitor = monitor.stores, .now_ms = test_clock };
    return cluster_scaling_sweep.run(&(struct sweep_context){ store, arena, &environment });
}

static void
assert_sweeps(void)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    assert_ok(sweep(arena));
}

/* A minute of all of them, a look, and the jobs that follow from it, as far as they go. */
static void
live(struct scaled **all, size_t count, int minutes)
{
    for (int i = 0; i < minutes; i++) {
        struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
        struct buf out = buf_in(arena, 1 << 20);
        bool is_any = false;
        test_now_ms += MINUTE;
        for (size_t c = 0; c < count; c++) {
            measure_minute(&out, all[c]);
            is_any |= !all[c]->is_silent;
        }
        if (is_any)
            put_and_show(&out);
        test_now_ms += 16000; /* what is of the minute before has arrived */
        assert_sweeps();
        settle();
        for (size_t c = 0; c < count; c++)
            find_members(all[c]);
        test_now_ms -= 16000;
    }
}

static void
live_alone(struct scaled *scaled, int minutes)
{
    live(&scaled, 1, minutes);
}

/* ---- The tests ---- */
/* What the issue asks for: a load that doubles and halves. Sizes follow within bounds, each step is explained by an event, and nothing goes back and forth. */
static void
sizes_follow_a_load_that_doubles_and_halves(void **state)
{
    (void)state;
    begin_time();
    struct place place = new_place(), other_place = new_place();
    struct scaled orders = new_scaled(place, "orders", SCALES("M10", "M10", "M20")); /* 0.5 processors, then 1 */
    struct scaled quiet =
        new_scaled(other_place, "quiet", SCALES("M10", "M10", "M30")); /* another tenant's, next to it */
    struct scaled *both[] = { &orders, &quiet };
    live(both, 2, 20);
    assert_string_equal(size_of(&orders), "M10");
    assert_string_equal(found(&orders), "FITS FITS");
    orders.cpus = 0.4; /* doubled: 80% of M10 */
    live(both, 2, 8);
    assert_string_equal(size_of(&orders), "M10");
    live(both, 2, 3);
    assert_string_equal(size_of(&orders), "M20");
    assert_int_equal(jobs_of(&orders), 1);
    assert_int_equal(events_of(place, "COMPUTE_AUTO_SCALE_INITIATED_BASE"), 1);
    assert_int_equal(events_of(place, "CLUSTER_UPDATE_SUBMITTED"), 1);
    assert_int_equal(events_of(place, "CLUSTER_UPDATE_COMPLETED"), 1);
    assert_string_equal(
        asked(
            "SELECT (e.document::json #>> '{after,reason}') || ' ' || (e.document::json #>> '{after,from,instanceSize}') || ' ' || (e.document::json #>> '{after,to,instanceSize}') || ' ' || "
            "(e.document::json #>> '{after,measured,what}') FROM event e WHERE e.project_id = %s AND e.cluster = '%s' AND e.type = 'COMPUTE_AUTO_SCALE_INITIATED_BASE'",
            &orders),
        "Processors of a member were 76% in use on average for 10 minutes, and 75% is the limit: from M10 to M20. M10 M20 processors");
    /* An hour in which it doubles and halves every eight minutes, back to what M10 could do: nothing moves. */
    for (int minute = 0; minute < 64; minute += 8) {
        orders.cpus = minute % 16 == 0 ? 0.2 : 0.4;
        live(both, 2, 8);
        assert_string_equal(size_of(&orders), "M20");
    }
    assert_int_equal(jobs_of(&orders), 1);
    /* Busier than the bound allows: it stays, and that is told once. */
    orders.cpus = 0.95;
    live(both, 2, 25);
    assert_string_equal(size_of(&orders), "M20");
    assert_string_equal(found(&orders), "AT_MAXIMUM FITS");
    assert_int_equal(events_of(place, "COMPUTE_AUTO_SCALE_MAX_INSTANCE_SIZE_FAIL_BASE"), 1);
    /* Halved for good: an hour later it is small again, and stays so. */
    orders.cpus = 0.15;
    live(both, 2, 58);
    assert_string_equal(size_of(&orders), "M20");
    live(both, 2, 12);
    assert_string_equal(size_of(&orders), "M10");
    live(both, 2, 30);
    assert_string_equal(size_of(&orders), "M10");
    assert_int_equal(jobs_of(&orders), 2);
    assert_int_equal(events_of(place, "COMPUTE_AUTO_SCALE_INITIATED_BASE"), 2);
    assert_int_equal(events_of(place, "COMPUTE_AUTO_SCALE_MAX_INSTANCE_SIZE_FAIL_BASE"), 1);
    /* Members have what the document says, and usage follows them: three of M20 for so long, before and after three of M10. */
    assert_string_equal(
        asked(
            "SELECT string_agg(DISTINCT m.size || ' ' || m.cpus, ',') FROM cluster_member m JOIN cluster c ON c.id = m.cluster_id WHERE c.project_id = %s AND c.name = '%s'",
            &orders),
        "M10 0.5");
    assert_string_equal(
        asked(
            "SELECT string_agg(x.sku || ' ' || x.n || ' ' || x.is_open, ', ' ORDER BY x.sku, x.is_open) FROM (SELECT s.sku, s.ended_at IS NULL AS is_open, count(*) AS n FROM usage_span s JOIN cluster c ON c.id = s.cluster_id "
            "WHERE c.project_id = %s AND c.name = '%s' AND s.sku LIKE 'MEMBER%%' GROUP BY 1, 2) x",
            &orders),
        "MEMBER_M10 3 false, MEMBER_M10 3 true, MEMBER_M20 3 false");
    /* Nobody else's cluster moved. */
    assert_string_equal(size_of(&quiet), "M10");
    assert_int_equal(jobs_of(&quiet), 0);
    assert_int_equal(events_of(other_place, "COMPUTE_AUTO_SCALE_INITIATED_BASE"), 0);
    remove_scaled(&orders);
    remove_scaled(&quiet);
}

static void
disks_grow_before_they_are_full(void **state)
{
    (void)state;
    begin_time();
    struct scaled orders = new_scaled(new_place(), "orders", SCALES("M10", "M10", "M20"));
    live_alone(&orders, 12);
    orders.data_gb = 8.9; /* of 10 */
    live_alone(&orders, 8);
    assert_int_equal(disk_of(&orders), 10);
    orders.data_gb = 9.2;
    live_alone(&orders, 8);
    assert_int_equal(disk_of(&orders), 14);
    assert_string_equal(size_of(&orders), "M10");
    assert_int_equal(events_of(orders.place, "DISK_AUTO_SCALE_INITIATED"), 1);
    assert_int_equal(
        atoi(asked(
            "SELECT min(m.disk_gb) FROM cluster_member m JOIN cluster c ON c.id = m.cluster_id WHERE c.project_id = %s AND c.name = '%s'",
            &orders)),
        14);
    orders.data_gb = 3; /* nothing shrinks */
    live_alone(&orders, 80);
    assert_int_equal(disk_of(&orders), 14);
    assert_int_equal(jobs_of(&orders), 1);
    /* A change that says nothing of the disk leaves it as it is. */
    assert_asks(orders.place, "updateGroupCluster", "orders", document(NULL, SCALES("M20", "M10", "M20")), "OK");
    settle();
    assert_int_equal(disk_of(&orders), 20); /* the usual of M20 is more */
    assert_asks(orders.place, "updateGroupCluster", "orders", document(NULL, SCALES("M10", "M10", "M20")), "OK");
    settle();
    assert_int_equal(disk_of(&orders), 20);
    remove_scaled(&orders);
}

static void
what_is_not_measured_changes_nothing(void **state)
{
    (void)state;
    begin_time();
    struct scaled orders = new_scaled(new_place(), "orders", SCALES("M20", "M10", "M30"));
    orders.cpus = 0.01;
    live_alone(&orders, 30);
    orders.is_silent = true;
    live_alone(&orders, 60);
    assert_string_equal(size_of(&orders), "M20");
    assert_string_equal(found(&orders), "NOT_MEASURED NOT_MEASURED");
    orders.is_silent = false;
    live_alone(&orders, 40);
    assert_string_equal(size_of(&orders), "M20"); /* not yet an hour */
    /* With no store at all, and with stores that are away. */
    struct monitor_stores *both = monitor.stores;
    monitor.stores = NULL;
    test_now_ms += 2 * MINUTE;
    assert_sweeps();
    assert_string_equal(found(&orders), "NOT_MEASURED NOT_MEASURED");
    const char *nowhere[] = { "http://127.0.0.1:1" };
    monitor.stores = monitor_stores_new(nowhere, 1, &monitor_http);
    test_now_ms += 2 * MINUTE;
    {
        struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
        error problem = sweep(arena);
        assert_true(problem != OK && problem->code == MEASUREMENTS_UNAVAILABLE);
    }
    monitor_stores_free(monitor.stores);
    monitor.stores = both;
    live_alone(&orders, 25);
    assert_string_equal(size_of(&orders), "M10");
    remove_scaled(&orders);
}

static void
what_has_no_room_stays_and_says_so_once(void **state)
{
    (void)state;
    begin_time();
    struct scaled orders = new_scaled(new_place(), "orders", SCALES("M10", "M10", "M20"));
    fixture_ask("UPDATE host SET memory_mb = 1024");
    orders.cpus = 0.5;
    live_alone(&orders, 40);
    assert_string_equal(size_of(&orders), "M10");
    assert_string_equal(found(&orders), "NO_CAPACITY FITS");
    assert_int_equal(jobs_of(&orders), 0);
    assert_int_equal(events_of(orders.place, "COMPUTE_AUTO_SCALE_NO_CAPACITY"), 1);
    assert_int_equal(events_of(orders.place, "CLUSTER_UPDATE_SUBMITTED"), 0);
    assert_int_equal(
        atoi(asked(
            "SELECT count(*) FROM cluster_member m JOIN cluster c ON c.id = m.cluster_id WHERE c.project_id = %s AND c.name = '%s' AND m.size <> 'M10'",
            &orders)),
        0);
    fixture_ask("UPDATE host SET memory_mb = 8192"); /* the operator adds some */
    live_alone(&orders, 2);
    assert_string_equal(size_of(&orders), "M20");
    remove_scaled(&orders);
}

static void
policies_and_locks_hold_for_it_too(void **state)
{
    (void)state;
    begin_time();
    struct scaled orders = new_scaled(new_place(), "orders", SCALES("M10", "M10", "M30"));
    fixture_ask(
        "INSERT INTO resource (scope, kind, id, name, org_id, document) VALUES (%s, 'resourcePolicy', %s, 'small', %s, "
        "'{\"name\": \"small\", \"policies\": [{\"id\": \"r\", \"body\": \"$.replicationSpecs[*].regionConfigs[*].electableSpecs.instanceSize == \\\"M20\\\"\"}]}')",
        fixture_quote(orders.place.organization), fixture_quote(fixture_id(7777)),
        fixture_quote(orders.place.organization));
    orders.cpus = 0.5;
    live_alone(&orders, 20);
    assert_string_equal(found(&orders), "FORBIDDEN FITS");
    assert_string_equal(size_of(&orders), "M10");
    assert_int_equal(events_of(orders.place, "COMPUTE_AUTO_SCALE_FORBIDDEN"), 1);
    fixture_ask("DELETE FROM resource WHERE kind = 'resourcePolicy'");
    fixture_ask("UPDATE organization SET locked_at = now(), lock_reason = 'unpaid' WHERE id = %s",
                fixture_quote(orders.place.organization));
    live_alone(&orders, 5);
    assert_string_equal(found(&orders), "FORBIDDEN FITS");
    assert_int_equal(jobs_of(&orders), 0);
    fixture_ask("UPDATE organization SET locked_at = NULL, lock_reason = NULL WHERE id = %s",
                fixture_quote(orders.place.organization));
    live_alone(&orders, 2);
    assert_string_equal(size_of(&orders), "M20");
    remove_scaled(&orders);
}

/* A person's change counts as one: what was measured before it does not. Switching it on and off changes nothing on hosts, and gives nobody more looks. */
static void
a_persons_change_begins_the_time_anew(void **state)
{
    (void)state;
    begin_time();
    struct scaled orders = new_scaled(new_place(), "orders", SCALES("M10", "M10", "M30"));
    live_alone(&orders, 12);
    orders.cpus = 0.4;
    live_alone(&orders, 7);
    assert_asks(orders.place, "updateGroupCluster", "orders", document(NULL, SCALES("M10", "M10", "M20")), "OK");
    assert_int_equal(jobs_of(&orders), 0); /* only the bound */
    live_alone(&orders, 8);
    assert_string_equal(size_of(&orders), "M10");
    live_alone(&orders, 4);
    assert_string_equal(size_of(&orders), "M20");
    assert_asks(orders.place, "updateGroupCluster", "orders", document(NULL, SCALES("M20", "M10", "M20")), "OK");
    settle(); /* with the usual disk of that size */
    int before = jobs_of(&orders);
    for (int i = 0; i < 20; i++) {
        assert_asks(orders.place, "updateGroupCluster", "orders",
                    document(NULL, i % 2 == 0 ? REGION("A", "M20", 3) : SCALES("M20", "M10", "M20")), "OK");
        assert_sweeps();
    }
    assert_int_equal(jobs_of(&orders), before);
    int64_t looked_s = atoll(asked(
        "SELECT extract(epoch FROM s.looked_at)::bigint FROM cluster_scaling s JOIN cluster c ON c.id = s.cluster_id WHERE c.project_id = %s AND c.name = '%s'",
        &orders));
    assert_int_equal(looked_s, (test_now_ms + 16000) / 1000);
    /* Off is off. */
    assert_asks(orders.place, "updateGroupCluster", "orders", document(NULL, REGION("A", "M20", 3)), "OK");
    orders.cpus = 1;
    live_alone(&orders, 15);
    assert_string_equal(size_of(&orders), "M20");
    remove_scaled(&orders);
}

static void
a_cluster_that_is_not_at_rest_is_left_alone(void **state)
{
    (void)state;
    begin_time();
    struct scaled orders = new_scaled(new_place(), "orders", SCALES("M10", "M10", "M30"));
    orders.cpus = 0.5;
    live_alone(&orders, 9);
    const char *project = fixture_quote(orders.place.project);
    fixture_ask("UPDATE resource SET state = 'REPAIRING' WHERE scope = %s AND kind = 'cluster'", project);
    live_alone(&orders, 10);
    assert_string_equal(found(&orders), "CHANGING CHANGING");
    fixture_ask("UPDATE resource SET state = 'IDLE' WHERE scope = %s AND kind = 'cluster'",
                fixture_quote(orders.place.project));
    live_alone(&orders, 9);
    assert_int_equal(jobs_of(&orders), 0);
    assert_asks(orders.place, "updateGroupCluster", "orders", "{\"paused\": true}", "OK");
    settle();
    live_alone(&orders, 15);
    assert_int_equal(jobs_of(&orders), 0);
    assert_asks(orders.place, "updateGroupCluster", "orders", "{\"paused\": false}", "OK");
    settle();
    live_alone(&orders, 13);
    assert_int_equal(jobs_of(&orders), 1);
    remove_scaled(&orders);
}

/* Maintenance that waits for its window keeps a cluster from becoming smaller, but not from becoming larger. */
static void
maintenance_that_waits_lets_nothing_become_smaller(void **state)
{
    (void)state;
    begin_time();
    struct scaled orders = new_scaled(new_place(), "orders", SCALES("M20", "M10", "M30"));
    fixture_ask(
        "INSERT INTO job (id, org_id, project_id, kind, subject, subject_name, state, step, step_count, next_run_at) SELECT %s, c.org_id, c.project_id, 'later.version', c.id, c.name, 'RUNNING', "
        "'wait-window', 3, now() + interval '1 day' FROM cluster c WHERE c.project_id = %s",
        fixture_quote(fixture_id(7788)), fixture_quote(orders.place.project));
    orders.cpus = 0.01;
    for (int i = 0; i < 66; i++) {
        struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
        struct buf out = buf_in(arena, 1 << 20);
        test_now_ms += MINUTE;
        measure_minute(&out, &orders);
        put_and_show(&out);
        test_now_ms += 16000;
        assert_sweeps();
        test_now_ms -= 16000;
    }
    assert_string_equal(found(&orders), "MAINTENANCE_WAITS FITS");
    assert_int_equal(jobs_of(&orders), 0);
    fixture_ask("DELETE FROM job WHERE kind = 'later.version'");
    live_alone(&orders, 2);
    assert_string_equal(size_of(&orders), "M10");
    remove_scaled(&orders);
}

/* Two workers at once, and workers that are killed at each point: one change, with its events. */
static void
two_workers_and_dead_ones_order_once(void **state)
{
    static const char *const points[] = { "sweep:none", "scaling:order:before-effect=kill",
                                          "scaling:order:after-effect=kill", "scaling:order:after-commit=kill" };
    (void)state;
    begin_time();
    for (size_t p = 0; p < LENGTH(points); p++) {
        struct scaled orders = new_scaled(new_place(), "orders", SCALES("M10", "M10", "M20"));
        orders.cpus = 0.5;
        live_alone(&orders, 10);
        assert_int_equal(jobs_of(&orders), 0);
        struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
        struct buf out = buf_in(arena, 1 << 20);
        test_now_ms += MINUTE;
        measure_minute(&out, &orders);
        put_and_show(&out);
        test_now_ms += 16000;
        pid_t children[2];
        for (int i = 0; i < 2; i++) {
            children[i] = fork();
            if (children[i] != 0)
                continue;
            struct arena *own = arena_new(FIXTURE_ARENA_BYTES);
            struct store_config config = fixture_config();
            setenv(FAILPOINT_VARIABLE, points[p], 1);
            if (p > 0 && i == 0 && !failpoint_init(getenv(FAILPOINT_VARIABLE), stderr))
                _exit(3);
            struct monitor_stores *stores = monitor_stores_new(monitor.url_list, MONITOR_STORES, &monitor_http);
            struct job_environment environment = { .domain = "example.test", .monitor = stores, .now_ms = test_clock };
            struct sweep_context context = { store_new(&config), own, &environment };
            _exit(cluster_scaling_sweep.run(&context) == OK ? 0 : 1);
        }
        for (int i = 0; i < 2; i++)
            assert_int_equal(waitpid(children[i], NULL, 0), children[i]);
        settle();
        find_members(&orders);
        test_now_ms -= 16000;
        live_alone(&orders, 3);
        assert_string_equal(size_of(&orders), "M20");
        assert_int_equal(jobs_of(&orders), 1);
        assert_int_equal(events_of(orders.place, "COMPUTE_AUTO_SCALE_INITIATED_BASE"), 1);
        assert_int_equal(events_of(orders.place, "CLUSTER_UPDATE_SUBMITTED"), 1);
        remove_scaled(&orders);
    }
}

/* ---- Bounds that make no sense ---- */
static void
assert_refused(struct place place, const char *compute, const char *error_name, const char *says)
{
    char regions[1024];
    snprintf(
        regions, sizeof(regions),
        "{\"providerName\": \"P\", \"regionName\": \"A\", \"electableSpecs\": {\"instanceSize\": \"M20\", \"nodeCount\": 3}, \"autoScaling\": {\"compute\": %s}}",
        compute);
    assert_string_equal(ask(place, "createGroupCluster", "", document("x", regions)), error_name);
    if (strstr(last_detail, says) == NULL)
        fail_msg("%s: %s", compute, last_detail);
}

static void
bounds_that_make_no_sense_are_refused_with_what_to_change(void **state)
{
    (void)state;
    struct place place = new_place();
    assert_refused(place, "{\"enabled\": true}", "INVALID_ATTRIBUTE_VALUE", "name the largest size");
    assert_refused(place, "{\"enabled\": true, \"scaleDownEnabled\": true, \"maxInstanceSize\": \"M30\"}",
                   "INVALID_ATTRIBUTE_VALUE", "name the smallest size");
    assert_refused(place, "{\"scaleDownEnabled\": true, \"minInstanceSize\": \"M10\", \"maxInstanceSize\": \"M30\"}",
                   "INVALID_ATTRIBUTE_VALUE", "needs enabled");
    assert_refused(place, "{\"enabled\": true, \"maxInstanceSize\": \"M10\"}", "INVALID_ATTRIBUTE_VALUE",
                   "must not be smaller than instanceSize, which is M20");
    assert_refused(place, "{\"enabled\": true, \"minInstanceSize\": \"M30\", \"maxInstanceSize\": \"M30\"}",
                   "INVALID_ATTRIBUTE_VALUE", "must not be larger than instanceSize, which is M20");
    assert_refused(place, "{\"enabled\": true, \"minInstanceSize\": \"M30\", \"maxInstanceSize\": \"M20\"}",
                   "INVALID_ATTRIBUTE_VALUE", "must not be larger than maxInstanceSize");
    assert_refused(place, "{\"enabled\": false, \"minInstanceSize\": \"M30\", \"maxInstanceSize\": \"M20\"}",
                   "INVALID_ATTRIBUTE_VALUE", "must not be larger than maxInstanceSize");
    assert_refused(place, "{\"enabled\": true, \"maxInstanceSize\": \"M9000\"}", "INVALID_ATTRIBUTE_VALUE",
                   "offered are M10, M20, M30");
    assert_refused(place, "{\"enabled\": true, \"maxInstanceSize\": \"FLEX\"}", "INVALID_ATTRIBUTE_VALUE",
                   "offered are M10, M20, M30");
    assert_refused(place, "{\"enabled\": true, \"maxInstanceSize\": \"m30\"}", "INVALID_ATTRIBUTE_VALUE",
                   "offered are M10, M20, M30");
    assert_refused(place, "{\"enabled\": true, \"maxInstanceSize\": \"M30\", \"predictiveEnabled\": true}",
                   "NOT_OFFERED", "nothing is foretold");
    assert_refused(place, "{\"enabled\": 1, \"maxInstanceSize\": \"M30\"}", "INVALID_ATTRIBUTE_VALUE", "");
    assert_refused(place, "{\"enabled\": true, \"maxInstanceSize\": 99999999999999999999}", "INVALID_JSON", "");
    /* The same in every region; those that say nothing take what the others say. */
    assert_string_equal(
        ask(place, "createGroupCluster", "",
            document(
                "x",
                SCALES(
                    "M10", "M10",
                    "M20") ", {\"providerName\": \"P\", \"regionName\": \"B\", \"readOnlySpecs\": {\"instanceSize\": \"M10\"}, \"autoScaling\": {\"diskGB\": {\"enabled\": true}}}")),
        "INVALID_ATTRIBUTE_VALUE");
    assert_non_null(strstr(last_detail, "must be the same in all regions"));
    assert_string_equal(
        ask(place, "createGroupCluster", "",
            document(
                "x",
                "{\"providerName\": \"P\", \"regionName\": \"A\", \"electableSpecs\": {\"instanceSize\": \"M10\"}, \"analyticsAutoScaling\": {\"compute\": {\"enabled\": true}}}")),
        "NOT_OFFERED");
    assert_asks(
        place, "createGroupCluster", "",
        document(
            "x",
            SCALES(
                "M10", "M10",
                "M20") ", {\"providerName\": \"P\", \"regionName\": \"B\", \"readOnlySpecs\": {\"instanceSize\": \"M10\"}, \"analyticsAutoScaling\": {\"compute\": {\"enabled\": false}}}"),
        "OK");
    assert_string_equal(
        fixture_ask(
            "SELECT (r.document #> '{replicationSpecs,0,regionConfigs,0,autoScaling}' = r.document #> '{replicationSpecs,0,regionConfigs,1,autoScaling}')::text || ' ' || (r.document::text LIKE '%%analytics%%') FROM resource r WHERE r.name = 'x' AND r.scope = %s",
            fixture_quote(place.project)),
        "true false");
    settle();
    /* When the operator changes what a size is, a change of something else is not refused for it. */
    fixture_ask("UPDATE instance_size SET memory_mb = 512 WHERE name = 'M20'");
    assert_asks(place, "updateGroupCluster", "x", "{\"tags\": [{\"key\": \"a\", \"value\": \"b\"}]}", "OK");
    fixture_ask("UPDATE instance_size SET memory_mb = 2048 WHERE name = 'M20'");
    assert_asks(place, "deleteGroupCluster", "x", NULL, "OK");
    settle();
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
        cmocka_unit_test(bounds_that_make_no_sense_are_refused_with_what_to_change),
        cmocka_unit_test(sizes_follow_a_load_that_doubles_and_halves),
        cmocka_unit_test(disks_grow_before_they_are_full),
        cmocka_unit_test(what_is_not_measured_changes_nothing),
        cmocka_unit_test(what_has_no_room_stays_and_says_so_once),
        cmocka_unit_test(policies_and_locks_hold_for_it_too),
        cmocka_unit_test(a_persons_change_begins_the_time_anew),
        cmocka_unit_test(a_cluster_that_is_not_at_rest_is_left_alone),
        cmocka_unit_test(maintenance_that_waits_lets_nothing_become_smaller),
        cmocka_unit_test(two_workers_and_dead_ones_order_once),
    };
    cmocka_set_test_filter(getenv("ONLY"));
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
