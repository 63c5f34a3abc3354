/* SPDX-License-Identifier: Apache-2.0 */
/* The control plane's own database on a repository host: the file that says so, the seat that comes of it, and what pgBackRest cannot know. */
#include "check.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/own/own_database.h"
#include "agent/own/own_drill.h"
#include "agent/own/own_expiry.h"
#include "agent/own/own_restore.h"
#include "agent/seat/seat_files.h"
#include "base/disk.h"
#include "engine/postgres/own/own_copy.h"
#include "engine/postgres/own/own_server.h"

enum { ARENA_BYTES = 4 * 1024 * 1024 };

#define assert_text(found, expected) assert_string_equal((found).len == 0 ? "" : (found).data, expected)

static struct own_database
example(void)
{
    return (struct own_database){ .id = id_new(0),
                                  .desired_text = STR("RUNNING"),
                                  .stanza = STR("own-7709104988126412573"),
                                  .major_version = STR("17"),
                                  .cipher_pass = STR("pass"),
                                  .window_days = 7,
                                  .access = { .connection = STR("host='a'"),
                                              .password = STR("p:\\w"),
                                              .superuser = STR("postgres"),
                                              .database = STR("reeve") } };
}

static char folder[] = "/tmp/reeve-own-test-XXXXXX";

static str
below(struct arena *arena, const char *name)
{
    return str_format(arena, "%s/%s", folder, name);
}

static json_t *
parse(struct arena *arena, const char *text)
{
    str copy = str_dup(arena, str_from(text));
    for (char *c = (char *)(uintptr_t)copy.data; *c != '\0'; c++)
        *c = *c == '\'' ? '"' : *c;
    json_t *parsed = json_parse_own(arena, copy);
    assert_non_null(parsed);
    return parsed;
}

/* ---- The file ---- */
static void
what_is_written_is_read(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    struct own_database own = example(), read;
    str path = below(arena, "own.json");
    assert_true(own_database_read(arena, path.data, &read) == OK && !id_is_there(read.id));
    if (geteuid() == 0) { /* the file is root's */
        struct stat status;
        assert_true(own_database_write(arena, path.data, &own) == OK);
        assert_true(own_database_read(arena, path.data, &read) == OK);
        assert_true(id_eq(read.id, own.id) && read.window_days == 7);
        assert_text(read.access.password, "p:\\w");
        assert_text(read.cipher_pass, "pass");
        assert_text(read.access.authority, "");
        assert_true(stat(path.data, &status) == 0 && (status.st_mode & 0777) == 0600);
    }
    assert_true(disk_replace(path.data, STR("{\"id\": 5}"), 0600, (struct disk_owner){ (uid_t)-1, (gid_t)-1 }));
    error why = own_database_read(arena, path.data, &read);
    assert_true(why != OK && str_starts_with(why->detail, path) && !id_is_there(read.id));
    arena_free(arena);
}

/* ---- The seat ---- */
static void
a_seat_comes_of_it_among_those_of_the_goal(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    struct own_database own = example();
    struct goal_seat others[2] = { { .stanza = STR("a") }, { .stanza = STR("b") } };
    struct goal goal = { .seats = { 2, others } };
    others[0].id = others[1].id = (id){ .is_there = true };
    memset(others[0].id.bytes, 0x01, sizeof(others[0].id.bytes));
    memset(others[1].id.bytes, 0xFF, sizeof(others[1].id.bytes));
    assert_true(own_database_join(arena, &own, &goal) == OK);
    assert_int_equal(goal.seats.count, 3);
    assert_true(goal_find_seat(&goal, others[0].id) == &goal.seats.items[0]);
    assert_true(goal_find_seat(&goal, others[1].id) == &goal.seats.items[2]);
    const struct goal_seat *seat = goal_find_seat(&goal, own.id);
    assert_true(seat != NULL && seat_is_own(seat) && !seat_is_own(&goal.seats.items[0]));
    assert_int_equal(seat->desired, SEAT_RUNNING);
    /* The window needs a full backup from before its first moment, which may be eight days older. */
    assert_true(seat->schedule.items.items[0].retention_value > seat->schedule.window_days + 8);
    /* Whoever has the control plane cannot have its past removed, though they know the id. */
    goal.seats.items[1] = (struct goal_seat){ .id = own.id, .stanza = STR("x"), .desired = SEAT_REMOVED };
    assert_true(own_database_join(arena, &own, &goal) == OK);
    assert_int_equal(goal.seats.count, 3);
    seat = goal_find_seat(&goal, own.id);
    assert_true(seat != NULL && seat_is_own(seat) && seat->desired == SEAT_RUNNING);
    struct own_database none = { .window_days = 0 };
    assert_true(own_database_join(arena, &none, &goal) == OK);
    assert_int_equal(goal.seats.count, 3);
    arena_free(arena);
}

