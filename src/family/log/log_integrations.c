/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends logs to a log service of the tenant. Hosts send them (agent/log/shipper.c); here are the operations for people.
 * What hosts are told is computed when a target is stored, and sealed with its secrets.
 */
#include "api/api.h"
#include "api/crud.h"
#include "api/list.h"
#include "base/given_secret.h"
#include "base/json.h"
#include "base/net/egress.h"
#include "family/families.h"
#include "family/given_secret.h"
#include "family/log/log_export.h"
#include "family/project_limits.h"
#include "family/provider/provider_role.h"
#include "job/log/log_target.h"

#define HIDDEN_FIELD "internal"
#define NO_ROLES     "it needs a role at a provider, and the operator's own hosts have no identity there"

static const char *const target_types[] = { "AZURE_LOG_EXPORT",
                                            "DATADOG_LOG_EXPORT",
                                            "GCS_LOG_EXPORT",
                                            "OTEL_LOG_EXPORT",
                                            "S3_LOG_EXPORT",
                                            "SPLUNK_LOG_EXPORT",
                                            NULL };
static const char *const log_types[] = { "PATRONI", "POSTGRES", "POSTGRES_AUDIT", NULL };
static const char *const states[] = { "WAITING", "WORKING", "FAILING", NULL };

/* ---- What each type has ---- */

#define SECRET(field_name, sentence, ...)                                                                            \
    TEXT(field_name, sentence " Answers show only its last characters; sent back in that form, it does not change.", \
         REQUIRED | ALWAYS, .min = 8, .max = 255, __VA_ARGS__)
#define HTTPS_ADDRESS(field_name, sentence, example_text)                                                            \
    TEXT(field_name, sentence " Its name must resolve to public addresses only, unless the operator allows others.", \
         REQUIRED | ALWAYS, .min = 9, .max = EGRESS_MAX_URL, .pattern = "^https://[!-~]+$", .example = example_text)
#define REFUSED_ROLE(field_name)                                                         \
    TEXT(field_name, "Role at a provider.", REQUIRED | WRITE_ONLY, .min = 24, .max = 24, \
         .pattern = "^[a-fA-F0-9]{24}$", .example = "\"650000000000000000000001\"")
#define REFUSED_TEXT(field_name, sentence) TEXT(field_name, sentence, REQUIRED | WRITE_ONLY, .min = 1, .max = 1024)

static const struct field header_fields[] = {
    TEXT("name", "Name of the header.", REQUIRED | ALWAYS, .min = 1, .max = 128,
         .pattern = "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$", .example = "\"Authorization\""),
    TEXT("value", "Value of the header. It is never returned.", REQUIRED | WRITE_ONLY, .min = 1, .max = 2048,
         .pattern = "^[ -~]+$", .example = "\"Bearer 0123456789\""),
    END_OF_FIELDS,
};
static const struct schema header_schema = { "LogHeader", "A header that is sent with logs.", header_fields };

