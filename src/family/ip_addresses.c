/* SPDX-License-Identifier: Apache-2.0 */
/* What to allow in a firewall between applications and clusters. */
#include "api/contract.h"

// clang-format off
static const struct endpoint ip_addresses_endpoints[] = {
    { GET, "/groups/{groupId}/ipAddresses", S33, ANY_OF(PROJECT_READ_ONLY), "getGroupIpAddresses",
      "Return all IP addresses of one project's clusters",
      "Lists, cluster by cluster, the addresses that take connections and those that connections come from. Read "
      "it again after members move.",
      .waits_for = "clusters" },
};
// clang-format on

FAMILY(ip_addresses_family, "ip-addresses", "Project IP addresses",
       "The addresses of the hosts that a project's clusters run on.", ip_addresses_endpoints);
