/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses and CIDR blocks. An IPv4 address is kept as its v4-mapped IPv6 form, so one comparison serves both. */
#ifndef BASE_NET_NET_H
#define BASE_NET_NET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct net_address {
    uint8_t bytes[16];
};

struct net_block {
    struct net_address base;
    uint8_t prefix; /* 0 to 128, counted in the mapped form */
};

struct net_address net_from_v4(const uint8_t bytes[4]);
struct net_address net_from_v6(const uint8_t bytes[16]);
MUST_USE bool net_parse_address(str text, struct net_address *ret);
/* "10.0.0.0/8", "2001:db8::/32"; an address without "/" is a block of one. Bits after the prefix must be 0. */
MUST_USE bool net_parse_block(str text, struct net_block *ret);
/* A block that is wider than the mapped range contains no IPv4 address: "::/0" means every IPv6 address only. */
bool net_contains(const struct net_block *block, const struct net_address *address);
bool net_is_v4(const struct net_address *address);
/* What counts as one host: an IPv4 address, or the /64 of an IPv6 address, because its owner has all of its addresses. */
struct net_address net_host(const struct net_address *address);
str net_address_text(struct arena *arena, const struct net_address *address);
/* Always with its prefix length: "10.0.0.1/32". */
str net_block_text(struct arena *arena, const struct net_block *block);

#endif
