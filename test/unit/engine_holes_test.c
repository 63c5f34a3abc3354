/* SPDX-License-Identifier: Apache-2.0 */
/* What is missing or damaged in a repository, as it follows from what was stored and what is listed. */
#include "check.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/disk.h"
#include "engine/postgres/backup/keep.h"
#include "engine/postgres/backup/verify.h"
#include "engine/postgres/backup/wal_holes.h"
#include "engine/postgres/store/mirror.h"

struct fixture {
    struct arena *arena;
    char folder[64];
};

static struct fixture
set_up(void)
{
    struct fixture f = { .arena = arena_new(1 << 24), .folder = "/tmp/reeve-holes-XXXXXX" };
    struct disk_owner self = { getuid(), getgid() };
    assert_non_null(mkdtemp(f.folder));
    assert_true(disk_make_folder(str_format(f.arena, "%s/wal", f.folder).data, 0700, self));
    /* The second timeline began in the middle of segment 5. */
    assert_true(disk_replace(str_format(f.arena, "%s/wal/00000002.history", f.folder).data,
                             STR("1\t0/5800000\tno recovery target specified\n"), 0600, self));
    return f;
}

static void
tear_down(struct fixture *f)
{
    assert_true(disk_remove_tree(f->folder));
    arena_free(f->arena);
}

static json_t *
parse(struct arena *arena, const char *text)
{
    char *copy = ARENA_ARRAY(arena, char, strlen(text));
    for (size_t i = 0; i < strlen(text); i++)
        copy[i] = text[i] == '\'' ? '"' : text[i];
    json_t *parsed = json_parse_own(arena, (str){ copy, strlen(text) });
    assert_non_null(parsed);
    return parsed;
}

/* Segments 2 to 8, of 16 MB; the marks are the last moments in each of them. */
static const char memory[] =
    "{'segmentBytes': 16777216, 'spans': [{'ordinal': 3, 'fromLsn': '0/2000000', 'toLsn': '0/9000000', 'fromTimeline': 1, 'toTimeline': 2, "
    "'fromMs': 1000, 'toMs': 9500, 'endedBy': ''}], "
    "'marks': [[50000000, 2900], [67000000, 3900], [83000000, 4900], [100000000, 5900], [117000000, 6900], [134000000, 7900], [150000000, 8900]]}";

#define S(timeline, number) "17-1/0000000" timeline "00000000/0000000" timeline "0000000000000" number "-abc.zst\n"
#define WHOLE               S("1", "002") S("1", "003") S("1", "004") S("2", "005") S("2", "006") S("2", "007") S("2", "008")
static const char nothing[] = "[{'backup': []}]";

static const char *
holes(struct fixture *f, const char *listed, const char *info, int64_t shortened_ms, const char *damaged)
{
    json_t *found;
    struct buf out = buf_in(f->arena, 1 << 16);
    const json_t *one;
    size_t i;
    struct wal_look look = { .folder = str_from(f->folder),
                             .memory = parse(f->arena, memory),
                             .info = parse(f->arena, info),
                             .shortened_ms = shortened_ms,
                             .listed = str_from(listed),
                             .damaged = parse(f->arena, damaged) };
    assert_ptr_equal(wal_holes(f->arena, &look, &found), OK);
    json_array_foreach(found, i, one) buf_format(
        &out, "%s%lld: %s-%s tl %lld|%lld ms %lld|%lld", i == 0 ? "" : ", ", (long long)json_int_at(one, "ordinal"),
        json_text_at(one, "fromLsn").data, json_text_at(one, "toLsn").data,
        (long long)json_int_at(one, "beforeTimeline"), (long long)json_int_at(one, "afterTimeline"),
        (long long)json_int_at(one, "beforeMs"), (long long)json_int_at(one, "afterMs"));
    return buf_str(&out).len == 0 ? "" : buf_str(&out).data;
}

static void
what_was_stored_and_is_not_listed_is_a_hole(void **state)
{
    (void)state;
    struct fixture f = set_up();
    assert_string_equal(holes(&f, WHOLE, nothing, 0, "[]"), "");
    /* Moments before it are known up to the last of the segment before, moments behind it from the first that is known there. */
    assert_string_equal(holes(&f, S("1", "002") S("1", "003") S("2", "005") S("2", "006") S("2", "007") S("2", "008"),
                              nothing, 0, "[]"),
                        "3: 0/4000000-0/5000000 tl 1|2 ms 3900|5900");
    assert_string_equal(holes(&f, S("1", "002") S("1", "004") S("2", "007") S("2", "008"), nothing, 0, "[]"),
                        "3: 0/3000000-0/4000000 tl 1|1 ms 2900|4900, 3: 0/5000000-0/7000000 tl 1|2 ms 4900|7900");
    /* The last one, behind which nothing is known yet; and the first, before which nothing is. */
    assert_string_equal(
        holes(&f, S("1", "003") S("1", "004") S("2", "005") S("2", "006") S("2", "007"), nothing, 0, "[]"),
        "3: 0/2000000-0/3000000 tl 1|1 ms -1|3900, 3: 0/8000000-0/9000000 tl 2|2 ms 7900|-1");
    tear_down(&f);
}

