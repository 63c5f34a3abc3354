/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "api/pattern.h"
#include "api/validate.h"
#include "base/json.h"

static const char *const colours[] = { "RED", "GREEN", NULL };

// clang-format off
static const struct field tag_fields[] = {
    TEXT("key",   "Name of the tag.",  REQUIRED, .min = 1, .max = 5),
    TEXT("value", "Value of the tag.", 0, .fallback = "\"none\""),
    TEXT("born",  "When it was made.", CREATE_ONLY),
    END_OF_FIELDS,
};
static const struct schema tag = { "Tag", "A tag.", tag_fields };

static const struct field thing_fields[] = {
    TEXT("name",     "Name.",            REQUIRED, .min = 1, .max = 4),
    TEXT("slug",     "Slug.",            0, .pattern = "[a-z]+|[0-9]+"),
    TEXT("colour",   "Colour.",          0, .one_of = colours),
    TEXT("provider", "Provider.",        REQUIRED | CREATE_ONLY),
    TEXT("state",    "State.",           READ_ONLY | REQUIRED),
    TEXT("secret",   "Secret.",          WRITE_ONLY | NULLABLE),
    INTEGER("size",  "Size.",            0, .min = 1, .max = 10, .fallback = "3"),
    INTEGER("shift", "May be negative.", 0, .min = -5),
    INTEGER("any",   "No bounds.",       0),
    NUMBER("ratio",  "Ratio.",           0, .max = 1),
    BOOL("paused",   "Paused.",          0, .fallback = "false"),
    DATE("from",     "Date.",            0),
    ID("owner",      "Owner.",           0),
    CIDR("block",    "Block.",           0),
    OBJECT("label",  "A nested one.",    0, .of = &tag),
    OBJECT("extra",  "Anything.",        0),
    LIST("tags",     "Tags.",            0, .of = &tag, .max = 2),
    LIST("colours",  "Colours.",         0, .one_of = colours, .min = 1),
    LIST("owners",   "Owners.",          0, .item = TYPE_ID),
    LIST("sizes",    "Sizes.",           0, .item = TYPE_INTEGER, .max = 3),
    END_OF_FIELDS,
};
// clang-format on
static const struct schema thing = { "Thing", "A thing.", thing_fields };

struct outcome {
    struct arena *arena;
    error e;
    json_t *body;
};

static struct outcome
validate_text(enum validate_mode mode, const char *text)
{
    struct outcome outcome = { .arena = arena_new(8 * 1024 * 1024) };
    assert_non_null(outcome.arena);
    assert_ptr_equal(json_parse(outcome.arena, str_from(text), &outcome.body), OK);
    outcome.e = validate_body(outcome.arena, &thing, mode, outcome.body);
    return outcome;
}

static void
expect_fine(enum validate_mode mode, const char *text)
{
    struct outcome outcome = validate_text(mode, text);
    if (outcome.e != OK)
        fail_msg("%s: %s", text, outcome.e->detail.data);
    arena_free(outcome.arena);
}

/* `expected` is the second parameter; NULL when the error has none. */
static void
expect_error(enum validate_mode mode, const char *text, enum error_code code, const char *path, const char *expected)
{
    struct outcome outcome = validate_text(mode, text);
    if (outcome.e == OK)
        fail_msg("accepted: %s", text);
    assert_string_equal(error_rows[outcome.e->code].name, error_rows[code].name);
    assert_string_equal(outcome.e->parameters[0].text.data, path);
    assert_int_equal(outcome.e->parameter_count, expected == NULL ? 1 : 2);
    if (expected != NULL)
        assert_string_equal(outcome.e->parameters[1].text.data, expected);
    arena_free(outcome.arena);
}

/* One field of a PATCH, where nothing else is needed. */
static void
expect_value_error(const char *text, const char *path, const char *expected)
{
    expect_error(VALIDATE_UPDATE, text, INVALID_ATTRIBUTE_VALUE, path, expected);
}

