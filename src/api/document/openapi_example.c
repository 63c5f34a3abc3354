/* SPDX-License-Identifier: Apache-2.0 */
/* Examples of answers and parameters, from the field tables: a field's own example, else a plain value of its type. */
#include "api/document/openapi_parts.h"
#include "api/render.h"
#include "api/validate.h"

/* Objects inside objects; a schema may contain itself. */
enum { MAX_DEPTH = 6 };

#define EXAMPLE_ID   "650000000000000000000001"
#define EXAMPLE_DATE "2026-03-12T10:15:30Z"

/* What a text that has no example of its own looks like. Without a row a field that may be missing is left out. */
static const struct {
    const char *name, *text;
} known_texts[] = {
    { "accepterAccountId", "network-team" },
    { "accepterCidr", "10.90.0.0/16" },
    { "accepterVpcId", "backbone" },
    { "accountId", "network-team" },
    { "apiKey", "****1f0c" },
    { "appName", "Reeve" },
    { "build", "1.0.0" },
    { "clientId", "svc_sa_id_" EXAMPLE_ID },
    { "cloudProvider", "ONPREM" },
    { "clusterName", "orders" },
    { "clusterView", EXAMPLE_ID },
    { "collectionName", "orders" },
    { "comment", "office" },
    { "connectionName", "events" },
    { "databaseName", "shop" },
    { "dbMajorVersion", "17" },
    { "dbVersion", "17.6" },
    { "desc", "nightly job" },
    { "description", "Runs deployments" },
    { "endpointSetId", "S17" },
    { "entryValue", "203.0.113.7" },
    { "featureCompatibilityVersion", "17" },
    { "firstName", "Ada" },
    { "groupName", "storefront" },
    { "hostName", "h1.example.org" },
    { "hostname", "h1.example.org" },
    { "indexName", "by_customer" },
    { "instanceName", "orders" },
    { "instanceSize", "M10" },
    { "integrationType", "WEBHOOK" },
    { "interfaceEndpointId", "endpoint-1" },
    { "interfaceEndpointName", "endpoint-1" },
    { "inviterUsername", "grace@example.org" },
    { "ipAddress", "203.0.113.7" },
    { "lastName", "Lovelace" },
    { "limitName", "project.users" },
    { "logName", "postgres" },
    { "name", "orders" },
    { "namespace", "shop.orders" },
    { "orgName", "Example" },
    { "processId", "h1.example.org:5432" },
    { "processorName", "totals" },
    { "providerAccountId", "network-team" },
    { "publicKey", "abcdefgh" },
    { "queryShapeHash", "0123456789abcdef" },
    { "regionName", "EU_NORTH" },
    { "replicaSetName", "orders" },
    { "requesterAccountId", "network-team" },
    { "requesterCidr", "10.90.0.0/16" },
    { "requesterVpcId", "backbone" },
    { "roleName", "auditor" },
    { "skuId", "MEMBER_M10" },
    { "sku", "MEMBER_M10" },
    { "teamName", "platform" },
    { "tenantName", "lake" },
    { "timeZoneId", "Etc/UTC" },
    { "token", "d7e43b6a0f2c4f6c8a91b5e3c7d20f14d7e43b6a0f2c4f6c8a91b5e3c7d20f14" },
    { "updatedUser", "ada@example.org" },
    { "userAlias", "h1.example.org" },
    { "userName", "ada@example.org" },
    { "username", "ada@example.org" },
    { "version", "17" },
};

static const char *
known_text(str name)
{
    for (size_t i = 0; i < LENGTH(known_texts); i++) {
        if (str_is(name, known_texts[i].name))
            return known_texts[i].text;
    }
    return NULL;
}

static json_t *object_example(struct openapi *o, const struct schema *schema, int depth);

static json_t *
number_example(const struct field *field)
{
    if (field_has_min(field) && field->min > 0)
        return json_integer(field->min);
    return json_integer(field_has_max(field) && field->max < 1 ? field->max : 1);
}

/* NULL: there is nothing to show, and it may be missing, or the list empty. */
static json_t *
text_example(const struct field *field)
{
    const char *text = field->one_of != NULL ? field->one_of[0] : known_text(str_from(field->name));
    if (text == NULL && (field->flags & ALWAYS) != 0 && field->type == TYPE_TEXT)
        text = "text";
    return text == NULL ? NULL : json_string(text);
}

static json_t *
scalar_example(const struct field *field, enum field_type type)
{
    switch (type) {
    case TYPE_INTEGER:
    case TYPE_NUMBER: return number_example(field);
    case TYPE_BOOLEAN: return json_true();
    case TYPE_DATE: return json_string(EXAMPLE_DATE);
    case TYPE_ID: return json_string(EXAMPLE_ID);
    case TYPE_CIDR: return json_string("203.0.113.0/24");
    case TYPE_OBJECT: return json_object();
    default: return text_example(field);
    }
}

static json_t *
list_example(struct openapi *o, const struct field *field, int depth)
{
    json_t *list = json_array(), *item = NULL;
    if (field->of == NULL)
        item = scalar_example(field, field->item);
    else if (depth < MAX_DEPTH)
        item = object_example(o, field->of, depth + 1);
    if (item != NULL)
        push(o, list, item);
    return list;
}

