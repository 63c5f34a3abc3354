/* SPDX-License-Identifier: Apache-2.0 */
/* Disks of members: what they are called, how large they are, and when one counts as full. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/prepare.h"
#include "agent/volume/volume_image.h"
#include "agent/volume/volume_plan.h"
#include "agent/volume/volume_room.h"
#include "base/disk.h"

#define MEMBER "0a1b2c3d4e5f60718293a4b5"

enum { GB = 1 << 30, ARENA_BYTES = 64 * 1024 };

static id
member(void)
{
    id found;
    assert_true(id_parse(STR(MEMBER), &found));
    return found;
}

static struct volume_space
used(int64_t percent)
{
    return (struct volume_space){ .size_bytes = GB,
                                  .used_bytes = (int64_t)GB / 100 * percent,
                                  .free_bytes = GB - (int64_t)GB / 100 * percent };
}

static void
test_units_are_named_for_their_folders(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(ARENA_BYTES);
    assert_string_equal(volume_unit(arena, member(), VOLUME_DATA).data, "var-lib-reeve-members-" MEMBER ".mount");
    assert_string_equal(volume_unit(arena, member(), VOLUME_WAL).data, "var-lib-reeve-members-" MEMBER "-wal.mount");
    const char *text = volume_unit_text(arena, member(), VOLUME_WAL, true).data;
    assert_non_null(strstr(text, "\nWhat=/var/lib/reeve/volumes/" MEMBER "/data/wal.img\n"));
    assert_non_null(strstr(text, "\nWhere=/var/lib/reeve/members/" MEMBER "/wal\n"));
    assert_non_null(strstr(text, "\nOptions=loop,nodev,nosuid,noexec,noatime,errors=remount-ro,discard\n"));
    assert_null(strstr(volume_unit_text(arena, member(), VOLUME_DATA, false).data, "discard"));
}

/* What slots may keep back (a fifth) and what lies between two checkpoints (a twentieth) never fills it. */
static void
test_wal_has_room(void **state)
{
    (void)state;
    for (int64_t gb = 1; gb <= 65536; gb *= 2) {
        int64_t kept = gb * 1024 / 5 < 256 ? 256 : gb * 1024 / 5, between = gb * 1024 / 20 < 64 ? 64 : gb * 1024 / 20;
        between = between > 4096 ? 4096 : between;
        assert_true(volume_mb(gb, VOLUME_WAL) * 85 / 100 > kept + between ||
                    volume_mb(gb, VOLUME_WAL) - kept - between >= 256);
        assert_true(volume_mb(gb, VOLUME_DATA) >= gb * 1024 + 256);
    }
}

/* Its bound is the part of its file system that is not put aside; what it may grow to is said to the gigabyte. */
static void
test_a_file_system_has_room_to_grow(void **state)
{
    (void)state;
    for (int64_t gb = 1; gb <= 65536; gb *= 2) {
        for (int i = 0; i < VOLUME_PARTS; i++) {
            enum volume_part part = (enum volume_part)i;
            int64_t mb = volume_image_mb(gb, part), most = volume_most_gb(mb << 20, part);
            assert_true(mb > volume_mb(gb, part) && mb <= volume_mb(gb, part) + 2 * 1024 * 1024);
            assert_true(volume_mb(most, part) <= mb && volume_mb(most + 1, part) > mb);
            assert_true(gb > 256 || most >= 8 * gb);
        }
    }
    assert_int_equal(volume_most_gb(0, VOLUME_DATA), 0);
}

static void
test_a_host_keeps_room_for_wal(void **state)
{
    (void)state;
    assert_int_equal(volume_share_gb(0), 0);
    for (int64_t gb = 100; gb <= 65536; gb *= 2) { /* with members of 50 GB each, nothing is promised twice */
        int64_t members = volume_share_gb(gb) / 50;
        assert_true(members * (volume_mb(50, VOLUME_DATA) + volume_mb(50, VOLUME_WAL)) <= gb * 1024);
    }
}

