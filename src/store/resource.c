/* SPDX-License-Identifier: Apache-2.0 */
#include "store/resource.h"

static struct resource
read_resource(const struct rows *rows)
{
    return (struct resource){
        .id = rows_id(rows, 0, 0),
        .document = rows_text(rows, 0, 1),
        .revision = rows_int(rows, 0, 2),
    };
}

error
store_resource_lock_single(struct tx *tx, id organization, id project, str kind, str fallback,
                           struct resource *ret_resource)
{
    struct params insert = { 0 }, lock = { 0 };
    struct rows inserted, rows;
    params_id(&insert, project);
    params_text(&insert, kind);
    params_id(&insert, id_new(store_cell(tx_store(tx))));
    params_id(&insert, organization);
    params_text(&insert, fallback);
    TRY(tx_query(tx, SQL_RESOURCE_ADD_SINGLE, &insert, &inserted, NULL));
    params_id(&lock, project);
    params_text(&lock, kind);
    TRY(tx_query(tx, SQL_RESOURCE_LOCK_SINGLE, &lock, &rows, NULL));
    if (rows.count != 1)
        return fail(tx_arena(tx), CONCURRENT_CHANGE, V(kind));
    *ret_resource = read_resource(&rows);
    ret_resource->is_new = inserted.count == 1;
    return OK;
}

error
store_resource_replace(struct tx *tx, id scope, str kind, id resource, str document, struct resource *ret_resource)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, scope);
    params_text(&params, kind);
    params_id(&params, resource);
    params_text(&params, document);
    TRY(tx_query(tx, SQL_RESOURCE_REPLACE, &params, &rows, NULL));
    if (rows.count != 1)
        return fail(tx_arena(tx), CONCURRENT_CHANGE, V(kind));
    *ret_resource = read_resource(&rows);
    return OK;
}
