/* SPDX-License-Identifier: Apache-2.0 */
/* Totals and page anchors: exact whatever changed the list and who else did at the same time, and as cheap at the end of
 * a long list as at its beginning. */
#include "store_fixture.h"

#include <pthread.h>

#include "base/clock.h"

enum { ORGANIZATION = 1, SCOPE = 2, OTHER_SCOPE = 3 };
static const char page[] =
    "SELECT count(*), (array_agg(encode(x.id, 'hex')))[1] FROM list_start(%s, 'thing', %lld) s CROSS JOIN LATERAL ("
    "SELECT r.id FROM resource r WHERE r.scope = %s AND r.kind = 'thing' AND r.id >= s.anchor ORDER BY r.id "
    "OFFSET s.skip LIMIT %d) x";

static void
add_things(PGconn *pg, id scope, const char *ids_query)
{
    char text[1024];
    snprintf(text, sizeof(text),
             "INSERT INTO resource (scope, kind, id, name, org_id, document) "
             "SELECT %s, 'thing', i.id, encode(i.id, 'hex'), %s, '{}' FROM (%s) i (id)",
             fixture_quote(scope), fixture_quote(fixture_id(ORGANIZATION)), ids_query);
    fixture_ask_on(pg, text);
}

/* Compares the total, the sums of both levels, every segment, and the row at every n-th offset with what counting and
 * skipping says. */
static void
assert_exact(id scope)
{
    const char *s = fixture_quote(scope);
    assert_string_equal(
        fixture_ask("SELECT coalesce((SELECT total FROM list_counter WHERE scope = %s AND kind = 'thing'), 0) - "
                    "(SELECT count(*) FROM resource WHERE scope = %s AND kind = 'thing')",
                    s, s),
        "0");
    assert_string_equal(
        fixture_ask("SELECT coalesce((SELECT sum(n) FROM list_block WHERE scope = %s AND kind = 'thing'), 0) - "
                    "(SELECT count(*) FROM resource WHERE scope = %s AND kind = 'thing')",
                    s, s),
        "0");
    /* Each segment and each block against the rows between its anchor and the next. */
    for (int level = 0; level < 2; level++) {
        const char *table = level == 0 ? "list_segment" : "list_block";
        assert_string_equal(
            fixture_ask(
                "SELECT count(*) FROM (SELECT anchor, n, lead(anchor) OVER (ORDER BY anchor) AS next FROM %s "
                "WHERE scope = %s AND kind = 'thing') p WHERE n <> (SELECT count(*) FROM resource r WHERE r.scope = %s "
                "AND r.kind = 'thing' AND r.id >= p.anchor AND (p.next IS NULL OR r.id < p.next))",
                table, s, s),
            "0");
    }
    assert_string_equal(fixture_ask("SELECT count(*) FROM list_segment WHERE scope = %s AND n > 64", s), "0");
    assert_string_equal(
        fixture_ask("SELECT count(*) FROM list_block b WHERE scope = %s AND NOT EXISTS (SELECT FROM "
                    "list_segment s WHERE s.scope = b.scope AND s.kind = b.kind AND s.anchor = b.anchor)",
                    s),
        "0");
    /* Every page boundary. */
    assert_string_equal(
        fixture_ask(
            "WITH numbered AS (SELECT r.id, row_number() OVER (ORDER BY r.id) - 1 AS at FROM resource r "
            "WHERE r.scope = %s AND r.kind = 'thing') "
            "SELECT count(*) FROM numbered n WHERE n.at %% 37 = 0 AND n.id IS DISTINCT FROM (SELECT x.id FROM "
            "list_start(%s, 'thing', n.at) s CROSS JOIN LATERAL (SELECT r.id FROM resource r WHERE r.scope = %s AND "
            "r.kind = 'thing' AND r.id >= s.anchor ORDER BY r.id OFFSET s.skip LIMIT 1) x)",
            s, s, s),
        "0");
}

