/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/peering/peering_text.h"

#include "base/net/net.h"

enum { TEXT_BYTES = 4 * 1024 * 1024, KEEPALIVE_S = 25 };

#define TABLE "inet reeve_peering"

str
peering_interface(struct arena *arena, int64_t port)
{
    return str_format(arena, "rvp%d", (int)port);
}

str
peering_unit(struct arena *arena, int64_t port)
{
    return str_format(arena, "reeve-peering-%d.service", (int)port);
}

/*
 * What strangers send packets to, and which has the tunnel's key in memory: one capability, the device that tunnels are made of, and the socket through
 * which `wg` talks to it. The agent starts it: after a restart it knows nothing until it is told.
 */
static const char unit_text[] = "# Written by reeve-agent, which overwrites whatever is changed here.\n"
                                "[Unit]\n"
                                "Description=Reeve tunnel of a peering, port %d\n"
                                "StartLimitIntervalSec=0\n"
                                "\n"
                                "[Service]\n"
                                "Type=exec\n"
                                "Environment=LOG_LEVEL=error\n"
                                "ExecStart=/usr/bin/wireguard-go -f %s\n"
                                "Restart=no\n"
                                "TimeoutStopSec=5\n"
                                "RuntimeDirectory=wireguard\n"
                                "RuntimeDirectoryMode=0700\n"
                                "RuntimeDirectoryPreserve=yes\n"
                                "MemoryMax=256M\n"
                                "CPUWeight=20\n"
                                "TasksMax=128\n"
                                "CapabilityBoundingSet=CAP_NET_ADMIN\n"
                                "AmbientCapabilities=\n"
                                "NoNewPrivileges=yes\n"
                                "DevicePolicy=closed\n"
                                "DeviceAllow=/dev/net/tun rw\n"
                                "InaccessiblePaths=-/var/lib/reeve\n"
                                "LockPersonality=yes\n"
                                "PrivateIPC=yes\n"
                                "PrivateTmp=yes\n"
                                "ProtectClock=yes\n"
                                "ProtectControlGroups=yes\n"
                                "ProtectHome=yes\n"
                                "ProtectHostname=yes\n"
                                "ProtectKernelLogs=yes\n"
                                "ProtectKernelModules=yes\n"
                                "ProtectSystem=strict\n"
                                "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK\n"
                                "RestrictNamespaces=yes\n"
                                "RestrictRealtime=yes\n"
                                "RestrictSUIDSGID=yes\n"
                                "SystemCallArchitectures=native\n"
                                "SystemCallErrorNumber=EPERM\n"
                                "SystemCallFilter=@system-service\n"
                                "UMask=0077\n";

str
peering_unit_text(struct arena *arena, int64_t port)
{
    return str_format(arena, unit_text, (int)port, peering_interface(arena, port).data);
}

static bool
is_v4(str text)
{
    return str_find(text, ':') < 0;
}

str
peering_config_text(struct arena *arena, const struct goal_peering *peering, str private_key)
{
    struct buf out = buf_in(arena, TEXT_BYTES);
    const struct goal_peering_endpoint *endpoint = &peering->endpoint;
    buf_format(&out, "[Interface]\nListenPort = %d\nPrivateKey = %.*s\n", (int)peering->port, STR_ARG(private_key));
    buf_format(&out, "\n[Peer]\nPublicKey = %.*s\nAllowedIPs = ", STR_ARG(peering->public_key));
    for (size_t i = 0; i < peering->networks.count; i++)
        buf_format(&out, "%s%.*s", i == 0 ? "" : ", ", STR_ARG(peering->networks.items[i]));
    buf_add_char(&out, '\n');
    /* Who begins keeps the way open through whatever translates addresses in between. */
    if (endpoint->address.len > 0)
        buf_format(&out, is_v4(endpoint->address) ? "Endpoint = %.*s:%d\n" : "Endpoint = [%.*s]:%d\n",
                   STR_ARG(endpoint->address), (int)endpoint->port);
    if (endpoint->address.len > 0)
        buf_format(&out, "PersistentKeepalive = %d\n", KEEPALIVE_S);
    return buf_str(&out);
}

