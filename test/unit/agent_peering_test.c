/* SPDX-License-Identifier: Apache-2.0 */
/* What programs of the system are told about peerings, and the part of a goal that says which there are. */
#include "check.h"

#include "agent/peering/peering_text.h"
#include "base/crypto/tunnel_key.h"
#include "wire/goal.h"

#define KEY "hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo="
#define PEERING(id, port, more)                                                                                        \
    "{\"id\":\"" id "\",\"desired\":\"RUNNING\",\"port\":" port ",\"publicKey\":\"" KEY "\"," more                     \
    "\"networks\":[\"192.168.7.0/24\",\"192.168.9.1/32\"],\"members\":[{\"address\":\"10.78.1.5\",\"privateAddress\":" \
    "\"172.16.1.5\",\"port\":5432,\"poolerPort\":6432}]}"
#define GOAL(peerings)                                                                                                   \
    "{\"version\":1,\"epoch\":1,\"hostId\":\"0000000000000000000000a1\",\"etcd\":[],\"authority\":\"\",\"clusters\":[]," \
    "\"members\":[],\"peerings\":[" peerings "]}"
#define FIRST PEERING("0000000000000000000000f1", "51820", "")
#define SECOND \
    PEERING("0000000000000000000000f2", "51821", "\"endpoint\":{\"address\":\"2001:db8::7\",\"port\":51820},")

enum { ARENA_BYTES = 32 * 1024 * 1024 };

static struct goal
parse(struct arena *arena, const char *text)
{
    struct goal goal;
    error why = goal_parse(arena, str_from(text), &goal);
    if (why != OK)
        fail_msg("refused: %s", why->detail.data);
    return goal;
}

static void
refused(struct arena *arena, const char *from, const char *to)
{
    struct goal ignored;
    str text = str_format(arena, "%s", GOAL(FIRST));
    char *place = strstr(text.data, from);
    assert_non_null(place);
    assert_int_equal(strlen(from), strlen(to));
    memcpy(place, to, strlen(to));
    if (goal_parse(arena, text, &ignored) == OK)
        fail_msg("%s was taken in place of %s", to, from);
}

static void
goals_have_peerings(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    struct goal goal = parse(arena, GOAL(SECOND "," FIRST)), ignored;
    id second = goal.peerings.items[1].id;
    assert_int_equal(goal.peerings.count, 2);
    assert_int_equal(goal_find_peering(&goal, second)->port, 51821);
    assert_int_equal(goal.peerings.items[1].endpoint.port, 51820);
    assert_true(goal_parse(arena, STR(GOAL(FIRST "," FIRST)), &ignored) != OK);
    refused(arena, "192.168.7.0/24", "192.168.7.0/99");
    refused(arena, "10.78.1.5", "10.78.1;5");
    refused(arena, "172.16.1.5", "172.16.1}5");
    refused(arena, "mOBr066", "mOBr\\n6");
    refused(arena, "RUNNING", "WALKING");
    arena_free(arena);
}

static void
has(str text, const char *line)
{
    if (strstr(text.data, line) == NULL)
        fail_msg("%s is not in:\n%s", line, text.data);
}

static void
has_not(str text, const char *line)
{
    if (strstr(text.data, line) != NULL)
        fail_msg("%s is in:\n%s", line, text.data);
}

static void
the_wall_lets_a_tenants_network_come_to_its_members_doors(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    struct goal goal = parse(arena, GOAL(FIRST));
    str wall = peering_wall_text(arena, &goal.peerings);
    has(wall, "arrive iifname != \"rvp*\" accept\n");
    has(wall, "arrive counter drop\n");
    has(wall, "leave tcp flags & (syn | ack) != syn ");
    has(wall, "leave counter drop\n");
    has(wall, "homes4 { \"rvp51820\" . 192.168.7.0/24 }\n");
    has(wall, "homes4 { \"rvp51820\" . 192.168.9.1/32 }\n");
    has(wall, "doors4 { \"rvp51820\" . 172.16.1.5 . 5432 }\n");
    has(wall, "doors4 { \"rvp51820\" . 172.16.1.5 . 6432 }\n");
    has(wall, "answers4 { \"rvp51820\" . 10.78.1.5 . 5432 }\n");
    has(wall, "enter iifname \"rvp51820\" ip daddr 172.16.1.5 ip daddr set 10.78.1.5\n");
    has(wall, "answer oifname \"rvp51820\" ip saddr 10.78.1.5 ip saddr set 172.16.1.5\n");
    goal.peerings.items[0].desired = PEERING_UNWANTED;
    has_not(peering_wall_text(arena, &goal.peerings), "rvp51820");
    arena_free(arena);
}

