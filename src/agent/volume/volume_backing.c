/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/volume/volume_backing.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

enum { MB = 1 << 20, OTHERS_BYTES = 4096 };

/* Of the disk's bytes: those of the image, which the kernel calls physical. */
static int
by_place(const void *left, const void *right)
{
    const struct fiemap_extent *a = left, *b = right;
    return (a->fe_physical > b->fe_physical) - (a->fe_physical < b->fe_physical);
}

/* Where the first bytes of a file lie, in the order of the image. How many pieces these are has to be asked first. */
static error
find_extents(struct arena *arena, int file, int64_t bytes, struct arena **ret_arena, struct fiemap **ret_map)
{
    struct fiemap asked = { .fm_length = (uint64_t)bytes, .fm_flags = FIEMAP_FLAG_SYNC };
    if (bytes > 0 && ioctl(file, FS_IOC_FIEMAP, &asked) != 0)
        return problem(arena, "The kernel does not say where a file of a volume lies: %s.", strerror(errno));
    size_t room = sizeof(asked) + asked.fm_mapped_extents * sizeof(struct fiemap_extent);
    *ret_arena = arena_new(room + OTHERS_BYTES);
    struct fiemap *map = *ret_arena == NULL ? NULL : arena_alloc(*ret_arena, room);
    if (map == NULL)
        return problem(arena, "There is no memory to say where a file of a volume lies.");
    *map = asked;
    map->fm_extent_count = asked.fm_mapped_extents;
    if (bytes > 0 && ioctl(file, FS_IOC_FIEMAP, map) != 0)
        return problem(arena, "The kernel does not say where a file of a volume lies: %s.", strerror(errno));
    qsort(map->fm_extents, map->fm_mapped_extents, sizeof(map->fm_extents[0]), by_place);
    *ret_map = map;
    return OK;
}

static error
take_part(struct arena *arena, int image, int64_t from, int64_t to)
{
    if (to <= from || fallocate(image, FALLOC_FL_KEEP_SIZE, from, to - from) == 0)
        return OK;
    return problem(arena, "The host's disk cannot give %lld MB to a volume: %s.", (long long)((to - from) / MB),
                   strerror(errno));
}

error
volume_backing_take(struct arena *arena, int image, int later, int64_t later_bytes)
{
    struct arena *scratch CLEANUP(arena_cleanup) = NULL;
    struct fiemap *map = NULL;
    struct stat status;
    TRY(find_extents(arena, later, later_bytes, &scratch, &map));
    if (fstat(image, &status) != 0)
        return problem(arena, "An image cannot be looked at: %s.", strerror(errno));
    int64_t from = 0;
    for (uint32_t i = 0; i < map->fm_mapped_extents; i++) {
        const struct fiemap_extent *one = &map->fm_extents[i];
        int64_t beyond = (int64_t)(one->fe_logical + one->fe_length) - later_bytes;
        TRY(take_part(arena, image, from, (int64_t)one->fe_physical));
        from = (int64_t)(one->fe_physical + one->fe_length) - (beyond > 0 ? beyond : 0);
    }
    return take_part(arena, image, from, (int64_t)status.st_size);
}
