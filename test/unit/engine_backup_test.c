/* SPDX-License-Identifier: Apache-2.0 */
/* What a receiver of WAL remembers and tells, and what is read from pgBackRest. */
#include "check.h"

#include <stdlib.h>
#include <unistd.h>

#include "agent/seat/seat_files.h"
#include "base/json.h"
#include "engine/postgres/backup/keep.h"
#include "engine/postgres/backup/wal_folder.h"
#include "engine/postgres/backup/wal_state.h"
#include "engine/program.h"

enum { SEGMENT = 4 * 1024 * 1024 };

struct fixture {
    struct arena *arena;
    char folder[64];
    struct wal_state *state;
};

static void
open_state(struct fixture *f)
{
    assert_ptr_equal(wal_state_open(f->arena, str_from(f->folder), &f->state), OK);
}

static struct fixture
set_up(void)
{
    struct fixture f = { .arena = arena_new(1 << 24), .folder = "/tmp/reeve-backup-XXXXXX" };
    struct disk_owner self = { getuid(), getgid() };
    assert_non_null(mkdtemp(f.folder));
    assert_true(disk_make_folder(str_format(f.arena, "%s/state", f.folder).data, 0700, self));
    open_state(&f);
    assert_true(wal_state_set_segment_bytes(f.state, SEGMENT));
    return f;
}

static void
tear_down(struct fixture *f)
{
    wal_state_close(f->state);
    assert_true(disk_remove_tree(f->folder));
    arena_free(f->arena);
}

static json_t *
told(struct fixture *f)
{
    str text;
    assert_true(wal_state_publish(f->state, f->arena));
    assert_true(disk_read(f->arena, str_format(f->arena, "%s/" SEAT_STATE_FILE, f->folder).data, 1 << 20, &text));
    return json_parse_own(f->arena, text);
}

static json_t *
span(struct fixture *f, size_t place)
{
    return json_array_get(json_object_get(told(f), "spans"), place);
}

static void
observe(struct fixture *f, uint64_t number, int64_t primary_ms, uint64_t flushed, uint64_t received)
{
    struct wal_observation seen = {
        .number = number, .primary_ms = primary_ms, .flushed = flushed, .timeline = 1, .segment_bytes = SEGMENT
    };
    wal_state_observe(f->state, &seen, received);
}

static void
a_moment_is_in_the_window_when_all_that_was_flushed_then_is_here(void **state)
{
    (void)state;
    struct fixture f = set_up();
    assert_ptr_equal(wal_state_pushed(f.state, f.arena, (struct wal_place){ 1, 5 }), OK);
    observe(&f, 1, 1000, 100, 90); /* ten bytes are missing */
    assert_int_equal(json_integer_value(json_object_get(span(&f, 0), "toMs")), -1);
    observe(&f, 2, 2000, 200, 100); /* what was flushed a second ago is here, what is flushed now is not */
    assert_int_equal(json_integer_value(json_object_get(span(&f, 0), "toMs")), 1000);
    assert_int_equal(json_integer_value(json_object_get(told(&f), "lagBytes")), 100);
    observe(&f, 2, 2000, 200, 200);
    assert_int_equal(json_integer_value(json_object_get(span(&f, 0), "toMs")), 2000);
    observe(&f, 3, 500, 200, 200); /* the primary's clock was set back: the window tells its time */
    assert_int_equal(json_integer_value(json_object_get(span(&f, 0), "toMs")), 500);
    tear_down(&f);
}

static void
a_writer_that_never_rests_does_not_keep_the_window_from_moving(void **state)
{
    (void)state;
    struct fixture f = set_up();
    assert_ptr_equal(wal_state_pushed(f.state, f.arena, (struct wal_place){ 1, 5 }), OK);
    for (uint64_t i = 1; i < 1000; i++)
        observe(&f, i, (int64_t)i * 1000, i * 100, (i - 1) * 100); /* always a second behind */
    assert_int_equal(json_integer_value(json_object_get(span(&f, 0), "toMs")), 998000);
    for (uint64_t i = 1000; i < 2000; i++)
        observe(&f, i, (int64_t)i * 1000, i * 100, 99900); /* and for long nothing comes at all */
    observe(&f, 2000, 2000000, 200000, 200000);
    assert_int_equal(json_integer_value(json_object_get(span(&f, 0), "toMs")), 2000000);
    tear_down(&f);
}

