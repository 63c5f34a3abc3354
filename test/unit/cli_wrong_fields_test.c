/* SPDX-License-Identifier: Apache-2.0 */
/* An error names fields of a body; people know them by the flags that they wrote. */
#include "arena_fixture.h"
#include "base/json.h"
#include "cli/output/wrong_fields.h"

static void
assert_named(const char *operation, const char *path, const char *name)
{
    const struct command *command = command_of_operation(operation);
    assert_non_null(command);
    assert_string_equal(str_dup(arena, wrong_field_name(arena, command, str_from(path))).data, name);
}

static void
field_is_named_by_the_flag_that_sets_it(void **state)
{
    (void)state;
    assert_named("createGroupCluster", "name", "--name");
    assert_named("createGroupCluster", "dbMajorVersion", "--db-major-version");
    assert_named("createGroupCluster", "replicationSpecs[0].regionConfigs[0].regionName", "--region");
    assert_named("createGroupCluster", "tags[1].key", "--tags, at [1].key");
    assert_named("createGroupCluster", "nmae", "nmae");
    assert_named("createGroupCluster", "names", "names");
    assert_string_equal(wrong_field_name(arena, NULL, STR("name")).data, "name");
}

static size_t
read_text(const char *code, const char *parameters, struct wrong_field *ret_fields)
{
    const struct error_row *row = NULL;
    for (int i = 0; i < ERROR_CODE_COUNT; i++) {
        if (strcmp(error_rows[i].name, code) == 0)
            row = &error_rows[i];
    }
    json_t *document =
        json_parse_own(arena, str_format(arena, "{\"errorCode\":\"%s\",\"parameters\":%s}", code, parameters));
    return wrong_fields_read(arena, row, document, ret_fields);
}

static void
fields_are_read_behind_the_parameters_of_the_code(void **state)
{
    (void)state;
    struct wrong_field fields[ERROR_MAX_WRONG_FIELDS];
    assert_int_equal(read_text("INVALID_ATTRIBUTE_VALUE", "[\"a\",\"must be a text\"]", fields), 1);
    assert_string_equal(fields[0].what.data, "must be a text");
    assert_int_equal(
        read_text("MISSING_ATTRIBUTE", "[\"a\",\"b\",\"must be a text\",\"c\",\"is missing; add it\"]", fields), 3);
    assert_string_equal(fields[0].what.data, "is missing; add it");
    assert_string_equal(fields[1].field.data, "b");
    assert_string_equal(fields[2].field.data, "c");
}

/* A server of another version, or something that is none. */
static void
what_has_another_form_is_left_alone(void **state)
{
    (void)state;
    struct wrong_field fields[ERROR_MAX_WRONG_FIELDS];
    static const char *const wrong[] = { "[]", "{}", "null", "[1,2]", "[\"a\"]", "[\"a\",7]" };
    for (size_t i = 0; i < LENGTH(wrong); i++)
        assert_int_equal(read_text("INVALID_ATTRIBUTE_VALUE", wrong[i], fields), 0);
    assert_int_equal(read_text("INVALID_ATTRIBUTE_VALUE", "[\"a\",\"b\",\"c\"]", fields), 1);
    assert_int_equal(read_text("RESOURCE_NOT_FOUND", "[\"/x\"]", fields), 0);
    assert_int_equal(read_text("NO_SUCH_CODE", "[\"/x\"]", fields), 0);
    struct buf many = buf_in(arena, 1 << 16);
    buf_add_text(&many, "[\"a\",\"b\"");
    for (int i = 0; i < 100; i++)
        buf_add_text(&many, ",\"c\",\"d\"");
    buf_add_text(&many, "]");
    assert_int_equal(read_text("INVALID_ATTRIBUTE_VALUE", str_dup(arena, buf_str(&many)).data, fields),
                     ERROR_MAX_WRONG_FIELDS);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(field_is_named_by_the_flag_that_sets_it),
        cmocka_unit_test(fields_are_read_behind_the_parameters_of_the_code),
        cmocka_unit_test(what_has_another_form_is_left_alone),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