/* From empty to full and back: it turns once each way. */
static void
test_full_does_not_swing(void **state)
{
    (void)state;
    struct volume_space spaces[VOLUME_PARTS] = { [VOLUME_DATA] = used(10), [VOLUME_WAL] = used(10) };
    bool is_full = false;
    int turns = 0;
    for (int64_t step = 0; step <= 200; step++) {
        spaces[VOLUME_DATA] = used(step <= 100 ? step : 200 - step);
        bool now = volume_is_full(spaces, is_full);
        turns += now != is_full;
        is_full = now;
        if (volume_percent(&spaces[VOLUME_DATA]) >= 95)
            assert_true(is_full);
        if (volume_percent(&spaces[VOLUME_DATA]) < 90)
            assert_false(is_full);
    }
    assert_int_equal(turns, 2);
    spaces[VOLUME_WAL] = used(93);
    assert_true(volume_is_full(spaces, false));
}

static void
test_what_is_not_mounted_is_not_full(void **state)
{
    (void)state;
    const struct volume_space none[VOLUME_PARTS] = { { 0, 0, 0 }, { 0, 0, 0 } };
    assert_false(volume_is_full(none, true));
    assert_false(volume_is_used_up(&none[0]));
    assert_false(volume_has_room(&none[0]));
}

/* Whatever the size: a replica has room for at least 64 MB when its primary has none left. */
static void
test_the_primary_is_told_first(void **state)
{
    (void)state;
    for (int64_t gb = 1; gb <= 65536; gb *= 2) {
        int64_t bytes = volume_mb(gb, VOLUME_DATA) << 20;
        const struct volume_space space = { .size_bytes = bytes,
                                            .used_bytes = bytes / 10,
                                            .free_bytes = bytes - bytes / 10 };
        int64_t of_replica =
            volume_reserve_bytes(VOLUME_DATA, &space, &(struct volume_reserve){ .role = VOLUME_OF_REPLICA });
        int64_t of_primary = volume_reserve_bytes(
            VOLUME_DATA, &space, &(struct volume_reserve){ .role = VOLUME_OF_PRIMARY, .was_used_up = true });
        assert_true(of_primary - of_replica >= 64 << 20);
        assert_true(volume_reserve_bytes(VOLUME_DATA, &space, &(struct volume_reserve){ .role = VOLUME_OF_PRIMARY }) >
                    of_primary);
        assert_true(bytes - of_primary >= gb << 30); /* what the cluster says is there */
    }
}

/* One that becomes the primary on a disk that is nearly full takes what there is, and leaves a little. */
static void
test_a_late_reserve(void **state)
{
    (void)state;
    const struct volume_space space = { .size_bytes = GB, .used_bytes = GB - (40 << 20), .free_bytes = 40 << 20 };
    const struct volume_reserve now = { .has_bytes = 32 << 20, .role = VOLUME_OF_PRIMARY };
    assert_int_equal(volume_reserve_bytes(VOLUME_DATA, &space, &now), (32 + 40 - 8) << 20);
    const struct volume_space none = { .size_bytes = GB, .used_bytes = GB, .free_bytes = 0 };
    assert_int_equal(volume_reserve_bytes(VOLUME_DATA, &none, &now), 32 << 20);
    /* It is a replica again. */
    const struct volume_reserve large = { .has_bytes = 128 << 20, .role = VOLUME_OF_REPLICA };
    assert_int_equal(volume_reserve_bytes(VOLUME_DATA, &none, &large), 32 << 20);
}

/* An agent that was started again does not know yet who is the primary: what was kept stays kept. */
static void
test_nothing_is_given_away_unasked(void **state)
{
    (void)state;
    const struct volume_space space = used(99);
    const struct volume_reserve large = { .has_bytes = 128 << 20 }, none = { .has_bytes = 0 };
    assert_int_equal(volume_reserve_bytes(VOLUME_DATA, &space, &large), 128 << 20);
    assert_true(volume_reserve_bytes(VOLUME_DATA, &space, &none) <= 32 << 20);
    /* Nor is anything taken back that was given to a primary, until there is room. */
    const struct volume_reserve given = { .has_bytes = 96 << 20, .role = VOLUME_OF_PRIMARY };
    const struct volume_space roomy = used(50);
    assert_int_equal(volume_reserve_bytes(VOLUME_DATA, &space, &given), 96 << 20);
    assert_int_equal(volume_reserve_bytes(VOLUME_DATA, &roomy, &given), 128 << 20);
}