static void
a_gap_ends_what_was_continuous_for_good(void **state)
{
    (void)state;
    struct fixture f = set_up();
    struct wal_place last;
    assert_false(wal_state_last(f.state, &last));
    assert_ptr_equal(wal_state_pushed(f.state, f.arena, (struct wal_place){ 1, 5 }), OK);
    assert_ptr_equal(wal_state_pushed(f.state, f.arena, (struct wal_place){ 1, 6 }), OK);
    observe(&f, 1, 1000, 100, 100);
    assert_ptr_equal(wal_state_begin_span(f.state, f.arena, (struct wal_place){ 2, 9 }, STR("Two are missing.")), OK);
    assert_true(wal_state_last(f.state, &last) && last.timeline == 2 && last.segment == 8);
    assert_ptr_equal(wal_state_pushed(f.state, f.arena, (struct wal_place){ 2, 9 }), OK);
    assert_ptr_equal(wal_state_pushed_history(f.state, f.arena, 2), OK);
    assert_ptr_equal(wal_state_made_stanza(f.state, f.arena), OK);
    for (int life = 0; life < 2; life++) { /* and after the receiver was killed */
        assert_string_equal(json_string_value(json_object_get(span(&f, 0), "endedBy")), "Two are missing.");
        assert_string_equal(json_string_value(json_object_get(span(&f, 0), "toLsn")), "0/1C00000");
        assert_string_equal(json_string_value(json_object_get(span(&f, 1), "fromLsn")), "0/2400000");
        assert_string_equal(json_string_value(json_object_get(span(&f, 1), "toLsn")), "0/2800000");
        assert_string_equal(json_string_value(json_object_get(span(&f, 1), "endedBy")), "");
        assert_int_equal(json_integer_value(json_object_get(span(&f, 1), "ordinal")), 1);
        assert_true(wal_state_has_history(f.state, 2) && !wal_state_has_history(f.state, 3));
        assert_true(wal_state_has_stanza(f.state));
        assert_true(wal_state_last(f.state, &last) && last.segment == 9);
        assert_false(wal_state_set_segment_bytes(f.state, SEGMENT * 2));
        wal_state_close(f.state);
        open_state(&f);
    }
    tear_down(&f);
}

/* They were promised, and a restore to one of them ended before it. */
static void
moments_that_were_never_stored_go_with_a_gap(void **state)
{
    (void)state;
    struct fixture f = set_up();
    assert_ptr_equal(wal_state_pushed(f.state, f.arena, (struct wal_place){ 1, 5 }), OK);
    observe(&f, 1, 1000, 5 * SEGMENT + 10, 5 * SEGMENT + 10);
    observe(&f, 2, 2000, 6 * SEGMENT + 10, 6 * SEGMENT + 10); /* of a segment that never became whole */
    assert_int_equal(json_integer_value(json_object_get(span(&f, 0), "toMs")), 2000);
    assert_ptr_equal(wal_state_begin_span(f.state, f.arena, (struct wal_place){ 2, 9 }, STR("Two are missing.")), OK);
    assert_int_equal(json_integer_value(json_object_get(span(&f, 0), "toMs")), 1000);
    tear_down(&f);
}

/* A history that has ended has no primary that could say it again: without its last moment it would end at its last full segment. */
static void
the_last_moment_survives_a_receiver_that_no_primary_answers(void **state)
{
    (void)state;
    struct fixture f = set_up();
    struct disk_owner self = { getuid(), getgid() };
    str published = str_format(f.arena, "%s/" SEAT_STATE_FILE, f.folder);
    assert_ptr_equal(wal_state_pushed(f.state, f.arena, (struct wal_place){ 1, 5 }), OK);
    observe(&f, 1, 1000, 100, 100); /* after the last segment: only what is published says so */
    told(&f);
    for (int life = 0; life < 2; life++) {
        wal_state_close(f.state);
        open_state(&f);
        assert_int_equal(json_integer_value(json_object_get(span(&f, 0), "fromMs")), 1000);
        assert_int_equal(json_integer_value(json_object_get(span(&f, 0), "toMs")), 1000);
    }
    assert_ptr_equal(wal_state_begin_span(f.state, f.arena, (struct wal_place){ 1, 9 }, STR("Two are missing.")), OK);
    wal_state_close(f.state);
    open_state(&f); /* what was published is of another span */
    assert_int_equal(json_integer_value(json_object_get(span(&f, 1), "toMs")), -1);
    wal_state_close(f.state);
    assert_true(
        disk_replace(published.data, STR("{\"spans\":[{"), 0600, self)); /* the host lost power while it was written */
    open_state(&f);
    assert_int_equal(json_integer_value(json_object_get(span(&f, 1), "toMs")), -1);
    tear_down(&f);
}