static void
list_stays_exact_through_single_and_bulk_changes(void **state)
{
    (void)state;
    id scope = fixture_id(SCOPE);
    assert_exact(scope);
    add_things(fixture_owner, scope,
               "SELECT decode(lpad(to_hex(i * 16), 24, '0'), 'hex') FROM generate_series(1, 1) i");
    assert_exact(scope);
    add_things(fixture_owner, scope,
               "SELECT decode(lpad(to_hex(i * 16), 24, '0'), 'hex') FROM generate_series(2, 16000) i");
    assert_exact(scope);
    assert_string_equal(fixture_ask("SELECT count(*) > 1 FROM list_block WHERE scope = %s", fixture_quote(scope)), "t");
    /* Into the middle, so that full segments and blocks split there. */
    add_things(fixture_owner, scope,
               "SELECT decode(lpad(to_hex(i * 16 + j), 24, '0'), 'hex') "
               "FROM generate_series(7000, 7800) i, generate_series(1, 9) j");
    assert_exact(scope);
    /* One by one, at the end and at the beginning. */
    for (int i = 0; i < 450; i++) {
        char ids[128];
        snprintf(ids, sizeof(ids), "SELECT decode(lpad(to_hex(%d), 24, '0'), 'hex')",
                 i % 2 == 0 ? 9000000 + i : 15 - i % 15);
        if (i % 2 == 0 || i < 15)
            add_things(fixture_owner, scope, ids);
    }
    assert_exact(scope);
    /* Holes of all sizes. */
    const char *s = fixture_quote(scope);
    fixture_ask("DELETE FROM resource WHERE scope = %s AND id BETWEEN decode(lpad(to_hex(60000), 24, '0'), 'hex') AND "
                "decode(lpad(to_hex(180000), 24, '0'), 'hex')",
                s);
    assert_exact(scope);
    fixture_ask("DELETE FROM resource WHERE scope = %s AND get_byte(id, 11) > 20", s);
    assert_exact(scope);
    add_things(fixture_owner, scope,
               "SELECT decode(lpad(to_hex(100000 + i), 24, '0'), 'hex') FROM generate_series(1, 3000) i");
    assert_exact(scope);
    fixture_ask("DELETE FROM resource WHERE scope = %s AND id < decode(lpad(to_hex(103000), 24, '0'), 'hex')", s);
    assert_exact(scope);
    fixture_ask("DELETE FROM resource WHERE scope = %s", s);
    assert_exact(scope);
    assert_string_equal(fixture_ask("SELECT (SELECT count(*) FROM list_counter WHERE scope = %s) + "
                                    "(SELECT count(*) FROM list_segment WHERE scope = %s) + "
                                    "(SELECT count(*) FROM list_block WHERE scope = %s)",
                                    s, s, s),
                        "0");
}

static void
rolled_back_change_does_not_count(void **state)
{
    (void)state;
    id scope = fixture_id(SCOPE);
    add_things(fixture_owner, scope, "SELECT decode(lpad(to_hex(i), 24, '0'), 'hex') FROM generate_series(1, 150) i");
    fixture_ask("BEGIN");
    add_things(fixture_owner, scope, "SELECT decode(lpad(to_hex(i), 24, '0'), 'hex') FROM generate_series(151, 900) i");
    fixture_ask("DELETE FROM resource WHERE scope = %s AND get_byte(id, 11) < 50", fixture_quote(scope));
    fixture_ask("ROLLBACK");
    assert_exact(scope);
    fixture_ask("DELETE FROM resource WHERE scope = %s", fixture_quote(scope));
}

