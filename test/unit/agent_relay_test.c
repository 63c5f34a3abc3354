/* SPDX-License-Identifier: Apache-2.0 */
/* What the agent takes from a goal about private endpoints, and what it writes for HAProxy and nftables. */
#include "check.h"

#include <stdio.h>
#include <unistd.h>

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
    assert_int_equal(count(text, "    acl known src 10.20.0.7\n    acl known src 10.20.0.8\n"), 2);
    assert_int_equal(count(text, "    tcp-request connection reject unless known\n"), 2);
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
    assert_non_null(strstr(text.data, "clients6 { 2001:db8::7 . 2001:db8:1::1 }"));
    assert_non_null(strstr(text.data, "ports6 { 2001:db8::7 . 1024 }"));
    assert_non_null(strstr(text.data, "members6 { 2001:db8::7 . 2001:db8:2::1 . 5432 }"));
    assert_int_equal(count(text, "add element inet reeve_relay clients4"), 0);
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
    assert_int_equal(count(text, "add element inet reeve_relay clients4"), 2 + 1);
    assert_int_equal(count(text, "add element inet reeve_relay ports4"), 2 + 1);
    assert_int_equal(count(text, "add element inet reeve_relay members4"), 2 + 1);
    assert_non_null(strstr(text.data, "clients4 { 10.91.200.8 . 10.30.0.1 }"));
    assert_non_null(strstr(text.data, "ports4 { 10.91.200.8 . 1024 }"));
    assert_non_null(strstr(text.data, "members4 { 10.91.200.7 . 10.90.2.1 . 5432 }"));
    assert_null(strstr(text.data, "clients4 { 10.91.200.7 . 10.30.0.1"));
    assert_null(strstr(text.data, "members4 { 10.91.200.7 . 10.90.3.1"));
    assert_non_null(strstr(text.data, "own4 { 70002 . 10.91.200.8 }"));
    arena_free(arena);
}

/* A packet of the kernel has no user: a rule that asks who it is not would let it on, to where everything else is refused. */
static void
only_what_a_relay_sends_comes_to_the_rules_for_relays(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    str text = relay_wall_text(arena, NULL, 0);
    assert_non_null(strstr(text.data, "    chain output {\n"
                                      "        type filter hook output priority filter; policy accept;\n"
                                      "        meta skuid @users goto speak\n"
                                      "    }\n"));
    assert_int_equal(count(text, "meta l4proto != tcp counter reject"), 1);
    assert_int_equal(count(text, "hook output"), 1);
    assert_true(strstr(text.data, "chain speak {") < strstr(text.data, "meta l4proto != tcp counter reject"));
    assert_true(strstr(text.data, "meta l4proto != tcp counter reject") < strstr(text.data, "hook output"));
    arena_free(arena);
}

static void
a_relay_that_is_leaving_lets_nothing_through(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    struct goal goal = parse(arena, GOAL(FULL));
    struct goal_relay bare = { .address = STR("10.91.200.9") }, unknown = { .address = STR_EMPTY };
    const struct relay_user all[] = {
        { .relay = &goal.relays.items[0], .user = 70001, .is_leaving = true },
        { .relay = &bare, .user = 0, .is_leaving = true },
        { .relay = &unknown, .user = 70003, .is_leaving = true },
    };
    str text = relay_wall_text(arena, all, LENGTH(all));
    assert_non_null(strstr(text.data, "users { 70001 }"));
    assert_non_null(strstr(text.data, "users { 70003 }"));
    assert_non_null(strstr(text.data, "relays4 { 10.91.200.7 }"));
    assert_non_null(strstr(text.data, "relays4 { 10.91.200.9 }"));
    assert_int_equal(count(text, "add element "), 4);
    arena_free(arena);
}

/* HAProxy refuses lines of more than 64 words, and then starts nothing. */
static void
as_many_clients_as_a_service_can_have_make_no_long_line(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    struct goal goal = parse(arena, GOAL(FULL));
    struct goal_relay relay = goal.relays.items[0];
    str clients[64];
    for (size_t i = 0; i < LENGTH(clients); i++)
        clients[i] = str_format(arena, "10.20.1.%zu", i);
    relay.clients = (struct wire_texts){ .count = LENGTH(clients), .items = clients };
    str text = relay_config_text(arena, &relay);
    assert_int_equal(count(text, "    acl known src 10.20.1."), 2 * 64);
    str rest = text;
    while (rest.len > 0)
        assert_true(str_cut(&rest, '\n').len < 200);
    if (access("/usr/sbin/haproxy", X_OK) == 0) {
        FILE *checker = popen("/usr/sbin/haproxy -c -q -f /dev/stdin", "w");
        assert_non_null(checker);
        assert_int_equal(fwrite(text.data, 1, text.len, checker), text.len);
        assert_int_equal(pclose(checker), 0);
    }
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
        cmocka_unit_test(only_what_a_relay_sends_comes_to_the_rules_for_relays),
        cmocka_unit_test(a_relay_that_is_leaving_lets_nothing_through),
        cmocka_unit_test(as_many_clients_as_a_service_can_have_make_no_long_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