/* The fork's segment of the timeline that was left is of no use to anybody. */
static void
the_file_counts_that_postgresql_looks_for(void **state)
{
    (void)state;
    struct fixture f = set_up();
    assert_string_equal(
        holes(&f, WHOLE S("1", "005") S("1", "006") "archive.info\n17-1/00000002.history.gz\n", nothing, 0, "[]"), "");
    assert_string_equal(
        holes(&f, S("1", "002") S("1", "003") S("1", "004") S("1", "005") S("2", "006") S("2", "007") S("2", "008"),
              nothing, 0, "[]"),
        "3: 0/5000000-0/6000000 tl 1|2 ms 4900|6900");
    tear_down(&f);
}

static void
wal_that_was_removed_on_purpose_is_no_hole(void **state)
{
    (void)state;
    struct fixture f = set_up();
    static const char backups[] =
        "[{'backup': [{'type': 'full', 'lsn': {'start': '0/3000028', 'stop': '0/3000100'}, 'timestamp': {'stop': 10}}, "
        "{'type': 'diff', 'lsn': {'start': '0/4000028', 'stop': '0/4000100'}, 'timestamp': {'stop': 15}}, "
        "{'type': 'full', 'lsn': {'start': '0/6000028', 'stop': '0/7000100'}, 'timestamp': {'stop': 20}}]}]";
    static const char left[] = S("1", "003") S("1", "004") S("2", "006") S("2", "007") S("2", "008");
    assert_string_equal(holes(&f, left, backups, 20000, "[]"), "");
    assert_string_equal(holes(&f, left, backups, 0, "[]"),
                        "3: 0/2000000-0/3000000 tl 1|1 ms -1|3900, 3: 0/5000000-0/6000000 tl 1|2 ms 4900|6900");
    /* What an older backup needs for itself must be there. */
    assert_string_equal(holes(&f, S("1", "003") S("2", "006") S("2", "007") S("2", "008"), backups, 20000, "[]"),
                        "3: 0/4000000-0/5000000 tl 1|2 ms 3900|5900");
    tear_down(&f);
}

/* PostgreSQL finds no end there, but an error: it must find a commit behind the moment before that. */
static void
a_damaged_segment_is_a_hole_and_takes_a_little_more(void **state)
{
    (void)state;
    struct fixture f = set_up();
    assert_string_equal(holes(&f, WHOLE, nothing, 0, "['000000020000000000000007-abc.zst']"),
                        "3: 0/7000000-0/8000000 tl 2|2 ms 5900|8900");
    tear_down(&f);
}

static void
a_history_that_is_gone_is_said(void **state)
{
    (void)state;
    struct fixture f = set_up();
    json_t *found = NULL;
    struct wal_look look = { .folder = STR("/nowhere"), .memory = parse(f.arena, memory), .listed = STR(WHOLE) };
    error why = wal_holes(f.arena, &look, &found);
    assert_true(why != OK && strstr(why->detail.data, "history of timeline 2 is gone") != NULL);
    assert_null(found);
    look.memory = NULL; /* nothing was ever stored */
    assert_ptr_equal(wal_holes(f.arena, &look, &found), OK);
    assert_int_equal(json_array_size(found), 0);
    tear_down(&f);
}