static void
what_could_become_a_line_of_configuration_is_refused(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    struct own_database own = example();
    struct goal_seat seat;
    own.cipher_pass = STR("a\nrepo1-path=/");
    assert_true(own_database_seat(arena, &own, &seat) != OK);
    own = example();
    own.stanza = STR("../x");
    assert_true(own_database_seat(arena, &own, &seat) != OK);
    arena_free(arena);
}

static void
pgbackrest_is_told_of_the_copy_and_of_no_server(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    struct own_database own = example();
    struct goal_seat seat;
    assert_true(own_database_seat(arena, &own, &seat) == OK);
    str pull = seat_config_text(arena, &seat, STR("/f"), true), push = seat_config_text(arena, &seat, STR("/f"), false);
    assert_non_null(strstr(pull.data, "\n[own-7709104988126412573]\npg1-path=/f/copy/data\n"));
    assert_null(strstr(pull.data, "pg1-host"));
    assert_null(strstr(push.data, "pg1-path"));
    arena_free(arena);
}

/* ---- The connection ---- */
static void
a_connection_is_taken_without_what_would_not_be_there(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    static const struct {
        const char *given, *taken, *password, *refusal;
    } rows[] = {
        { "host=a user=b dbname=c", "user='b' dbname='c' host='a'", "", "" },
        { "postgresql://b:p%20w@a:5433/c", "user='b' dbname='c' host='a' port='5433'", "p w", "" },
        { "host=a user='it''s' x", "", "", "cannot be understood" },
        { "host=a user='o\\'k'", "user='o\\'k' host='a'", "", "" },
        { "host=a passfile=/root/x", "", "", "--password-file" },
        { "host=a sslkey=/root/x", "", "", "--key" },
        { "", "", "", "at least host" },
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        str connection = STR_EMPTY, password = STR_EMPTY;
        error why = own_server_connection(arena, str_from(rows[i].given), &connection, &password);
        assert_int_equal(why == OK, rows[i].refusal[0] == '\0');
        if (why != OK)
            assert_non_null(strstr(why->detail.data, rows[i].refusal));
        assert_text(connection, rows[i].taken);
        assert_text(password, rows[i].password);
    }
    arena_free(arena);
}

static void
only_files_that_are_needed_are_named(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    struct goal_seat_own access = { .connection = STR("host='a'") };
    assert_text(own_database_connection(arena, &access, STR("/f")), "host='a'");
    access.password = STR("p:\\w");
    access.authority = access.certificate = access.key = STR("PEM");
    assert_text(own_database_connection(arena, &access, STR("/f")),
                "host='a' sslrootcert=/f/tls/authority.crt sslcert=/f/tls/own.crt sslkey=/f/tls/own.key "
                "passfile=/f/tls/passfile");
    assert_text(own_database_passfile(arena, &access), "*:*:*:*:p\\:\\\\w\n");
    arena_free(arena);
}

/* ---- Drills ---- */
static void
there_is_one_drill_a_day_and_one_more_for_whoever_asks(void **state)
{
    (void)state;
    enum { HOUR_MS = 3600 * 1000 };
    struct arena *arena = arena_new(ARENA_BYTES);
    struct own_database own = example();
    struct goal_seat seat;
    assert_true(own_database_seat(arena, &own, &seat) == OK);
    int64_t four = (int64_t)20000 * 24 * HOUR_MS + 4 * HOUR_MS;
    id first = own_drill(arena, &seat, four).id;
    assert_true(id_is_there(first) && id_eq(first, own_drill(arena, &seat, four + 23 * HOUR_MS).id));
    assert_false(id_eq(first, own_drill(arena, &seat, four - 1).id));
    assert_false(id_eq(first, own_drill(arena, &seat, four + 24 * HOUR_MS).id));
    seat.own.drills = 1;
    assert_false(id_eq(first, own_drill(arena, &seat, four).id));
    assert_text(own_drill_program(arena, STR("/nonexistent/reeve-agent")), "");
    arena_free(arena);
}

