/* SPDX-License-Identifier: Apache-2.0 */
/* When a change of access is in force, and when what is temporary ends. Members are rows that this test makes, and what they have
 * reached is what their host reports, through the function that takes over every report. */
#include "open_store_fixture.h"

#include "base/clock.h"
#include "base/date.h"
#include "job/kinds.h"
#include "store/access/access.h"
#include "store/resource.h"
#include "wire/goal.h"

static int next_project = 100;

enum { ORGANIZATION = 1, HOST = 2 };

static int
set_up(void **state)
{
    if (open_store(state) != 0)
        return -1;
    fixture_add_organization(fixture_id(ORGANIZATION));
    fixture_ask("INSERT INTO provider VALUES ('LAB'); INSERT INTO region VALUES ('LAB', 'NORTH'); "
                "INSERT INTO instance_size VALUES ('M10', 1, 100, 1, 10, 1)");
    fixture_ask("INSERT INTO host (id, name, provider, region, zone, cpus, memory_mb, disk_gb) "
                "VALUES (%s, 'h1', 'LAB', 'NORTH', 'a', 100, 100000, 1000)",
                fixture_quote(fixture_id(HOST)));
    fixture_ask("INSERT INTO host_goal_version (host_id) VALUES (%s) ON CONFLICT DO NOTHING",
                fixture_quote(fixture_id(HOST)));
    return 0;
}

/* ---- Things ---- */
static id
new_project(void)
{
    id project = fixture_id((uint32_t)(next_project += 100));
    fixture_add_project(project, fixture_id(ORGANIZATION));
    return project;
}

static id
add_member(id project, int ordinal, const char *desired)
{
    static int cluster_count;
    uint32_t number = (uint32_t)next_project;
    id cluster = fixture_id(number + 1), member = fixture_id(number + 10 + (uint32_t)ordinal);
    fixture_ask("INSERT INTO cluster (id, org_id, project_id, name, set_name, major_version) "
                "VALUES (%s, %s, %s, 'c', 'abc%03d', '17') ON CONFLICT (id) DO NOTHING",
                fixture_quote(cluster), fixture_quote(fixture_id(ORGANIZATION)), fixture_quote(project),
                cluster_count++ % 1000);
    fixture_ask(
        "INSERT INTO cluster_member (id, org_id, cluster_id, host_id, ordinal, desired, size, cpus, memory_mb, disk_gb) "
        "VALUES (%s, %s, %s, %s, %d, '%s', 'M10', 1, 100, 1)",
        fixture_quote(member), fixture_quote(fixture_id(ORGANIZATION)), fixture_quote(cluster),
        fixture_quote(fixture_id(HOST)), ordinal, desired);
    return member;
}

static void
report(id member, int64_t generation, const char *problem)
{
    char digits[ID_DIGITS + 1];
    id_write(member, digits);
    fixture_ask(
        "BEGIN; SET LOCAL reeve.service = 'on'; "
        "SELECT host_report(%s, 1, '{\"epoch\": 1, \"version\": 1, \"bootId\": \"b\", \"facts\": {}, \"strays\": [], \"tasks\": [], "
        "\"members\": [{\"id\": \"%s\", \"unit\": \"active\", \"role\": \"PRIMARY\", \"running\": \"running\", \"timeline\": 1, "
        "\"lagBytes\": 0, \"version\": \"17.6\", \"goalGeneration\": 1, \"accessGeneration\": %lld, \"restartNonce\": 0, "
        "\"pendingRestart\": false, \"problem\": %s}]}'); COMMIT",
        fixture_quote(fixture_id(HOST)), digits, (long long)generation, problem);
}

/* The resource's id; *ret_generation is what members must reach. */
static id
add_resource(id project, const char *kind, const char *name, const char *document, int64_t *ret_generation)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(1024 * 1024);
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct resource stored;
    struct resource_draft draft = {
        .organization = fixture_id(ORGANIZATION),
        .scope = project,
        .id = id_new(1),
        .kind = str_from(kind),
        .name = str_from(name),
        .document = str_from(document),
    };
    bool is_free;
    assert_ok(tx_begin(store, arena, fixture_id(ORGANIZATION), &tx));
    assert_ok(store_access_touch(tx, project, &draft.access_generation));
    assert_ok(store_resource_add(tx, &draft, &is_free, &stored));
    assert_true(is_free);
    assert_ok(tx_commit(tx));
    *ret_generation = draft.access_generation;
    return draft.id;
}