/* ---- What pgBackRest says ---- */
static void
damage_is_read_from_what_pgbackrest_says_although_it_ends_well(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 22);
    json_t *wal, *backups;
    static const char said[] =
        "P00   INFO: verify command begin 2.55.1: --config=/x/c.conf --stanza=s\n"
        "P01   INFO: invalid checksum '17-1/0000000100000000/000000010000000000000003-04c95b7f14123b0a912d7901627b06b17343ce06.zst'\n"
        "P01   INFO: invalid result 17-1/0000000100000000/000000010000000000000004-ec3a5e85a80cf5034ef369f2634a69f059757399.zst: [95] raised from local-1 protocol: cipher header invalid\n"
        "                [CryptoError] on 2 retries from 10-15011ms: cipher header invalid\n"
        "P01   INFO: invalid checksum '20261117-080925F/bundle/1'\n"
        "P00   INFO: stanza: s\n"
        "            status: error\n"
        "              backup: 20261117-080925F, status: invalid, total files checked: 966, total valid files: 947\n"
        "stanza: s\n"
        "status: error\n"
        "  archiveId: 17-1, total WAL checked: 5, total valid WAL: 3\n"
        "    checksum invalid: 1, other: 1\n"
        "  backup: 20261117-080925F, status: invalid, total files checked: 966, total valid files: 947\n"
        "    checksum invalid: 19\n"
        "  backup: 20261117-090000F, status: in-progress, total files checked: 0, total valid files: 0\n";
    assert_ptr_equal(verify_read(arena, str_from(said), &wal, &backups), OK);
    assert_int_equal(json_array_size(wal), 2);
    assert_string_equal(json_string_value(json_array_get(wal, 0)),
                        "000000010000000000000003-04c95b7f14123b0a912d7901627b06b17343ce06.zst");
    assert_string_equal(json_string_value(json_array_get(wal, 1)),
                        "000000010000000000000004-ec3a5e85a80cf5034ef369f2634a69f059757399.zst");
    assert_int_equal(json_array_size(backups), 1);
    assert_string_equal(json_string_value(json_array_get(backups, 0)), "20261117-080925F");
    assert_ptr_equal(verify_read(arena, STR("P00   INFO: verify command begin\n"), &wal, &backups), OK);
    assert_int_equal(json_array_size(wal) + json_array_size(backups), 0);
    error why = verify_read(arena, STR("stanza: s\nstatus: error\n  No usable archive.info file\n"), &wal, &backups);
    assert_true(why != OK && str_is(why->detail, "The repository is damaged: No usable archive.info file."));
    why = verify_read(arena, STR("stanza: s\nstatus: error"), &wal, &backups);
    assert_true(why != OK);
    arena_free(arena);
}

/* pgBackRest 2.55 says that a differential backup is valid while the full one that it builds on is not. */
static void
what_builds_on_a_damaged_backup_is_damaged(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 22);
    json_t *info = parse(
        arena, "[{'backup': [{'label': 'A', 'error': false}, {'label': 'A_D', 'reference': ['A'], 'error': false}, "
               "{'label': 'B', 'error': false, 'timestamp': {'stop': 5}, 'type': 'full'}]}]");
    verify_mark_damaged(parse(arena, "{'wal': [], 'backups': ['A']}"), keep_backups(info));
    static const bool is_damaged[] = { true, true, false };
    for (size_t i = 0; i < LENGTH(is_damaged); i++) {
        const json_t *backup = json_array_get(keep_backups(info), i);
        assert_int_equal(json_is_true(json_object_get(backup, "error")), is_damaged[i]);
        assert_int_equal(json_text_at(backup, "damage").len > 0, is_damaged[i]);
    }
    verify_mark_damaged(NULL, keep_backups(info)); /* nothing was read yet */
    arena_free(arena);
}

static void
a_restore_out_of_a_store_needs_what_follows_its_backup(void **state)
{
    (void)state;
    const str first = STR("000000010000000000000005"), last = STR("000000010000000000000006");
    static const struct {
        const char *path;
        bool is_wanted, is_wanted_exactly;
    } files[] = {
        { "archive/a-1/archive.info", true, true },
        { "archive/a-1/17-1/00000002.history", true, true },
        { "archive/a-1/17-1/0000000100000000/000000010000000000000004-0123.zst", false, false },
        { "archive/a-1/17-1/0000000100000000/000000010000000000000005-0123.zst", true, true },
        { "archive/a-1/17-1/0000000200000000/000000020000000000000007-0123.zst", true, false },
        { "archive/a-1/17-1/0000000200000000/000000020000000000000003-0123.zst", false, false },
    };
    for (size_t i = 0; i < LENGTH(files); i++) {
        assert_int_equal(mirror_wants(str_from(files[i].path), first, STR_EMPTY), files[i].is_wanted);
        assert_int_equal(mirror_wants(str_from(files[i].path), first, last), files[i].is_wanted_exactly);
    }
}

int
main(void)
{
    json_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_stored_and_is_not_listed_is_a_hole),
        cmocka_unit_test(the_file_counts_that_postgresql_looks_for),
        cmocka_unit_test(wal_that_was_removed_on_purpose_is_no_hole),
        cmocka_unit_test(a_damaged_segment_is_a_hole_and_takes_a_little_more),
        cmocka_unit_test(a_history_that_is_gone_is_said),
        cmocka_unit_test(damage_is_read_from_what_pgbackrest_says_although_it_ends_well),
        cmocka_unit_test(what_builds_on_a_damaged_backup_is_damaged),
        cmocka_unit_test(a_restore_out_of_a_store_needs_what_follows_its_backup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
