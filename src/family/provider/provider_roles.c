/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Roles with which a project writes into the operator's object stores, without keys of its own (docs/internals/provider-roles.md). A project makes
 * its half and gets an external id. The operator makes the other half for that id, and the project assumes it by its name. Who has not the
 * id that a half was made for is told that it is not there.
 */
#include "api/api.h"
#include "api/crud.h"
#include "base/clock.h"
#include "base/crypto/crypto.h"
#include "base/date.h"
#include "base/json.h"
#include "family/families.h"
#include "family/project_limits.h"
#include "family/provider/provider_role.h"
#include "store/resource.h"

#define HIDDEN_FIELD "internal"
#define STORE_ROLE   "storeRole" /* in the hidden field: the id of the operator's half */
#define EXTERNAL_ID  "serviceAssumedRoleExternalId"

enum { UUID_BYTES = 16 };

/* ---- Tables ---- */
static const char *const providers[] = { "AWS", "AZURE", "GCP", NULL };
static const char *const features[] = { "DATA_LAKE",       "ENCRYPTION_AT_REST",    "EXPORT_SNAPSHOT",
                                        "LOG_INTEGRATION", "PUSH_BASED_LOG_EXPORT", NULL };

static const struct field usage_fields[] = {
    TEXT(
        "featureType",
        "What uses the role: EXPORT_SNAPSHOT is an export bucket, LOG_INTEGRATION a log integration, PUSH_BASED_LOG_EXPORT the log "
        "export of the project. Nothing else uses roles yet.",
        READ_ONLY | ALWAYS, .one_of = features),
    ID("featureId", "Identifier of what uses it. An extension of this service.", READ_ONLY | ALWAYS),
    END_OF_FIELDS,
};
static const struct schema usage_schema = { "ProviderRoleUsage", "A feature that uses a role.", usage_fields };

#define PROVIDER_FIELD(flags)                                                                                         \
    TEXT("providerName",                                                                                              \
         "How the store is spoken to. AWS: the operator's object stores, which speak S3. AZURE and GCP are refused: " \
         "there are no such stores.",                                                                                 \
         flags, .one_of = providers, .example = "\"AWS\"")
#define ARN_FIELD(flags)                                                                                           \
    TEXT("iamAssumedRoleArn", "Name of the role in the operator's object store, as the operator tells it.", flags, \
         .min = 20, .max = 2048, .example = "\"arn:reeve:s3::west:role/checkout\"")

static const struct field role_fields[] = {
    PROVIDER_FIELD(REQUIRED | ALWAYS),
    ID("roleId", "Identifier of the role.", READ_ONLY | ALWAYS),
    TEXT(
        EXTERNAL_ID,
        "What the operator makes the role in the object store for. Whoever knows it can do nothing with it: only this project can assume a "
        "role that was made for it.",
        READ_ONLY | ALWAYS, .example = "\"0b5f9c1e-6a52-4d0c-9c57-3d1e8a7f2b64\""),
    DATE("createdDate", "When it was created.", READ_ONLY | ALWAYS),
    DATE("authorizedDate", "When it was authorized.", READ_ONLY),
    ARN_FIELD(READ_ONLY),
    TEXT("bucketName", "Bucket that the role writes to. An extension of this service.", READ_ONLY),
    TEXT("prefixPath",
         "What the names of all objects begin with that are written with the role. An extension of this service.",
         READ_ONLY),
    LIST("featureUsages", "What uses it.", READ_ONLY | ALWAYS, .of = &usage_schema),
    END_OF_FIELDS,
};
static const struct schema role_schema = { "ProviderRole",
                                           "A role with which a project writes into an object store of the operator.",
                                           role_fields };

static const struct field authorization_fields[] = {
    PROVIDER_FIELD(REQUIRED),
    ARN_FIELD(REQUIRED),
    END_OF_FIELDS,
};
static const struct schema authorization_schema = { "ProviderRoleAuthorization",
                                                    "The role in an object store that is assumed.",
                                                    authorization_fields };