static void
assert_status(id project, const char *name, const char *expected)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(1024 * 1024);
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_text(&params, P_NAME, str_from(name));
    assert_ok(store_read(store, arena, SQL_ACCESS_ENTRY_STATUS, &params, &rows));
    assert_int_equal(rows.count, 1);
    assert_string_equal(rows_text(&rows, 0, C_STATE).data, expected);
}

/* ---- In force ---- */
#define ENTRY "{\"cidrBlock\": \"10.0.0.0/8\"}"

static void
entry_is_active_at_once_without_clusters(void **state)
{
    (void)state;
    int64_t generation;
    id project = new_project();
    add_resource(project, "accessListEntry", "10.0.0.0/8", ENTRY, &generation);
    assert_status(project, "10.0.0.0/8", "ACTIVE");
}

static void
entry_is_pending_until_every_member_reached_it(void **state)
{
    (void)state;
    int64_t generation;
    id project = new_project(), first = add_member(project, 0, "RUNNING"), second = add_member(project, 1, "RUNNING");
    add_member(project, 2, "STOPPED");
    add_member(project, 3, "PLANNED");
    add_resource(project, "accessListEntry", "10.0.0.0/8", ENTRY, &generation);
    assert_status(project, "10.0.0.0/8", "PENDING");
    report(first, generation, "null");
    assert_status(project, "10.0.0.0/8", "PENDING");
    report(second, generation - 1, "null");
    assert_status(project, "10.0.0.0/8", "PENDING");
    report(second, generation, "null");
    assert_status(project, "10.0.0.0/8", "ACTIVE");
}

static void
a_later_change_does_not_make_an_earlier_one_pending(void **state)
{
    (void)state;
    int64_t first, second;
    id project = new_project(), member = add_member(project, 0, "RUNNING");
    add_resource(project, "accessListEntry", "10.0.0.0/8", ENTRY, &first);
    report(member, first, "null");
    add_resource(project, "accessListEntry", "11.0.0.0/8", ENTRY, &second);
    assert_true(second > first);
    assert_status(project, "10.0.0.0/8", "ACTIVE");
    assert_status(project, "11.0.0.0/8", "PENDING");
}

static void
a_member_that_says_why_it_cannot_makes_it_failed(void **state)
{
    (void)state;
    int64_t generation;
    id project = new_project(), member = add_member(project, 0, "RUNNING");
    add_resource(project, "accessListEntry", "10.0.0.0/8", ENTRY, &generation);
    report(member, generation - 1, "\"pg_hba.conf is not taken.\"");
    assert_status(project, "10.0.0.0/8", "FAILED");
    report(member, generation, "null");
    assert_status(project, "10.0.0.0/8", "ACTIVE");
}

static void
members_of_other_projects_do_not_count(void **state)
{
    (void)state;
    int64_t generation;
    id other = new_project();
    add_member(other, 0, "RUNNING");
    id project = new_project();
    add_resource(project, "accessListEntry", "10.0.0.0/8", ENTRY, &generation);
    assert_status(project, "10.0.0.0/8", "ACTIVE");
}

/* ---- A directory that is to be checked ---- */
static enum job_outcome
check_directory(id project, id subject)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(1024 * 1024);
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct job_environment nobody_to_ask = { 0 };
    struct job job = { .organization = fixture_id(ORGANIZATION), .project = project, .subject = subject };
    struct job_result result = { .outcome = STEP_FAILED };
    assert_ok(tx_begin(store, arena, job.organization, &tx));
    struct job_context context = {
        .store = store, .tx = tx, .arena = arena, .job = &job, .environment = &nobody_to_ask
    };
    assert_ok(ldap_verify_job.steps[0].run(&context, &result));
    return result.outcome;
}

/* Its password is removed with the check: there is nothing to ask with. */
static void
a_directory_is_checked_once_and_not_for_a_project_that_is_gone(void **state)
{
    (void)state;
    int64_t generation;
    char name[ID_DIGITS + 1];
    id project = new_project(), subject = fixture_id(987655);
    id_write(subject, name);
    assert_int_equal(check_directory(project, subject), STEP_DONE);
    add_resource(project, "ldapVerification", name, "{\"status\": \"SUCCESS\"}", &generation);
    assert_int_equal(check_directory(project, subject), STEP_DONE);
}

