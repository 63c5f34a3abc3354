/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log export of a project: the older form of a log integration with a bucket (docs/internals/integrations.md). Hosts write; where, and with which keys, is the
 * operator's half of the project's role.
 */
#include "family/log/log_export.h"

#include "api/api.h"
#include "base/clock.h"
#include "base/date.h"
#include "base/json.h"
#include "family/provider/provider_role.h"
#include "store/resource.h"

#define ONLY_NAME "export" /* a project has at most one */

static const char *const states[] = {
    "UNCONFIGURED", "INITIATING", "BUCKET_VERIFIED", "BUCKET_VERIFICATION_FAILED", "ASSUME_ROLE_FAILED", "ACTIVE", NULL
};

static const struct field export_fields[] = {
    TEXT(
        "state",
        "UNCONFIGURED: there is none. INITIATING until a host has written something, then ACTIVE. BUCKET_VERIFICATION_FAILED while writing fails on any "
        "host, and ASSUME_ROLE_FAILED when the operator has taken the role away. BUCKET_VERIFIED does not occur.",
        READ_ONLY | ALWAYS, .one_of = states),
    TEXT("lastError", "Why it fails. An extension of this service.", READ_ONLY),
    DATE("createDate", "When it was made.", READ_ONLY),
    LOG_BUCKET_FIELDS(0),
    END_OF_FIELDS,
};
const struct schema log_export_schema = { "PushBasedLogExport", "The single log export of a project.", export_fields };

static const struct field request_fields[] = { LOG_BUCKET_FIELDS(REQUIRED), END_OF_FIELDS };
const struct schema log_export_request_schema = { "PushBasedLogExportRequest", "A log export to create.",
                                                  request_fields };

static error
check_export(struct request *req, struct change *change)
{
    struct store_role ignored;
    if (change->after == NULL)
        return OK;
    return provider_role_use_bucket(req, json_str(json_object_get(change->after, "iamRoleId")),
                                    json_str(json_object_get(change->after, "bucketName")), &ignored);
}

const struct kind log_export_kind = {
    .name = "pushBasedLogExport",
    .field = "bucketName",
    .created = EVENT_LOG_EXPORT_CREATED,
    .changed = EVENT_LOG_EXPORT_UPDATED,
    .deleted = EVENT_LOG_EXPORT_DELETED,
    .check = check_export,
};

/* ---- Reading ---- */
static error
bind_get(struct request *req, struct params *params)
{
    params_id(params, P_PROJECT, req->project);
    return OK;
}

static error
answer_get(struct request *req, const struct rows *rows)
{
    answer_entity(req, rows_text(rows, 0, C_DOCUMENT), 0);
    return OK;
}

const struct read log_export_get = { SQL_LOG_EXPORT_GET, bind_get, answer_get };

/* ---- Changing ---- */
static error
lock(struct request *req, bool *ret_found, struct change *ret_change)
{
    struct resource held;
    TRY(store_resource_lock(req->tx, req->project, str_from(log_export_kind.name), STR(ONLY_NAME), ret_found, &held));
    *ret_change = (struct change){ .id = id_new(store_cell(req->api->store)), .name = STR(ONLY_NAME) };
    if (*ret_found)
        *ret_change = (struct change){ .id = held.id,
                                       .name = STR(ONLY_NAME),
                                       .before = json_parse_own(req->arena, held.document),
                                       .revision = held.revision };
    return OK;
}

static error
store(struct request *req, struct change *change)
{
    str document;
    int64_t revision;
    TRY(crud_store(req, change, &document, &revision));
    answer_nothing(req);
    return OK;
}

error
log_export_create(struct request *req)
{
    struct change change;
    bool found;
    TRY(lock(req, &found, &change));
    if (found)
        return fail(req->arena, LOG_EXPORT_EXISTS);
    change.after = json_in(req->arena, json_deep_copy(req->body));
    if (change.after == NULL ||
        json_object_set_new(change.after, "createDate",
                            json_string(date_text(req->arena, clock_now_ms() / 1000 * 1000).data)) != 0)
        return fail(req->arena, OVERLOADED);
    return store(req, &change);
}

error
log_export_update(struct request *req)
{
    struct change change;
    bool found;
    TRY(lock(req, &found, &change));
    if (!found)
        return request_not_found(req);
    change.after = json_in(req->arena, json_deep_copy(change.before));
    if (change.after == NULL || json_object_update(change.after, req->body) != 0)
        return fail(req->arena, OVERLOADED);
    if (!json_equal(change.before, change.after))
        return store(req, &change);
    answer_nothing(req);
    return OK;
}

/* To end what is not there changes nothing. */
error
log_export_delete(struct request *req)
{
    struct change change;
    bool found;
    TRY(lock(req, &found, &change));
    if (found)
        return store(req, &change);
    answer_nothing(req);
    return OK;
}