static const struct field azure_fields[] = {
    REFUSED_TEXT("prefixPath", "What file names would begin with."),
    REFUSED_ROLE("roleId"),
    REFUSED_TEXT("storageAccountName", "Account of the storage."),
    REFUSED_TEXT("storageContainerName", "Where files would be written."),
    END_OF_FIELDS,
};
static const struct field datadog_fields[] = {
    SECRET("apiKey", "Key of the service.", .pattern = "^[*A-Za-z0-9._~-]+$"),
    TEXT("region", "Region of the service.", REQUIRED | ALWAYS, .one_of = log_target_regions),
    END_OF_FIELDS,
};
static const struct field gcs_fields[] = {
    REFUSED_TEXT("bucketName", "Where files would be written."),
    REFUSED_TEXT("prefixPath", "What file names would begin with."),
    REFUSED_ROLE("roleId"),
    END_OF_FIELDS,
};
static const struct field otel_fields[] = {
    HTTPS_ADDRESS("otelEndpoint",
                  "Where logs are sent, in JSON of the OpenTelemetry protocol. Without a path, `/v1/logs` is added.",
                  "\"https://otel.example.org/v1/logs\""),
    LIST("otelSuppliedHeaders", "Headers that are sent with the logs, such as one with a key.", REQUIRED | ALWAYS,
         .of = &header_schema, .min = 1, .max = 10),
    END_OF_FIELDS,
};
static const struct field s3_fields[] = {
    LOG_BUCKET_FIELDS(REQUIRED | ALWAYS),
    TEXT("kmsKey", "Key that would encrypt objects. It is refused: the store decides about that.",
         WRITE_ONLY | NULLABLE, .max = 2048),
    BOOL("useLegacyPathStructure", "Whether names have an older form; true is refused, because there is none.",
         WRITE_ONLY | NULLABLE),
    END_OF_FIELDS,
};
static const struct field splunk_fields[] = {
    SECRET("hecToken", "Token of the service.", .pattern = "^[*A-Za-z0-9._~-]+$"),
    HTTPS_ADDRESS("hecUrl", "Where events are sent. Without a path, `/services/collector/event` is added.",
                  "\"https://events.example.org:8088\""),
    END_OF_FIELDS,
};
static const struct schema azure_schema = { "Azure", "Refused: " NO_ROLES ".", azure_fields },
                           datadog_schema = { "Datadog", "A list of lines to that service.", datadog_fields },
                           gcs_schema = { "Gcs", "Refused: " NO_ROLES ".", gcs_fields },
                           otel_schema = { "Otel", "The OpenTelemetry protocol over HTTPS.", otel_fields },
                           s3_schema = { "S3",
                                         "Objects in a bucket of the operator's, written with a role of the project.",
                                         s3_fields },
                           splunk_schema = { "Splunk", "Events to that service's collector.", splunk_fields };
static const struct field_variant type_variants[] = {
    { "AZURE_LOG_EXPORT", &azure_schema },
    { "DATADOG_LOG_EXPORT", &datadog_schema },
    { "GCS_LOG_EXPORT", &gcs_schema },
    { "OTEL_LOG_EXPORT", &otel_schema },
    { "S3_LOG_EXPORT", &s3_schema },
    { "SPLUNK_LOG_EXPORT", &splunk_schema },
    END_OF_VARIANTS,
};
static const struct field target_fields[] = {
    TEXT(
        "type",
        "Where logs go. AZURE_LOG_EXPORT and GCS_LOG_EXPORT are refused: each needs a role at a provider, and the operator's own hosts have no "
        "identity there.",
        REQUIRED | ALWAYS, .one_of = target_types, .variants = type_variants),
    ID("id", "Identifier of the log integration.", READ_ONLY | ALWAYS),
    LIST("logTypes", "Which logs: of the database server, of its audit, or of Patroni, which decides about its role.",
         REQUIRED | ALWAYS, .item = TYPE_TEXT, .min = 1, .max = 10, .one_of = log_types, .example = "[\"POSTGRES\"]"),
    TEXT("state", "WAITING until a host has sent something, then WORKING; FAILING while sending fails on any host.",
         READ_ONLY | ALWAYS, .one_of = states),
    TEXT("lastError", "Why it fails.", READ_ONLY),
    END_OF_FIELDS,
};
static const struct schema target_schema = { "LogIntegration", "Where logs of a project are sent.", target_fields };

static const struct read target_get, target_list;
static const struct kind log_integration;
static handler target_create, target_replace;

// clang-format off
static const struct field target_path[] = { ID("id", "Identifier of the log integration.", 0), END_OF_FIELDS };
static const struct field target_query[] = {
    TEXT("integrationType", "Only those of this type.", 0, .one_of = target_types),
    END_OF_FIELDS,
};

