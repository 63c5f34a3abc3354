/* SPDX-License-Identifier: Apache-2.0 */
#include "open_store_fixture.h"

#include <pthread.h>

#include "base/json.h"
#include "store/event/event.h"
#include "store/event/event_read.h"

static const char *const A = "'\\x650000000001000000000001'";

static error
add(struct arena *arena, id organization, id project, const char *name)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    json_t *after = json_in(arena, json_pack("{s:s, s:i}", "name", name, "a", 1));
    struct event_draft draft = { .type = EVENT_PROJECT_CREATED,
                                 .organization = organization,
                                 .project = project,
                                 .actor = fixture_id(77),
                                 .actor_name = STR("reeve_sa_x"),
                                 .actor_kind = STR("service_account"),
                                 .address = STR("10.0.0.1"),
                                 .request_id = STR("r-1"),
                                 .after = after };
    id event;
    TRY(tx_begin(store, arena, organization, &tx));
    TRY(store_event_add(tx, &draft, &event));
    return tx_commit(tx);
}

static void
start_anew(int organizations, int events)
{
    fixture_ask("TRUNCATE event, event_chain, event_count_of_project");
    for (int o = 1; o <= organizations; o++) {
        for (int e = 0; e < events; e++) {
            struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
            assert_ok(add(arena, fixture_id((uint32_t)o), e % 2 == 0 ? fixture_id(500) : ID_NONE, "näme"));
        }
        fixture_ask("UPDATE event_count_of_project SET org_id = %s", fixture_quote(fixture_id((uint32_t)o + 1)));
    }
}

/* ---- What the audit says ---- */
struct findings {
    int count;
    char first[256];
};

static void
on_problem(void *context, str sentence)
{
    struct findings *findings = context;
    if (findings->count++ == 0)
        snprintf(findings->first, sizeof(findings->first), "%.*s", STR_ARG(sentence));
}

static struct findings
audit(int64_t expected_events)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct findings findings = { 0 };
    int64_t events = -1, organizations = -1;
    struct audit_listener listener = { .on_problem = on_problem, .context = &findings };
    assert_ok(store_audit_verify(fixture_dsn, arena, &listener, &events, &organizations));
    if (expected_events >= 0)
        assert_int_equal(events, expected_events);
    return findings;
}

#define assert_found(part)                                                    \
    do {                                                                      \
        struct findings found = audit(-1);                                    \
        if (found.count == 0 || strstr(found.first, (part)) == NULL)          \
            fail_msg("%d problems, the first: %s", found.count, found.first); \
    } while (0)

static void
document_says_who_did_what(void **state)
{
    (void)state;
    start_anew(1, 1);
    assert_string_equal(
        fixture_ask("SELECT regexp_replace(document, '\"(created|id)\":\"[^\"]*\"', '', 'g') FROM event"),
        "{\"actor\":{,\"kind\":\"service_account\",\"name\":\"reeve_sa_x\"},\"address\":\"10.0.0.1\",\"after\":{\"a\":1,"
        "\"name\":\"näme\"},\"before\":null,,,\"org\":\"650000000001000000000001\",\"project\":\"6500000000010000000001f4\","
        "\"request\":\"r-1\",\"seq\":1,\"type\":\"GROUP_CREATED\"}");
    assert_string_equal(fixture_ask("SELECT type || project_seq FROM event"), "GROUP_CREATED1");
    assert_string_equal(fixture_ask("SELECT hash = sha256(document::bytea) FROM event"), "t");
}

static void
intact_chains_are_proven(void **state)
{
    (void)state;
    start_anew(3, 7);
    struct findings findings = audit(21);
    assert_int_equal(findings.count, 0);
}

static void
long_chain_is_walked_in_batches(void **state)
{
    (void)state;
    start_anew(2, 600);
    struct findings findings = audit(1200);
    assert_int_equal(findings.count, 0);
    fixture_ask("UPDATE event SET document = replace(document, '10.0.0.1', '10.0.0.2') WHERE org_id = %s AND seq = 501",
                A);
    assert_found("event 501 does not fit");
    assert_int_equal(audit(1200).count, 1);
}

static void
changed_byte_is_found(void **state)
{
    (void)state;
    start_anew(2, 5);
    fixture_ask("UPDATE event SET document = replace(document, '10.0.0.1', '10.0.0.2') WHERE org_id = %s AND seq = 3",
                A);
    assert_found("event 3 does not fit");
    start_anew(2, 5);
    fixture_ask("UPDATE event SET hash = set_byte(hash, 0, 255 - get_byte(hash, 0)) WHERE org_id = %s AND seq = 5", A);
    assert_found("event 5 does not fit");
    start_anew(2, 5);
    fixture_ask("UPDATE event SET type = 'GROUP_DELETED' WHERE org_id = %s AND seq = 2", A);
    assert_found("columns of event 2");
}