#define CREATE(rest) "{\"name\":\"a\",\"provider\":\"p\"" rest "}"

static void
unknown_field_is_named_by_its_path(void **state)
{
    (void)state;
    expect_error(VALIDATE_CREATE, CREATE(",\"nmae\":1"), INVALID_ATTRIBUTE, "nmae", NULL);
    expect_error(VALIDATE_UPDATE, "{\"links\":[]}", INVALID_ATTRIBUTE, "links", NULL);
    expect_error(VALIDATE_UPDATE, "{\"tags\":[{\"key\":\"a\"},{\"key\":\"b\",\"x\":1}]}", INVALID_ATTRIBUTE,
                 "tags[1].x", NULL);
    expect_error(VALIDATE_UPDATE, "{\"label\":{\"x\":1}}", INVALID_ATTRIBUTE, "label.x", NULL);
}

static void
misspelt_required_field_is_reported_as_unknown_and_not_as_missing(void **state)
{
    (void)state;
    expect_error(VALIDATE_CREATE, "{\"nam\":\"a\",\"provider\":\"p\"}", INVALID_ATTRIBUTE, "nam", NULL);
}

/* "path what | path what": the fields behind the first. */
static void
expect_others(enum validate_mode mode, const char *text, const char *expected)
{
    struct outcome outcome = validate_text(mode, text);
    assert_non_null(outcome.e);
    struct buf found = buf_in(outcome.arena, 65536);
    for (unsigned i = 0; i < outcome.e->other_count; i++)
        buf_format(&found, "%s%.*s %.*s", i == 0 ? "" : " | ", STR_ARG(outcome.e->others[i].field),
                   STR_ARG(outcome.e->others[i].what));
    assert_string_equal(str_dup(outcome.arena, buf_str(&found)).data, expected);
    arena_free(outcome.arena);
}

static void
all_wrong_fields_are_named_at_once(void **state)
{
    (void)state;
    /* The first is the error, as if it were alone. */
    const char *text = "{\"name\":\"too long\",\"size\":0,\"nmae\":1,\"state\":\"x\",\"tags\":[{\"key\":\"\"},{}]}";
    expect_error(VALIDATE_CREATE, text, INVALID_ATTRIBUTE_VALUE, "name", "must be at most 4 characters long");
    expect_others(VALIDATE_CREATE, text,
                  "size must be at least 1 | "
                  "nmae does not exist here; remove it or correct its spelling | "
                  "state cannot be set by this request; leave it out | "
                  "tags[0].key must be at least 1 character long | "
                  "tags[1].key is missing; add it | "
                  "provider is missing; add it");
    expect_others(VALIDATE_CREATE, "{\"nam\":\"a\",\"provider\":\"p\"}", "name is missing; add it");
    expect_others(VALIDATE_UPDATE, "{\"size\":11}", "");
}

static void
no_more_wrong_fields_are_named_than_fit(void **state)
{
    (void)state;
    struct arena *arena = arena_new(8 * 1024 * 1024);
    struct buf text = buf_in(arena, 1 << 20);
    buf_add_text(&text, "{\"sizes\":0");
    for (int i = 0; i < 1000; i++)
        buf_format(&text, ",\"x%d\":0", i);
    buf_add_text(&text, "}");
    struct outcome outcome = validate_text(VALIDATE_UPDATE, str_dup(arena, buf_str(&text)).data);
    assert_int_equal(outcome.e->code, INVALID_ATTRIBUTE_VALUE);
    assert_int_equal(outcome.e->other_count, ERROR_MAX_WRONG_FIELDS - 1);
    arena_free(outcome.arena);
    arena_free(arena);
}

