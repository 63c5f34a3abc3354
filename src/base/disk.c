/* SPDX-License-Identifier: Apache-2.0 */
#include "base/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crypto/crypto.h"
#include "base/disk_internal.h"

static bool
write_all(int fd, str text)
{
    while (text.len > 0) {
        ssize_t written = write(fd, text.data, text.len);
        if (written < 0 && errno != EINTR)
            return false;
        if (written > 0)
            text = str_slice(text, (size_t)written, text.len);
    }
    return true;
}

static bool
sync_folder_of(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - path);
    if (length >= sizeof(folder))
        return false;
    memcpy(folder, path, length);
    folder[length] = '\0';
    int fd = open(slash == NULL ? "." : length == 0 ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool done = fsync(fd) == 0;
    close(fd);
    return done;
}

/* The owner before the mode: nobody else ever has the file open with more than 0600. */
bool
disk_fill(int fd, str text, mode_t mode, struct disk_owner owner)
{
    /* Those who may not give files away do not ask to. */
    bool is_given = owner.user != (uid_t)-1 || owner.group != (gid_t)-1;
    return write_all(fd, text) && (!is_given || fchown(fd, owner.user, owner.group) == 0) && fchmod(fd, mode) == 0 &&
           fsync(fd) == 0;
}

bool
disk_replace(const char *path, str text, mode_t mode, struct disk_owner owner)
{
    char beside[PATH_MAX];
    uint64_t mark; /* a name of its own: two threads that replace one file do not write into each other's */
    crypto_random(&mark, sizeof(mark));
    if (snprintf(beside, sizeof(beside), "%s.%016llx.new", path, (unsigned long long)mark) >= (int)sizeof(beside)) {
        errno = ENAMETOOLONG;
        return false;
    }
    int fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    bool written = disk_fill(fd, text, mode, owner);
    written = close(fd) == 0 && written;
    if (written && rename(beside, path) == 0)
        return sync_folder_of(path);
    int why = errno;
    unlink(beside);
    errno = why;
    return false;
}

bool
disk_keep(struct arena *arena, const char *path, str text, mode_t mode, struct disk_owner owner, bool *ret_changed)
{
    str now;
    struct stat status;
    bool same = stat(path, &status) == 0 && (size_t)status.st_size == text.len && (status.st_mode & 07777) == mode &&
                status.st_uid == owner.user && status.st_gid == owner.group &&
                disk_read(arena, path, text.len + 1, &now) && str_eq(now, text);
    if (ret_changed != NULL && !same)
        *ret_changed = true;
    return same || disk_replace(path, text, mode, owner);
}

bool
disk_read_from(struct arena *arena, int fd, size_t cap_bytes, str *ret_text)
{
    struct stat status;
    size_t room = fstat(fd, &status) == 0 && status.st_size > 0 ? (size_t)status.st_size : 4096, length = 0;
    char *bytes = room > cap_bytes ? NULL : arena_alloc_unset(arena, room + 1);
    ssize_t got = bytes == NULL ? -1 : 1;
    while (got > 0 && length < room) {
        got = read(fd, bytes + length, room - length);
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got > 0)
            length += (size_t)got;
    }
    if (got < 0) {
        errno = bytes == NULL ? EFBIG : errno;
        return false;
    }
    bytes[length] = '\0';
    *ret_text = (str){ bytes, length };
    return true;
}

bool
disk_read(struct arena *arena, const char *path, size_t cap_bytes, str *ret_text)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool done = disk_read_from(arena, fd, cap_bytes, ret_text);
    int why = errno;
    close(fd);
    errno = why;
    return done;
}

bool
disk_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

bool
disk_make_folder(const char *path, mode_t mode, struct disk_owner owner)
{
    char above[PATH_MAX];
    size_t length = strlen(path);
    if (length >= sizeof(above)) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(above, path, length + 1);
    for (char *slash = strchr(above + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(above, 0755) != 0 && errno != EEXIST)
            return false;
        *slash = '/';
    }
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return false;
    /* Through a descriptor: what the name points to cannot change in between. */
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool done = fchown(fd, owner.user, owner.group) == 0 && fchmod(fd, mode) == 0;
    close(fd);
    return done;
}

bool
disk_remove(const char *path)
{
    return unlink(path) == 0 || errno == ENOENT;
}
