/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/monitor/delivery.h"
#include "agent/monitor/spool.h"
#include "base/clock.h"
#include "base/disk.h"

enum { ARENA_BYTES = 64 * 1024 * 1024, BATCH_BYTES = 1024 * 1024, MANY = 1000 * 1000, SMALL_SPOOL = 1024 * 1024 };

struct scene {
    struct arena *arena;
    char folder[64];
    struct spool *spool;
};

static void
open_spool(struct scene *scene, int64_t most_bytes)
{
    error why = spool_open(scene->arena, str_from(scene->folder), most_bytes, &scene->spool);
    if (why != OK)
        fail_msg("%.*s", STR_ARG(why->detail));
}

static void
open_again(struct scene *scene, int64_t most_bytes)
{
    spool_close(scene->spool);
    open_spool(scene, most_bytes);
}

static int
set_up(void **state)
{
    struct scene *scene = calloc(1, sizeof(*scene));
    scene->arena = arena_new(ARENA_BYTES);
    snprintf(scene->folder, sizeof(scene->folder), "/tmp/reeve-spool-XXXXXX");
    assert_non_null(mkdtemp(scene->folder));
    open_spool(scene, SPOOL_MOST_BYTES);
    *state = scene;
    return 0;
}

static int
tear_down(void **state)
{
    struct scene *scene = *state;
    spool_close(scene->spool);
    assert_true(disk_remove_tree(scene->folder));
    arena_free(scene->arena);
    free(scene);
    return 0;
}

static struct spool_batch
read_from(struct scene *scene, int64_t from)
{
    struct spool_batch batch;
    assert_true(spool_read(scene->spool, scene->arena, from, BATCH_BYTES, MANY, &batch) == OK);
    return batch;
}

/* The newest file of the spool. */
static void
last_file(const struct scene *scene, char path[512])
{
    char newest[256] = "";
    DIR *folder = opendir(scene->folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (strstr(entry->d_name, ".points") != NULL && strcmp(entry->d_name, newest) > 0)
            snprintf(newest, sizeof(newest), "%s", entry->d_name);
    }
    closedir(folder);
    snprintf(path, 512, "%s/%s", scene->folder, newest);
}

static void
what_was_appended_is_read_in_order_also_after_opening_again(void **state)
{
    struct scene *scene = *state;
    assert_int_equal(read_from(scene, 0).records, 0);
    assert_true(spool_append(scene->spool, STR("a\nb\n"), 2));
    assert_true(spool_append(scene->spool, STR("c\n"), 1));
    struct spool_batch batch = read_from(scene, 0);
    assert_string_equal(batch.body.data, "a\nb\nc\n");
    assert_int_equal(batch.lines, 3);
    assert_int_equal(batch.next, spool_end(scene->spool));
    assert_int_equal(read_from(scene, batch.next).records, 0);
    open_again(scene, SPOOL_MOST_BYTES);
    assert_true(spool_append(scene->spool, STR("d\n"), 1));
    assert_string_equal(read_from(scene, 0).body.data, "a\nb\nc\nd\n");
    assert_string_equal(read_from(scene, batch.next).body.data, "d\n");
}

static void
batches_keep_to_their_bounds(void **state)
{
    struct scene *scene = *state;
    struct spool_batch batch;
    for (int i = 0; i < 10; i++)
        assert_true(spool_append(scene->spool, STR("0123456789\n"), 1));
    assert_true(spool_read(scene->spool, scene->arena, 0, 35, MANY, &batch) == OK);
    /* The first may be as large as a record is. */
    assert_true(batch.records >= 1);
    assert_true(spool_read(scene->spool, scene->arena, 0, BATCH_BYTES, 4, &batch) == OK);
    assert_int_equal(batch.records, 4);
    assert_int_equal(read_from(scene, batch.next).records, 6);
}

static void
a_torn_tail_is_cut_off(void **state)
{
    struct scene *scene = *state;
    char path[512];
    assert_true(spool_append(scene->spool, STR("whole\n"), 1));
    int64_t whole = spool_end(scene->spool);
    assert_true(spool_append(scene->spool, STR("this one is going to be torn\n"), 1));
    int64_t end = spool_end(scene->spool);
    last_file(scene, path);
    for (int64_t length = end - 1; length >= whole; length--) {
        assert_int_equal(truncate(path, length), 0);
        open_again(scene, SPOOL_MOST_BYTES);
        assert_int_equal(spool_end(scene->spool), whole);
    }
    assert_true(spool_append(scene->spool, STR("next\n"), 1));
    assert_string_equal(read_from(scene, 0).body.data, "whole\nnext\n");
}

/* What a disk that lost power may leave: the length is there, the bytes are not. */
static void
bytes_that_were_never_written_are_no_record(void **state)
{
    struct scene *scene = *state;
    char path[512];
    assert_true(spool_append(scene->spool, STR("whole\n"), 1));
    int64_t whole = spool_end(scene->spool);
    assert_true(spool_append(scene->spool, STR("damaged\n"), 1));
    last_file(scene, path);
    int file = open(path, O_WRONLY);
    assert_int_equal(pwrite(file, "\0\0", 2, spool_end(scene->spool) - 3), 2);
    close(file);
    open_again(scene, SPOOL_MOST_BYTES);
    assert_int_equal(spool_end(scene->spool), whole);
    assert_string_equal(read_from(scene, 0).body.data, "whole\n");
}