static const struct field roles_fields[] = {
    LIST("awsIamRoles", "Roles in the operator's object stores.", READ_ONLY | ALWAYS, .of = &role_schema),
    LIST("azureServicePrincipals", "Always empty.", READ_ONLY | ALWAYS, .of = &role_schema),
    LIST("gcpServiceAccounts", "Always empty.", READ_ONLY | ALWAYS, .of = &role_schema),
    END_OF_FIELDS,
};
static const struct schema roles_schema = { "ProviderRoles", "The roles of a project.", roles_fields };

static const struct field role_path[] = { ID("roleId", "Identifier of the role.", 0), END_OF_FIELDS };
static const struct field provider_role_path[] = {
    TEXT("cloudProvider", "Provider of the role.", 0, .one_of = providers, .example = "\"AWS\""),
    ID("roleId", "Identifier of the role.", 0),
    END_OF_FIELDS,
};

static error check_unused(struct request *req, struct change *change);
static const struct kind provider_role = {
    .name = PROVIDER_ROLE_KIND,
    .parameter = "roleId",
    .hidden = HIDDEN_FIELD,
    .created = EVENT_PROVIDER_ROLE_CREATED,
    .changed = EVENT_PROVIDER_ROLE_AUTHORIZED,
    .deleted = EVENT_PROVIDER_ROLE_DELETED,
    .check = check_unused,
};

static const struct read role_list, role_get;
static handler role_create, role_authorize, role_remove;

// clang-format off
static const struct endpoint cloud_provider_access_endpoints[] = {
    { GET, "/groups/{groupId}/cloudProviderAccess", S14, ANY_OF(PROJECT_READ_ONLY), "listGroupCloudProviderAccess",
      "Return all cloud provider roles of one project",
      "Lists the roles with which the project writes into the operator's object stores, and what uses them.",
      .flags = NO_ETAG, .read = &role_list, .response = &roles_schema },
    { POST, "/groups/{groupId}/cloudProviderAccess", S14, ANY_OF(PROJECT_OWNER), "createGroupCloudProviderAccess",
      "Create one cloud provider role",
      "Makes a role, and an external id for it. Give the id to the operator, who makes a role in an object store for it and tells its name. Then "
      "authorize this role with that name.",
      .success = 200, .flags = NO_ETAG, .item = "/groups/{groupId}/cloudProviderAccess/{roleId}", .run = role_create, .kind = &provider_role,
      .request = &role_schema, .response = &role_schema, .example = "{\"providerName\": \"AWS\"}" },
    { GET, "/groups/{groupId}/cloudProviderAccess/{roleId}", S14, ANY_OF(PROJECT_READ_ONLY),
      "getGroupCloudProviderAccess",
      "Return one cloud provider role",
      "Shows the role, its external id, where it writes, and what uses it.",
      .flags = NO_ETAG, .read = &role_get, .kind = &provider_role, .path_fields = role_path, .response = &role_schema },
    { PATCH, "/groups/{groupId}/cloudProviderAccess/{roleId}", S14, ANY_OF(PROJECT_OWNER),
      "authorizeGroupCloudProviderAccessRole",
      "Authorize one cloud provider role",
      "Assumes the role of that name in an object store of the operator. It must have been made for the external id of this role.",
      .flags = NO_ETAG, .run = role_authorize, .kind = &provider_role, .path_fields = role_path, .request = &authorization_schema, .response = &role_schema,
      .example = "{\"providerName\": \"AWS\", \"iamAssumedRoleArn\": \"arn:reeve:s3::west:role/checkout\"}" },
    { DELETE, "/groups/{groupId}/cloudProviderAccess/{cloudProvider}/{roleId}", S14, ANY_OF(PROJECT_OWNER),
      "deauthorizeGroupCloudProviderAccessRole",
      "Remove one cloud provider role",
      "Removes a role that nothing uses. Its external id is never used again.",
      .shape = SHAPE_NOTHING, .run = role_remove, .kind = &provider_role, .path_fields = provider_role_path },
};
// clang-format on

FAMILY(cloud_provider_access_family, "cloud-provider-access", "Cloud provider access",
       "Roles with which a project writes into the operator's object stores, without keys of its own.",
       cloud_provider_access_endpoints);