/* When a segment is found to be missing, it is known when it began; of old ones less exactly, and never too late. */
static void
the_last_moment_of_each_segment_is_remembered(void **state)
{
    (void)state;
    struct fixture f = set_up();
    str text;
    for (uint64_t i = 1; i <= 5000; i++) {
        observe(&f, 2 * i, (int64_t)i * 1000, i * SEGMENT + 10, i * SEGMENT + 10);
        observe(&f, 2 * i + 1, (int64_t)i * 1000 + 500, i * SEGMENT + 20, i * SEGMENT + 20);
        if (i == 1) /* a moment counts when there is a span that it belongs to */
            assert_ptr_equal(wal_state_pushed(f.state, f.arena, (struct wal_place){ 1, 1 }), OK);
    }
    assert_ptr_equal(wal_state_pushed(f.state, f.arena, (struct wal_place){ 1, 5000 }), OK);
    for (int life = 0; life < 2; life++) {
        assert_true(disk_read(f.arena, str_format(f.arena, "%s/" SEAT_MEMORY_FILE, f.folder).data, 1 << 20, &text));
        const json_t *marks = json_object_get(json_parse_own(f.arena, text), "marks"), *one;
        size_t i;
        assert_in_range(json_array_size(marks), 1000, 2048);
        json_array_foreach(marks, i, one)
        {
            int64_t lsn = json_integer_value(json_array_get(one, 0));
            assert_int_equal(json_integer_value(json_array_get(one, 1)), lsn / SEGMENT * 1000 + 500);
        }
        one = json_array_get(marks, json_array_size(marks) - 1);
        assert_int_equal(json_integer_value(json_array_get(one, 1)), 5000500);
        wal_state_close(f.state);
        open_state(&f);
        assert_ptr_equal(wal_state_made_stanza(f.state, f.arena), OK); /* writes it again */
    }
    tear_down(&f);
}

static void
observe_skewed(struct fixture *f, uint64_t number, int64_t primary_ms, int64_t skew_ms)
{
    struct wal_observation seen = { .number = number,
                                    .primary_ms = primary_ms,
                                    .skew_ms = skew_ms,
                                    .flushed = number * 100,
                                    .timeline = 1,
                                    .segment_bytes = SEGMENT };
    wal_state_observe(f->state, &seen, number * 100);
    assert_ptr_equal(wal_state_follow_clock(f->state, f->arena), OK);
}

/* Two weeks ahead: no moment of that time is promised, and none after it from a backup before it. */
static void
a_clock_that_is_wrong_adds_nothing_to_the_window(void **state)
{
    (void)state;
    const int64_t weeks_ms = (int64_t)14 * 24 * 3600 * 1000;
    struct fixture f = set_up();
    assert_ptr_equal(wal_state_pushed(f.state, f.arena, (struct wal_place){ 1, 5 }), OK);
    observe_skewed(&f, 1, 1000, 10);
    observe_skewed(&f, 2, 2000 - weeks_ms, -weeks_ms);
    observe_skewed(&f, 3, 3000, 20); /* behind: who looks for a later moment finds it */
    assert_int_equal(json_array_size(json_object_get(told(&f), "spans")), 1);
    assert_int_equal(json_integer_value(json_object_get(span(&f, 0), "toMs")), 3000);
    observe_skewed(&f, 4, 4000 + weeks_ms, weeks_ms);
    assert_int_equal(json_integer_value(json_object_get(span(&f, 0), "toMs")), 3000);
    wal_state_close(f.state); /* and after the receiver was killed */
    open_state(&f);
    observe_skewed(&f, 5, 5000 + weeks_ms, weeks_ms);
    assert_int_equal(json_array_size(json_object_get(told(&f), "spans")), 1);
    observe_skewed(&f, 6, 6000, 10);
    assert_int_equal(json_array_size(json_object_get(told(&f), "spans")), 2);
    assert_non_null(strstr(json_string_value(json_object_get(span(&f, 0), "endedBy")), "clock was ahead"));
    assert_int_equal(json_integer_value(json_object_get(span(&f, 0), "toMs")), 3000);
    assert_string_equal(json_string_value(json_object_get(span(&f, 1), "fromLsn")), "0/1800000");
    observe_skewed(&f, 7, 7000, 10);
    assert_int_equal(json_array_size(json_object_get(told(&f), "spans")), 2);
    assert_int_equal(json_integer_value(json_object_get(span(&f, 1), "toMs")), 7000);
    assert_ptr_equal(wal_state_pushed(f.state, f.arena, (struct wal_place){ 1, 6 }), OK); /* no gap */
    assert_int_equal(json_array_size(json_object_get(told(&f), "spans")), 2);
    tear_down(&f);
}

