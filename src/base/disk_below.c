/* SPDX-License-Identifier: Apache-2.0 */
#include "base/disk_below.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/crypto/crypto.h"
#include "base/disk_internal.h"

enum { TRIES = 128, DEEPEST = 128 };

/* The kernel answers EAGAIN when something was renamed while it looked, and asks to be asked again. */
static int
open_below(int folder, const char *name, int flags)
{
    struct open_how how = { .flags = (uint64_t)(unsigned)(flags | O_CLOEXEC),
                            .resolve =
                                RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV };
    int fd = -1;
    for (int i = 0; i < TRIES; i++) {
        fd = (int)syscall(SYS_openat2, folder, name, &how, sizeof(how));
        if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
            break;
    }
    return fd;
}

static int
open_folder(const char *folder)
{
    return open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Closes without changing what errno says. */
static void
close_quietly(int fd)
{
    int why = errno;
    if (fd >= 0)
        close(fd);
    errno = why;
}

static int
open_at(const char *folder, const char *name, int flags)
{
    int top = open_folder(folder);
    if (top < 0 || name[0] == '\0')
        return top;
    int fd = open_below(top, name, flags);
    close_quietly(top);
    return fd;
}

/* The folder that the name is in, and what it is called there. */
static int
open_parent(const char *folder, const char *name, const char **ret_leaf)
{
    char above[PATH_MAX];
    const char *slash = strrchr(name, '/');
    *ret_leaf = slash == NULL ? name : slash + 1;
    if (slash == NULL)
        return open_folder(folder);
    size_t length = (size_t)(slash - name);
    if (length >= sizeof(above)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(above, name, length);
    above[length] = '\0';
    return open_at(folder, above, O_RDONLY | O_DIRECTORY);
}

/* ---- Files ---- */
static bool
replace_in(int parent, const char *leaf, str text, mode_t mode, struct disk_owner owner)
{
    char beside[NAME_MAX + 1];
    uint64_t mark; /* nobody can have put anything there: nobody can guess it */
    crypto_random(&mark, sizeof(mark));
    if (snprintf(beside, sizeof(beside), "%s.%016llx.new", leaf, (unsigned long long)mark) >= (int)sizeof(beside)) {
        errno = ENAMETOOLONG;
        return false;
    }
    int fd = openat(parent, beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    bool written = disk_fill(fd, text, mode, owner);
    written = close(fd) == 0 && written;
    if (written && renameat(parent, beside, parent, leaf) == 0)
        return fsync(parent) == 0;
    int why = errno;
    unlinkat(parent, beside, 0);
    errno = why;
    return false;
}

bool
disk_below_replace(const char *folder, const char *name, str text, mode_t mode, struct disk_owner owner)
{
    const char *leaf;
    int parent = open_parent(folder, name, &leaf);
    if (parent < 0)
        return false;
    bool done = replace_in(parent, leaf, text, mode, owner);
    close_quietly(parent);
    return done;
}

/* A pipe would hold whoever opens it, and a device is nobody's file. */
static int
open_file(const char *folder, const char *name, struct stat *ret_status)
{
    int fd = open_at(folder, name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return -1;
    if (fstat(fd, ret_status) == 0 && S_ISREG(ret_status->st_mode))
        return fd;
    close(fd);
    errno = EPERM;
    return -1;
}

bool
disk_below_read(struct arena *arena, const char *folder, const char *name, size_t cap_bytes, uid_t user, str *ret_text)
{
    struct stat status;
    int fd = open_file(folder, name, &status);
    if (fd < 0)
        return false;
    bool done = status.st_uid == 0 || status.st_uid == user;
    if (!done)
        errno = EPERM;
    done = done && disk_read_from(arena, fd, cap_bytes, ret_text);
    close_quietly(fd);
    return done;
}

static bool
is_as_wished(struct arena *arena, const char *folder, const char *name, str text, mode_t mode, struct disk_owner owner)
{
    struct stat status;
    str now;
    int fd = open_file(folder, name, &status);
    if (fd < 0)
        return false;
    bool same = (size_t)status.st_size == text.len && (status.st_mode & 07777) == mode && status.st_uid == owner.user &&
                status.st_gid == owner.group && disk_read_from(arena, fd, text.len + 1, &now) && str_eq(now, text);
    close(fd);
    return same;
}

bool
disk_below_keep(struct arena *arena, const char *folder, const char *name, str text, mode_t mode,
                struct disk_owner owner, bool *ret_changed)
{
    bool same = is_as_wished(arena, folder, name, text, mode, owner);
    if (ret_changed != NULL && !same)
        *ret_changed = true;
    return same || disk_below_replace(folder, name, text, mode, owner);
}

bool
disk_below_set(const char *folder, const char *name, mode_t mode, struct disk_owner owner)
{
    struct stat status;
    int fd = open_file(folder, name, &status);
    if (fd < 0)
        return false;
    bool done = fchown(fd, owner.user, owner.group) == 0 && fchmod(fd, mode) == 0;
    close_quietly(fd);
    return done;
}

bool
disk_below_look(const char *folder, const char *name, struct stat *ret_status)
{
    const char *leaf;
    int parent = open_parent(folder, name, &leaf);
    if (parent < 0)
        return false;
    bool found = fstatat(parent, leaf, ret_status, AT_SYMLINK_NOFOLLOW) == 0;
    close_quietly(parent);
    return found;
}

bool
disk_below_remove(const char *folder, const char *name)
{
    const char *leaf;
    int parent = open_parent(folder, name, &leaf);
    if (parent < 0)
        return errno == ENOENT;
    bool done = unlinkat(parent, leaf, 0) == 0 || errno == ENOENT;
    close_quietly(parent);
    return done;
}

/* ---- Folders ---- */
bool
disk_below_make_folder(const char *folder, const char *name, mode_t mode, struct disk_owner owner)
{
    const char *leaf;
    int parent = open_parent(folder, name, &leaf), fd = -1;
    if (parent >= 0 && (leaf[0] == '\0' || mkdirat(parent, leaf, 0700) == 0 || errno == EEXIST))
        fd = leaf[0] == '\0' ? dup(parent) : open_below(parent, leaf, O_RDONLY | O_DIRECTORY);
    bool done = fd >= 0 && fchown(fd, owner.user, owner.group) == 0 && fchmod(fd, mode) == 0;
    close_quietly(fd);
    close_quietly(parent);
    return done;
}

bool
disk_below_each(const char *folder, const char *name, bool (*see)(void *context, const char *entry), void *context)
{
    int fd = open_at(folder, name, O_RDONLY | O_DIRECTORY);
    DIR *all = fd < 0 ? NULL : fdopendir(fd);
    if (all == NULL) {
        close_quietly(fd);
        return false;
    }
    bool done = true;
    for (const struct dirent *one = readdir(all); one != NULL && done; one = readdir(all)) {
        if (strcmp(one->d_name, ".") != 0 && strcmp(one->d_name, "..") != 0)
            done = see(context, one->d_name);
    }
    int why = errno;
    closedir(all);
    errno = why;
    return done;
}

/* ---- Trees ---- */
typedef bool visit(int parent, const char *leaf, const struct stat *status, const void *context);

static bool walk(int parent, const char *leaf, visit *see, const void *context, int depth);

static bool
walk_folder(int folder, visit *see, const void *context, int depth)
{
    DIR *all = fdopendir(folder); /* closes the descriptor, too */
    if (all == NULL) {
        close_quietly(folder);
        return false;
    }
    bool done = true;
    for (const struct dirent *one = readdir(all); one != NULL && done; one = readdir(all)) {
        if (strcmp(one->d_name, ".") != 0 && strcmp(one->d_name, "..") != 0)
            done = walk(dirfd(all), one->d_name, see, context, depth + 1);
    }
    int why = errno;
    closedir(all);
    errno = why;
    return done;
}

/* What is below first. What went meanwhile is gone, and that is fine. */
static bool
walk(int parent, const char *leaf, visit *see, const void *context, int depth)
{
    struct stat status;
    if (depth > DEEPEST) {
        errno = ELOOP;
        return false;
    }
    if (fstatat(parent, leaf, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT;
    if (S_ISDIR(status.st_mode)) {
        int folder = open_below(parent, leaf, O_RDONLY | O_DIRECTORY);
        if (folder < 0 ? errno != ENOENT : !walk_folder(folder, see, context, depth))
            return false;
    }
    return see(parent, leaf, &status, context) || errno == ENOENT;
}

/* Through a descriptor of what was looked at: the name may be something else by now. */
static bool
own_one(int parent, const char *leaf, const struct stat *status, const void *context)
{
    const struct disk_owner *owner = context;
    if (status->st_uid == owner->user && status->st_gid == owner->group)
        return true;
    int fd = openat(parent, leaf, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return false;
    struct stat now;
    errno = EAGAIN; /* it was swapped: whoever asked begins again */
    bool done = fstat(fd, &now) == 0 && now.st_dev == status->st_dev && now.st_ino == status->st_ino &&
                fchownat(fd, "", owner->user, owner->group, AT_EMPTY_PATH) == 0;
    close_quietly(fd);
    return done;
}

bool
disk_below_own_tree(const char *folder, const char *name, struct disk_owner owner)
{
    int top = open_folder(folder);
    if (top < 0)
        return false;
    bool done = walk(top, name, own_one, &owner, 0);
    close_quietly(top);
    return done;
}

static bool
remove_one(int parent, const char *leaf, const struct stat *status, const void *context)
{
    (void)context;
    return unlinkat(parent, leaf, S_ISDIR(status->st_mode) ? AT_REMOVEDIR : 0) == 0;
}

bool
disk_remove_tree(const char *path)
{
    char above[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (slash == NULL || slash == path || slash[1] == '\0' || (size_t)(slash - path) >= sizeof(above)) {
        errno = EINVAL; /* never the root, and never something without a place */
        return false;
    }
    memcpy(above, path, (size_t)(slash - path));
    above[slash - path] = '\0';
    int parent = open(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (parent < 0)
        return errno == ENOENT;
    bool done = walk(parent, slash + 1, remove_one, NULL, 0);
    close_quietly(parent);
    return done;
}

bool
disk_below_rename(const char *folder, const char *from, const char *to)
{
    int parent = open_folder(folder);
    if (parent < 0)
        return false;
    bool done = renameat2(parent, from, parent, to, RENAME_NOREPLACE) == 0 && fsync(parent) == 0;
    close_quietly(parent);
    return done;
}
