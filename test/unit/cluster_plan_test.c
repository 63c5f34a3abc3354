/* SPDX-License-Identifier: Apache-2.0 */
/* Who stays, who goes and who is missing, for every kind of change. */
#include "arena_fixture.h"

#include "base/json.h"
#include "cluster/member.h"
#include "cluster/names.h"
#include "cluster/plan.h"
#include "cluster/state.h"

/* ---- Fixtures: members and documents in a few letters ---- */

/* One region config: {"A", 3, 0, 7} is three electable members in region A with priority 7. */
struct region {
    const char *name;
    int electable, read_only, priority, analytics;
};

static struct wanted
document_of(const char *size, int disk_gb, const struct region *regions, size_t count)
{
    json_t *configs = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *config = json_pack("{s:s, s:s, s:i}", "providerName", "P", "regionName", regions[i].name, "priority",
                                   regions[i].priority);
        if (regions[i].electable > 0)
            json_object_set_new(config, "electableSpecs",
                                json_pack("{s:s, s:i, s:i}", "instanceSize", size, "nodeCount", regions[i].electable,
                                          "diskSizeGB", disk_gb));
        if (regions[i].read_only > 0)
            json_object_set_new(config, "readOnlySpecs",
                                json_pack("{s:s, s:i, s:i}", "instanceSize", size, "nodeCount", regions[i].read_only,
                                          "diskSizeGB", disk_gb));
        if (regions[i].analytics > 0)
            json_object_set_new(config, "analyticsSpecs",
                                json_pack("{s:s, s:i, s:i}", "instanceSize", size, "nodeCount", regions[i].analytics,
                                          "diskSizeGB", disk_gb));
        json_array_append_new(configs, config);
    }
    json_t *document = json_in(arena, json_pack("{s:[{s:o}]}", "replicationSpecs", "regionConfigs", configs));
    struct wanted wanted;
    assert_true(wanted_from_document(document, &wanted));
    return wanted;
}
#define DOCUMENT(size, disk_gb, ...) \
    document_of(size, disk_gb, (struct region[]){ __VA_ARGS__ }, LENGTH(((struct region[]){ __VA_ARGS__ })))

static struct plan_member
member(const char *region, int ordinal, const char *size)
{
    return (struct plan_member){ .provider = STR("P"),
                                 .region = str_from(region),
                                 .size = str_from(size),
                                 .disk_gb = 10,
                                 .ordinal = ordinal,
                                 .is_healthy = true,
                                 .electable = true };
}

/* What becomes of each: '0' and on: its group; '-': it goes. Then how many are missing in each group. */
static void
assert_plan(const struct wanted *wanted, const struct plan_member *members, size_t count, const char *expected)
{
    struct plan plan;
    char text[PLAN_MAX_MEMBERS + 4 * WANTED_MAX_GROUPS], *at = text;
    plan_make(wanted, members, count, &plan);
    for (size_t i = 0; i < count; i++)
        *at++ = plan.group[i] == GOES ? '-' : (char)('0' + plan.group[i]);
    for (size_t g = 0; g < wanted->group_count; g++)
        at += sprintf(at, " %d", plan.missing[g]);
    *at = '\0';
    assert_string_equal(text, expected);
}

/* ---- The plan ---- */

static void
a_new_cluster_misses_everybody(void **state)
{
    (void)state;
    struct wanted wanted = DOCUMENT("M10", 10, { "A", 3, 1, 7 }, { "B", 2, 0, 6 });
    assert_int_equal(wanted_members(&wanted), 6);
    assert_plan(&wanted, NULL, 0, " 3 1 2");
}

static void
what_is_asked_for_stays(void **state)
{
    (void)state;
    struct wanted wanted = DOCUMENT("M10", 10, { "A", 3, 0, 7 });
    struct plan_member members[] = { member("A", 0, "M10"), member("A", 1, "M10"), member("A", 2, "M10") };
    assert_plan(&wanted, members, 3, "000 0");
}