/* ---- The end of what is temporary ---- */
static void
run_sweep(void)
{
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(8 * 1024 * 1024);
    struct sweep_context context = { .store = store, .arena = arena };
    assert_ok(expired_access_sweep.run(&context));
}

static str
document_that_ends(struct arena *arena, int64_t in_ms)
{
    str at = date_text(arena, (clock_now_ms() + in_ms) / 1000 * 1000);
    return str_format(arena,
                      "{\"username\": \"app\", \"verifier\": \"SCRAM-SHA-256$secret\", \"deleteAfterDate\": \"%.*s\"}",
                      STR_ARG(at));
}

static void
what_is_over_goes_with_an_event_and_the_rest_stays(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(1024 * 1024);
    int64_t generation, last;
    id project = new_project();
    add_resource(project, "databaseUser", "over", document_that_ends(arena, -1000).data, &generation);
    add_resource(project, "accessListEntry", "over", document_that_ends(arena, -3600000).data, &generation);
    add_resource(project, "databaseUser", "lasts", document_that_ends(arena, 3600000).data, &generation);
    add_resource(project, "databaseUser", "for ever", "{}", &generation);
    add_resource(project, "thing", "of another kind", document_that_ends(arena, -1000).data, &last);
    run_sweep();
    run_sweep(); /* there is nothing left to do */
    const char *quoted = fixture_quote(project);
    assert_string_equal(
        fixture_ask("SELECT string_agg(name, ',' ORDER BY name) FROM resource WHERE scope = %s", quoted),
        "for ever,lasts,of another kind");
    assert_string_equal(
        fixture_ask("SELECT string_agg(type, ',' ORDER BY type) FROM event WHERE project_id = %s", quoted),
        "DATABASE_USER_EXPIRED,NETWORK_PERMISSION_ENTRY_EXPIRED");
    assert_string_equal(
        fixture_ask("SELECT count(*) FROM event WHERE project_id = %s AND document LIKE '%%secret%%'", quoted), "0");
    assert_int_equal(atoll(fixture_ask("SELECT generation FROM project_access WHERE project_id = %s", quoted)),
                     last + 2);
}

/* Only of the user whose time is over: their certificate would let them in for longer. */
static void
certificates_end_with_their_user(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(1024 * 1024);
    int64_t generation;
    id project = new_project();
    const char *digits = id_text(arena, project).data;
    fixture_ask(
        "INSERT INTO authority (id, purpose, org_id, certificate, key, not_after) VALUES (%s, 'PROJECT', %s, '', '', now())",
        fixture_quote(project), fixture_quote(fixture_id(ORGANIZATION)));
    fixture_ask(
        "INSERT INTO certificate (serial, authority, kind, owner, not_after) SELECT '%s-' || name, %s, 'USER', '%s/' || name, "
        "now() + interval '1 day' FROM unnest('{over,lasts,entry}'::text[]) name",
        digits, fixture_quote(project), digits);
    add_resource(project, "databaseUser", "over", document_that_ends(arena, -1000).data, &generation);
    add_resource(project, "databaseUser", "lasts", document_that_ends(arena, 3600000).data, &generation);
    add_resource(project, "accessListEntry", "entry", document_that_ends(arena, -1000).data, &generation);
    run_sweep();
    assert_string_equal(
        fixture_ask(
            "SELECT string_agg(split_part(owner, '/', 2), ',') FROM certificate WHERE authority = %s AND revoked_at IS NOT NULL",
            fixture_quote(project)),
        "over");
}

/* Its event cannot be written: the entry stays, whoever sweeps is told, and the next sweep does it. */
static void
what_cannot_be_removed_is_not_forgotten(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(8 * 1024 * 1024);
    struct sweep_context context = { .store = store, .arena = arena };
    int64_t generation;
    id project = new_project();
    const char *quoted = fixture_quote(project);
    add_resource(project, "databaseUser", "over", document_that_ends(arena, -1000).data, &generation);
    fixture_ask("ALTER TABLE event RENAME TO event_elsewhere");
    error problem = expired_access_sweep.run(&context);
    fixture_ask("ALTER TABLE event_elsewhere RENAME TO event");
    assert_ptr_not_equal(problem, OK);
    assert_string_equal(fixture_ask("SELECT count(*) FROM resource WHERE scope = %s", quoted), "1");
    run_sweep();
    assert_string_equal(fixture_ask("SELECT count(*) FROM resource WHERE scope = %s", quoted), "0");
}

