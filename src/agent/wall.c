/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/wall.h"

#include "agent/users.h"
#include "base/net/net.h"
#include "engine/program.h"

#define NFT   "/usr/sbin/nft"
#define TABLE "inet reeve"

enum { SCRIPT_BYTES = 256 * 1024 };

/*
 * One transaction: the rules are written anew, the sets are added to. Only sockets of members' users are looked at.
 * - Who is confined reaches the stores that are named for it, and nothing else anywhere; but a gate answers those whom it is open for, also when its seat is confined. It
 *   answers: it cannot begin.
 * - Any other answer to a connection (SYN and ACK) leaves only from an address of its own: whoever listens on an address of another
 *   member while that is down, is not heard.
 * - Itself, members of its cluster on this host, and what every client may use of others: fine.
 * - The resolver of this host, and etcd when it is here: fine.
 * - Anything else of this host is refused: loopback, other members' Patroni, the host's own services.
 * - What a cloud tells its machines is told to whoever asks from one: credentials, keys, how it was set up. It is not for members. Names are: some
 *   clouds have their resolver there.
 * What leaves the host otherwise is not decided here: other hosts treat it as they treat every client.
 */
#define METADATA_V4 "{ 169.254.0.0/16, 168.63.129.16, 100.100.100.200 }"
#define METADATA_V6 "{ fe80::/10, fd00:ec2::/32 }"
static const char rules[] =
    "add table " TABLE "\n"
    "add set " TABLE " own4 { type uid . ipv4_addr; }\n"
    "add set " TABLE " own6 { type uid . ipv6_addr; }\n"
    "add set " TABLE " doors4 { type ipv4_addr . inet_service; }\n"
    "add set " TABLE " doors6 { type ipv6_addr . inet_service; }\n"
    "add set " TABLE " etcd { type inet_service; }\n"
    "add set " TABLE " gates4 { type uid . inet_service . ipv4_addr; }\n"
    "add set " TABLE " gates6 { type uid . inet_service . ipv6_addr; }\n"
    "add set " TABLE " confined { type uid; }\n"
    "add set " TABLE " stores4 { type uid . ipv4_addr . inet_service; }\n"
    "add set " TABLE " stores6 { type uid . ipv6_addr . inet_service; }\n"
    "add chain " TABLE " output { type filter hook output priority filter; policy accept; }\n"
    "flush chain " TABLE " output\n"
    "add rule " TABLE " output meta skuid < %d accept\n"
    "add rule " TABLE " output meta skuid > %d accept\n"
    "add rule " TABLE " output meta skuid . ip daddr . tcp dport @stores4 accept\n"
    "add rule " TABLE " output meta skuid . ip6 daddr . tcp dport @stores6 accept\n"
    "add rule " TABLE " output tcp flags & (syn | ack) != syn meta skuid . tcp sport . ip daddr @gates4 accept\n"
    "add rule " TABLE " output tcp flags & (syn | ack) != syn meta skuid . tcp sport . ip6 daddr @gates6 accept\n"
    "add rule " TABLE " output meta skuid @confined counter reject\n"
    "add rule " TABLE " output tcp flags & (syn | ack) == syn | ack meta skuid . ip saddr != @own4 counter drop\n"
    "add rule " TABLE " output tcp flags & (syn | ack) == syn | ack meta skuid . ip6 saddr != @own6 counter drop\n"
    "add rule " TABLE " output meta skuid . ip daddr @own4 accept\n"
    "add rule " TABLE " output meta skuid . ip6 daddr @own6 accept\n"
    "add rule " TABLE " output ip daddr . tcp dport @doors4 accept\n"
    "add rule " TABLE " output ip6 daddr . tcp dport @doors6 accept\n"
    "add rule " TABLE " output fib daddr type local th dport 53 accept\n"
    "add rule " TABLE " output fib daddr type local tcp dport @etcd accept\n"
    "add rule " TABLE " output meta skuid %d-%d fib daddr type local counter reject\n"
    "add rule " TABLE " output th dport 53 accept\n"
    "add rule " TABLE " output meta skuid %d-%d ip daddr " METADATA_V4 " counter reject\n"
    "add rule " TABLE " output meta skuid %d-%d ip6 daddr " METADATA_V6 " counter reject\n";

static bool
is_v4(str address)
{
    return str_find(address, ':') < 0;
}

static void
add_own(struct arena *arena, struct buf *out, const char *verb, const struct wall_member *member)
{
    str rest = str_format(arena, "%s,%s", member->address.data, member->others.data);
    while (rest.len > 0) {
        str one = str_cut(&rest, ',');
        struct net_address address;
        if (one.len > 0 && net_parse_address(one, &address))
            buf_format(out, "%s element " TABLE " own%d { %u . %.*s }\n", verb, is_v4(one) ? 4 : 6, member->user,
                       STR_ARG(one));
    }
}

static void
add_door(struct buf *out, const char *verb, const struct wall_member *member)
{
    buf_format(out, "%s element " TABLE " doors%d { %s . %d }\n", verb, is_v4(member->address) ? 4 : 6,
               member->address.data, member->port);
}

static void
add_rules(struct buf *out)
{
    buf_format(out, rules, USERS_FIRST, USERS_LAST, USERS_FIRST, USERS_LAST, USERS_FIRST, USERS_LAST, USERS_FIRST,
               USERS_LAST);
}

