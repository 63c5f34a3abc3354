/* SPDX-License-Identifier: Apache-2.0 */
/* Peerings: tunnels between members of a project and their tenant's own network (docs/internals/peering.md). */
#ifndef STORE_NETWORK_PEER_H
#define STORE_NETWORK_PEER_H

#include "store/store.h"

struct peer_draft {
    id project, container, id;
    str public_key;
    str endpoint_address; /* empty: the gateway begins */
    int64_t endpoint_port;
    str blocks; /* "192.168.7.0/24,192.168.9.0/24" */
};
/*
 * Both refuse networks and gateways that a peering cannot have, with the reason: INVALID_ATTRIBUTE_VALUE of the field. The first says
 * NO_PEERING_CAPACITY when no port is left in the region.
 */
MUST_USE error store_peer_add(struct tx *tx, const struct peer_draft *draft, str provider, str region);
MUST_USE error store_peer_update(struct tx *tx, const struct peer_draft *draft);
/* The document is empty when there is none. */
MUST_USE error store_peer_lock(struct tx *tx, id project, id peer, str *ret_document, int64_t *ret_revision);
/* At once when no host has an end of it, otherwise as soon as all have closed theirs. */
MUST_USE error store_peer_remove(struct tx *tx, id project, id peer);
/* The network of a tenant's peering that has one of the addresses, which no host can have then; empty when none has. */
MUST_USE error store_address_is_peered(struct tx *tx, str first, int64_t count, str *ret_block);
MUST_USE error store_container_is_peered(struct tx *tx, id project, id container, bool *ret_is_peered);

#endif