/* pg_receivewal fills a file before it writes to it. When the disk was full then, it would refuse the file for ever. */
static void
a_file_that_could_not_be_filled_is_put_aside(void **state)
{
    (void)state;
    struct fixture f = set_up();
    struct disk_owner self = { getuid(), getgid() };
    static const struct {
        const char *name;
        off_t size;
        bool stays;
    } files[] = { { "000000010000000000000005", SEGMENT, true },
                  { "000000010000000000000006.partial", SEGMENT, true },
                  { "000000010000000000000007.partial", 8192, false },
                  { "000000010000000000000008.partial", 0, true } };
    assert_true(disk_make_folder(str_format(f.arena, "%s/wal", f.folder).data, 0700, self));
    assert_true(disk_make_folder(str_format(f.arena, "%s/aside", f.folder).data, 0700, self));
    for (size_t i = 0; i < LENGTH(files); i++) {
        str path = str_format(f.arena, "%s/wal/%s", f.folder, files[i].name);
        assert_true(disk_replace(path.data, STR("x"), 0600, self));
        assert_int_equal(truncate(path.data, files[i].size), 0);
    }
    assert_ptr_equal(wal_folder_put_stubs_aside(f.arena, str_from(f.folder), SEGMENT), OK);
    for (size_t i = 0; i < LENGTH(files); i++) {
        const char *place = files[i].stays ? "wal" : "aside";
        assert_true(disk_exists(str_format(f.arena, "%s/%s/%s", f.folder, place, files[i].name).data));
    }
    tear_down(&f);
}

/* A drill that began meanwhile was told to have failed: what was received ended at 0/1B80000, and recovery at the switch. */
static void
a_position_behind_a_switch_is_none_that_recovery_comes_to(void **state)
{
    (void)state;
    struct fixture f = set_up();
    struct disk_owner self = { getuid(), getgid() };
    enum { PAGE = 8192, WRITTEN_PAGES = 3 };
    static char written[WRITTEN_PAGES * PAGE];
    const struct wal_file file = { { 1, 5 }, false }, missing = { { 1, 6 }, false };
    const uint64_t begin = (uint64_t)5 * SEGMENT;
    for (size_t page = 0; page < WRITTEN_PAGES; page++)
        memcpy(written + page * PAGE, "\x16\xd1", 2);
    str folder = str_from(f.folder), path = str_format(f.arena, "%s/wal/000000010000000000000005.partial", f.folder);
    assert_true(disk_make_folder(str_format(f.arena, "%s/wal", f.folder).data, 0700, self));
    assert_true(disk_replace(path.data, (str){ written, sizeof(written) }, 0600, self));
    assert_int_equal(truncate(path.data, SEGMENT), 0);
    assert_true(wal_folder_has_written(f.arena, folder, &file, SEGMENT, begin + 1));
    assert_true(wal_folder_has_written(f.arena, folder, &file, SEGMENT, begin + 2 * PAGE + 2080));
    assert_true(wal_folder_has_written(f.arena, folder, &file, SEGMENT, begin + WRITTEN_PAGES * PAGE));
    assert_false(wal_folder_has_written(f.arena, folder, &file, SEGMENT, begin + WRITTEN_PAGES * PAGE + 1));
    assert_false(wal_folder_has_written(f.arena, folder, &file, SEGMENT, begin + 100 * PAGE));
    assert_false(wal_folder_has_written(f.arena, folder, &missing, SEGMENT, begin + SEGMENT + 1));
    tear_down(&f);
}

