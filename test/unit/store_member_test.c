/* SPDX-License-Identifier: Apache-2.0 */
/* People and credentials in organizations and projects that others change or delete at the same moment. */
#include "open_store_fixture.h"

#include "base/json.h"
#include "store/auth/principal.h"
#include "store/credential/credential.h"
#include "store/identity/member.h"
#include "store/resource.h"
#include "store/tenant/project.h"

static struct arena *arena;

enum { ORGANIZATION = 100, PROJECT, KEY, ADA, BOB, ABSENT };

static int
set_up(void **state)
{
    (void)state;
    arena = arena_new(FIXTURE_ARENA_BYTES);
    id organization = fixture_id(ORGANIZATION);
    fixture_ask("TRUNCATE organization, principal CASCADE");
    fixture_add_organization(organization);
    fixture_add_project(fixture_id(PROJECT), organization);
    fixture_ask("INSERT INTO principal (id, kind, org_id) VALUES (%s, 'api_key', %s)", fixture_quote(fixture_id(KEY)),
                fixture_quote(organization));
    for (int person = ADA; person <= BOB; person++) {
        fixture_ask("INSERT INTO principal (id, kind) VALUES (%s, 'person')", fixture_quote(fixture_id(person)));
        fixture_ask("INSERT INTO person (id, username, first_name, last_name) VALUES (%s, 'p%d', 'F', 'L')",
                    fixture_quote(fixture_id(person)), person);
        fixture_ask("INSERT INTO role_grant (principal_id, org_id, role) VALUES (%s, %s, 'ORG_MEMBER')",
                    fixture_quote(fixture_id(person)), fixture_quote(organization));
    }
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

/* It was said to be invited already. */
static void
invitation_to_an_organization_that_is_gone_is_not_found(void **state)
{
    (void)state;
    static const uint8_t mac[32] = { 1 };
    struct invitation_draft draft = {
        .id = fixture_id(ABSENT),
        .username = STR("jo@example.org"),
        .inviter_name = STR("me"),
        .mac = mac,
        .pepper_version = 1,
        .days = 30,
    };
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    bool invited;
    assert_ok(tx_begin(store, arena, fixture_id(ABSENT), &tx));
    assert_fails(store_invitation_add(tx, fixture_id(ABSENT), &draft, &invited), RESOURCE_NOT_FOUND);
}

/* They waited for each other: whoever locked a credential first and the project second met those who did the opposite. */
static void
role_can_be_granted_while_its_project_is_changed(void **state)
{
    (void)state;
    struct tx *changes CLEANUP(tx_cleanup) = NULL, *grants CLEANUP(tx_cleanup) = NULL;
    struct project project;
    id organization = fixture_id(ORGANIZATION);
    assert_ok(tx_begin(store, arena, organization, &changes));
    assert_ok(tx_begin(store, arena, organization, &grants));
    assert_ok(store_project_lock(changes, organization, fixture_id(PROJECT), &project));
    assert_ok(add_role_grant(grants, fixture_id(KEY), organization, fixture_id(PROJECT), STR("GROUP_READ_ONLY")));
    assert_ok(tx_commit(grants));
    assert_ok(tx_commit(changes));
}

static void
credentials_of_a_project_that_goes_get_another_etag(void **state)
{
    (void)state;
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    struct project project;
    id organization = fixture_id(ORGANIZATION);
    fixture_ask("INSERT INTO role_grant (principal_id, org_id, project_id, role) VALUES (%s, %s, %s, 'R')",
                fixture_quote(fixture_id(KEY)), fixture_quote(organization), fixture_quote(fixture_id(PROJECT)));
    long before = atol(fixture_ask("SELECT revision FROM principal WHERE id = %s", fixture_quote(fixture_id(KEY))));
    assert_ok(tx_begin(store, arena, organization, &tx));
    assert_ok(store_project_lock_to_go(tx, organization, fixture_id(PROJECT), &project));
    assert_ok(tx_commit(tx));
    assert_true(atol(fixture_ask("SELECT revision FROM principal WHERE id = %s", fixture_quote(fixture_id(KEY)))) >
                before);
}

/* Resources refer to their project by nothing that the database would check. */
static void
resource_of_a_project_that_was_deleted_is_not_made(void **state)
{
    (void)state;
    struct tx *deletes CLEANUP(tx_cleanup) = NULL, *changes CLEANUP(tx_cleanup) = NULL,
                       *late CLEANUP(tx_cleanup) = NULL;
    struct project project;
    struct resource resource;
    id organization = fixture_id(ORGANIZATION);
    assert_ok(tx_begin(store, arena, organization, &deletes));
    assert_ok(tx_begin(store, arena, organization, &changes));
    assert_ok(store_project_lock_to_go(deletes, organization, fixture_id(PROJECT), &project));
    /* Whoever comes meanwhile waits, for longer than it may. */
    assert_fails(store_resource_lock_single(changes, organization, fixture_id(PROJECT), STR("k"), STR("{}"), &resource),
                 OVERLOADED);
    assert_ok(store_project_delete(deletes, organization, fixture_id(PROJECT)));
    assert_ok(tx_commit(deletes));
    assert_ok(tx_begin(store, arena, organization, &late));
    assert_fails(store_resource_lock_single(late, organization, fixture_id(PROJECT), STR("k"), STR("{}"), &resource),
                 CONCURRENT_CHANGE);
    assert_string_equal(fixture_ask("SELECT count(*) FROM resource"), "0");
}

static bool
has_room(int person, int64_t most)
{
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    json_t *projects = json_in(arena, json_pack("[s]", id_text(arena, fixture_id(PROJECT)).data));
    bool room;
    int64_t limit;
    assert_ok(tx_begin(store, arena, fixture_id(ORGANIZATION), &tx));
    assert_ok(store_project_check_room(tx, fixture_id(ORGANIZATION), fixture_id((uint32_t)person), projects,
                                       STR("project.users"), most, &room, &limit));
    return room;
}

static void
full_project_has_room_only_for_those_who_are_in_it(void **state)
{
    (void)state;
    assert_true(has_room(BOB, 1));
    fixture_ask("INSERT INTO role_grant (principal_id, org_id, project_id, role) VALUES (%s, %s, %s, 'R')",
                fixture_quote(fixture_id(ADA)), fixture_quote(fixture_id(ORGANIZATION)),
                fixture_quote(fixture_id(PROJECT)));
    assert_false(has_room(BOB, 1));
    assert_true(has_room(ADA, 1));
    assert_true(has_room(BOB, 2));
    fixture_ask("INSERT INTO project_limit (project_id, org_id, name, value) VALUES (%s, %s, 'project.users', 1)",
                fixture_quote(fixture_id(PROJECT)), fixture_quote(fixture_id(ORGANIZATION)));
    assert_false(has_room(BOB, 2));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(invitation_to_an_organization_that_is_gone_is_not_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(role_can_be_granted_while_its_project_is_changed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(credentials_of_a_project_that_goes_get_another_etag, set_up, tear_down),
        cmocka_unit_test_setup_teardown(resource_of_a_project_that_was_deleted_is_not_made, set_up, tear_down),
        cmocka_unit_test_setup_teardown(full_project_has_room_only_for_those_who_are_in_it, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, open_store, close_store);
}
