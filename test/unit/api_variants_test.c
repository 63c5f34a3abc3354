/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of several kinds: what is refused, and what the documents say about them. */
#include "arena_fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "api/document/openapi.h"
#include "api/document/reference.h"
#include "api/validate.h"
#include "base/json.h"

static const char *const kinds[] = { "Broker", "Web", "Sample", "Mirror", NULL };
static const char *const ways[] = { "DIRECT", "LINK", NULL };

// clang-format off
static const struct field no_fields[] = { END_OF_FIELDS };
static const struct schema nothing = { "Plain", "Nothing further.", no_fields };

static const struct field link_fields[] = { ID("linkId", "Which link.", REQUIRED), END_OF_FIELDS };
static const struct schema link_schema = { "Linked", "Through a link.", link_fields };
static const struct field_variant way_variants[] = {
    { "DIRECT", &nothing }, { "LINK", &link_schema }, END_OF_VARIANTS,
};
static const struct field way_fields[] = {
    TEXT("way", "How it is reached.", 0, .one_of = ways, .fallback = "\"DIRECT\"", .variants = way_variants),
    END_OF_FIELDS,
};
static const struct schema way = { "Way", "How something is reached.", way_fields };

/* Two kinds have a list of this name. The items of one are filled in with what those of the other do not know. */
static const struct field broker_stage_fields[] = {
    TEXT("note",     "A note.", 0),
    INTEGER("level", "Level.",  0, .fallback = "1"),
    END_OF_FIELDS,
};
static const struct field web_stage_fields[] = { TEXT("note", "A note.", 0), TEXT("user", "Who.", 0), END_OF_FIELDS };
static const struct schema broker_stage = { "BrokerStage", "A stage.", broker_stage_fields };
static const struct schema web_stage = { "WebStage", "A stage.", web_stage_fields };

static const struct field broker_fields[] = {
    LIST("stages",     "Stages.",            0, .of = &broker_stage),
    TEXT("servers",    "Where it is.",       REQUIRED, .min = 1),
    OBJECT("access",   "How it is reached.", 0, .of = &way),
    TEXT("login",      "Who we are.",        0, .max = 9),
    TEXT("password",   "Its password.",      WRITE_ONLY),
    INTEGER("retries", "Number of tries.",   0, .fallback = "3"),
    END_OF_FIELDS,
};
static const struct field login_fields[] = { TEXT("user", "Who we are.", REQUIRED), END_OF_FIELDS };
static const struct schema login = { "Login", "Who we are.", login_fields };
static const struct field web_fields[] = {
    TEXT("url",     "Where it is.",         REQUIRED),
    OBJECT("login", "Who we are.",          0, .of = &login),
    LIST("hops",    "The ways on between.", 0, .of = &way, .max = 3),
    LIST("stages",  "Stages.",              0, .of = &web_stage),
    END_OF_FIELDS,
};
static const struct schema broker = { "Broker", "A message broker.", broker_fields };
static const struct schema web = { "Web", "A web address.", web_fields };
static const struct field_variant thing_variants[] = {
    { "Broker", &broker }, { "Web", &web }, { "Sample", &nothing }, { "Mirror", &web }, END_OF_VARIANTS,
};
#define THING_FIELDS(flags)                                                                      \
    TEXT("name", "Name.", REQUIRED | ALWAYS, .max = 4),                                          \
    TEXT("type", "Its kind.", flags | ALWAYS, .one_of = kinds, .variants = thing_variants)
static const struct field thing_fields[] = { THING_FIELDS(REQUIRED), END_OF_FIELDS };
static const struct field fixed_fields[] = { THING_FIELDS(REQUIRED | CREATE_ONLY), END_OF_FIELDS };
static const struct schema thing = { "Thing", "One of several kinds.", thing_fields };
static const struct schema fixed = { "Fixed", "One of several kinds, for ever.", fixed_fields };
// clang-format on

static error
validate_over(const struct schema *schema, enum validate_mode mode, const char *before, const char *text,
              json_t **ret_body)
{
    assert_ptr_equal(json_parse(arena, str_from(text), ret_body), OK);
    const json_t *stored = before == NULL ? NULL : json_parse_own(arena, str_from(before));
    return validate_change(arena, schema, mode, stored, *ret_body);
}