/* ---- What goes ---- */
#define KEPT(label, type, start, expires)                                                                \
    "{'label': '" label "', 'type': '" type "', 'lsn': {'start': '0/" start "000028', 'stop': '0/" start \
    "000120'}, 'annotation': {'expires': '" expires "'}}"

static void
the_last_full_backup_stays_however_old_it_is(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    static const char spans[] =
        "{'skewMs': %d, 'spans': [{'ordinal': 0, 'fromLsn': '0/1000000', 'toLsn': '0/%s000000', "
        "'fromTimeline': 1, 'toTimeline': 1, 'fromMs': 0, 'toMs': 9, 'endedBy': ''}]}";
    json_t *kept = parse(
        arena, "{'info': [{'backup': [" KEPT("a", "full", "2", "100") ", " KEPT("b", "diff", "3", "100") ", " KEPT(
                   "c", "full", "4", "100") ", " KEPT("d", "diff", "5", "300") "]}]}");
    static const struct {
        int skew_ms;
        const char *until; /* WAL is there */
        long long now_ms;
        bool goes[4];
    } rows[] = {
        { 0, "9", 50, { false, false, false, false } },
        { 0, "9", 200, { true, true, false, false } },
        { 0, "9", 400, { true, true, false, true } },
        { 0, "4", 200, { false, true, false, false } },       /* the second full one is not whole yet */
        { 600000, "9", 400, { false, false, false, false } }, /* a clock is wrong */
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        str wal = str_format(arena, spans, rows[i].skew_ms, rows[i].until);
        struct seat_view view = seat_view_of(arena, parse(arena, wal.data), kept);
        for (size_t k = 0; k < LENGTH(rows[i].goes); k++)
            assert_int_equal(own_backup_is_over(&view, json_array_get(seat_view_backups(&view), k), rows[i].now_ms),
                             rows[i].goes[k]);
    }
    arena_free(arena);
}

/* ---- What pgBackRest cannot know ---- */
#define COPY(label, start)                                                                                          \
    "{'label': '" label "', 'type': 'full', 'archive': {'start': null, 'stop': null}, 'annotation': {'startWal': '" \
    "0000000100000000000000" start "', 'startLsn': '0/" start "000028', 'stopLsn': '0/" start                       \
    "000120', 'segmentBytes': '16777216'}}"

static void
a_copy_says_which_wal_it_needs(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    json_t *backups =
        parse(arena, "[" COPY("a", "04") ", {'label': 'b', 'lsn': {'start': '0/1'}, 'annotation': {'x': 'y'}}]");
    own_copy_complete(backups);
    const json_t *copy = json_array_get(backups, 0), *other = json_array_get(backups, 1);
    assert_text(json_text_at(json_object_get(copy, "archive"), "start"), "000000010000000000000004");
    assert_text(json_text_at(json_object_get(copy, "lsn"), "start"), "0/04000028");
    assert_text(json_text_at(json_object_get(copy, "lsn"), "stop"), "0/04000120");
    assert_text(json_text_at(json_object_get(other, "lsn"), "start"), "0/1");
    own_copy_complete(NULL);
    arena_free(arena);
}

static void
touch(struct arena *arena, const char *name)
{
    assert_true(disk_replace(below(arena, name).data, STR("x"), 0600, (struct disk_owner){ (uid_t)-1, (gid_t)-1 }));
}

