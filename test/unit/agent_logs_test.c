/* SPDX-License-Identifier: Apache-2.0 */
#include "arena_fixture.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/log/log_message.h"
#include "agent/log/log_objects.h"
#include "agent/log/log_place.h"
#include "base/disk.h"
#include "base/json.h"

/* ---- What a line is ---- */
#define PREFIX "2026-01-02 03:04:05.678 UTC [9] "

static enum log_type
type_of(struct log_memory *memory, const char *program, int64_t pid, const char *text)
{
    enum log_type type = LOG_TYPE_COUNT;
    assert_true(log_line_classify(memory, str_from(program), pid, str_from(text), &type));
    return type;
}

static void
lines_are_told_apart_by_who_wrote_them(void **state)
{
    (void)state;
    struct log_memory memory = { 0 };
    enum log_type ignored;
    assert_int_equal(type_of(&memory, "postgres", 9, PREFIX "ERROR:  no"), LOG_POSTGRES);
    assert_int_equal(type_of(&memory, "patroni", 8, "2026-01-02 03:04:05,678 INFO: no action."), LOG_PATRONI);
    assert_int_equal(type_of(&memory, "pg_rewind", 8, "pg_rewind: done"), LOG_PATRONI);
    assert_false(log_line_classify(&memory, STR("reeve-agent"), 7, STR("x"), &ignored));
    /* A process that was gone too soon is known by how it begins. */
    assert_int_equal(type_of(&memory, "", 9, PREFIX "FATAL:  no"), LOG_POSTGRES);
    assert_int_equal(type_of(&memory, "", 9, "2026-01-02 03:04:05,678 INFO: no action."), LOG_PATRONI);
    assert_int_equal(type_of(&memory, "", 9, ""), LOG_PATRONI);
}

static void
what_goes_on_is_of_the_type_that_it_began_with(void **state)
{
    (void)state;
    struct log_memory memory = { 0 };
    assert_int_equal(type_of(&memory, "postgres", 9, PREFIX "LOG:  AUDIT: SESSION,1,1,READ,SELECT,,,\"SELECT 1,"),
                     LOG_POSTGRES_AUDIT);
    assert_int_equal(type_of(&memory, "postgres", 10, "\tof another process"), LOG_POSTGRES);
    assert_int_equal(type_of(&memory, "postgres", 9, "\t2\",<not logged>"), LOG_POSTGRES_AUDIT);
    assert_int_equal(type_of(&memory, "postgres", 9, PREFIX "LOG:  checkpoint"), LOG_POSTGRES);
    assert_int_equal(type_of(&memory, "postgres", 9, "\tand so on"), LOG_POSTGRES);
    /* Another process in the same slot. */
    assert_int_equal(type_of(&memory, "postgres", 3, PREFIX "LOG:  AUDIT: x"), LOG_POSTGRES_AUDIT);
    assert_int_equal(type_of(&memory, "postgres", 3 + LOG_MEMORY_SLOTS, "\tx"), LOG_POSTGRES);
}

static void
severity_is_the_first_word_of_one(void **state)
{
    (void)state;
    static const struct {
        const char *text, *word;
        enum log_severity severity;
    } rows[] = {
        { PREFIX "ERROR:  column \"a\" LOG: x", "ERROR", SEVERITY_ERROR },
        { PREFIX "LOG:  it said ERROR: x", "LOG", SEVERITY_INFO },
        { PREFIX "PANIC:  x", "PANIC", SEVERITY_FATAL },
        { PREFIX "DEBUG1:  x", "DEBUG1", SEVERITY_DEBUG },
        { "2026-01-02 03:04:05,678 WARNING: x", "WARNING", SEVERITY_WARNING },
        { PREFIX "STATEMENT:  SELECT 1", "", SEVERITY_NONE },
        { "LOG: at the very beginning", "", SEVERITY_NONE },
        { "", "", SEVERITY_NONE },
        { " ", "", SEVERITY_NONE },
        { "ends with LOG", "", SEVERITY_NONE },
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        str word;
        assert_int_equal(log_line_severity(str_from(rows[i].text), &word), rows[i].severity);
        assert_true(str_is(word, rows[i].word));
    }
}

static void
bytes_that_are_no_text_are_replaced(void **state)
{
    (void)state;
    assert_true(str_is(log_line_text(arena, STR("gr\xc3\xbc\xc3\x9f")), "gr\xc3\xbc\xc3\x9f"));
    assert_true(str_is(log_line_text(arena, STR("a\xff\xfe z")), "a?? z"));
    assert_true(str_is(log_line_text(arena, (str){ "a\0b", 3 }), "a?b"));
}

