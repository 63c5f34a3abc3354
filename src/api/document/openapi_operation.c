/* SPDX-License-Identifier: Apache-2.0 */
/* One operation of the OpenAPI document from its row in the catalog. */
#include "api/document/openapi.h"
#include "api/document/openapi_parts.h"
#include "api/media.h"
#include "api/query.h"
#include "api/sign_in/step_up.h"
#include "api/validate.h"

static bool
has_path_parameters(const struct endpoint *e)
{
    return strchr(e->path, '{') != NULL;
}

static bool
has_etag(const struct endpoint *e)
{
    return e->shape == SHAPE_ENTITY && (e->flags & NO_ETAG) == 0;
}

static bool
takes_body(const struct endpoint *e)
{
    if (e->request != NULL)
        return true;
    /* What has no tables yet: a POST, PUT or PATCH will surely take something. */
    return !endpoint_is_described(e) && (e->method == POST || e->method == PUT || e->method == PATCH);
}

/* ---- Parameters ---- */
static const struct {
    const char *component, *name, *doc;
} header_parameters[] = {
    { "IdempotencyKey", "Idempotency-Key",
      "A unique name that the client chooses for this request. A repetition with the same key has no second effect "
      "and gets the first answer again." },
    { "IfMatch", "If-Match",
      "ETag of the entity as the client knows it; if the entity has another one now, the change is refused with "
      "412." },
    { "IfNoneMatch", "If-None-Match",
      "ETag of the entity as the client knows it; if it is still the same, the answer is 304." },
    { "LastEventId", "Last-Event-ID",
      "With `Accept: text/event-stream`: id of the last message that the client has. The stream continues after "
      "it." },
};

/* What changes an entity that is there: the methods for that, and a verb on it ("/users/{userId}:addRole"). */
static bool
takes_if_match(const struct endpoint *e)
{
    if (e->method == POST)
        return strstr(e->path, "}:") != NULL;
    return e->method == PUT || e->method == PATCH || e->method == DELETE;
}

static bool
header_applies(size_t which, const struct endpoint *e)
{
    switch (which) {
    case 0: return e->method == POST;
    case 1: return takes_if_match(e);
    case 2: return e->method == GET && has_etag(e);
    default: return e->feed != NULL;
    }
}

static const char *
component_of_common(struct openapi *o, const struct common_parameter *common)
{
    char *name = (char *)str_dup(o->arena, str_from(common->field.name)).data;
    if (name[0] >= 'a' && name[0] <= 'z')
        name[0] = (char)(name[0] - 'a' + 'A');
    return name;
}

static json_t *
query_parameter(struct openapi *o, const struct field *field)
{
    json_t *parameter = json_object();
    put_text(o, parameter, "name", field->name);
    put_text(o, parameter, "in", "query");
    put_text(o, parameter, "description", field->doc);
    if ((field->flags & REQUIRED) != 0)
        put(o, parameter, "required", json_true());
    if ((field->flags & DEPRECATED_FIELD) != 0)
        put(o, parameter, "deprecated", json_true());
    put(o, parameter, "schema", parameter_schema(o, field));
    if (field->example != NULL)
        put(o, parameter, "example", json_loads(field->example, JSON_DECODE_ANY, NULL));
    return parameter;
}

json_t *
openapi_parameters(struct openapi *o)
{
    json_t *parameters = json_object();
    for (size_t i = 0; i < LENGTH(common_parameters); i++)
        put(o, parameters, component_of_common(o, &common_parameters[i]),
            query_parameter(o, &common_parameters[i].field));
    for (size_t i = 0; i < LENGTH(header_parameters); i++) {
        put(o, parameters, header_parameters[i].component,
            json_pack("{s:s,s:s,s:s,s:{s:s}}", "name", header_parameters[i].name, "in", "header", "description",
                      header_parameters[i].doc, "schema", "type", "string"));
    }
    return parameters;
}

static json_t *
schema_of_path_parameter(struct openapi *o, const struct endpoint *e, str name)
{
    const struct field *form = field_find(e->path_fields, name);
    if (form != NULL)
        return parameter_schema(o, form);
    if (str_is(name, "groupId") || str_is(name, "orgId"))
        return json_pack("{s:s,s:s}", "type", "string", "pattern", "^[0-9a-f]{24}$");
    return json_pack("{s:s,s:i}", "type", "string", "minLength", 1);
}

static json_t *
path_parameter(struct openapi *o, const struct endpoint *e, str name)
{
    json_t *parameter = json_object();
    put_str(o, parameter, "name", name);
    put_text(o, parameter, "in", "path");
    put(o, parameter, "required", json_true());
    put_str(o, parameter, "description", path_parameter_doc(o->arena, e, name));
    put(o, parameter, "schema", schema_of_path_parameter(o, e, name));
    put(o, parameter, "example", openapi_path_example(e, name));
    return parameter;
}

