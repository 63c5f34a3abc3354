/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that only look at the tables: they need no configuration and no database. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/catalog.h"
#include "api/document/openapi.h"
#include "api/document/reference.h"
#include "api/stage_list.h"
#include "auth/role.h"
#include "base/error.h"
#include "main/commands.h"
#include "main/node.h"
#include "store/event/event.h"

/* ---- catalog --json: the tables as data, for tests and tools ---- */

static const char *const rule_names[] = {
    [ACCESS_PUBLIC] = "PUBLIC",     [ACCESS_ANY_CALLER] = "ANY_CALLER", [ACCESS_ROLES] = "ROLES",
    [ACCESS_ANYWHERE] = "ANYWHERE", [ACCESS_OPERATOR] = "OPERATOR",
};
static const char *const type_names[] = {
    [TYPE_TEXT] = "text",       [TYPE_INTEGER] = "integer", [TYPE_NUMBER] = "number",
    [TYPE_BOOLEAN] = "boolean", [TYPE_DATE] = "date",       [TYPE_ID] = "id",
    [TYPE_CIDR] = "cidr",       [TYPE_OBJECT] = "object",   [TYPE_LIST] = "list",
};
static const char *const shape_names[] = {
    [SHAPE_ENTITY] = "entity",
    [SHAPE_LIST] = "list",
    [SHAPE_NOTHING] = "nothing",
    [SHAPE_FILE] = "file",
};

static json_t *
role_array(role_set roles)
{
    json_t *array = json_array();
    for (int i = 0; i < ROLE_COUNT; i++) {
        if (roles & role_rows[i].bit)
            json_array_append_new(array, json_string(role_rows[i].name));
    }
    return array;
}

static json_t *
text_array(const char *const *texts)
{
    json_t *array = json_array();
    for (; texts != NULL && *texts != NULL; texts++)
        json_array_append_new(array, json_string(*texts));
    return array;
}

static json_t *field_array(const struct field *fields);

/* The further fields that each value of the field brings. */
static json_t *
variants_object(const struct field_variant *variants)
{
    json_t *object = json_object();
    for (; variants->value != NULL; variants++)
        json_object_set_new(object, variants->value, field_array(variants->further->fields));
    return object;
}

static json_t *
field_array(const struct field *fields)
{
    json_t *array = json_array();
    for (; fields != NULL && fields->name != NULL; fields++) {
        json_t *field = json_pack("{s:s, s:s, s:b, s:b, s:b, s:b, s:I, s:I, s:s?}", "name", fields->name, "type",
                                  type_names[fields->type], "required", fields->flags & REQUIRED, "readOnly",
                                  fields->flags & READ_ONLY, "createOnly", fields->flags & CREATE_ONLY, "nullable",
                                  fields->flags & NULLABLE, "min", (json_int_t)fields->min, "max",
                                  (json_int_t)fields->max, "pattern", fields->pattern);
        json_object_update_new(field,
                               json_pack("{s:s, s:b, s:b}", "doc", fields->doc, "writeOnly", fields->flags & WRITE_ONLY,
                                         "deprecated", fields->flags & DEPRECATED_FIELD));
        if (fields->fallback != NULL)
            json_object_set_new(field, "default", json_loads(fields->fallback, JSON_DECODE_ANY, NULL));
        if (fields->example != NULL)
            json_object_set_new(field, "example", json_loads(fields->example, JSON_DECODE_ANY, NULL));
        if (fields->one_of != NULL)
            json_object_set_new(field, "oneOf", text_array(fields->one_of));
        if (fields->short_flag != NULL)
            json_object_set_new(field, "shortFlag", json_string(fields->short_flag));
        if (fields->type == TYPE_LIST && fields->of == NULL)
            json_object_set_new(field, "item", json_string(type_names[fields->item]));
        if (fields->of != NULL)
            json_object_set_new(field, "of", field_array(fields->of->fields));
        if (fields->short_form != NULL)
            json_object_set_new(field, "shortForm", json_string(fields->short_form));
        if (fields->variants != NULL)
            json_object_set_new(field, "variants", variants_object(fields->variants));
        json_array_append_new(array, field);
    }
    return array;
}

/* How to call it, in a shell. */
static json_t *
curl_text(const struct endpoint *e)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL)
        return json_null();
    reference_curl(e, out);
    fclose(out);
    json_t *json = json_stringn(text, length);
    free(text);
    return json;
}