/* Neither names of megabytes nor secrets in their place come back, wherever among the wrong fields they stand. */
static void
other_wrong_fields_are_as_harmless_as_the_first(void **state)
{
    (void)state;
    struct arena *arena = arena_new(64 * 1024 * 1024);
    struct buf text = buf_in(arena, 16 * 1024 * 1024);
    buf_add_text(&text, "{\"x\":0,\"reeve_sk_0123456789abcdef0123456789abcdef0123456789abcdef\":0");
    for (int i = 0; i < 18; i++) {
        buf_format(&text, ",\"%d", i);
        for (int j = 0; j < 20000; j++)
            buf_add_char(&text, 'n');
        buf_add_text(&text, "\":0");
    }
    buf_add_text(&text, "}");
    struct outcome outcome = validate_text(VALIDATE_UPDATE, str_dup(arena, buf_str(&text)).data);
    assert_int_equal(outcome.e->other_count, ERROR_MAX_WRONG_FIELDS - 1);
    str document = error_document(outcome.arena, outcome.e);
    assert_true(document.len > 0 && document.len < 16 * 1024);
    assert_null(strstr(document.data, "0123456789abcdef0123456789abcdef"));
    arena_free(outcome.arena);
    arena_free(arena);
}

static void
field_that_the_service_decides_cannot_be_sent(void **state)
{
    (void)state;
    expect_error(VALIDATE_CREATE, CREATE(",\"state\":\"x\""), UNMODIFIABLE_ATTRIBUTE, "state", NULL);
    expect_error(VALIDATE_UPDATE, "{\"state\":null}", UNMODIFIABLE_ATTRIBUTE, "state", NULL);
}

static void
field_fixed_at_creation_can_be_sent_only_then(void **state)
{
    (void)state;
    expect_fine(VALIDATE_CREATE, CREATE(""));
    expect_error(VALIDATE_UPDATE, "{\"provider\":\"p\"}", UNMODIFIABLE_ATTRIBUTE, "provider", NULL);
    expect_error(VALIDATE_REPLACE, CREATE(""), UNMODIFIABLE_ATTRIBUTE, "provider", NULL);
    expect_error(VALIDATE_UPDATE, "{\"label\":{\"born\":\"x\"}}", UNMODIFIABLE_ATTRIBUTE, "label.born", NULL);
}

static void
replace_does_not_ask_for_what_it_may_not_be_sent(void **state)
{
    (void)state;
    expect_fine(VALIDATE_REPLACE, "{\"name\":\"a\"}");
}

static void
missing_required_field_is_named(void **state)
{
    (void)state;
    expect_error(VALIDATE_CREATE, "{}", MISSING_ATTRIBUTE, "name", NULL);
    expect_error(VALIDATE_CREATE, "{\"name\":\"a\"}", MISSING_ATTRIBUTE, "provider", NULL);
    expect_error(VALIDATE_REPLACE, "{}", MISSING_ATTRIBUTE, "name", NULL);
    expect_fine(VALIDATE_UPDATE, "{}");
    expect_fine(VALIDATE_UPDATE, "{\"label\":{}}");
}

static void
items_of_a_list_are_complete_even_in_an_update(void **state)
{
    (void)state;
    expect_error(VALIDATE_UPDATE, "{\"tags\":[{}]}", MISSING_ATTRIBUTE, "tags[0].key", NULL);
    expect_fine(VALIDATE_UPDATE, "{\"tags\":[{\"key\":\"k\",\"born\":\"b\"}]}");
}

static void
value_of_the_wrong_type_is_refused(void **state)
{
    (void)state;
    expect_value_error("{\"name\":1}", "name", "must be a text");
    expect_value_error("{\"size\":\"1\"}", "size", "must be an integer");
    expect_value_error("{\"size\":1.0}", "size", "must be an integer");
    expect_value_error("{\"ratio\":\"1\"}", "ratio", "must be a number");
    expect_value_error("{\"paused\":\"true\"}", "paused", "must be true or false");
    expect_value_error("{\"paused\":0}", "paused", "must be true or false");
    expect_value_error("{\"label\":[]}", "label", "must be an object");
    expect_value_error("{\"tags\":{}}", "tags", "must be a list");
    expect_value_error("{\"tags\":[1]}", "tags[0]", "must be an object");
    expect_value_error("{\"colours\":[1]}", "colours[0]", "must be a text");
    expect_value_error("{\"sizes\":[1,true]}", "sizes[1]", "must be an integer");
    expect_value_error("{\"extra\":1}", "extra", "must be an object");
}