static json_t *
parameters_of(struct openapi *o, const struct endpoint *e, const char *path)
{
    json_t *parameters = json_array();
    str rest = str_from(path), name;
    while (path_next_parameter(&rest, &name))
        push(o, parameters, path_parameter(o, e, name));
    for (const struct field *f = e->query; f != NULL && f->name != NULL; f++)
        push(o, parameters, query_parameter(o, f));
    for (size_t i = 0; i < LENGTH(common_parameters); i++) {
        if (common_applies(&common_parameters[i], e))
            push(o, parameters, ref(o, "parameters", component_of_common(o, &common_parameters[i])));
    }
    for (size_t i = 0; i < LENGTH(header_parameters); i++) {
        if (header_applies(i, e))
            push(o, parameters, ref(o, "parameters", header_parameters[i].component));
    }
    return parameters;
}

/* ---- Bodies ---- */
static json_t *
request_body(struct openapi *o, const struct endpoint *e)
{
    static const enum variant variants[METHOD_COUNT] = { [POST] = SENT, [PUT] = REPLACEMENT, [PATCH] = UPDATE };
    json_t *media = json_object();
    json_t *schema =
        e->request == NULL
            ? undescribed_ref(o)
            : schema_ref(o, e->request, e->method == GET || e->method == DELETE ? SENT : variants[e->method]);
    if (e->flags & BODY_IS_LIST)
        schema =
            json_pack("{s:s,s:i,s:i,s:o}", "type", "array", "minItems", 1, "maxItems", BODY_LIST_MAX, "items", schema);
    put(o, media, "schema", schema);
    if (e->example != NULL)
        put(o, media, "example", json_loads(e->example, JSON_DECODE_ANY, NULL));
    return json_pack("{s:b,s:{s:o}}", "required", e->request != NULL, "content", "application/json", media);
}

static const struct {
    const char *component, *name, *type, *doc;
} headers[] = {
    { "RequestId", "X-Request-Id", "string", "Identifies this request in the service's logs." },
    { "ETag", "ETag", "string", "Changes with every change of the entity; for If-Match and If-None-Match." },
    { "RateLimitLimit", "RateLimit-Limit", "integer", "Capacity of the request's bucket." },
    { "RateLimitRemaining", "RateLimit-Remaining", "integer", "Tokens left in that bucket." },
    { "RetryAfter", "Retry-After", "integer", "Seconds to wait before the next attempt." },
    { "Location", "Location", "string", "Address of the entity that was created." },
    { "WWWAuthenticate", "WWW-Authenticate", "string", "The ways to authenticate, among them a Digest challenge." },
};
enum { REQUEST_ID, ETAG, RATE_LIMIT, RATE_REMAINING, RETRY_AFTER, LOCATION, WWW_AUTHENTICATE };

json_t *
openapi_headers(struct openapi *o)
{
    json_t *all = json_object();
    for (size_t i = 0; i < LENGTH(headers); i++)
        put(o, all, headers[i].component,
            json_pack("{s:s,s:{s:s}}", "description", headers[i].doc, "schema", "type", headers[i].type));
    return all;
}

static void
put_header(struct openapi *o, json_t *all, int which)
{
    put(o, all, headers[which].name, ref(o, "headers", headers[which].component));
}

static json_t *
success_headers(struct openapi *o, const struct endpoint *e)
{
    json_t *all = json_object();
    put_header(o, all, REQUEST_ID);
    put_header(o, all, RATE_LIMIT);
    put_header(o, all, RATE_REMAINING);
    if (has_etag(e))
        put_header(o, all, ETAG);
    if (e->method == POST && e->shape == SHAPE_ENTITY && e->item != NULL)
        put_header(o, all, LOCATION);
    return all;
}

/* Every version that can be asked for; they do not differ in their schemas yet. */
static json_t *
success_content(struct openapi *o, const struct endpoint *e)
{
    json_t *content = json_object(), *media = json_object();
    if (e->shape == SHAPE_FILE)
        put(o, media, "schema", json_pack("{s:s}", "description", "The bytes of the file."));
    else if (e->shape == SHAPE_LIST)
        put(o, media, "schema", list_ref(o, e->response));
    else
        put(o, media, "schema", e->response == NULL ? undescribed_ref(o) : schema_ref(o, e->response, RETURNED));
    if (e->response != NULL && e->shape != SHAPE_FILE)
        put(o, media, "example", openapi_answer_example(o, e));
    str versions = str_from(e->since == NULL ? FIRST_VERSION : e->since);
    while (versions.len > 0) {
        str version = str_cut(&versions, ' ');
        str type = str_format(o->arena, "application/vnd.svc.%.*s+%s", STR_ARG(version),
                              e->shape == SHAPE_FILE ? media_file_suffix(e) : "json");
        put(o, content, type.data, json_incref(media));
    }
    json_decref(media);
    if (e->feed != NULL)
        put(o, content, "text/event-stream",
            json_pack("{s:{s:s,s:s}}", "schema", "type", "string", "description",
                      "New items as they come, one message each: `id` is the place, `data` the item."));
    return content;
}

