/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/relay/goal_relays.h"

#include <stddef.h>

#include "wire/goal_check.h"
#include "wire/plain_name.h"

// clang-format off
#define AT(type, member) offsetof(struct type, member)
#define R WIRE_REQUIRED

static const struct wire_field target_fields[] = {
    { "address", WIRE_TEXT, R, AT(goal_relay_target, address), .max = 64 },
    { "port",    WIRE_INT,  R, AT(goal_relay_target, port),    .min = 1, .max = 65535 },
};
static const struct wire_shape target_shape = WIRE_SHAPE(struct goal_relay_target, target_fields);

static const struct wire_field port_fields[] = {
    { "port",    WIRE_INT,  R, AT(goal_relay_port, port),    .min = RELAY_FIRST_PORT, .max = 65535 },
    { "targets", WIRE_LIST, R, AT(goal_relay_port, targets), .max = GOAL_MAX_RELAY_TARGETS, .of = &target_shape },
};
static const struct wire_shape port_shape = WIRE_SHAPE(struct goal_relay_port, port_fields);

static const struct wire_field relay_fields[] = {
    { "id",      WIRE_ID,    R, AT(goal_relay, id) },
    { "name",    WIRE_TEXT,  R, AT(goal_relay, name),    .max = 128 },
    { "address", WIRE_TEXT,  R, AT(goal_relay, address), .max = 64 },
    { "prefix",  WIRE_INT,   R, AT(goal_relay, prefix),  .max = 128 },
    { "clients", WIRE_TEXTS, R, AT(goal_relay, clients), .max = GOAL_MAX_RELAY_CLIENTS },
    { "ports",   WIRE_LIST,  R, AT(goal_relay, ports),   .max = GOAL_MAX_RELAY_PORTS, .of = &port_shape },
};
const struct wire_shape goal_relay_shape = WIRE_SHAPE(struct goal_relay, relay_fields);
// clang-format on

/* All of it becomes parts of lines of configuration. */
error
goal_relay_check(struct arena *arena, const struct goal_relay *relay, size_t index)
{
    if (!plain_name(relay->name))
        return goal_wrong(arena, "relays", index, "name", "letters, digits and dashes are wanted");
    if (!goal_is_address(relay->address))
        return goal_wrong(arena, "relays", index, "address", "an address is wanted");
    for (size_t i = 0; i < relay->clients.count; i++) {
        if (!goal_is_address(relay->clients.items[i]))
            return goal_wrong(arena, "relays", index, "clients", "one of them is no address");
    }
    for (size_t i = 0; i < relay->ports.count; i++) {
        const struct goal_relay_port *port = &relay->ports.items[i];
        if (port->targets.count == 0)
            return goal_wrong(arena, "relays", index, "ports", "one of them leads nowhere");
        for (size_t k = 0; k < port->targets.count; k++) {
            if (!goal_is_address(port->targets.items[k].address))
                return goal_wrong(arena, "relays", index, "ports", "one of them leads to what is no address");
        }
        for (size_t k = 0; k < i; k++) {
            if (relay->ports.items[k].port == port->port)
                return goal_wrong(arena, "relays", index, "ports", "a port is there twice");
        }
    }
    return OK;
}
