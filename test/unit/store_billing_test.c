/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thirty days of clusters that come, grow, pause, move and go, on a clock of the test's own. Metering is ended in the middle again and
 * again: rolled back, its connection cut off, its process killed. What the invoices say at the end is what the clusters were there for,
 * to the second, counted here in another way.
 */
#include "sweep_fixture.h"

#include "store/billing/billing.h"

enum { ORG_A = 100, ORG_B = 200, MEMBERS = 40, HOUR_S = 3600, DAY_S = 24 * HOUR_S };

/* 2026-01-20: the month ends in the middle. */
static const int64_t epoch_s = 1768867200;
static int64_t clock_s;

static void
set_clock(int64_t now_s)
{
    clock_s = now_s;
    fixture_set_clock(now_s);
}

/* ---- What should come out, counted by this test ---- */
struct modelled {
    bool exists, runs;
    int organization; /* 0 or 1 */
    int size, disk;
};
static struct modelled model[MEMBERS];
static const char *const sizes[] = { "S", "L" };
static int64_t expected_member[2][2], expected_disk[2]; /* seconds of each organization by size; GB times seconds */

static void
pass(int64_t seconds)
{
    for (int i = 0; i < MEMBERS; i++) {
        const struct modelled *m = &model[i];
        if (m->exists)
            expected_disk[m->organization] += m->disk * seconds;
        if (m->exists && m->runs)
            expected_member[m->organization][m->size] += seconds;
    }
    set_clock(clock_s + seconds);
}

static uint32_t
draw(uint32_t below)
{
    static uint64_t state = 20260120;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}

static const char *
member_id(int number)
{
    return fixture_quote(fixture_id(5000 + (uint32_t)number));
}

/* One change of one member, by plain statements: whoever changes a member is metered. */
static void
change_something(void)
{
    int number = (int)draw(MEMBERS);
    struct modelled *m = &model[number];
    if (!m->exists) {
        int organization = (int)draw(2);
        *m = (struct modelled){ true, true, organization, (int)draw(2), (int)draw(50) + 1 };
        fixture_ask(
            "INSERT INTO cluster_member (id, org_id, cluster_id, host_id, ordinal, size, cpus, memory_mb, disk_gb) "
            "VALUES (%s, %s, %s, %s, %d, '%s', 1, 1, %d)",
            member_id(number), fixture_quote(fixture_id(organization == 0 ? ORG_A : ORG_B)),
            fixture_quote(fixture_id(organization == 0 ? ORG_A + 2 : ORG_B + 2)), fixture_quote(fixture_id(1)), number,
            sizes[m->size], m->disk);
        return;
    }
    switch (draw(6)) {
    case 0:
        fixture_ask("DELETE FROM cluster_member WHERE id = %s", member_id(number));
        m->exists = false;
        break;
    case 1:
        m->size = !m->size;
        fixture_ask("UPDATE cluster_member SET size = '%s' WHERE id = %s", sizes[m->size], member_id(number));
        break;
    case 2:
        m->disk = (int)draw(50) + 1;
        fixture_ask("UPDATE cluster_member SET disk_gb = %d WHERE id = %s", m->disk, member_id(number));
        break;
    case 3:
        m->runs = !m->runs;
        fixture_ask("UPDATE cluster_member SET desired = '%s' WHERE id = %s", m->runs ? "RUNNING" : "STOPPED",
                    member_id(number));
        break;
    case 4: /* to be removed, and as it was until it is gone */
        fixture_ask("UPDATE cluster_member SET desired = 'REMOVED' WHERE id = %s", member_id(number));
        pass(17);
        fixture_ask("DELETE FROM cluster_member WHERE id = %s", member_id(number));
        m->exists = false;
        break;
    default: /* rolled back: as if it had never been */
        fixture_ask("BEGIN");
        fixture_ask("DELETE FROM cluster_member WHERE id = %s", member_id(number));
        fixture_ask("ROLLBACK");
    }
}

/* ---- Metering, ended in the middle ---- */

