/* SPDX-License-Identifier: Apache-2.0 */
#include "api/log_path.h"

#include "base/net/log_door.h"

str
log_inner_path(struct request *req, str address, str host, str target, str query)
{
    bool is_v6 = str_find(address, ':') >= 0;
    return str_format(req->arena, LOGS_INNER_PATH "%s%.*s%s:%d/%s/%.*s/%s/%.*s/%.*s", is_v6 ? "[" : "",
                      STR_ARG(address), is_v6 ? "]" : "", LOG_DOOR_PORT, id_text(req->arena, req->project).data,
                      STR_ARG(host), req->version, STR_ARG(target), STR_ARG(query));
}