static void
fewer_members_keep_the_primary_and_the_oldest(void **state)
{
    (void)state;
    struct wanted wanted = DOCUMENT("M10", 10, { "A", 2, 0, 7 });
    struct plan_member members[] = { member("A", 0, "M10"), member("A", 1, "M10"), member("A", 2, "M10"),
                                     member("A", 3, "M10") };
    members[3].is_primary = true;
    assert_plan(&wanted, members, 4, "0--0 0");
    /* A replica that is down goes before one that is not. */
    members[0].is_healthy = false;
    assert_plan(&wanted, members, 4, "-0-0 0");
}

static void
more_members_are_missing(void **state)
{
    (void)state;
    struct wanted wanted = DOCUMENT("M10", 10, { "A", 5, 0, 7 });
    struct plan_member members[] = { member("A", 0, "M10"), member("A", 1, "M10"), member("A", 2, "M10") };
    assert_plan(&wanted, members, 3, "000 2");
}

static void
another_region_is_added_to_before_the_old_one_goes(void **state)
{
    (void)state;
    struct wanted wanted = DOCUMENT("M10", 10, { "B", 3, 0, 7 });
    struct plan_member members[] = { member("A", 0, "M10"), member("A", 1, "M10"), member("A", 2, "M10") };
    assert_plan(&wanted, members, 3, "--- 3");
    /* The request has placed them: nobody is missing any more, and the old ones still go. */
    struct plan_member moved[] = { member("A", 0, "M10"), member("A", 1, "M10"), member("A", 2, "M10"),
                                   member("B", 3, "M10"), member("B", 4, "M10"), member("B", 5, "M10") };
    assert_plan(&wanted, moved, 6, "---000 0");
}

static void
a_member_on_a_host_that_is_emptied_is_replaced(void **state)
{
    (void)state;
    struct wanted wanted = DOCUMENT("M10", 10, { "A", 3, 0, 7 });
    struct plan_member members[] = { member("A", 0, "M10"), member("A", 1, "M10"), member("A", 2, "M10"),
                                     member("A", 3, "M10") };
    members[1].leaving = true;
    members[1].is_primary = true;
    assert_plan(&wanted, members, 3, "0-0 1");
    assert_plan(&wanted, members, 4, "0-00 0");
}

static void
the_right_size_wins_over_everything_else(void **state)
{
    (void)state;
    struct wanted wanted = DOCUMENT("M20", 10, { "A", 2, 0, 7 });
    struct plan_member members[] = { member("A", 0, "M10"), member("A", 1, "M20"), member("A", 2, "M20") };
    members[0].is_primary = true; /* its host had no room: the third one was placed for it */
    assert_plan(&wanted, members, 3, "-00 0");
    /* When all have another size they stay: a job makes them smaller at the end. */
    struct plan_member large[] = { member("A", 0, "M30"), member("A", 1, "M30") };
    assert_plan(&wanted, large, 2, "00 0");
    /* Disks count as well. */
    members[1].disk_gb = 5;
    assert_plan(&wanted, members, 3, "0-0 0");
}

static void
electable_members_become_read_only_ones_where_they_are(void **state)
{
    (void)state;
    struct wanted wanted = DOCUMENT("M10", 10, { "A", 1, 2, 7 });
    struct plan_member members[] = { member("A", 0, "M10"), member("A", 1, "M10"), member("A", 2, "M10") };
    members[2].is_primary = true;
    assert_plan(&wanted, members, 3, "110 0 0");
    /* And one that is read-only already is not made electable while there is another. */
    members[2].is_primary = false;
    members[0].electable = false;
    assert_plan(&wanted, members, 3, "101 0 0");
}

