/* SPDX-License-Identifier: Apache-2.0 */
/* Passwords of directories are opened on their way to a host, and nothing else of a goal is touched. */
#include "check.h"

#include "base/crypto/directory_password.h"
#include "base/given_secret.h"
#include "base/json.h"
#include "fleet/goal_secret.h"

static struct fleet
a_fleet(void)
{
    struct fleet fleet = { .directory_key = { { 7 } } };
    return fleet;
}

static void
a_sealed_password_is_opened_where_it_stands(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 20);
    struct fleet fleet = a_fleet();
    id resource, other;
    assert_true(id_parse(STR("0123456789abcdef01234567"), &resource));
    assert_true(id_parse(STR("0123456789abcdef01234568"), &other));
    str sealed = directory_password_seal(arena, &fleet.directory_key, resource, STR("se\"same\\")), opened;
    str goal = str_format(arena,
                          "{\"a\": \"\\\"bindPassword\\\": \\\"sealed:x\\\"\", \"ldap\": {\"bindPassword\": "
                          "\"sealed:0123456789abcdef01234567:%s\"}, \"z\": 1}",
                          sealed.data);
    assert_ptr_equal(goal_open_secrets(&fleet, arena, goal, &opened), OK);
    assert_string_equal(opened.data, "{\"a\": \"\\\"bindPassword\\\": \\\"sealed:x\\\"\", \"ldap\": {\"bindPassword\": "
                                     "\"se\\\"same\\\\\"}, \"z\": 1}");
    /* One that was moved to another resource cannot be opened, and neither can one of another key. */
    goal = str_format(arena, "{\"bindPassword\": \"sealed:0123456789abcdef01234568:%s\"}", sealed.data);
    assert_ptr_equal(goal_open_secrets(&fleet, arena, goal, &opened), OK);
    assert_string_equal(opened.data, "{\"bindPassword\": \"\"}");
    arena_free(arena);
}

static void
a_goal_without_any_stays_as_it_is(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 20);
    struct fleet fleet = a_fleet();
    str goal = STR("{\"version\": 1}"), opened;
    assert_ptr_equal(goal_open_secrets(&fleet, arena, goal, &opened), OK);
    assert_ptr_equal(opened.data, goal.data);
    arena_free(arena);
}

static void
the_key_of_a_bucket_comes_with_where_the_host_may_go(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 20);
    struct fleet fleet = { .export_key = { { 9 } }, .logs = { .egress = STR("\"networks\":[\"10.9.0.0/16\"]") } };
    id bucket;
    assert_true(id_parse(STR("0123456789abcdef01234567"), &bucket));
    json_t *keys = json_pack("{s:s, s:s}", "accessKeyId", "EXPORTER", "secretAccessKey", "se\"same");
    str sealed =
            given_secret_seal(arena, &fleet.export_key, given_secret_place(arena, "backupExportBucket", bucket), keys),
        opened;
    json_decref(keys);
    str goal = str_format(arena, "{\"export\":{\"exportKeys\":\"sealed:0123456789abcdef01234567:%s\"}}", sealed.data);
    assert_ptr_equal(goal_open_secrets(&fleet, arena, goal, &opened), OK);
    assert_string_equal(
        opened.data, "{\"export\":{\"key\":\"EXPORTER\",\"secretKey\":\"se\\\"same\",\"networks\":[\"10.9.0.0/16\"]}}");
    /* Moved to another bucket it does not open, and nobody is told where to go. */
    goal = str_format(arena, "{\"export\":{\"exportKeys\":\"sealed:0123456789abcdef01234568:%s\"}}", sealed.data);
    assert_ptr_equal(goal_open_secrets(&fleet, arena, goal, &opened), OK);
    assert_string_equal(opened.data, "{\"export\":{\"key\":\"\",\"secretKey\":\"\"}}");
    arena_free(arena);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sealed_password_is_opened_where_it_stands),
        cmocka_unit_test(a_goal_without_any_stays_as_it_is),
        cmocka_unit_test(the_key_of_a_bucket_comes_with_where_the_host_may_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