/* ---- What is sent ---- */
#define FIRST_TEXT PREFIX "ERROR:  \"x\"\t\xc3\xbc"
static const struct goal_cluster cluster = { .project = { { 0x65 }, true }, .name = { "orders", 6 } };
static const struct goal_member first = { .name = { "k3-00", 5 } }, second = { .name = { "k3-01", 5 } };
static const struct log_line lines[] = {
    { &cluster, &first, LOG_POSTGRES, 1767225600123456, { FIRST_TEXT, sizeof(FIRST_TEXT) - 1 } },
    { &cluster, &first, LOG_POSTGRES, 1767225601000001, { "\tgoes on", 8 } },
    { &cluster, &second, LOG_PATRONI, 1767225602000000, { "no action", 9 } },
};

static json_t *
parsed(str text)
{
    json_t *document = json_in(arena, json_loadb(text.data, text.len, 0, NULL));
    assert_non_null(document);
    return document;
}

/* "a.0.b" */
static const char *
text_at(const json_t *document, const char *path)
{
    str rest = str_from(path);
    while (rest.len > 0) {
        str part = str_cut(&rest, '.');
        document = part.data[0] >= '0' && part.data[0] <= '9' ? json_array_get(document, (size_t)(part.data[0] - '0'))
                                                              : json_object_getn(document, part.data, part.len);
    }
    return json_string_value(document);
}

static void
the_opentelemetry_form_groups_by_who_wrote_it(void **state)
{
    (void)state;
    const json_t *body = parsed(log_message(arena, LOG_FORM_OTLP, lines, LENGTH(lines)));
    const json_t *resources = json_object_get(body, "resourceLogs");
    assert_int_equal(json_array_size(resources), 2);
    assert_string_equal(text_at(resources, "0.resource.attributes.0.value.stringValue"), "postgresql");
    assert_string_equal(text_at(resources, "0.resource.attributes.1.key"), "host.name");
    assert_string_equal(text_at(resources, "0.resource.attributes.1.value.stringValue"), "k3-00");
    assert_string_equal(text_at(resources, "0.resource.attributes.2.value.stringValue"), "650000000000000000000000");
    assert_string_equal(text_at(resources, "0.resource.attributes.3.value.stringValue"), "orders");
    const json_t *records =
        json_object_get(json_array_get(json_object_get(json_array_get(resources, 0), "scopeLogs"), 0), "logRecords");
    assert_int_equal(json_array_size(records), 2);
    assert_string_equal(text_at(records, "0.timeUnixNano"), "1767225600123456000");
    assert_string_equal(text_at(records, "0.severityText"), "ERROR");
    assert_int_equal(json_integer_value(json_object_get(json_array_get(records, 0), "severityNumber")), 17);
    assert_string_equal(text_at(records, "0.body.stringValue"), FIRST_TEXT);
    assert_null(text_at(records, "1.severityText"));
    assert_string_equal(text_at(resources, "1.resource.attributes.0.value.stringValue"), "patroni");
}

static void
the_form_of_events_has_one_document_a_line(void **state)
{
    (void)state;
    str body = log_message(arena, LOG_FORM_EVENTS, lines, LENGTH(lines));
    const json_t *event = parsed(str_cut(&body, '\n'));
    assert_string_equal(text_at(event, "event"), FIRST_TEXT);
    assert_string_equal(text_at(event, "host"), "k3-00");
    assert_string_equal(text_at(event, "source"), "postgres");
    assert_string_equal(text_at(event, "sourcetype"), "reeve:postgres");
    assert_string_equal(text_at(event, "fields.cluster"), "orders");
    assert_true(json_real_value(json_object_get(event, "time")) == 1767225600.123456);
    assert_string_equal(text_at(parsed(str_cut(&body, '\n')), "event"), "\tgoes on");
    assert_string_equal(text_at(parsed(str_cut(&body, '\n')), "source"), "patroni");
    assert_int_equal(body.len, 0);
}

static void
the_form_of_items_is_a_list(void **state)
{
    (void)state;
    const json_t *items = parsed(log_message(arena, LOG_FORM_ITEMS, lines, LENGTH(lines)));
    assert_int_equal(json_array_size(items), 3);
    assert_string_equal(text_at(items, "0.message"), FIRST_TEXT);
    assert_string_equal(text_at(items, "0.ddsource"), "postgresql");
    assert_string_equal(text_at(items, "0.service"), "postgres");
    assert_string_equal(text_at(items, "0.status"), "ERROR");
    assert_string_equal(text_at(items, "0.hostname"), "k3-00");
    assert_string_equal(text_at(items, "0.ddtags"), "project:650000000000000000000000,cluster:orders");
    assert_int_equal(json_integer_value(json_object_get(json_array_get(items, 0), "timestamp")), 1767225600123);
    assert_string_equal(text_at(items, "2.service"), "patroni");
}

static void
nothing_is_sent_in_a_form_that_is_not_known(void **state)
{
    (void)state;
    assert_int_equal(log_message(arena, LOG_FORM_UNKNOWN, lines, LENGTH(lines)).len, 0);
    assert_int_equal(log_message(arena, LOG_FORM_OTLP, lines, 0).len, 0);
}