/* Strings lead to them by what they are: one is made anew rather than turned into something else. */
static void
members_for_analytics_stay_what_they_are(void **state)
{
    (void)state;
    struct wanted wanted = DOCUMENT("M10", 10, { "A", 2, 0, 7, 1 });
    struct plan_member members[] = { member("A", 0, "M10"), member("A", 1, "M10"), member("A", 2, "M10") };
    members[2].electable = false;
    assert_plan(&wanted, members, 3, "00- 0 1"); /* a read-only one is none */
    members[2].analytics = true;
    assert_plan(&wanted, members, 3, "001 0 0");
    struct wanted without = DOCUMENT("M10", 10, { "A", 2, 1, 7 });
    assert_plan(&without, members, 3, "00- 0 1");
    assert_false(wanted.groups[1].electable);
    assert_int_equal(wanted_members(&wanted), 3);
}

/* A size of their own is theirs alone, and makes nobody else leave. */
static void
members_for_analytics_may_have_another_size(void **state)
{
    (void)state;
    const json_t *document = json_parse_own(
        arena,
        STR("{\"replicationSpecs\": [{\"regionConfigs\": ["
            "{\"providerName\": \"P\", \"regionName\": \"A\", \"priority\": 7, \"analyticsSpecs\": {\"instanceSize\": \"M30\", \"nodeCount\": 2, \"diskSizeGB\": 10}, "
            "\"electableSpecs\": {\"instanceSize\": \"M10\", \"nodeCount\": 2, \"diskSizeGB\": 10}, "
            "\"readOnlySpecs\": {\"instanceSize\": \"M10\", \"nodeCount\": 1, \"diskSizeGB\": 10}}]}]}"));
    struct wanted wanted, without = DOCUMENT("M10", 10, { "A", 2, 1, 7 });
    assert_true(wanted_from_document(document, &wanted));
    assert_true(str_is(wanted.size, "M10") && str_is(wanted_analytics_size(&wanted), "M30"));
    assert_int_equal(wanted_analytics_size(&without).len, 0);
    assert_true(str_is(wanted.groups[0].size, "M10") && str_is(wanted.groups[1].size, "M10"));
    assert_true(str_is(wanted.groups[2].size, "M30"));
    struct plan_member members[] = { member("A", 0, "M10"), member("A", 1, "M10"), member("A", 2, "M10"),
                                     member("A", 3, "M10"), member("A", 4, "M30"), member("A", 5, "M30") };
    for (size_t i = 3; i < LENGTH(members); i++)
        members[i].analytics = true;
    members[2].electable = members[3].electable = members[4].electable = members[5].electable = false;
    assert_plan(&wanted, members, 6, "001-22 0 0 0"); /* of three for analytics the two that have the size */
    assert_plan(&wanted, members, 5, "00122 0 0 0");  /* the other grows where it is */
}

/* Every change between small documents, carried out as jobs do it: ends with exactly what is asked for, and on the way never has
 * fewer members that stay than before or than asked for. */
static void
every_change_ends_where_it_should(void **state)
{
    (void)state;
    static const char *const names[] = { "A", "B" };
    int changes = 0;
    for (int from = 0; from < 4 * 4; from++) {
        for (int to = 0; to < 4 * 4; to++) {
            if (from % 4 + from / 4 == 0 || to % 4 + to / 4 == 0)
                continue;
            struct plan_member members[16];
            size_t count = 0;
            for (int r = 0; r < 2; r++) {
                for (int n = 0; n < (r == 0 ? from % 4 : from / 4); n++) {
                    members[count] = member(names[r], (int)count, "M10");
                    members[count].is_primary = count == 0;
                    count++;
                }
            }
            struct region regions[2];
            size_t region_count = 0;
            for (int r = 0; r < 2; r++) {
                int wants = r == 0 ? to % 4 : to / 4;
                if (wants > 0)
                    regions[region_count++] = (struct region){ names[r], wants, 0, 7 - r };
            }
            struct wanted wanted = document_of("M10", 10, regions, region_count);
            struct plan plan;
            plan_make(&wanted, members, count, &plan);
            for (size_t g = 0; g < wanted.group_count; g++) {
                for (int n = 0; n < plan.missing[g]; n++, count++)
                    members[count] = member(wanted.groups[g].region.data, (int)count, "M10");
            }
            plan_make(&wanted, members, count, &plan);
            assert_false(plan_has_missing(&plan));
            int stays = 0;
            for (size_t i = 0; i < count; i++)
                stays += plan.group[i] != GOES;
            assert_int_equal(stays, wanted_members(&wanted));
            changes++;
        }
    }
    print_message("%d changes\n", changes);
}

