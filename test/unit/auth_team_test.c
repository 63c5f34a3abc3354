/* SPDX-License-Identifier: Apache-2.0 */
/* What a person may do through teams, as auth/ reads it, and how soon every node knows when it changes. */
#include "auth_support.h"

#include "store/team/team.h"

static struct node other; /* beside `node` */

static int
start(void **state)
{
    if (before_all(state) != 0)
        return -1;
    before_each(state);
    other = node_new(NULL, NULL);
    return after_each(state);
}

static int
stop(void **state)
{
    node_free(&other);
    return after_all(state);
}

/* An organization with a project, a team that holds a role in it, and a person who is a member of the organization only. */
struct place {
    id organization, project, team, person;
    struct node *seen_by;
    role_set expected;
};

static json_t *
entries_of(const struct place *place, const char *role)
{
    json_t *roles = role == NULL ? json_array() : json_pack("[s]", role);
    return json_in(arena, json_pack("[{s:s, s:o}]", "teamId", id_text(arena, place->team).data, "roleNames", roles));
}

static struct tx *
begin(const struct place *place)
{
    struct tx *tx = NULL;
    assert_ok(tx_begin(node.store, arena, place->organization, &tx));
    return tx;
}

static void
end(struct tx *tx)
{
    assert_ok(tx_commit(tx));
    tx_rollback(tx); /* gives the connection back */
}

static struct place
new_place(const char *role)
{
    struct place place = {
        .organization = new_organization(&node, false), .project = id_new(1), .team = id_new(1), .seen_by = &other
    };
    struct tx *service = NULL;
    bool changed;
    assert_ok(tx_begin_service(node.store, arena, &service));
    assert_ok(create_person(service, str_format(arena, "%s@example.org", id_text(arena, place.project).data),
                            STR("Ada"), STR("Lovelace"), &place.person));
    end(service);
    struct tx *tx = begin(&place);
    assert_ok(store_project_add(tx, place.organization, place.project, STR("p"), STR("{}")));
    assert_ok(store_team_add(tx, place.organization, place.team, STR("t")));
    assert_ok(store_team_roles_add(tx, place.organization, place.project, entries_of(&place, role), &changed));
    assert_ok(add_role_grant(tx, place.person, place.organization, ID_NONE, STR("ORG_MEMBER")));
    end(tx);
    return place;
}

static void
join(const struct place *place)
{
    bool added;
    struct tx *tx = begin(place);
    assert_ok(store_team_member_add(tx, place->organization, place->team, place->person, &added));
    assert_true(added);
    end(tx);
}

/* From memory where a node has it there. */
static role_set
roles_in(struct node *of, const struct place *place, id project)
{
    const struct principal *principal;
    assert_ok(snapshot_principal(of->auth->snapshot, arena, place->person, true, false, &principal));
    assert_non_null(principal);
    return principal_roles_in_project(principal, place->organization, project);
}

static bool
has_expected_roles(void *context)
{
    const struct place *place = context;
    return roles_in(place->seen_by, place, place->project) == place->expected;
}

static void
assert_roles_become(struct place *place, role_set roles)
{
    place->expected = roles;
    for (int i = 0; i < 2; i++) {
        place->seen_by = i == 0 ? &node : &other;
        assert_true(eventually(has_expected_roles, place, 5000));
    }
}

static void
member_holds_the_roles_of_the_team_and_no_more(void **state)
{
    (void)state;
    struct place place = new_place("GROUP_CLUSTER_MANAGER");
    assert_int_equal(roles_in(&node, &place, place.project), ORG_MEMBER);
    join(&place);
    assert_roles_become(&place, role_closure(ORG_MEMBER | PROJECT_CLUSTER_MANAGER));
    /* Only in that project, and not in the organization. */
    const struct principal *principal;
    assert_ok(snapshot_principal(node.auth->snapshot, arena, place.person, true, true, &principal));
    assert_int_equal(principal_roles_in_project(principal, place.organization, id_new(1)), ORG_MEMBER);
    assert_int_equal(principal_roles_in_organization(principal, place.organization), ORG_MEMBER);
}

static void
member_who_is_taken_out_loses_them_on_every_node(void **state)
{
    (void)state;
    struct place place = new_place("GROUP_OWNER");
    join(&place);
    assert_roles_become(&place, role_closure(ORG_MEMBER | PROJECT_OWNER));
    bool removed;
    struct tx *tx = begin(&place);
    assert_ok(store_team_member_remove(tx, place.organization, place.team, place.person, &removed));
    assert_true(removed);
    end(tx);
    assert_roles_become(&place, ORG_MEMBER);
}

static void
changed_roles_of_a_team_reach_its_members_on_every_node(void **state)
{
    (void)state;
    struct place place = new_place("GROUP_OWNER");
    join(&place);
    assert_roles_become(&place, role_closure(ORG_MEMBER | PROJECT_OWNER));
    bool changed;
    json_t *entries = entries_of(&place, "GROUP_INDEX_MANAGER");
    struct tx *tx = begin(&place);
    assert_ok(store_team_roles_add(tx, place.organization, place.project, entries, &changed));
    assert_ok(store_team_roles_keep(tx, place.organization, place.project, place.team,
                                    json_object_get(json_array_get(entries, 0), "roleNames"), &changed));
    assert_ok(store_team_members_changed(tx, place.organization, entries));
    end(tx);
    assert_roles_become(&place, role_closure(ORG_MEMBER | PROJECT_INDEX_MANAGER));
}

