/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "base/json.h"
#include "engine/postgres/roles.h"

static struct role_plan
plan_of(struct arena *arena, size_t user_count, struct goal_user *users, size_t role_count,
        struct goal_custom_role *roles)
{
    struct goal_access access = { .users = { user_count, users }, .roles = { role_count, roles } };
    struct role_plan plan;
    error why = role_plan_make(arena, &access, &plan);
    if (why != OK)
        fail_msg("no plan: %s", why->detail.data);
    return plan;
}

static void
equal_roles_are_one_group_and_other_ones_are_not(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 22);
    struct goal_role read[] = { { STR("read"), STR("shop"), STR_EMPTY } },
                     write[] = { { STR("readWrite"), STR("shop"), STR_EMPTY } },
                     table[] = { { STR("read"), STR("shop"), STR("orders") } },
                     other[] = { { STR("read"), STR("books"), STR_EMPTY } };
    struct goal_user users[] = {
        { .name = STR("a"), .roles = { 1, read } },  { .name = STR("b"), .roles = { 1, read } },
        { .name = STR("c"), .roles = { 1, write } }, { .name = STR("d"), .roles = { 1, table } },
        { .name = STR("e"), .roles = { 1, other } },
    };
    struct role_plan plan = plan_of(arena, LENGTH(users), users, 0, NULL);
    assert_int_equal(plan.group_count, 4);
    assert_true(str_eq(plan.users[0].groups.items[0], plan.users[1].groups.items[0]));
    assert_false(str_eq(plan.users[0].groups.items[0], plan.users[2].groups.items[0]));
    assert_false(str_eq(plan.users[0].groups.items[0], plan.users[3].groups.items[0]));
    assert_int_equal(plan.databases.count, 2);
    assert_string_equal(role_table_privileges(arena, plan.groups[1].privileges[0].may, 170000).data,
                        "SELECT,INSERT,UPDATE,DELETE");
    arena_free(arena);
}

static void
custom_roles_become_what_they_allow(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 22);
    struct goal_privilege privileges[] = {
        { STR("FIND"), STR("shop"), STR("orders") },         { STR("REMOVE"), STR("shop"), STR("orders") },
        { STR("CREATE_INDEX"), STR("shop"), STR("orders") }, { STR("KILL_OP"), STR_EMPTY, STR_EMPTY },
        { STR("SOMETHING_NEW"), STR("books"), STR_EMPTY },
    };
    struct goal_role inherits[] = { { STR("readWrite"), STR("books"), STR_EMPTY } },
                     roles[] = { { STR("mine"), STR("admin"), STR_EMPTY } };
    struct goal_custom_role custom[] = { { STR("mine"), { LENGTH(privileges), privileges }, { 1, inherits } } };
    struct goal_user users[] = { { .name = STR("a"), .roles = { 1, roles } } };
    struct role_plan plan = plan_of(arena, 1, users, 1, custom);
    assert_int_equal(plan.problem.len, 0);
    assert_int_equal(plan.group_count, 1);
    const struct role_group *group = &plan.groups[0];
    assert_int_equal(group->count, 3); /* everywhere, books, shop.orders: sorted */
    assert_int_equal(group->also, ALSO_SIGNAL);
    assert_string_equal(group->privileges[1].database.data, "books");
    assert_int_equal(group->privileges[1].may & (MAY_SELECT | MAY_CREATE), MAY_SELECT | MAY_CREATE);
    assert_int_equal(group->privileges[2].may, MAY_SELECT | MAY_DELETE | MAY_CONNECT); /* nobody owns a part */
    assert_int_equal(plan.databases.count, 2);
    /* The order in which it is said does not matter, what is said does. */
    struct goal_privilege first = privileges[0];
    str before = group->name;
    privileges[0] = privileges[1];
    privileges[1] = first;
    assert_true(str_eq(plan_of(arena, 1, users, 1, custom).groups[0].name, before));
    privileges[0].action = STR("UPDATE");
    assert_false(str_eq(plan_of(arena, 1, users, 1, custom).groups[0].name, before));
    arena_free(arena);
}

