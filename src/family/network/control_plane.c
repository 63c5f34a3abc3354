/* SPDX-License-Identifier: Apache-2.0 */
/* The addresses of the control plane itself, for the firewalls of those who use it. */
#include "api/api.h"
#include "family/families.h"

static const struct field control_plane_fields[] = {
    LIST("inbound", "Addresses at which clients reach the service.", READ_ONLY | ALWAYS, .item = TYPE_CIDR),
    LIST("outbound", "Addresses from which the service makes connections.", READ_ONLY | ALWAYS, .item = TYPE_CIDR),
    END_OF_FIELDS,
};
static const struct schema control_plane_schema = {
    "ControlPlaneIPAddresses",
    "Addresses of the control plane, as blocks.",
    control_plane_fields,
};

static handler list_addresses;

// clang-format off
static const struct endpoint control_plane_endpoints[] = {
    { GET, "/unauth/controlPlaneIPAddresses", S59, PUBLIC, "listControlPlaneIpAddresses",
      "Return the addresses of the control plane",
      "Lists the address blocks at which clients reach the service and from which it makes connections, as configured by the "
      "operator. Use them for firewall rules. Needs no credentials.",
      .since = "2023-11-15", .flags = NO_ETAG, .run = list_addresses, .response = &control_plane_schema },
};
// clang-format on

FAMILY(control_plane_family, "control-plane", "Control plane", "The service's own addresses.", control_plane_endpoints);

static error
list_addresses(struct request *req)
{
    struct buf list = buf_in(req->arena, 64 * 1024), out = buf_in(req->arena, 256 * 1024);
    for (const char *const *a = req->api->control_plane_addresses; a != NULL && *a != NULL; a++) {
        if (list.len > 0)
            buf_add_char(&list, ',');
        buf_add_json(&list, str_from(*a));
    }
    str addresses = buf_str(&list);
    buf_format(&out, "{\"inbound\":[%.*s],\"outbound\":[%.*s]}", STR_ARG(addresses), STR_ARG(addresses));
    answer_entity(req, buf_str(&out), 0);
    return OK;
}
