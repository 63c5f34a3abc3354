/* SPDX-License-Identifier: Apache-2.0 */
/* Files below a folder that somebody else swaps things in meanwhile (S10). */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/disk_below.h"

enum { PASSES = 20000 };

struct place {
    struct arena *arena;
    char base[64];
    str folder, outside; /* of the member; of the host */
    struct disk_owner owner;
};

static struct place
set_up(void)
{
    struct place p = { .arena = arena_new(1 << 26),
                       .base = "/tmp/reeve-below-XXXXXX",
                       .owner = { getuid(), getgid() } };
    assert_non_null(mkdtemp(p.base));
    p.folder = str_format(p.arena, "%s/member", p.base);
    p.outside = str_format(p.arena, "%s/host", p.base);
    assert_true(disk_make_folder(p.folder.data, 0700, p.owner) && disk_make_folder(p.outside.data, 0700, p.owner));
    assert_true(disk_below_make_folder(p.folder.data, "tls", 0750, p.owner));
    assert_true(disk_replace(str_format(p.arena, "%s/member.key", p.outside.data).data, STR("secret"), 0600, p.owner));
    return p;
}

static void
tear_down(struct place *p)
{
    assert_true(disk_remove_tree(p->base));
    assert_false(disk_exists(p->base));
    arena_free(p->arena);
}

static str
path(const struct place *p, const char *name)
{
    return str_format(p->arena, "%s/%s", p->folder.data, name);
}

static void
files_are_kept_and_read(void **state)
{
    (void)state;
    struct place p = set_up();
    bool changed = false;
    str text;
    assert_true(disk_below_keep(p.arena, p.folder.data, "tls/a", STR("one"), 0640, p.owner, &changed) && changed);
    changed = false;
    assert_true(disk_below_keep(p.arena, p.folder.data, "tls/a", STR("one"), 0640, p.owner, &changed) && !changed);
    assert_true(disk_below_read(p.arena, p.folder.data, "tls/a", 3, p.owner.user, &text) && str_is(text, "one"));
    assert_false(disk_below_read(p.arena, p.folder.data, "tls/a", 2, p.owner.user, &text) || errno != EFBIG);
    assert_false(disk_below_read(p.arena, p.folder.data, "tls/b", 2, p.owner.user, &text) || errno != ENOENT);
    tear_down(&p);
}

static void
links_pipes_and_ways_out_are_refused(void **state)
{
    (void)state;
    struct place p = set_up();
    str text;
    assert_int_equal(symlink(str_format(p.arena, "%s/member.key", p.outside.data).data, path(&p, "tls/link").data), 0);
    assert_int_equal(symlink(p.outside.data, path(&p, "way").data), 0);
    assert_int_equal(mkfifo(path(&p, "pipe").data, 0600), 0);
    static const char *const names[] = { "tls/link", "way/member.key", "../host/member.key", "pipe", "tls" };
    for (size_t i = 0; i < LENGTH(names); i++) {
        if (disk_below_read(p.arena, p.folder.data, names[i], 100, p.owner.user, &text))
            fail_msg("%s was read", names[i]);
    }
    assert_false(disk_below_replace(p.folder.data, "way/member.key", STR("x"), 0600, p.owner));
    assert_false(disk_below_make_folder(p.folder.data, "way", 0700, p.owner));
    assert_false(disk_below_set(p.folder.data, "tls/link", 0666, p.owner));
    /* A link is replaced, not followed. */
    assert_true(disk_below_replace(p.folder.data, "tls/link", STR("x"), 0600, p.owner));
    assert_true(disk_read(p.arena, str_format(p.arena, "%s/member.key", p.outside.data).data, 100, &text));
    assert_string_equal(text.data, "secret");
    tear_down(&p);
}

static void
what_is_somebody_elses_is_not_read(void **state)
{
    (void)state;
    struct place p = set_up();
    str text;
    if (getuid() != 0)
        skip();
    assert_true(disk_below_replace(p.folder.data, "tls/a", STR("one"), 0640, (struct disk_owner){ 70001, 70001 }));
    assert_true(disk_below_read(p.arena, p.folder.data, "tls/a", 9, 70001, &text));
    assert_false(disk_below_read(p.arena, p.folder.data, "tls/a", 9, 70002, &text) || errno != EPERM);
    tear_down(&p);
}

/* ---- The race: `tls` is a folder at one moment, and a link to the host's at the next ---- */
struct swapping {
    const struct place *place;
    atomic_bool stop;
    long count;
};

static void *
swap(void *context)
{
    struct swapping *swapping = context;
    int folder = open(swapping->place->folder.data, O_RDONLY | O_DIRECTORY);
    while (!atomic_load(&swapping->stop)) {
        if (syscall(SYS_renameat2, folder, "tls", folder, "way", RENAME_EXCHANGE) == 0)
            swapping->count++;
    }
    close(folder);
    return NULL;
}