static void
the_primary_belongs_where_the_priority_is_highest(void **state)
{
    (void)state;
    struct wanted wanted = DOCUMENT("M10", 10, { "A", 2, 1, 6 }, { "B", 1, 0, 7 });
    assert_int_equal(plan_preferred_group(&wanted), 2);
    assert_true(str_is(wanted.groups[2].region, "B"));
}

/* ---- Documents ---- */

static void
a_document_that_asks_for_nothing_is_refused(void **state)
{
    (void)state;
    struct wanted wanted;
    static const char *const texts[] = {
        "{}",
        "{\"replicationSpecs\": []}",
        "{\"replicationSpecs\": [{\"regionConfigs\": []}]}",
        "{\"replicationSpecs\": [{\"regionConfigs\": [{\"providerName\": \"P\", \"regionName\": \"A\"}]}]}",
        "{\"replicationSpecs\": [{\"regionConfigs\": [{\"providerName\": \"P\", \"regionName\": \"A\", "
        "\"electableSpecs\": {\"instanceSize\": \"M10\", \"nodeCount\": 3, \"diskSizeGB\": 0}}]}]}",
        "{\"replicationSpecs\": [{\"regionConfigs\": [{\"providerName\": \"P\", \"regionName\": \"A\", "
        "\"electableSpecs\": {\"instanceSize\": \"M10\", \"nodeCount\": -1, \"diskSizeGB\": 10}}]}]}",
    };
    for (size_t i = 0; i < LENGTH(texts); i++)
        assert_false(wanted_from_document(json_parse_own(arena, str_from(texts[i])), &wanted));
}

static void
flex_documents_are_read_as_well(void **state)
{
    (void)state;
    struct wanted wanted;
    json_t *document =
        json_parse_own(arena, STR("{\"providerSettings\": {\"backingProviderName\": \"P\", \"regionName\": \"A\", "
                                  "\"diskSizeGB\": 5}}"));
    assert_true(wanted_from_document(document, &wanted));
    assert_true(str_is(wanted.size, "FLEX"));
    assert_int_equal(wanted_members(&wanted), 3);
    assert_int_equal(wanted.disk_gb, 5);
}

/* ---- States ---- */

/* Whatever happens, there is an answer, and only DELETING has none. */
static void
every_state_but_the_last_knows_every_cause(void **state)
{
    (void)state;
    enum cluster_state next;
    for (int from = 0; from < CLUSTER_STATE_COUNT; from++) {
        for (int cause = CAUSE_CHANGE; cause <= CAUSE_TERMINATE; cause++)
            assert_int_equal(cluster_state_next((enum cluster_state)from, (enum cluster_cause)cause, &next),
                             from != CLUSTER_DELETING);
    }
    /* From each state IDLE can be reached, or the end. */
    for (int from = 0; from < CLUSTER_DELETING; from++) {
        assert_true(cluster_state_next((enum cluster_state)from, CAUSE_REACHED, &next));
        assert_int_equal(next, CLUSTER_IDLE);
        assert_int_equal(cluster_state_from(str_from(cluster_state_names[from])), from);
    }
    assert_int_equal(cluster_transition_count, CLUSTER_DELETING * 4);
    assert_int_equal(cluster_state_from(STR("IDL")), CLUSTER_STATE_COUNT);
}

/* ---- Names ---- */

