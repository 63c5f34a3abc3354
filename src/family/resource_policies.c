/* SPDX-License-Identifier: Apache-2.0 */
/* Rules that an organization puts above its projects: a change that breaks one is refused. */
#include "api/contract.h"

// clang-format off
static const struct endpoint resource_policies_endpoints[] = {
    { GET, "/orgs/{orgId}/nonCompliantResources", S58, ANY_OF(ORG_MEMBER), "getOrgNonCompliantResources",
      "Return all resources that break a policy",
      "Lists clusters and projects that were configured before a policy forbade it. Policies stop changes; they "
      "do not touch what exists.",
      .shape = SHAPE_LIST, .since = "2024-08-05", .waits_for = "policies" },
    { GET, "/orgs/{orgId}/resourcePolicies", S58, ANY_OF(ORG_MEMBER), "listOrgResourcePolicies",
      "Return all resource policies of one organization",
      "Lists the policies, each with its rules.",
      .shape = SHAPE_LIST, .since = "2024-08-05", .item = "/orgs/{orgId}/resourcePolicies/{resourcePolicyId}",
      .waits_for = "policies" },
    { POST, "/orgs/{orgId}/resourcePolicies", S58, ANY_OF(ORG_OWNER), "createOrgResourcePolicy",
      "Create one resource policy",
      "Creates a policy; it counts for every change from now on. What exists and breaks it is only reported.",
      .since = "2024-08-05", .item = "/orgs/{orgId}/resourcePolicies/{resourcePolicyId}", .waits_for = "policies" },
    { DELETE, "/orgs/{orgId}/resourcePolicies/{resourcePolicyId}", S58, ANY_OF(ORG_OWNER),
      "deleteOrgResourcePolicy",
      "Delete one resource policy",
      "Deletes the policy. Changes that it refused are allowed again.",
      .shape = SHAPE_NOTHING, .success = 200, .since = "2024-08-05", .waits_for = "policies" },
    { GET, "/orgs/{orgId}/resourcePolicies/{resourcePolicyId}", S58, ANY_OF(ORG_MEMBER), "getOrgResourcePolicy",
      "Return one resource policy",
      "Returns one policy with its rules and who changed it last.",
      .since = "2024-08-05", .waits_for = "policies" },
    { PATCH, "/orgs/{orgId}/resourcePolicies/{resourcePolicyId}", S58, ANY_OF(ORG_OWNER), "updateOrgResourcePolicy",
      "Update one resource policy",
      "Changes the name, the description or the rules of one policy. Rules that are sent replace all that were "
      "there.",
      .since = "2024-08-05", .waits_for = "policies" },
    { POST, "/orgs/{orgId}/resourcePolicies:validate", S58, ANY_OF(ORG_OWNER), "validateOrgResourcePolicies",
      "Check one resource policy without creating it",
      "Reads the rules as creating would and reports mistakes. Nothing is stored.",
      .success = 200, .since = "2024-08-05", .waits_for = "policies" },
};
// clang-format on

FAMILY(resource_policies_family, "resource-policies", "Resource policies",
       "Rules of an organization that refuse changes to clusters and networks which break them.",
       resource_policies_endpoints);