static const struct endpoint log_integrations_endpoints[] = {
    { GET, "/groups/{groupId}/logIntegrations", S55, ANY_OF(PROJECT_OWNER), "listGroupLogIntegrations",
      "Return all log integrations in one project",
      "Lists where logs are sent, which kinds of logs, and whether sending works.",
      .shape = SHAPE_LIST, .since = "2025-03-12", .item = "/groups/{groupId}/logIntegrations/{id}",
      .read = &target_list, .kind = &log_integration, .query = target_query, .response = &target_schema },
    { POST, "/groups/{groupId}/logIntegrations", S55, ANY_OF(PROJECT_OWNER), "createGroupLogIntegration",
      "Create one log integration",
      "Starts sending the chosen kinds of logs to a target. Older lines are not sent. Every line arrives at least once.",
      .since = "2025-03-12", .flags = NO_ETAG, .item = "/groups/{groupId}/logIntegrations/{id}", .run = target_create,
      .kind = &log_integration, .request = &target_schema, .response = &target_schema,
      .example = "{\"type\": \"SPLUNK_LOG_EXPORT\", \"logTypes\": [\"POSTGRES\"], \"hecUrl\": \"https://events.example.org:8088\", "
                 "\"hecToken\": \"0123456789abcdef\"}" },
    { DELETE, "/groups/{groupId}/logIntegrations/{id}", S55, ANY_OF(PROJECT_OWNER), "deleteGroupLogIntegration",
      "Delete one log integration",
      "Stops sending. What has arrived at the target stays there.",
      .shape = SHAPE_NOTHING, .since = "2025-03-12", .run = crud_delete, .kind = &log_integration, .path_fields = target_path },
    { GET, "/groups/{groupId}/logIntegrations/{id}", S55, ANY_OF(PROJECT_OWNER), "getGroupLogIntegration",
      "Return one log integration",
      "Returns one target with its kinds of logs, and whether sending works. It shows only the last characters of keys, and no "
      "values of headers.",
      .since = "2025-03-12", .flags = NO_ETAG, .read = &target_get, .kind = &log_integration, .path_fields = target_path,
      .response = &target_schema },
    { PUT, "/groups/{groupId}/logIntegrations/{id}", S55, ANY_OF(PROJECT_OWNER), "updateGroupLogIntegration",
      "Replace one log integration",
      "Replaces the whole configuration; lines that wait to be sent go to the new target.",
      .since = "2025-03-12", .flags = NO_ETAG, .run = target_replace, .kind = &log_integration, .path_fields = target_path,
      .request = &target_schema, .response = &target_schema,
      .example = "{\"type\": \"OTEL_LOG_EXPORT\", \"logTypes\": [\"POSTGRES\", \"PATRONI\"], \"otelEndpoint\": "
                 "\"https://otel.example.org\", \"otelSuppliedHeaders\": [{\"name\": \"Authorization\", \"value\": \"Bearer 0123456789\"}]}" },
    { DELETE, "/groups/{groupId}/pushBasedLogExport", S55, ANY_OF(PROJECT_OWNER), "deleteGroupPushBasedLogExport",
      "Disable log export of one project",
      "Stops writing. What is in the bucket stays there. Without a log export it changes nothing.",
      .shape = SHAPE_NOTHING, .success = 200, .flags = DEPRECATED, .run = log_export_delete, .kind = &log_export_kind },
    { GET, "/groups/{groupId}/pushBasedLogExport", S55, ANY_OF(PROJECT_OWNER), "getGroupPushBasedLogExport",
      "Return the log export of one project",
      "Tells where all logs of the project are written, and whether that works.",
      .flags = DEPRECATED | NO_ETAG, .read = &log_export_get, .response = &log_export_schema },
    { PATCH, "/groups/{groupId}/pushBasedLogExport", S55, ANY_OF(PROJECT_OWNER), "updateGroupPushBasedLogExport",
      "Update the log export of one project",
      "Changes where logs are written: lines that were not written yet go to the new place.",
      .shape = SHAPE_NOTHING, .success = 200, .flags = DEPRECATED, .run = log_export_update, .kind = &log_export_kind, .request = &log_export_schema,
      .example = "{\"prefixPath\": \"reeve/\"}" },
    { POST, "/groups/{groupId}/pushBasedLogExport", S55, ANY_OF(PROJECT_OWNER), "createGroupPushBasedLogExport",
      "Enable log export of one project",
      "Writes all logs of the project's servers to a bucket of the operator's, with a role of the project. Older lines are not written. A log integration of type "
      "S3_LOG_EXPORT does the same for chosen logs.",
      .shape = SHAPE_NOTHING, .success = 200, .flags = DEPRECATED, .run = log_export_create, .kind = &log_export_kind,
      .request = &log_export_request_schema,
      .example = "{\"bucketName\": \"tenants\", \"iamRoleId\": \"650000000000000000000001\", \"prefixPath\": \"reeve/\"}" },
};
// clang-format on

