/* SPDX-License-Identifier: Apache-2.0 */
/* For networks with their own name servers, which cannot resolve a cluster's public names to private addresses: cluster_connection_strings() of the store reads it. */
#include "api/crud.h"
#include "family/families.h"

static const struct field custom_dns_fields[] = {
    BOOL("enabled", "Whether connection strings have names for private addresses.", REQUIRED | ALWAYS,
         .example = "true"),
    END_OF_FIELDS,
};
static const struct schema custom_dns_schema = { "CustomDNS", "Whether a project uses custom DNS.", custom_dns_fields };

static const struct kind custom_dns = {
    .name = "customDns",
    .fallback = "{\"enabled\":false}",
    .changed = EVENT_CUSTOM_DNS_CHANGED,
};

// clang-format off
static const struct endpoint dns_endpoints[] = {
    { GET, "/groups/{groupId}/providerCustomDNS", S01, ANY_OF(PROJECT_READ_ONLY), "getGroupCustomDns",
      "Return whether one project uses custom DNS",
      "Tells whether clusters of the project show connection strings with the names of private addresses.",
      .read = &crud_get_single, .kind = &custom_dns, .response = &custom_dns_schema },
    { PATCH, "/groups/{groupId}/providerCustomDNS", S01, ANY_OF(PROJECT_OWNER), "toggleGroupCustomDns",
      "Switch custom DNS of one project",
      "Turns custom DNS names on or off. The connection strings of the project's clusters gain or lose those with the names of private "
      "addresses. The names exist either way, so nothing that uses one breaks. Where a member has one address, its private name leads to that.",
      .run = crud_update_single, .kind = &custom_dns, .request = &custom_dns_schema, .response = &custom_dns_schema,
      .example = "{\"enabled\": true}" },
};
// clang-format on

FAMILY(dns_family, "dns", "Custom DNS", "Whether a project's clusters hand out names for a private name server.",
       dns_endpoints);