static json_t *
path_parameter_array(struct arena *arena, const struct endpoint *e)
{
    json_t *array = json_array();
    str rest = str_from(e->path), name;
    while (path_next_parameter(&rest, &name)) {
        str doc = path_parameter_doc(arena, e, name);
        json_array_append_new(array, json_pack("{s:s%, s:s%}", "name", name.data, name.len, "doc", doc.data, doc.len));
    }
    return array;
}

/* What a person wants to know about it and a test does not. */
static json_t *
documentation_object(const struct catalog *catalog, struct arena *arena, const struct endpoint *e)
{
    const struct family *family = catalog_family(catalog, e);
    const struct set_row *set = &set_rows[e->set];
    str who = access_text(arena, &e->access);
    return json_pack("{s:s, s:s, s:s, s:s, s:s%, s:s?, s:b, s:b, s:{s:s, s:I, s:I, s:i}, s:o, s:o}", "summary",
                     e->summary, "description", e->description, "familyTitle", family->title, "familyDoc", family->doc,
                     "who", who.data, who.len, "waitsFor", endpoint_is_complete(e) ? NULL : e->waits_for, "deprecated",
                     e->flags & DEPRECATED, "alsoV1", e->flags & ALSO_V1, "bucket", "title", set->title, "capacity",
                     (json_int_t)set->capacity, "refill", (json_int_t)set->refill, "periodSeconds", REFILL_PERIOD_S,
                     "pathParameters", path_parameter_array(arena, e), "curl", curl_text(e));
}

static json_t *
operation_object(const struct catalog *catalog, struct arena *arena, const struct endpoint *e)
{
    json_t *operation = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:{s:s, s:o}, s:s, s:s, s:i, s:s}", "method", method_names[e->method], "path",
        e->path, "set", set_rows[e->set].label, "scope", scope_names[set_rows[e->set].scope], "operation", e->operation,
        "family", catalog_family(catalog, e)->name, "access", "rule", rule_names[e->access.rule], "roles",
        role_array(e->access.roles), "status", endpoint_status(e), "shape", shape_names[e->shape], "success",
        (int)endpoint_success_status(e), "versions", e->since != NULL ? e->since : "2023-01-01");
    if (e->request != NULL)
        json_object_set_new(operation, "request", field_array(e->request->fields));
    json_object_set_new(operation, "bodyIsList", json_boolean(e->flags & BODY_IS_LIST));
    json_object_set_new(operation, "losesData", json_boolean(e->flags & LOSES_DATA));
    json_object_set_new(operation, "saysWhatGoesAlong", json_boolean(e->tried != NULL));
    if (e->response != NULL)
        json_object_set_new(operation, "response", field_array(e->response->fields));
    if (e->example != NULL)
        json_object_set_new(operation, "example", json_loads(e->example, 0, NULL));
    json_object_set_new(operation, "query", field_array(e->query));
    json_object_set_new(operation, "pathFields", field_array(e->path_fields));
    if (e->refuses != 0)
        json_object_set_new(operation, "refuses", json_string(error_rows[e->refuses].name));
    json_object_set_new(operation, "described", json_boolean(endpoint_is_described(e)));
    json_object_update_new(operation, documentation_object(catalog, arena, e));
    return operation;
}

static void
print_json(json_t *json)
{
    json_dumpf(json, stdout, JSON_INDENT(1));
    putchar('\n');
    json_decref(json);
}

int
command_catalog(int argc, char **argv)
{
    struct option_value options[] = {
        { "--tsv", "Set, bucket, method and path of every operation, separated by tabs.", .is_flag = true },
        { "--status", "Which operations are complete, and what the others wait for.", .is_flag = true },
        { "--json", "Everything in the tables: sentences, access, fields, bounds.", .is_flag = true },
        { "--operator", "The operations of the operator's API instead of the tenants' API.", .is_flag = true },
        { "--stages", "What happens to a request, stage by stage.", .is_flag = true },
        { "--agent", "With --stages: the stages of a host's request.", .is_flag = true },
    };
    int status;
    if (!read_options(argc, argv, "catalog [--tsv | --status | --json | --stages] [--operator | --agent]", options,
                      LENGTH(options), NULL, &status))
        return status;
    const struct catalog *catalog = options[3].value != NULL ? node_operator_catalog(stderr) : node_catalog(stderr);
    if (catalog == NULL)
        return 1;
    if (options[4].value != NULL) {
        stage_list_print(options[5].value != NULL   ? &agent_stages
                         : options[3].value != NULL ? &operator_stages
                                                    : &tenant_stages,
                         stdout);
    } else if (options[0].value != NULL) {
        catalog_print_tsv(catalog, stdout);
    } else if (options[2].value != NULL) {
        struct arena *arena CLEANUP(arena_cleanup) = arena_new(8 * 1024 * 1024);
        if (arena == NULL)
            return 1;
        json_t *array = json_array();
        for (size_t i = 0; i < catalog_count(catalog); i++)
            json_array_append_new(array, operation_object(catalog, arena, catalog_at(catalog, i)));
        print_json(array);
    } else {
        catalog_print_status(catalog, stdout);
    }
    return 0;
}

