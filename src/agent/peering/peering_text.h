/* SPDX-License-Identifier: Apache-2.0 */
/* What programs of the system are told about peerings: names, rules of nftables, WireGuard's configuration, the unit. For tests, too. */
#ifndef AGENT_PEERING_PEERING_TEXT_H
#define AGENT_PEERING_PEERING_TEXT_H

#include "wire/peering/goal_peering.h"

enum {
    PEERING_RULE_PRIORITY = 5200, /* of routing rules: before those of the system */
    PEERING_TABLE_FIRST = 1000000 /* of routes; one for each tunnel, by its port */
};

/* The tunnel's interface: "rvp51820". */
str peering_interface(struct arena *arena, int64_t port);
/* "reeve-peering-51820.service", where the kernel makes no tunnels. */
str peering_unit(struct arena *arena, int64_t port);
str peering_unit_text(struct arena *arena, int64_t port);
/* With the private key in it. */
str peering_config_text(struct arena *arena, const struct goal_peering *peering, str private_key);
/* The rules for all of a host's in one step. */
str peering_wall_text(struct arena *arena, const struct goal_peerings *peerings);
/* Commands for `ip -batch` that fill its table of routes; empty when it has no network of the family. */
str peering_routes_text(struct arena *arena, const struct goal_peering *peering, bool is_v4);
/* Commands that take out of it what is there, as `ip route list` shows it, and not wanted. What is unreachable stays so. */
str peering_stale_routes_text(struct arena *arena, const struct goal_peering *peering, bool is_v4, str there);
/*
 * Routing rules of one family, a line each, without their priority: "from 10.78.1.5 to 192.168.7.0/24 lookup 1051820". As `ip rule list` shows them.
 * They begin with a member's own address, so two tenants may have the same network at home.
 */
str peering_rules_text(struct arena *arena, const struct goal_peering *peering, bool is_v4);

#endif
