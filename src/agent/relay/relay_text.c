/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/relay/relay_text.h"

#include "base/net/net.h"

enum { CONFIG_BYTES = 16 * 1024 * 1024, WALL_BYTES = 16 * 1024 * 1024 };

/* ---- HAProxy ---- */
/*
 * - A port is for one member. While that one cannot be reached the others stand in, because a client that was let in and then dropped does not try the
 *   next port. Which of them is the primary the client finds out: target_session_attrs.
 * - A member is looked at by the first client that does not get through to it, and then each second until it answers. Looking at all of
 *   them all the time would fill their logs.
 * - Sessions are idle for as long as they like. Whoever is gone, or whom the network's rules do not let through any more, is noticed by keepalives
 *   within five seconds.
 * - Members are reached from the relay's own address, and let that one in.
 */
static const char head[] =
    "# Written by reeve-agent, which overwrites whatever is changed here.\n"
    "global\n"
    "    nbthread 1\n"
    "    maxconn 8192\n"
    "    hard-stop-after 24h\n"
    "defaults\n"
    "    mode tcp\n"
    "    timeout connect 1500ms\n"
    "    timeout client 24d\n"
    "    timeout server 24d\n"
    "    timeout check 1500ms\n"
    "    retries 3\n"
    "    option redispatch 1\n"
    "    option clitcpka\n"
    "    clitcpka-idle 3s\n"
    "    clitcpka-intvl 1s\n"
    "    clitcpka-cnt 2\n"
    "    option srvtcpka\n"
    "    srvtcpka-idle 5s\n"
    "    srvtcpka-intvl 2s\n"
    "    srvtcpka-cnt 3\n"
    "    default-server check inter 60s fastinter 1s downinter 1s fall 2 rise 1 observe layer4 error-limit 1 "
    "on-error mark-down tcp-ut 10s\n";

static str
bracketed(struct arena *arena, str address)
{
    return str_find(address, ':') < 0 ? address : str_format(arena, "[%.*s]", STR_ARG(address));
}

static void
add_port(struct arena *arena, struct buf *out, const struct goal_relay *relay, const struct goal_relay_port *port)
{
    str own = bracketed(arena, relay->address);
    buf_format(out, "listen port-%d\n    bind %.*s:%d tcp-ut 5s\n", (int)port->port, STR_ARG(own), (int)port->port);
    for (size_t i = 0; i < relay->clients.count; i++) /* a line each: HAProxy takes 64 words in one */
        buf_format(out, "    acl known src %.*s\n", STR_ARG(relay->clients.items[i]));
    buf_format(out, "    tcp-request connection reject unless known\n    source %.*s\n", STR_ARG(own));
    for (size_t i = 0; i < port->targets.count; i++) {
        const struct goal_relay_target *target = &port->targets.items[i];
        buf_format(out, "    server m%zu %.*s:%d%s\n", i, STR_ARG(bracketed(arena, target->address)), (int)target->port,
                   i == 0 ? "" : " backup");
    }
}

str
relay_config_text(struct arena *arena, const struct goal_relay *relay)
{
    if (relay->clients.count == 0 || relay->ports.count == 0)
        return STR_EMPTY;
    struct buf out = buf_in(arena, CONFIG_BYTES);
    buf_add_text(&out, head);
    for (size_t i = 0; i < relay->ports.count; i++)
        add_port(arena, &out, relay, &relay->ports.items[i]);
    return buf_str(&out);
}

/* ---- nftables ---- */
/*
 * What a relay's address is there for, and nothing else. No rule remembers connections: whoever is taken off the list is off it in the middle of one.
 * - In: clients of its endpoints to its ports, and answers of its members. Everything else that is sent to the address is refused, the
 *   host's own services with it.
 * - Out: a relay speaks from its own address only, and begins connections to its members only. Packets that no user sent are the kernel's
 *   own, which the host lives on: they never come to these rules.
 * - One that is leaving is in no set that lets anything through.
 */
static const char sets[] = "    set users { type uid; }\n"
                           "    set relays4 { type ipv4_addr; }\n"
                           "    set relays6 { type ipv6_addr; }\n"
                           "    set own4 { type uid . ipv4_addr; }\n"
                           "    set own6 { type uid . ipv6_addr; }\n"
                           "    set clients4 { type ipv4_addr . ipv4_addr; }\n"
                           "    set clients6 { type ipv6_addr . ipv6_addr; }\n"
                           "    set ports4 { type ipv4_addr . inet_service; }\n"
                           "    set ports6 { type ipv6_addr . inet_service; }\n"
                           "    set members4 { type ipv4_addr . ipv4_addr . inet_service; }\n"
                           "    set members6 { type ipv6_addr . ipv6_addr . inet_service; }\n";