/* ---- Places ---- */
static void
places_are_kept_and_what_is_damaged_begins_with_the_target(void **state)
{
    (void)state;
    char folder[] = "/tmp/agent_logs_test.XXXXXX";
    id target = { { 0x65, 0, 0, 1, 9 }, true };
    assert_non_null(mkdtemp(folder));
    str file = str_format(arena, "%s/%s.json", folder, id_text(arena, target).data);
    struct log_place place = log_place_read(arena, str_from(folder), target);
    assert_int_equal(place.cursor.len, 0);
    assert_int_equal(place.since_us, 0x65000001LL * 1000000);
    assert_true(log_place_write(arena, str_from(folder), target, STR("s=a;i=1;b=\"c\"")));
    struct stat facts;
    assert_int_equal(stat(file.data, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0600);
    assert_true(str_is(log_place_read(arena, str_from(folder), target).cursor, "s=a;i=1;b=\"c\""));
    assert_true(log_place_write(arena, str_from(folder), target, STR("s=a;i=2")));
    assert_true(str_is(log_place_read(arena, str_from(folder), target).cursor, "s=a;i=2"));
    static const char *const damaged[] = { "", "{", "{}", "{\"cursor\":\"\"}", "{\"cursor\":7}" };
    for (size_t i = 0; i < LENGTH(damaged); i++) {
        assert_true(disk_replace(file.data, str_from(damaged[i]), 0600, (struct disk_owner){ (uid_t)-1, (gid_t)-1 }));
        place = log_place_read(arena, str_from(folder), target);
        assert_int_equal(place.cursor.len, 0);
        assert_int_equal(place.since_us, 0x65000001LL * 1000000);
    }
    assert_true(log_place_forget(arena, str_from(folder), target));
    assert_true(log_place_forget(arena, str_from(folder), target));
    assert_false(disk_exists(file.data));
    assert_int_equal(rmdir(folder), 0);
}

/* ---- Objects ---- */
static void
an_object_is_named_after_its_first_line(void **state)
{
    (void)state;
    const struct goal_cluster whose = { .name = STR("orders") };
    const struct goal_member where = { .name = STR("orders-6d8fb2-00") };
    struct log_line line = { .cluster = &whose,
                             .member = &where,
                             .type = LOG_POSTGRES_AUDIT,
                             .time_us = 1767225600000042,
                             .text = STR("x"),
                             .place = STR("s=1;i=2") };
    struct goal_log_target target = { .id = { .bytes = { 1 }, .is_there = true }, .prefix = STR("checkout/reeve/") };
    str name = log_object_name(arena, &target, &line), before = name;
    assert_true(
        str_starts_with(name, STR("checkout/reeve/orders/orders-6d8fb2-00/audit/2026/01/01/20260101T000000.000042Z-")));
    assert_true(str_ends_with(name, STR(".log.gz")));
    line.text = STR("another");
    assert_true(str_eq(log_object_name(arena, &target, &line), before));
    /* Two lines of one microsecond have two places. */
    line.place = STR("s=1;i=3");
    assert_false(str_eq(log_object_name(arena, &target, &line), before));
    /* And one line is in an object of each of two targets with one prefix. */
    line.place = STR("s=1;i=2");
    target.id.bytes[0] = 2;
    assert_false(str_eq(log_object_name(arena, &target, &line), before));
}

static void
no_name_leads_out_of_its_folder(void **state)
{
    (void)state;
    const struct goal_cluster whose = { .name = STR("../../x") };
    const struct goal_member where = { .name = STR("..") };
    const struct log_line line = { .cluster = &whose, .member = &where, .type = LOG_PATRONI, .place = STR("s=1") };
    const struct goal_log_target target = { .prefix = STR("a/") };
    assert_true(str_starts_with(log_object_name(arena, &target, &line), STR("a/_._.._x/_./patroni/1970/01/01/")));
}

static void
without_a_role_nothing_is_written(void **state)
{
    (void)state;
    const struct goal_log_target target = { .form = LOG_FORM_OBJECTS, .url = STR_EMPTY, .key = STR_EMPTY };
    str why;
    assert_false(log_objects_write(arena, &target, NULL, 0, &why));
    assert_true(str_starts_with(why, STR("The operator has taken away the role")));
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_told_apart_by_who_wrote_them),
        cmocka_unit_test(what_goes_on_is_of_the_type_that_it_began_with),
        cmocka_unit_test(severity_is_the_first_word_of_one),
        cmocka_unit_test(bytes_that_are_no_text_are_replaced),
        cmocka_unit_test(the_opentelemetry_form_groups_by_who_wrote_it),
        cmocka_unit_test(the_form_of_events_has_one_document_a_line),
        cmocka_unit_test(the_form_of_items_is_a_list),
        cmocka_unit_test(nothing_is_sent_in_a_form_that_is_not_known),
        cmocka_unit_test(an_object_is_named_after_its_first_line),
        cmocka_unit_test(no_name_leads_out_of_its_folder),
        cmocka_unit_test(without_a_role_nothing_is_written),
        cmocka_unit_test(places_are_kept_and_what_is_damaged_begins_with_the_target),
    };
    json_init();
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