static void
removed_event_is_found(void **state)
{
    (void)state;
    start_anew(2, 5);
    fixture_ask("DELETE FROM event WHERE org_id = %s AND seq = 3", A);
    assert_found("events 3 to 3 are missing");
    start_anew(2, 5);
    fixture_ask("DELETE FROM event WHERE org_id = %s AND seq = 1", A);
    assert_found("events 1 to 1 are missing");
    start_anew(2, 5);
    fixture_ask("DELETE FROM event WHERE org_id = %s AND seq >= 4", A);
    assert_found("ends at 5, but its last event is 3");
    start_anew(2, 5);
    fixture_ask("DELETE FROM event WHERE org_id = %s", A);
    assert_found("it has no events");
    start_anew(2, 5);
    fixture_ask("DELETE FROM event_chain WHERE org_id = %s", A);
    assert_found("has events but no chain");
}

static void
swapped_pair_is_found(void **state)
{
    (void)state;
    start_anew(2, 5);
    fixture_ask("UPDATE event e SET document = o.document, hash = o.hash, id = o.id FROM event o "
                "WHERE e.org_id = %s AND o.org_id = e.org_id AND e.seq IN (2, 3) AND o.seq = 5 - e.seq",
                A);
    assert_found("event 2");
}

static void
rolled_back_event_leaves_no_gap(void **state)
{
    (void)state;
    start_anew(1, 2);
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct tx *tx;
    id event;
    struct event_draft draft = { .type = EVENT_ORGANIZATION_UPDATED, .organization = fixture_id(1) };
    assert_ok(tx_begin(store, arena, fixture_id(1), &tx));
    assert_ok(store_event_add(tx, &draft, &event));
    tx_rollback(tx);
    assert_ok(add(arena, fixture_id(1), ID_NONE, "next"));
    assert_int_equal(audit(3).count, 0);
}

static void
several_events_of_one_transaction_are_chained(void **state)
{
    (void)state;
    start_anew(1, 0);
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    id event;
    assert_ok(tx_begin(store, arena, fixture_id(1), &tx));
    for (int type = 0; type < EVENT_TYPE_COUNT; type++) {
        struct event_draft draft = { .type = (enum event_type)type, .organization = fixture_id(1) };
        assert_ok(store_event_add(tx, &draft, &event));
    }
    assert_ok(tx_commit(tx));
    assert_int_equal(audit(EVENT_TYPE_COUNT).count, 0);
}

static void *
add_many(void *context)
{
    (void)context;
    for (int i = 0; i < 50; i++) {
        struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
        if (add(arena, fixture_id(1), fixture_id(500), "x") != OK)
            return "failed";
    }
    return NULL;
}

static void
concurrent_events_are_chained_without_gaps(void **state)
{
    (void)state;
    start_anew(1, 0);
    pthread_t threads[4];
    for (size_t i = 0; i < LENGTH(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add_many, NULL), 0);
    for (size_t i = 0; i < LENGTH(threads); i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    assert_int_equal(audit(200).count, 0);
    assert_string_equal(fixture_ask("SELECT max(project_seq) || ' ' || count(DISTINCT project_seq) FROM event"),
                        "200 200");
}

/* Whatever a client asks for is the name of a cluster, not a part of the statement. */
static void
names_with_quotes_are_names(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
    const str names[] = { STR("a\"b"), STR("c\\"), STR("d\",\"e"), STR("{}") };
    struct event_filter filter = {
        .of_project = true, .scope = fixture_id(500), .cluster_count = LENGTH(names), .clusters = names, .limit = 10
    };
    struct event_page page;
    start_anew(1, 2);
    assert_ok(store_event_list(store, arena, &filter, &page));
}

/* Two organizations whose events were at other times: a moment has its place among one's own. */
static void
place_of_a_moment_is_among_ones_own_events(void **state)
{
    (void)state;
    enum { EVENTS = 6 };
    char place[8];
    start_anew(2, EVENTS);
    fixture_ask(
        "UPDATE event SET created_at = timestamptz '2026-01-01 00:00Z' + seq * interval '1 hour' WHERE org_id = %s",
        fixture_quote(fixture_id(1)));
    fixture_ask(
        "UPDATE event SET created_at = timestamptz '2026-03-01 00:00Z' + seq * interval '1 hour' WHERE org_id = %s",
        fixture_quote(fixture_id(2)));
    for (int hour = 1; hour <= EVENTS + 1; hour++) {
        snprintf(place, sizeof(place), "%d", hour);
        for (int o = 1; o <= 2; o++)
            assert_string_equal(
                fixture_ask("SELECT event_place_from(%s, timestamptz '2026-0%d-01 00:00Z' + %d * interval '1 hour')",
                            fixture_quote(fixture_id((uint32_t)o)), o == 1 ? 1 : 3, hour),
                place);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(document_says_who_did_what),
        cmocka_unit_test(intact_chains_are_proven),
        cmocka_unit_test(long_chain_is_walked_in_batches),
        cmocka_unit_test(changed_byte_is_found),
        cmocka_unit_test(removed_event_is_found),
        cmocka_unit_test(swapped_pair_is_found),
        cmocka_unit_test(rolled_back_event_leaves_no_gap),
        cmocka_unit_test(several_events_of_one_transaction_are_chained),
        cmocka_unit_test(concurrent_events_are_chained_without_gaps),
        cmocka_unit_test(names_with_quotes_are_names),
        cmocka_unit_test(place_of_a_moment_is_among_ones_own_events),
    };
    return cmocka_run_group_tests(tests, open_store, close_store);
}