/* ---- The wall ---- */
/*
 * - Out of a tunnel comes TCP from the tenant's network to the doors of their own members, and nothing else: no other address of the host, no neighbour's.
 * - Into it goes what such a door answers. It answers: it cannot begin (SYN alone), whoever on this host tries.
 * - Nothing is passed on between a tunnel and another network.
 * No connection is tracked, so nobody can fill a table of them. The name of a tunnel begins with "rvp": one that is not named here is closed.
 */
static const char rules[] =
    "add table " TABLE "\n"
    "delete table " TABLE "\n"
    "add table " TABLE "\n"
    "add set " TABLE " homes4 { type ifname . ipv4_addr; flags interval; }\n"
    "add set " TABLE " homes6 { type ifname . ipv6_addr; flags interval; }\n"
    "add set " TABLE " doors4 { type ifname . ipv4_addr . inet_service; }\n"
    "add set " TABLE " doors6 { type ifname . ipv6_addr . inet_service; }\n"
    "add set " TABLE " answers4 { type ifname . ipv4_addr . inet_service; }\n"
    "add set " TABLE " answers6 { type ifname . ipv6_addr . inet_service; }\n"
    "add chain " TABLE " enter\n"
    "add chain " TABLE " answer\n"
    "add chain " TABLE " arrive { type filter hook prerouting priority raw; policy accept; }\n"
    "add rule " TABLE " arrive iifname != \"rvp*\" accept\n"
    "add rule " TABLE " arrive iifname . ip saddr @homes4 iifname . ip daddr . tcp dport @doors4 goto enter\n"
    "add rule " TABLE " arrive iifname . ip6 saddr @homes6 iifname . ip6 daddr . tcp dport @doors6 goto enter\n"
    "add rule " TABLE " arrive counter drop\n"
    "add chain " TABLE " pass { type filter hook forward priority filter; policy accept; }\n"
    "add rule " TABLE " pass iifname \"rvp*\" counter drop\n"
    "add rule " TABLE " pass oifname \"rvp*\" counter drop\n"
    "add chain " TABLE " leave { type filter hook postrouting priority filter; policy accept; }\n"
    "add rule " TABLE " leave oifname != \"rvp*\" accept\n"
    "add rule " TABLE
    " leave tcp flags & (syn | ack) != syn oifname . ip daddr @homes4 oifname . ip saddr . tcp sport @answers4 goto answer\n"
    "add rule " TABLE
    " leave tcp flags & (syn | ack) != syn oifname . ip6 daddr @homes6 oifname . ip6 saddr . tcp sport @answers6 goto answer\n"
    "add rule " TABLE " leave counter drop\n";

static void
add_door(struct buf *out, const char *interface, const struct goal_peering_member *member, int64_t port)
{
    const str addresses[] = { member->private_address, member->address };
    const char *const sets[] = { "doors", "answers" };
    for (size_t i = 0; port > 0 && i < LENGTH(sets); i++)
        buf_format(out, "add element " TABLE " %s%d { \"%s\" . %.*s . %d }\n", sets[i], is_v4(addresses[i]) ? 4 : 6,
                   interface, STR_ARG(addresses[i]), (int)port);
}

/* A member whose private address the operator's network translates is known by that on the other side of a tunnel, too. */
static void
add_translation(struct buf *out, const char *interface, const struct goal_peering_member *member)
{
    str outside = member->private_address, inside = member->address;
    const char *family = is_v4(inside) ? "ip" : "ip6";
    if (str_eq(outside, inside) || is_v4(outside) != is_v4(inside))
        return;
    buf_format(out, "add rule " TABLE " enter iifname \"%s\" %s daddr %.*s %s daddr set %.*s\n", interface, family,
               STR_ARG(outside), family, STR_ARG(inside));
    buf_format(out, "add rule " TABLE " answer oifname \"%s\" %s saddr %.*s %s saddr set %.*s\n", interface, family,
               STR_ARG(inside), family, STR_ARG(outside));
}

