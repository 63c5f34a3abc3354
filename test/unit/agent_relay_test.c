/* SPDX-License-Identifier: Apache-2.0 */
/* What the agent takes from a goal about private endpoints, and what it writes for HAProxy and nftables. */
#include "check.h"

#include "agent/relay/relay_text.h"
#include "wire/goal.h"

enum { ARENA_BYTES = 64 * 1024 * 1024 };

#define TARGET(address)       "{\"address\":\"" address "\",\"port\":5432}"
#define PORT(number, targets) "{\"port\":" #number ",\"targets\":[" targets "]}"
#define RELAY(id, address, clients, ports)                                                       \
    "{\"id\":\"0000000000000000000000" id "\",\"name\":\"pl-0-eu-north\",\"address\":\"" address \
    "\",\"prefix\":16,\"clients\":[" clients "],\"ports\":[" ports "]}"
#define GOAL(relays)                                                                                                         \
    "{\"version\":42,\"epoch\":3,\"hostId\":\"0000000000000000000000d1\",\"etcd\":[],\"authority\":\"PEM\",\"clusters\":[]," \
    "\"members\":[],\"relays\":[" relays "]}"
#define PORTS \
    PORT(1024, TARGET("10.90.1.1") "," TARGET("10.90.2.1")) "," PORT(1025, TARGET("10.90.2.1") "," TARGET("10.90.1.1"))
#define FULL RELAY("a1", "10.91.200.7", "\"10.20.0.7\",\"10.20.0.8\"", PORTS)

static struct goal
parse(struct arena *arena, const char *text)
{
    struct goal goal;
    error why = goal_parse(arena, str_from(text), &goal);
    if (why != OK)
        fail_msg("refused: %s", why->detail.data);
    return goal;
}

static size_t
count(str text, const char *part)
{
    size_t found = 0;
    for (const char *at = text.data; (at = strstr(at, part)) != NULL; at++)
        found++;
    return found;
}

static void
relay_is_read_whole(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    struct goal goal = parse(arena, GOAL(RELAY("b1", "2001:db8::1", "", "") "," FULL));
    assert_int_equal(goal.relays.count, 2);
    id first = goal.relays.items[0].id;
    const struct goal_relay *relay = goal_find_relay(&goal, first); /* sorted: a1 before b1 */
    assert_string_equal(relay->address.data, "10.91.200.7");
    assert_int_equal(relay->clients.count, 2);
    assert_int_equal(relay->ports.count, 2);
    assert_int_equal(relay->ports.items[1].port, 1025);
    assert_string_equal(relay->ports.items[1].targets.items[0].address.data, "10.90.2.1");
    arena_free(arena);
}

static void
what_would_become_other_lines_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        GOAL(RELAY("a1", "10.91.200.7; }", "", "")),
        GOAL(RELAY("a1", "10.91.200.7", "\"10.20.0.0/16\"", PORTS)),
        GOAL(RELAY("a1", "10.91.200.7", "\"10.20.0.7 } accept\\n\"", PORTS)),
        GOAL(RELAY("a1", "10.91.200.7", "", PORT(1023, TARGET("10.90.1.1")))),
        GOAL(RELAY("a1", "10.91.200.7", "", PORT(1024, ""))),
        GOAL(RELAY("a1", "10.91.200.7", "", PORT(1024, TARGET("name.example.org")))),
        GOAL(RELAY("a1", "10.91.200.7", "", PORT(1024, TARGET("10.90.1.1")) "," PORT(1024, TARGET("10.90.2.1")))),
        GOAL(FULL "," FULL),
    };
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        struct arena *arena = arena_new(ARENA_BYTES);
        struct goal goal;
        if (goal_parse(arena, str_from(wrong[i]), &goal) == OK)
            fail_msg("taken: %s", wrong[i]);
        arena_free(arena);
    }
}

