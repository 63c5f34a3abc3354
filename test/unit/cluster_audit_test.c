/* SPDX-License-Identifier: Apache-2.0 */
/* What a filter may say, and the rule that members are told. */
#include "check.h"

#include "base/json.h"
#include "cluster/audit.h"

static struct arena *arena;

static const char *
rule_of(const char *filter)
{
    json_t *rule = NULL;
    assert_ptr_equal(audit_filter_read(arena, str_from(filter), &rule), OK);
    return json_text(arena, rule).data;
}

static void
assert_refused(const char *filter, const char *place)
{
    json_t *rule = NULL;
    error why = audit_filter_read(arena, str_from(filter), &rule);
    assert_ptr_not_equal(why, OK);
    assert_null(rule);
    assert_int_equal(why->code, INVALID_ATTRIBUTE_VALUE);
    assert_non_null(strstr(why->detail.data, place));
}

static void
no_filter_lets_everything_through(void **state)
{
    (void)state;
    const char *everything = "{\"classes\":[\"READ\",\"WRITE\",\"FUNCTION\",\"ROLE\",\"DDL\",\"MISC\"],\"users\":[],"
                             "\"databases\":[],\"catalog\":false,\"parameters\":false}";
    assert_string_equal(rule_of(""), everything);
    assert_string_equal(rule_of("{}"), everything);
}

static void
what_is_said_is_in_the_rule(void **state)
{
    (void)state;
    assert_string_equal(
        rule_of("{\"classes\": [\"DDL\"], \"users\": [\"app\", \"CN=ci\"], \"databases\": [\"shop\"], "
                "\"catalog\": true, \"parameters\": true}"),
        "{\"classes\":[\"DDL\"],\"users\":[\"app\",\"CN=ci\"],\"databases\":[\"shop\"],\"catalog\":true,"
        "\"parameters\":true}");
}

static void
what_is_wrong_is_named(void **state)
{
    (void)state;
    assert_refused("[]", "auditFilter");
    assert_refused("{\"classes\": [\"DDL\"]", "auditFilter");
    assert_refused("{\"classes\": [\"DDL\"], \"classes\": [\"READ\"]}", "auditFilter");
    assert_refused("{\"class\": [\"DDL\"]}", "auditFilter.class");
    assert_refused("{\"classes\": []}", "auditFilter.classes");
    assert_refused("{\"classes\": \"DDL\"}", "auditFilter.classes");
    assert_refused("{\"classes\": [\"DDL\", \"ddl\"]}", "auditFilter.classes[1]");
    assert_refused("{\"classes\": [\"DDL\", \"DDL\"]}", "auditFilter.classes[1]");
    assert_refused("{\"classes\": [\"ALL\"]}", "auditFilter.classes[0]");
    assert_refused("{\"users\": [7]}", "auditFilter.users[0]");
    assert_refused("{\"users\": [\"\"]}", "auditFilter.users[0]");
    assert_refused("{\"users\": [\"a\\nb\"]}", "auditFilter.users[0]");
    assert_refused("{\"databases\": [\"shop\", \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"]}",
                   "auditFilter.databases[1]");
    assert_refused("{\"catalog\": 1}", "auditFilter.catalog");
    assert_refused("{\"parameters\": null}", "auditFilter.parameters");
    assert_refused(
        "{\"users\": [\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"9\",\"10\",\"11\",\"12\",\"13\",\"14\","
        "\"15\",\"16\",\"17\",\"18\",\"19\",\"20\",\"21\"]}",
        "auditFilter.users");
}

int
main(void)
{
    json_init();
    arena = arena_new(1 << 20);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_filter_lets_everything_through),
        cmocka_unit_test(what_is_said_is_in_the_rule),
        cmocka_unit_test(what_is_wrong_is_named),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(arena);
    return failed;
}
