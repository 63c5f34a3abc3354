/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a goal that is about peerings: tunnels between members of a project and their tenant's own network (docs/internals/peering.md). */
#ifndef WIRE_GOAL_PEERING_H
#define WIRE_GOAL_PEERING_H

#include "base/id.h"
#include "wire/shape.h"

enum { GOAL_MAX_PEERINGS = 4096, GOAL_MAX_PEERING_NETWORKS = 16, GOAL_MAX_PEERING_MEMBERS = 4096 };

enum goal_peering_desired { PEERING_WANTED, PEERING_UNWANTED };

struct goal_peering_endpoint { /* of the tenant's gateway */
    str address;               /* empty: the gateway begins */
    int64_t port;
};
struct goal_peering_member { /* of this host */
    str address;
    str private_address;       /* as the tenant's network knows it; the same when it has one */
    int64_t port, pooler_port; /* of the pooler: 0 when there is none */
};
struct goal_peering_members {
    size_t count;
    struct goal_peering_member *items;
};
struct goal_peering {
    id id;
    str desired_text;
    enum goal_peering_desired desired;
    int64_t port;   /* where this host takes packets of the tunnel; no two of a host have the same */
    str public_key; /* of the tenant's gateway */
    struct goal_peering_endpoint endpoint;
    struct wire_texts networks; /* of the tenant: "192.168.7.0/24" */
    struct goal_peering_members members;
};
struct goal_peerings {
    size_t count;
    struct goal_peering *items;
};
extern const struct wire_shape goal_peering_shape;

/* What types and bounds do not say. `index` is the place in the document. */
MUST_USE error goal_peering_check(struct arena *arena, struct goal_peering *peering, size_t index);

#endif