static bool
step(int organization, bool commits)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    bool did_something;
    id whose = fixture_id((uint32_t)organization);
    assert_ok(tx_begin(store, arena, whose, &tx));
    assert_ok(store_billing_step(tx, whose, &did_something));
    if (commits)
        assert_ok(tx_commit(tx));
    return did_something;
}

/* Its connection goes away between the step and its commit. */
static void
step_and_lose_the_connection(int organization)
{
    char digits[ID_DIGITS + 1], text[256];
    PGconn *pg = fixture_connect(fixture_dsn);
    id_write(fixture_id((uint32_t)organization), digits);
    snprintf(text, sizeof(text), "BEGIN; SET LOCAL reeve.organization = '%s'", digits);
    fixture_ask_on(pg, text);
    snprintf(text, sizeof(text), "SELECT outcome FROM billing_step('\\x%s', '\\x%s', billing_now(), 3)", digits,
             digits);
    fixture_ask_on(pg, text);
    fixture_ask("SELECT pg_terminate_backend(%d)", PQbackendPID(pg));
    PQfinish(pg);
}

static int crashed_steps;

/* Until nothing is left to do: each step is done by a process that dies before it commits, and once more by one that dies after it. */
static void
meter_with_crashes_at_every_step(void)
{
    while (fixture_is_killed("sweep:billing:step=kill")) {
        assert_true(fixture_is_killed("sweep:billing:committed=kill"));
        crashed_steps++;
    }
}

static void
meter(void)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct job_environment environment = { 0 };
    struct sweep_context context = { store, arena, &environment };
    int organization = draw(2) == 0 ? ORG_A : ORG_B;
    switch (draw(8)) {
    case 0:
    case 1: step(organization, false); break;
    case 2: step_and_lose_the_connection(organization); break;
    case 3:
        if (draw(10) == 0)
            meter_with_crashes_at_every_step();
        break;
    case 4: step(organization, true); break;
    case 5: return; /* nobody meters for a while */
    default: assert_ok(billing_sweep.run(&context)); break;
    }
}

/* ---- What is on invoices ---- */

static int64_t
number(const char *text)
{
    int64_t value = -1;
    assert_true(str_to_int(str_from(text), INT64_MIN, INT64_MAX, &value));
    return value;
}

static int64_t
billed(int organization, const char *sku)
{
    return number(
        fixture_ask("SELECT coalesce(sum(seconds), 0)::bigint FROM invoice_line WHERE org_id = %s AND sku = '%s'",
                    fixture_quote(fixture_id((uint32_t)organization)), sku));
}

static void
assert_all_is_billed(void)
{
    static const int organizations[] = { ORG_A, ORG_B };
    for (int o = 0; o < 2; o++) {
        assert_int_equal(billed(organizations[o], "MEMBER_S"), expected_member[o][0]);
        assert_int_equal(billed(organizations[o], "MEMBER_L"), expected_member[o][1]);
        assert_int_equal(billed(organizations[o], "DISK_GB"), expected_disk[o]);
        assert_true(expected_member[o][0] > 0 && expected_member[o][1] > 0);
    }
    /* Neither a gap nor an overlap within a member's life, and nothing that is not billed. */
    assert_string_equal(
        fixture_ask("SELECT count(*) FROM usage_span a JOIN usage_span b USING (member_id, unit) WHERE a.id < b.id "
                    "AND tstzrange(a.began_at, a.ended_at) && tstzrange(b.began_at, b.ended_at)"),
        "0");
    assert_string_equal(fixture_ask("SELECT count(*) FROM usage_span WHERE billed_until IS DISTINCT FROM "
                                    "coalesce(ended_at, billing_hour(billing_now()))"),
                        "0");
}

static const char *
closed_invoices(void)
{
    return fixture_ask(
        "SELECT md5(coalesce(string_agg(i::text || l::text, ',' ORDER BY l.day, l.cluster_id, l.sku, l.microcents, i.id), "
        "'')) FROM invoice i JOIN invoice_line l ON l.invoice_id = i.id WHERE i.ends_at <= '2026-02-01'");
}

