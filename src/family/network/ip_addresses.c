/* SPDX-License-Identifier: Apache-2.0 */
/* What to allow in a firewall between applications and clusters. */
#include "api/request.h"
#include "family/families.h"

static const struct field cluster_fields[] = {
    TEXT("clusterName", "Name of the cluster.", READ_ONLY | ALWAYS),
    LIST("inbound", "Addresses that accept connections.", READ_ONLY | ALWAYS, .item = TYPE_TEXT),
    LIST("outbound", "Addresses from which the cluster makes connections.", READ_ONLY | ALWAYS, .item = TYPE_TEXT),
    LIST("futureInbound", "Addresses of members that are being created; they will accept connections later.",
         READ_ONLY | ALWAYS, .item = TYPE_TEXT),
    LIST("futureOutbound", "Addresses from which these members will make connections.", READ_ONLY | ALWAYS,
         .item = TYPE_TEXT),
    END_OF_FIELDS,
};
static const struct schema cluster_schema = { "ClusterIPAddresses", "The addresses of one cluster.", cluster_fields };
static const struct field services_fields[] = {
    LIST("clusters", "The clusters, by name.", READ_ONLY | ALWAYS, .of = &cluster_schema),
    END_OF_FIELDS,
};
static const struct schema services_schema = { "ServiceIPAddresses", "Addresses by service.", services_fields };
static const struct field addresses_fields[] = {
    ID("groupId", "The project.", READ_ONLY | ALWAYS),
    OBJECT("services", "The services of the project that have addresses.", READ_ONLY | ALWAYS, .of = &services_schema),
    END_OF_FIELDS,
};
static const struct schema addresses_schema = { "ProjectIPAddresses", "The addresses of a project's clusters.",
                                                addresses_fields };

static error bind_addresses(struct request *req, struct params *params);
static error answer_addresses(struct request *req, const struct rows *rows);

static const struct read addresses_get = { SQL_PROJECT_IP_ADDRESSES, bind_addresses, answer_addresses };

// clang-format off
static const struct endpoint ip_addresses_endpoints[] = {
    { GET, "/groups/{groupId}/ipAddresses", S33, ANY_OF(PROJECT_READ_ONLY), "getGroupIpAddresses",
      "Return all IP addresses of one project's clusters",
      "Lists for each cluster the addresses that accept connections and those that it connects from. They change when members "
      "move.",
      .flags = NO_ETAG, .read = &addresses_get, .response = &addresses_schema },
};
// clang-format on

FAMILY(ip_addresses_family, "ip-addresses", "Project IP addresses",
       "The addresses of the hosts that a project's clusters run on.", ip_addresses_endpoints);

static error
bind_addresses(struct request *req, struct params *params)
{
    params_id(params, P_PROJECT, req->project);
    return OK;
}

static error
answer_addresses(struct request *req, const struct rows *rows)
{
    answer_entity(req, rows_text(rows, 0, C_DOCUMENT), 0);
    return OK;
}
