/* SPDX-License-Identifier: Apache-2.0 */
/* What a seat keeps in an object store: where it is, and when everything is gone, which is what the last order is for. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include "agent/seat/seat_files.h"
#include "agent/seat/seat_jobs.h"
#include "base/clock.h"
#include "base/disk.h"
#include "base/json.h"
#include "no_systemd.h"

/* ---- A seat that is to go ---- */
static struct {
    struct arena *arena;
    char folder[64];
    struct goal_seat seat;
    struct member_host host;
    struct seat_pass pass;
    int orders;
    const char
        *answer; /* what the order comes to: a line of kept.json that is given its number and the time; NULL: it dies */
} one;

static const struct disk_owner anybody = { (uid_t)-1, (gid_t)-1 };

static str
path_of(const char *name)
{
    return str_format(one.arena, "%s/%s", one.folder, name);
}

error
no_systemd_start(void)
{
    str order;
    one.orders++;
    assert_true(disk_read(one.arena, path_of("order.json").data, 4096, &order));
    const json_t *wish = json_parse_own(one.arena, order);
    assert_true(json_is_true(json_object_get(wish, "isLast")));
    if (one.answer == NULL)
        return OK;
    str kept = str_format(one.arena, "{\"number\":%lld,\"atMs\":%lld,%s}", (long long)json_int_at(wish, "number"),
                          (long long)clock_now_ms(), one.answer);
    assert_true(disk_replace(path_of("state/kept.json").data, kept, 0600, anybody));
    return OK;
}

static int
begin(void **state)
{
    (void)state;
    one.arena = arena_new(8 << 20);
    snprintf(one.folder, sizeof(one.folder), "/tmp/reeve-seat-XXXXXX");
    assert_non_null(mkdtemp(one.folder));
    assert_true(disk_make_folder(path_of("state").data, 0700, anybody));
    one.seat = (struct goal_seat){ .id = { .bytes = { 1 }, .is_there = true }, .store.endpoint = STR("https://s") };
    one.pass = (struct seat_pass){ .arena = one.arena,
                                   .host = &one.host,
                                   .seat = &one.seat,
                                   .folder = str_from(one.folder),
                                   .owner = anybody,
                                   .files = anybody,
                                   .backup_unit = STR("reeve-backup-1.service") };
    one.orders = 0;
    return 0;
}

static int
end(void **state)
{
    (void)state;
    bool removed = disk_remove_tree(one.folder);
    arena_free(one.arena);
    return removed ? 0 : -1;
}

/* So many passes of the agent, one after the other; whether the last one found it empty, and what it complained about. */
static bool
pass(int times, str *ret_why)
{
    bool is_empty = false;
    *ret_why = STR_EMPTY;
    for (int i = 0; i < times && !is_empty; i++) {
        struct seat_jobs *jobs;
        assert_ptr_equal(seat_jobs_read(&one.pass, &jobs), OK);
        struct seat_view view = seat_view_read(&one.pass);
        error why = seat_jobs_empty(&one.pass, jobs, &view, &is_empty);
        *ret_why = why == OK ? STR_EMPTY : why->detail;
    }
    return is_empty;
}

#define NOTHING_LISTED "\"info\":[{\"backup\":[]}],\"holes\":[]"

/* ---- Tests ---- */
static void
nothing_listed_is_not_nothing_there(void **state)
{
    (void)state;
    str why;
    one.answer = "\"isLast\":true,\"removeProblem\":\"\"," NOTHING_LISTED;
    /* An ordinary look found no backup; WAL may be there. */
    assert_true(disk_replace(
        path_of("state/kept.json").data,
        STR("{\"number\":0,\"atMs\":1,\"isLast\":false,\"removeProblem\":\"\"," NOTHING_LISTED "}"), 0600, anybody));
    assert_false(pass(1, &why));
    assert_int_equal(one.orders, 1);
    assert_true(pass(1, &why));
    assert_int_equal(one.orders, 1);
}

static void
what_cannot_be_removed_is_said_and_not_asked_for_all_the_time(void **state)
{
    (void)state;
    str why;
    one.answer = "\"isLast\":true,\"removeProblem\":\"403\"," NOTHING_LISTED;
    assert_false(pass(5, &why));
    assert_true(str_is(why, "403"));
    assert_int_equal(one.orders, 1);
}

static void
an_order_that_dies_is_not_given_all_the_time(void **state)
{
    (void)state;
    str why;
    one.answer = NULL;
    assert_false(pass(5, &why));
    assert_non_null(strstr(why.data, "without a word"));
    assert_int_equal(one.orders, 1);
}

/* Where seat_files() has pgBackRest keep it, with that folder in the goal. */
static bool
keeps_in(const char *wished, const char *expected)
{
    str text;
    bool ignored;
    one.seat.store.folder = str_from(wished);
    assert_ptr_equal(seat_files(&one.pass, &ignored), OK);
    assert_true(disk_read(one.arena, path_of("push.conf").data, 4096, &text));
    return strstr(text.data, str_format(one.arena, "\nrepo1-path=/%s\n", expected).data) != NULL;
}

static void
a_seat_stays_in_the_folder_that_it_began_with(void **state)
{
    (void)state;
    const struct goal goal = { .authority = STR("x") };
    one.pass.goal = &goal;
    one.seat.stanza = STR("abc-1");
    one.seat.store.path = STR("/");
    one.seat.store.bucket = one.seat.store.region = one.seat.store.key = one.seat.store.secret_key = STR("x");
    one.seat.cipher_pass = STR("x");
    assert_true(disk_make_folder(path_of("tls").data, 0700, anybody));
    assert_true(keeps_in("abc-1-5e01", "abc-1-5e01"));
    assert_true(keeps_in("abc-1-other", "abc-1-5e01"));
    assert_true(
        disk_remove(path_of("store-folder").data)); /* it was begun by an agent that knew no folder of the goal's */
    assert_true(keeps_in("abc-1-5e01", "abc-1-0"));
    assert_true(keeps_in("abc-1-5e01", "abc-1-0"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_listed_is_not_nothing_there),
        TEST(what_cannot_be_removed_is_said_and_not_asked_for_all_the_time),
        TEST(an_order_that_dies_is_not_given_all_the_time),
        TEST(a_seat_stays_in_the_folder_that_it_began_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