static void
answers_take_the_tunnel_by_where_they_come_from(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    struct goal goal = parse(arena, GOAL(FIRST));
    const struct goal_peering *peering = &goal.peerings.items[0];
    assert_string_equal(peering_rules_text(arena, peering, true).data,
                        "from 10.78.1.5 to 192.168.7.0/24 lookup 1051820\n"
                        "from 10.78.1.5 to 192.168.9.1 lookup 1051820\n");
    assert_int_equal(peering_rules_text(arena, peering, false).len, 0);
    assert_string_equal(peering_routes_text(arena, peering, true).data,
                        "route replace 192.168.7.0/24 dev rvp51820 table 1051820\n"
                        "route replace 192.168.9.1/32 dev rvp51820 table 1051820\n"
                        "route replace unreachable default metric 4294967295 table 1051820\n");
    assert_int_equal(peering_routes_text(arena, peering, false).len, 0);
    assert_string_equal(peering_stale_routes_text(arena, peering, true,
                                                  STR("unreachable default metric 4294967295 \n"
                                                      "192.168.7.0/24 dev rvp51820 scope link \n"
                                                      "192.168.8.0/24 dev rvp51820 scope link \n"
                                                      "192.168.9.1 dev rvp51820 scope link \n"
                                                      "192.168.9.2 dev rvp51820 scope link \n"))
                            .data,
                        "route del 192.168.8.0/24 table 1051820\n"
                        "route del 192.168.9.2 table 1051820\n");
    assert_string_equal(peering_stale_routes_text(arena, peering, false,
                                                  STR("fd00:7::/64 dev rvp51820 metric 1024 pref medium\n"
                                                      "unreachable default dev lo metric 4294967295 pref medium\n"))
                            .data,
                        "route del fd00:7::/64 table 1051820\n");
    arena_free(arena);
}

static void
tunnels_take_packets_of_their_own_network_only(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    struct goal goal = parse(arena, GOAL(FIRST "," SECOND));
    str waits = peering_config_text(arena, &goal.peerings.items[0], STR("PRIVATE"));
    str begins = peering_config_text(arena, &goal.peerings.items[1], STR("PRIVATE"));
    assert_string_equal(waits.data, "[Interface]\nListenPort = 51820\nPrivateKey = PRIVATE\n\n[Peer]\nPublicKey = " KEY
                                    "\nAllowedIPs = 192.168.7.0/24, 192.168.9.1/32\n");
    has(begins, "\nEndpoint = [2001:db8::7]:51820\nPersistentKeepalive = 25\n");
    has(peering_unit_text(arena, 51820), "ExecStart=/usr/bin/wireguard-go -f rvp51820\n");
    has(peering_unit_text(arena, 51820), "CapabilityBoundingSet=CAP_NET_ADMIN\n");
    arena_free(arena);
}

/* The pair is that of RFC 7748, section 6.1. */
static void
keys_are_those_of_wireguard(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    str own = STR_EMPTY, other = STR_EMPTY, public_key = STR_EMPTY;
    assert_true(tunnel_key_public(arena, STR("dwdtCnMYpX08FsFyUbJmRd9ML4frwJkqsXf7pR25LCo="), &public_key));
    assert_string_equal(public_key.data, "hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=");
    assert_true(tunnel_key_new(arena, &own) && tunnel_key_new(arena, &other));
    assert_int_equal(own.len, 44);
    assert_false(str_eq(own, other));
    assert_true(tunnel_key_is_public(arena, public_key));
    assert_false(tunnel_key_is_public(arena, STR("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")));
    assert_false(tunnel_key_is_public(arena, STR("hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTm==")));
    assert_false(tunnel_key_public(arena, STR("x"), &public_key));
    arena_free(arena);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goals_have_peerings),
        cmocka_unit_test(the_wall_lets_a_tenants_network_come_to_its_members_doors),
        cmocka_unit_test(answers_take_the_tunnel_by_where_they_come_from),
        cmocka_unit_test(tunnels_take_packets_of_their_own_network_only),
        cmocka_unit_test(keys_are_those_of_wireguard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