static void
null_is_refused_unless_the_field_says_otherwise(void **state)
{
    (void)state;
    expect_value_error("{\"name\":null}", "name", "must not be null");
    expect_value_error("{\"label\":{\"key\":null}}", "label.key", "must not be null");
    expect_value_error("{\"sizes\":[null]}", "sizes[0]", "must be an integer");
    expect_fine(VALIDATE_UPDATE, "{\"secret\":null}");
}

static void
length_is_counted_in_characters(void **state)
{
    (void)state;
    expect_fine(VALIDATE_UPDATE, "{\"name\":\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80g\"}");
    expect_value_error("{\"name\":\"abcde\"}", "name", "must be at most 4 characters long");
    expect_value_error("{\"name\":\"\"}", "name", "must be at least 1 character long");
}

static void
bounds_include_their_ends(void **state)
{
    (void)state;
    expect_fine(VALIDATE_UPDATE, "{\"size\":1}");
    expect_fine(VALIDATE_UPDATE, "{\"size\":10}");
    expect_value_error("{\"size\":0}", "size", "must be at least 1");
    expect_value_error("{\"size\":11}", "size", "must be at most 10");
    expect_fine(VALIDATE_UPDATE, "{\"shift\":-5}");
    expect_value_error("{\"shift\":-6}", "shift", "must be at least -5");
    expect_fine(VALIDATE_UPDATE, "{\"ratio\":1.0}");
    expect_value_error("{\"ratio\":1.0000001}", "ratio", "must be at most 1");
    expect_value_error("{\"ratio\":-0.1}", "ratio", "must be at least 0");
    expect_value_error("{\"tags\":[{\"key\":\"a\"},{\"key\":\"b\"},{\"key\":\"c\"}]}", "tags",
                       "must have at most 2 items");
    expect_value_error("{\"colours\":[]}", "colours", "must have at least 1 item");
}

static void
integers_reach_to_the_ends_of_64_bits_and_not_beyond(void **state)
{
    (void)state;
    expect_fine(VALIDATE_UPDATE, "{\"any\":9223372036854775807}");
    expect_fine(VALIDATE_UPDATE, "{\"any\":-9223372036854775808}");
    struct arena *arena = arena_new(1 << 20);
    json_t *body;
    error e = json_parse(arena, STR("{\"any\":9223372036854775808}"), &body);
    assert_non_null(e);
    assert_int_equal(e->code, INVALID_JSON);
    e = json_parse(arena, STR("{\"ratio\":1e309}"), &body);
    assert_non_null(e);
    assert_int_equal(e->code, INVALID_JSON);
    arena_free(arena);
}

static void
pattern_speaks_about_the_whole_text(void **state)
{
    (void)state;
    expect_fine(VALIDATE_UPDATE, "{\"slug\":\"abc\"}");
    expect_fine(VALIDATE_UPDATE, "{\"slug\":\"123\"}");
    expect_value_error("{\"slug\":\"abc1\"}", "slug", "must have the form that the reference shows");
    expect_value_error("{\"slug\":\"1abc\"}", "slug", "must have the form that the reference shows");
    expect_value_error("{\"slug\":\"abc\\n\"}", "slug", "must have the form that the reference shows");
    expect_value_error("{\"slug\":\"\"}", "slug", "must have the form that the reference shows");
    assert_false(pattern_matches("^[a-z]+$", STR("abc\n")));
    assert_true(pattern_matches("a|ab", STR("ab")));
}