static json_t *
field_example(struct openapi *o, const struct field *field, int depth)
{
    if (field->example != NULL)
        return json_loads(field->example, JSON_DECODE_ANY, NULL);
    if (field->fallback != NULL)
        return json_loads(field->fallback, JSON_DECODE_ANY, NULL);
    if (field->type == TYPE_LIST)
        return list_example(o, field, depth);
    if (field->type == TYPE_OBJECT && field->of != NULL)
        return depth < MAX_DEPTH ? object_example(o, field->of, depth + 1) : NULL;
    return scalar_example(field, field->type);
}

static void
add_fields(struct openapi *o, const struct field *fields, json_t *object, int depth)
{
    for (const struct field *f = fields; f != NULL && f->name != NULL; f++) {
        if ((f->flags & (WRITE_ONLY | DEPRECATED_FIELD)) != 0 && (f->flags & ALWAYS) == 0)
            continue;
        json_t *value = field_example(o, f, depth);
        if (value != NULL)
            put(o, object, f->name, value);
    }
}

static json_t *
object_example(struct openapi *o, const struct schema *schema, int depth)
{
    json_t *object = json_object();
    const struct field *decides = field_that_decides(schema->fields);
    add_fields(o, schema->fields, object, depth);
    if (decides != NULL) {
        const char *kind = json_string_value(json_object_get(object, decides->name));
        add_fields(o, field_variant(decides, str_from(kind == NULL ? decides->variants->value : kind)), object, depth);
    }
    return object;
}

/* ---- Parameters and links ---- */
json_t *
openapi_path_example(const struct endpoint *e, str name)
{
    const struct field *form = field_find(e->path_fields, name);
    if (form != NULL && form->example != NULL)
        return json_loads(form->example, JSON_DECODE_ANY, NULL);
    if (form != NULL && (form->one_of != NULL || form->type != TYPE_TEXT))
        return scalar_example(form, form->type);
    const char *text = known_text(name);
    return json_string(text == NULL ? EXAMPLE_ID : text);
}

/* [{"rel": "self", "href": …}]; the parameters of the template are those of the examples. */
static json_t *
self_links(struct openapi *o, const struct endpoint *e, const char *template)
{
    struct buf out = buf_in(o->arena, 16 * 1024);
    buf_format(&out, "%.*s%s", STR_ARG(o->base_url), API_PREFIX);
    for (const char *c = template; *c != '\0'; c++) {
        if (*c != '{') {
            buf_add_char(&out, *c);
            continue;
        }
        const char *end = strchr(c, '}');
        json_t *value = openapi_path_example(e, (str){ c + 1, (size_t)(end - c - 1) });
        buf_add_text(&out, json_is_string(value) ? json_string_value(value) : "1");
        json_decref(value);
        c = end;
    }
    return json_pack("[{s:s,s:s}]", "rel", "self", "href", buf_str(&out).data);
}

json_t *
openapi_answer_example(struct openapi *o, const struct endpoint *e)
{
    json_t *entity = object_example(o, e->response, 0);
    bool is_created = e->method == POST && e->item != NULL;
    const char *own = e->shape == SHAPE_LIST || is_created ? e->item : e->path;
    put(o, entity, "links", self_links(o, e, own == NULL ? e->path : own));
    if (e->shape != SHAPE_LIST)
        return entity;
    return json_pack("{s:[o],s:i,s:o}", "results", entity, "totalCount", 1, "links", self_links(o, e, e->path));
}

/* ---- Errors ---- */
static error
error_of_status(struct arena *arena, unsigned status)
{
    static const char project[] = API_PREFIX "/groups/" EXAMPLE_ID;
    switch (status) {
    case 400: return fail(arena, MISSING_ATTRIBUTE, V("name"));
    case 401: return fail(arena, NOT_AUTHENTICATED);
    case 403: return fail(arena, MISSING_ROLE, V("GROUP_OWNER"));
    case 404: return fail(arena, RESOURCE_NOT_FOUND, V(project));
    case 406: return fail(arena, NOT_ACCEPTABLE, V("text/html"));
    case 409: return fail(arena, DUPLICATE_NAME, V("name"), V("orders"));
    case 412: return fail(arena, PRECONDITION_FAILED, V("\"3\""));
    case 413: return fail(arena, BODY_TOO_LARGE, V(1048576));
    case 415: return fail(arena, UNSUPPORTED_MEDIA_TYPE, V("text/plain"));
    case 422: return fail(arena, IDEMPOTENCY_KEY_REUSED, V("orders-1"));
    case 429: return fail(arena, RATE_LIMITED_TOKEN_BUCKET, V("S17"), V(3), V(600), V(200), V(60));
    case 501: return fail(arena, NOT_IMPLEMENTED, V("GET"), V(project));
    case 503: return fail(arena, OVERLOADED);
    default: return fail(arena, INTERNAL_ERROR);
    }
}

json_t *
openapi_error_example(struct openapi *o, unsigned status)
{
    return json_loads(error_document(o->arena, error_of_status(o->arena, status)).data, 0, NULL);
}
