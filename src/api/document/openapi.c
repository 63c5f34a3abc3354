/* SPDX-License-Identifier: Apache-2.0 */
#include "api/document/openapi.h"

#include "api/document/openapi_parts.h"
#include "api/validate.h"
#include "base/json.h"

/* ---- Building ---- */
void
put(struct openapi *o, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0)
        o->failed = true;
}

void
put_str(struct openapi *o, json_t *object, const char *key, str text)
{
    put(o, object, key, json_stringn(text.data, text.len));
}

void
put_text(struct openapi *o, json_t *object, const char *key, const char *text)
{
    put_str(o, object, key, str_from(text));
}

void
push(struct openapi *o, json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) != 0)
        o->failed = true;
}

json_t *
ref(struct openapi *o, const char *section, const char *name)
{
    json_t *reference = json_object();
    put_str(o, reference, "$ref", str_format(o->arena, "#/components/%s/%s", section, name));
    return reference;
}

/* ---- Words ---- */
str
words_of_name(struct arena *arena, str name)
{
    struct buf out = buf_in(arena, 256);
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];
        if (c >= 'A' && c <= 'Z') {
            buf_add_char(&out, ' ');
            c = (char)(c - 'A' + 'a');
        }
        buf_add_char(&out, c);
    }
    return buf_str(&out);
}

/* The sentence of its field, and which texts it can be. */
static str
doc_of_form(struct arena *arena, const struct field *form)
{
    struct buf out = buf_in(arena, 4096);
    buf_add_text(&out, form->doc);
    for (const char *const *one = form->one_of; one != NULL && *one != NULL; one++)
        buf_format(&out, "%s%s%s", one == form->one_of ? " One of " : ", ", *one, one[1] == NULL ? "." : "");
    return buf_str(&out);
}

str
path_parameter_doc(struct arena *arena, const struct endpoint *endpoint, str name)
{
    const struct field *form = field_find(endpoint->path_fields, name);
    if (form != NULL)
        return doc_of_form(arena, form);
    static const struct {
        const char *name, *doc;
    } known[] = {
        { "groupId", "Identifier of the project, 24 hexadecimal digits." },
        { "orgId", "Identifier of the organization, 24 hexadecimal digits." },
        { "id", "Identifier of the entity." },
        { "name", "Name of the entity." },
        { "username", "Name of the user." },
        { "hostname", "Name of the host." },
        { "entryValue", "Address or CIDR block; write the slash of a block as %2F." },
        { "ipAddress", "Address or CIDR block; write the slash of a block as %2F." },
        { "clientId", "Client identifier of the service account." },
        { "apiUserId", "Identifier of the API key." },
        { "processId", "Host and port of the process, separated by a colon." },
        { "token", "Token that the request for the report returned." },
    };
    for (size_t i = 0; i < LENGTH(known); i++) {
        if (str_is(name, known[i].name))
            return str_from(known[i].doc);
    }
    str words = words_of_name(arena, name);
    if (str_ends_with(words, STR(" id")))
        return str_format(arena, "Identifier of the %.*s.", (int)words.len - 3, words.data);
    if (str_ends_with(words, STR(" name")))
        return str_format(arena, "Name of the %.*s.", (int)words.len - 5, words.data);
    return str_format(arena, "The %.*s.", STR_ARG(words));
}

bool
path_next_parameter(str *rest, str *ret_name)
{
    if (str_find(*rest, '{') < 0)
        return false;
    str_cut(rest, '{');
    *ret_name = str_cut(rest, '}');
    return true;
}

str
access_text(struct arena *arena, const struct access *access)
{
    str roles = role_set_text(arena, access->roles);
    switch (access->rule) {
    case ACCESS_PUBLIC: return STR("anybody, without credentials");
    case ACCESS_OPERATOR: return STR("operators, with a token that `reeved operator add` made");
    case ACCESS_ROLES: return str_format(arena, "callers with %.*s or a role that implies it", STR_ARG(roles));
    case ACCESS_ANYWHERE:
        return str_format(arena, "callers with %.*s, or a role that implies it, in any organization or project",
                          STR_ARG(roles));
    default: return STR("anybody with valid credentials");
    }
}

