/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folders that the kernel encrypts, on a disk that is made for the test: one that can (ext4 with its feature) and one that cannot. Needs root and a loop device;
 * without them nothing can be shown here, and the test says so.
 */
#include "agent/key/folder_key.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/disk.h"
#include "check.h"

enum { ARENA_BYTES = 256 * 1024, SKIPPED = 77 };
#define CANARY "nobody reads this canary on the disk"

static char top[] = "/tmp/reeve-key-XXXXXX";

static bool
run(const char *command)
{
    return system(command) == 0; /* NOLINT(cert-env33-c): a command of the test's own */
}

static bool
make_disk(const char *name, const char *features)
{
    char command[1024];
    snprintf(
        command, sizeof(command),
        "cd %s && truncate -s 64M %s.img && /usr/sbin/mkfs.ext4 -q -F -O %s %s.img && mkdir %s && mount -o loop %s.img %s",
        top, name, features, name, name, name, name);
    return run(command);
}

static str
place(struct arena *arena, const char *below)
{
    return str_format(arena, "%s/%s", top, below);
}

static void
only_some_file_systems_can_encrypt(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(ARENA_BYTES);
    assert_true(folder_key_is_possible(place(arena, "can")));
    assert_false(folder_key_is_possible(place(arena, "cannot")));
    assert_false(folder_key_is_possible(place(arena, "absent")));
    struct folder_key_name name;
    const uint8_t key[FOLDER_KEY_BYTES] = { 1 };
    assert_non_null(folder_key_give(arena, place(arena, "cannot"), key, &name));
}

static bool
disk_has(const char *image, const char *text)
{
    char command[1024];
    snprintf(command, sizeof(command), "sync; grep -qa '%s' %s/%s", text, top, image);
    return run(command);
}

static void
without_its_key_a_folder_says_nothing(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(ARENA_BYTES);
    struct folder_key_name name, again, other;
    const uint8_t key[FOLDER_KEY_BYTES] = { 1, 2, 3 }, another[FOLDER_KEY_BYTES] = { 4 };
    str disk = place(arena, "can"), folder = place(arena, "can/data"),
        file = place(arena, "can/data/"
                            "secret-name"),
        text;
    assert_int_equal(mkdir(folder.data, 0700), 0);
    assert_null(folder_key_give(arena, disk, key, &name));
    assert_true(folder_key_is_given(disk, &name));
    assert_null(folder_key_set(arena, folder, &name));
    assert_true(disk_replace(file.data, STR(CANARY), 0600, (struct disk_owner){ getuid(), getgid() }));
    assert_true(disk_replace(place(arena, "can/plain").data, STR("what is beside it can be found"), 0600,
                             (struct disk_owner){ getuid(), getgid() }));
    assert_true(disk_has("can.img", "what is beside it"));
    assert_false(disk_has("can.img", CANARY));

    int in_use = open(file.data, O_RDONLY | O_CLOEXEC);
    assert_non_null(folder_key_take(arena, disk, &name)); /* and it says so */
    close(in_use);
    assert_null(folder_key_take(arena, disk, &name));
    assert_null(folder_key_take(arena, disk, &name));
    assert_false(folder_key_is_given(disk, &name));
    assert_false(disk_exists(file.data));
    assert_false(disk_has("can.img", CANARY));
    assert_true(open(place(arena, "can/data/new").data, O_CREAT | O_WRONLY | O_CLOEXEC, 0600) < 0);

    assert_null(folder_key_give(arena, disk, another, &other));
    assert_memory_not_equal(&other, &name, sizeof(name));
    assert_false(disk_exists(file.data));
    assert_null(folder_key_take(arena, disk, &other));
    assert_null(folder_key_give(arena, disk, key, &again));
    assert_memory_equal(&again, &name, sizeof(name));
    assert_true(disk_read(arena, file.data, ARENA_BYTES, &text));
    assert_true(str_is(text, CANARY));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_some_file_systems_can_encrypt),
        cmocka_unit_test(without_its_key_a_folder_says_nothing),
    };
    char command[256];
    if (mkdtemp(top) == NULL)
        return 1;
    bool can = getuid() == 0 && make_disk("can", "encrypt") && make_disk("cannot", "^encrypt");
    if (!can)
        fprintf(stderr, "there are no disks to make here\n");
    int failed = can ? cmocka_run_group_tests(tests, NULL, NULL) : SKIPPED;
    snprintf(command, sizeof(command), "cd / && umount %s/can %s/cannot; rm -r %s", top, top, top);
    return run(command) || !can ? failed : 1;
}
