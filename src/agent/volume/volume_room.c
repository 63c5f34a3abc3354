/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/volume/volume_room.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/disk.h"
#include "base/disk_below.h"

static bool
is_ours(const struct stat *status)
{
    return S_ISREG(status->st_mode) && status->st_uid == 0 && status->st_nlink == 1;
}

bool
volume_room_is_kept(str place, const char *name)
{
    struct stat status;
    return disk_below_look(place.data, name, &status) && is_ours(&status);
}

int64_t
volume_room_kept(str place, const char *name)
{
    struct stat status;
    return disk_below_look(place.data, name, &status) && is_ours(&status) ? (int64_t)status.st_size : 0;
}

/* A pipe would be waited for by who opens it to write, so nothing is waited for. */
static int
open_ours(int folder, const char *name)
{
    struct stat status;
    int file = openat(folder, name, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (file >= 0 && fstat(file, &status) == 0 && is_ours(&status))
        return file;
    if (file >= 0)
        close(file);
    return -1;
}

static int
open_or_make(str place, int folder, const char *name)
{
    enum { PATH_ROOM = 512 };
    struct arena *arena CLEANUP(arena_cleanup) = arena_new(PATH_ROOM);
    int file = open_ours(folder, name);
    if (file >= 0)
        return file;
    if (arena == NULL || !disk_remove_tree(str_format(arena, "%s/%s", place.data, name).data))
        return -1;
    return openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

int
volume_room_open(str place, const char *name)
{
    int folder = open(place.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int file = folder < 0 ? -1 : open_ours(folder, name);
    if (folder >= 0)
        close(folder);
    return file;
}

bool
volume_room_keep(str place, const char *name, int64_t bytes)
{
    struct stat status;
    int folder = open(place.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int file = folder < 0 ? -1 : open_or_make(place, folder, name), why = errno;
    if (file >= 0) {
        int64_t has = fstat(file, &status) == 0 ? (int64_t)status.st_size : 0;
        why = bytes < has   ? (ftruncate(file, bytes) == 0 ? 0 : errno)
              : bytes > has ? posix_fallocate(file, 0, bytes)
                            : 0;
        why = why == 0 && fsync(file) != 0 ? errno : why;
        close(file);
    }
    if (folder >= 0)
        close(folder);
    errno = why;
    return file >= 0 && why == 0;
}
