/* SPDX-License-Identifier: Apache-2.0 */
/* What a member that is restored is told, what it lets in, and what programs' complaints mean to people. */
#include "check.h"

#include <stdlib.h>
#include <unistd.h>

#include "agent/restore/gate_unit.h"
#include "agent/wall.h"
#include "base/json.h"
#include "engine/postgres/backup/restore_log.h"
#include "engine/postgres/backup/restore_order.h"
#include "engine/postgres/postgres.h"

static str networks[] = { STR("203.0.113.7") };

struct fixture {
    struct arena *arena;
    char folder[64];
    struct goal goal;
    struct goal_cluster cluster;
    struct goal_member member;
    struct engine_member self;
};

static void
set_up(struct fixture *f)
{
    *f = (struct fixture){ .arena = arena_new(1 << 24), .folder = "/tmp/reeve-restore-XXXXXX" };
    assert_non_null(mkdtemp(f->folder));
    f->goal = (struct goal){ .authority = STR("FLEET") };
    f->member = (struct goal_member){
        .id = { { 0xa1 }, true }, .name = STR("s-shard-00-00"), .address = STR("10.0.1.1"), .port = 27017
    };
    f->cluster = (struct goal_cluster){ .scope = STR("abc123"),
                                        .major_version = STR("17"),
                                        .access = { .networks = { LENGTH(networks), networks } } };
    f->cluster.restore = (struct goal_restore){ .id = { { 0xf1 }, true },
                                                .phase = RESTORE_BUILD,
                                                .first = f->member.id,
                                                .stanza = STR("other-3"),
                                                .major_version = STR("17"),
                                                .gate = { STR("10.0.0.21"), 27100, STR("reeve-gate-f1") },
                                                .point = { .kind = POINT_TIME,
                                                           .label = STR("20261116-031700F"),
                                                           .time = STR("2026-11-15T19:43:17.120Z"),
                                                           .lsn = STR_EMPTY } };
    f->self = (struct engine_member){ .arena = f->arena,
                                      .goal = &f->goal,
                                      .cluster = &f->cluster,
                                      .member = &f->member,
                                      .folder = str_from(f->folder),
                                      .user = STR("reeve-70001"),
                                      .owner = { getuid(), getgid() },
                                      .files = { getuid(), getgid() } };
    assert_true(disk_make_folder(member_path(&f->self, "tls").data, 0700, f->self.owner));
}

static void
tear_down(struct fixture *f)
{
    assert_true(disk_remove_tree(f->folder));
    arena_free(f->arena);
}

static str
content(struct fixture *f, const char *name)
{
    str text;
    assert_true(disk_read(f->arena, member_path(&f->self, name).data, 1 << 20, &text));
    return text;
}

static const char *
recovery(struct fixture *f, const char *name)
{
    assert_ptr_equal(restore_write_order(&f->self, STR("/usr/bin/reeve-agent")), OK);
    json_t *order = json_parse_own(f->arena, content(f, RESTORE_ORDER_FILE));
    return json_string_value(json_object_get(json_object_get(order, "recovery"), name));
}

static void
each_kind_of_point_is_what_postgresql_calls_it(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f);
    struct goal_point *point = &f.cluster.restore.point;
    assert_string_equal(recovery(&f, "recovery_target_time"), "2026-11-15 19:43:17.120+00");
    assert_string_equal(recovery(&f, "recovery_target_timeline"), "latest");
    assert_string_equal(recovery(&f, "recovery_target_action"), "promote");
    point->timeline = 3;
    assert_string_equal(recovery(&f, "recovery_target_timeline"), "3");
    *point = (struct goal_point){ .kind = POINT_LSN, .label = point->label, .lsn = STR("0/5000148") };
    assert_string_equal(recovery(&f, "recovery_target_lsn"), "0/5000148");
    *point = (struct goal_point){ .kind = POINT_SNAPSHOT, .label = point->label };
    assert_string_equal(recovery(&f, "recovery_target"), "immediate");
    assert_string_equal(recovery(&f, "recovery_target_timeline"), "current");
    *point = (struct goal_point){ .kind = POINT_LATEST, .label = point->label };
    assert_null(recovery(&f, "recovery_target_action"));
    assert_string_equal(recovery(&f, "recovery_target_timeline"), "latest");
    tear_down(&f);
}