FAMILY(log_integrations_family, "log-integrations", "Log integrations",
       "Sends the logs of a project's servers to a service of your own, as they are written.",
       log_integrations_endpoints);

/* ---- Checking ---- */

static error
check_offered(struct request *req, const json_t *after)
{
    str type = json_str(json_object_get(after, "type"));
    if (log_target_is_offered(type))
        return OK;
    return fail(req->arena, NOT_OFFERED, V(str_format(req->arena, "type %.*s", STR_ARG(type))), V(NO_ROLES));
}

/* What a request needs for itself is not a tenant's to say; and a header can be there once. */
static error
check_headers(struct request *req, const json_t *headers)
{
    static const char *const ours[] = { "connection", "content-encoding",  "content-length", "content-type", "expect",
                                        "host",       "transfer-encoding", "upgrade" };
    size_t i, k;
    const json_t *header, *other;
    json_array_foreach(headers, i, header)
    {
        str name = json_str(json_object_get(header, "name"));
        const char *why = NULL;
        for (k = 0; k < LENGTH(ours); k++) {
            if (str_eq_nocase(name, str_from(ours[k])))
                why = "the service sets this header itself";
        }
        json_array_foreach(headers, k, other)
        {
            if (k < i && str_eq_nocase(name, json_str(json_object_get(other, "name"))))
                why = "it is there twice";
        }
        if (why != NULL)
            return fail(req->arena, INVALID_ATTRIBUTE_VALUE,
                        V(str_format(req->arena, "otelSuppliedHeaders[%zu].name", i)), V(why));
    }
    return OK;
}

/* The store and its keys are the operator's; what a store cannot be told is refused. */
static error
check_bucket(struct request *req, json_t *after)
{
    struct store_role ignored;
    if (!str_is(json_str(json_object_get(after, "type")), "S3_LOG_EXPORT"))
        return OK;
    if (json_is_string(json_object_get(after, "kmsKey")))
        return fail(req->arena, NOT_OFFERED, V("kmsKey"), V("how objects are encrypted is decided by the store"));
    if (json_is_true(json_object_get(after, "useLegacyPathStructure")))
        return fail(req->arena, NOT_OFFERED, V("useLegacyPathStructure"), V("names of objects have one form only"));
    json_object_del(after, "kmsKey");
    json_object_del(after, "useLegacyPathStructure");
    return provider_role_use_bucket(req, json_str(json_object_get(after, "iamRoleId")),
                                    json_str(json_object_get(after, "bucketName")), &ignored);
}

static error
check_addresses(struct request *req, const json_t *after)
{
    static const char *const fields[] = { "otelEndpoint", "hecUrl" };
    for (size_t i = 0; i < LENGTH(fields); i++) {
        if (json_object_get(after, fields[i]) != NULL)
            TRY(given_secret_check_url(req, str_from(fields[i]), json_str(json_object_get(after, fields[i]))));
    }
    return OK;
}

/* Values of headers are in no answer, so they are taken away; keys leave masks. */
static error
take_secrets(struct request *req, const struct change *change, const json_t *old, json_t *own)
{
    static const char *const names[] = { "apiKey", "hecToken" };
    size_t i;
    json_t *header;
    json_t *headers = json_object_get(change->after, "otelSuppliedHeaders");
    for (size_t k = 0; k < LENGTH(names); k++) {
        struct given_secret_field field = { .name = names[k], .place = str_from(names[k]) };
        TRY(given_secret_take(req, &field, change->after, old, own));
    }
    if (headers == NULL)
        return OK;
    json_object_set_new(own, "otelSuppliedHeaders", json_deep_copy(headers));
    json_array_foreach(headers, i, header) json_object_del(header, "value");
    return OK;
}