/* ---- Tests ---- */

static const char *
count_closed(void)
{
    return fixture_ask("SELECT count(*) FROM invoice WHERE status <> 'PENDING'");
}

/* The hour behind January is over, and its invoices are closed by processes that die at it. */
static void
close_january(char ret_hash[64])
{
    int before = crashed_steps;
    assert_string_equal(count_closed(), "0");
    meter_with_crashes_at_every_step();
    assert_string_equal(count_closed(), "2");
    assert_true(crashed_steps - before >= 4); /* of each organization: what is left of the month, and the closing */
    snprintf(ret_hash, 64, "%s", closed_invoices());
}

static void
thirty_days_are_billed_to_the_second(void **state)
{
    (void)state;
    const int64_t january_closes_s = 1769907600; /* 2026-02-01 01:00 */
    char january[64] = "";
    set_clock(epoch_s);
    while (clock_s < epoch_s + 30 * DAY_S) {
        for (uint32_t changes = draw(3); changes > 0; changes--) {
            change_something();
            pass((int64_t)draw(HOUR_S));
        }
        pass((int64_t)draw(2 * HOUR_S));
        if (january[0] == '\0' && clock_s >= january_closes_s)
            close_january(january);
        meter();
        if (january[0] != '\0')
            assert_string_equal(closed_invoices(), january);
    }
    assert_true(crashed_steps > 12);
    /* Everything ends, and the last hour with it. */
    for (int i = 0; i < MEMBERS; i++)
        model[i].exists = false;
    fixture_ask("DELETE FROM cluster_member");
    set_clock((clock_s / HOUR_S + 1) * HOUR_S);
    while (step(ORG_A, true) || step(ORG_B, true)) {}
    assert_all_is_billed();
    assert_true(january[0] != '\0');
    assert_string_equal(closed_invoices(), january);
    assert_string_equal(
        fixture_ask("SELECT string_agg(began_at::date || ' ' || status, ',' ORDER BY began_at) FROM invoice "
                    "WHERE org_id = %s",
                    fixture_quote(fixture_id(ORG_A))),
        "2026-01-01 CLOSED,2026-02-01 PENDING");
    /* Each closing has one event. */
    assert_string_equal(fixture_ask("SELECT count(*) FROM event WHERE type = 'INVOICE_CLOSED'"), "2");
}

static void
lines_add_up_to_the_invoice(void **state)
{
    (void)state;
    assert_string_equal(fixture_ask("SELECT count(*) FROM invoice i WHERE invoice_cents(i) <> "
                                    "(SELECT sum(l.cents) FROM invoice_line_priced l WHERE l.invoice_id = i.id)"),
                        "0");
    assert_true(number(fixture_ask("SELECT min(invoice_cents(i)) FROM invoice i")) > 0);
    /* Once rounded, the sum is that of exact numbers. */
    assert_string_equal(
        fixture_ask("SELECT count(*) FROM invoice i WHERE invoice_cents(i) <> (SELECT round(sum(l.seconds::numeric * "
                    "l.microcents / 3600) / 1000000) FROM invoice_line l WHERE l.invoice_id = i.id)"),
        "0");
}

