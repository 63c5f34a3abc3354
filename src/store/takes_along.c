/* SPDX-License-Identifier: Apache-2.0 */
#include "store/takes_along.h"

static error
ask(struct tx *tx, enum sql statement, struct params *params, id organization, str *ret_document)
{
    struct rows rows;
    params_id(params, P_ORGANIZATION, organization);
    TRY(tx_query(tx, statement, params, &rows, NULL));
    *ret_document = rows_text(&rows, 0, C_DOCUMENT);
    return OK;
}

error
store_organization_takes_along(struct tx *tx, id organization, str *ret_document)
{
    struct params params = { 0 };
    return ask(tx, SQL_ORGANIZATION_TAKES_ALONG, &params, organization, ret_document);
}

error
store_project_takes_along(struct tx *tx, id organization, id project, str *ret_document)
{
    struct params params = { 0 };
    params_id(&params, P_PROJECT, project);
    return ask(tx, SQL_PROJECT_TAKES_ALONG, &params, organization, ret_document);
}

error
store_cluster_takes_along(struct tx *tx, id organization, id cluster, bool keeps_backups, str *ret_document)
{
    struct params params = { 0 };
    params_id(&params, P_CLUSTER, cluster);
    params_bool(&params, P_KEEPS_BACKUPS, keeps_backups);
    return ask(tx, SQL_CLUSTER_TAKES_ALONG, &params, organization, ret_document);
}
