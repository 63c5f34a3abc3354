/* SPDX-License-Identifier: Apache-2.0 */
/* Trust in two steps: create a role here, allow it on the provider's side, then authorize it here. */
#include "api/contract.h"

// clang-format off
static const struct endpoint cloud_provider_access_endpoints[] = {
    { GET, "/groups/{groupId}/cloudProviderAccess", S14, ANY_OF(PROJECT_READ_ONLY), "listGroupCloudProviderAccess",
      "Return all cloud provider roles of one project",
      "Returns the roles that the project may use at cloud providers, grouped by provider, with the features that "
      "use each.",
      .waits_for = "networking" },
    { POST, "/groups/{groupId}/cloudProviderAccess", S14, ANY_OF(PROJECT_OWNER), "createGroupCloudProviderAccess",
      "Create one cloud provider role",
      "Creates the half of the trust on this side and answers with what the provider needs to know. The role "
      "works when it has been authorized.",
      .success = 200, .item = "/groups/{groupId}/cloudProviderAccess/{roleId}", .waits_for = "networking" },
    { GET, "/groups/{groupId}/cloudProviderAccess/{roleId}", S14, ANY_OF(PROJECT_READ_ONLY),
      "getGroupCloudProviderAccess",
      "Return one cloud provider role",
      "Returns one role with whether it is authorized and which features use it.",
      .waits_for = "networking" },
    { PATCH, "/groups/{groupId}/cloudProviderAccess/{roleId}", S14, ANY_OF(PROJECT_OWNER),
      "authorizeGroupCloudProviderAccessRole",
      "Authorize one cloud provider role",
      "Completes the trust with the provider's name of the role, and checks that it can be used.",
      .waits_for = "networking" },
    { DELETE, "/groups/{groupId}/cloudProviderAccess/{cloudProvider}/{roleId}", S14, ANY_OF(PROJECT_OWNER),
      "deauthorizeGroupCloudProviderAccessRole",
      "Remove one cloud provider role",
      "Ends the trust. A role that encryption, exports or another feature still uses is refused.",
      .shape = SHAPE_NOTHING, .waits_for = "networking" },
};
// clang-format on

FAMILY(cloud_provider_access_family, "cloud-provider-access", "Cloud provider access",
       "Roles in a cloud provider account that a project may use, for object storage and keys.",
       cloud_provider_access_endpoints);