static void
a_closed_invoice_never_changes(void **state)
{
    (void)state;
    static const char *const attempts[] = {
        "UPDATE invoice SET subtotal_cents = 0 WHERE status <> 'PENDING'",
        "UPDATE invoice SET status = 'PENDING', closed_at = NULL, subtotal_cents = NULL WHERE status <> 'PENDING'",
        "DELETE FROM invoice WHERE status <> 'PENDING'",
        "UPDATE invoice_line l SET seconds = seconds + 1 FROM invoice i WHERE i.id = l.invoice_id AND i.status <> 'PENDING'",
        "DELETE FROM invoice_line l USING invoice i WHERE i.id = l.invoice_id AND i.status <> 'PENDING'",
        "UPDATE invoice_line l SET invoice_id = c.id FROM invoice i, invoice c WHERE i.id = l.invoice_id AND i.status = 'PENDING' "
        "AND c.status <> 'PENDING' AND c.org_id = i.org_id",
        "INSERT INTO invoice_line SELECT i.id, l.org_id, l.project_id, '', l.cluster_id, '', 'X', l.day, 0, 1, now() "
        "FROM invoice_line l JOIN invoice i ON i.org_id = l.org_id AND i.status <> 'PENDING' LIMIT 1",
        "TRUNCATE invoice_line",
        "TRUNCATE invoice CASCADE",
    };
    for (size_t i = 0; i < LENGTH(attempts); i++) {
        PGresult *result = PQexec(fixture_owner, attempts[i]);
        const char *code = PQresultErrorField(result, PG_DIAG_SQLSTATE);
        if (code == NULL || strcmp(code, "23001") != 0)
            fail_msg("%s: %s", attempts[i], code == NULL ? "it worked" : PQerrorMessage(fixture_owner));
        PQclear(result);
    }
}

/* A transaction that began before an hour was billed, and ends a member with a moment that lies in it. */
static void
time_that_was_billed_is_over(void **state)
{
    (void)state;
    int64_t before = billed(ORG_A, "MEMBER_S");
    int64_t from = clock_s;
    fixture_ask("INSERT INTO cluster_member (id, org_id, cluster_id, host_id, ordinal, size, cpus, memory_mb, disk_gb) "
                "VALUES (%s, %s, %s, %s, 99, 'S', 1, 1, 1)",
                member_id(99), fixture_quote(fixture_id(ORG_A)), fixture_quote(fixture_id(ORG_A + 2)),
                fixture_quote(fixture_id(1)));
    set_clock(from + 2 * HOUR_S);
    while (step(ORG_A, true)) {}
    set_clock(from + HOUR_S + 1800); /* the clock goes back */
    fixture_ask("UPDATE cluster_member SET desired = 'STOPPED' WHERE id = %s", member_id(99));
    fixture_ask("UPDATE cluster_member SET desired = 'RUNNING' WHERE id = %s", member_id(99));
    set_clock(from + 3 * HOUR_S);
    fixture_ask("DELETE FROM cluster_member WHERE id = %s", member_id(99));
    while (step(ORG_A, true)) {}
    assert_int_equal(billed(ORG_A, "MEMBER_S") - before, 3 * HOUR_S);
}

/* What comes in after a month was closed is on the next invoice, and not lost. */
static void
what_comes_late_is_on_the_next_invoice(void **state)
{
    (void)state;
    fixture_ask(
        "INSERT INTO usage_span (org_id, project_id, project_name, cluster_id, cluster_name, member_id, unit, sku, amount, "
        "began_at, ended_at, billed_until) VALUES (%s, %s, 'p', %s, 'c', %s, 'MEMBER', 'MEMBER_LATE', 1, "
        "'2026-01-31 23:59:50+00', '2026-02-01 00:00:05+00', '2026-01-31 23:59:50+00')",
        fixture_quote(fixture_id(ORG_A)), fixture_quote(fixture_id(ORG_A + 1)), fixture_quote(fixture_id(ORG_A + 2)),
        member_id(77));
    while (step(ORG_A, true)) {}
    assert_string_equal(
        fixture_ask(
            "SELECT string_agg(l.day || ' ' || l.seconds || ' ' || i.status, ',' ORDER BY l.day) FROM invoice_line l "
            "JOIN invoice i ON i.id = l.invoice_id WHERE l.sku = 'MEMBER_LATE'"),
        "2026-01-31 10 PENDING,2026-02-01 5 PENDING");
}

