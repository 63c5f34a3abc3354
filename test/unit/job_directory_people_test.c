/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from what a directory says about a group. */
#include "arena_fixture.h"

#include "base/json.h"
#include "job/access/directory_people.h"

static struct directory_after
judge(const char *members, const char *skipped, int64_t empty_for_s, size_t count, const char *const *names)
{
    struct directory_before before = { .name = STR("cn=dba"),
                                       .members = json_parse_own(arena, str_from(members)),
                                       .skipped = json_parse_own(arena, str_from(skipped)),
                                       .empty_for_s = empty_for_s };
    struct directory_after after;
    str said[8];
    for (size_t i = 0; i < count; i++)
        said[i] = str_from(names[i]);
    directory_people_judge(arena, &before, said, count,
                           json_parse_own(arena, STR("{\"app\": \"databaseUser\", \"auditor\": \"customRole\"}")),
                           &after);
    return after;
}

static void
assert_json(const json_t *json, const char *wanted)
{
    assert_string_equal(json_text(arena, json).data, wanted);
}

static void
who_came_and_who_left_is_known(void **state)
{
    (void)state;
    struct directory_after after =
        judge("[\"ann\",\"bob\",\"dave\"]", "[]", -1, 4, (const char *[]){ "eve", "carol", "bob", "eve" });
    assert_json(after.members, "[\"bob\",\"carol\",\"eve\"]");
    assert_json(after.added, "[\"carol\",\"eve\"]");
    assert_json(after.removed, "[\"ann\",\"dave\"]");
    assert_false(after.is_empty);
    assert_false(after.has_newly_skipped);
}

static void
names_that_cannot_be_are_told_once(void **state)
{
    (void)state;
    const char *names[] = { "ann", "app", "auditor", "a\nb'", "postgres" };
    struct directory_after after = judge("[]", "[]", -1, 5, names);
    assert_json(after.members, "[\"ann\"]");
    assert_int_equal(json_array_size(after.skipped), 4);
    assert_string_equal(json_text_at(json_array_get(after.skipped, 0), "name").data, "a?b'");
    assert_true(after.has_newly_skipped);
    assert_false(judge("[\"ann\"]", json_text(arena, after.skipped).data, -1, 5, names).has_newly_skipped);
}

static void
nobody_is_not_believed_at_once(void **state)
{
    (void)state;
    struct directory_after after = judge("[\"ann\",\"bob\"]", "[]", -1, 0, NULL);
    assert_true(after.is_empty && after.is_newly_empty);
    assert_json(after.members, "[\"ann\",\"bob\"]");
    assert_json(after.removed, "[]");
    after = judge("[\"ann\",\"bob\"]", "[]", DIRECTORY_EMPTY_S - 1, 0, NULL);
    assert_true(after.is_empty && !after.is_newly_empty);
    after = judge("[\"ann\",\"bob\"]", "[]", DIRECTORY_EMPTY_S, 0, NULL);
    assert_false(after.is_empty);
    assert_json(after.members, "[]");
    assert_json(after.removed, "[\"ann\",\"bob\"]");
    after = judge("[\"ann\"]", "[]", -1, 0, NULL); /* the last one left */
    assert_json(after.members, "[]");
    after = judge("[]", "[]", -1, 0, NULL); /* nobody, as before */
    assert_false(after.is_empty);
    after = judge("[\"ann\"]", "[]", -1, 1, (const char *[]){ "app" }); /* somebody, who cannot be a user */
    assert_json(after.members, "[]");
}

int
main(void)
{
    json_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_came_and_who_left_is_known),
        cmocka_unit_test(names_that_cannot_be_are_told_once),
        cmocka_unit_test(nobody_is_not_believed_at_once),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