static void
each_port_leads_to_its_member_and_then_to_the_others(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    struct goal goal = parse(arena, GOAL(FULL));
    str text = relay_config_text(arena, &goal.relays.items[0]);
    assert_int_equal(count(text, "listen port-"), 2);
    assert_int_equal(count(text, "tcp-request connection reject unless { src 10.20.0.7 10.20.0.8 }"), 2);
    assert_int_equal(count(text, "source 10.91.200.7\n"), 2);
    assert_non_null(strstr(text.data, "bind 10.91.200.7:1025 tcp-ut 5s\n"));
    assert_non_null(strstr(text.data, "    server m0 10.90.1.1:5432\n    server m1 10.90.2.1:5432 backup\n"));
    assert_non_null(strstr(text.data, "    server m0 10.90.2.1:5432\n    server m1 10.90.1.1:5432 backup\n"));
    arena_free(arena);
}

static void
without_clients_or_members_nobody_listens(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    struct goal goal =
        parse(arena, GOAL(RELAY("a1", "10.91.200.7", "", PORTS) "," RELAY("a2", "10.91.200.8", "\"10.20.0.7\"", "")));
    assert_int_equal(relay_config_text(arena, &goal.relays.items[0]).len, 0);
    assert_int_equal(relay_config_text(arena, &goal.relays.items[1]).len, 0);
    arena_free(arena);
}

static void
an_address_of_the_newer_protocol_is_written_as_both_programs_want_it(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    struct goal goal =
        parse(arena, GOAL(RELAY("a1", "2001:db8::7", "\"2001:db8:1::1\"", PORT(1024, TARGET("2001:db8:2::1")))));
    str text = relay_config_text(arena, &goal.relays.items[0]);
    assert_non_null(strstr(text.data, "bind [2001:db8::7]:1024 "));
    assert_non_null(strstr(text.data, "server m0 [2001:db8:2::1]:5432\n"));
    const struct relay_user one = { &goal.relays.items[0], 70003 };
    text = relay_wall_text(arena, &one, 1);
    assert_non_null(strstr(text.data, "open6 { 2001:db8::7 . 2001:db8:1::1 . 1024 }"));
    assert_non_null(strstr(text.data, "members6 { 2001:db8::7 . 2001:db8:2::1 . 5432 }"));
    assert_int_equal(count(text, "add element inet reeve_relay open4"), 0);
    arena_free(arena);
}

/* One file: what is not in it any more is not in force any more. */
static void
rules_have_each_client_and_member_of_a_relay_with_that_relay_only(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    struct goal goal =
        parse(arena, GOAL(FULL "," RELAY("a2", "10.91.200.8", "\"10.30.0.1\"", PORT(1024, TARGET("10.90.3.1")))));
    const struct relay_user all[] = { { &goal.relays.items[0], 70001 }, { &goal.relays.items[1], 70002 } };
    str text = relay_wall_text(arena, all, LENGTH(all));
    assert_true(str_starts_with(text, STR("add table inet reeve_relay\ndelete table inet reeve_relay\n")));
    assert_int_equal(count(text, "add element inet reeve_relay open4"), 2 * 2 + 1);
    assert_non_null(strstr(text.data, "open4 { 10.91.200.8 . 10.30.0.1 . 1024 }"));
    assert_null(strstr(text.data, "open4 { 10.91.200.7 . 10.30.0.1"));
    assert_null(strstr(text.data, "members4 { 10.91.200.7 . 10.90.3.1"));
    assert_non_null(strstr(text.data, "own4 { 70002 . 10.91.200.8 }"));
    arena_free(arena);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relay_is_read_whole),
        cmocka_unit_test(what_would_become_other_lines_is_refused),
        cmocka_unit_test(each_port_leads_to_its_member_and_then_to_the_others),
        cmocka_unit_test(without_clients_or_members_nobody_listens),
        cmocka_unit_test(an_address_of_the_newer_protocol_is_written_as_both_programs_want_it),
        cmocka_unit_test(rules_have_each_client_and_member_of_a_relay_with_that_relay_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