/* ---- The document ---- */
#define INTRODUCTION                                                                                                    \
    "Reeve administers database deployments: organizations, projects, clusters, database users, backups, networking, "  \
    "monitoring, alerts, teams and invoices.\n\n"                                                                       \
    "Versions are dates. `Accept: application/vnd.svc.2025-03-12+json` asks for every resource as it was on that day; " \
    "without a date the newest version is served.\n\n"                                                                  \
    "A field that is unknown, or that a request may not set, is refused; the error names it. Errors have exactly the "  \
    "fields of the schema Error.\n\n"                                                                                   \
    "Requests that cannot be understood at all are answered with 405, 408, 414 or 431 and the same error document.\n\n" \
    "`envelope=true` puts the status beside the content of every answer, errors included: `{\"status\": 200, "          \
    "\"content\": …}`; a list gets a field `status` instead."

static json_t *
info(struct openapi *o)
{
    (void)o;
    return json_pack("{s:s,s:s,s:s,s:{s:s,s:s}}", "title", "Reeve Administration API", "version", REEVE_VERSION,
                     "description", INTRODUCTION, "license", "name", "Apache-2.0", "identifier", "Apache-2.0");
}

static json_t *
tags(struct openapi *o)
{
    json_t *all = json_array();
    for (const struct family *const *f = catalog_families(o->catalog); *f != NULL; f++)
        push(o, all, json_pack("{s:s,s:s}", "name", (*f)->title, "description", (*f)->doc));
    return all;
}

static bool
differ_only_in_names(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        if (*a == '{') {
            a = strchr(a, '}');
            b = strchr(b, '}');
        }
        a++;
        b++;
    }
    return *a == *b;
}

/* To OpenAPI two templates that differ only in the names of their parameters are one path; the first name stays. */
static const char *
path_as_known(json_t *paths, const char *path)
{
    const char *known;
    json_t *item;
    json_object_foreach(paths, known, item)
    {
        if (differ_only_in_names(known, path))
            return known;
    }
    return path;
}

static json_t *
paths(struct openapi *o)
{
    static const char *const members[METHOD_COUNT] = {
        [GET] = "get", [POST] = "post", [PUT] = "put", [PATCH] = "patch", [DELETE] = "delete",
    };
    json_t *all = json_object();
    for (size_t i = 0; i < catalog_count(o->catalog); i++) {
        const struct endpoint *e = catalog_at(o->catalog, i);
        const char *path = e->path[0] == '\0' ? "/" : path_as_known(all, e->path);
        if (json_object_get(all, path) == NULL)
            put(o, all, path, json_object());
        put(o, json_object_get(all, path), members[e->method], openapi_operation(o, e, path));
    }
    return all;
}

static json_t *
error_schema(struct openapi *o)
{
    json_t *codes = json_array();
    for (int i = 0; i < ERROR_CODE_COUNT; i++)
        push(o, codes, json_string(error_rows[i].name));
    json_t *properties = json_pack(
        "{s:{s:s,s:s}, s:{s:s,s:i,s:i,s:s}, s:{s:s,s:o,s:s}, s:{s:s,s:{s:[s,s]},s:s}, s:{s:s,s:s}}",    /* */
        "detail", "type", "string", "description", "What went wrong, for a person.",                    /* */
        "error", "type", "integer", "minimum", 400, "maximum", 599, "description", "The status.",       /* */
        "errorCode", "type", "string", "enum", codes, "description", "What went wrong, for a program.", /* */
        "parameters", "type", "array", "items", "type", "string", "integer", "description",
        "The values in the detail; their meaning depends on errorCode. Behind them, for each other field of the body that is "
        "wrong: the field, and what to change.", /* */
        "reason", "type", "string", "description", "The standard text of the status.");
    return json_pack("{s:s,s:s,s:[s,s,s,s,s],s:o,s:b}", "type", "object", "description", "Every error has this form.",
                     "required", "detail", "error", "errorCode", "parameters", "reason", "properties", properties,
                     "additionalProperties", 0);
}

