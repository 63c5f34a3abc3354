/* SPDX-License-Identifier: Apache-2.0 */
#include "api/endpoint.h"

const char *const method_names[METHOD_COUNT] = {
    [GET] = "GET", [POST] = "POST", [PUT] = "PUT", [PATCH] = "PATCH", [DELETE] = "DELETE",
};

const struct field no_parameters[] = { END_OF_FIELDS };

bool
endpoint_is_complete(const struct endpoint *endpoint)
{
    return endpoint->read != NULL || endpoint->run != NULL || endpoint->refuses != 0;
}

const char *
endpoint_status(const struct endpoint *endpoint)
{
    return endpoint->refuses != 0 ? "refused" : endpoint_is_complete(endpoint) ? "complete" : "waiting";
}

bool
endpoint_is_described(const struct endpoint *endpoint)
{
    bool says_nothing = endpoint->method == DELETE && endpoint->shape == SHAPE_NOTHING;
    return endpoint_is_complete(endpoint) || endpoint->request != NULL || endpoint->response != NULL ||
           endpoint->query != NULL || endpoint->path_fields != NULL || says_nothing;
}

unsigned
endpoint_success_status(const struct endpoint *endpoint)
{
    if (endpoint->success != 0)
        return endpoint->success;
    if (endpoint->shape == SHAPE_NOTHING)
        return 204;
    return endpoint->method == POST ? 201 : 200;
}
