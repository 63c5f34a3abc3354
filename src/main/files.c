/* SPDX-License-Identifier: Apache-2.0 */
#include "main/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
write_all(int fd, str text)
{
    while (text.len > 0) {
        ssize_t count = write(fd, text.data, text.len);
        if (count < 0 && errno != EINTR)
            return false;
        if (count > 0)
            text = str_slice(text, (size_t)count, text.len);
    }
    return true;
}

bool
files_replace(const char *path, str text)
{
    char beside[PATH_MAX];
    int len = snprintf(beside, sizeof(beside), "%s.new", path);
    if (len < 0 || (size_t)len >= sizeof(beside)) {
        errno = ENAMETOOLONG;
        return false;
    }
    int fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0)
        return false;
    bool written = write_all(fd, text);
    if (close(fd) != 0 || !written)
        return false;
    return rename(beside, path) == 0;
}

bool
files_make_folder(const char *path)
{
    char part[PATH_MAX];
    size_t len = strlen(path);
    if (len >= sizeof(part)) {
        errno = ENAMETOOLONG;
        return false;
    }
    for (size_t i = 1; i <= len; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, 0755) != 0 && errno != EEXIST)
            return false;
    }
    struct stat facts;
    if (stat(path, &facts) != 0)
        return false;
    if (S_ISDIR(facts.st_mode))
        return true;
    errno = ENOTDIR;
    return false;
}