static error
seal(struct request *req, struct change *change, const struct key *key)
{
    json_t *own = json_in(req->arena, json_object());
    str place = given_secret_place(req->arena, "logIntegration", change->id);
    const json_t *before = json_object_get(json_object_get(change->before, HIDDEN_FIELD), "secrets");
    const json_t *old = before == NULL ? NULL : given_secret_open(req->arena, key, place, json_str(before));
    TRY(take_secrets(req, change, json_object_get(old, "secrets"), own));
    json_t *target = log_target_make(req->arena, change->after, own);
    json_t *both =
        target == NULL ? NULL : json_in(req->arena, json_pack("{s:O, s:O}", "secrets", own, "target", target));
    str sealed = both == NULL ? STR_EMPTY : given_secret_seal(req->arena, key, place, both);
    if (sealed.len == 0)
        return fail(req->arena, OVERLOADED);
    json_object_set_new(change->after, HIDDEN_FIELD, json_pack("{s:s}", "secrets", sealed.data));
    return OK;
}

static error
check_target(struct request *req, struct change *change)
{
    if (change->after == NULL)
        return OK;
    TRY(check_offered(req, change->after));
    TRY(check_headers(req, json_object_get(change->after, "otelSuppliedHeaders")));
    TRY(check_addresses(req, change->after));
    TRY(check_bucket(req, change->after));
    if (change->before == NULL)
        TRY(project_limit_check(req, LIMIT_LOG_INTEGRATIONS));
    struct key key = auth_key_for(req->api->auth, LOG_TARGET_KEY_PURPOSE);
    error problem = seal(req, change, &key);
    crypto_wipe(&key, sizeof(key));
    return problem;
}

static const struct kind log_integration = {
    .name = "logIntegration",
    .parameter = "id",
    .hidden = HIDDEN_FIELD,
    .created = EVENT_LOG_INTEGRATION_CREATED,
    .changed = EVENT_LOG_INTEGRATION_UPDATED,
    .deleted = EVENT_LOG_INTEGRATION_DELETED,
    .check = check_target,
};

/* ---- Reading ---- */

static error
bind_get(struct request *req, struct params *params)
{
    params_id(params, P_PROJECT, req->project);
    params_text(params, P_ID, request_path_value(req, "id"));
    return OK;
}

static error
bind_list(struct request *req, struct params *params)
{
    params_id(params, P_PROJECT, req->project);
    list_bind(req, params);
    params_text(params, P_INTEGRATION_TYPE, request_query(req, "integrationType"));
    return OK;
}

static const struct read target_get = { SQL_LOG_INTEGRATION_GET, bind_get, answer_row };
static const struct read target_list = { SQL_LOG_INTEGRATION_LIST, bind_list, list_answer };

/* ---- Changing ---- */

/* Nothing is known yet about what was just set. */
static str
shown_text(struct request *req, str document)
{
    json_t *shown = json_parse_own(req->arena, document);
    json_object_set_new(shown, "state", json_string("WAITING"));
    return json_text(req->arena, shown);
}

static error
store_sent(struct request *req, struct change *change, str *ret_document)
{
    str own = id_text(req->arena, change->id);
    int64_t revision;
    change->after = json_in(req->arena, json_deep_copy(req->body));
    if (change->after == NULL)
        return fail(req->arena, OVERLOADED);
    json_object_set_new(change->after, "id", json_stringn(own.data, own.len));
    TRY(crud_store(req, change, ret_document, &revision));
    *ret_document = shown_text(req, *ret_document);
    return OK;
}

static error
target_create(struct request *req)
{
    str document;
    struct change change = { .id = id_new(store_cell(req->api->store)) };
    change.name = id_text(req->arena, change.id);
    TRY(store_sent(req, &change, &document));
    answer_created(req, document, change.name, 0);
    return OK;
}

static error
target_replace(struct request *req)
{
    struct change change;
    str document;
    TRY(crud_lock(req, &change));
    TRY(store_sent(req, &change, &document));
    answer_entity(req, document, 0);
    return OK;
}
