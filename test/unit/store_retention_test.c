/* SPDX-License-Identifier: Apache-2.0 */
/* R4: answers to requests with an Idempotency-Key were never deleted, because nobody ran the statement that does it. Here: the sweep of the
 * workers removes everything that is over, nothing that is not, and a bounded number at a time. */
#include "open_store_fixture.h"

#include "job/kinds.h"
#include "store/retention.h"

enum { ORGANIZATION = 1, PROJECT = 2, KEY = 3, AUTHORITY = 4, PERSON = 5, RETENTION_DAYS = 30 };

static struct arena *arena;

/* What makes one record that is over, and one that is not; %d is its number, %s its age. */
static const struct {
    const char *table, *insert, *over, *not_over;
} records[] = {
    { "idempotency",
      "INSERT INTO idempotency (principal_id, key, request_hash, status, answer, created_at) "
      "VALUES ((SELECT id FROM principal WHERE kind = 'api_key'), 'k%d', '', 200, '', now() - interval '%s')",
      "25 hours", "23 hours" },
    { "invitation",
      "INSERT INTO invitation (id, org_id, username, mac, pepper_version, inviter_name, expires_at) "
      "SELECT decode(lpad(to_hex(n), 24, '0'), 'hex'), (SELECT id FROM organization), 'u' || n, ('m' || n)::bytea, 1, '', "
      "now() - interval '%2$s' FROM (SELECT %1$d AS n) x",
      "31 days", "29 days" },
    { "alert",
      "INSERT INTO alert (id, org_id, project_id, config_id, event_id, event_type, severity, status, lasts, created_at, updated_at, "
      "resolved_at) SELECT i, (SELECT id FROM organization), (SELECT id FROM project), i, i, 'T', 'LOW', 'CLOSED', false, "
      "now(), now(), now() - interval '%2$s' FROM (SELECT decode(lpad(to_hex(%1$d), 24, '0'), 'hex') AS i) x",
      "31 days", "29 days" },
    { "certificate",
      "INSERT INTO certificate (serial, authority, kind, owner, not_after) "
      "VALUES ('s%d', (SELECT id FROM authority), 'USER', 'gone', now() - interval '%s')",
      "2 days", "1 hour" },
    { "revoked_token",
      "INSERT INTO revoked_token (principal_id, fingerprint, expires_at) "
      "VALUES ((SELECT id FROM principal WHERE kind = 'api_key'), 'f%d', now() - interval '%s')",
      "1 minute", "-1 minute" },
    { "console_session",
      "INSERT INTO console_session (id, person_id, mac, pepper_version, expires_at, address, browser) "
      "VALUES (decode(lpad(to_hex(%d), 24, '0'), 'hex'), (SELECT id FROM person), '', 1, now() - interval '%s', '', '')",
      "1 minute", "-1 minute" },
    { "operator_session",
      "INSERT INTO operator_session (id, operator_id, mac, expires_at, address, browser) "
      "VALUES (decode(lpad(to_hex(%d), 24, '0'), 'hex'), (SELECT id FROM operator), '', now() - interval '%s', '', '')",
      "1 minute", "-1 minute" },
    { "used_challenge", "INSERT INTO used_challenge (challenge, expires_at) VALUES ('c%d', now() - interval '%s')",
      "61 minutes", "59 minutes" },
    { "event_count_of_project",
      "INSERT INTO event_count_of_project (project_id, org_id, seq, gone_at) "
      "VALUES (decode(lpad(to_hex(%d), 24, '0'), 'hex'), (SELECT id FROM organization), 1, now() - interval '%s')",
      "25 hours", "23 hours" },
};

static int
set_up(void **state)
{
    (void)state;
    arena = arena_new(FIXTURE_ARENA_BYTES);
    fixture_ask(
        "SET client_min_messages = warning; TRUNCATE idempotency, event_count_of_project, operator, used_challenge, organization, principal, authority CASCADE");
    fixture_add_organization(fixture_id(ORGANIZATION));
    fixture_add_project(fixture_id(PROJECT), fixture_id(ORGANIZATION));
    fixture_ask("INSERT INTO principal (id, kind, org_id) VALUES (%s, 'api_key', %s)", fixture_quote(fixture_id(KEY)),
                fixture_quote(fixture_id(ORGANIZATION)));
    fixture_ask("INSERT INTO principal (id, kind) VALUES (%s, 'person')", fixture_quote(fixture_id(PERSON)));
    fixture_ask("INSERT INTO person (id, username, first_name, last_name) VALUES (%s, 'u', '', '')",
                fixture_quote(fixture_id(PERSON)));
    fixture_ask("INSERT INTO operator (id, name, token_hash, expires_at) VALUES (%s, 'o', sha256('o'), now())",
                fixture_quote(fixture_id(PERSON)));
    fixture_ask(
        "INSERT INTO authority (id, purpose, org_id, certificate, key, not_after) VALUES (%s, 'PROJECT', %s, '', '', now())",
        fixture_quote(fixture_id(AUTHORITY)), fixture_quote(fixture_id(ORGANIZATION)));
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static void
add(size_t which, int number, const char *age)
{
    fixture_ask(records[which].insert, number, age);
}

static int
count(const char *table)
{
    return atoi(fixture_ask("SELECT count(*) FROM %s", table));
}

static void
sweep_removes_what_is_over_and_nothing_else(void **state)
{
    (void)state;
    struct job_environment environment = { .retention_days = RETENTION_DAYS };
    struct sweep_context context = { store, arena, &environment };
    for (size_t i = 0; i < LENGTH(records); i++) {
        for (int number = 0; number < 3; number++)
            add(i, 100 + number, records[i].over);
        add(i, 200, records[i].not_over);
    }
    assert_ok(old_records_sweep.run(&context));
    for (size_t i = 0; i < LENGTH(records); i++) {
        if (count(records[i].table) != 1)
            fail_msg("%s has %d rows, not 1", records[i].table, count(records[i].table));
    }
}

static void
pruning_takes_the_expired_up_to_its_limit(void **state)
{
    (void)state;
    int64_t deleted = -1;
    for (int number = 0; number < 3; number++)
        add(0, number, records[0].over);
    add(0, 9, records[0].not_over);
    static const int expected[] = { 2, 1, 0 };
    for (size_t i = 0; i < LENGTH(expected); i++) {
        assert_ok(store_retention_prune(store, arena, &retention_rows[0], 2, RETENTION_DAYS, &deleted));
        assert_int_equal(deleted, expected[i]);
    }
    assert_int_equal(count("idempotency"), 1);
}

/* R9: 19,640 rows for 5,043 projects. */
static void
count_of_events_goes_after_its_project(void **state)
{
    (void)state;
    fixture_ask("INSERT INTO event_count_of_project (project_id, org_id, seq) VALUES (%s, %s, 7)",
                fixture_quote(fixture_id(PROJECT)), fixture_quote(fixture_id(ORGANIZATION)));
    fixture_ask("DELETE FROM project");
    assert_string_equal(fixture_ask("SELECT gone_at IS NOT NULL FROM event_count_of_project"), "t");
    fixture_ask("UPDATE event_count_of_project SET gone_at = now() - interval '2 days'");
    int64_t deleted = 0;
    for (size_t i = 0; i < RETENTION_COUNT; i++)
        assert_ok(store_retention_prune(store, arena, &retention_rows[i], 100, RETENTION_DAYS, &deleted));
    assert_int_equal(count("event_count_of_project"), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sweep_removes_what_is_over_and_nothing_else, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pruning_takes_the_expired_up_to_its_limit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(count_of_events_goes_after_its_project, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, open_store, close_store);
}
