/* SPDX-License-Identifier: Apache-2.0 */
#include "store/resource.h"

static struct resource
read_resource(const struct rows *rows)
{
    return (struct resource){
        .id = rows_id(rows, 0, C_ID),
        .document = rows_text(rows, 0, C_DOCUMENT),
        .revision = rows_int(rows, 0, C_REVISION),
    };
}

static void
bind_generation(struct params *params, int64_t generation)
{
    if (generation == 0)
        params_null(params, P_GENERATION);
    else
        params_int(params, P_GENERATION, generation);
}

error
store_resource_lock_single(struct tx *tx, id organization, id project, str kind, str fallback,
                           struct resource *ret_resource)
{
    struct params insert = { 0 }, lock = { 0 };
    struct rows inserted, rows;
    params_id(&insert, P_PROJECT, project);
    params_text(&insert, P_KIND, kind);
    params_id(&insert, P_ID, id_new(store_cell(tx_store(tx))));
    params_id(&insert, P_ORGANIZATION, organization);
    params_text(&insert, P_FALLBACK, fallback);
    TRY(tx_query(tx, SQL_RESOURCE_ADD_SINGLE, &insert, &inserted, NULL));
    params_id(&lock, P_PROJECT, project);
    params_text(&lock, P_KIND, kind);
    TRY(tx_query(tx, SQL_RESOURCE_LOCK_SINGLE, &lock, &rows, NULL));
    if (rows.count != 1)
        return fail(tx_arena(tx), CONCURRENT_CHANGE, V(kind));
    *ret_resource = read_resource(&rows);
    ret_resource->is_new = inserted.count == 1;
    return OK;
}

error
store_resource_lock(struct tx *tx, id scope, str kind, str name, bool *ret_found, struct resource *ret_resource)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_SCOPE, scope);
    params_text(&params, P_KIND, kind);
    params_text(&params, P_NAME, name);
    TRY(tx_query(tx, SQL_RESOURCE_LOCK, &params, &rows, NULL));
    *ret_found = rows.count == 1;
    if (*ret_found)
        *ret_resource = read_resource(&rows);
    return OK;
}

error
store_resource_read(struct store *store, struct arena *arena, id scope, str kind, str name, str *ret_document)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_SCOPE, scope);
    params_text(&params, P_KIND, kind);
    params_text(&params, P_NAME, name);
    params_text(&params, P_HIDDEN, STR_EMPTY); /* no field is left out */
    params_null(&params, P_ALSO);
    params_null(&params, P_ALSO_VALUE);
    TRY(store_read(store, arena, SQL_RESOURCE_GET, &params, &rows));
    *ret_document = rows.count == 0 ? STR_EMPTY : rows_text(&rows, 0, C_DOCUMENT);
    return OK;
}

error
store_resource_add(struct tx *tx, const struct resource_draft *draft, bool *ret_is_free, struct resource *ret_resource)
{
    struct params params = { 0 };
    struct rows rows;
    struct violation violation;
    params_id(&params, P_SCOPE, draft->scope);
    params_text(&params, P_KIND, draft->kind);
    params_id(&params, P_ID, draft->id);
    params_text(&params, P_NAME, draft->name);
    params_id(&params, P_ORGANIZATION, draft->organization);
    params_text(&params, P_DOCUMENT, draft->document);
    bind_generation(&params, draft->access_generation);
    error problem = tx_query(tx, SQL_RESOURCE_ADD, &params, &rows, &violation);
    *ret_is_free = violation.kind != VIOLATION_UNIQUE;
    if (!*ret_is_free)
        return OK;
    TRY(problem);
    *ret_resource = read_resource(&rows);
    return OK;
}

error
store_resource_put_all(struct tx *tx, const struct resource_draft *draft, str resources, int64_t *ret_added)
{
    struct params params = { 0 };
    struct rows rows;
    struct violation violation;
    params_id(&params, P_SCOPE, draft->scope);
    params_text(&params, P_KIND, draft->kind);
    params_id(&params, P_ORGANIZATION, draft->organization);
    params_text(&params, P_RESOURCES, resources);
    bind_generation(&params, draft->access_generation);
    error problem = tx_query(tx, SQL_RESOURCE_PUT_ALL, &params, &rows, &violation);
    if (violation.kind == VIOLATION_UNIQUE)
        return fail(tx_arena(tx), CONCURRENT_CHANGE, V(draft->kind));
    TRY(problem);
    *ret_added = rows_int(&rows, 0, C_COUNT);
    return OK;
}

error
store_resource_replace(struct tx *tx, const struct resource_draft *draft, struct resource *ret_resource)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_SCOPE, draft->scope);
    params_text(&params, P_KIND, draft->kind);
    params_id(&params, P_ID, draft->id);
    params_text(&params, P_DOCUMENT, draft->document);
    bind_generation(&params, draft->access_generation);
    TRY(tx_query(tx, SQL_RESOURCE_REPLACE, &params, &rows, NULL));
    if (rows.count != 1)
        return fail(tx_arena(tx), CONCURRENT_CHANGE, V(draft->kind));
    *ret_resource = read_resource(&rows);
    return OK;
}

error
store_resource_delete(struct tx *tx, id scope, str kind, id resource)
{
    struct params params = { 0 };
    params_id(&params, P_SCOPE, scope);
    params_text(&params, P_KIND, kind);
    params_id(&params, P_RESOURCE, resource);
    return tx_query(tx, SQL_RESOURCE_DELETE, &params, NULL, NULL);
}
