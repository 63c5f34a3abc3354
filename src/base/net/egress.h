/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where Reeve may connect to when a tenant names the address. Only https. The name is looked up once, all of its
 * addresses must be public, and the connection goes to one of exactly these. For an address that contains an IPv4
 * address (mapped, 6to4, NAT64, Teredo, ISATAP) that one is checked as well. Addresses that the operator lists are
 * allowed in addition.
 */
#ifndef BASE_NET_EGRESS_H
#define BASE_NET_EGRESS_H

#include "base/net/net.h"

enum { EGRESS_MAX_URL = 2048, EGRESS_MAX_ADDRESSES = 16 };

struct egress_url {
    str host; /* a name or an address without brackets */
    uint16_t port;
};
/* https://HOST[:PORT][/…] and nothing else: no user, no fragment, no spaces or control characters. `ret_why` is half a
 * sentence about what is wrong. */
MUST_USE bool egress_parse(struct arena *arena, str url, struct egress_url *ret_url, const char **ret_why);

bool egress_is_public(const struct net_address *address);

struct egress_allowed { /* by the operator */
    size_t count;
    const struct net_block *blocks;
};
bool egress_is_allowed(const struct egress_allowed *allowed, const struct net_address *address);

/*
 * Whether the host is a name that could be public, or an address (in any notation) that is allowed. Does not look the
 * name up: its addresses are checked each time it is used.
 */
bool egress_host_may_be_allowed(const struct egress_allowed *allowed, const struct egress_url *url);

struct egress_target {
    struct egress_url url;
    size_t count;
    struct net_address addresses[EGRESS_MAX_ADDRESSES];
};
/*
 * Looks the name up. False when it has no address, or any address that is not allowed; the sentence does not say which
 * of the two. Blocks.
 */
MUST_USE bool egress_resolve(struct arena *arena, const struct egress_allowed *allowed, str url,
                             struct egress_target *ret_target, str *ret_why);
/* The same for an address that the operator chose: every one will do. */
MUST_USE bool egress_resolve_operators(struct arena *arena, str url, struct egress_target *ret_target, str *ret_why);

#endif