/* The only thing that it has of the repository is the way to the gate. */
static void
the_order_has_no_secret_and_goes_without_a_trace(void **state)
{
    (void)state;
    struct fixture f;
    set_up(&f);
    assert_ptr_equal(restore_write_order(&f.self, STR("/usr/bin/reeve-agent")), OK);
    str config = content(&f, RESTORE_CONFIG);
    assert_non_null(strstr(config.data, "repo1-host=10.0.0.21\n"));
    assert_non_null(strstr(config.data, "repo1-host-port=27100\n"));
    assert_non_null(strstr(config.data, "\n[other-3]\n"));
    assert_null(strstr(config.data, "cipher"));
    assert_null(strstr(config.data, "repo1-path"));
    assert_non_null(strstr(content(&f, RESTORE_LAST_CONFIG).data, "repo1-path=/last\n"));
    assert_ptr_equal(restore_drop_files(&f.self), OK);
    assert_ptr_equal(restore_drop_files(&f.self), OK);
    assert_false(disk_exists(member_path(&f.self, RESTORE_CONFIG).data));
    assert_false(disk_exists(member_path(&f.self, RESTORE_FOLDER).data));
    tear_down(&f);
}

/* What the member wrote is the word of somebody else: a report with it must still be taken. */
static void
only_results_that_make_sense_are_reported(void **state)
{
    (void)state;
    static const struct {
        const char *said;
        bool is_done, has_failed;
        const char *lsn, *at;
    } rows[] = {
        { "{\"id\":\"f10000000000000000000000\",\"state\":\"RESTORED\",\"reachedLsn\":\"0/5000148\",\"reachedAt\":\"2026-11-16T04:00:00.5Z\"}",
          true, false, "0/5000148", "2026-11-16T04:00:00.500Z" },
        { "{\"id\":\"f10000000000000000000000\",\"state\":\"FAILED\",\"reachedLsn\":\"x\",\"reachedAt\":\"soon\"}",
          false, true, "", "" },
        { "{\"id\":\"f20000000000000000000000\",\"state\":\"RESTORED\"}", false, false, "", "" },
        { "{\"state\":\"RESTORED\"}", false, false, "", "" },
        { "nonsense", false, false, "", "" },
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct fixture f;
        struct engine_restored restored;
        set_up(&f);
        assert_ptr_equal(restore_write_order(&f.self, STR("/usr/bin/reeve-agent")), OK);
        assert_true(
            disk_replace(member_path(&f.self, RESTORE_RESULT).data, str_from(rows[i].said), 0600, f.self.owner));
        restore_read_result(&f.self, &restored);
        assert_int_equal(restored.is_done, rows[i].is_done);
        assert_int_equal(restored.has_failed, rows[i].has_failed);
        assert_true(str_is(restored.reached_lsn, rows[i].lsn) && str_is(restored.reached_at, rows[i].at));
        assert_int_equal(restored.done_bytes, -1);
        tear_down(&f);
    }
}

static void
nobody_is_let_in_while_it_is_closed(void **state)
{
    (void)state;
    struct fixture f;
    bool changed = false;
    set_up(&f);
    for (int i = 0; i < 2; i++) {
        f.self.is_closed = i == 0;
        assert_ptr_equal(hba_write(&f.self, &changed), OK);
        str hba = content(&f, "pg_hba.conf");
        assert_int_equal(strstr(hba.data, "203.0.113.7") == NULL, f.self.is_closed);
        assert_non_null(strstr(hba.data, "local all postgres peer"));
        assert_non_null(strstr(hba.data, "host all all all reject\n"));
    }
    tear_down(&f);
}

static void
complaints_become_sentences_that_say_what_to_do(void **state)
{
    (void)state;
    static const struct {
        const char *said, *part;
        enum restore_hope hope;
    } rows[] = {
        { "ERROR: [026]: error restoring 'base/1/2': actual checksum does not match expected", "damaged", HOPE_NONE },
        { "ERROR: [041]: unable to write: [28] No space left on device", "larger disk", HOPE_NONE },
        { "recovery ended before configured recovery target was reached", "earlier", HOPE_NONE },
        { RESTORE_LACKS_WAL ": it ended at 0/1, and 0/2 was received.", "write-ahead log is damaged", HOPE_NONE },
        { "ERROR: [049]: unable to connect to '10.0.0.21:27100': [111] Connection refused", "tried again", HOPE_LATER },
        { "something else", "something else", HOPE_UNKNOWN },
    };
    struct arena *arena = arena_new(1 << 20);
    for (size_t i = 0; i < LENGTH(rows); i++) {
        enum restore_hope hope;
        str sentence = restore_explain(arena, str_from(rows[i].said), &hope);
        assert_non_null(strstr(sentence.data, rows[i].part));
        assert_int_equal(hope, rows[i].hope);
    }
    arena_free(arena);
}

