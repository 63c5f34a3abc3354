/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exports of snapshots to buckets of tenants, and these buckets. A request writes a row; a repository host that has the snapshot does the work
 * (docs/internals/exports.md). The keys of a bucket are sealed beside its document, and opened for that host only.
 */
#include "store/backup/export.h"

#include "api/api.h"
#include "api/crud.h"
#include "api/list.h"
#include "api/request_event.h"
#include "base/clock.h"
#include "base/given_secret.h"
#include "base/json.h"
#include "family/backup/backups.h"
#include "family/given_secret.h"
#include "family/project_limits.h"
#include "family/provider/provider_role.h"
#include "store/backup/snapshot.h"
#include "store/backup/stanza.h"
#include "store/resource.h"
#include "store/restore/restore.h"

#define HIDDEN_FIELD "internal"

/* ---- Buckets ---- */
static error
check_offered(struct request *req, const json_t *after)
{
    str provider = json_str(json_object_get(after, "cloudProvider"));
    if (!str_is(provider, "AWS"))
        return fail(req->arena, NOT_OFFERED, V(str_format(req->arena, "cloudProvider %.*s", STR_ARG(provider))),
                    V("it needs a role at that provider, and the operator's own hosts have no identity there; use a "
                      "store that speaks S3, as AWS with its serviceUrl or a role of the project"));
    if (json_is_true(json_object_get(after, "requirePrivateNetworking")))
        return fail(req->arena, NOT_OFFERED, V("requirePrivateNetworking"),
                    V("there is no private way from hosts to object storage"));
    return OK;
}

/* What was sent, over what is stored: either key may be changed alone. */
static error
seal_keys(struct request *req, struct change *change, const struct key *key)
{
    static const char *const names[] = { "accessKeyId", "secretAccessKey" };
    str place = given_secret_place(req->arena, EXPORT_BUCKET_KIND, change->id);
    str before = json_str(json_object_get(json_object_get(change->before, HIDDEN_FIELD), "secrets"));
    json_t *own =
        before.len == 0 ? json_in(req->arena, json_object()) : given_secret_open(req->arena, key, place, before);
    if (own == NULL)
        own = json_in(req->arena, json_object());
    for (size_t i = 0; i < LENGTH(names); i++) {
        json_t *sent = json_object_get(change->after, names[i]);
        if (sent != NULL && json_object_set(own, names[i], sent) != 0)
            return fail(req->arena, OVERLOADED);
        json_object_del(change->after, names[i]);
    }
    str sealed = given_secret_seal(req->arena, key, place, own);
    if (sealed.len == 0)
        return fail(req->arena, OVERLOADED);
    json_object_set_new(change->after, HIDDEN_FIELD, json_pack("{s:s}", "secrets", sealed.data));
    return OK;
}

static error
check_unused(struct request *req, const struct change *change)
{
    bool is_busy;
    TRY(store_export_bucket_is_busy(req->tx, req->project, change->id, &is_busy));
    return is_busy ? fail(req->arena, EXPORT_BUCKET_IN_USE, V(json_str(json_object_get(change->before, "bucketName"))))
                   : OK;
}

/* What a role decides, and the caller where there is none. */
static const char *const of_role[] = { "serviceUrl", "accessKeyId", "secretAccessKey" };

static error
check_not_sent(struct request *req)
{
    for (size_t i = 0; i < LENGTH(of_role); i++) {
        if (json_object_get(req->body, of_role[i]) != NULL)
            return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(of_role[i]),
                        V("a bucket with a role has that of the role"));
    }
    return OK;
}

static error
check_sent(struct request *req)
{
    for (size_t i = 0; i < LENGTH(of_role); i++) {
        if (json_object_get(req->body, of_role[i]) == NULL)
            return fail(req->arena, MISSING_ATTRIBUTE, V(of_role[i]));
    }
    return OK;
}

/* Where it writes is the operator's, and so are the keys. They are found when a host writes. */
static error
check_bucket_with_role(struct request *req, struct change *change)
{
    struct store_role place;
    TRY(check_not_sent(req));
    if (change->before != NULL)
        return OK;
    TRY(provider_role_use_bucket(req, json_str(json_object_get(change->after, "iamRoleId")),
                                 json_str(json_object_get(change->after, "bucketName")), &place));
    TRY(project_limit_check(req, LIMIT_EXPORT_BUCKETS));
    const json_t *where = json_in(
        req->arena, json_pack("{s:s%, s:s%, s:s%}", "serviceUrl", place.endpoint.data, place.endpoint.len, "region",
                              place.region.data, place.region.len, "prefixPath", place.prefix.data, place.prefix.len));
    return where != NULL && json_object_update(change->after, (json_t *)where) == 0 ? OK : fail(req->arena, OVERLOADED);
}

