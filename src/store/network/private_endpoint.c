/* SPDX-License-Identifier: Apache-2.0 */
#include "store/network/private_endpoint.h"

/* ---- Services ---- */

static error
explain_service(struct tx *tx, const struct endpoint_service *service, str obstacle)
{
    struct arena *arena = tx_arena(tx);
    if (obstacle.len == 0)
        return OK;
    if (str_is(obstacle, "REGION"))
        return fail(arena, INVALID_ATTRIBUTE_VALUE, V("region"), V("the operator has no such region at this provider"));
    if (str_is(obstacle, "REMOTE"))
        return fail(arena, INVALID_ATTRIBUTE_VALUE, V("supportedRemoteRegions"),
                    V("the operator has no such region at this provider"));
    if (str_is(obstacle, "REGIONAL"))
        return fail(arena, REGIONAL_MODE_OFF, V(id_text(arena, service->project)));
    return fail(arena, NO_RELAY, V(service->region), V(service->provider));
}

error
store_endpoint_service_add(struct tx *tx, const struct endpoint_service *service)
{
    struct params params = { 0 };
    struct rows rows;
    struct violation violation;
    params_id(&params, P_ID, service->id);
    params_id(&params, P_PROJECT, service->project);
    params_text(&params, P_PROVIDER, service->provider);
    params_text(&params, P_REGION, service->region);
    params_text(&params, P_REGIONS, service->remote_regions);
    error problem = tx_query(tx, SQL_PRIVATE_ENDPOINT_SERVICE_ADD, &params, &rows, &violation);
    if (violation.kind == VIOLATION_UNIQUE)
        return fail(tx_arena(tx), DUPLICATE_NAME, V("region"), V(service->region));
    TRY(problem);
    return explain_service(tx, service, rows_text(&rows, 0, C_OBSTACLE));
}

error
store_endpoint_service_update(struct tx *tx, const struct endpoint_service *service)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, service->project);
    params_id(&params, P_ID, service->id);
    params_text(&params, P_REGIONS, service->remote_regions);
    TRY(tx_query(tx, SQL_PRIVATE_ENDPOINT_SERVICE_UPDATE, &params, &rows, NULL));
    return rows.count == 0 ? explain_service(tx, service, STR("REMOTE")) : OK;
}

error
store_endpoint_service_lock(struct tx *tx, const struct endpoint_service *which, struct endpoint_service_seen *ret_seen)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, which->project);
    params_id(&params, P_ID, which->id);
    params_text(&params, P_PROVIDER, which->provider);
    TRY(tx_query(tx, SQL_PRIVATE_ENDPOINT_SERVICE_LOCK, &params, &rows, NULL));
    *ret_seen = (struct endpoint_service_seen){ .document = STR_EMPTY };
    if (rows.count > 0)
        *ret_seen = (struct endpoint_service_seen){ .document = rows_text(&rows, 0, C_DOCUMENT),
                                                    .revision = rows_int(&rows, 0, C_REVISION),
                                                    .endpoint_count = rows_int(&rows, 0, C_COUNT),
                                                    .is_removed = rows_bool(&rows, 0, C_IS_REMOVED) };
    return OK;
}

error
store_endpoint_service_remove(struct tx *tx, id project, id service)
{
    struct params params = { 0 };
    params_id(&params, P_PROJECT, project);
    params_id(&params, P_ID, service);
    return tx_query(tx, SQL_PRIVATE_ENDPOINT_SERVICE_REMOVE, &params, NULL, NULL);
}

error
store_endpoint_service_regions(struct tx *tx, id project, int64_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    TRY(tx_query(tx, SQL_PRIVATE_ENDPOINT_REGION_COUNT, &params, &rows, NULL));
    *ret_count = rows_int(&rows, 0, C_COUNT);
    return OK;
}

/* ---- Endpoints ---- */

static const struct {
    const char *obstacle, *why;
} obstacles[] = {
    { "OURS", "a host or a member of a cluster has this address" },
    { "FAMILY", "the service has an address of the other kind, IPv4 or IPv6" },
};

static error
check_address(struct tx *tx, const struct endpoint_draft *draft)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_ID, draft->service);
    params_text(&params, P_ADDRESS, draft->address);
    TRY(tx_query(tx, SQL_PRIVATE_ENDPOINT_OBSTACLE, &params, &rows, NULL));
    str obstacle = rows_text(&rows, 0, C_OBSTACLE);
    for (size_t i = 0; i < LENGTH(obstacles); i++) {
        if (str_is(obstacle, obstacles[i].obstacle))
            return fail(tx_arena(tx), INVALID_ATTRIBUTE_VALUE, V("privateEndpointIPAddress"), V(obstacles[i].why));
    }
    return obstacle.len == 0 ? OK : fail(tx_arena(tx), ENDPOINT_SERVICE_FULL, V(id_text(tx_arena(tx), draft->service)));
}

error
store_endpoint_add(struct tx *tx, const struct endpoint_draft *draft)
{
    struct params params = { 0 };
    struct violation violation;
    TRY(check_address(tx, draft));
    params_id(&params, P_PROJECT, draft->project);
    params_id(&params, P_ID, draft->service);
    params_text(&params, P_NAME, draft->name);
    params_text(&params, P_ADDRESS, draft->address);
    params_int(&params, P_GENERATION, draft->access_generation);
    error problem = tx_query(tx, SQL_PRIVATE_ENDPOINT_ADD, &params, NULL, &violation);
    if (violation.kind != VIOLATION_UNIQUE)
        return problem;
    bool is_address = strcmp(violation.constraint, "private_endpoint_address") == 0;
    return fail(tx_arena(tx), DUPLICATE_NAME, V(is_address ? "privateEndpointIPAddress" : "id"),
                V(is_address ? draft->address : draft->name));
}

error
store_endpoint_find(struct tx *tx, const struct endpoint_draft *which, str *ret_document, int64_t *ret_revision)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, which->project);
    params_id(&params, P_ID, which->service);
    params_text(&params, P_PROVIDER, which->provider);
    params_text(&params, P_NAME, which->name);
    TRY(tx_query(tx, SQL_PRIVATE_ENDPOINT_GET, &params, &rows, NULL));
    *ret_document = rows.count == 0 ? STR_EMPTY : rows_text(&rows, 0, C_DOCUMENT);
    *ret_revision = rows.count == 0 ? 0 : rows_int(&rows, 0, C_REVISION);
    return OK;
}

error
store_endpoint_remove(struct tx *tx, const struct endpoint_draft *which)
{
    struct params params = { 0 };
    params_id(&params, P_PROJECT, which->project);
    params_id(&params, P_ID, which->service);
    params_text(&params, P_NAME, which->name);
    return tx_query(tx, SQL_PRIVATE_ENDPOINT_REMOVE, &params, NULL, NULL);
}