static void
where_recovery_ended_is_read_from_the_log(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 20);
    str lsn, at;
    restore_reached(arena,
                    STR("2026-11-16 23:00:00.000 UTC LOG:  redo starts at 0/2000028\n"
                        "2026-11-16 23:00:01.000 UTC LOG:  redo done at 0/5000110 system usage: CPU: user: 0.00 s\n"
                        "2026-11-16 23:00:01.000 UTC LOG:  last completed transaction was at log time 2026-11-16 "
                        "22:59:58.123999+00\n"),
                    &lsn, &at);
    assert_string_equal(lsn.data, "0/5000110");
    assert_string_equal(at.data, "2026-11-16T22:59:58.123Z"); /* never later than what it was */
    restore_reached(arena, STR("LOG:  redo done at nowhere\n"), &lsn, &at);
    assert_true(lsn.len == 0 && at.len == 0);
    assert_string_equal(
        restore_fatal(arena, STR("x LOG:  y\nx FATAL:  recovery ended before z\nx LOG:  shut down\n")).data,
        "recovery ended before z");
    assert_int_equal(restore_fatal(arena, STR("x LOG:  y\n")).len, 0);
    arena_free(arena);
}

/* Everybody whom pgBackRest lets in reads what its process can: `--repo1-path=/`. */
static void
a_gate_sees_one_repository_which_it_cannot_write(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 20);
    const struct gate_unit_wish wish = { STR("other-3"), STR("reeve-70001"), STR("/g/f1"), STR("/s/5e01/repo") };
    str text = gate_unit_text(arena, &wish);
    assert_non_null(strstr(text.data, "\nRootDirectory=/g/f1/root\n"));
    assert_non_null(strstr(text.data, "\nBindReadOnlyPaths=/s/5e01/repo:/repo\n"));
    assert_non_null(strstr(text.data, "\nInaccessiblePaths=-+/proc -+/sys\n"));
    assert_non_null(strstr(text.data, "\nSystemCallFilter=~connect\n"));
    assert_null(strstr(text.data, "\nBindPaths="));
    assert_null(strstr(text.data, "/etc/passwd"));
    arena_free(arena);
}

static void
a_gate_answers_those_whom_it_is_open_for(void **state)
{
    (void)state;
    struct arena *arena = arena_new(1 << 20);
    struct goal_gate_client clients[] = { { STR("a"), STR("10.0.0.11") }, { STR("b"), STR("2001:db8::11") } };
    struct goal_gate gate = { .port = 27100, .clients = { LENGTH(clients), clients } };
    str text = wall_gates_text(arena, &(struct wall_gate){ 70001, &gate }, 1);
    assert_non_null(strstr(text.data, "flush set inet reeve gates4\n"));
    assert_non_null(strstr(text.data, "gates4 { 70001 . 27100 . 10.0.0.11 }\n"));
    assert_non_null(strstr(text.data, "gates6 { 70001 . 27100 . 2001:db8::11 }\n"));
    assert_null(strstr(wall_gates_text(arena, NULL, 0).data, "27100"));
    arena_free(arena);
}

int
main(void)
{
    json_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_point_is_what_postgresql_calls_it),
        cmocka_unit_test(the_order_has_no_secret_and_goes_without_a_trace),
        cmocka_unit_test(only_results_that_make_sense_are_reported),
        cmocka_unit_test(nobody_is_let_in_while_it_is_closed),
        cmocka_unit_test(complaints_become_sentences_that_say_what_to_do),
        cmocka_unit_test(where_recovery_ended_is_read_from_the_log),
        cmocka_unit_test(a_gate_sees_one_repository_which_it_cannot_write),
        cmocka_unit_test(a_gate_answers_those_whom_it_is_open_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