/* Who forgot what is stored would take a gap for a beginning. */
static void
a_damaged_memory_is_not_taken_for_an_empty_one(void **state)
{
    (void)state;
    struct fixture f = set_up();
    struct disk_owner self = { getuid(), getgid() };
    static const char *const damaged[] = { "", "{", "{}", "{\"spans\":[{}]}", "{\"spans\":[],\"hasLast\":true}" };
    for (size_t i = 0; i < LENGTH(damaged); i++) {
        struct wal_state *ignored = NULL;
        assert_true(
            disk_replace(str_format(f.arena, "%s/" SEAT_MEMORY_FILE, f.folder).data, str_from(damaged[i]), 0600, self));
        assert_ptr_not_equal(wal_state_open(f.arena, str_from(f.folder), &ignored), OK);
    }
    tear_down(&f);
}

static void
what_would_be_removed_is_read_from_what_pgbackrest_says(void **state)
{
    (void)state;
    str said = STR(
        "2026-11-16 13:52:01.123 P00   INFO: [DRY-RUN] expire command begin 2.55.1: --dry-run --set=20261116-133833F\n"
        "2026-11-16 13:52:01.124 P00   INFO: [DRY-RUN] repo1: expire adhoc backup set 20261116-133833F, 20261116-133833F_20261116-133943D\n"
        "2026-11-16 13:52:01.125 P00   INFO: [DRY-RUN] repo1: remove expired backup 20261116-133833F_20261116-133943D\n"
        "2026-11-16 13:52:01.126 P00   INFO: [DRY-RUN] repo1: remove expired backup 20261116-133833F\n");
    str label;
    assert_true(keep_next_removed(&said, &label) && str_is(label, "20261116-133833F_20261116-133943D"));
    assert_true(keep_next_removed(&said, &label) && str_is(label, "20261116-133833F"));
    assert_false(keep_next_removed(&said, &label));
}

/* Who was killed in the middle of a removal left a folder that is in no list. Every removal after it was refused, because that folder would go with it. */
static void
a_removal_that_was_broken_off_keeps_no_other_from_being_removed(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 20);
    json_t *info = json_parse_own(
        arena,
        STR("[{\"backup\": [{\"label\": \"20261116-133833F\"}, {\"label\": \"20261116-133833F_20261116-133943D\"}]}]"));
    str whole = STR("INFO: [DRY-RUN] repo1: remove expired backup 20261116-133833F\n"),
        leaf = STR("INFO: [DRY-RUN] repo1: remove expired backup 20261116-133833F_20261116-133943D\n"),
        left = STR("INFO: [DRY-RUN] repo1: remove expired backup 20261115-120000F\n");
    str both = str_format(arena, "%s%s", leaf.data, whole.data), more = str_format(arena, "%s%s", leaf.data, left.data);
    str own = STR("20261116-133833F_20261116-133943D"), full = STR("20261116-133833F");
    assert_ptr_equal(keep_check_removal(arena, info, leaf, own), OK);
    assert_ptr_equal(keep_check_removal(arena, info, more, own), OK);
    assert_ptr_not_equal(keep_check_removal(arena, info, both, full), OK); /* what builds on it would go */
    assert_ptr_not_equal(keep_check_removal(arena, info, left, own), OK);  /* it would not go itself */
    assert_ptr_not_equal(keep_check_removal(arena, info, STR_EMPTY, own), OK);
    assert_true(keep_is_unsettled(info, left));
    assert_false(keep_is_unsettled(info, STR_EMPTY));
    assert_false(keep_is_unsettled(info, more)); /* not by the way */
    arena_free(arena);
}

/* Who was killed between the end of a backup and the list had it made a second time, and one of the two was known to nobody. */
static void
a_backup_that_is_whole_and_in_no_list_is_found(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 20);
    json_t *info = json_parse_own(arena, STR("[{\"backup\": [{\"label\": \"20261116-133833F\"}]}]"));
    str found = STR(
        "WARN: [DRY-RUN] backup '20261116-140000F' found in repository added to backup.info\nINFO: [DRY-RUN] expire command end\n");
    str other = str_format(arena, "%sINFO: [DRY-RUN] repo1: remove expired backup 20261116-133833F\n", found.data);
    assert_true(keep_is_unsettled(info, found));
    assert_false(keep_is_unsettled(info, other));
    arena_free(arena);
}