/* S10: the agent wrote and read by path; the race was won at pass 1,522. */
static void
a_swapped_folder_leads_nowhere(void **state)
{
    (void)state;
    struct place p = set_up();
    struct swapping swapping = { .place = &p };
    pthread_t thread;
    struct stat status;
    int written = 0, done = 0;
    assert_int_equal(symlink(p.outside.data, path(&p, "way").data), 0);
    assert_int_equal(pthread_create(&thread, NULL, swap, &swapping), 0);
    for (int i = 0; i < PASSES; i++) {
        str text;
        struct arena *arena = arena_new(1 << 16);
        written += disk_below_replace(p.folder.data, "tls/file", STR("x"), 0600, p.owner);
        if (disk_below_read(arena, p.folder.data, "tls/member.key", 100, p.owner.user, &text))
            fail_msg("pass %d read the host's file", i);
        done += disk_below_make_folder(p.folder.data, "tls", 0755, p.owner);
        done += disk_below_set(p.folder.data, "tls/member.key", 0666, p.owner);
        arena_free(arena);
    }
    atomic_store(&swapping.stop, true);
    pthread_join(thread, NULL);
    print_message("%ld swaps, %d of %d written\n", swapping.count, written, PASSES);
    assert_true(swapping.count > 0 && written > 0 && done > 0);
    assert_false(disk_exists(str_format(p.arena, "%s/file", p.outside.data).data));
    assert_int_equal(stat(p.outside.data, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0700);
    assert_int_equal(stat(str_format(p.arena, "%s/member.key", p.outside.data).data, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    tear_down(&p);
}

/* The same while a tree is given away and removed: what is outside stays, with its owner. */
static void
a_swapped_tree_takes_nothing_with_it(void **state)
{
    (void)state;
    struct place p = set_up();
    struct swapping swapping = { .place = &p };
    pthread_t thread;
    struct stat status;
    struct disk_owner other = { getuid() == 0 ? 70001 : getuid(), getuid() == 0 ? 70001 : getgid() };
    str victim = str_format(p.arena, "%s/member.key", p.outside.data);
    assert_int_equal(symlink(p.outside.data, path(&p, "way").data), 0);
    assert_int_equal(pthread_create(&thread, NULL, swap, &swapping), 0);
    for (int i = 0; i < PASSES / 10; i++) {
        bool ignored = disk_below_own_tree(p.folder.data, "tls", i % 2 == 0 ? other : p.owner);
        ignored = disk_below_replace(p.folder.data, "tls/inner", STR("x"), 0600, p.owner) && ignored;
    }
    assert_int_equal(stat(victim.data, &status), 0);
    assert_int_equal(status.st_uid, p.owner.user);
    for (int i = 0; i < PASSES / 10; i++) {
        bool ignored = disk_remove_tree(path(&p, "tls").data);
        ignored = disk_below_make_folder(p.folder.data, "tls", 0700, p.owner) && ignored;
        if (symlink(p.outside.data, path(&p, "way").data) != 0 && errno != EEXIST)
            fail_msg("%s", strerror(errno));
    }
    atomic_store(&swapping.stop, true);
    pthread_join(thread, NULL);
    assert_int_equal(stat(victim.data, &status), 0);
    tear_down(&p);
}

static void
a_tree_is_given_away_with_its_top_last(void **state)
{
    (void)state;
    struct place p = set_up();
    struct stat top, inner;
    if (getuid() != 0)
        skip();
    struct disk_owner other = { 70001, 70001 };
    assert_true(disk_below_make_folder(p.folder.data, "data", 0700, p.owner));
    assert_true(disk_below_make_folder(p.folder.data, "data/base", 0700, p.owner));
    assert_true(disk_below_replace(p.folder.data, "data/base/1", STR("x"), 0600, p.owner));
    assert_int_equal(symlink("/etc/passwd", path(&p, "data/link").data), 0);
    assert_true(disk_below_own_tree(p.folder.data, "data", other));
    assert_true(disk_below_look(p.folder.data, "data", &top) && disk_below_look(p.folder.data, "data/base/1", &inner));
    assert_int_equal(top.st_uid, 70001);
    assert_int_equal(inner.st_gid, 70001);
    assert_int_equal(stat("/etc/passwd", &inner), 0);
    assert_int_equal(inner.st_uid, 0);
    assert_true(disk_below_own_tree(p.folder.data, "nothing", other));
    tear_down(&p);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_kept_and_read),
        cmocka_unit_test(links_pipes_and_ways_out_are_refused),
        cmocka_unit_test(what_is_somebody_elses_is_not_read),
        cmocka_unit_test(a_swapped_folder_leads_nowhere),
        cmocka_unit_test(a_swapped_tree_takes_nothing_with_it),
        cmocka_unit_test(a_tree_is_given_away_with_its_top_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