static void
a_project_that_moves_is_paid_for_by_both(void **state)
{
    (void)state;
    int64_t a = billed(ORG_A, "MEMBER_S"), b = billed(ORG_B, "MEMBER_S"), from = clock_s;
    fixture_ask("INSERT INTO cluster_member (id, org_id, cluster_id, host_id, ordinal, size, cpus, memory_mb, disk_gb) "
                "VALUES (%s, %s, %s, %s, 98, 'S', 1, 1, 1)",
                member_id(98), fixture_quote(fixture_id(ORG_A)), fixture_quote(fixture_id(ORG_A + 2)),
                fixture_quote(fixture_id(1)));
    set_clock(from + 100);
    fixture_ask("UPDATE project SET org_id = %s WHERE id = %s", fixture_quote(fixture_id(ORG_B)),
                fixture_quote(fixture_id(ORG_A + 1)));
    set_clock(from + 150);
    fixture_ask("DELETE FROM cluster_member WHERE id = %s", member_id(98));
    set_clock(from + 2 * HOUR_S);
    while (step(ORG_A, true) || step(ORG_B, true)) {}
    assert_int_equal(billed(ORG_A, "MEMBER_S") - a, 100);
    assert_int_equal(billed(ORG_B, "MEMBER_S") - b, 50);
}

static void
nobody_bills_another(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    bool did_something;
    assert_ok(tx_begin(store, arena, fixture_id(ORG_A), &tx));
    assert_fails(store_billing_step(tx, fixture_id(ORG_B), &did_something), INTERNAL_ERROR);
}

/* A price counts from the next hour on, whenever the hour is billed. */
static void
a_new_price_is_in_force_from_the_next_hour(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    int64_t changes, from = clock_s / HOUR_S * HOUR_S;
    set_clock(from);
    fixture_ask("INSERT INTO cluster_member (id, org_id, cluster_id, host_id, ordinal, size, cpus, memory_mb, disk_gb) "
                "VALUES (%s, %s, %s, %s, 97, 'XL', 1, 1, 1)",
                member_id(97), fixture_quote(fixture_id(ORG_B)), fixture_quote(fixture_id(ORG_B + 2)),
                fixture_quote(fixture_id(1)));
    set_clock(from + 1800);
    str items = STR("[{\"id\": \"MEMBER_XL\", \"description\": \"d\", \"microcents\": 700}]");
    assert_ok(store_price_list_set(store, arena, items, &changes));
    assert_true(changes > 0);
    assert_ok(store_price_list_set(store, arena, items, &changes));
    assert_int_equal(changes, 0);
    set_clock(from + 2 * HOUR_S);
    assert_ok(store_price_list_set(store, arena, STR("[]"), &changes));
    set_clock(from + 4 * HOUR_S);
    fixture_ask("DELETE FROM cluster_member WHERE id = %s", member_id(97));
    while (step(ORG_B, true)) {}
    assert_string_equal(
        fixture_ask("SELECT string_agg(p || ' ' || s, ',' ORDER BY p) FROM (SELECT microcents, sum(seconds) "
                    "FROM invoice_line WHERE sku = 'MEMBER_XL' GROUP BY 1) t(p, s)"),
        "0 7200,700 7200");
    assert_string_equal(fixture_ask("SELECT count(*) FROM sku WHERE offered"), "0");
}

/* ---- Tags ---- */

static const char *
tagged(uint32_t organization)
{
    return fixture_ask(
        "SELECT string_agg(said, ' ' ORDER BY said) FROM (SELECT l.tags::text || '=' || sum(l.seconds) AS said "
        "FROM invoice_line l WHERE l.sku = 'MEMBER_TAGGED' AND l.org_id = %s GROUP BY l.tags) t",
        fixture_quote(fixture_id(organization)));
}

static void
tag(const char *kind, uint32_t number, const char *tags)
{
    const char *owner = fixture_quote(fixture_id(number));
    if (strcmp(kind, "project") == 0)
        fixture_ask("UPDATE project SET settings = settings || '{\"tags\": %s}' WHERE id = %s", tags, owner);
    else
        fixture_ask("UPDATE resource SET document = document || '{\"tags\": %s}' WHERE id = %s", tags, owner);
}

