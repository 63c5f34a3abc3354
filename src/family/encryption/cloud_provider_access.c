/* SPDX-License-Identifier: Apache-2.0 */
/* Roles in accounts of providers: refused, because hosts of an operator's own have no identity there. */
#include "family/absent.h"
#include "family/families.h"

static const struct field usage_fields[] = {
    TEXT("featureType", "What uses the role.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema usage_schema = { "ProviderRoleUsage", "A feature that uses a role.", usage_fields };

static const struct field role_fields[] = {
    TEXT("providerName", "Provider of the role.", REQUIRED | ALWAYS, .min = 1, .max = 32, .example = "\"ONPREM\""),
    ID("roleId", "Identifier of the role.", READ_ONLY | ALWAYS),
    DATE("createdDate", "When it was created.", READ_ONLY | ALWAYS),
    DATE("authorizedDate", "When it was authorized.", READ_ONLY),
    LIST("featureUsages", "What uses it.", READ_ONLY | ALWAYS, .of = &usage_schema),
    END_OF_FIELDS,
};
static const struct schema role_schema = { "ProviderRole", "A role in a provider's account.", role_fields };

static const struct field authorization_fields[] = {
    TEXT("providerName", "Provider of the role.", REQUIRED, .min = 1, .max = 32, .example = "\"ONPREM\""),
    TEXT("iamAssumedRoleArn", "Name of the role at the provider.", 0, .min = 20, .max = 2048,
         .example = "\"role:checkout/reeve-exports\""),
    END_OF_FIELDS,
};
static const struct schema authorization_schema = { "ProviderRoleAuthorization", "A role of a provider, to authorize.",
                                                    authorization_fields };

static const struct field roles_fields[] = {
    LIST("roles", "The roles of all providers: none.", READ_ONLY | ALWAYS, .of = &role_schema),
    END_OF_FIELDS,
};
static const struct schema roles_schema = { "ProviderRoles", "The roles that a project may use at providers.",
                                            roles_fields };

static handler no_roles;

// clang-format off
static const struct field role_path[] = { ID("roleId", "Identifier of the role.", 0), END_OF_FIELDS };
static const struct field provider_role_path[] = {
    PROVIDER_IN_PATH,
    ID("roleId", "Identifier of the role.", 0),
    END_OF_FIELDS,
};

static const struct endpoint cloud_provider_access_endpoints[] = {
    { GET, "/groups/{groupId}/cloudProviderAccess", S14, ANY_OF(PROJECT_READ_ONLY), "listGroupCloudProviderAccess",
      "Return all cloud provider roles of one project",
      "There are none: such roles are not offered.",
      .flags = NO_ETAG, .run = no_roles, .response = &roles_schema },
    { POST, "/groups/{groupId}/cloudProviderAccess", S14, ANY_OF(PROJECT_OWNER), "createGroupCloudProviderAccess",
      "Create one cloud provider role",
      "Refused: such roles are not offered. A provider gives roles to its own hosts, and clusters run on the operator's hosts.",
      .success = 200, .item = "/groups/{groupId}/cloudProviderAccess/{roleId}", .refuses = PROVIDER_ROLE_NOT_OFFERED,
      .request = &role_schema, .response = &role_schema, .example = "{\"providerName\": \"ONPREM\"}" },
    { GET, "/groups/{groupId}/cloudProviderAccess/{roleId}", S14, ANY_OF(PROJECT_READ_ONLY),
      "getGroupCloudProviderAccess",
      "Return one cloud provider role",
      "None is ever found: such roles are not offered.",
      .run = absent_one, .path_fields = role_path, .response = &role_schema },
    { PATCH, "/groups/{groupId}/cloudProviderAccess/{roleId}", S14, ANY_OF(PROJECT_OWNER),
      "authorizeGroupCloudProviderAccessRole",
      "Authorize one cloud provider role",
      "None is ever found: such roles are not offered.",
      .run = absent_one, .path_fields = role_path, .request = &authorization_schema, .response = &role_schema,
      .example = "{\"providerName\": \"ONPREM\", \"iamAssumedRoleArn\": \"role:checkout/reeve-exports\"}" },
    { DELETE, "/groups/{groupId}/cloudProviderAccess/{cloudProvider}/{roleId}", S14, ANY_OF(PROJECT_OWNER),
      "deauthorizeGroupCloudProviderAccessRole",
      "Remove one cloud provider role",
      "None is ever found: such roles are not offered.",
      .shape = SHAPE_NOTHING, .run = absent_one, .path_fields = provider_role_path },
};
// clang-format on

FAMILY(cloud_provider_access_family, "cloud-provider-access", "Cloud provider access",
       "Roles in a cloud provider's account. Clusters run on the operator's own hosts, so there are none.",
       cloud_provider_access_endpoints);

static error
no_roles(struct request *req)
{
    answer_entity(req, STR("{\"roles\":[]}"), 0);
    return OK;
}
