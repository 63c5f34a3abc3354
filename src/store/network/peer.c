/* SPDX-License-Identifier: Apache-2.0 */
#include "store/network/peer.h"

static const struct {
    const char *obstacle, *field, *why;
} obstacles[] = {
    { "FAMILY", "routeTableCidrBlock", "its addresses must be of the container's kind, IPv4 or IPv6" },
    { "SPECIAL", "routeTableCidrBlock", "it has addresses that no host of a network has" },
    { "LARGE", "routeTableCidrBlock", "its prefix must have at least 8 bits, or 32 of IPv6" },
    { "OPERATOR", "routeTableCidrBlock", "it has addresses of the operator's hosts or of their pool" },
    { "PEER", "routeTableCidrBlock", "another peering connection of the container leads there" },
    { "TWICE", "furtherCidrBlocks", "two of the networks overlap" },
    { "GATEWAY", "gatewayEndpoint", "it is an address of the operator's hosts or of their pool" },
};

static void
bind_row(struct params *params, const struct peer_draft *draft)
{
    params_id(params, P_PROJECT, draft->project);
    params_id(params, P_PEER, draft->id);
    params_text(params, P_PUBLIC_KEY, draft->public_key);
    params_text(params, P_ENDPOINT_ADDRESS, draft->endpoint_address);
    params_int(params, P_ENDPOINT_PORT, draft->endpoint_port);
    params_text(params, P_BLOCKS, draft->blocks);
}

static error
check_obstacle(struct tx *tx, const struct peer_draft *draft)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_CONTAINER, draft->container);
    params_id(&params, P_PEER, draft->id);
    params_text(&params, P_BLOCKS, draft->blocks);
    params_text(&params, P_ENDPOINT_ADDRESS, draft->endpoint_address);
    TRY(tx_query(tx, SQL_PEER_OBSTACLE, &params, &rows, NULL));
    str obstacle = rows_text(&rows, 0, C_OBSTACLE);
    for (size_t i = 0; i < LENGTH(obstacles); i++) {
        if (str_is(obstacle, obstacles[i].obstacle))
            return fail(tx_arena(tx), INVALID_ATTRIBUTE_VALUE, V(obstacles[i].field), V(obstacles[i].why));
    }
    return OK;
}

error
store_peer_add(struct tx *tx, const struct peer_draft *draft, str provider, str region)
{
    struct params params = { 0 };
    struct rows rows;
    TRY(check_obstacle(tx, draft));
    bind_row(&params, draft);
    params_id(&params, P_CONTAINER, draft->container);
    TRY(tx_query(tx, SQL_PEER_ADD, &params, &rows, NULL));
    return rows.count > 0 ? OK : fail(tx_arena(tx), NO_PEERING_CAPACITY, V(region), V(provider));
}

error
store_peer_update(struct tx *tx, const struct peer_draft *draft)
{
    struct params params = { 0 };
    TRY(check_obstacle(tx, draft));
    bind_row(&params, draft);
    return tx_query(tx, SQL_PEER_UPDATE, &params, NULL, NULL);
}

error
store_peer_lock(struct tx *tx, id project, id peer, str *ret_document, int64_t *ret_revision)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_id(&params, P_PEER, peer);
    TRY(tx_query(tx, SQL_PEER_LOCK, &params, &rows, NULL));
    *ret_document = rows.count == 0 ? STR_EMPTY : rows_text(&rows, 0, C_DOCUMENT);
    *ret_revision = rows.count == 0 ? 0 : rows_int(&rows, 0, C_REVISION);
    return OK;
}

error
store_peer_remove(struct tx *tx, id project, id peer)
{
    struct params params = { 0 };
    params_id(&params, P_PROJECT, project);
    params_id(&params, P_PEER, peer);
    TRY(tx_query(tx, SQL_PEER_REMOVE, &params, NULL, NULL));
    params = (struct params){ 0 };
    params_id(&params, P_PEER, peer);
    return tx_query(tx, SQL_PEER_SWEEP, &params, NULL, NULL);
}

error
store_container_is_peered(struct tx *tx, id project, id container, bool *ret_is_peered)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_id(&params, P_CONTAINER, container);
    TRY(tx_query(tx, SQL_CONTAINER_PEERED, &params, &rows, NULL));
    *ret_is_peered = rows_bool(&rows, 0, C_IS_PEERED);
    return OK;
}

error
store_address_is_peered(struct tx *tx, str first, int64_t count, str *ret_block)
{
    struct params params = { 0 };
    struct rows rows;
    params_text(&params, P_FIRST, first);
    params_int(&params, P_COUNT, count);
    TRY(tx_query(tx, SQL_ADDRESS_PEERED, &params, &rows, NULL));
    *ret_block = rows_text(&rows, 0, C_BLOCK);
    return OK;
}
