/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Peerings: tunnels of WireGuard between the members of a project in a network container and their tenant's own network. Hosts make them; what is here says
 * which there should be (docs/internals/peering.md).
 */
#include "api/api.h"
#include "api/list.h"
#include "api/request_event.h"
#include "base/crypto/tunnel_key.h"
#include "base/json.h"
#include "base/net/egress.h"
#include "base/net/net.h"
#include "family/network/network.h"
#include "family/project_limits.h"
#include "store/network/container.h"
#include "store/network/peer.h"
#include "store/tenant/project.h"

enum { BLOCKS_BYTES = 1024 };

static const char *const statuses[] = {
    "INITIATING", "PENDING_ACCEPTANCE", "AVAILABLE", "FAILED", "TERMINATING", NULL
};

static const struct field gateway_fields[] = {
    TEXT("hostAddress", "Address of the host, where packets of the tunnel go.", READ_ONLY | ALWAYS),
    INTEGER("port", "UDP port of the tunnel on this host.", READ_ONLY | ALWAYS),
    TEXT("publicKey", "Public key of this end. The private one never leaves the host.", READ_ONLY | ALWAYS),
    LIST("routes", "Addresses of members that are reached through this end.", READ_ONLY | ALWAYS, .item = TYPE_CIDR),
    DATE("lastHandshakeAt", "When the client's gateway was heard last.", READ_ONLY | NULLABLE | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema gateway_schema = { "NetworkPeerGateway", "The end of a tunnel on one host.",
                                              gateway_fields };

static const struct field peer_fields[] = {
    ID("id", "Identifier of the connection.", READ_ONLY | ALWAYS),
    ID("containerId", "Container of the project with the addresses to reach. It cannot be changed.",
       REQUIRED | CREATE_ONLY | ALWAYS),
    TEXT("providerName", "Provider of the hosts, by the name that the operator gave: that of the container.",
         CREATE_ONLY | ALWAYS, .min = 1, .max = 32, .example = "\"ONPREM\""),
    CIDR(
        "routeTableCidrBlock",
        "Addresses of the client's network. They must not overlap with the operator's, or with those of another peering "
        "connection of the container.",
        REQUIRED | ALWAYS, .example = "\"192.168.7.0/24\""),
    LIST("furtherCidrBlocks", "Further addresses of the client's network.", ALWAYS, .item = TYPE_CIDR, .max = 7,
         .fallback = "[]"),
    TEXT("gatewayPublicKey", "WireGuard public key of the client's gateway, as `wg pubkey` prints it.",
         REQUIRED | ALWAYS, .min = 44, .max = 44, .example = "\"hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=\""),
    TEXT("gatewayEndpoint",
         "Public address and UDP port of the client's gateway, as 203.0.113.7:51820 or [2001:db8::7]:51820. Without it "
         "the gateway begins.",
         NULLABLE | ALWAYS, .min = 3, .max = 64, .example = "\"203.0.113.7:51820\""),
    TEXT("statusName",
         "State: INITIATING while hosts make their ends; PENDING_ACCEPTANCE until the client's gateway was heard by "
         "each; AVAILABLE; FAILED; TERMINATING until all ends are closed.",
         READ_ONLY | ALWAYS, .one_of = statuses),
    TEXT("errorMessage", "Why it failed.", READ_ONLY | NULLABLE | ALWAYS),
    LIST("gateways",
         "Ends of the tunnel, one for each host with members in the container: what the client's gateway is told.",
         READ_ONLY | ALWAYS, .of = &gateway_schema),
    END_OF_FIELDS,
};
const struct schema peer_schema = { "NetworkPeer", "A connection between a container's members and a client's network.",
                                    peer_fields };

/* ---- Reading ---- */

static error
bind_get(struct request *req, struct params *params)
{
    id peer;
    TRY(request_path_id(req, "peerId", &peer));
    params_id(params, P_PROJECT, req->project);
    params_id(params, P_PEER, peer);
    return OK;
}

static error
bind_list(struct request *req, struct params *params)
{
    params_id(params, P_PROJECT, req->project);
    list_bind(req, params);
    params_text(params, P_PROVIDER_NAME, request_query(req, "providerName"));
    return OK;
}

const struct read peer_get = { SQL_PEER_GET, bind_get, answer_row };
const struct read peer_list = { SQL_PEER_LIST, bind_list, list_answer };

/* ---- What is sent ---- */

static error
add_block(struct request *req, const char *field, str text, struct buf *out)
{
    struct net_block block;
    if (!net_parse_block(text, &block))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(field), V("it must be a block of addresses"));
    str written = net_block_text(req->arena, &block);
    buf_format(out, "%s%.*s", out->len > 0 ? "," : "", STR_ARG(written));
    return OK;
}

static error
read_blocks(struct request *req, const json_t *wanted, struct peer_draft *draft)
{
    struct buf out = buf_in(req->arena, BLOCKS_BYTES);
    const json_t *further = json_object_get(wanted, "furtherCidrBlocks");
    TRY(add_block(req, "routeTableCidrBlock", json_str(json_object_get(wanted, "routeTableCidrBlock")), &out));
    for (size_t i = 0; i < json_array_size(further); i++)
        TRY(add_block(req, "furtherCidrBlocks", json_str(json_array_get(further, i)), &out));
    draft->blocks = buf_str(&out);
    return OK;
}

/* "203.0.113.7:51820", "[2001:db8::7]:51820". No name: what that leads to could be another thing each time. */
static bool
parse_endpoint(struct request *req, str text, struct peer_draft *draft, struct net_address *ret_address)
{
    ptrdiff_t colon = -1;
    for (size_t i = 0; i < text.len; i++)
        colon = text.data[i] == ':' ? (ptrdiff_t)i : colon;
    if (colon < 1 || !str_to_int(str_slice(text, (size_t)colon + 1, text.len), 1, 65535, &draft->endpoint_port))
        return false;
    str address = str_slice(text, 0, (size_t)colon);
    bool has_brackets = str_starts_with(address, STR("[")) && str_ends_with(address, STR("]"));
    if (has_brackets)
        address = str_slice(address, 1, address.len - 1);
    if (!net_parse_address(address, ret_address) || net_is_v4(ret_address) == has_brackets)
        return false;
    draft->endpoint_address = net_address_text(req->arena, ret_address);
    return true;
}

/* Hosts send to it, so it is nothing of the operator's own networks. */
static error
read_endpoint(struct request *req, const json_t *wanted, struct peer_draft *draft)
{
    str text = json_str(json_object_get(wanted, "gatewayEndpoint"));
    struct net_address address;
    if (text.len == 0)
        return OK;
    if (!parse_endpoint(req, text, draft, &address))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("gatewayEndpoint"),
                    V("an address and a port are wanted, such as 203.0.113.7:51820"));
    if (!egress_is_public(&address))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("gatewayEndpoint"),
                    V("it must be a public address; leave it out for a gateway that begins itself"));
    return OK;
}

