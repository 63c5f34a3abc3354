/* SPDX-License-Identifier: Apache-2.0 */
/* For networks with their own name servers, which cannot resolve a cluster's public names to private addresses. */
#include "api/contract.h"

// clang-format off
static const struct endpoint dns_endpoints[] = {
    { GET, "/groups/{groupId}/providerCustomDNS", S01, ANY_OF(PROJECT_READ_ONLY), "getGroupCustomDns",
      "Return whether one project uses custom DNS",
      "Tells whether clusters of the project hand out host names that a private name server resolves.",
      .waits_for = "clusters" },
    { PATCH, "/groups/{groupId}/providerCustomDNS", S01, ANY_OF(PROJECT_OWNER), "toggleGroupCustomDns",
      "Switch custom DNS of one project",
      "Turns custom DNS names on or off. Connection strings gain or lose the private host names; addresses do not "
      "change.",
      .waits_for = "clusters" },
};
// clang-format on

FAMILY(dns_family, "dns", "Custom DNS", "Whether a project's clusters hand out names for a private name server.",
       dns_endpoints);
