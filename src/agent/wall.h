/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of nftables that say which members of a host may connect to what on the host, by the users that members run as.
 * The network is the one thing that members of a host share.
 */
#ifndef AGENT_WALL_H
#define AGENT_WALL_H

#include "base/net/net.h"
#include "engine/problem.h"
#include "wire/goal_restore.h"

struct wall_member {
    unsigned user;
    str address;    /* its own */
    int port;       /* which is open to every client */
    str others;     /* addresses of members of its cluster on this host: "10.0.0.1,10.0.0.2" */
    str etcd_ports; /* "2379": in case that etcd runs on this host */
};

/* May be done any number of times; what others have stays. */
MUST_USE error wall_put(struct arena *arena, const struct wall_member *member);
MUST_USE error wall_remove(struct arena *arena, const struct wall_member *member);
/* Only the rules, for users who have no address of their own: seats of a repository host. */
MUST_USE error wall_put_rules(struct arena *arena);
/* Who may come to the gates of this host: these and no others, in one step. */
struct wall_gate {
    unsigned user; /* that it runs as */
    const struct goal_gate *gate;
};
MUST_USE error wall_put_gates(struct arena *arena, const struct wall_gate *gates, size_t count);
str wall_gates_text(struct arena *arena, const struct wall_gate *gates, size_t count);
/* Who reaches one store and nothing else: not even this host, or names. */
struct wall_store {
    unsigned user;
    size_t address_count;
    const struct net_address *addresses;
    int port;
};
MUST_USE error wall_put_store(struct arena *arena, const struct wall_store *store);
MUST_USE error wall_remove_store(struct arena *arena, const struct wall_store *store);
str wall_store_text(struct arena *arena, const struct wall_store *store);
/* What a user reaches who reaches nothing else: a seat its store and its members. */
struct wall_place {
    struct net_address address;
    int port;
};
struct wall_reach {
    unsigned user;
    size_t count;
    const struct wall_place *places;
};
/* In one step; what was reached before and is not named now is not reached any more. */
MUST_USE error wall_put_reach(struct arena *arena, const struct wall_reach *before, const struct wall_reach *reach);
MUST_USE error wall_remove_reach(struct arena *arena, const struct wall_reach *reach);
str wall_reach_text(struct arena *arena, const struct wall_reach *before, const struct wall_reach *reach);
/* The commands that wall_put gives to nftables: for tests. */
str wall_text(struct arena *arena, const struct wall_member *member);

#endif
