/* SPDX-License-Identifier: Apache-2.0 */
/* Passwords of directories are opened on their way to a host, and nothing else of a goal is touched. */
#include "check.h"

#include "base/crypto/backup_secret.h"
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

static void
the_key_for_a_key_service_comes_with_where_the_host_may_go(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 20);
    struct fleet fleet = { .key_service_key = { { 9 } }, .logs = { .egress = STR("\"networks\":[\"10.9.0.0/16\"]") } };
    id service;
    assert_true(id_parse(STR("0123456789abcdef01234567"), &service));
    json_t *secrets = json_pack("{s:s}", "clientKey", "se\"same");
    str sealed = given_secret_seal(arena, &fleet.key_service_key,
                                   given_secret_place(arena, "encryptionAtRest", service), secrets),
        opened;
    json_decref(secrets);
    str goal = str_format(arena, "{\"keys\":{\"keyServiceKey\":\"sealed:0123456789abcdef01234567:%s\"}}", sealed.data);
    assert_ptr_equal(goal_open_secrets(&fleet, arena, goal, &opened), OK);
    assert_string_equal(opened.data, "{\"keys\":{\"clientKey\":\"se\\\"same\",\"networks\":[\"10.9.0.0/16\"]}}");
    /* Of another project it does not open, and nobody is told where to go. */
    goal = str_format(arena, "{\"keys\":{\"keyServiceKey\":\"sealed:0123456789abcdef01234568:%s\"}}", sealed.data);
    assert_ptr_equal(goal_open_secrets(&fleet, arena, goal, &opened), OK);
    assert_string_equal(opened.data, "{\"keys\":{\"clientKey\":\"\"}}");
    arena_free(arena);
}

/* Each of many members brings where the host may go. */
static void
many_keys_for_key_services_have_room(void **state)
{
    (void)state;
    enum { MANY = 200, NETWORKS = 400 };
    struct arena *arena = arena_new(1 << 24);
    struct buf networks = buf_in(arena, 1 << 20), goal = buf_in(arena, 1 << 20);
    buf_add_text(&networks, "\"networks\":[\"10.0.0.0/16\"");
    for (int i = 1; i < NETWORKS; i++)
        buf_format(&networks, ",\"10.%d.%d.0/24\"", i / 256, i % 256);
    buf_add_text(&networks, "]");
    struct fleet fleet = { .key_service_key = { { 9 } }, .logs = { .egress = buf_str(&networks) } };
    id service;
    assert_true(id_parse(STR("0123456789abcdef01234567"), &service));
    json_t *secrets = json_pack("{s:s}", "clientKey", "se\"same");
    str sealed = given_secret_seal(arena, &fleet.key_service_key,
                                   given_secret_place(arena, "encryptionAtRest", service), secrets),
        opened;
    json_decref(secrets);
    for (int i = 0; i < MANY; i++)
        buf_format(&goal, "{\"keyServiceKey\":\"sealed:0123456789abcdef01234567:%s\"}", sealed.data);
    assert_ptr_equal(goal_open_secrets(&fleet, arena, buf_str(&goal), &opened), OK);
    str one = str_format(arena, "{\"clientKey\":\"se\\\"same\",%s}", networks.data);
    assert_int_equal(opened.len, MANY * one.len);
    assert_memory_equal(opened.data + (MANY - 1) * one.len, one.data, one.len);
    arena_free(arena);
}

static void
the_key_of_a_role_comes_with_the_way_to_the_operators_store(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 20);
    struct fleet fleet = { .backup_key = { { 9 } }, .logs = { .egress = STR("\"networks\":[\"10.9.0.0/16\"]") } };
    str sealed, opened;
    assert_true(object_store_keys_seal(arena, &fleet.backup_key, STR("role/0123456789abcdef01234567"),
                                       STR("{\"key\":\"TENANTS\",\"secretKey\":\"se\\\"same\"}"), &sealed));
    const char *hex = str_hex(arena, sealed.data, sealed.len).data;
    str goal =
        str_format(arena, "{\"export\":{\"exportKeys\":\"sealed:role/0123456789abcdef01234567:%s:50454d\"}}", hex);
    assert_ptr_equal(goal_open_secrets(&fleet, arena, goal, &opened), OK);
    assert_string_equal(
        opened.data,
        "{\"export\":{\"key\":\"TENANTS\",\"secretKey\":\"se\\\"same\",\"networks\":[\"0.0.0.0/0\",\"::/0\"],\"authority\":\"PEM\"}}");
    /* Of another role, and of one that is gone, there is no key. */
    static const char *const others[] = { "role/0123456789abcdef01234568", "object-store", "role/gone" };
    for (size_t i = 0; i < LENGTH(others); i++) {
        goal = str_format(arena, "{\"export\":{\"exportKeys\":\"sealed:%s:%s\"}}", others[i], i == 2 ? "" : hex);
        assert_ptr_equal(goal_open_secrets(&fleet, arena, goal, &opened), OK);
        assert_string_equal(opened.data, "{\"export\":{\"key\":\"\",\"secretKey\":\"\"}}");
    }
    arena_free(arena);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sealed_password_is_opened_where_it_stands),
        cmocka_unit_test(a_goal_without_any_stays_as_it_is),
        cmocka_unit_test(the_key_for_a_key_service_comes_with_where_the_host_may_go),
        cmocka_unit_test(many_keys_for_key_services_have_room),
        cmocka_unit_test(the_key_of_a_bucket_comes_with_where_the_host_may_go),
        cmocka_unit_test(the_key_of_a_role_comes_with_the_way_to_the_operators_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
