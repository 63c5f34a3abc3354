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
    str versions[] = { STR("17.6") }, extensions[] = { STR("17 vector 0.8.0") },
        strays[] = { STR("reeve-member-x.service") };
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
                             .facts = { STR("0.1.0"),
                                        STR("4.0.7"),
                                        { 1, versions },
                                        2,
                                        24000,
                                        80,
                                        .pgbackrest_version = STR("2.55.1"),
                                        .extensions = { 1, extensions } },
                             .member_count = 1,
                             .members = members,
                             .task_count = 1,
                             .tasks = tasks,
                             .log_count = 1,
                             .logs = &(struct report_log){ { { 0xe1 }, true }, false, STR("It answered 503.") },
                             .strays = { 1, strays } };
    assert_string_equal(
        report_write(arena, &report).data,
        "{\"epoch\":3,\"version\":42,\"bootId\":\"b\",\"facts\":{\"agentVersion\":\"0.1.0\",\"patroniVersion\":\"4.0.7\",\"pgbackrestVersion\":\"2.55.1\",\"postgresVersions\":[\"17.6\"],"
        "\"cpus\":2,\"memoryMb\":24000,\"diskGb\":80,\"extensions\":[\"17 vector 0.8.0\"],\"walls\":[],\"encrypts\":false,\"keys\":[]},\"members\":[{\"id\":\"0000000000000000000000a1\",\"unit\":\"active\",\"role\":\"PRIMARY\","
        "\"running\":\"running\",\"timeline\":1,\"lagBytes\":0,\"version\":\"17.6\",\"goalGeneration\":5,\"accessGeneration\":12,\"restartNonce\":0,"
        "\"pendingRestart\":false,\"problem\":null,\"pooler\":\"OFF\",\"restore\":null}],\"tasks\":[{\"id\":\"0000000000000000000000b1\",\"outcome\":\"DONE\",\"detail\":\"\"}],"
        "\"logs\":[{\"id\":\"e10000000000000000000000\",\"state\":\"FAILING\",\"detail\":\"It answered 503.\"}],"
        "\"seats\":[],\"gates\":[],\"relays\":[],\"peerings\":[],\"strays\":[\"reeve-member-x.service\"]}");
    arena_free(arena);
}