/* ---- Reading ---- */
static error
bind_list(struct request *req, struct params *params)
{
    params_id(params, P_PROJECT, req->project);
    return OK;
}

static error
bind_get(struct request *req, struct params *params)
{
    params_id(params, P_PROJECT, req->project);
    params_text(params, P_ROLE, request_path_value(req, "roleId"));
    return OK;
}

static error
answer_document(struct request *req, const struct rows *rows)
{
    answer_entity(req, rows_text(rows, 0, C_DOCUMENT), 0);
    return OK;
}

static error
answer_one(struct request *req, const struct rows *rows)
{
    return rows->count == 0 ? request_not_found(req) : answer_document(req, rows);
}

static const struct read role_list = { SQL_PROVIDER_ROLE_LIST, bind_list, answer_document };
static const struct read role_get = { SQL_PROVIDER_ROLE_GET, bind_get, answer_one };

/* ---- Changing ---- */
static str
shown_with_usages(struct request *req, str document, str usages)
{
    json_t *shown = json_parse_own(req->arena, document);
    json_object_set(shown, "featureUsages", json_parse_own(req->arena, usages));
    return json_text(req->arena, shown);
}

static error
check_provider(struct request *req, str provider)
{
    if (str_is(provider, "AWS"))
        return OK;
    return fail(req->arena, NOT_OFFERED, V(str_format(req->arena, "providerName %.*s", STR_ARG(provider))),
                V("the operator's object stores speak S3; use AWS"));
}

