/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include "api/document/openapi.h"
#include "api/document/reference.h"
#include "api/validate.h"
#include "auth/role.h"
#include "base/json.h"
#include "family/families.h"

static const struct catalog *catalog;
static struct arena *arena;
static json_t *document;

static int
start(void **state)
{
    (void)state;
    json_init();
    arena = arena_new(64 << 20);
    catalog = catalog_new(all_families, stderr);
    if (arena == NULL || catalog == NULL)
        return 1;
    document = json_parse_own(arena, openapi_document(arena, catalog, STR("https://reeve.example.org")));
    return document == NULL;
}

static int
finish(void **state)
{
    (void)state;
    catalog_free(catalog);
    arena_free(arena);
    return 0;
}

static json_t *
at(json_t *from, const char *a, const char *b)
{
    json_t *found = json_object_get(json_object_get(from, a), b);
    if (found == NULL)
        fail_msg("no %s / %s", a, b);
    return found;
}

static void
document_has_every_operation_once(void **state)
{
    (void)state;
    size_t count = 0;
    const char *path, *method;
    json_t *item, *operation;
    json_object_foreach(json_object_get(document, "paths"), path, item)
    {
        json_object_foreach(item, method, operation)
        {
            count++;
            assert_true(json_is_object(json_object_get(operation, "x-rate-limit")));
            assert_true(json_array_size(json_object_get(operation, "tags")) == 1);
        }
    }
    assert_int_equal(count, catalog_count(catalog));
}

static void
document_is_the_same_every_time(void **state)
{
    (void)state;
    str once = openapi_document(arena, catalog, STR("https://a.example.org"));
    str again = openapi_document(arena, catalog, STR("https://a.example.org"));
    assert_true(once.len > 100000);
    assert_true(str_eq(once, again));
}

/* A page enables a control with this: it must be what the service itself decides with. */
static void
document_says_what_roles_imply(void **state)
{
    (void)state;
    const json_t *all = json_object_get(document, "x-role-implications");
    assert_int_equal(json_object_size(all), ROLE_COUNT);
    for (int i = 0; i < ROLE_COUNT; i++) {
        const json_t *implied = json_object_get(all, role_rows[i].name), *one;
        role_set said = role_rows[i].bit;
        size_t k;
        json_array_foreach(implied, k, one) said |= role_from_name(json_str(one));
        assert_true(said == role_closure(role_rows[i].bit));
    }
}

static void
error_schema_has_exactly_the_five_fields(void **state)
{
    (void)state;
    json_t *schema = at(at(document, "components", "schemas"), "Error", "properties");
    assert_int_equal(json_object_size(schema), 5);
    json_t *error_schema = json_object_get(at(document, "components", "schemas"), "Error");
    assert_int_equal(json_array_size(json_object_get(error_schema, "required")), 5);
    assert_true(json_is_false(json_object_get(error_schema, "additionalProperties")));
    assert_int_equal(json_array_size(at(schema, "errorCode", "enum")), ERROR_CODE_COUNT);
}

/* Walks everything and checks that each $ref leads somewhere. */
static void
check_references(const json_t *value)
{
    const char *key;
    json_t *inner;
    size_t index;
    json_object_foreach((json_t *)value, key, inner)
    {
        if (strcmp(key, "$ref") != 0) {
            check_references(inner);
            continue;
        }
        str rest = json_str(inner);
        json_t *target = document;
        assert_true(str_is(str_cut(&rest, '/'), "#"));
        while (rest.len > 0)
            target = json_object_get(target, str_dup(arena, str_cut(&rest, '/')).data);
        if (target == NULL)
            fail_msg("%s leads nowhere", json_string_value(inner));
    }
    json_array_foreach((json_t *)value, index, inner) check_references(inner);
}

static void
every_reference_leads_somewhere(void **state)
{
    (void)state;
    check_references(document);
}