/* The body as it is afterwards, with what was filled in. */
static void
expect_fine(const struct schema *schema, enum validate_mode mode, const char *before, const char *text,
            const char *after)
{
    json_t *body;
    error e = validate_over(schema, mode, before, text, &body);
    if (e != OK)
        fail_msg("%s: %s", text, e->detail.data);
    assert_string_equal(json_text(arena, body).data, after);
}

static void
expect_error(const struct schema *schema, enum validate_mode mode, const char *before, const char *text,
             enum error_code code, const char *path)
{
    json_t *body;
    error e = validate_over(schema, mode, before, text, &body);
    if (e == OK)
        fail_msg("accepted: %s", text);
    assert_string_equal(error_rows[e->code].name, error_rows[code].name);
    assert_string_equal(e->parameters[0].text.data, path);
}

static void
unknown_kind_is_answered_with_the_kinds_that_there_are(void **state)
{
    (void)state;
    json_t *body;
    /* Although what stands before it belongs to no kind. */
    error e = validate_over(&thing, VALIDATE_CREATE, NULL, "{\"nonsense\":1,\"type\":\"web\"}", &body);
    assert_int_equal(e->code, INVALID_ATTRIBUTE_VALUE);
    assert_string_equal(e->parameters[0].text.data, "type");
    assert_string_equal(e->parameters[1].text.data, "must be one of Broker, Web, Sample, Mirror");
    expect_error(&thing, VALIDATE_UPDATE, NULL, "{\"type\":7}", INVALID_ATTRIBUTE_VALUE, "type");
    expect_error(&thing, VALIDATE_UPDATE, NULL, "{\"type\":null}", INVALID_ATTRIBUTE_VALUE, "type");
}

static void
field_of_another_kind_is_unknown(void **state)
{
    (void)state;
    static const enum validate_mode modes[] = { VALIDATE_CREATE, VALIDATE_REPLACE, VALIDATE_UPDATE };
    for (size_t i = 0; i < LENGTH(modes); i++) {
        expect_error(&thing, modes[i], NULL, "{\"url\":\"u\",\"name\":\"a\",\"servers\":\"s\",\"type\":\"Broker\"}",
                     INVALID_ATTRIBUTE, "url");
        expect_error(&thing, modes[i], NULL, "{\"name\":\"a\",\"type\":\"Sample\",\"url\":\"u\"}", INVALID_ATTRIBUTE,
                     "url");
    }
}

static void
missing_field_of_the_kind_is_named(void **state)
{
    (void)state;
    expect_error(&thing, VALIDATE_CREATE, NULL, "{\"name\":\"a\",\"type\":\"Broker\"}", MISSING_ATTRIBUTE, "servers");
    expect_error(&thing, VALIDATE_REPLACE, NULL, "{\"name\":\"a\",\"type\":\"Mirror\"}", MISSING_ATTRIBUTE, "url");
    expect_fine(&thing, VALIDATE_UPDATE, NULL, "{\"type\":\"Broker\"}", "{\"type\":\"Broker\"}");
    expect_fine(&thing, VALIDATE_CREATE, NULL, "{\"name\":\"a\",\"type\":\"Sample\"}",
                "{\"name\":\"a\",\"type\":\"Sample\"}");
}

static void
defaults_are_those_of_the_kind(void **state)
{
    (void)state;
    expect_fine(&thing, VALIDATE_CREATE, NULL, "{\"servers\":\"s\",\"type\":\"Broker\",\"name\":\"a\"}",
                "{\"servers\":\"s\",\"type\":\"Broker\",\"name\":\"a\",\"retries\":3}");
    expect_fine(&thing, VALIDATE_CREATE, NULL, "{\"url\":\"u\",\"type\":\"Web\",\"name\":\"a\"}",
                "{\"url\":\"u\",\"type\":\"Web\",\"name\":\"a\"}");
}

static void
missing_kind_is_named_unless_a_field_belongs_to_none(void **state)
{
    (void)state;
    expect_error(&thing, VALIDATE_CREATE, NULL, "{\"name\":\"a\",\"login\":{\"user\":7}}", MISSING_ATTRIBUTE, "type");
    expect_error(&thing, VALIDATE_CREATE, NULL, "{\"name\":\"a\",\"typ\":\"Web\"}", INVALID_ATTRIBUTE, "typ");
}

