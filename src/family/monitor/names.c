/* SPDX-License-Identifier: Apache-2.0 */
/* Databases and disks of a server: those of which points came. */
#include "api/api.h"
#include "family/monitor/metrics.h"
#include "family/monitor/process.h"

/* ---- Which server ---- */
error
process_find(struct request *req, id *ret_member)
{
    TRY(store_process_find(req->api->store, req->arena, req->project, request_path_value(req, "processId"),
                           ret_member));
    if (!id_is_there(*ret_member))
        return request_not_found(req);
    return monitor_stores_count(req->api->monitor) == 0 ? fail(req->arena, MEASUREMENTS_NOT_COLLECTED) : OK;
}

/* ---- What it has ---- */
/* Of the last quarter of an hour; of a server that is stopped what it had before. */
error
process_names(struct request *req, id member, enum metric_scope scope, struct name_list *ret_names)
{
    enum { NOW_S = 15 * 60, EVER_S = SAMPLES_RAW_DAYS * 24 * 3600 };
    TRY(samples_names(req->api->monitor, req->arena, req->project, member, scope, NOW_S, ret_names));
    if (ret_names->count > 0)
        return OK;
    return samples_names(req->api->monitor, req->arena, req->project, member, scope, EVER_S, ret_names);
}

bool
name_list_has(const struct name_list *names, str name)
{
    for (size_t i = 0; i < names->count; i++) {
        if (str_eq(names->items[i], name))
            return true;
    }
    return false;
}

static str
document_of(struct request *req, const char *field, str name)
{
    struct buf out = buf_in(req->arena, 2048);
    buf_format(&out, "{\"%s\":", field);
    buf_add_json(&out, name);
    buf_add_char(&out, '}');
    return buf_str(&out);
}

static error
list(struct request *req, enum metric_scope scope, const char *field)
{
    id member;
    struct name_list names;
    TRY(process_find(req, &member));
    TRY(process_names(req, member, scope, &names));
    size_t from = (size_t)((req->page.number - 1) * req->page.size), to = from + (size_t)req->page.size;
    answer_list(req, (int64_t)names.count, to < names.count);
    for (size_t i = from; i < to && i < names.count; i++)
        answer_item(req, document_of(req, field, names.items[i]), names.items[i]);
    return OK;
}

static error
get(struct request *req, enum metric_scope scope, const char *field)
{
    id member;
    struct name_list names;
    str name = request_path_value(req, field);
    TRY(process_find(req, &member));
    TRY(process_names(req, member, scope, &names));
    if (!name_list_has(&names, name))
        return request_not_found(req);
    answer_entity(req, document_of(req, field, name), 0);
    return OK;
}

error
process_databases_list(struct request *req)
{
    return list(req, METRIC_DATABASE, "databaseName");
}

error
process_database_get(struct request *req)
{
    return get(req, METRIC_DATABASE, "databaseName");
}

error
process_disks_list(struct request *req)
{
    return list(req, METRIC_DISK, "partitionName");
}

error
process_disk_get(struct request *req)
{
    return get(req, METRIC_DISK, "partitionName");
}