static void
wal_goes_that_no_moment_and_no_backup_needs(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    static const struct {
        const char *name;
        bool stays;
    } rows[] = {
        { "a/17-1/0000000100000000/000000010000000000000001-aa.zst", false },
        { "a/17-1/0000000100000000/000000010000000000000002-aa.zst", true }, /* of the first backup */
        { "a/17-1/0000000100000000/000000010000000000000003-aa.zst", false },
        { "a/17-1/0000000200000000/000000020000000000000003-aa.zst", false }, /* another timeline, the same segment */
        { "a/17-1/0000000100000000/000000010000000000000005-aa.zst", true },
        { "a/17-1/0000000100000000/000000010000000000000006-aa.zst", true },
        { "a/17-1/00000002.history", true },
        { "a/17-1/0000000100000000/000000010000000000000001.00000028.backup", true },
    };
    json_t *backups = parse(arena, "[" COPY("a", "02") ", " COPY("b", "05") "]");
    own_copy_complete(backups);
    static const char *const folders[] = { "a", "a/17-1", "a/17-1/0000000100000000", "a/17-1/0000000200000000" };
    for (size_t i = 0; i < LENGTH(folders); i++)
        assert_int_equal(mkdir(below(arena, folders[i]).data, 0700), 0);
    for (size_t i = 0; i < LENGTH(rows); i++)
        touch(arena, rows[i].name);
    str archive = below(arena, "a");
    assert_true(own_copy_shorten_wal(arena, archive, backups, STR_EMPTY) == OK);
    assert_true(disk_exists(below(arena, rows[0].name).data));
    assert_true(own_copy_shorten_wal(arena, archive, backups, STR("000000010000000000000005")) == OK);
    for (size_t i = 0; i < LENGTH(rows); i++)
        assert_int_equal(disk_exists(below(arena, rows[i].name).data), rows[i].stays);
    arena_free(arena);
}

/* Without it PostgreSQL would begin where the server was when the copy ended, and what came of it would be damaged without a word. */
static void
recovery_begins_where_the_copy_began(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    assert_int_equal(mkdir(below(arena, "data").data, 0700), 0);
    assert_true(own_copy_begin_recovery(arena, below(arena, "data")) == OK);
    touch(arena, "data/reeve_backup_label");
    assert_true(own_copy_begin_recovery(arena, below(arena, "data")) == OK);
    assert_true(disk_exists(below(arena, "data/backup_label").data));
    touch(arena, "data/reeve_backup_label"); /* a tenant's, beside that of pgBackRest */
    assert_true(own_copy_begin_recovery(arena, below(arena, "data")) == OK);
    assert_true(disk_exists(below(arena, "data/reeve_backup_label").data));
    arena_free(arena);
}

static void
a_restore_says_what_is_missing(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_BYTES);
    struct own_restored ignored;
    static const struct {
        const char *into, *said;
    } rows[] = { { "relative", "is no path" },
                 { "/top", "is no path" },
                 { "/srv/x/", "is no path" },
                 { "/srv/reeve-own-nowhere", "There are no backups" } };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct own_restore wish = { .from = str_from(folder), .into = str_from(rows[i].into), .to_ms = -1 };
        error why = own_restore(arena, &wish, &ignored);
        assert_true(why != OK && strstr(why->detail.data, rows[i].said) != NULL);
    }
    struct own_restore over = { .from = str_from(folder), .into = below(arena, "data"), .to_ms = -1 };
    error why = own_restore(arena, &over, &ignored);
    assert_true(why != OK && strstr(why->detail.data, "is there already") != NULL);
    arena_free(arena);
}

int
main(void)
{
    json_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(a_seat_comes_of_it_among_those_of_the_goal),
        cmocka_unit_test(what_could_become_a_line_of_configuration_is_refused),
        cmocka_unit_test(pgbackrest_is_told_of_the_copy_and_of_no_server),
        cmocka_unit_test(a_connection_is_taken_without_what_would_not_be_there),
        cmocka_unit_test(only_files_that_are_needed_are_named),
        cmocka_unit_test(there_is_one_drill_a_day_and_one_more_for_whoever_asks),
        cmocka_unit_test(the_last_full_backup_stays_however_old_it_is),
        cmocka_unit_test(a_copy_says_which_wal_it_needs),
        cmocka_unit_test(wal_goes_that_no_moment_and_no_backup_needs),
        cmocka_unit_test(recovery_begins_where_the_copy_began),
        cmocka_unit_test(a_restore_says_what_is_missing),
    };
    if (mkdtemp(folder) == NULL)
        return EXIT_FAILURE;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return disk_remove_tree(folder) ? failed : EXIT_FAILURE;
}
