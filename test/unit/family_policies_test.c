/* SPDX-License-Identifier: Apache-2.0 */
/* Resource policies where clusters change, and what they cost there. Access lists and the policies' own API are in the exchanges. */
#include "cluster_fixture.h"

#include <stdlib.h>

#include "store/cluster/cluster.h"
#include "store/policy/policy.h"

static void
add_policy(struct place place, const char *name, const char *body)
{
    static uint32_t number = 600000;
    id policy = fixture_id(++number);
    char digits[ID_DIGITS + 1];
    id_write(policy, digits);
    fixture_ask(
        "INSERT INTO resource (scope, kind, id, name, org_id, document) VALUES (%s, 'resourcePolicy', %s, '%s', %s, "
        "jsonb_build_object('name', '%s', 'policies', jsonb_build_array(jsonb_build_object('id', '%s', 'body', '%s'))))",
        fixture_quote(place.organization), fixture_quote(policy), digits, fixture_quote(place.organization), name,
        digits, body);
}

static void
no_way_leads_to_what_is_forbidden(void **state)
{
    (void)state;
    struct place place = new_place();
    assert_asks(place, "createGroupCluster", "", document("orders", THREE_IN_A), "OK");
    assert_asks(place, "createGroupCluster", "", document("single", REGION("A", "M10", 1)), "OK");
    settle();
    add_policy(place, "no single members", "$members < 2");
    add_policy(place, "no flex in B", "$resource == \"FLEX_CLUSTER\" && $.providerSettings.regionName == \"B\"");
    assert_asks(place, "createGroupCluster", "", document("more", REGION("A", "M10", 1)), "POLICY_FORBIDS");
    assert_asks(place, "updateGroupCluster", "orders", document(NULL, REGION("A", "M10", 1)), "POLICY_FORBIDS");
    assert_asks(place, "updateGroupCluster", "single", "{\"tags\": []}", "OK"); /* it has none: nothing changes */
    assert_asks(place, "updateGroupCluster", "single", "{\"paused\": true}", "POLICY_FORBIDS");
    assert_asks(place, "createGroupFlexCluster", "",
                "{\"name\": \"small\", \"providerSettings\": {\"backingProviderName\": \"P\", \"regionName\": \"B\"}}",
                "POLICY_FORBIDS");
    assert_asks(place, "createGroupFlexCluster", "",
                "{\"name\": \"small\", \"providerSettings\": {\"backingProviderName\": \"P\", \"regionName\": \"A\"}}",
                "OK");
    settle();
    assert_asks(place, "tenantGroupFlexClusterUpgrade", "", document("small", REGION("A", "M10", 1)), "POLICY_FORBIDS");
    add_policy(place, "no protection", "$.terminationProtectionEnabled == true");
    assert_asks(place, "updateGroupFlexCluster", "small", "{\"terminationProtectionEnabled\": true}", "POLICY_FORBIDS");
    /* What exists can be ended, and made to comply. */
    assert_asks(place, "updateGroupCluster", "single", document(NULL, REGION("A", "M10", 2)), "OK");
    settle();
    assert_asks(place, "deleteGroupCluster", "single", NULL, "OK");
    assert_asks(place, "deleteGroupCluster", "orders", NULL, "OK");
    assert_asks(place, "deleteGroupFlexCluster", "small", NULL, "OK");
    settle();
}

/* For the limit: those of others do not use it up. */
static void
policies_are_counted_by_organization(void **state)
{
    (void)state;
    struct place place = new_place(), other = new_place();
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(1024 * 1024);
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    int64_t count = -1;
    for (int i = 0; i < 3; i++)
        add_policy(place, "p", "$members < 1");
    add_policy(other, "p", "$members < 1");
    assert_ok(tx_begin(store, arena, place.organization, &tx));
    assert_ok(store_policy_count(tx, place.organization, &count));
    assert_int_equal(count, 3);
}

static void
policies_of_others_do_not_count(void **state)
{
    (void)state;
    struct place place = new_place(), other = new_place();
    add_policy(other, "nothing at all", "1 == 1");
    assert_asks(place, "createGroupCluster", "", document("orders", THREE_IN_A), "OK");
    assert_asks(other, "createGroupCluster", "", document("orders", THREE_IN_A), "POLICY_FORBIDS");
    settle();
    assert_asks(place, "deleteGroupCluster", "orders", NULL, "OK");
    settle();
}