static void
names_are_those_of_the_contract(void **state)
{
    (void)state;
    struct cluster_names names = { STR("k3x9aq"), STR_EMPTY, STR("p4ss1"), STR("example.test") };
    assert_true(str_is(name_of_host(arena, &names, 0, false), "k3x9aq-shard-00-00.p4ss1.example.test"));
    assert_true(str_is(name_of_host(arena, &names, 12, true), "k3x9aq-shard-00-12-pri.p4ss1.example.test"));
    assert_true(str_is(name_of_service(arena, &names, false), "_postgresql._tcp.k3x9aq.p4ss1.example.test"));
    assert_true(str_is(name_of_service(arena, &names, true), "_postgresql._tcp.k3x9aq-pri.p4ss1.example.test"));
    assert_true(str_is(name_service_target(arena, 27017, STR("a.b")), "0 0 27017 a.b"));
    names.host_label = STR("orders-k3x9aq");
    assert_true(str_is(name_of_host(arena, &names, 0, false), "orders-k3x9aq-1.p4ss1.example.test"));
    assert_true(str_is(name_of_host(arena, &names, 12, true), "orders-k3x9aq-13-pri.p4ss1.example.test"));
    assert_true(str_is(name_of_service(arena, &names, false), "_postgresql._tcp.orders-k3x9aq.p4ss1.example.test"));
    assert_true(str_is(name_of_service(arena, &names, true), "_postgresql._tcp.orders-k3x9aq-pri.p4ss1.example.test"));
    str set = name_new_set(arena);
    assert_int_equal(set.len, SET_NAME_LENGTH);
    for (size_t i = 0; i < set.len; i++)
        assert_true((set.data[i] >= 'a' && set.data[i] <= 'z') || (i > 0 && set.data[i] >= '0' && set.data[i] <= '9'));
}

/* What tenants call clusters to get somebody else's names, names that resolvers and authorities know, or none that is valid. */
static void
no_name_of_a_cluster_makes_a_label_that_could_be_anothers(void **state)
{
    (void)state;
    static const struct {
        const char *name, *label;
    } rows[] = {
        { "orders", "orders-k3x9aq" },
        { "Orders", "orders-k3x9aq" },
        { "orders-1", "orders-1-k3x9aq" }, /* not the first member of "orders" */
        { "orders-pri", "orders-pri-k3x9aq" },
        { "b4c5d6", "b4c5d6-k3x9aq" }, /* another's set name */
        { "b4c5d6-1", "b4c5d6-1-k3x9aq" },
        { "orders-b4c5d6", "orders-b4c5d6-k3x9aq" }, /* another's label */
        { "orders-b4c5d6-1", "orders-b4c5d6-1-k3x9aq" },
        { "b4c5d6-shard-00-00", "b4c5d6-shard-00-00-k3x9aq" },
        { "ns1", "ns1-k3x9aq" },
        { "wpad", "wpad-k3x9aq" },
        { "_acme-challenge", "acme-challenge-k3x9aq" },
        { "_postgresql._tcp.orders", "postgresql-tcp-orders-k3x9aq" },
        { "a.b.example.test", "a-b-example-test-k3x9aq" },
        { "*", "k3x9aq" },
        { "", "k3x9aq" },
        { "---", "k3x9aq" },
        { "-a--b-", "a-b-k3x9aq" },
        { "xn--80ak6aa92e", "xn-80ak6aa92e-k3x9aq" },
        { "\xC3\xBC"
          "ber",
          "ber-k3x9aq" },
        { "a\nb", "a-b-k3x9aq" },
        { "abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwx-k3x9aq" },
        { "abcdefghijklmnopqrstuvw-yz", "abcdefghijklmnopqrstuvw-k3x9aq" },
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        str label = name_new_label(arena, NAMES_NAMED, str_from(rows[i].name), STR("k3x9aq"));
        assert_string_equal(label.data, rows[i].label);
        assert_true(label.len <= LABEL_MAX_LENGTH);
        assert_true(str_is(name_new_label(arena, NAMES_RANDOM, str_from(rows[i].name), STR("k3x9aq")), "k3x9aq"));
        assert_int_equal(name_new_label(arena, NAMES_SHARD, str_from(rows[i].name), STR("k3x9aq")).len, 0);
    }
    /* The longest that there can be, before the longest domain that config.c lets through. */
    str domain = str_format(arena, "%0190d", 0);
    struct cluster_names names = { STR("k3x9aq"), str_from("abcdefghijklmnopqrstuvwx-k3x9aq"), STR("p4ss1abc"),
                                   domain };
    assert_true(name_of_service(arena, &names, true).len <= 253);
    assert_true(name_of_host(arena, &names, 99999, true).len <= 253);
}