static error
check_bucket(struct request *req, struct change *change)
{
    if (change->after == NULL)
        return check_unused(req, change);
    TRY(check_offered(req, change->after));
    if (json_object_get(change->after, "iamRoleId") != NULL)
        return check_bucket_with_role(req, change);
    if (change->before == NULL) {
        TRY(check_sent(req));
        TRY(given_secret_check_url(req, STR("serviceUrl"), json_str(json_object_get(change->after, "serviceUrl"))));
        TRY(project_limit_check(req, LIMIT_EXPORT_BUCKETS));
    }
    struct key key = auth_key_for(req->api->auth, EXPORT_BUCKET_KEY_PURPOSE);
    error problem = seal_keys(req, change, &key);
    crypto_wipe(&key, sizeof(key));
    return problem;
}

const struct kind export_bucket_kind = {
    .name = EXPORT_BUCKET_KIND,
    .parameter = "exportBucketId",
    .hidden = HIDDEN_FIELD,
    .created = EVENT_EXPORT_BUCKET_CREATED,
    .changed = EVENT_EXPORT_BUCKET_CHANGED,
    .deleted = EVENT_EXPORT_BUCKET_DELETED,
    .check = check_bucket,
};

/* Its identifier has another name than those of other kinds. */
error
export_bucket_create(struct request *req)
{
    struct change change = { .id = id_new(store_cell(req->api->store)) };
    str document;
    int64_t revision;
    change.name = id_text(req->arena, change.id);
    change.after = json_in(req->arena, json_deep_copy(req->body));
    if (change.after == NULL || json_object_set_new(change.after, "_id", json_string(change.name.data)) != 0)
        return fail(req->arena, OVERLOADED);
    TRY(crud_store(req, &change, &document, &revision));
    answer_created(req, document, change.name, revision);
    return OK;
}

/* ---- Reading ---- */
static error
bind_list(struct request *req, struct params *params)
{
    list_bind(req, params);
    params_id(params, P_PROJECT, req->project);
    params_text(params, P_NAME, request_path_value(req, "clusterName"));
    return OK;
}

static error
bind_get(struct request *req, struct params *params)
{
    id export_job;
    TRY(request_path_id(req, "exportId", &export_job));
    params_id(params, P_PROJECT, req->project);
    params_id(params, P_EXPORT, export_job);
    params_text(params, P_NAME, request_path_value(req, "clusterName"));
    return OK;
}

const struct read export_list = { SQL_EXPORT_LIST, bind_list, list_answer_below };
const struct read export_get = { SQL_EXPORT_GET, bind_get, answer_row };

/* ---- One now ---- */
static error
find_source(struct request *req, str name)
{
    bool found;
    id cluster;
    TRY(store_backup_cluster(req->tx, req->project, STR(CLUSTER_KIND), name, &found, &cluster));
    if (!found)
        return request_not_found(req);
    TRY(store_stanza_any(req->tx, req->organization, cluster, &found));
    return found ? OK : fail(req->arena, BACKUPS_NOT_ENABLED, V(name));
}

error
export_bucket_find(struct request *req, const char *field, str name, id *ret_bucket)
{
    struct resource bucket;
    bool found;
    TRY(store_resource_lock(req->tx, req->project, STR(EXPORT_BUCKET_KIND), name, &found, &bucket));
    if (!found)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(field), V("the project has no such bucket"));
    *ret_bucket = bucket.id;
    return OK;
}

static error
find_snapshot(struct request *req, str cluster, id *ret_snapshot)
{
    struct snapshot snapshot;
    bool found;
    struct snapshot_place place = {
        .project = req->project, .kind = STR(CLUSTER_KIND), .cluster = cluster, .form = STR(SNAPSHOT_FORM)
    };
    if (!id_parse(json_str(json_object_get(req->body, "snapshotId")), &place.snapshot))
        return fail(req->arena, INTERNAL_ERROR); /* its form was checked before */
    TRY(store_snapshot_lock(req->tx, &place, &found, &snapshot));
    if (!found)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("snapshotId"), V("the cluster has no such snapshot"));
    const json_t *shown = json_parse_own(req->arena, snapshot.document);
    if (!str_is(json_str(json_object_get(shown, "status")), "completed"))
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("snapshotId"), V("this snapshot is not completed"));
    *ret_snapshot = place.snapshot;
    return OK;
}

error
export_create(struct request *req)
{
    struct export_draft draft = { .project = req->project,
                                  .id = id_new(store_cell(req->api->store)),
                                  .asked_s = clock_now_ms() / 1000 };
    str document, name = request_path_value(req, "clusterName");
    bool added;
    TRY(find_source(req, name));
    /* The bucket before the snapshot, as who changes a schedule does it. */
    TRY(export_bucket_find(req, "exportBucketId", json_str(json_object_get(req->body, "exportBucketId")),
                           &draft.bucket));
    TRY(find_snapshot(req, name, &draft.snapshot));
    draft.custom_data = json_text(req->arena, json_object_get(req->body, "customData"));
    draft.format = json_str(json_object_get(req->body, "format"));
    TRY(store_export_add(req->tx, &draft, &added, &document));
    if (!added)
        return fail(req->arena, EXPORT_UNFINISHED, V(name));
    TRY(request_event(req, EVENT_EXPORT_REQUESTED, NULL, json_parse_own(req->arena, document)));
    answer_created(req, document, id_text(req->arena, draft.id), 0);
    return OK;
}