static void
nested_objects_and_items_have_kinds_of_their_own(void **state)
{
    (void)state;
#define BROKER(access) "{\"name\":\"a\",\"type\":\"Broker\",\"servers\":\"s\",\"access\":" access "}"
#define WEB(hops)      "{\"name\":\"a\",\"type\":\"Web\",\"url\":\"u\",\"hops\":" hops "}"
    expect_error(&thing, VALIDATE_CREATE, NULL, BROKER("{\"way\":\"LINK\"}"), MISSING_ATTRIBUTE, "access.linkId");
    expect_error(&thing, VALIDATE_CREATE, NULL, BROKER("{\"way\":\"AIR\"}"), INVALID_ATTRIBUTE_VALUE, "access.way");
    /* Its default decides, too. */
    expect_error(&thing, VALIDATE_CREATE, NULL, BROKER("{\"linkId\":\"650000000000000000000001\"}"), INVALID_ATTRIBUTE,
                 "access.linkId");
    expect_error(&thing, VALIDATE_CREATE, NULL, WEB("[{},{\"way\":\"LINK\"}]"), MISSING_ATTRIBUTE, "hops[1].linkId");
    expect_error(&thing, VALIDATE_UPDATE, NULL, WEB("[{\"way\":\"LINK\",\"linkId\":1}]"), INVALID_ATTRIBUTE_VALUE,
                 "hops[0].linkId");
    expect_fine(&thing, VALIDATE_CREATE, NULL, WEB("[{}]"), WEB("[{\"way\":\"DIRECT\"}]"));
}

static void
change_without_the_kind_must_be_right_for_one_of_them(void **state)
{
    (void)state;
    expect_fine(&thing, VALIDATE_UPDATE, NULL, "{\"servers\":\"s\"}", "{\"servers\":\"s\"}");
    /* Two kinds have the field, with different types. */
    expect_fine(&thing, VALIDATE_UPDATE, NULL, "{\"login\":\"me\"}", "{\"login\":\"me\"}");
    expect_fine(&thing, VALIDATE_UPDATE, NULL, "{\"login\":{\"user\":\"me\"}}", "{\"login\":{\"user\":\"me\"}}");
    expect_error(&thing, VALIDATE_UPDATE, NULL, "{\"login\":7}", INVALID_ATTRIBUTE_VALUE, "login");
    /* Each belongs to a kind, but not to the same. */
    expect_error(&thing, VALIDATE_UPDATE, NULL, "{\"servers\":\"s\",\"url\":\"u\"}", INVALID_ATTRIBUTE, "url");
    expect_error(&thing, VALIDATE_UPDATE, NULL, "{\"url\":\"u\",\"sevrers\":\"s\"}", INVALID_ATTRIBUTE, "sevrers");
    /* The kind that knows the most of it says what is wrong, down to what both call by the same name. */
    expect_error(&thing, VALIDATE_UPDATE, NULL, "{\"login\":{\"user\":7}}", INVALID_ATTRIBUTE_VALUE, "login.user");
    /* What was tried leaves nothing behind. */
    expect_fine(&thing, VALIDATE_UPDATE, NULL, "{\"stages\":[{\"note\":\"a\"},{\"user\":\"me\"}]}",
                "{\"stages\":[{\"note\":\"a\"},{\"user\":\"me\"}]}");
    expect_fine(&thing, VALIDATE_UPDATE, NULL, "{\"hops\":[{}],\"url\":\"u\"}",
                "{\"hops\":[{\"way\":\"DIRECT\"}],\"url\":\"u\"}");
}

static void
stored_kind_decides_when_none_is_sent(void **state)
{
    (void)state;
    static const char stored[] = "{\"name\":\"a\",\"type\":\"Broker\",\"servers\":\"s\",\"access\":{\"way\":\"LINK\"}}";
    expect_fine(&thing, VALIDATE_UPDATE, stored, "{\"servers\":\"t\"}", "{\"servers\":\"t\"}");
    expect_error(&thing, VALIDATE_UPDATE, stored, "{\"url\":\"u\"}", INVALID_ATTRIBUTE, "url");
    expect_error(&thing, VALIDATE_UPDATE, stored, "{\"login\":{\"user\":\"me\"}}", INVALID_ATTRIBUTE_VALUE, "login");
    expect_fine(&thing, VALIDATE_UPDATE, stored, "{\"type\":\"Web\",\"url\":\"u\"}",
                "{\"type\":\"Web\",\"url\":\"u\"}");
    /* Inside, the stored part decides. */
    expect_error(&thing, VALIDATE_UPDATE, "{\"type\":\"Broker\",\"access\":{\"way\":\"DIRECT\"}}",
                 "{\"access\":{\"linkId\":\"650000000000000000000001\"}}", INVALID_ATTRIBUTE, "access.linkId");
    expect_fine(&thing, VALIDATE_UPDATE, stored, "{\"access\":{\"linkId\":\"650000000000000000000001\"}}",
                "{\"access\":{\"linkId\":\"650000000000000000000001\"}}");
}

