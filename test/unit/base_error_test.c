/* SPDX-License-Identifier: Apache-2.0 */
#include "arena_fixture.h"

#include <stdlib.h>

#include "base/json.h"

static void
every_row_has_a_known_status_a_sentence_and_a_remedy(void **state)
{
    (void)state;
    for (int i = 0; i < ERROR_CODE_COUNT; i++) {
        const struct error_row *row = &error_rows[i];
        assert_true(row->status >= 400 && row->status < 600);
        assert_string_not_equal(error_reason(row->status), "Unknown");
        assert_true(str_ends_with(str_from(row->detail), STR(".")));
        assert_true(str_ends_with(str_from(row->remedy), STR(".")));
        size_t holes = 0;
        for (const char *at = row->detail; (at = strstr(at, "{}")) != NULL; at += 2)
            holes++;
        assert_true(holes <= ERROR_MAX_PARAMETERS);
    }
}

static void
known_errors_have_the_words_of_the_specification(void **state)
{
    (void)state;
    error e = fail(arena, RESOURCE_NOT_FOUND, V("/x"));
    assert_string_equal(e->detail.data, "Cannot find resource /x.");
    e = fail(arena, RATE_LIMITED_TOKEN_BUCKET, V("/x"), V(3), V(300), V(100), V(60));
    assert_string_equal(
        error_document(arena, e).data,
        "{\"detail\":\"Rate limit exceeded for /x. Please retry after 3 seconds. Request capacity: 300. Refill "
        "rate: 100 per 60 seconds.\",\"error\":429,\"errorCode\":\"RATE_LIMITED_TOKEN_BUCKET\","
        "\"parameters\":[\"/x\",3,300,100,60],\"reason\":\"Too Many Requests\"}");
}

static void
document_of_any_error_has_exactly_five_fields(void **state)
{
    (void)state;
    for (int i = 0; i < ERROR_CODE_COUNT; i++) {
        error e = fail(arena, (enum error_code)i, V("a\"b\\c\n\x01"), V(5));
        json_t *json;
        assert_ptr_equal(json_parse(arena, error_document(arena, e), &json), OK);
        assert_int_equal(json_object_size(json), 5);
        assert_int_equal(json_integer_value(json_object_get(json, "error")), error_rows[i].status);
        assert_string_equal(json_string_value(json_object_get(json, "errorCode")), error_rows[i].name);
        assert_string_equal(json_string_value(json_object_get(json, "reason")), error_reason(error_rows[i].status));
        assert_int_equal(json_array_size(json_object_get(json, "parameters")), 2);
        assert_true(json_is_string(json_object_get(json, "detail")));
    }
}

static void
bytes_that_are_no_text_do_not_break_the_document(void **state)
{
    (void)state;
    error e = fail(arena, RESOURCE_NOT_FOUND, V(((str){ "/\xff\0x", 4 })));
    assert_string_equal(e->detail.data, "Cannot find resource /??x.");
    json_t *json;
    assert_ptr_equal(json_parse(arena, error_document(arena, e), &json), OK);
}

/* A field name of 64 KiB once made an error document without a detail, and one of 256 KiB none at all. */
static void
very_long_parameter_still_makes_a_document(void **state)
{
    (void)state;
    size_t length = 900 * 1024;
    char *text = malloc(length);
    memset(text, '\x01', length);
    error e = fail(arena, INVALID_ATTRIBUTE_VALUE, V(((str){ text, length })), V(((str){ text, length })));
    assert_true(e->detail.len > 1000);
    json_t *json;
    assert_ptr_equal(json_parse(arena, error_document(arena, e), &json), OK);
    for (size_t i = 0; i < length; i++)
        text[i] = "\xe2\x82\xac"[i % 3];
    e = fail(arena, INVALID_ATTRIBUTE, V(((str){ text, length })));
    assert_true(str_is_text(e->detail));
    free(text);
}

static void
parameters_are_copied(void **state)
{
    (void)state;
    char name[] = "before";
    error e = fail(arena, INVALID_ATTRIBUTE, V(name));
    memcpy(name, "after!", 6);
    assert_string_equal(e->parameters[0].text.data, "before");
}

static void
without_memory_the_error_is_overloaded(void **state)
{
    (void)state;
    struct arena *small = arena_new(64);
    error e = fail(small, INVALID_ATTRIBUTE, V("x"));
    assert_int_equal(e->code, OVERLOADED);
    assert_int_equal(e->retry_after_s, 1);
    assert_int_equal(e->detail.len, strlen(e->detail.data));
    arena_free(small);
}

static void
retry_after_is_added_to_a_copy(void **state)
{
    (void)state;
    error e = fail(arena, OVERLOADED);
    error later = error_retry_after(arena, e, 7);
    assert_int_equal(e->retry_after_s, 0);
    assert_int_equal(later->retry_after_s, 7);
    assert_int_equal(later->code, OVERLOADED);
}

static error
first_fails(error e, bool *reached)
{
    TRY(e);
    *reached = true;
    return OK;
}

static void
other_wrong_fields_stand_behind_the_first(void **state)
{
    (void)state;
    error e = fail(arena, MISSING_ATTRIBUTE, V("name"));
    const struct wrong_field others[] = { { STR("size"), STR("must be at least 1") },
                                          { STR("\xff"), STR("does not exist here") } };
    error more = error_with_others(arena, e, LENGTH(others), others);
    assert_string_equal(
        error_document(arena, more).data,
        "{\"detail\":\"The required attribute name was not specified. Attribute size must be at least 1. "
        "Attribute ? does not exist here.\",\"error\":400,\"errorCode\":\"MISSING_ATTRIBUTE\","
        "\"parameters\":[\"name\",\"size\",\"must be at least 1\",\"?\",\"does not exist here\"],"
        "\"reason\":\"Bad Request\"}");
    assert_int_equal(e->other_count, 0);
}

static void
try_returns_the_first_error(void **state)
{
    (void)state;
    bool reached = false;
    error e = fail(arena, INTERNAL_ERROR);
    assert_ptr_equal(first_fails(e, &reached), e);
    assert_false(reached);
    assert_ptr_equal(first_fails(OK, &reached), OK);
    assert_true(reached);
}

int
main(void)
{
    json_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_a_known_status_a_sentence_and_a_remedy),
        cmocka_unit_test(known_errors_have_the_words_of_the_specification),
        cmocka_unit_test(document_of_any_error_has_exactly_five_fields),
        cmocka_unit_test(bytes_that_are_no_text_do_not_break_the_document),
        cmocka_unit_test(very_long_parameter_still_makes_a_document),
        cmocka_unit_test(parameters_are_copied),
        cmocka_unit_test(without_memory_the_error_is_overloaded),
        cmocka_unit_test(retry_after_is_added_to_a_copy),
        cmocka_unit_test(other_wrong_fields_stand_behind_the_first),
        cmocka_unit_test(try_returns_the_first_error),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