static void
roles_that_inherit_themselves_end(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 22);
    struct goal_role to_b[] = { { STR("b"), STR_EMPTY, STR_EMPTY } }, to_a[] = { { STR("a"), STR_EMPTY, STR_EMPTY } };
    struct goal_custom_role custom[] = { { STR("a"), { 0 }, { 1, to_b } }, { STR("b"), { 0 }, { 1, to_a } } };
    struct goal_user users[] = { { .name = STR("u"), .roles = { 1, to_a } } };
    struct role_plan plan = plan_of(arena, 1, users, 2, custom);
    assert_true(plan.problem.len > 0);
    arena_free(arena);
}

static void
administrators_own_but_are_no_superusers(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 22);
    struct goal_role admin[] = { { STR("serviceAdmin"), STR("admin"), STR_EMPTY } },
                     reader[] = { { STR("readAnyDatabase"), STR("admin"), STR_EMPTY } };
    struct goal_user users[] = { { .name = STR("boss"), .roles = { 1, admin } },
                                 { .name = STR("r"), .roles = { 1, reader } } };
    struct role_plan plan = plan_of(arena, 2, users, 0, NULL);
    assert_true(plan.users[0].creates_databases && plan.users[0].creates_roles);
    assert_false(plan.users[1].creates_databases || plan.users[1].creates_roles);
    assert_int_equal(plan.databases.count, 0); /* "admin" is no database here */
    assert_int_equal(plan.groups[1].also, 0);
    assert_int_equal(plan.groups[1].privileges[0].may, MAY_SELECT | MAY_CONNECT);
    arena_free(arena);
}

static void
names_that_postgres_or_we_need_are_refused(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 22);
    static const char *const bad[] = { "",     "postgres", "pg_monitor", "reeve_managed", "public",
                                       "a\nb", "/regex",   "+group",     "@file" };
    static const char *const good[] = { "app", "CN=ci,OU=x,O=y", "o'dd \"name; --", "é", "Postgres", "pgbench" };
    for (size_t i = 0; i < LENGTH(bad); i++) {
        struct goal_user users[] = { { .name = str_from(bad[i]) }, { .name = STR("fine") } };
        struct role_plan plan = plan_of(arena, 2, users, 0, NULL);
        assert_int_equal(plan.user_count, 1);
        assert_true(plan.problem.len > 0);
    }
    for (size_t i = 0; i < LENGTH(good); i++)
        assert_null(role_name_problem(str_from(good[i])));
    struct goal_role system[] = { { STR("readWrite"), STR("postgres"), STR_EMPTY } };
    struct goal_user users[] = { { .name = STR("a"), .roles = { 1, system } } };
    assert_true(plan_of(arena, 1, users, 0, NULL).problem.len > 0);
    arena_free(arena);
}

static void
long_names_fit_and_stay_apart(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 22);
    char a[200], b[200];
    memset(a, 'x', sizeof(a));
    memset(b, 'x', sizeof(b));
    b[199] = 'y';
    str first = role_name(arena, (str){ a, sizeof(a) }), second = role_name(arena, (str){ b, sizeof(b) });
    assert_true(first.len <= 63 && second.len <= 63 && !str_eq(first, second));
    struct buf accents = buf_in(arena, 1000);
    for (int i = 0; i < 100; i++)
        buf_add_text(&accents, "\xc3\xa9");
    for (size_t shift = 0; shift < 2; shift++) {
        str name = role_name(arena, str_format(arena, "%s%s", shift ? "x" : "", buf_str(&accents).data));
        assert_true(str_is_text(name) && name.len <= 63);
    }
    assert_string_equal(role_table_privileges(arena, MAY_MAINTAIN | MAY_SELECT, 160000).data, "SELECT");
    assert_string_equal(role_table_privileges(arena, MAY_MAINTAIN, 160000).data, "");
    arena_free(arena);
}

int
main(void)
{
    json_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_roles_are_one_group_and_other_ones_are_not),
        cmocka_unit_test(custom_roles_become_what_they_allow),
        cmocka_unit_test(roles_that_inherit_themselves_end),
        cmocka_unit_test(administrators_own_but_are_no_superusers),
        cmocka_unit_test(names_that_postgres_or_we_need_are_refused),
        cmocka_unit_test(long_names_fit_and_stay_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