static void
kind_that_is_fixed_is_not_asked_for_again(void **state)
{
    (void)state;
    expect_error(&fixed, VALIDATE_UPDATE, NULL, "{\"type\":\"Web\"}", UNMODIFIABLE_ATTRIBUTE, "type");
    expect_fine(&fixed, VALIDATE_REPLACE, NULL, "{\"name\":\"a\",\"servers\":\"s\"}",
                "{\"name\":\"a\",\"servers\":\"s\",\"retries\":3}");
    expect_error(&fixed, VALIDATE_REPLACE, "{\"type\":\"Web\"}", "{\"name\":\"a\",\"servers\":\"s\"}",
                 INVALID_ATTRIBUTE, "servers");
    expect_error(&fixed, VALIDATE_REPLACE, "{\"type\":\"Web\"}", "{\"name\":\"a\"}", MISSING_ATTRIBUTE, "url");
}

/* ---- The documents ---- */

#define ROW(method, operation, schema)                                                                         \
    {                                                                                                          \
        method, "/groups/{groupId}/" operation, S17, ANY_OF(PROJECT_READ_ONLY), operation, "Summary", "Text.", \
            .waits_for = "nothing", .request = schema, .response = schema                                      \
    }
static const struct endpoint endpoints[] = {
    ROW(POST, "createThing", &thing), ROW(PUT, "replaceThing", &thing), ROW(PATCH, "updateThing", &thing),
    ROW(POST, "createFixed", &fixed), ROW(PUT, "replaceFixed", &fixed),
};
static const struct family family = { "things", "Things", "Things of several kinds.", endpoints, LENGTH(endpoints) };
static const struct family *const families[] = { &family, NULL };

static json_t *
schemas_of_document(void)
{
    const struct catalog *catalog = catalog_new(families, stderr);
    assert_non_null(catalog);
    json_t *document = json_parse_own(arena, openapi_document(arena, catalog, STR("https://reeve.example.org")));
    catalog_free(catalog);
    assert_non_null(document);
    return json_object_get(json_object_get(document, "components"), "schemas");
}

static void
expect_json(const json_t *value, const char *text)
{
    assert_non_null(value);
    assert_string_equal(json_text(arena, value).data, text);
}

static void
openapi_has_a_schema_for_each_kind(void **state)
{
    (void)state;
    json_t *schemas = schemas_of_document();
    const json_t *choice = json_object_get(schemas, "ThingInput");
    expect_json(json_object_get(choice, "oneOf"), "[{\"$ref\":\"#/components/schemas/BrokerThingInput\"},"
                                                  "{\"$ref\":\"#/components/schemas/WebThingInput\"},"
                                                  "{\"$ref\":\"#/components/schemas/PlainThingInput\"}]");
    expect_json(json_object_get(choice, "discriminator"),
                "{\"propertyName\":\"type\",\"mapping\":{\"Broker\":\"#/components/schemas/BrokerThingInput\","
                "\"Web\":\"#/components/schemas/WebThingInput\",\"Sample\":\"#/components/schemas/PlainThingInput\","
                "\"Mirror\":\"#/components/schemas/WebThingInput\"}}");
    const json_t *kind = json_object_get(schemas, "WebThingInput"), *properties = json_object_get(kind, "properties");
    expect_json(json_object_get(kind, "required"), "[\"name\",\"type\",\"url\"]");
    expect_json(json_object_get(json_object_get(properties, "type"), "enum"), "[\"Web\",\"Mirror\"]");
    assert_true(json_is_false(json_object_get(kind, "additionalProperties")));
    assert_null(json_object_get(properties, "servers"));
    /* Answers have links, and no secrets. */
    properties = json_object_get(json_object_get(schemas, "BrokerThing"), "properties");
    assert_non_null(json_object_get(properties, "links"));
    assert_null(json_object_get(properties, "password"));
    /* With a default, the kind need not be sent. */
    assert_null(json_object_get(json_object_get(schemas, "PlainWayInput"), "required"));
    expect_json(json_object_get(json_object_get(schemas, "LinkedWayInput"), "required"), "[\"way\",\"linkId\"]");
}