static void
projects_are_counted_and_follow_a_move(void **state)
{
    (void)state;
    id a = fixture_id(40), b = fixture_id(41);
    fixture_add_organization(a);
    fixture_add_organization(b);
    for (uint32_t i = 0; i < 3; i++)
        fixture_add_project(fixture_id(50 + i), a);
    static const char total[] =
        "SELECT coalesce((SELECT total FROM list_counter WHERE scope = %s AND kind = 'project'), 0)";
    assert_string_equal(fixture_ask(total, fixture_quote(a)), "3");
    fixture_ask("UPDATE project SET org_id = %s WHERE id = %s", fixture_quote(b), fixture_quote(fixture_id(51)));
    assert_string_equal(fixture_ask(total, fixture_quote(a)), "2");
    assert_string_equal(fixture_ask(total, fixture_quote(b)), "1");
    fixture_ask("UPDATE project SET name = 'other' WHERE id = %s", fixture_quote(fixture_id(51)));
    fixture_ask("DELETE FROM project WHERE org_id = %s", fixture_quote(b));
    assert_string_equal(fixture_ask(total, fixture_quote(b)), "0");
    assert_string_equal(fixture_ask(total, fixture_quote(a)), "2");
}

/* ---- Many writers at once ---- */
struct writer {
    pthread_t thread;
    unsigned seed;
    int deadlocks;
    const char *wrong;
};

static bool
run(PGconn *pg, const char *text, struct writer *writer)
{
    PGresult *result = PQexec(pg, text);
    ExecStatusType status = PQresultStatus(result);
    const char *code = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    bool worked = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
    if (!worked && code != NULL && strcmp(code, "40P01") == 0)
        writer->deadlocks++;
    else if (!worked && (code == NULL || strcmp(code, "25P02") != 0))
        writer->wrong = strdup(PQerrorMessage(pg));
    PQclear(result);
    return worked;
}

/* Adds and removes in two lists, in batches of one to forty, sometimes rolling back. */
static void *
write_at_random(void *context)
{
    struct writer *writer = context;
    PGconn *pg = PQconnectdb(fixture_dsn);
    for (int i = 0; i < 150 && writer->wrong == NULL; i++) {
        char text[1024];
        id scope = fixture_id(rand_r(&writer->seed) % 4 == 0 ? OTHER_SCOPE : SCOPE);
        unsigned from = rand_r(&writer->seed) % 6000, count = rand_r(&writer->seed) % 3 == 0 ? 40 : 1;
        run(pg, "BEGIN", writer);
        if (rand_r(&writer->seed) % 3 > 0)
            snprintf(text, sizeof(text),
                     "INSERT INTO resource (scope, kind, id, name, org_id, document) SELECT %s, 'thing', i.id, "
                     "encode(i.id, 'hex'), %s, '{}' FROM (SELECT decode(lpad(to_hex(%u + i * 7), 24, '0'), 'hex') "
                     "FROM generate_series(1, %u) i) i (id) ON CONFLICT DO NOTHING",
                     fixture_quote(scope), fixture_quote(fixture_id(ORGANIZATION)), from, count);
        else
            snprintf(text, sizeof(text),
                     "DELETE FROM resource WHERE scope = %s AND kind = 'thing' AND id BETWEEN "
                     "decode(lpad(to_hex(%u), 24, '0'), 'hex') AND decode(lpad(to_hex(%u), 24, '0'), 'hex')",
                     fixture_quote(scope), from, from + count);
        run(pg, text, writer);
        run(pg, rand_r(&writer->seed) % 10 == 0 ? "ROLLBACK" : "COMMIT", writer);
    }
    PQfinish(pg);
    return NULL;
}

static void
list_stays_exact_under_concurrent_writers(void **state)
{
    (void)state;
    struct writer writers[8];
    for (size_t i = 0; i < LENGTH(writers); i++) {
        writers[i] = (struct writer){ .seed = (unsigned)i + 1 };
        assert_int_equal(pthread_create(&writers[i].thread, NULL, write_at_random, &writers[i]), 0);
    }
    for (size_t i = 0; i < LENGTH(writers); i++) {
        pthread_join(writers[i].thread, NULL);
        if (writers[i].wrong != NULL)
            fail_msg("%s", writers[i].wrong);
    }
    assert_exact(fixture_id(SCOPE));
    assert_exact(fixture_id(OTHER_SCOPE));
    assert_string_equal(fixture_ask("SELECT count(*) > 500 FROM resource"), "t"); /* else nothing was tried */
    fixture_ask("DELETE FROM resource");
}

