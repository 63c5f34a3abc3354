/* SPDX-License-Identifier: Apache-2.0 */
#include "family/monitor/table_view.h"

#include "api/api.h"
#include "base/json.h"
#include "family/monitor/table_statistics.h"
#include "monitor/stores.h"

/* Of a cluster's servers, those that the view has. */
static void
keep_members(struct table_view *all, str view)
{
    bool wants_primary = str_is(view, VIEW_PRIMARY), wants_all = view.len == 0 || str_is(view, VIEW_EACH);
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (wants_all || all->members[i].is_primary == wants_primary)
            all->members[kept++] = all->members[i];
    }
    all->count = kept;
}

error
table_view_find(struct request *req, struct viewed *ret_viewed)
{
    str view = request_path_value(req, "clusterView");
    struct table_view all;
    bool is_there;
    TRY(store_table_view(req->api->store, req->arena, req->project, request_path_value(req, "clusterName"),
                         request_path_value(req, "processId"), &is_there, &all));
    if (!is_there)
        return request_not_found(req);
    if (monitor_stores_count(req->api->monitor) == 0)
        return fail(req->arena, MEASUREMENTS_NOT_COLLECTED);
    keep_members(&all, view);
    *ret_viewed = (struct viewed){ .cluster = all.cluster,
                                   .is_apart = str_is(view, VIEW_EACH),
                                   .count = all.count,
                                   .members = all.members,
                                   .pinned = json_parse_own(req->arena, all.pinned) };
    return OK;
}

bool
table_view_has_pinned(const struct viewed *viewed, str name)
{
    size_t i;
    json_t *one;
    json_array_foreach(viewed->pinned, i, one)
    {
        if (str_eq(json_str(one), name))
            return true;
    }
    return false;
}