static json_t *
success_response(struct openapi *o, const struct endpoint *e)
{
    json_t *response = json_object();
    str description = str_format(o->arena, "%s.", error_reason(endpoint_success_status(e)));
    if (e->shape == SHAPE_ENTITY)
        description = str_format(o->arena, "%.*s With envelope=true the entity is in `content`, beside `status`.",
                                 STR_ARG(description));
    else if (e->shape == SHAPE_LIST)
        description = str_format(o->arena, "%.*s With envelope=true the list has a field `status` as well.",
                                 STR_ARG(description));
    else if (e->shape == SHAPE_NOTHING && endpoint_success_status(e) == 204)
        description = str_format(o->arena, "%.*s With envelope=true the status is 200, and the body says 204.",
                                 STR_ARG(description));
    put_str(o, response, "description", description);
    put(o, response, "headers", success_headers(o, e));
    if (e->shape != SHAPE_NOTHING)
        put(o, response, "content", success_content(o, e));
    return response;
}

/* ---- Errors ---- */
static const struct {
    unsigned status;
    const char *doc;
} error_responses[] = {
    { 400, "Something is wrong with the request; the detail says what." },
    { 401, "No credentials, wrong credentials, or a caller who does not belong to the organization or project." },
    { 403, "The caller has none of the required roles, or calls from an address that is not on the access list." },
    { 404, "The entity, or the organization or project that the request names, does not exist." },
    { 406, "The version or the media type in Accept is not available." },
    { 409,
      "The request conflicts with something that exists, with another request, or with the settings of the project." },
    { 412, "The entity is no longer what If-Match says." },
    { 413, "The body is too large." },
    { 415, "The body is not JSON." },
    { 422, "The Idempotency-Key was used with another request." },
    { 429, "The rate-limit bucket is empty. Wait as long as Retry-After says." },
    { 500, "The service failed unexpectedly." },
    { 501, "This operation has no behaviour yet." },
    { 503, "The service or its database has no capacity now. Wait as long as Retry-After says." },
};

static bool
names_entity_in_query(const struct endpoint *e)
{
    for (const struct field *f = e->query; f != NULL && f->name != NULL; f++) {
        if (f->type == TYPE_ID)
            return true;
    }
    return false;
}

static bool
error_applies(unsigned status, const struct endpoint *e)
{
    switch (status) {
    case 401:
    case 403: return e->access.rule != ACCESS_PUBLIC;
    case 404: return has_path_parameters(e) || names_entity_in_query(e);
    case 409: return e->method != GET || e->needs != SWITCH_NONE;
    case 412: return takes_if_match(e);
    case 413:
    case 415: return takes_body(e);
    case 422: return e->method == POST;
    case 501: return !endpoint_is_complete(e);
    default: return true;
    }
}

/* "Not Found" as "NotFound" */
static const char *
component_of_status(struct openapi *o, unsigned status)
{
    struct buf out = buf_in(o->arena, 256);
    for (const char *c = error_reason(status); *c != '\0'; c++) {
        if (*c != ' ')
            buf_add_char(&out, *c);
    }
    return buf_str(&out).data;
}

json_t *
openapi_error_responses(struct openapi *o)
{
    json_t *responses = json_object();
    for (size_t i = 0; i < LENGTH(error_responses); i++) {
        unsigned status = error_responses[i].status;
        json_t *all = json_object();
        put_header(o, all, REQUEST_ID);
        if (status == 401)
            put_header(o, all, WWW_AUTHENTICATE);
        if (status == 429 || status == 503 || status == 409)
            put_header(o, all, RETRY_AFTER);
        if (status == 429) {
            put_header(o, all, RATE_LIMIT);
            put_header(o, all, RATE_REMAINING);
        }
        put(o, responses, component_of_status(o, status),
            json_pack("{s:s,s:o,s:{s:{s:o,s:o}}}", "description", error_responses[i].doc, "headers", all, "content",
                      "application/json", "schema", ref(o, "schemas", "Error"), "example",
                      openapi_error_example(o, status)));
    }
    return responses;
}

