/* SPDX-License-Identifier: Apache-2.0 */
#include "store/tenant/project.h"

#include "base/json.h"

static error
not_found(struct tx *tx, id project)
{
    return fail(tx_arena(tx), RESOURCE_NOT_FOUND, V(id_text(tx_arena(tx), project)));
}

static void
bind_project(struct params *params, id organization, id project)
{
    params_id(params, P_ORGANIZATION, organization);
    params_id(params, P_PROJECT, project);
}

error
store_project_lock(struct tx *tx, id organization, id project, struct project *ret_project)
{
    struct params params = { 0 };
    struct rows rows;
    bind_project(&params, organization, project);
    TRY(tx_query(tx, SQL_PROJECT_LOCK, &params, &rows, NULL));
    if (rows.count == 0)
        return not_found(tx, project);
    *ret_project = (struct project){
        .name = rows_text(&rows, 0, C_NAME),
        .settings = rows_text(&rows, 0, C_SETTINGS),
        .revision = rows_int(&rows, 0, C_REVISION),
        .cluster_count = rows_int(&rows, 0, C_CLUSTER_COUNT),
    };
    return OK;
}

/* Insert and update have the same parameters and the same constraint in their way. */
static error
write_project(struct tx *tx, enum sql statement, id organization, id project, str name, str settings)
{
    struct params params = { 0 };
    struct rows rows;
    struct violation violation;
    bind_project(&params, organization, project);
    params_text(&params, P_NAME, name);
    params_text(&params, P_SETTINGS, settings);
    error problem = tx_query(tx, statement, &params, &rows, &violation);
    if (violation.kind == VIOLATION_UNIQUE)
        return fail(tx_arena(tx), DUPLICATE_NAME, V("name"), V(name));
    TRY(problem);
    return rows.count == 1 ? OK : not_found(tx, project);
}

error
store_project_add(struct tx *tx, id organization, id project, str name, str settings)
{
    return write_project(tx, SQL_PROJECT_ADD, organization, project, name, settings);
}

error
store_project_update(struct tx *tx, id organization, id project, str name, str settings)
{
    return write_project(tx, SQL_PROJECT_UPDATE, organization, project, name, settings);
}

error
store_project_delete(struct tx *tx, id organization, id project)
{
    struct params scope = { 0 }, params = { 0 };
    struct rows rows;
    params_id(&scope, P_PROJECT, project);
    TRY(tx_query(tx, SQL_RESOURCE_DELETE_ALL, &scope, &rows, NULL));
    bind_project(&params, organization, project);
    TRY(tx_query(tx, SQL_PROJECT_DELETE, &params, &rows, NULL));
    return rows.count == 1 ? OK : not_found(tx, project);
}

error
store_project_document(struct tx *tx, id organization, id project, str *ret_document, int64_t *ret_revision)
{
    struct params params = { 0 };
    struct rows rows;
    bind_project(&params, organization, project);
    TRY(tx_query(tx, SQL_PROJECT_GET, &params, &rows, NULL));
    if (rows.count == 0)
        return not_found(tx, project);
    *ret_document = rows_text(&rows, 0, C_DOCUMENT);
    *ret_revision = rows_int(&rows, 0, C_REVISION);
    return OK;
}

error
store_project_move(struct tx *tx, id project, id from, id to, str name)
{
    struct params params = { 0 };
    struct rows rows;
    struct violation violation;
    params_id(&params, P_PROJECT, project);
    params_id(&params, P_FROM, from);
    params_id(&params, P_TO, to);
    error problem = tx_query(tx, SQL_PROJECT_MOVE, &params, &rows, &violation);
    if (violation.kind == VIOLATION_UNIQUE)
        return fail(tx_arena(tx), DUPLICATE_NAME, V("name"), V(name));
    TRY(problem);
    return rows.count == 1 && rows_bool(&rows, 0, C_MOVED) ? OK : not_found(tx, project);
}

/* Credentials are touched before the project is locked, because everybody else locks them in this order; and after it, for those
 * that got a role meanwhile. */
error
store_project_lock_to_go(struct tx *tx, id organization, id project, struct project *ret_project)
{
    struct params params = { 0 };
    struct rows rows;
    bind_project(&params, organization, project);
    TRY(tx_query(tx, SQL_PROJECT_CREDENTIALS_TOUCH, &params, &rows, NULL));
    TRY(tx_query(tx, SQL_PROJECT_LOCK_AGAINST_ADDITIONS, &params, &rows, NULL));
    TRY(tx_query(tx, SQL_PROJECT_CREDENTIALS_TOUCH, &params, &rows, NULL));
    return store_project_lock(tx, organization, project, ret_project);
}

error
store_project_check_room(struct tx *tx, id organization, id member, const json_t *projects, str name, int64_t fallback,
                         bool *ret_has_room, int64_t *ret_most)
{
    struct params all = { 0 }, params = { 0 };
    struct rows rows;
    str list = json_text(tx_arena(tx), projects);
    params_id(&all, P_ORGANIZATION, organization);
    params_text(&all, P_PROJECTS, list);
    TRY(tx_query(tx, SQL_PROJECT_LOCK_ALL, &all, &rows, NULL));
    params_id(&params, P_ORGANIZATION, organization);
    params_id(&params, P_MEMBER, member);
    params_text(&params, P_PROJECTS, list);
    params_text(&params, P_NAME, name);
    params_int(&params, P_FALLBACK, fallback);
    TRY(tx_query(tx, SQL_PROJECT_WITHOUT_ROOM, &params, &rows, NULL));
    *ret_has_room = rows.count == 0;
    *ret_most = *ret_has_room ? fallback : rows_int(&rows, 0, C_VALUE);
    return OK;
}

error
store_project_limit_set(struct tx *tx, id organization, id project, str name, int64_t value)
{
    struct params params = { 0 };
    struct rows rows;
    bind_project(&params, organization, project);
    params_text(&params, P_NAME, name);
    params_int(&params, P_VALUE, value);
    TRY(tx_query(tx, SQL_PROJECT_LIMIT_SET, &params, &rows, NULL));
    return rows.count == 1 ? OK : not_found(tx, project);
}

error
store_project_limit_remove(struct tx *tx, id organization, id project, str name)
{
    struct params params = { 0 };
    struct rows rows;
    bind_project(&params, organization, project);
    params_text(&params, P_NAME, name);
    return tx_query(tx, SQL_PROJECT_LIMIT_REMOVE, &params, &rows, NULL);
}

error
store_project_maintenance_waits(struct tx *tx, id project, int64_t *ret_count)
{
    struct params params = { 0 };
    struct rows rows;
    params_id(&params, P_PROJECT, project);
    TRY(tx_query(tx, SQL_JOB_WAITS_FOR_WINDOW, &params, &rows, NULL));
    *ret_count = rows.count == 0 ? 0 : rows_int(&rows, 0, C_COUNT);
    return OK;
}