/* What a member puts in its place is neither waited for nor taken for it. */
static void
test_the_reserve_is_roots_file(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(ARENA_BYTES);
    char top[] = "/tmp/reeve-volume-XXXXXX";
    assert_non_null(mkdtemp(top));
    str place = str_from(top), path = str_format(arena, "%s/" VOLUME_RESERVE, top);
    assert_int_equal(volume_room_kept(place, VOLUME_RESERVE), 0);
    assert_true(volume_room_keep(place, VOLUME_RESERVE, 1 << 20) && volume_room_kept(place, VOLUME_RESERVE) == 1 << 20);
    assert_true(volume_room_keep(place, VOLUME_RESERVE, 4096) && volume_room_kept(place, VOLUME_RESERVE) == 4096);
    assert_true(volume_room_keep(place, VOLUME_RESERVE, 0) && disk_exists(path.data));
    assert_int_equal(unlink(path.data) | mkfifo(path.data, 0666), 0);
    assert_int_equal(volume_room_kept(place, VOLUME_RESERVE), 0);
    assert_true(volume_room_keep(place, VOLUME_RESERVE, 4096) && volume_room_kept(place, VOLUME_RESERVE) == 4096);
    assert_int_equal(unlink(path.data) | mkdir(path.data, 0777), 0);
    assert_true(volume_room_keep(place, VOLUME_RESERVE, 4096) && volume_room_kept(place, VOLUME_RESERVE) == 4096);
    if (geteuid() == 0) {
        assert_int_equal(chown(path.data, 70001, 70001), 0);
        assert_int_equal(volume_room_kept(place, VOLUME_RESERVE), 0);
    }
    assert_true(disk_remove_tree(top));
}

static void
test_used_up_and_room_again(void **state)
{
    (void)state;
    struct volume_space space = used(100);
    space.free_bytes = 1 << 20;
    assert_true(volume_is_used_up(&space));
    space = used(96);
    assert_false(volume_is_used_up(&space));
    assert_false(volume_has_room(&space));
    space = used(50);
    assert_true(volume_has_room(&space));
}

/* A member without volumes makes a link called wal to another's folder, and has its unit started again. */
static void
test_root_follows_no_link_of_a_member(void **state)
{
    (void)state;
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(ARENA_BYTES);
    char top[] = "/tmp/reeve-volume-XXXXXX";
    assert_non_null(mkdtemp(top));
    str own = str_format(arena, "%s/own", top), other = str_format(arena, "%s/other", top);
    str kept = str_format(arena, "%s/pg_wal", other.data), wal = str_format(arena, "%s/wal", own.data);
    assert_int_equal(mkdir(own.data, 0700) | mkdir(other.data, 0700) | mkdir(kept.data, 0700), 0);
    assert_int_equal(symlink(other.data, wal.data), 0);
    assert_true(prepare_volumes(arena, own) == OK);
    assert_true(disk_exists(kept.data));
    /* Nor a folder of its own making. */
    assert_int_equal(unlink(wal.data) | rename(other.data, wal.data), 0);
    assert_true(prepare_volumes(arena, own) == OK);
    assert_true(disk_exists(str_format(arena, "%s/wal/pg_wal", own.data).data));
    assert_true(disk_remove_tree(top));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units_are_named_for_their_folders),
        cmocka_unit_test(test_wal_has_room),
        cmocka_unit_test(test_a_file_system_has_room_to_grow),
        cmocka_unit_test(test_a_host_keeps_room_for_wal),
        cmocka_unit_test(test_full_does_not_swing),
        cmocka_unit_test(test_what_is_not_mounted_is_not_full),
        cmocka_unit_test(test_the_primary_is_told_first),
        cmocka_unit_test(test_nothing_is_given_away_unasked),
        cmocka_unit_test(test_the_reserve_is_roots_file),
        cmocka_unit_test(test_a_late_reserve),
        cmocka_unit_test(test_used_up_and_room_again),
        cmocka_unit_test(test_root_follows_no_link_of_a_member),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