static json_t *
responses_of(struct openapi *o, const struct endpoint *e)
{
    json_t *responses = json_object();
    unsigned success = endpoint_success_status(e);
    put(o, responses, str_format(o->arena, "%u", success).data, success_response(o, e));
    if (e->tried != NULL) {
        struct endpoint shown = *e;
        shown.shape = SHAPE_ENTITY;
        shown.response = e->tried;
        json_t *tried = success_response(o, &shown);
        put(o, tried, "description", json_string("With dryRun=true: what would go along. Nothing was changed."));
        put(o, responses, "200", tried);
    } else if (success == 201 || success == 202) {
        json_t *tried = success_response(o, e);
        json_object_del(json_object_get(tried, "headers"), "Location");
        put(o, tried, "description",
            json_string("With dryRun=true: what would be answered. Nothing was made, so there is no Location."));
        put(o, responses, "200", tried);
    }
    if (e->method == GET && has_etag(e)) {
        json_t *all = json_object();
        put_header(o, all, REQUEST_ID);
        put_header(o, all, ETAG);
        put(o, responses, "304",
            json_pack("{s:s,s:o}", "description", "The entity still has the ETag of If-None-Match.", "headers", all));
    }
    for (size_t i = 0; i < LENGTH(error_responses); i++) {
        unsigned status = error_responses[i].status;
        if (error_applies(status, e))
            put(o, responses, str_format(o->arena, "%u", status).data,
                ref(o, "responses", component_of_status(o, status)));
    }
    return responses;
}

/* ---- The operation ---- */
static const char *const scope_words[SCOPE_COUNT] = {
    [SCOPE_ORGANIZATION] = "organization",
    [SCOPE_PROJECT] = "project",
    [SCOPE_USER] = "caller",
    [SCOPE_IP] = "address",
};

static str
description_of(struct openapi *o, const struct endpoint *e)
{
    const struct set_row *set = &set_rows[e->set];
    struct buf out = buf_in(o->arena, 16 * 1024);
    str access = access_text(o->arena, &e->access);
    buf_format(&out, "%s\n\nWho may call it: %.*s.", e->description, STR_ARG(access));
    buf_format(&out, "\n\nRate limit: set %s (%s), a bucket of %lld for each %s, refilled with %lld every %d seconds.",
               set->label, set->title, (long long)set->capacity, scope_words[set->scope], (long long)set->refill,
               REFILL_PERIOD_S);
    if ((e->flags & ALSO_V1) != 0)
        buf_format(&out, "\n\nAlso served at /api/svc/v1.0%s, with the same shape.", e->path);
    if (!endpoint_is_complete(e))
        buf_format(&out, "\n\nNot implemented yet: answers 501. It waits for %s.", e->waits_for);
    if (e->refuses != 0)
        buf_format(&out, "\n\nRefused: %s It answers %u %s. %s", error_rows[e->refuses].detail,
                   error_rows[e->refuses].status, error_rows[e->refuses].name, error_rows[e->refuses].remedy);
    return buf_str(&out);
}

static json_t *
roles_of(struct openapi *o, const struct endpoint *e)
{
    json_t *roles = json_array();
    for (int i = 0; i < ROLE_COUNT; i++) {
        if ((e->access.roles & role_rows[i].bit) != 0)
            push(o, roles, json_string(role_rows[i].name));
    }
    return roles;
}

json_t *
openapi_operation(struct openapi *o, const struct endpoint *e, const char *path)
{
    const struct set_row *set = &set_rows[e->set];
    json_t *operation = json_object();
    put(o, operation, "tags", json_pack("[s]", catalog_family(o->catalog, e)->title));
    put_text(o, operation, "operationId", e->operation);
    put_text(o, operation, "summary", e->summary);
    put_str(o, operation, "description", description_of(o, e));
    if ((e->flags & DEPRECATED) != 0)
        put(o, operation, "deprecated", json_true());
    if (e->access.rule == ACCESS_PUBLIC)
        put(o, operation, "security", json_array());
    put(o, operation, "parameters", parameters_of(o, e, path));
    if (takes_body(e))
        put(o, operation, "requestBody", request_body(o, e));
    put(o, operation, "responses", responses_of(o, e));
    put(o, operation, "x-roles", roles_of(o, e));
    put(o, operation, "x-rate-limit",
        json_pack("{s:s,s:s,s:I,s:I,s:i}", "set", set->label, "scope", scope_names[set->scope], "capacity",
                  (json_int_t)set->capacity, "refillRate", (json_int_t)set->refill, "refillDurationSeconds",
                  REFILL_PERIOD_S));
    put_text(o, operation, "x-status", endpoint_status(e));
    /* For pages: what to ask twice about, and what needs the passkey once more. */
    if ((e->flags & LOSES_DATA) != 0)
        put(o, operation, "x-loses-data", json_true());
    if (step_up_is_for(e))
        put(o, operation, "x-step-up", json_true());
    return operation;
}