/* ---- Cost ---- */
/* The best of several, because other programs use the machine, too. */
static int64_t
page_us(long long offset)
{
    int64_t best = INT64_MAX;
    char text[1024];
    const char *scope = fixture_quote(fixture_id(SCOPE));
    snprintf(text, sizeof(text), page, scope, offset, scope, 100);
    PGresult *prepared = PQprepare(fixture_owner, "", text, 0, NULL);
    assert_int_equal(PQresultStatus(prepared), PGRES_COMMAND_OK);
    PQclear(prepared);
    for (int i = 0; i < 20; i++) {
        int64_t before = clock_steady_us();
        PGresult *result = PQexecPrepared(fixture_owner, "", 0, NULL, NULL, NULL, 0);
        int64_t took = clock_steady_us() - before;
        best = took < best ? took : best;
        assert_string_equal(PQgetvalue(result, 0, 0), "100");
        PQclear(result);
    }
    return best;
}

static void
page_at_any_depth_costs_at_most_twice_the_first(void **state)
{
    (void)state;
    int64_t before = clock_steady_ms();
    add_things(fixture_owner, fixture_id(SCOPE),
               "SELECT decode(lpad(to_hex(i * 7), 24, '0'), 'hex') FROM generate_series(1, 200000) i");
    print_message("200000 rows were loaded in %d ms\n", (int)(clock_steady_ms() - before));
    fixture_ask("VACUUM ANALYZE resource");
    fixture_ask("ANALYZE list_segment");
    fixture_ask("ANALYZE list_block");
    /* All pages in turn, several times: a slow moment of the machine then meets each of them. */
    enum { PAGES = 10, ROUNDS = 12 };
    int64_t best[PAGES], first, worst = 0;
    for (int i = 0; i < PAGES; i++)
        best[i] = INT64_MAX;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < PAGES; i++) {
            int64_t took = page_us(i * 21100);
            best[i] = took < best[i] ? took : best[i];
        }
    }
    first = best[0];
    for (int i = 1; i < PAGES; i++)
        worst = best[i] > worst ? best[i] : worst;
    int64_t skipped_before = clock_steady_us();
    fixture_ask("SELECT id FROM resource WHERE scope = %s AND kind = 'thing' ORDER BY id OFFSET 199900 LIMIT 100",
                fixture_quote(fixture_id(SCOPE)));
    print_message("first page %d us, worst page %d us, last page by skipping %d us\n", (int)first, (int)worst,
                  (int)(clock_steady_us() - skipped_before));
    assert_true(worst <= 2 * first);
    /* A single change at the end of a long list stays cheap, too. */
    before = clock_steady_us();
    for (int i = 0; i < 100; i++) {
        char ids[128];
        snprintf(ids, sizeof(ids), "SELECT decode(lpad(to_hex(%d), 24, '0'), 'hex')", 90000000 + i);
        add_things(fixture_owner, fixture_id(SCOPE), ids);
    }
    print_message("a row is added in %d us\n", (int)((clock_steady_us() - before) / 100));
    assert_string_equal(fixture_ask("SELECT total FROM list_counter WHERE kind = 'thing'"), "200100");
}

static int
set_up(void **state)
{
    if (fixture_set_up(state) != 0)
        return -1;
    fixture_add_organization(fixture_id(ORGANIZATION));
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(list_stays_exact_through_single_and_bulk_changes),
        cmocka_unit_test(rolled_back_change_does_not_count),
        cmocka_unit_test(projects_are_counted_and_follow_a_move),
        cmocka_unit_test(list_stays_exact_under_concurrent_writers),
        cmocka_unit_test(page_at_any_depth_costs_at_most_twice_the_first),
    };
    return cmocka_run_group_tests(tests, set_up, fixture_tear_down);
}