/* ---- roles, errors, events: one table each, a line or an object a row ---- */

struct table {
    const char *usage;
    int count;
    void (*print)(int row);
    json_t *(*object)(int row);
};

static int
show_table(int argc, char **argv, const struct table *table)
{
    struct option_value options[] = { { "--json", "As JSON.", .is_flag = true } };
    int status;
    if (!read_options(argc, argv, table->usage, options, LENGTH(options), NULL, &status))
        return status;
    if (options[0].value == NULL) {
        for (int i = 0; i < table->count; i++)
            table->print(i);
        return 0;
    }
    json_t *array = json_array();
    for (int i = 0; i < table->count; i++)
        json_array_append_new(array, table->object(i));
    print_json(array);
    return 0;
}

static void
print_role(int row)
{
    printf("%-34s %s\n", role_rows[row].name, role_rows[row].text);
}

static json_t *
role_object(int row)
{
    const struct role_row *role = &role_rows[row];
    return json_pack("{s:s, s:s, s:b, s:o, s:o}", "name", role->name, "text", role->text, "ofProject",
                     role_is_of_project(role->bit), "implies", role_array(role_closure(role->bit)), "impliesDirectly",
                     role_array(role->implies));
}

int
command_roles(int argc, char **argv)
{
    return show_table(argc, argv, &(struct table){ "roles [--json]", ROLE_COUNT, print_role, role_object });
}

static void
print_error_code(int row)
{
    printf("%u %-28s %s\n", error_rows[row].status, error_rows[row].name, error_rows[row].remedy);
}

static json_t *
error_object(int row)
{
    const struct error_row *code = &error_rows[row];
    return json_pack("{s:s, s:i, s:s, s:s, s:s}", "code", code->name, "status", (int)code->status, "reason",
                     error_reason(code->status), "detail", code->detail, "remedy", code->remedy);
}

int
command_errors(int argc, char **argv)
{
    return show_table(argc, argv,
                      &(struct table){ "errors [--json]", ERROR_CODE_COUNT, print_error_code, error_object });
}

static void
print_event(int row)
{
    printf("%-32s %s\n", event_rows[row].name, event_rows[row].sentence);
}

static json_t *
event_object(int row)
{
    return json_pack("{s:s, s:s}", "name", event_rows[row].name, "sentence", event_rows[row].sentence);
}

int
command_events(int argc, char **argv)
{
    return show_table(argc, argv, &(struct table){ "events [--json]", EVENT_TYPE_COUNT, print_event, event_object });
}

int
command_openapi(int argc, char **argv)
{
    struct option_value options[] = {
        { "--base-url", "Where the API is served.", .value = "https://localhost:8443" },
    };
    int status;
    if (!read_options(argc, argv, "openapi [--base-url URL]", options, LENGTH(options), NULL, &status))
        return status;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(256 * 1024 * 1024);
    const struct catalog *catalog = node_catalog(stderr);
    if (arena == NULL || catalog == NULL)
        return 1;
    str document = openapi_document(arena, catalog, str_from(options[0].value));
    printf("%.*s\n", STR_ARG(document));
    return document.len > 0 ? 0 : 1;
}

int
command_reference(int argc, char **argv)
{
    const char *folder = NULL;
    int status;
    if (!read_options(argc, argv, "reference FOLDER", NULL, 0, &folder, &status))
        return status;
    const struct catalog *catalog = node_catalog(stderr);
    if (folder == NULL || catalog == NULL) {
        fprintf(stderr, "reeved reference: name the folder to write into\n");
        return 2;
    }
    const struct catalog *operators = node_operator_catalog(stderr);
    return operators == NULL ? 1 : reference_write(catalog, operators, folder);
}
