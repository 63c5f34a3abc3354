/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an organization demands of everybody who enters it. Few requests change it, so its bucket is the smallest
 * of all.
 */
#include "api/contract.h"

// clang-format off
static const struct endpoint organization_settings_endpoints[] = {
    { GET, "/orgs/{orgId}/settings", S45, ANY_OF(ORG_MEMBER), "getOrgSettings",
      "Return the settings of one organization",
      "Returns the rules that hold for everybody in the organization: whether API callers need an access list, "
      "whether people need a second factor, and how long secrets may live.",
      .waits_for = "identity" },
    { PATCH, "/orgs/{orgId}/settings", S45, ANY_OF(ORG_OWNER), "updateOrgSettings",
      "Update the settings of one organization",
      "Changes only the settings that are sent. A stricter rule holds from the next request on, for the caller as "
      "well: make sure that your own address is listed before you demand access lists.",
      .waits_for = "identity" },
};
// clang-format on

FAMILY(organization_settings_family, "organization-settings", "Organization settings",
       "What an organization demands of its members and keys, such as two factors at sign-in or an access list.",
       organization_settings_endpoints);