/* Of 122 random bits, RFC 9562. */
static str
new_external_id(struct arena *arena)
{
    uint8_t b[UUID_BYTES];
    crypto_random(b, sizeof(b));
    b[6] = (uint8_t)((b[6] & 0x0f) | 0x40);
    b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
    return str_format(arena, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2],
                      b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

static error
role_create(struct request *req)
{
    struct change change = { .id = id_new(store_cell(req->api->store)) };
    str document, external = new_external_id(req->arena), now = date_text(req->arena, clock_now_ms() / 1000 * 1000);
    int64_t revision;
    TRY(check_provider(req, json_str(json_object_get(req->body, "providerName"))));
    TRY(project_limit_check(req, LIMIT_PROVIDER_ROLES));
    change.name = id_text(req->arena, change.id);
    change.after =
        json_in(req->arena, json_pack("{s:s, s:s, s:s, s:s}", "providerName", "AWS", "roleId", change.name.data,
                                      EXTERNAL_ID, external.data, "createdDate", now.data));
    if (change.after == NULL)
        return fail(req->arena, OVERLOADED);
    TRY(crud_store(req, &change, &document, &revision));
    answer_created(req, shown_with_usages(req, document, STR("[]")), change.name, 0);
    return OK;
}

static error
assume(struct request *req, const json_t *role, str arn, struct store_role *ret_place)
{
    bool found;
    str external = json_str(json_object_get(role, EXTERNAL_ID));
    TRY(store_role_assume(req->tx, arn, external, &found, ret_place));
    return found ? OK : fail(req->arena, CANNOT_ASSUME_ROLE, V(arn), V(external));
}

/* What uses a role knows where it writes: while it is used it must go on writing there. */
static error
check_same_place(struct request *req, const struct change *change, const struct store_role *place)
{
    str usages;
    TRY(store_provider_role_used(req->tx, req->project, change->name, &usages));
    bool is_same =
        str_eq(json_str(json_object_get(change->before, "bucketName")), place->bucket) &&
        str_eq(json_str(json_object_get(change->before, "prefixPath")), place->prefix) &&
        str_eq(json_str(json_object_get(json_object_get(change->before, HIDDEN_FIELD), "endpoint")), place->endpoint);
    return is_same || str_is(usages, "[]")
               ? OK
               : fail(req->arena, PROVIDER_ROLE_IN_USE, V(change->name), V("the other role writes somewhere else"));
}

static error
role_authorize(struct request *req)
{
    struct change change;
    struct store_role place;
    str document, usages, arn = json_str(json_object_get(req->body, "iamAssumedRoleArn"));
    int64_t revision;
    TRY(crud_lock(req, &change));
    if (json_object_get(req->body, "providerName") != NULL)
        TRY(check_provider(req, json_str(json_object_get(req->body, "providerName"))));
    if (arn.len == 0)
        return fail(req->arena, MISSING_ATTRIBUTE, V("iamAssumedRoleArn"));
    TRY(assume(req, change.before, arn, &place));
    TRY(check_same_place(req, &change, &place));
    change.after = json_in(req->arena, json_deep_copy(change.before));
    json_t *now = json_in(req->arena, json_pack("{s:s, s:s%, s:s%, s:s%, s:{s:s, s:s%}}", "authorizedDate",
                                                date_text(req->arena, clock_now_ms() / 1000 * 1000).data,
                                                "iamAssumedRoleArn", arn.data, arn.len, "bucketName", place.bucket.data,
                                                place.bucket.len, "prefixPath", place.prefix.data, place.prefix.len,
                                                HIDDEN_FIELD, STORE_ROLE, id_text(req->arena, place.id).data,
                                                "endpoint", place.endpoint.data, place.endpoint.len));
    if (change.after == NULL || now == NULL || json_object_update(change.after, now) != 0)
        return fail(req->arena, OVERLOADED);
    TRY(crud_store(req, &change, &document, &revision));
    TRY(store_provider_role_used(req->tx, req->project, change.name, &usages));
    answer_entity(req, shown_with_usages(req, document, usages), 0);
    return OK;
}

static error
check_unused(struct request *req, struct change *change)
{
    str usages;
    if (change->after != NULL)
        return OK;
    TRY(store_provider_role_used(req->tx, req->project, change->name, &usages));
    const json_t *first = json_array_get(json_parse_own(req->arena, usages), 0);
    if (first == NULL)
        return OK;
    return fail(req->arena, PROVIDER_ROLE_IN_USE, V(change->name),
                V(str_format(req->arena, "%s %s uses it", json_str(json_object_get(first, "featureType")).data,
                             json_str(json_object_get(first, "featureId")).data)));
}

static error
role_remove(struct request *req)
{
    struct change change;
    str document;
    int64_t revision;
    TRY(crud_lock(req, &change));
    if (!str_eq(json_str(json_object_get(change.before, "providerName")), request_path_value(req, "cloudProvider")))
        return request_not_found(req);
    TRY(crud_store(req, &change, &document, &revision));
    answer_nothing(req);
    return OK;
}

/* ---- For what uses roles ---- */
error
provider_role_use(struct request *req, const char *field, str role, struct store_role *ret_place)
{
    struct resource held;
    bool found;
    TRY(store_resource_lock(req->tx, req->project, STR(PROVIDER_ROLE_KIND), role, &found, &held));
    const json_t *document = found ? json_parse_own(req->arena, held.document) : NULL;
    if (document == NULL)
        return fail(req->arena, INVALID_ATTRIBUTE_VALUE, V(field), V("the project has no such role"));
    str arn = json_str(json_object_get(document, "iamAssumedRoleArn")),
        known = json_str(json_object_get(json_object_get(document, HIDDEN_FIELD), STORE_ROLE));
    if (arn.len == 0)
        return fail(req->arena, PROVIDER_ROLE_NOT_AUTHORIZED, V(role));
    TRY(assume(req, document, arn, ret_place));
    /* The operator has made it anew: where that writes nobody has agreed to. */
    return str_eq(known, id_text(req->arena, ret_place->id)) ? OK
                                                             : fail(req->arena, PROVIDER_ROLE_NOT_AUTHORIZED, V(role));
}

error
provider_role_use_bucket(struct request *req, str role, str bucket, struct store_role *ret_place)
{
    TRY(provider_role_use(req, "iamRoleId", role, ret_place));
    return str_eq(bucket, ret_place->bucket)
               ? OK
               : fail(req->arena, INVALID_ATTRIBUTE_VALUE, V("bucketName"), V("the role writes to another bucket"));
}