static error
read_draft(struct request *req, const json_t *wanted, struct peer_draft *draft)
{
    draft->public_key = json_str(json_object_get(wanted, "gatewayPublicKey"));
    if (!tunnel_key_is_public(req->arena, draft->public_key))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("gatewayPublicKey"),
                    V("it must be a public key of WireGuard, as `wg pubkey` prints it"));
    TRY(read_blocks(req, wanted, draft));
    return read_endpoint(req, wanted, draft);
}

/* ---- Changing ---- */

/* The container that it names, whose provider may be said. */
static error
find_container(struct request *req, id *ret_container, const json_t **ret_document)
{
    str document;
    int64_t revision;
    const json_t *said = json_object_get(req->body, "providerName");
    bool is_id = id_parse(json_str(json_object_get(req->body, "containerId")), ret_container);
    if (is_id)
        TRY(store_container_lock(req->tx, req->project, *ret_container, &document, &revision));
    if (!is_id || document.len == 0)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("containerId"), V("the project has no such container"));
    *ret_document = json_parse_own(req->arena, document);
    if (said != NULL && !json_equal(said, json_object_get(*ret_document, "providerName")))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("providerName"),
                    V("it must be the provider of the container"));
    return OK;
}

error
peer_create(struct request *req)
{
    const json_t *container;
    str document;
    int64_t revision;
    struct peer_draft draft = { .project = req->project, .id = id_new(store_cell(req->api->store)) };
    TRY(project_limit_check(req, LIMIT_PEERS));
    TRY(find_container(req, &draft.container, &container));
    TRY(read_draft(req, req->body, &draft));
    TRY(store_peer_add(req->tx, &draft, json_str(json_object_get(container, "providerName")),
                       json_str(json_object_get(container, "regionName"))));
    TRY(store_peer_lock(req->tx, req->project, draft.id, &document, &revision));
    TRY(request_event(req, EVENT_PEER_CREATED, NULL, json_parse_own(req->arena, document)));
    answer_created(req, document, id_text(req->arena, draft.id), revision);
    return OK;
}

/* The connection that the path names, and that is not on its way out. */
static error
lock_one(struct request *req, id *ret_peer, const json_t **ret_before)
{
    struct project project;
    str document;
    int64_t revision;
    TRY(request_path_id(req, "peerId", ret_peer));
    TRY(store_project_lock(req->tx, req->organization, req->project, &project));
    TRY(store_peer_lock(req->tx, req->project, *ret_peer, &document, &revision));
    if (document.len == 0)
        return request_not_found(req);
    TRY(request_check_match(req, revision));
    *ret_before = json_parse_own(req->arena, document);
    return OK;
}

static bool
is_terminating(const json_t *peer)
{
    return str_is(json_str(json_object_get(peer, "statusName")), "TERMINATING");
}

error
peer_update(struct request *req)
{
    const json_t *before;
    str document;
    int64_t revision;
    struct peer_draft draft = { .project = req->project };
    TRY(lock_one(req, &draft.id, &before));
    if (is_terminating(before))
        return request_not_found(req);
    json_t *wanted = json_in(req->arena, json_deep_copy(before));
    if (wanted == NULL || json_object_update(wanted, req->body) != 0)
        return fail(req->arena, OVERLOADED);
    if (!id_parse(json_str(json_object_get(before, "containerId")), &draft.container))
        return fail(req->arena, OVERLOADED);
    TRY(read_draft(req, wanted, &draft));
    TRY(store_peer_update(req->tx, &draft));
    TRY(store_peer_lock(req->tx, req->project, draft.id, &document, &revision));
    TRY(request_event(req, EVENT_PEER_UPDATED, before, json_parse_own(req->arena, document)));
    answer_entity(req, document, revision);
    return OK;
}

error
peer_delete(struct request *req)
{
    const json_t *before;
    id peer;
    TRY(lock_one(req, &peer, &before));
    TRY(store_peer_remove(req->tx, req->project, peer)); /* also one that goes: what it waited for may be gone */
    if (!is_terminating(before))
        TRY(request_event(req, EVENT_PEER_DELETED, before, NULL));
    answer_nothing(req);
    return OK;
}