str
peering_wall_text(struct arena *arena, const struct goal_peerings *peerings)
{
    struct buf out = buf_in(arena, TEXT_BYTES);
    buf_add_text(&out, rules);
    for (size_t i = 0; i < peerings->count; i++) {
        const struct goal_peering *peering = &peerings->items[i];
        const char *interface = peering_interface(arena, peering->port).data;
        if (peering->desired != PEERING_WANTED)
            continue;
        for (size_t k = 0; k < peering->networks.count; k++)
            buf_format(&out, "add element " TABLE " homes%d { \"%s\" . %.*s }\n",
                       is_v4(peering->networks.items[k]) ? 4 : 6, interface, STR_ARG(peering->networks.items[k]));
        for (size_t k = 0; k < peering->members.count; k++) {
            const struct goal_peering_member *member = &peering->members.items[k];
            add_door(&out, interface, member, member->port);
            add_door(&out, interface, member, member->pooler_port);
            add_translation(&out, interface, member);
        }
    }
    return buf_str(&out);
}

/* ---- Routes ---- */
/* What has no way through the tunnel has none: answers to a tenant's network do not go to the operator's while it is away. */
str
peering_routes_text(struct arena *arena, const struct goal_peering *peering, bool v4)
{
    struct buf out = buf_in(arena, TEXT_BYTES);
    const int table = PEERING_TABLE_FIRST + (int)peering->port;
    for (size_t i = 0; i < peering->networks.count; i++) {
        if (is_v4(peering->networks.items[i]) == v4)
            buf_format(&out, "route replace %.*s dev %s table %d\n", STR_ARG(peering->networks.items[i]),
                       peering_interface(arena, peering->port).data, table);
    }
    if (out.len > 0)
        buf_format(&out, "route replace unreachable default metric 4294967295 table %d\n", table);
    return buf_str(&out);
}

/* A network of one is shown without its length. */
static str
shown(str network)
{
    const str whole = is_v4(network) ? STR("/32") : STR("/128");
    return str_ends_with(network, whole) ? str_slice(network, 0, network.len - whole.len) : network;
}

static bool
has_network(const struct goal_peering *peering, str network)
{
    for (size_t i = 0; i < peering->networks.count; i++) {
        if (str_eq(shown(peering->networks.items[i]), network))
            return true;
    }
    return false;
}

/* A line begins with the network, or with the word "unreachable". */
str
peering_stale_routes_text(struct arena *arena, const struct goal_peering *peering, bool v4, str there)
{
    struct buf out = buf_in(arena, TEXT_BYTES);
    while (there.len > 0) {
        str line = str_cut(&there, '\n'), network = str_cut(&line, ' ');
        bool is_network = network.len > 0 && network.data[0] != 'u' && is_v4(network) == v4;
        if (is_network && !has_network(peering, network))
            buf_format(&out, "route del %.*s table %d\n", STR_ARG(network), PEERING_TABLE_FIRST + (int)peering->port);
    }
    return buf_str(&out);
}

str
peering_rules_text(struct arena *arena, const struct goal_peering *peering, bool v4)
{
    struct buf out = buf_in(arena, TEXT_BYTES);
    for (size_t i = 0; i < peering->members.count; i++) {
        str address = peering->members.items[i].address;
        for (size_t k = 0; is_v4(address) == v4 && k < peering->networks.count; k++) {
            str network = peering->networks.items[k];
            if (is_v4(network) == v4)
                buf_format(&out, "from %.*s to %.*s lookup %d\n", STR_ARG(address), STR_ARG(shown(network)),
                           PEERING_TABLE_FIRST + (int)peering->port);
        }
    }
    return buf_str(&out);
}