/* A line says what was true in its hour: the cluster's own tags and its project's, from the next full hour on. */
static void
tags_count_from_the_next_hour(void **state)
{
    (void)state;
    enum { PROJECT = 301, CLUSTER = 302 };
    int64_t from = (clock_s / HOUR_S + 1) * HOUR_S;
    set_clock(from + 60);
    fixture_add_project(fixture_id(PROJECT), fixture_id(ORG_A));
    tag("project", PROJECT, "[{\"key\": \"late\", \"value\": \"by an hour\"}]");
    fixture_ask(
        "INSERT INTO cluster (id, org_id, project_id, name, set_name, major_version) VALUES (%s, %s, %s, 't', 'set009', '17')",
        fixture_quote(fixture_id(CLUSTER)), fixture_quote(fixture_id(ORG_A)), fixture_quote(fixture_id(PROJECT)));
    fixture_ask("INSERT INTO resource (scope, kind, id, name, org_id, document) VALUES (%s, 'cluster', %s, 't', %s, "
                "'{\"tags\": [{\"key\": \"a\", \"value\": \"new\"}]}')",
                fixture_quote(fixture_id(PROJECT)), fixture_quote(fixture_id(CLUSTER)),
                fixture_quote(fixture_id(ORG_A)));
    fixture_ask("INSERT INTO cluster_member (id, org_id, cluster_id, host_id, ordinal, size, cpus, memory_mb, disk_gb) "
                "VALUES (%s, %s, %s, %s, 0, 'TAGGED', 1, 1, 1)",
                member_id(96), fixture_quote(fixture_id(ORG_A)), fixture_quote(fixture_id(CLUSTER)),
                fixture_quote(fixture_id(1)));
    /* Within the hour it is said three ways; the last holds from the next one on. */
    tag("cluster", CLUSTER, "[{\"key\": \"a\", \"value\": \"never\"}]");
    set_clock(from + 1800);
    tag("cluster", CLUSTER, "[]");
    tag("cluster", CLUSTER, "[{\"key\": \"late\", \"value\": \"as well\"}, {\"key\": \"b\", \"value\": \"2\"}]");
    set_clock(from + HOUR_S + 10);
    tag("project", PROJECT, "[]");
    tag("cluster", CLUSTER, "[]");
    set_clock(from + 3 * HOUR_S);
    while (step(ORG_A, true)) {}
    assert_string_equal(
        tagged(ORG_A),
        "{\"a\": [\"new\"]}=3540 {\"b\": [\"2\"], \"late\": [\"as well\", \"by an hour\"]}=3600 {}=3600");

    /* It moves: what its new organization says of it is on no line of the old one. */
    tag("project", PROJECT, "[{\"key\": \"of\", \"value\": \"a\"}]");
    set_clock(from + 4 * HOUR_S + 600);
    fixture_ask("UPDATE project SET org_id = %s WHERE id = %s", fixture_quote(fixture_id(ORG_B)),
                fixture_quote(fixture_id(PROJECT)));
    fixture_ask("UPDATE resource SET org_id = %s WHERE id = %s", fixture_quote(fixture_id(ORG_B)),
                fixture_quote(fixture_id(CLUSTER)));
    tag("project", PROJECT, "[{\"key\": \"of\", \"value\": \"b\"}]");
    assert_string_equal(fixture_ask("SELECT count(*) FROM usage_tags WHERE org_id = %s AND owner_id = %s",
                                    fixture_quote(fixture_id(ORG_A)), fixture_quote(fixture_id(PROJECT))),
                        "0");
    set_clock(from + 5 * HOUR_S);
    fixture_ask("DELETE FROM resource WHERE id = %s", fixture_quote(fixture_id(CLUSTER)));
    set_clock(from + 6 * HOUR_S);
    fixture_ask("DELETE FROM cluster_member WHERE id = %s", member_id(96));
    while (step(ORG_A, true) || step(ORG_B, true)) {}
    assert_string_equal(tagged(ORG_A),
                        "{\"a\": [\"new\"]}=3540 {\"b\": [\"2\"], \"late\": [\"as well\", \"by an hour\"]}=3600 "
                        "{\"of\": [\"a\"]}=600 {}=7200");
    assert_string_equal(tagged(ORG_B), "{\"of\": [\"a\"]}=3000 {\"of\": [\"b\"]}=3600");

    /* Fifty long ones: those whose keys come first, up to the bound. */
    tag("project", PROJECT, "[]");
    fixture_ask(
        "UPDATE project SET settings = jsonb_build_object('tags', (SELECT jsonb_agg(jsonb_build_object('key', chr(65 + n) || repeat('k', 254), "
        "'value', repeat('v', 255))) FROM generate_series(0, 49) n)) WHERE id = %s",
        fixture_quote(fixture_id(PROJECT)));
    assert_string_equal(
        fixture_ask(
            "SELECT count(*) || ' ' || min(left(k, 1)) || max(left(k, 1)) FROM jsonb_object_keys(usage_tags_at('', %s, "
            "billing_now() + interval '1 hour')) k",
            fixture_quote(fixture_id(PROJECT))),
        "3 AC");
    assert_string_equal(fixture_ask("SELECT count(*) FROM invoice i WHERE invoice_cents(i) <> "
                                    "(SELECT sum(l.cents) FROM invoice_line_priced l WHERE l.invoice_id = i.id)"),
                        "0");
}

