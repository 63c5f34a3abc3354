/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a goal that is about private endpoints (docs/internals/network.md): the relays of a relay host. Each has an address of its own, lets the
 * addresses of one project's endpoints in, and leads to members of that project only.
 */
#ifndef WIRE_RELAY_GOAL_RELAYS_H
#define WIRE_RELAY_GOAL_RELAYS_H

#include "base/id.h"
#include "wire/shape.h"

enum {
    GOAL_MAX_RELAYS = 1024,
    GOAL_MAX_RELAY_CLIENTS = 256,
    GOAL_MAX_RELAY_PORTS = 2048,
    GOAL_MAX_RELAY_TARGETS = 64,
    RELAY_FIRST_PORT = 1024
};

struct goal_relay_target { /* a member */
    str address;
    int64_t port;
};
struct goal_relay_targets {
    size_t count;
    struct goal_relay_target *items;
};
struct goal_relay_port {
    int64_t port;
    struct goal_relay_targets
        targets; /* the member that it is for; then those that stand in while that one cannot be reached */
};
struct goal_relay_ports {
    size_t count;
    struct goal_relay_port *items;
};
struct goal_relay {
    id id;    /* the service's */
    str name; /* for people */
    str address;
    int64_t prefix;
    struct wire_texts clients; /* addresses of endpoints */
    struct goal_relay_ports ports;
};
struct goal_relays {
    size_t count;
    struct goal_relay *items;
};
extern const struct wire_shape goal_relay_shape;

/* What types and bounds do not say. `index` is the place in the document. */
MUST_USE error goal_relay_check(struct arena *arena, const struct goal_relay *relay, size_t index);

#endif