static void
who_got_more_time_meanwhile_stays(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(1024 * 1024);
    int64_t generation;
    id project = new_project();
    struct access_expired late = {
        .organization = fixture_id(ORGANIZATION),
        .project = project,
        .kind = STR("databaseUser"),
        .name = STR("app"),
        .resource = add_resource(project, "databaseUser", "app", document_that_ends(arena, 3600000).data, &generation),
    };
    bool removed = true;
    assert_ok(store_access_expire(store, arena, &late, EVENT_DATABASE_USER_EXPIRED, &removed));
    assert_false(removed);
    assert_string_equal(fixture_ask("SELECT count(*) FROM resource WHERE scope = %s", fixture_quote(project)), "1");
    assert_int_equal(
        atoll(fixture_ask("SELECT generation FROM project_access WHERE project_id = %s", fixture_quote(project))),
        generation);
}

static void
more_than_one_page_of_them_goes_at_once(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(1024 * 1024);
    int64_t generation;
    id project = new_project();
    for (int i = 0; i < ACCESS_EXPIRED_MAX + 5; i++)
        add_resource(project, "accessListEntry", str_format(arena, "e%d", i).data,
                     document_that_ends(arena, -1000).data, &generation);
    run_sweep();
    assert_string_equal(fixture_ask("SELECT count(*) FROM resource WHERE scope = %s", fixture_quote(project)), "0");
}

static void
looking_for_them_uses_its_index(void **state)
{
    (void)state;
    fixture_ask("SET enable_seqscan = off");
    const char *plan = fixture_ask(
        "SELECT count(*) FROM (SELECT 1) one; "
        "CREATE OR REPLACE FUNCTION plan_of(q text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE l text; r text := ''; BEGIN "
        "FOR l IN EXECUTE 'EXPLAIN ' || q LOOP r := r || l; END LOOP; RETURN (r LIKE '%%Index Cond%%deleteAfterDate%%')::text; END $$; "
        "SELECT plan_of($q$SELECT id FROM resource WHERE kind IN ('databaseUser', 'accessListEntry') AND document ->> 'deleteAfterDate' IS NOT NULL "
        "AND (document ->> 'deleteAfterDate') COLLATE \"C\" <= api_date(now()) ORDER BY (document ->> 'deleteAfterDate') COLLATE \"C\" LIMIT 100$q$)");
    assert_string_equal(plan, "true");
    fixture_ask("RESET enable_seqscan");
}

/* ---- Roles ---- */
static void
holders_and_inheritance_are_found(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(1024 * 1024);
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    int64_t generation;
    json_t *inherited;
    str holder;
    id project = new_project();
    add_resource(project, "customRole", "a", "{\"inheritedRoles\": []}", &generation);
    add_resource(project, "customRole", "b", "{\"inheritedRoles\": [{\"role\": \"a\", \"db\": \"admin\"}]}",
                 &generation);
    add_resource(project, "databaseUser", "u", "{\"roles\": [{\"roleName\": \"b\", \"databaseName\": \"admin\"}]}",
                 &generation);
    assert_ok(tx_begin(store, arena, fixture_id(ORGANIZATION), &tx));
    assert_ok(store_access_role_holder(tx, project, STR("a"), &holder));
    assert_string_equal(holder.data, "b");
    assert_ok(store_access_role_holder(tx, project, STR("b"), &holder));
    assert_string_equal(holder.data, "u");
    assert_ok(store_access_role_holder(tx, project, STR("c"), &holder));
    assert_int_equal(holder.len, 0);
    assert_ok(store_access_inherited(tx, arena, project, &inherited));
    assert_int_equal(json_object_size(inherited), 2);
    assert_int_equal(json_array_size(json_object_get(inherited, "b")), 1);
}

