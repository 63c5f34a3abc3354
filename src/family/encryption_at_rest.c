/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data files and backups encrypted with keys that the customer holds. Whoever takes the key back stops the
 * clusters.
 */
#include "api/contract.h"

// clang-format off
static const struct endpoint encryption_at_rest_endpoints[] = {
    { GET, "/groups/{groupId}/encryptionAtRest", S23, ANY_OF(PROJECT_READ_ONLY), "getGroupEncryptionAtRest",
      "Return the encryption settings of one project",
      "Returns the key services that are configured and whether their keys can be used right now. Secrets are not "
      "returned.",
      .waits_for = "networking" },
    { PATCH, "/groups/{groupId}/encryptionAtRest", S23, ANY_OF(PROJECT_OWNER), "updateGroupEncryptionAtRest",
      "Update the encryption settings of one project",
      "Sets the key service for clusters that use encryption. Clusters take a new key one after the other; keep "
      "the old one until all have.",
      .waits_for = "networking" },
    { GET, "/groups/{groupId}/encryptionAtRest/{cloudProvider}/privateEndpoints", S23, ANY_OF(PROJECT_OWNER),
      "listGroupEncryptionAtRestPrivateEndpoints",
      "Return all private endpoints to one key service",
      "Lists the private ways from the project's hosts to a provider's key service.",
      .shape = SHAPE_LIST,
      .item = "/groups/{groupId}/encryptionAtRest/{cloudProvider}/privateEndpoints/{endpointId}",
      .waits_for = "networking" },
    { POST, "/groups/{groupId}/encryptionAtRest/{cloudProvider}/privateEndpoints", S23, ANY_OF(PROJECT_OWNER),
      "createGroupEncryptionAtRestPrivateEndpoint",
      "Create one private endpoint to one key service",
      "Accepts a private endpoint in one region. Asynchronous; it must then be approved on the provider's side.",
      .success = 202, .item = "/groups/{groupId}/encryptionAtRest/{cloudProvider}/privateEndpoints/{endpointId}",
      .waits_for = "networking" },
    { DELETE, "/groups/{groupId}/encryptionAtRest/{cloudProvider}/privateEndpoints/{endpointId}", S23,
      ANY_OF(PROJECT_OWNER), "requestGroupEncryptionAtRestPrivateEndpointDeletion",
      "Delete one private endpoint to one key service",
      "Starts removing the private endpoint. The key must be reachable another way, or clusters cannot restart.",
      .shape = SHAPE_NOTHING, .waits_for = "networking" },
    { GET, "/groups/{groupId}/encryptionAtRest/{cloudProvider}/privateEndpoints/{endpointId}", S23,
      ANY_OF(PROJECT_OWNER), "getGroupEncryptionAtRestPrivateEndpoint",
      "Return one private endpoint to one key service",
      "Returns one private endpoint with its region and state.",
      .waits_for = "networking" },
};
// clang-format on

FAMILY(encryption_at_rest_family, "encryption-at-rest", "Encryption at rest",
       "Keys of your own for the data files and backups of a project, and the private ways to the key service.",
       encryption_at_rest_endpoints);