static void
add_common_schemas(struct openapi *o)
{
    put(o, o->schemas, "Error", error_schema(o));
    put(o, o->schemas, "Link",
        json_pack("{s:s,s:s,s:[s,s],s:{s:{s:s,s:s},s:{s:s,s:s,s:s}},s:b}", "type", "object", "description",
                  "A relation to another resource.", "required", "rel", "href", "properties", "rel", "type", "string",
                  "description", "Name of the relation, such as self.", "href", "type", "string", "format", "uri",
                  "description", "Where it leads.", "additionalProperties", 0));
    put(o, o->schemas, "Links",
        json_pack("{s:s,s:s,s:o,s:b}", "type", "array", "description",
                  "Relations of the entity to others; at least self. An item of a list has only self.", "items",
                  ref(o, "schemas", "Link"), "readOnly", 1));
}

static json_t *
security_schemes(struct openapi *o)
{
    str token_url = str_format(o->arena, "%.*s/api/oauth/token", STR_ARG(o->base_url));
    return json_pack(
        "{s:{s:s,s:s,s:{s:{s:s,s:{}}}},s:{s:s,s:s,s:s}}", "serviceAccount", "type", "oauth2", "description",
        "A service account fetches a token with its client id and secret and sends it as a bearer token.", "flows",
        "clientCredentials", "tokenUrl", token_url.data, "scopes", "apiKey", "type", "http", "scheme", "digest",
        "description",
        "An API key: the public key is the user name, the private key is the password. The private key is never "
        "sent.");
}

static json_t *
components(struct openapi *o)
{
    json_t *all = json_object();
    put(o, all, "schemas", json_incref(o->schemas));
    put(o, all, "parameters", openapi_parameters(o));
    put(o, all, "headers", openapi_headers(o));
    put(o, all, "responses", openapi_error_responses(o));
    put(o, all, "securitySchemes", security_schemes(o));
    return all;
}

/* So that a page can say which role is missing, and whether one that the caller has is as good: every role with all that it implies. */
static json_t *
role_implications(struct openapi *o)
{
    json_t *all = json_object();
    for (int i = 0; i < ROLE_COUNT; i++) {
        role_set closure = role_closure(role_rows[i].bit);
        json_t *implied = json_array();
        for (int k = 0; k < ROLE_COUNT; k++) {
            if (k != i && (closure & role_rows[k].bit) != 0)
                push(o, implied, json_string(role_rows[k].name));
        }
        put(o, all, role_rows[i].name, implied);
    }
    return all;
}

str
openapi_document(struct arena *arena, const struct catalog *catalog, str base_url)
{
    struct openapi *o = ARENA_NEW(arena, struct openapi);
    json_t *document = json_in(arena, json_object());
    if (o == NULL || document == NULL)
        return STR_EMPTY;
    *o = (struct openapi){ .arena = arena, .catalog = catalog, .base_url = base_url, .schemas = json_object() };
    add_common_schemas(o);
    str server = str_format(arena, "%.*s/api/svc/v2", STR_ARG(base_url));
    put_text(o, document, "openapi", "3.1.0");
    put(o, document, "info", info(o));
    put(o, document, "servers", json_pack("[{s:s,s:s}]", "url", server.data, "description", "This deployment."));
    put(o, document, "security", json_pack("[{s:[]},{s:[]}]", "serviceAccount", "apiKey"));
    put(o, document, "tags", tags(o));
    put(o, document, "x-role-implications", role_implications(o));
    put(o, document, "paths", paths(o));
    put(o, document, "components", components(o)); /* last: the operations add their schemas to it */
    json_decref(o->schemas);
    return o->failed ? STR_EMPTY : json_text(arena, document);
}