static void
pattern_classes_are_those_of_the_openapi_document(void **state)
{
    (void)state;
    assert_false(pattern_matches("\\d+", STR("\xd9\xa3"))); /* an Arabic-Indic digit */
    assert_true(pattern_matches("\\p{L}+", STR("\xc3\xa9\xc3\xa8")));
    assert_true(pattern_matches(".", STR("\xf0\x9f\x98\x80")));
}

static void
pattern_that_explodes_ends_soon_and_matches_nothing(void **state)
{
    (void)state;
    char text[64 * 1024];
    memset(text, 'a', sizeof(text));
    text[sizeof(text) - 1] = '!';
    assert_false(pattern_matches("(a+)+b?", (str){ text, sizeof(text) }));
    assert_false(pattern_matches("(a|aa)+$", (str){ text, sizeof(text) }));
}

static void
bad_pattern_is_found_before_the_start(void **state)
{
    (void)state;
    static const struct field bad_fields[] = { TEXT("key", "Key.", 0, .pattern = "[a-"), END_OF_FIELDS };
    static const struct schema bad = { "Bad", "Bad.", bad_fields };
    static const struct field outer_fields[] = { LIST("list", "List.", 0, .of = &bad), END_OF_FIELDS };
    static const struct schema outer = { "Outer", "Outer.", outer_fields };
    struct endpoint endpoint = { .operation = "createBad", .request = &outer };
    char text[256] = "";
    FILE *problems = fmemopen(text, sizeof(text), "w");
    assert_false(pattern_check_all(&endpoint, problems));
    fclose(problems);
    assert_non_null(strstr(text, "createBad: field key: pattern [a-: "));
    static const struct field good_fields[] = { TEXT("key", "Key.", 0, .pattern = "^[a-z0-9-]+$"), END_OF_FIELDS };
    static const struct schema good = { "Good", "Good.", good_fields };
    endpoint.request = &good;
    assert_true(pattern_check_all(&endpoint, stderr));
}

/* Or somebody would be told to match a regular expression. */
static void
pattern_without_words_for_people_is_found_before_the_start(void **state)
{
    (void)state;
    const struct endpoint endpoint = { .operation = "createThing", .request = &thing };
    char text[256] = "";
    FILE *problems = fmemopen(text, sizeof(text), "w");
    assert_false(pattern_check_all(&endpoint, problems));
    fclose(problems);
    assert_string_equal(text, "createThing: field slug: pattern [a-z]+|[0-9]+: no words for people (pattern.c)\n");
    assert_null(pattern_words("[a-z]+|[0-9]+"));
    assert_string_equal(pattern_words("^[a-z0-9-]+$"), "have only small letters, digits and hyphens");
}

static void
only_the_listed_texts_are_allowed(void **state)
{
    (void)state;
    expect_fine(VALIDATE_UPDATE, "{\"colour\":\"GREEN\"}");
    expect_value_error("{\"colour\":\"green\"}", "colour", "must be one of RED, GREEN");
    expect_value_error("{\"colours\":[\"RED\",\"BLUE\"]}", "colours[1]", "must be one of RED, GREEN");
}

static void
dates_identifiers_and_blocks_are_read_as_such(void **state)
{
    (void)state;
    expect_fine(VALIDATE_UPDATE, "{\"from\":\"2024-02-29T10:00:00+02:00\"}");
    expect_value_error("{\"from\":\"2025-02-29\"}", "from",
                       "must be a date as in RFC 3339, such as 2025-03-12T10:15:30Z");
    expect_fine(VALIDATE_UPDATE, "{\"owner\":\"0123456789abcdef01234567\"}");
    expect_value_error("{\"owner\":\"0123456789ABCDEF01234567\"}", "owner",
                       "must be an identifier of 24 hexadecimal digits in lower case");
    expect_value_error("{\"owners\":[\"x\"]}", "owners[0]",
                       "must be an identifier of 24 hexadecimal digits in lower case");
    expect_fine(VALIDATE_UPDATE, "{\"block\":\"10.0.0.0/8\"}");
    expect_fine(VALIDATE_UPDATE, "{\"block\":\"2001:db8::1\"}");
    expect_value_error("{\"block\":\"10.0.0.1/8\"}", "block",
                       "must be an IP address or a CIDR block such as 10.0.0.0/8, without bits after its prefix");
}