str
wall_text(struct arena *arena, const struct wall_member *member)
{
    struct buf out = buf_in(arena, SCRIPT_BYTES);
    str ports = member->etcd_ports;
    add_rules(&out);
    add_own(arena, &out, "add", member);
    add_door(&out, "add", member);
    while (ports.len > 0) {
        int64_t port;
        if (str_to_int(str_cut(&ports, ','), 1, 65535, &port))
            buf_format(&out, "add element " TABLE " etcd { %d }\n", (int)port);
    }
    return buf_str(&out);
}

static error
run(struct arena *arena, str script)
{
    const char *const argv[] = { NFT, "-f", "-", NULL };
    if (script.len == 0)
        return fail(arena, OVERLOADED);
    return program_run(arena, argv, script);
}

error
wall_put(struct arena *arena, const struct wall_member *member)
{
    return run(arena, wall_text(arena, member));
}

error
wall_put_rules(struct arena *arena)
{
    struct buf out = buf_in(arena, SCRIPT_BYTES);
    add_rules(&out);
    return run(arena, buf_str(&out));
}

static void
add_gate(struct buf *out, const struct wall_gate *one)
{
    for (size_t i = 0; i < one->gate->clients.count; i++) {
        str address = one->gate->clients.items[i].address;
        buf_format(out, "add element " TABLE " gates%d { %u . %d . %.*s }\n", is_v4(address) ? 4 : 6, one->user,
                   (int)one->gate->port, STR_ARG(address));
    }
}

str
wall_gates_text(struct arena *arena, const struct wall_gate *gates, size_t count)
{
    struct buf out = buf_in(arena, SCRIPT_BYTES);
    add_rules(&out);
    buf_add_text(&out, "flush set " TABLE " gates4\nflush set " TABLE " gates6\n");
    for (size_t i = 0; i < count; i++)
        add_gate(&out, &gates[i]);
    return buf_str(&out);
}

error
wall_put_gates(struct arena *arena, const struct wall_gate *gates, size_t count)
{
    return run(arena, wall_gates_text(arena, gates, count));
}

/* Added first: what is not there cannot be deleted, and one that is missing would keep the others. */
error
wall_remove(struct arena *arena, const struct wall_member *member)
{
    struct buf out = buf_in(arena, SCRIPT_BYTES);
    buf_add(&out, wall_text(arena, member));
    add_own(arena, &out, "delete", member);
    add_door(&out, "delete", member);
    return run(arena, buf_str(&out));
}

/* ---- Stores ---- */
static void
add_store(struct arena *arena, struct buf *out, const char *verb, const struct wall_store *store)
{
    buf_format(out, "%s element " TABLE " confined { %u }\n", verb, store->user);
    for (size_t i = 0; i < store->address_count; i++) {
        const struct net_address *address = &store->addresses[i];
        buf_format(out, "%s element " TABLE " stores%d { %u . %s . %d }\n", verb, net_is_v4(address) ? 4 : 6,
                   store->user, net_address_text(arena, address).data, store->port);
    }
}

str
wall_store_text(struct arena *arena, const struct wall_store *store)
{
    struct buf out = buf_in(arena, SCRIPT_BYTES);
    add_rules(&out);
    add_store(arena, &out, "add", store);
    return buf_str(&out);
}

error
wall_put_store(struct arena *arena, const struct wall_store *store)
{
    return run(arena, wall_store_text(arena, store));
}

/* Added first, as in wall_remove(). */
error
wall_remove_store(struct arena *arena, const struct wall_store *store)
{
    struct buf out = buf_in(arena, SCRIPT_BYTES);
    buf_add(&out, wall_store_text(arena, store));
    add_store(arena, &out, "delete", store);
    return run(arena, buf_str(&out));
}

/* ---- Seats in a store ---- */
static void
change_place(struct arena *arena, struct buf *out, const char *verb, unsigned user, const struct wall_place *place)
{
    buf_format(out, "%s element " TABLE " stores%d { %u . %s . %d }\n", verb, net_is_v4(&place->address) ? 4 : 6, user,
               net_address_text(arena, &place->address).data, place->port);
}

/* Added first, as in wall_remove(). */
str
wall_reach_text(struct arena *arena, const struct wall_reach *before, const struct wall_reach *reach)
{
    struct buf out = buf_in(arena, SCRIPT_BYTES);
    add_rules(&out);
    buf_format(&out, "add element " TABLE " confined { %u }\n", reach->user);
    for (size_t i = 0; i < before->count; i++)
        change_place(arena, &out, "add", before->user, &before->places[i]);
    for (size_t i = 0; i < before->count; i++)
        change_place(arena, &out, "delete", before->user, &before->places[i]);
    for (size_t i = 0; i < reach->count; i++)
        change_place(arena, &out, "add", reach->user, &reach->places[i]);
    return buf_str(&out);
}

error
wall_put_reach(struct arena *arena, const struct wall_reach *before, const struct wall_reach *reach)
{
    return run(arena, wall_reach_text(arena, before, reach));
}

error
wall_remove_reach(struct arena *arena, const struct wall_reach *reach)
{
    const struct wall_reach nothing = { reach->user, 0, NULL };
    struct buf out = buf_in(arena, SCRIPT_BYTES);
    buf_add(&out, wall_reach_text(arena, reach, &nothing));
    buf_format(&out, "delete element " TABLE " confined { %u }\n", reach->user);
    return run(arena, buf_str(&out));
}
