/* SPDX-License-Identifier: Apache-2.0 */
/* Networks of a project: containers, peering, and whether its names resolve to private addresses. */
#include "family/network/network.h"
#include "api/crud.h"
#include "family/families.h"

static const struct field private_ip_mode_fields[] = {
    BOOL(
        "enabled",
        "Whether the names of the project's clusters resolve to private addresses only. A member with one address keeps "
        "that.",
        REQUIRED | ALWAYS, .example = "false"),
    END_OF_FIELDS,
};
static const struct schema private_ip_mode_schema = { "PrivateIPMode", "The private IP mode of a project.",
                                                      private_ip_mode_fields };

/* The names in DNS follow it at once: the store's view `reeve_dns.records` reads it. */
static const struct kind private_ip_mode = {
    .name = "privateIpMode",
    .fallback = "{\"enabled\":false}",
    .changed = EVENT_PRIVATE_IP_MODE_CHANGED,
};

// clang-format off
static const struct field container_path[] = { ID("containerId", "Identifier of the container.", 0), END_OF_FIELDS };
static const struct field peer_path[] = { ID("peerId", "Identifier of the connection.", 0), END_OF_FIELDS };
static const struct field provider_query[] = {
    TEXT("providerName", "Only what is at this provider.", 0, .min = 1, .max = 32, .example = "\"ONPREM\""),
    END_OF_FIELDS,
};

static const struct endpoint network_endpoints[] = {
    { GET, "/groups/{groupId}/containers", S43, ANY_OF(PROJECT_READ_ONLY), "listContainers",
      "Return all network containers of one provider in one project",
      "Lists the containers of one provider, or of all without one. A container is a block of private addresses for members of "
      "the project's clusters.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/containers/{containerId}", .read = &container_list,
      .query = provider_query, .response = &container_schema },
    { POST, "/groups/{groupId}/containers", S43, ANY_OF(PROJECT_OWNER), "createContainer",
      "Create one network container",
      "Reserves a block of the operator's addresses. From then on new members in the region get addresses from it, and members "
      "of other projects do not. Existing members keep their addresses.",
      .item = "/groups/{groupId}/containers/{containerId}", .run = container_create, .request = &container_schema,
      .response = &container_schema,
      .example = "{\"providerName\": \"ONPREM\", \"regionName\": \"EU_NORTH\", \"serviceCidrBlock\": \"10.91.4.0/24\"}" },
    { GET, "/groups/{groupId}/containers/all", S43, ANY_OF(PROJECT_READ_ONLY), "listAllContainers",
      "Return all network containers in one project",
      "Lists the containers of every provider.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/containers/{containerId}", .read = &container_list,
      .response = &container_schema },
    { DELETE, "/groups/{groupId}/containers/{containerId}", S43, ANY_OF(PROJECT_OWNER), "deleteContainer",
      "Remove one network container",
      "Releases the addresses for all projects. A container with addresses that members use is not removed.",
      .shape = SHAPE_NOTHING, .run = container_delete, .path_fields = container_path },
    { GET, "/groups/{groupId}/containers/{containerId}", S43, ANY_OF(PROJECT_READ_ONLY), "getContainer",
      "Return one network container",
      "Shows its block of addresses and whether it is in use.",
      .read = &container_get, .path_fields = container_path, .response = &container_schema },
    { PATCH, "/groups/{groupId}/containers/{containerId}", S43, ANY_OF(PROJECT_OWNER), "updateContainer",
      "Change one network container",
      "Changes the block of a container that nothing uses yet.",
      .run = container_update, .path_fields = container_path, .request = &container_schema, .response = &container_schema,
      .example = "{\"serviceCidrBlock\": \"10.92.2.0/24\"}" },
    { GET, "/groups/{groupId}/peers", S43, ANY_OF(PROJECT_READ_ONLY), "listPeers",
      "Return all peering connections in one project",
      "Lists the connections of one provider, or of all without one. A connection is a tunnel between members in a network container and a network of the "
      "client's.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/peers/{peerId}", .read = &peer_list, .query = provider_query,
      .response = &peer_schema },
    { POST, "/groups/{groupId}/peers", S43, ANY_OF(PROJECT_NETWORK_ACCESS_MANAGER), "createPeer",
      "Create one peering connection",
      "Connects a network of the client's with the members in one of the project's network containers, by a WireGuard tunnel to each of their hosts. From "
      "the client's network the members' PostgreSQL and pooler ports are reached, as far as the access list allows, and nothing else; nothing begins in "
      "the other direction. Hosts make their ends within seconds; `gateways` then says what the client's gateway has to be told.",
      .item = "/groups/{groupId}/peers/{peerId}", .run = peer_create, .request = &peer_schema,
      .response = &peer_schema,
      .example = "{\"containerId\": \"65a1b2c3d4e5f60718293a4b\", \"routeTableCidrBlock\": \"192.168.7.0/24\", "
                 "\"gatewayPublicKey\": \"hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=\"}" },
    { DELETE, "/groups/{groupId}/peers/{peerId}", S43, ANY_OF(PROJECT_NETWORK_ACCESS_MANAGER), "deletePeer",
      "Remove one peering connection",
      "Closes the ends of the tunnel on all hosts, within seconds, and forgets their keys. The connection is shown as TERMINATING until all are closed.",
      .shape = SHAPE_NOTHING, .success = 202, .run = peer_delete, .path_fields = peer_path },
    { GET, "/groups/{groupId}/peers/{peerId}", S43, ANY_OF(PROJECT_READ_ONLY), "getPeer",
      "Return one peering connection",
      "Shows its state, and the ends of the tunnel on the hosts with their public keys.",
      .read = &peer_get, .path_fields = peer_path, .response = &peer_schema },
    { PATCH, "/groups/{groupId}/peers/{peerId}", S43, ANY_OF(PROJECT_NETWORK_ACCESS_MANAGER), "updatePeer",
      "Change one peering connection",
      "Changes the client's networks, or their gateway's key or address. Hosts keep their keys; with a new key of the gateway the connection waits for it "
      "again.",
      .run = peer_update, .path_fields = peer_path, .request = &peer_schema, .response = &peer_schema,
      .example = "{\"routeTableCidrBlock\": \"192.168.8.0/24\"}" },
    { GET, "/groups/{groupId}/privateIpMode", S43, ANY_OF(PROJECT_READ_ONLY), "getPrivateIpMode",
      "Return the private IP mode of one project",
      "Tells whether the names of the project's clusters resolve to private addresses only.",
      .flags = DEPRECATED, .read = &crud_get_single, .kind = &private_ip_mode, .response = &private_ip_mode_schema },
    { PATCH, "/groups/{groupId}/privateIpMode", S43, ANY_OF(PROJECT_OWNER), "updatePrivateIpMode",
      "Change the private IP mode of one project",
      "Switches the mode. The name server answers the names of the project's clusters with the private addresses that the operator gave their "
      "members, or with the others again, at once; resolvers may remember an answer for five seconds. Connection strings stay as they are. Also served under the older prefix /api/svc/v1.0, with the same rate limit.",
      .flags = DEPRECATED | ALSO_V1, .run = crud_update_single, .kind = &private_ip_mode,
      .request = &private_ip_mode_schema, .response = &private_ip_mode_schema, .example = "{\"enabled\": false}" },
};
// clang-format on

FAMILY(network_family, "network", "Networks", "Network containers, peering and private IP mode.", network_endpoints);