static void
public_operations_need_no_credentials_and_others_do(void **state)
{
    (void)state;
    size_t open = 0;
    for (size_t i = 0; i < catalog_count(catalog); i++) {
        const struct endpoint *e = catalog_at(catalog, i);
        if (e->access.rule != ACCESS_PUBLIC)
            continue;
        json_t *security = json_object_get(at(json_object_get(document, "paths"), e->path, "get"), "security");
        assert_true(json_is_array(security) && json_array_size(security) == 0);
        open++;
    }
    assert_true(open >= 1);
    assert_null(json_object_get(at(json_object_get(document, "paths"), "/", "get"), "security"));
    assert_int_equal(json_array_size(json_object_get(document, "security")), 2);
}

static const struct endpoint *
find_operation(const char *operation)
{
    for (size_t i = 0; i < catalog_count(catalog); i++) {
        if (strcmp(catalog_at(catalog, i)->operation, operation) == 0)
            return catalog_at(catalog, i);
    }
    fail_msg("no operation %s", operation);
    return NULL;
}

/* The schema alone, or those that it is a choice of. */
static json_t *
kinds_of(json_t *schema)
{
    json_t *kinds = json_in(arena, json_array()), *choices = json_object_get(schema, "oneOf");
    if (choices == NULL)
        choices = json_object_get(schema, "anyOf");
    if (choices == NULL)
        json_array_append(kinds, schema);
    for (size_t i = 0; i < json_array_size(choices); i++) {
        const char *ref = json_string_value(json_object_get(json_array_get(choices, i), "$ref"));
        json_array_append(kinds, at(json_object_get(document, "components"), "schemas", strrchr(ref, '/') + 1));
    }
    return kinds;
}

static void
check_sent(const struct endpoint *e, json_t *schema, unsigned hidden)
{
    json_t *properties = json_object_get(schema, "properties");
    assert_true(json_is_false(json_object_get(schema, "additionalProperties")));
    for (const struct field *f = e->request->fields; f->name != NULL; f++)
        assert_true((json_object_get(properties, f->name) == NULL) == ((f->flags & hidden) != 0));
    if (e->method == PATCH)
        assert_null(json_object_get(schema, "required"));
}

static void
request_schemas_leave_out_what_may_not_be_sent(void **state)
{
    (void)state;
    static const struct {
        enum method method;
        const char *suffix;
        unsigned hidden;
    } cases[] = { { POST, "Input", READ_ONLY },
                  { PUT, "Replacement", READ_ONLY | CREATE_ONLY },
                  { PATCH, "Update", READ_ONLY | CREATE_ONLY } };
    for (size_t i = 0; i < catalog_count(catalog); i++) {
        const struct endpoint *e = catalog_at(catalog, i);
        for (size_t c = 0; c < LENGTH(cases); c++) {
            if (e->request == NULL || e->method != cases[c].method)
                continue;
            str name = str_format(arena, "%s%s", e->request->name, cases[c].suffix);
            json_t *kinds = kinds_of(at(json_object_get(document, "components"), "schemas", name.data));
            for (size_t k = 0; k < json_array_size(kinds); k++)
                check_sent(e, json_array_get(kinds, k), cases[c].hidden);
        }
    }
}

static void
secrets_are_never_in_an_answer(void **state)
{
    (void)state;
    for (size_t i = 0; i < catalog_count(catalog); i++) {
        const struct endpoint *e = catalog_at(catalog, i);
        if (e->response == NULL)
            continue;
        json_t *kinds = kinds_of(json_object_get(at(document, "components", "schemas"), e->response->name));
        for (size_t k = 0; k < json_array_size(kinds); k++) {
            json_t *properties = json_object_get(json_array_get(kinds, k), "properties");
            for (const struct field *f = e->response->fields; f->name != NULL; f++) {
                if ((f->flags & WRITE_ONLY) != 0)
                    assert_null(json_object_get(properties, f->name));
            }
        }
    }
}

/* Two different tables with one name get a number in the document; one of them needs another name. */
static void
names_of_schemas_are_unique(void **state)
{
    (void)state;
    const char *name;
    json_t *schema;
    json_object_foreach(at(document, "components", "schemas"), name, schema)
    {
        char last = name[strlen(name) - 1];
        if (last >= '2' && last <= '9')
            fail_msg("two schemas share a name: %s", name);
    }
}

