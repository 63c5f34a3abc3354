/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "base/json.h"
#include "wire/report.h"

static void
the_documented_example_is_written(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 22);
    id member = { 0 }, task = { 0 };
    str versions[] = { STR("17.6") }, strays[] = { STR("reeve-member-x.service") };
    assert_true(id_parse(STR("0000000000000000000000a1"), &member) && id_parse(STR("0000000000000000000000b1"), &task));
    const struct report_member members[] = { { .id = member,
                                               .unit = STR("active"),
                                               .role = REPORT_PRIMARY,
                                               .running = STR("running"),
                                               .timeline = 1,
                                               .lag_bytes = 0,
                                               .version = STR("17.6"),
                                               .goal_generation = 5,
                                               .access_generation = 12,
                                               .problem = STR_EMPTY } };
    const struct report_task tasks[] = { { task, true, STR_EMPTY } };
    struct report report = { .epoch = 3,
                             .version = 42,
                             .boot_id = STR("b"),
                             .facts = { STR("0.1.0"), STR("4.0.7"), { 1, versions }, 2, 24000, 80 },
                             .member_count = 1,
                             .members = members,
                             .task_count = 1,
                             .tasks = tasks,
                             .log_count = 1,
                             .logs = &(struct report_log){ { { 0xe1 }, true }, false, STR("It answered 503.") },
                             .strays = { 1, strays } };
    assert_string_equal(
        report_write(arena, &report).data,
        "{\"epoch\":3,\"version\":42,\"bootId\":\"b\",\"facts\":{\"agentVersion\":\"0.1.0\",\"patroniVersion\":\"4.0.7\",\"postgresVersions\":[\"17.6\"],"
        "\"cpus\":2,\"memoryMb\":24000,\"diskGb\":80,\"walls\":[]},\"members\":[{\"id\":\"0000000000000000000000a1\",\"unit\":\"active\",\"role\":\"PRIMARY\","
        "\"running\":\"running\",\"timeline\":1,\"lagBytes\":0,\"version\":\"17.6\",\"goalGeneration\":5,\"accessGeneration\":12,\"restartNonce\":0,"
        "\"pendingRestart\":false,\"problem\":null}],\"tasks\":[{\"id\":\"0000000000000000000000b1\",\"outcome\":\"DONE\",\"detail\":\"\"}],"
        "\"logs\":[{\"id\":\"e10000000000000000000000\",\"state\":\"FAILING\",\"detail\":\"It answered 503.\"}],"
        "\"strays\":[\"reeve-member-x.service\"]}");
    arena_free(arena);
}

/* What programs say may be anything; a report is always JSON. */
static void
sentences_of_programs_are_made_presentable(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 22);
    char longest[2000];
    memset(longest, 'x', sizeof(longest));
    const str said[] = { STR("broken \xff\xfe bytes"), STR("tab\tquote\" newline\n"), { longest, sizeof(longest) } };
    for (size_t i = 0; i < LENGTH(said); i++) {
        const struct report_member members[] = { { .unit = STR("failed"),
                                                   .running = said[i],
                                                   .timeline = -1,
                                                   .lag_bytes = -1,
                                                   .version = STR_EMPTY,
                                                   .problem = said[i] } };
        struct report report = { .boot_id = STR_EMPTY, .member_count = 1, .members = members };
        json_t *json;
        assert_ptr_equal(json_parse(arena, report_write(arena, &report), &json), OK);
        json_t *member = json_array_get(json_object_get(json, "members"), 0);
        assert_true(json_is_null(json_object_get(member, "timeline")) &&
                    json_is_null(json_object_get(member, "version")));
        assert_true(json_string_length(json_object_get(member, "problem")) <= REPORT_SENTENCE_BYTES);
    }
    arena_free(arena);
}

int
main(void)
{
    json_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_documented_example_is_written),
        cmocka_unit_test(sentences_of_programs_are_made_presentable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