static void
openapi_lets_the_kind_be_left_out_where_it_may(void **state)
{
    (void)state;
    json_t *schemas = schemas_of_document();
    static const struct {
        const char *name;
        size_t kinds;
    } cases[] = { { "ThingUpdate", 3 }, { "FixedReplacement", 3 }, { "WayInput", 2 } };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const json_t *choice = json_object_get(schemas, cases[i].name);
        assert_int_equal(json_array_size(json_object_get(choice, "anyOf")), cases[i].kinds);
        assert_null(json_object_get(choice, "discriminator"));
    }
    assert_null(json_object_get(json_object_get(schemas, "WebThingUpdate"), "required"));
    assert_null(
        json_object_get(json_object_get(json_object_get(schemas, "WebFixedReplacement"), "properties"), "type"));
}

static void
reference_says_to_which_kind_a_field_belongs(void **state)
{
    (void)state;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    reference_family(&family, out);
    fclose(out);
    assert_non_null(strstr(text, "| `servers` | text, required | With `type` `Broker`: Where it is. At least 1"));
    assert_non_null(strstr(text, "| `url` | text, required | With `type` `Web`, `Mirror`: Where it is. |"));
    assert_non_null(strstr(text, "| `hops[].linkId` | identifier, required | With `way` `LINK`: Which link. |"));
    free(text);
}

/* ---- Tables that are wrong ---- */

static void
expect_mistake(const struct field *fields, const char *sentence)
{
    const struct schema schema = { "Wrong", "Wrong.", fields };
    const struct endpoint row[] = { ROW(POST, "createWrong", &schema) };
    const struct family wrong = { "wrong", "Wrong", "Wrong.", row, 1 };
    const struct family *const all[] = { &wrong, NULL };
    char problems[1024] = "";
    FILE *out = fmemopen(problems, sizeof(problems), "w");
    assert_null(catalog_new(all, out));
    fclose(out);
    if (strstr(problems, sentence) == NULL)
        fail_msg("expected '%s', got '%s'", sentence, problems);
}

static void
table_with_a_mistake_does_not_start(void **state)
{
    (void)state;
    static const char *const more[] = { "Broker", "Web", "Sample", "Mirror", "Other", NULL };
    static const char *const fewer[] = { "Broker", "Web", NULL };
    const struct field without_row[] = { TEXT("type", "Kind.", REQUIRED, .one_of = more, .variants = thing_variants),
                                         END_OF_FIELDS };
    const struct field without_value[] = { TEXT("type", "Kind.", REQUIRED, .one_of = fewer, .variants = thing_variants),
                                           END_OF_FIELDS };
    const struct field optional[] = { TEXT("type", "Kind.", 0, .one_of = kinds, .variants = thing_variants),
                                      END_OF_FIELDS };
    const struct field twice[] = { THING_FIELDS(REQUIRED), TEXT("url", "Where it is.", 0), END_OF_FIELDS };
    const struct field both[] = { THING_FIELDS(REQUIRED),
                                  TEXT("way", "Way.", REQUIRED, .one_of = ways, .variants = way_variants),
                                  END_OF_FIELDS };
    expect_mistake(without_row, "has a value without a variant");
    expect_mistake(without_value, "has a variant for a value that it cannot have");
    expect_mistake(optional, "must be required or have a default");
    expect_mistake(twice, "has a variant with a field that all of them have");
    expect_mistake(both, "and another one does already");
}

int
main(void)
{
    json_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_kind_is_answered_with_the_kinds_that_there_are),
        cmocka_unit_test(field_of_another_kind_is_unknown),
        cmocka_unit_test(missing_field_of_the_kind_is_named),
        cmocka_unit_test(defaults_are_those_of_the_kind),
        cmocka_unit_test(missing_kind_is_named_unless_a_field_belongs_to_none),
        cmocka_unit_test(nested_objects_and_items_have_kinds_of_their_own),
        cmocka_unit_test(change_without_the_kind_must_be_right_for_one_of_them),
        cmocka_unit_test(stored_kind_decides_when_none_is_sent),
        cmocka_unit_test(kind_that_is_fixed_is_not_asked_for_again),
        cmocka_unit_test(openapi_has_a_schema_for_each_kind),
        cmocka_unit_test(openapi_lets_the_kind_be_left_out_where_it_may),
        cmocka_unit_test(reference_says_to_which_kind_a_field_belongs),
        cmocka_unit_test(table_with_a_mistake_does_not_start),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