static void
object_without_a_schema_takes_anything(void **state)
{
    (void)state;
    expect_fine(VALIDATE_UPDATE, "{\"extra\":{\"a\":{\"b\":[1,null,\"x\"]}}}");
}

static void
fallbacks_fill_what_was_not_sent_but_not_in_an_update(void **state)
{
    (void)state;
    struct outcome outcome = validate_text(VALIDATE_CREATE, CREATE(",\"tags\":[{\"key\":\"k\"}],\"size\":5"));
    assert_ptr_equal(outcome.e, OK);
    str text = json_text(outcome.arena, outcome.body);
    assert_string_equal(text.data, "{\"name\":\"a\",\"provider\":\"p\",\"tags\":[{\"key\":\"k\",\"value\":\"none\"}],"
                                   "\"size\":5,\"paused\":false}");
    arena_free(outcome.arena);
    outcome = validate_text(VALIDATE_UPDATE, "{\"name\":\"b\"}");
    assert_ptr_equal(outcome.e, OK);
    assert_string_equal(json_text(outcome.arena, outcome.body).data, "{\"name\":\"b\"}");
    arena_free(outcome.arena);
}

static void
body_that_is_no_object_is_refused(void **state)
{
    (void)state;
    static const char *const bodies[] = { "[]", "1", "\"a\"", "null", "true" };
    for (size_t i = 0; i < LENGTH(bodies); i++) {
        struct outcome outcome = validate_text(VALIDATE_CREATE, bodies[i]);
        assert_non_null(outcome.e);
        assert_int_equal(outcome.e->code, INVALID_JSON);
        arena_free(outcome.arena);
    }
    struct arena *arena = arena_new(1 << 16);
    error e = validate_body(arena, &thing, VALIDATE_CREATE, NULL);
    assert_non_null(e);
    assert_int_equal(e->code, INVALID_JSON);
    arena_free(arena);
}

static void
very_long_field_name_does_not_make_a_very_long_error(void **state)
{
    (void)state;
    struct arena *arena = arena_new(8 * 1024 * 1024);
    struct buf text = buf_in(arena, 1024 * 1024);
    buf_add_text(&text, "{\"x");
    for (int i = 0; i < 100000; i++)
        buf_add_text(&text, "\xc3\xa9");
    buf_add_text(&text, "\":1}");
    json_t *body;
    assert_ptr_equal(json_parse(arena, buf_str(&text), &body), OK);
    error e = validate_body(arena, &thing, VALIDATE_CREATE, body);
    assert_non_null(e);
    assert_int_equal(e->code, INVALID_ATTRIBUTE);
    assert_true(e->parameters[0].text.len < 300);
    assert_true(str_is_text(e->parameters[0].text));
    arena_free(arena);
}

static void
message_never_repeats_the_value(void **state)
{
    (void)state;
    struct outcome outcome = validate_text(VALIDATE_UPDATE, "{\"slug\":\"HUNTER2\"}");
    assert_non_null(outcome.e);
    assert_null(strstr(outcome.e->detail.data, "HUNTER2"));
    arena_free(outcome.arena);
}

static void
full_arena_never_lets_a_wrong_value_pass(void **state)
{
    (void)state;
    struct arena *rich = arena_new(1 << 20), *poor = arena_new(16);
    json_t *body;
    assert_ptr_equal(json_parse(rich, STR("{\"size\":11}"), &body), OK);
    error e = validate_body(poor, &thing, VALIDATE_UPDATE, body);
    assert_non_null(e);
    assert_int_equal(e->code, OVERLOADED);
    arena_free(poor);
    arena_free(rich);
}

