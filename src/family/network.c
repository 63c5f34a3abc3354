/* SPDX-License-Identifier: Apache-2.0 */
/* Networks of a project: containers, peering, and whether its names resolve to private addresses. */
#include "api/crud.h"
#include "family/families.h"

static const struct field private_ip_mode_fields[] = {
    BOOL("enabled", "Whether the names of the project's clusters resolve to private addresses only.", REQUIRED | ALWAYS,
         .example = "false"),
    END_OF_FIELDS,
};
static const struct schema private_ip_mode_schema = { "PrivateIPMode", "The private IP mode of a project.",
                                                      private_ip_mode_fields };

static const struct kind private_ip_mode = {
    .name = "privateIpMode",
    .fallback = "{\"enabled\":false}",
    .changed = EVENT_PRIVATE_IP_MODE_CHANGED,
};

// clang-format off
static const struct endpoint network_endpoints[] = {
    { GET, "/groups/{groupId}/containers", S43, ANY_OF(PROJECT_READ_ONLY), "listContainers",
      "Return all network containers of one provider in one project",
      "A container is a range of private addresses that clusters of the project get theirs from.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/containers/{containerId}", .waits_for = "networking" },
    { POST, "/groups/{groupId}/containers", S43, ANY_OF(PROJECT_OWNER), "createContainer",
      "Create one network container",
      "Sets a range of private addresses aside for the clusters of the project in a region.",
      .item = "/groups/{groupId}/containers/{containerId}", .waits_for = "networking" },
    { GET, "/groups/{groupId}/containers/all", S43, ANY_OF(PROJECT_READ_ONLY), "listAllContainers",
      "Return all network containers in one project",
      "Lists the containers of every provider.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/containers/{containerId}", .waits_for = "networking" },
    { DELETE, "/groups/{groupId}/containers/{containerId}", S43, ANY_OF(PROJECT_OWNER), "deleteContainer",
      "Remove one network container",
      "A container that clusters or peering connections use is not removed.",
      .shape = SHAPE_NOTHING, .waits_for = "networking" },
    { GET, "/groups/{groupId}/containers/{containerId}", S43, ANY_OF(PROJECT_READ_ONLY), "getContainer",
      "Return one network container",
      "Shows its range of addresses and whether anything uses it.",
      .waits_for = "networking" },
    { PATCH, "/groups/{groupId}/containers/{containerId}", S43, ANY_OF(PROJECT_OWNER), "updateContainer",
      "Change one network container",
      "Changes the range of a container that nothing uses yet.",
      .waits_for = "networking" },
    { GET, "/groups/{groupId}/peers", S43, ANY_OF(PROJECT_READ_ONLY), "listPeers",
      "Return all peering connections in one project",
      "Lists the private networks that the project is connected with and the state of each connection.",
      .shape = SHAPE_LIST, .item = "/groups/{groupId}/peers/{peerId}", .waits_for = "networking" },
    { POST, "/groups/{groupId}/peers", S43, ANY_OF(PROJECT_NETWORK_ACCESS_MANAGER), "createPeer",
      "Create one peering connection",
      "Asks for a connection between a container of the project and a network of yours; asynchronous.",
      .item = "/groups/{groupId}/peers/{peerId}", .waits_for = "networking" },
    { DELETE, "/groups/{groupId}/peers/{peerId}", S43, ANY_OF(PROJECT_NETWORK_ACCESS_MANAGER), "deletePeer",
      "Remove one peering connection",
      "Takes the connection down; asynchronous.",
      .success = 202, .waits_for = "networking" },
    { GET, "/groups/{groupId}/peers/{peerId}", S43, ANY_OF(PROJECT_READ_ONLY), "getPeer",
      "Return one peering connection",
      "Shows both ends of the connection and its state.",
      .waits_for = "networking" },
    { PATCH, "/groups/{groupId}/peers/{peerId}", S43, ANY_OF(PROJECT_NETWORK_ACCESS_MANAGER), "updatePeer",
      "Change one peering connection",
      "Changes the far end of a connection.",
      .waits_for = "networking" },
    { GET, "/groups/{groupId}/privateIpMode", S43, ANY_OF(PROJECT_READ_ONLY), "getPrivateIpMode",
      "Return the private IP mode of one project",
      "Says whether the names of the project's clusters resolve to private addresses only.",
      .flags = DEPRECATED, .read = &crud_get_single, .kind = &private_ip_mode, .response = &private_ip_mode_schema },
    { PATCH, "/groups/{groupId}/privateIpMode", S43, ANY_OF(PROJECT_OWNER), "updatePrivateIpMode",
      "Change the private IP mode of one project",
      "Switches the mode. Also served under the older prefix /api/svc/v1.0, without a rate limit.",
      .flags = DEPRECATED | ALSO_V1, .run = crud_update_single, .kind = &private_ip_mode,
      .request = &private_ip_mode_schema, .response = &private_ip_mode_schema, .example = "{\"enabled\": false}" },
};
// clang-format on

FAMILY(network_family, "network", "Networks", "Network containers, peering and private IP mode.", network_endpoints);