static void
a_full_spool_drops_the_oldest_and_counts_them(void **state)
{
    struct scene *scene = *state;
    char line[1001];
    int64_t appended = 0;
    open_again(scene, SMALL_SPOOL);
    memset(line, 'x', sizeof(line));
    line[sizeof(line) - 1] = '\n';
    for (; appended < 3000; appended++) {
        snprintf(line, 8, "%07lld", (long long)appended);
        line[7] = ' ';
        assert_true(spool_append(scene->spool, (str){ line, sizeof(line) }, 1));
        assert_true(spool_bytes(scene->spool) <= SMALL_SPOOL);
    }
    int64_t kept = 0, position = 0;
    for (struct spool_batch batch; (batch = read_from(scene, position)).records > 0; position = batch.next) {
        if (kept == 0) /* the oldest that is left is the one behind those that were dropped */
            assert_int_equal(atoll(batch.body.data), spool_dropped(scene->spool));
        kept += (int64_t)batch.lines;
    }
    assert_int_equal(kept + spool_dropped(scene->spool), appended);
    assert_true(kept > 900);
}

/* What every store has is not lost when it is removed. */
static void
what_was_delivered_is_removed_and_not_counted(void **state)
{
    struct scene *scene = *state;
    char line[1001];
    open_again(scene, SMALL_SPOOL);
    memset(line, 'x', sizeof(line));
    line[sizeof(line) - 1] = '\n';
    for (int i = 0; i < 3000; i++) {
        assert_true(spool_append(scene->spool, (str){ line, sizeof(line) }, 1));
        spool_trim(scene->spool, spool_end(scene->spool));
    }
    assert_int_equal(spool_dropped(scene->spool), 0);
    assert_true(spool_bytes(scene->spool) < 64 * 1024);
    int64_t end = spool_end(scene->spool);
    spool_clear(scene->spool);
    assert_int_equal(spool_bytes(scene->spool), 0);
    assert_int_equal(spool_end(scene->spool), end); /* no position is used twice */
    open_again(scene, SMALL_SPOOL);
    assert_int_equal(spool_end(scene->spool), end);
    assert_true(spool_append(scene->spool, STR("new\n"), 1));
    assert_string_equal(read_from(scene, 17).body.data, "new\n");
}

static void
a_record_that_is_too_large_is_refused(void **state)
{
    struct scene *scene = *state;
    char *lines = calloc(1, SPOOL_RECORD_BYTES + 1);
    assert_false(spool_append(scene->spool, (str){ lines, SPOOL_RECORD_BYTES + 1 }, 3));
    assert_int_equal(spool_dropped(scene->spool), 3);
    open_again(scene, SMALL_SPOOL); /* whose files are smaller than this record */
    memset(lines, 'y', SPOOL_RECORD_BYTES);
    assert_true(spool_append(scene->spool, STR("before\n"), 1));
    assert_true(spool_append(scene->spool, (str){ lines, SPOOL_RECORD_BYTES }, 1));
    struct spool_batch batch;
    assert_true(spool_read(scene->spool, scene->arena, read_from(scene, 0).next, 10, MANY, &batch) == OK);
    assert_true(spool_read(scene->spool, scene->arena, 0, BATCH_BYTES, MANY, &batch) == OK);
    assert_int_equal(batch.records, 2);
    free(lines);
}

/* ---- Killed in the middle ---- */
static void
write_until_killed(const char *folder, int to)
{
    struct arena *arena = arena_new(ARENA_BYTES);
    struct spool *spool;
    char line[4096];
    if (spool_open(arena, str_from(folder), SMALL_SPOOL, &spool) != OK)
        _exit(1);
    memset(line, 'z', sizeof(line));
    line[sizeof(line) - 1] = '\n';
    for (uint32_t i = 0;; i++) {
        snprintf(line, 12, "%010u", i);
        line[10] = ' ';
        if (!spool_append(spool, (str){ line, sizeof(line) }, 1) || write(to, &i, sizeof(i)) != sizeof(i))
            _exit(1);
    }
}

static void
a_writer_that_is_killed_loses_nothing_that_it_had_appended(void **state)
{
    struct scene *scene = *state;
    for (int round = 0; round < 20; round++) {
        int pipes[2];
        uint32_t number, last_said = 0;
        assert_int_equal(pipe(pipes), 0);
        spool_close(scene->spool);
        scene->spool = NULL;
        assert_true(disk_remove_tree(scene->folder));
        pid_t writer = fork();
        if (writer == 0)
            write_until_killed(scene->folder, pipes[1]);
        close(pipes[1]);
        while (read(pipes[0], &number, sizeof(number)) == sizeof(number)) {
            last_said = number;
            if (number == 20u + (unsigned)round * 37u)
                kill(writer, SIGKILL);
        }
        close(pipes[0]);
        waitpid(writer, NULL, 0);
        open_spool(scene, SMALL_SPOOL);
        uint32_t newest = 0;
        int64_t position = 0;
        for (struct spool_batch batch; (batch = read_from(scene, position)).records > 0; position = batch.next)
            newest = (uint32_t)strtoul(batch.body.data + batch.body.len - 4096, NULL, 10);
        assert_true(newest >= last_said);
        assert_int_equal(position, spool_end(scene->spool));
    }
}