static void
expect_query(const char *name, const char *value, const char *expected)
{
    struct arena *arena = arena_new(1 << 20);
    error e = validate_query(arena, thing_fields, str_from(name), str_from(value));
    if (expected == NULL) {
        assert_ptr_equal(e, OK);
    } else {
        assert_non_null(e);
        assert_int_equal(e->code, INVALID_QUERY_PARAMETER);
        assert_string_equal(e->parameters[0].text.data, name);
        assert_string_equal(e->parameters[1].text.data, expected);
    }
    arena_free(arena);
}

static void
query_parameters_are_checked_like_fields(void **state)
{
    (void)state;
    expect_query("size", "10", NULL);
    expect_query("size", "11", "must be at most 10");
    expect_query("size", "1.0", "must be an integer");
    expect_query("size", " 1", "must be an integer");
    expect_query("size", "", "must be an integer");
    expect_query("ratio", "0.5", NULL);
    expect_query("ratio", "5e-1", NULL);
    expect_query("ratio", "1 ", "must be a number");
    expect_query("ratio", "\"1\"", "must be a number");
    expect_query("ratio", "1e309", "must be a number");
    expect_query("ratio", "nan", "must be a number");
    expect_query("paused", "true", NULL);
    expect_query("paused", "True", "must be true or false");
    expect_query("paused", "1", "must be true or false");
    expect_query("from", "2025-03-12", NULL);
    expect_query("colour", "BLUE", "must be one of RED, GREEN");
    expect_query("colours", "RED", NULL);
    expect_query("colours", "BLUE", "must be one of RED, GREEN");
    expect_query("label", "x", "must be an object");
    expect_query("unknown", "x", "it is not known here");
}

int
main(void)
{
    json_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_field_is_named_by_its_path),
        cmocka_unit_test(misspelt_required_field_is_reported_as_unknown_and_not_as_missing),
        cmocka_unit_test(all_wrong_fields_are_named_at_once),
        cmocka_unit_test(no_more_wrong_fields_are_named_than_fit),
        cmocka_unit_test(other_wrong_fields_are_as_harmless_as_the_first),
        cmocka_unit_test(field_that_the_service_decides_cannot_be_sent),
        cmocka_unit_test(field_fixed_at_creation_can_be_sent_only_then),
        cmocka_unit_test(replace_does_not_ask_for_what_it_may_not_be_sent),
        cmocka_unit_test(missing_required_field_is_named),
        cmocka_unit_test(items_of_a_list_are_complete_even_in_an_update),
        cmocka_unit_test(value_of_the_wrong_type_is_refused),
        cmocka_unit_test(null_is_refused_unless_the_field_says_otherwise),
        cmocka_unit_test(length_is_counted_in_characters),
        cmocka_unit_test(bounds_include_their_ends),
        cmocka_unit_test(integers_reach_to_the_ends_of_64_bits_and_not_beyond),
        cmocka_unit_test(pattern_speaks_about_the_whole_text),
        cmocka_unit_test(pattern_classes_are_those_of_the_openapi_document),
        cmocka_unit_test(pattern_that_explodes_ends_soon_and_matches_nothing),
        cmocka_unit_test(bad_pattern_is_found_before_the_start),
        cmocka_unit_test(pattern_without_words_for_people_is_found_before_the_start),
        cmocka_unit_test(only_the_listed_texts_are_allowed),
        cmocka_unit_test(dates_identifiers_and_blocks_are_read_as_such),
        cmocka_unit_test(object_without_a_schema_takes_anything),
        cmocka_unit_test(fallbacks_fill_what_was_not_sent_but_not_in_an_update),
        cmocka_unit_test(body_that_is_no_object_is_refused),
        cmocka_unit_test(very_long_field_name_does_not_make_a_very_long_error),
        cmocka_unit_test(message_never_repeats_the_value),
        cmocka_unit_test(full_arena_never_lets_a_wrong_value_pass),
        cmocka_unit_test(query_parameters_are_checked_like_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