/* `info` ends well in all of these cases. */
static void
a_repository_that_lets_nobody_in_is_not_taken_for_an_empty_one(void **state)
{
    (void)state;
    static const struct {
        const char *status, *why;
        bool has_stanza;
    } rows[] = {
        { "{\"code\":0,\"message\":\"ok\"}", "", true },
        { "{\"code\":1,\"message\":\"missing stanza path\"}", "", false },
        { "{\"code\":2,\"message\":\"no valid backups\"}", "", true },
        { "{\"code\":3,\"message\":\"missing stanza data\"}", "", false },
        { "{\"code\":99,\"message\":\"[ProtocolError] HTTP request failed with 403 (Forbidden):\\n*** Path/Query ***:\\nGET /\"}",
          "[ProtocolError] HTTP request failed with 403 (Forbidden):", false },
        { "{\"code\":99}", "pgBackRest does not say why", false },
    };
    struct arena *arena = arena_new(1 << 20);
    for (size_t i = 0; i < LENGTH(rows); i++) {
        str said = str_format(
            arena, "[{\"backup\":[],\"repo\":[{\"cipher\":\"none\",\"key\":1,\"status\":%s}],\"status\":%s}]",
            rows[i].status, rows[i].status);
        json_t *info = json_parse_own(arena, said);
        assert_non_null(info);
        assert_true(str_is(keep_unreadable(info), rows[i].why));
        assert_int_equal(keep_has_stanza(info), rows[i].has_stanza);
    }
    arena_free(arena);
}

static void
wal_of_the_window_stays(void **state)
{
    (void)state;
    static const char said[] = "[{\"backup\":["
                               "{\"type\":\"full\",\"error\":false,\"timestamp\":{\"stop\":100}},"
                               "{\"type\":\"full\",\"error\":false,\"timestamp\":{\"stop\":200}},"
                               "{\"type\":\"diff\",\"error\":false,\"timestamp\":{\"stop\":250}},"
                               "{\"type\":\"full\",\"error\":true,\"timestamp\":{\"stop\":300}},"
                               "{\"type\":\"full\",\"error\":false,\"timestamp\":{\"stop\":400}}]}]";
    static const struct {
        int64_t window_s, count, end_s;
    } rows[] = {
        { 500, 1, 400 },
        { 399, 3, 200 }, /* the one at 300 has damaged pages: nobody can begin there */
        { 199, 4, 100 },
        { 99, 0, 100 }, /* none is older */
    };
    struct arena *arena = arena_new(1 << 20);
    const json_t *info = json_parse_own(arena, str_from(said));
    for (size_t i = 0; i < LENGTH(rows); i++) {
        int64_t end_ms = -1;
        assert_int_equal(keep_fulls_with_wal(info, rows[i].window_s * 1000, &end_ms), rows[i].count);
        assert_int_equal(end_ms, rows[i].end_s * 1000);
    }
    arena_free(arena);
}

static void
what_is_wrong_is_said_with_why(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 16);
    str said = STR(
        "P00   WARN: x\nP00  ERROR: [103]: unable to find a valid repository:\n            repo1: [ProtocolError] HTTP request failed with 403 (Forbidden):\n *** Path ***");
    assert_string_equal(
        program_complaint(arena, said).data,
        "ERROR: [103]: unable to find a valid repository: repo1: [ProtocolError] HTTP request failed with 403 (Forbidden)");
    said = STR(
        "P00  ERROR: [103]: unable to find a valid repository:\n repo1: [ProtocolError] unable to load info file 'a' or 'b':\n"
        "  ProtocolError: HTTP request failed with 403 (Forbidden):\n  *** Path ***:\n  GET /");
    assert_string_equal(
        program_complaint(arena, said).data,
        "ERROR: [103]: unable to find a valid repository: repo1: [ProtocolError] unable to load info file 'a' or 'b': "
        "ProtocolError: HTTP request failed with 403 (Forbidden)");
    assert_string_equal(program_complaint(arena, STR("ERROR: [056]: no\nmore")).data, "ERROR: [056]: no");
    arena_free(arena);
}

