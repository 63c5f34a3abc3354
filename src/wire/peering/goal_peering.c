/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/peering/goal_peering.h"

#include <stddef.h>

#include "base/net/net.h"
#include "wire/goal_check.h"

enum { KEY_TEXT_BYTES = 44, KEY_RAW_BYTES = 32, ADDRESS_BYTES = 64 };

// clang-format off
#define AT(type, member) offsetof(struct type, member)
#define R WIRE_REQUIRED

static const struct wire_field endpoint_fields[] = {
    { "address", WIRE_TEXT, R, AT(goal_peering_endpoint, address), .max = ADDRESS_BYTES },
    { "port",    WIRE_INT,  R, AT(goal_peering_endpoint, port),    .min = 1, .max = 65535 },
};
static const struct wire_shape endpoint_shape = WIRE_SHAPE(struct goal_peering_endpoint, endpoint_fields);

static const struct wire_field member_fields[] = {
    { "address",        WIRE_TEXT, R, AT(goal_peering_member, address),         .max = ADDRESS_BYTES },
    { "privateAddress", WIRE_TEXT, R, AT(goal_peering_member, private_address), .max = ADDRESS_BYTES },
    { "port",           WIRE_INT,  R, AT(goal_peering_member, port),            .min = 1, .max = 65535 },
    { "poolerPort",     WIRE_INT,  0, AT(goal_peering_member, pooler_port),     .max = 65535 },
};
static const struct wire_shape member_shape = WIRE_SHAPE(struct goal_peering_member, member_fields);

static const struct wire_field peering_fields[] = {
    { "id",        WIRE_ID,     R, AT(goal_peering, id) },
    { "desired",   WIRE_TEXT,   R, AT(goal_peering, desired_text), .max = 32 },
    { "port",      WIRE_INT,    R, AT(goal_peering, port),         .min = 1024, .max = 65535 },
    { "publicKey", WIRE_TEXT,   R, AT(goal_peering, public_key),   .max = KEY_TEXT_BYTES },
    { "endpoint",  WIRE_OBJECT, 0, AT(goal_peering, endpoint),     .of = &endpoint_shape },
    { "networks",  WIRE_TEXTS,  R, AT(goal_peering, networks),     .max = GOAL_MAX_PEERING_NETWORKS },
    { "members",   WIRE_LIST,   R, AT(goal_peering, members),      .max = GOAL_MAX_PEERING_MEMBERS, .of = &member_shape },
};
const struct wire_shape goal_peering_shape = WIRE_SHAPE(struct goal_peering, peering_fields);
// clang-format on

/* All of it becomes parts of lines of configuration, and of rules. */
error
goal_peering_check(struct arena *arena, struct goal_peering *peering, size_t index)
{
    static const char *const desired_words[] = { "RUNNING", "REMOVED", NULL };
    struct net_block ignored;
    str key;
    int desired = str_word(peering->desired_text, desired_words);
    if (desired < 0)
        return goal_wrong(arena, "peerings", index, "desired", "RUNNING or REMOVED is wanted");
    peering->desired = (enum goal_peering_desired)desired;
    if (!str_from_base64(arena, peering->public_key, &key) || key.len != KEY_RAW_BYTES)
        return goal_wrong(arena, "peerings", index, "publicKey", "32 bytes in base64 are wanted");
    if (peering->endpoint.address.len > 0 && !goal_is_address(peering->endpoint.address))
        return goal_wrong(arena, "peerings", index, "endpoint.address", "an address is wanted");
    for (size_t i = 0; i < peering->networks.count; i++) {
        if (!net_parse_block(peering->networks.items[i], &ignored))
            return goal_wrong(arena, "peerings", index, "networks", "one of them is no network");
    }
    for (size_t i = 0; i < peering->members.count; i++) {
        const struct goal_peering_member *member = &peering->members.items[i];
        if (!goal_is_address(member->address) || !goal_is_address(member->private_address))
            return goal_wrong(arena, "peerings", index, "members", "an address that is none");
    }
    return OK;
}