static void
deleted_team_leaves_its_members_nothing(void **state)
{
    (void)state;
    struct place place = new_place("GROUP_OWNER");
    join(&place);
    assert_roles_become(&place, role_closure(ORG_MEMBER | PROJECT_OWNER));
    struct tx *tx = begin(&place);
    assert_ok(store_team_members_changed(tx, place.organization, entries_of(&place, NULL)));
    assert_ok(store_team_delete(tx, place.organization, place.team));
    end(tx);
    assert_roles_become(&place, ORG_MEMBER);
}

/* The rights of the old teams must not wait for a person who comes back. */
static void
who_leaves_the_organization_leaves_its_teams(void **state)
{
    (void)state;
    struct place place = new_place("GROUP_OWNER");
    join(&place);
    assert_roles_become(&place, role_closure(ORG_MEMBER | PROJECT_OWNER));
    struct tx *tx = begin(&place);
    assert_ok(remove_role_grant(tx, place.person, place.organization, ID_NONE, STR("ORG_MEMBER"), NULL));
    end(tx);
    assert_roles_become(&place, 0);
    tx = begin(&place);
    assert_ok(add_role_grant(tx, place.person, place.organization, ID_NONE, STR("ORG_MEMBER")));
    end(tx);
    assert_roles_become(&place, ORG_MEMBER);
}

static void
who_changes_roles_in_one_transaction_stays_in_the_team(void **state)
{
    (void)state;
    struct place place = new_place("GROUP_OWNER");
    join(&place);
    struct tx *tx = begin(&place);
    assert_ok(remove_role_grant(tx, place.person, place.organization, ID_NONE, STR("ORG_MEMBER"), NULL));
    assert_ok(add_role_grant(tx, place.person, place.organization, ID_NONE, STR("ORG_BILLING_READ_ONLY")));
    end(tx);
    assert_roles_become(&place, role_closure(ORG_BILLING_READ_ONLY | PROJECT_OWNER));
}

/* ---- At the same moment ---- */
struct leaving {
    const struct place *place;
    struct arena *arena;
    error problem;
};

static void *
leave(void *context)
{
    struct leaving *leaving = context;
    const struct place *place = leaving->place;
    struct tx *tx = NULL;
    leaving->problem = tx_begin(node.store, leaving->arena, place->organization, &tx);
    if (leaving->problem == OK)
        leaving->problem = remove_role_grant(tx, place->person, place->organization, ID_NONE, STR("ORG_MEMBER"), NULL);
    if (leaving->problem == OK)
        leaving->problem = tx_commit(tx);
    tx_cleanup(&tx);
    return NULL;
}

static void
who_is_added_while_he_leaves_is_in_no_team(void **state)
{
    (void)state;
    struct place place = new_place("GROUP_OWNER");
    struct leaving leaving = { .place = &place, .arena = arena_new(1024 * 1024) };
    struct team_person person;
    bool found, added;
    pthread_t thread;
    struct tx *tx = begin(&place);
    assert_ok(store_team_person_find(tx, place.organization, place.person, STR_EMPTY, &found, &person));
    assert_true(found);
    assert_ok(store_team_member_add(tx, place.organization, place.team, place.person, &added));
    pthread_create(&thread, NULL, leave, &leaving);
    wait_for_a_lock();
    end(tx);
    pthread_join(thread, NULL);
    assert_ok(leaving.problem);
    arena_free(leaving.arena);
    int64_t count;
    tx = begin(&place);
    assert_ok(store_team_member_count(tx, place.organization, place.team, &count));
    end(tx);
    assert_int_equal(count, 0);
    assert_roles_become(&place, 0);
}

struct adding {
    struct place place; /* the person is this thread's own */
    struct arena *arena;
    error problem;
};

static void *
add_one(void *context)
{
    struct adding *adding = context;
    const struct place *place = &adding->place;
    struct tx *tx = NULL;
    struct team team;
    bool found, added;
    adding->problem = tx_begin(node.store, adding->arena, place->organization, &tx);
    if (adding->problem == OK)
        adding->problem = store_team_lock(tx, place->organization, place->team, &found, &team);
    if (adding->problem == OK)
        adding->problem = store_team_member_add(tx, place->organization, place->team, place->person, &added);
    if (adding->problem == OK)
        adding->problem = tx_commit(tx);
    tx_cleanup(&tx);
    return NULL;
}

static void
members_added_at_the_same_moment_all_stay(void **state)
{
    (void)state;
    enum { THREADS = 3 };
    struct place place = new_place("GROUP_READ_ONLY");
    struct adding adding[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        adding[i] = (struct adding){ .place = place, .arena = arena_new(1024 * 1024) };
        adding[i].place.person = new_place("GROUP_READ_ONLY").person;
        pthread_create(&threads[i], NULL, add_one, &adding[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_ok(adding[i].problem);
        arena_free(adding[i].arena);
    }
    int64_t count;
    struct tx *tx = begin(&place);
    assert_ok(store_team_member_count(tx, place.organization, place.team, &count));
    end(tx);
    assert_int_equal(count, THREADS);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(member_holds_the_roles_of_the_team_and_no_more),
        TEST(member_who_is_taken_out_loses_them_on_every_node),
        TEST(changed_roles_of_a_team_reach_its_members_on_every_node),
        TEST(deleted_team_leaves_its_members_nothing),
        TEST(who_leaves_the_organization_leaves_its_teams),
        TEST(who_changes_roles_in_one_transaction_stays_in_the_team),
        TEST(who_is_added_while_he_leaves_is_in_no_team),
        TEST(members_added_at_the_same_moment_all_stay),
    };
    need_services();
    return cmocka_run_group_tests(tests, start, stop);
}
