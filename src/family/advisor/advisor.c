/* SPDX-License-Identifier: Apache-2.0 */
#include "family/advisor/advisor.h"

#include "api/request.h"
#include "base/json.h"

const struct field advisor_process_path[] = {
    TEXT("processId", "Host and port of the process, separated by a colon.", 0, .min = 3, .max = 259,
         .pattern = PROCESS_ID, .example = "\"db1.example.org:5432\""),
    END_OF_FIELDS,
};

/* The parameters as one JSON object: lists as lists, everything else as texts. They were checked before. */
static error
bind_query(struct request *req, struct params *params)
{
    json_t *all = json_in(req->arena, json_object());
    for (const struct field *field = req->endpoint->query; field != NULL && field->name != NULL; field++) {
        json_t *list = json_array();
        for (size_t i = 0; i < req->query_count; i++) {
            if (str_is(req->query[i].name, field->name))
                json_array_append_new(list, json_stringn(req->query[i].value.data, req->query[i].value.len));
        }
        if (field->type == TYPE_LIST)
            json_object_set(all, field->name, list);
        else if (json_array_size(list) > 0)
            json_object_set(all, field->name, json_array_get(list, 0));
        json_decref(list);
    }
    str text = all == NULL ? STR_EMPTY : json_text(req->arena, all);
    if (text.len == 0)
        return fail(req->arena, OVERLOADED);
    params_text(params, P_QUERY, text);
    return OK;
}

error
advisor_bind_name(struct request *req, struct params *params)
{
    params_id(params, P_PROJECT, req->project);
    params_text(params, P_NAME, request_path_value(req, "clusterName"));
    return OK;
}

error
advisor_bind_cluster(struct request *req, struct params *params)
{
    TRY(advisor_bind_name(req, params));
    return bind_query(req, params);
}

error
advisor_bind_process(struct request *req, struct params *params)
{
    params_id(params, P_PROJECT, req->project);
    params_text(params, P_PROCESS, request_path_value(req, "processId"));
    return bind_query(req, params);
}
