/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ways into a project's clusters that stay inside private networks: a service on the clusters' side, endpoints
 * on the applications' side.
 */
#include "api/contract.h"

// clang-format off
static const struct endpoint private_endpoints_endpoints[] = {
    { GET, "/groups/{groupId}/privateEndpoint/regionalMode", S49, ANY_OF(PROJECT_READ_ONLY),
      "getGroupPrivateEndpointRegionalMode",
      "Return the regional mode of private endpoints",
      "Tells whether the project may have private endpoints in several regions for one cluster.",
      .waits_for = "networking" },
    { PATCH, "/groups/{groupId}/privateEndpoint/regionalMode", S49, ANY_OF(PROJECT_OWNER),
      "toggleGroupPrivateEndpointRegionalMode",
      "Switch the regional mode of private endpoints",
      "Turns regional mode on or off. It changes the connection strings of clusters that are spread over regions: "
      "update applications with it.",
      .waits_for = "networking" },
    { POST, "/groups/{groupId}/privateEndpoint/endpointService", S49, ANY_OF(PROJECT_OWNER),
      "createGroupPrivateEndpointEndpointService",
      "Create one private endpoint service",
      "Starts creating the clusters' side of private connections in one region. Asynchronous; endpoints can be "
      "added when it is available.",
      .success = 200,
      .item = "/groups/{groupId}/privateEndpoint/{cloudProvider}/endpointService/{endpointServiceId}",
      .waits_for = "networking" },
    { PATCH, "/groups/{groupId}/privateEndpoint/endpointService/{endpointServiceId}", S49, ANY_OF(PROJECT_OWNER),
      "updateGroupPrivateEndpointEndpointService",
      "Update one private endpoint service",
      "Changes settings of one private endpoint service. Connections that are open stay open.",
      .waits_for = "networking" },
    { GET, "/groups/{groupId}/privateEndpoint/{cloudProvider}/endpointService", S49, ANY_OF(PROJECT_READ_ONLY),
      "listGroupPrivateEndpointEndpointService",
      "Return all private endpoint services of one provider",
      "Lists the project's private endpoint services at one provider, with their state and endpoints.",
      .shape = SHAPE_LIST,
      .item = "/groups/{groupId}/privateEndpoint/{cloudProvider}/endpointService/{endpointServiceId}",
      .waits_for = "networking" },
    { DELETE, "/groups/{groupId}/privateEndpoint/{cloudProvider}/endpointService/{endpointServiceId}", S49,
      ANY_OF(PROJECT_OWNER), "deleteGroupPrivateEndpointEndpointService",
      "Delete one private endpoint service",
      "Deletes the service. Its endpoints must be deleted first.",
      .shape = SHAPE_NOTHING, .waits_for = "networking" },
    { GET, "/groups/{groupId}/privateEndpoint/{cloudProvider}/endpointService/{endpointServiceId}", S49,
      ANY_OF(PROJECT_READ_ONLY), "getGroupPrivateEndpointEndpointService",
      "Return one private endpoint service",
      "Returns one service with its state and, after a failure, the reason.",
      .waits_for = "networking" },
    { POST, "/groups/{groupId}/privateEndpoint/{cloudProvider}/endpointService/{endpointServiceId}/endpoint", S49,
      ANY_OF(PROJECT_OWNER), "createGroupPrivateEndpointEndpointServiceEndpoint",
      "Create one private endpoint for one service",
      "Registers the endpoint that was made on the applications' side and connects it to the service. "
      "Asynchronous.",
      .success = 200,
      .item = "/groups/{groupId}/privateEndpoint/{cloudProvider}/endpointService/{endpointServiceId}/endpoint/{endpointId}",
      .waits_for = "networking" },
    { DELETE,
      "/groups/{groupId}/privateEndpoint/{cloudProvider}/endpointService/{endpointServiceId}/endpoint/{endpointId}",
      S49, ANY_OF(PROJECT_OWNER), "deleteGroupPrivateEndpointEndpointServiceEndpoint",
      "Delete one private endpoint",
      "Disconnects one endpoint from the service. Connections through it end.",
      .shape = SHAPE_NOTHING, .waits_for = "networking" },
    { GET,
      "/groups/{groupId}/privateEndpoint/{cloudProvider}/endpointService/{endpointServiceId}/endpoint/{endpointId}",
      S49, ANY_OF(PROJECT_READ_ONLY), "getGroupPrivateEndpointEndpointServiceEndpoint",
      "Return one private endpoint",
      "Returns one endpoint with its address and state.",
      .waits_for = "networking" },
};
// clang-format on

FAMILY(private_endpoints_family, "private-endpoints", "Private endpoints",
       "Ways into a project's clusters that do not leave a private network.", private_endpoints_endpoints);