static void
examples_of_the_tables_pass_validation(void **state)
{
    (void)state;
    static const enum validate_mode modes[METHOD_COUNT] = { [PUT] = VALIDATE_REPLACE, [PATCH] = VALIDATE_UPDATE };
    for (size_t i = 0; i < catalog_count(catalog); i++) {
        const struct endpoint *e = catalog_at(catalog, i);
        if (e->example == NULL || e->request == NULL)
            continue;
        json_t *body;
        error why = json_parse(arena, str_from(e->example), &body);
        if (why == OK)
            why = e->flags & BODY_IS_LIST ? validate_list_body(arena, e->request, body)
                                          : validate_body(arena, e->request, modes[e->method], body);
        if (why != OK)
            fail_msg("example of %s: %s", e->operation, why->detail.data);
    }
}

static void
check_fallbacks(const char *operation, const struct field *fields, int depth)
{
    for (const struct field *f = fields; f != NULL && f->name != NULL; f++) {
        if (f->fallback != NULL && json_parse_own(arena, str_from(f->fallback)) == NULL)
            fail_msg("%s: the default of %s is not JSON: %s", operation, f->name, f->fallback);
        if (f->example != NULL && json_parse_own(arena, str_from(f->example)) == NULL)
            fail_msg("%s: the example of %s is not JSON: %s", operation, f->name, f->example);
        if (f->of != NULL && depth < 8)
            check_fallbacks(operation, f->of->fields, depth + 1);
        for (const struct field_variant *v = f->variants; v != NULL && v->value != NULL; v++)
            check_fallbacks(operation, v->further->fields, depth + 1);
    }
}

static void
defaults_and_examples_of_fields_are_json(void **state)
{
    (void)state;
    for (size_t i = 0; i < catalog_count(catalog); i++) {
        const struct endpoint *e = catalog_at(catalog, i);
        check_fallbacks(e->operation, e->query, 0);
        check_fallbacks(e->operation, e->request == NULL ? NULL : e->request->fields, 0);
        check_fallbacks(e->operation, e->response == NULL ? NULL : e->response->fields, 0);
    }
}

static void
older_prefix_is_mentioned_where_it_serves(void **state)
{
    (void)state;
    const struct endpoint *v1 = NULL;
    for (size_t i = 0; i < catalog_count(catalog); i++) {
        if ((catalog_at(catalog, i)->flags & ALSO_V1) != 0)
            v1 = catalog_at(catalog, i);
    }
    assert_non_null(v1);
    assert_int_equal(v1->method, PATCH);
    json_t *operation = at(json_object_get(document, "paths"), v1->path, "patch");
    assert_non_null(strstr(json_string_value(json_object_get(operation, "description")), "/api/svc/v1.0/"));
}

static void
reference_shows_every_operation(void **state)
{
    (void)state;
    for (const struct family *const *f = catalog_families(catalog); *f != NULL; f++) {
        char *text;
        size_t length;
        FILE *out = open_memstream(&text, &length);
        reference_family(*f, out);
        fclose(out);
        for (size_t i = 0; i < (*f)->count; i++)
            assert_non_null(strstr(text, (*f)->endpoints[i].operation));
        free(text);
    }
    assert_non_null(find_operation("getRoot"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(document_has_every_operation_once),
        cmocka_unit_test(document_is_the_same_every_time),
        cmocka_unit_test(document_says_what_roles_imply),
        cmocka_unit_test(error_schema_has_exactly_the_five_fields),
        cmocka_unit_test(every_reference_leads_somewhere),
        cmocka_unit_test(public_operations_need_no_credentials_and_others_do),
        cmocka_unit_test(request_schemas_leave_out_what_may_not_be_sent),
        cmocka_unit_test(secrets_are_never_in_an_answer),
        cmocka_unit_test(names_of_schemas_are_unique),
        cmocka_unit_test(examples_of_the_tables_pass_validation),
        cmocka_unit_test(defaults_and_examples_of_fields_are_json),
        cmocka_unit_test(older_prefix_is_mentioned_where_it_serves),
        cmocka_unit_test(reference_shows_every_operation),
    };
    return cmocka_run_group_tests(tests, start, finish);
}