/* ---- How far stores are ---- */
enum { MINUTE_MS = 60 * 1000 };

static void
a_position_counts_a_minute_after_it_was_acknowledged(void **state)
{
    (void)state;
    struct delivery delivery = { .mark = -1 };
    assert_false(delivery_acknowledged(&delivery, 100, STR("one"), 0));
    assert_false(delivery_acknowledged(&delivery, 200, STR("one"), 1000));
    assert_false(delivery_acknowledged(&delivery, 300, STR("one"), MINUTE_MS));
    assert_int_equal(delivery.confirmed, 0);
    assert_int_equal(delivery.sent, 300);
    assert_true(delivery_acknowledged(&delivery, 400, STR("one"), MINUTE_MS + 1000));
    assert_int_equal(delivery.confirmed, 200); /* what was acknowledged a minute ago, and no more */
    assert_false(delivery_acknowledged(&delivery, 500, STR("one"), MINUTE_MS + 2000));
    assert_true(delivery_acknowledged(&delivery, 600, STR("one"), 2 * MINUTE_MS + 1000));
    assert_int_equal(delivery.confirmed, 400);
}

static void
another_process_of_the_store_gets_everything_again_that_did_not_count_yet(void **state)
{
    (void)state;
    struct delivery delivery = { .mark = -1 };
    assert_false(delivery_acknowledged(&delivery, 100, STR("one"), 0));
    assert_false(delivery_acknowledged(&delivery, 200, STR("one"), 1000));
    assert_true(delivery_acknowledged(&delivery, 300, STR("one"), MINUTE_MS + 1000));
    assert_false(delivery_acknowledged(&delivery, 400, STR("two"), MINUTE_MS + 2000));
    assert_int_equal(delivery.sent, 200);
    assert_int_equal(delivery.confirmed, 200);
    /* What the first process acknowledged counts no more, however long ago. */
    assert_false(delivery_acknowledged(&delivery, 400, STR("two"), 3 * MINUTE_MS));
    assert_int_equal(delivery.confirmed, 200);
    assert_true(delivery_acknowledged(&delivery, 500, STR("two"), 4 * MINUTE_MS));
    assert_int_equal(delivery.confirmed, 400);
}

static void
positions_are_kept_and_are_never_beyond_what_there_is(void **state)
{
    struct scene *scene = *state;
    str path = str_format(scene->arena, "%s/stores", scene->folder);
    struct deliveries deliveries, read;
    deliveries_read(scene->arena, path.data, 5, 900, &deliveries);
    assert_int_equal(deliveries.stores, -1);
    assert_int_equal(deliveries.of[3].sent, 5);
    deliveries.stores = 2;
    deliveries.of[0].confirmed = 700;
    deliveries.of[1].confirmed = 300;
    assert_true(deliveries_write(scene->arena, path.data, &deliveries));
    deliveries_read(scene->arena, path.data, 5, 900, &read);
    assert_int_equal(read.stores, 2);
    assert_int_equal(read.of[0].sent, 700);
    assert_int_equal(deliveries_confirmed(&read, 900), 300);
    deliveries_read(scene->arena, path.data, 5, 600, &read); /* power failed, and the last records are gone */
    assert_int_equal(read.of[0].confirmed, 600);
    static const char *const damaged[] = { "", "x\n", "2", "2\n-5\n99999999999999999999\n", "9\n1\n1\n1\n1\n" };
    for (size_t i = 0; i < LENGTH(damaged); i++) {
        assert_true(disk_replace(path.data, str_from(damaged[i]), 0600, (struct disk_owner){ (uid_t)-1, (gid_t)-1 }));
        deliveries_read(scene->arena, path.data, 5, 600, &read);
        assert_int_equal(read.of[0].sent, 5);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_appended_is_read_in_order_also_after_opening_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(batches_keep_to_their_bounds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_torn_tail_is_cut_off, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bytes_that_were_never_written_are_no_record, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_full_spool_drops_the_oldest_and_counts_them, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_was_delivered_is_removed_and_not_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_record_that_is_too_large_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_writer_that_is_killed_loses_nothing_that_it_had_appended, set_up, tear_down),
        cmocka_unit_test(a_position_counts_a_minute_after_it_was_acknowledged),
        cmocka_unit_test(another_process_of_the_store_gets_everything_again_that_did_not_count_yet),
        cmocka_unit_test_setup_teardown(positions_are_kept_and_are_never_beyond_what_there_is, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