/* More than the worker would store: forty groups of a thousand people, with ten roles each and the longest names that there are. */
static void
an_agent_takes_whatever_is_stored_of_groups(void **state)
{
    (void)state;
    struct arena *arena = arena_new(256 * 1024 * 1024);
    id project = new_project();
    str whose = str_dup(arena, str_from(fixture_quote(project)));
    fixture_ask("INSERT INTO directory_sync (project_id, org_id) VALUES (%s, %s)", whose.data,
                fixture_quote(fixture_id(ORGANIZATION)));
    fixture_ask(
        "INSERT INTO resource (scope, kind, id, name, org_id, document) SELECT %s, 'databaseUser', decode('77' || lpad(to_hex(n), 22, '0'), 'hex'), 'cn=' || n, %s, "
        "jsonb_build_object('ldapAuthType', 'GROUP', 'username', 'cn=' || n, 'roles', (SELECT jsonb_agg(jsonb_build_object('roleName', "
        "repeat('r', 63), 'databaseName', lpad(n || '_' || r, 63, 'd'), 'collectionName', repeat('c', 127))) FROM generate_series(1, CASE n WHEN 1 THEN 4 ELSE 10 END) r)) "
        "FROM generate_series(1, 40) n",
        whose.data, fixture_quote(fixture_id(ORGANIZATION)));
    fixture_ask(
        "INSERT INTO directory_group (group_id, project_id, members) SELECT decode('77' || lpad(to_hex(n), 22, '0'), 'hex'), %s, "
        "(SELECT array_agg(lpad(p::text, 63, 'p')) FROM generate_series(1, CASE n WHEN 2 THEN 100 ELSE 1000 END) p) FROM generate_series(1, 40) n",
        whose.data);
    str ask = str_format(arena, "SELECT project_access_goal(%s, 'c')", whose.data);
    PGresult *told = PQexec(fixture_owner, ask.data); /* longer than what fixture_ask() returns */
    assert_int_equal(PQntuples(told), 1);
    str access = str_dup(arena, str_from(PQgetvalue(told, 0, 0)));
    PQclear(told);
    str text = str_format(
        arena,
        "{\"version\":1,\"epoch\":1,\"hostId\":\"0000000000000000000000d1\",\"etcd\":[],\"authority\":\"\",\"members\":[],\"clusters\":"
        "[{\"id\":\"0000000000000000000000c1\",\"projectId\":\"0000000000000000000000f1\",\"name\":\"c\",\"scope\":\"a\",\"majorVersion\":\"17\","
        "\"goalGeneration\":1,\"accessGeneration\":1,\"synchronous\":false,\"parameters\":{},\"peers\":[],\"access\":%s}]}",
        access.data);
    struct goal goal;
    error why = goal_parse(arena, text, &goal);
    if (why != OK)
        fail_msg("refused: %s", why->detail.data);
    const struct goal_users *users = &goal.clusters.items[0].access.users;
    size_t roles = 0;
    for (size_t i = 0; i < users->count; i++)
        roles += users->items[i].roles.count;
    assert_int_equal(users->count, 1000);
    assert_int_equal(roles, 4 * 1000 + 10 * 100); /* of the first two; the third would be too many */
    assert_true(access.len < 2 * 1024 * 1024);    /* of 64 MiB that a host's goal may have */
    arena_free(arena);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_agent_takes_whatever_is_stored_of_groups),
        cmocka_unit_test(entry_is_active_at_once_without_clusters),
        cmocka_unit_test(entry_is_pending_until_every_member_reached_it),
        cmocka_unit_test(a_later_change_does_not_make_an_earlier_one_pending),
        cmocka_unit_test(a_member_that_says_why_it_cannot_makes_it_failed),
        cmocka_unit_test(members_of_other_projects_do_not_count),
        cmocka_unit_test(a_directory_is_checked_once_and_not_for_a_project_that_is_gone),
        cmocka_unit_test(what_is_over_goes_with_an_event_and_the_rest_stays),
        cmocka_unit_test(certificates_end_with_their_user),
        cmocka_unit_test(what_cannot_be_removed_is_not_forgotten),
        cmocka_unit_test(who_got_more_time_meanwhile_stays),
        cmocka_unit_test(more_than_one_page_of_them_goes_at_once),
        cmocka_unit_test(looking_for_them_uses_its_index),
        cmocka_unit_test(holders_and_inheritance_are_found),
    };
    return cmocka_run_group_tests(tests, set_up, close_store);
}
