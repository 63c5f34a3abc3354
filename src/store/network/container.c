/* SPDX-License-Identifier: Apache-2.0 */
#include "store/network/container.h"

#include <string.h>

static const struct {
    const char *obstacle, *field, *why;
} obstacles[] = {
    { "REGION", "regionName", "the operator has no such region at this provider" },
    { "EMPTY", "serviceCidrBlock", "the operator's pool for the region has no address in this block" },
    { "ELSEWHERE", "serviceCidrBlock", "the block has addresses of another region" },
    { "TOO_LARGE", "serviceCidrBlock", "the block would leave fewer free addresses in the region than it has" },
};

static error
check_obstacle(struct tx *tx, const struct container_draft *draft)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, draft->project);
    params_text(&params, P_PROVIDER, draft->provider);
    params_text(&params, P_REGION, draft->region);
    params_text(&params, P_BLOCK, draft->block);
    TRY(tx_query(tx, SQL_CONTAINER_OBSTACLE, &params, &rows, NULL));
    str obstacle = rows_text(&rows, 0, C_OBSTACLE);
    for (size_t i = 0; i < LENGTH(obstacles); i++) {
        if (str_is(obstacle, obstacles[i].obstacle))
            return fail(tx_arena(tx), INVALID_ATTRIBUTE_VALUE, V(obstacles[i].field), V(obstacles[i].why));
    }
    return obstacle.len == 0 ? OK : fail(tx_arena(tx), ADDRESSES_NOT_FREE, V(draft->block));
}

/* The block overlaps with that of another container, or the project has one in the region. */
static error
explain(struct tx *tx, const struct container_draft *draft, const struct violation *violation, error problem)
{
    if (violation->kind == VIOLATION_EXCLUSION)
        return fail(tx_arena(tx), ADDRESSES_NOT_FREE, V(draft->block));
    if (violation->kind == VIOLATION_UNIQUE)
        return fail(tx_arena(tx), DUPLICATE_NAME, V("regionName"), V(draft->region));
    return problem;
}

error
store_container_add(struct tx *tx, const struct container_draft *draft)
{
    struct params params = { 0 };
    struct violation violation;
    TRY(check_obstacle(tx, draft));
    params_id(&params, P_PROJECT, draft->project);
    params_id(&params, P_ID, draft->id);
    params_id(&params, P_ORGANIZATION, draft->organization);
    params_text(&params, P_PROVIDER, draft->provider);
    params_text(&params, P_REGION, draft->region);
    params_text(&params, P_BLOCK, draft->block);
    error problem = tx_query(tx, SQL_CONTAINER_ADD, &params, NULL, &violation);
    return explain(tx, draft, &violation, problem);
}

error
store_container_update(struct tx *tx, const struct container_draft *draft)
{
    struct params params = { 0 };
    struct violation violation;
    TRY(check_obstacle(tx, draft));
    params_id(&params, P_PROJECT, draft->project);
    params_id(&params, P_ID, draft->id);
    params_text(&params, P_BLOCK, draft->block);
    error problem = tx_query(tx, SQL_CONTAINER_UPDATE, &params, NULL, &violation);
    return explain(tx, draft, &violation, problem);
}

error
store_container_lock(struct tx *tx, id project, id container, str *ret_document, int64_t *ret_revision)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    params_id(&params, P_CONTAINER, container);
    TRY(tx_query(tx, SQL_CONTAINER_LOCK, &params, &rows, NULL));
    *ret_document = rows.count == 0 ? STR_EMPTY : rows_text(&rows, 0, C_DOCUMENT);
    *ret_revision = rows.count == 0 ? 0 : rows_int(&rows, 0, C_REVISION);
    return OK;
}

error
store_container_delete(struct tx *tx, id project, id container)
{
    struct params params = { 0 };
    params_id(&params, P_PROJECT, project);
    params_id(&params, P_CONTAINER, container);
    return tx_query(tx, SQL_CONTAINER_DELETE, &params, NULL, NULL);
}