static int
compare(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* The median of many, because other work on the machine only ever adds. */
enum { ROUNDS = 101, RULES = 10 };
static int64_t
median(int64_t *values)
{
    qsort(values, ROUNDS, sizeof(*values), compare);
    return values[ROUNDS / 2];
}

static void
ten_rules_cost_little_of_a_change(void **state)
{
    (void)state;
    struct place place = new_place();
    int64_t change_us[ROUNDS], judge_us[ROUNDS];
    assert_asks(place, "createGroupCluster", "", document("orders", THREE_IN_A), "OK");
    settle();
    for (int i = 0; i < RULES; i++)
        add_policy(place, "rule",
                   "$resource == \"CLUSTER\" && $.replicationSpecs[*].regionConfigs[*].regionName == \"Z\"");
    for (int i = 0; i < ROUNDS; i++) {
        struct arena *arena CLEANUP(arena_cleanup) = arena_new(FIXTURE_ARENA_BYTES);
        struct tx *tx CLEANUP(tx_cleanup) = NULL;
        struct policy_verdict verdict;
        char body[96];
        snprintf(body, sizeof(body), "{\"tags\": [{\"key\": \"k\", \"value\": \"%d\"}]}", i);
        int64_t started = clock_steady_us();
        assert_asks(place, "updateGroupCluster", "orders", body, "OK");
        change_us[i] = clock_steady_us() - started;
        str stored = str_from(document(NULL, THREE_IN_A));
        assert_ok(tx_begin(store, arena, place.organization, &tx));
        started = clock_steady_us();
        assert_ok(store_policy_judge(tx, place.organization, STR(CLUSTER_KIND),
                                     str_format(tx_arena(tx), "[%.*s]", STR_ARG(stored)), &verdict));
        judge_us[i] = clock_steady_us() - started;
        assert_false(verdict.forbidden);
    }
    int64_t change = median(change_us), judge = median(judge_us);
    print_message("a change takes %lld us, %d rules %lld us of it: %.1f%%\n", (long long)change, RULES,
                  (long long)judge, 100.0 * (double)judge / (double)change);
    assert_true(judge * 4 < change); /* the goal is a tenth; a busy machine is not to fail the build */
    assert_asks(place, "deleteGroupCluster", "orders", NULL, "OK");
    settle();
}

/* S4: what takes seconds to evaluate is not offered. */
static void
rules_that_take_long_are_refused(void **state)
{
    (void)state;
    static const char *const offered[] = {
        "$members < 2",
        "$members == -1",
        "$resource == \"ACCESS_LIST_ENTRY\" && ($.cidrBlock == \"0.0.0.0/0\" || $.cidrBlock == \"::/0\")",
        "$.replicationSpecs[*].regionConfigs[*].regionName != \"EU_NORTH\"",
        "$.tags[*] ? (@.key == \"a-b*c/d%e+1e9\").value == \"x\"",
        "$.name like_regex \"^10\\\\.[a-z]+\" flag \"i\"",
        "$.** == 1",
        "$.*.x == 19.5",
        "$.a1e5 == 1",
        "$.tags.size() > 3",
    };
    static const char *const refused[] = {
        "(1e131000/7)%(1e65000/3)>1",
        "$members * 2 > 1",
        "$.a[*]*2 > 1",
        "$.* *2 > 1",
        "$members - 1 > 2",
        "(@-1) > 2",
        "-$members > 1",
        "1e5 > 1",
        ".5E9 > 1",
        "12345678901234567890123 > 1",
        "$.**.** == 1",
        "$.x.string() == \"a\"",
        "\"1e99999\".number() > 1",
        "$ ? (exists($ ? (exists($ ? (exists($)))))) == 1",
        "$.a like_regex \"(a{200}){200}\"",
        "$.a like_regex \"(.)\\\\1\"",
        "$.a like_regex \"\\u007b\"",
        "$.\\u0073tring() == 1",
        "strict $.members", /* PostgreSQL calls it an error that there is none */
    };
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(1 << 20);
    struct place place = new_place();
    struct tx *tx CLEANUP(tx_cleanup) = NULL;
    str problem;
    assert_ok(tx_begin(store, arena, place.organization, &tx));
    for (size_t i = 0; i < LENGTH(offered); i++) {
        assert_ok(store_policy_problem(tx, str_from(offered[i]), &problem));
        assert_string_equal(problem.len == 0 ? "" : problem.data, "");
    }
    for (size_t i = 0; i < LENGTH(refused); i++) {
        assert_ok(store_policy_problem(tx, str_from(refused[i]), &problem));
        if (problem.len == 0)
            fail_msg("%s is offered", refused[i]);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_way_leads_to_what_is_forbidden), cmocka_unit_test(policies_are_counted_by_organization),
        cmocka_unit_test(policies_of_others_do_not_count),   cmocka_unit_test(rules_that_take_long_are_refused),
        cmocka_unit_test(ten_rules_cost_little_of_a_change),
    };
    return cmocka_run_group_tests(tests, cluster_set_up, cluster_tear_down);
}