/* As docs/internals/backups.md has it. */
static void
a_seat_is_written_with_its_spans_and_snapshots(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 22);
    str needs[] = { STR("20261116-031700F") }, items[] = { STR("0000000000000000000000e1") };
    const struct report_span spans[] = { { 0, STR("0/1000000"), STR("0/5000148"), 1, 2, STR("2026-11-16T03:00:00Z"),
                                           STR("2026-11-16T04:00:00Z"), STR_EMPTY } };
    const struct report_copy copies[] = {
        { .snapshot = { { 0xa1 }, true },
          .label = STR("20261116-031700F_20261116-091700I"),
          .type = STR("INCR"),
          .needs = { 1, needs },
          .state = COPY_COMPLETED,
          .frequency = STR("hourly"),
          .policy_items = { 1, items },
          .created_at = STR("2026-11-16T09:17:00Z"),
          .finished_at = STR_EMPTY,
          .expires_at = STR_EMPTY,
          .timeline = 1,
          .start_lsn = STR("0/2000028"),
          .stop_lsn = STR_EMPTY,
          .size_bytes = 100,
          .delta_bytes = -1,
          .server_version = STR("17.6"),
          .problem = STR_EMPTY },
    };
    const struct report_seat seat = { .id = { { 0xb1 }, true },
                                      .unit = STR("active"),
                                      .problem = STR_EMPTY,
                                      .received_lsn = STR("0/5000148"),
                                      .timeline = 2,
                                      .lag_bytes = 0,
                                      .lag_ms = 320,
                                      .window_from = STR_EMPTY,
                                      .window_to = STR("2026-11-16T04:00:00Z"),
                                      .used_bytes = 123,
                                      .span_count = 1,
                                      .spans = spans,
                                      .copy_count = 1,
                                      .copies = copies };
    str seats[] = { report_seat_text(arena, &seat) };
    struct report report = { .boot_id = STR_EMPTY, .seat_count = 1, .seats = seats };
    str text = report_write(arena, &report);
    assert_non_null(strstr(
        text.data,
        "\"seats\":[{\"id\":\"b10000000000000000000000\",\"unit\":\"active\",\"problem\":null,\"receivedLsn\":\"0/5000148\",\"timeline\":2,"
        "\"lagBytes\":0,\"lagMs\":320,\"windowFrom\":null,\"windowTo\":\"2026-11-16T04:00:00Z\",\"usedBytes\":123,"
        "\"spans\":[{\"ordinal\":0,\"fromLsn\":\"0/1000000\",\"toLsn\":\"0/5000148\",\"fromTimeline\":1,\"toTimeline\":2,"
        "\"fromAt\":\"2026-11-16T03:00:00Z\",\"toAt\":\"2026-11-16T04:00:00Z\",\"endedBy\":null}],"
        "\"snapshots\":[{\"id\":\"a10000000000000000000000\",\"label\":\"20261116-031700F_20261116-091700I\",\"type\":\"INCR\","
        "\"needs\":[\"20261116-031700F\"],\"state\":\"COMPLETED\",\"frequency\":\"hourly\",\"policyItem\":\"0000000000000000000000e1\","
        "\"policyItems\":[\"0000000000000000000000e1\"],\"createdAt\":\"2026-11-16T09:17:00Z\",\"finishedAt\":null,\"expiresAt\":null,"
        "\"timeline\":1,\"startLsn\":\"0/2000028\",\"stopLsn\":null,\"sizeBytes\":100,\"deltaBytes\":null,\"serverVersion\":\"17.6\","
        "\"problem\":null}]}],"));
    json_t *ignored;
    assert_ptr_equal(json_parse(arena, text, &ignored), OK);
    /* An empty list says that nothing is there; who does not know says so, or rows of snapshots would go. */
    struct report_seat exporting = { .id = seat.id,
                                     .unit = STR("active"),
                                     .export_job = { .id = { { 0xe1 }, true },
                                                     .state = EXPORT_FAILED,
                                                     .code = STR("EXPORT_BUCKET_REFUSED"),
                                                     .problem = STR("403."),
                                                     .started_at = STR("2026-11-17T08:00:00Z"),
                                                     .finished_at = STR_EMPTY,
                                                     .tables_done = 3,
                                                     .tables_total = -1 } };
    assert_non_null(strstr(
        report_seat_text(arena, &exporting).data,
        ",\"export\":{\"id\":\"e10000000000000000000000\",\"state\":\"FAILED\",\"code\":\"EXPORT_BUCKET_REFUSED\","
        "\"problem\":\"403.\",\"startedAt\":\"2026-11-17T08:00:00Z\",\"finishedAt\":null,\"tablesDone\":3,"
        "\"tablesTotal\":null}"));
    struct report_seat unknown = { .id = seat.id, .unit = STR("unknown") };
    assert_non_null(strstr(report_seat_text(arena, &unknown).data, "\"spans\":[],\"snapshots\":null}"));
    unknown.download = (struct report_download){
        .id = { { 0xd1 }, true }, .state = REPORT_DOWNLOAD_READY, .problem = STR_EMPTY, .bytes = 77, .sha256 = STR("ab")
    };
    assert_non_null(strstr(report_seat_text(arena, &unknown).data,
                           "\"spans\":[],\"download\":{\"id\":\"d10000000000000000000000\",\"state\":\"READY\","
                           "\"problem\":null,\"bytes\":77,\"sha256\":\"ab\"},\"snapshots\":null}"));
    arena_free(arena);
}

static void
gates_and_restores_are_written(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 22);
    const struct report_gate gates[] = {
        { { { 0xf1 }, true }, GATE_OPEN, STR_EMPTY, STR("0/5000148"), STR("2026-11-16T04:00:00Z") },
        { { { 0xf2 }, true }, GATE_FAILED, STR("Its seat is not on this host."), STR_EMPTY, STR_EMPTY },
    };
    const struct report_member members[] = { { .unit = STR("active"),
                                               .running = STR("creating replica"),
                                               .version = STR_EMPTY,
                                               .problem = STR_EMPTY,
                                               .restore = { .id = { { 0xf1 }, true },
                                                            .state = RESTORE_RESTORING,
                                                            .phase = RESTORE_BUILD,
                                                            .problem = STR_EMPTY,
                                                            .done_bytes = 5,
                                                            .total_bytes = -1,
                                                            .reached_lsn = STR_EMPTY,
                                                            .reached_at = STR_EMPTY } } };
    struct report report = {
        .boot_id = STR_EMPTY, .gate_count = 2, .gates = gates, .member_count = 1, .members = members
    };
    str text = report_write(arena, &report);
    assert_non_null(strstr(
        text.data,
        "\"gates\":[{\"id\":\"f10000000000000000000000\",\"state\":\"OPEN\",\"problem\":null,"
        "\"servedLsn\":\"0/5000148\",\"servedAt\":\"2026-11-16T04:00:00Z\"},"
        "{\"id\":\"f20000000000000000000000\",\"state\":\"FAILED\",\"problem\":\"Its seat is not on this host.\","
        "\"servedLsn\":null,\"servedAt\":null}]"));
    assert_non_null(strstr(
        text.data,
        "\"restore\":{\"id\":\"f10000000000000000000000\",\"state\":\"RESTORING\",\"phase\":\"BUILD\",\"problem\":null,"
        "\"doneBytes\":5,\"totalBytes\":null,\"reachedLsn\":null,\"reachedAt\":null}"));
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
        cmocka_unit_test(a_seat_is_written_with_its_spans_and_snapshots),
        cmocka_unit_test(gates_and_restores_are_written),
        cmocka_unit_test(sentences_of_programs_are_made_presentable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