static void
schemes_of_names_are_known_by_their_words(void **state)
{
    (void)state;
    enum name_scheme scheme;
    assert_true(name_scheme_from(STR("named"), &scheme) && scheme == NAMES_NAMED);
    assert_true(name_scheme_from(STR("random"), &scheme) && scheme == NAMES_RANDOM);
    assert_true(name_scheme_from(STR("shard"), &scheme) && scheme == NAMES_SHARD);
    assert_false(name_scheme_from(STR("Named"), &scheme));
    assert_false(name_scheme_from(STR(""), &scheme));
}

/* Each of the three alone is not enough. */
static void
a_member_is_up_when_its_unit_its_role_and_its_server_say_so(void **state)
{
    (void)state;
    static const struct {
        enum member_unit unit;
        enum member_role role;
        enum member_server server;
        bool is_up;
    } rows[] = {
        { UNIT_ACTIVE, MEMBER_IS_PRIMARY, SERVER_RUNNING, true },
        { UNIT_ACTIVE, MEMBER_IS_REPLICA, SERVER_STREAMING, true },
        { UNIT_ABSENT, MEMBER_IS_PRIMARY, SERVER_RUNNING, false },
        { UNIT_ABSENT, MEMBER_IS_REPLICA, SERVER_STREAMING, false },
        { UNIT_ACTIVE, MEMBER_HAS_NO_ROLE, SERVER_STREAMING, false },
        { UNIT_ACTIVE, MEMBER_IS_REPLICA, SERVER_RUNNING, false },
        { UNIT_ACTIVE, MEMBER_IS_PRIMARY, SERVER_STREAMING, false },
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct cluster_member member = { .unit = rows[i].unit, .role = rows[i].role, .server = rows[i].server };
        assert_int_equal(member_is_up(&member), rows[i].is_up);
    }
}

int
main(void)
{
    json_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_member_is_up_when_its_unit_its_role_and_its_server_say_so),
        cmocka_unit_test(a_new_cluster_misses_everybody),
        cmocka_unit_test(what_is_asked_for_stays),
        cmocka_unit_test(fewer_members_keep_the_primary_and_the_oldest),
        cmocka_unit_test(more_members_are_missing),
        cmocka_unit_test(another_region_is_added_to_before_the_old_one_goes),
        cmocka_unit_test(a_member_on_a_host_that_is_emptied_is_replaced),
        cmocka_unit_test(the_right_size_wins_over_everything_else),
        cmocka_unit_test(electable_members_become_read_only_ones_where_they_are),
        cmocka_unit_test(members_for_analytics_stay_what_they_are),
        cmocka_unit_test(members_for_analytics_may_have_another_size),
        cmocka_unit_test(every_change_ends_where_it_should),
        cmocka_unit_test(the_primary_belongs_where_the_priority_is_highest),
        cmocka_unit_test(a_document_that_asks_for_nothing_is_refused),
        cmocka_unit_test(flex_documents_are_read_as_well),
        cmocka_unit_test(every_state_but_the_last_knows_every_cause),
        cmocka_unit_test(names_are_those_of_the_contract),
        cmocka_unit_test(no_name_of_a_cluster_makes_a_label_that_could_be_anothers),
        cmocka_unit_test(schemes_of_names_are_known_by_their_words),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
