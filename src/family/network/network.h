/* SPDX-License-Identifier: Apache-2.0 */
/* Network containers and peerings, for the table in network.c. */
#ifndef FAMILY_NETWORK_NETWORK_H
#define FAMILY_NETWORK_NETWORK_H

#include "api/request.h"

extern const struct schema container_schema;
extern const struct read container_get, container_list;
handler container_create, container_update, container_delete;

extern const struct schema peer_schema;
extern const struct read peer_get, peer_list;
handler peer_create, peer_update, peer_delete;

#endif