/* ---- */

static int
set_up(void **state)
{
    if (open_store(state) != 0)
        return -1;
    fixture_make_clock(epoch_s);
    fixture_ask("INSERT INTO provider VALUES ('P')");
    fixture_ask("INSERT INTO region VALUES ('P', 'R')");
    fixture_ask(
        "INSERT INTO instance_size VALUES ('S', 1, 1, 1, 1, 1), ('L', 1, 1, 1, 1, 2), ('XL', 1, 1, 1, 1, 3), ('TAGGED', 1, 1, 1, 1, 4)");
    fixture_ask("INSERT INTO host (id, name, provider, region, zone, cpus, memory_mb, disk_gb) "
                "VALUES (%s, 'h', 'P', 'R', 'z', 99, 99, 99)",
                fixture_quote(fixture_id(1)));
    for (int i = 0; i < 2; i++) {
        uint32_t base = i == 0 ? ORG_A : ORG_B;
        fixture_add_organization(fixture_id(base));
        fixture_add_project(fixture_id(base + 1), fixture_id(base));
        fixture_ask("INSERT INTO cluster (id, org_id, project_id, name, set_name, major_version) "
                    "VALUES (%s, %s, %s, 'c', 'set00%d', '17')",
                    fixture_quote(fixture_id(base + 2)), fixture_quote(fixture_id(base)),
                    fixture_quote(fixture_id(base + 1)), i);
    }
    fixture_ask("INSERT INTO sku VALUES ('MEMBER_S', 's', true), ('MEMBER_L', 'l', true), ('DISK_GB', 'd', true)");
    fixture_ask(
        "INSERT INTO price VALUES ('MEMBER_S', '2026-01-01 00:00+00', 1234567), ('MEMBER_L', '2026-01-01 00:00+00', 9876543), "
        "('MEMBER_L', '2026-01-25 07:00+00', 11111111), ('DISK_GB', '2026-01-01 00:00+00', 13700)");
    return 0;
}

int
main(int argc, char **argv)
{
    int status;
    struct job_environment environment = { 0 };
    if (fixture_is_sweeper(argc, argv, &billing_sweep, &environment, &status))
        return status;
    json_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thirty_days_are_billed_to_the_second),
        cmocka_unit_test(lines_add_up_to_the_invoice),
        cmocka_unit_test(a_closed_invoice_never_changes),
        cmocka_unit_test(time_that_was_billed_is_over),
        cmocka_unit_test(what_comes_late_is_on_the_next_invoice),
        cmocka_unit_test(a_project_that_moves_is_paid_for_by_both),
        cmocka_unit_test(nobody_bills_another),
        cmocka_unit_test(a_new_price_is_in_force_from_the_next_hour),
        cmocka_unit_test(tags_count_from_the_next_hour),
    };
    return cmocka_run_group_tests(tests, set_up, close_store);
}
