/* SPDX-License-Identifier: Apache-2.0 */
/* An extension: what goes on after a request was answered. An operation is a job as the tenant sees it; workers do it. */
#include "api/api.h"
#include "api/list.h"
#include "family/families.h"
#include "job/kinds.h"
#include "job/operation.h"

static const struct field step_fields[] = { OPERATION_STEP_FIELDS, END_OF_FIELDS };
static const struct schema step_schema = { "OperationStep", "One step of an operation.", step_fields };

static const struct field operation_fields[] = {
    ID("id", "Identifier of the operation.", READ_ONLY | ALWAYS),
    TEXT("kind", "What it does.", READ_ONLY | ALWAYS, .example = "\"cluster.create\""),
    TEXT("clusterName", "Name of the cluster that it is about. Operations of one cluster run one after another.",
         READ_ONLY | ALWAYS),
    TEXT("state", "Current state.", READ_ONLY | ALWAYS, .one_of = job_states),
    INTEGER("generation", "Generation of the cluster's configuration that it brings into effect.", READ_ONLY | ALWAYS),
    LIST("steps", "Its steps, in their order.", READ_ONLY | ALWAYS, .of = &step_schema),
    TEXT("currentStep", "The step that is running, or the last one.", READ_ONLY),
    INTEGER("percent", "Percentage of its steps that are done.", READ_ONLY | ALWAYS, .min = 0, .max = 100),
    TEXT("waitsFor", "Why the current step is not done yet.", READ_ONLY),
    TEXT("failure", "Why it failed.", READ_ONLY),
    DATE("createdAt", "When it was asked for.", READ_ONLY | ALWAYS),
    DATE("startedAt", "When a worker began with it.", READ_ONLY),
    DATE("finishedAt", "When it ended.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema operation_schema = { "Operation", "Work that goes on after its request was answered.",
                                                operation_fields };

static const struct field list_query[] = {
    TEXT("clusterName", "Only operations of the cluster of this name.", 0, .max = 64),
    TEXT("state", "Only operations in this state.", 0, .one_of = job_states),
    END_OF_FIELDS,
};

static error bind_list(struct request *req, struct params *params);
static error answer_operations(struct request *req, const struct rows *rows);
static error bind_get(struct request *req, struct params *params);
static error answer_operation_found(struct request *req, const struct rows *rows);

static const struct read operation_list = { SQL_OPERATION_LIST, bind_list, answer_operations };
static const struct read operation_get = { SQL_OPERATION_GET, bind_get, answer_operation_found };

// clang-format off
static const struct endpoint operations_endpoints[] = {
    { GET, "/groups/{groupId}/operations", S24, ANY_OF(PROJECT_READ_ONLY), "listGroupOperations",
      "Return all operations of one project",
      "Lists what is being done to the project's clusters, or was done in the last 30 days, newest first. An extension of this "
      "service.",
      .shape = SHAPE_LIST, .flags = EXTENSION, .item = "/groups/{groupId}/operations/{operationId}", .read = &operation_list,
      .query = list_query, .response = &operation_schema },
    { GET, "/groups/{groupId}/operations/{operationId}", S24, ANY_OF(PROJECT_READ_ONLY), "getGroupOperation",
      "Return one operation of one project",
      "Shows how far the operation is, step by step, and why it waits or failed. An answer that starts an operation names it in "
      "the link with the relation `operation` and in the header `Operation-Location`. An extension of this service.",
      .flags = EXTENSION | NO_ETAG, .read = &operation_get, .response = &operation_schema },
};
// clang-format on

FAMILY(operations_family, "operations", "Operations",
       "Work that goes on after a request was answered, step by step. An extension of this service.",
       operations_endpoints);

static void
bind_filter(struct request *req, struct params *params, enum param parameter, const char *name)
{
    str value = request_query(req, name);
    if (value.len == 0)
        params_null(params, parameter);
    else
        params_text(params, parameter, value);
}

static error
bind_list(struct request *req, struct params *params)
{
    params_id(params, P_PROJECT, req->project);
    bind_filter(req, params, P_CLUSTER_NAME, "clusterName");
    bind_filter(req, params, P_STATE, "state");
    list_bind(req, params);
    return OK;
}

static error
answer_operations(struct request *req, const struct rows *rows)
{
    answer_list(req, rows_int(rows, 0, C_TOTAL), rows->count > req->page.size);
    for (int row = 0; row < rows->count && row < req->page.size; row++) {
        if (!rows_is_null(rows, row, C_DOCUMENT))
            answer_item(req,
                        operation_document(req->arena, all_job_kinds, rows_text(rows, row, C_DOCUMENT),
                                           rows_text(rows, row, C_DONE)),
                        rows_text(rows, row, C_KEY));
    }
    return OK;
}

static error
bind_get(struct request *req, struct params *params)
{
    id operation;
    TRY(request_path_id(req, "operationId", &operation));
    params_id(params, P_PROJECT, req->project);
    params_id(params, P_OPERATION, operation);
    return OK;
}

static error
answer_operation_found(struct request *req, const struct rows *rows)
{
    if (rows->count == 0)
        return request_not_found(req);
    answer_entity(
        req, operation_document(req->arena, all_job_kinds, rows_text(rows, 0, C_DOCUMENT), rows_text(rows, 0, C_DONE)),
        0);
    return OK;
}