static const char chains[] =
    "    chain input {\n"
    "        type filter hook input priority filter; policy accept;\n"
    "        ip daddr . ip saddr @clients4 ip daddr . tcp dport @ports4 accept\n"
    "        ip6 daddr . ip6 saddr @clients6 ip6 daddr . tcp dport @ports6 accept\n"
    "        ip daddr . ip saddr . tcp sport @members4 tcp flags & (syn | ack) != syn accept\n"
    "        ip6 daddr . ip6 saddr . tcp sport @members6 tcp flags & (syn | ack) != syn accept\n"
    "        ip daddr @relays4 icmp type destination-unreachable accept\n"
    "        ip6 daddr @relays6 icmpv6 type { destination-unreachable, packet-too-big, nd-neighbor-solicit, "
    "nd-neighbor-advert } accept\n"
    "        ip daddr @relays4 meta l4proto tcp counter reject with tcp reset\n"
    "        ip6 daddr @relays6 meta l4proto tcp counter reject with tcp reset\n"
    "        ip daddr @relays4 counter drop\n"
    "        ip6 daddr @relays6 counter drop\n"
    "    }\n"
    "    chain speak {\n"
    "        meta skuid . ip saddr != @own4 counter reject\n"
    "        meta skuid . ip6 saddr != @own6 counter reject\n"
    "        tcp flags & (syn | ack) == syn ip saddr . ip daddr . tcp dport @members4 accept\n"
    "        tcp flags & (syn | ack) == syn ip6 saddr . ip6 daddr . tcp dport @members6 accept\n"
    "        tcp flags & (syn | ack) == syn counter reject\n"
    "        meta l4proto != tcp counter reject\n"
    "    }\n"
    "    chain output {\n"
    "        type filter hook output priority filter; policy accept;\n"
    "        meta skuid @users goto speak\n"
    "    }\n"
    "}\n";

#define TABLE "inet reeve_relay"

static int
kind_of(str address)
{
    return str_find(address, ':') < 0 ? 4 : 6;
}

/* The member that a port is for. Those that stand in for it have ports of their own. */
static void
add_member(struct buf *out, const struct goal_relay *relay, const struct goal_relay_port *port)
{
    const struct goal_relay_target *target = &port->targets.items[0];
    if (kind_of(target->address) == kind_of(relay->address))
        buf_format(out, "add element " TABLE " members%d { %.*s . %.*s . %d }\n", kind_of(relay->address),
                   STR_ARG(relay->address), STR_ARG(target->address), (int)target->port);
}

static void
add_open(struct buf *out, const struct goal_relay *relay)
{
    int kind = kind_of(relay->address);
    for (size_t i = 0; i < relay->clients.count; i++) {
        str client = relay->clients.items[i];
        if (kind_of(client) == kind)
            buf_format(out, "add element " TABLE " clients%d { %.*s . %.*s }\n", kind, STR_ARG(relay->address),
                       STR_ARG(client));
    }
    for (size_t i = 0; i < relay->ports.count; i++) {
        buf_format(out, "add element " TABLE " ports%d { %.*s . %d }\n", kind, STR_ARG(relay->address),
                   (int)relay->ports.items[i].port);
        add_member(out, relay, &relay->ports.items[i]);
    }
}

static void
add_relay(struct buf *out, const struct relay_user *one)
{
    const struct goal_relay *relay = one->relay;
    int kind = kind_of(relay->address);
    if (one->user != 0)
        buf_format(out, "add element " TABLE " users { %u }\n", one->user);
    if (relay->address.len > 0)
        buf_format(out, "add element " TABLE " relays%d { %.*s }\n", kind, STR_ARG(relay->address));
    if (one->is_leaving)
        return;
    buf_format(out, "add element " TABLE " own%d { %u . %.*s }\n", kind, one->user, STR_ARG(relay->address));
    add_open(out, relay);
}

str
relay_wall_text(struct arena *arena, const struct relay_user *relays, size_t count)
{
    struct buf out = buf_in(arena, WALL_BYTES);
    buf_add_text(&out, "add table " TABLE "\ndelete table " TABLE "\ntable " TABLE " {\n");
    buf_add_text(&out, sets);
    buf_add_text(&out, chains);
    for (size_t i = 0; i < count; i++)
        add_relay(&out, &relays[i]);
    return buf_str(&out);
}