static void
a_seat_has_a_repository_of_its_own_and_nothing_expires_by_itself(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 22);
    struct goal_seat_member member = { .id = { { 0xa1 }, true },
                                       .name = STR("s-shard-00-00"),
                                       .address = STR("10.0.1.1"),
                                       .port = 27017,
                                       .backup_port = 27018 };
    struct goal_seat seat = { .stanza = STR("abc123-1"), .cipher_pass = STR("secret"), .members = { 1, &member } };
    str push = seat_config_text(arena, &seat, STR("/F"), false), pull = seat_config_text(arena, &seat, STR("/F"), true);
    assert_non_null(strstr(push.data, "\nrepo1-cipher-pass=secret\n"));
    assert_non_null(strstr(push.data, "\nrepo1-path=/F/repo\n"));
    assert_non_null(strstr(push.data, "\nexpire-auto=n\n"));
    assert_null(strstr(push.data, "queue-max"));
    assert_null(strstr(push.data, "pg1-"));
    assert_non_null(strstr(pull.data, "\n[abc123-1]\npg1-host=10.0.1.1\n"));
    assert_non_null(strstr(pull.data, "\npg1-path=/var/lib/reeve/members/a10000000000000000000000/data\n"));
    seat.store = (struct goal_seat_store){ .endpoint = STR("https://s3.example:9000"),
                                           .bucket = STR("b"),
                                           .region = STR("r"),
                                           .path = STR("/reeve"),
                                           .uri_style = STR("path"),
                                           .authority = STR("PEM"),
                                           .key = STR("k"),
                                           .secret_key = STR("s") };
    seat.store.folder = STR("abc123-1-5e01");
    push = seat_config_text(arena, &seat, STR("/F"), false);
    assert_non_null(
        strstr(push.data,
               "\nio-timeout=20\nrepo1-type=s3\nrepo1-path=/reeve/abc123-1-5e01\nrepo1-s3-endpoint=s3.example:9000\n"));
    assert_null(strstr(push.data, "/F/repo"));
    seat.store.path = STR("/");
    assert_non_null(strstr(seat_config_text(arena, &seat, STR("/F"), false).data, "\nrepo1-path=/abc123-1-5e01\n"));
    arena_free(arena);
}

/* A drill said that a backup is bad because somebody had ended pgBackRest. */
static void
what_was_killed_is_no_verdict(void **state)
{
    (void)state;
    static const char *const killed[] = { "/bin/sh", "-c", "kill -KILL $$", NULL }, *const failed[] = { "/bin/sh", "-c",
                                                                                                        "exit 1",
                                                                                                        NULL };
    struct arena *arena = arena_new(1 << 20);
    error why = program_run(arena, killed, STR_EMPTY);
    assert_true(problem_is_of_moment(why) && strstr(why->detail.data, "ended by a signal") != NULL);
    why = program_run(arena, failed, STR_EMPTY);
    assert_true(why != OK && !problem_is_of_moment(why));
    assert_false(problem_is_of_moment(OK));
    arena_free(arena);
}

int
main(void)
{
    json_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_moment_is_in_the_window_when_all_that_was_flushed_then_is_here),
        cmocka_unit_test(a_writer_that_never_rests_does_not_keep_the_window_from_moving),
        cmocka_unit_test(a_gap_ends_what_was_continuous_for_good),
        cmocka_unit_test(moments_that_were_never_stored_go_with_a_gap),
        cmocka_unit_test(the_last_moment_survives_a_receiver_that_no_primary_answers),
        cmocka_unit_test(the_last_moment_of_each_segment_is_remembered),
        cmocka_unit_test(a_clock_that_is_wrong_adds_nothing_to_the_window),
        cmocka_unit_test(a_file_that_could_not_be_filled_is_put_aside),
        cmocka_unit_test(a_position_behind_a_switch_is_none_that_recovery_comes_to),
        cmocka_unit_test(a_damaged_memory_is_not_taken_for_an_empty_one),
        cmocka_unit_test(what_would_be_removed_is_read_from_what_pgbackrest_says),
        cmocka_unit_test(a_removal_that_was_broken_off_keeps_no_other_from_being_removed),
        cmocka_unit_test(a_backup_that_is_whole_and_in_no_list_is_found),
        cmocka_unit_test(a_repository_that_lets_nobody_in_is_not_taken_for_an_empty_one),
        cmocka_unit_test(wal_of_the_window_stays),
        cmocka_unit_test(what_is_wrong_is_said_with_why),
        cmocka_unit_test(a_seat_has_a_repository_of_its_own_and_nothing_expires_by_itself),
        cmocka_unit_test(what_was_killed_is_no_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
