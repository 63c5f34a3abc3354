/* SPDX-License-Identifier: Apache-2.0 */
/* Files that must survive a crash: whole or not at all, and on the disk before anybody relies on them. errno says why. */
#ifndef BASE_DISK_H
#define BASE_DISK_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/str.h"

struct disk_owner {
    uid_t user; /* both -1: whoever writes it */
    gid_t group;
};

/* Written beside it, synced, renamed, and the folder synced. */
MUST_USE bool disk_replace(const char *path, str text, mode_t mode, struct disk_owner owner);
/* The same, only when it is different. `ret_changed` says whether anything was written; may be NULL. */
MUST_USE bool disk_keep(struct arena *arena, const char *path, str text, mode_t mode, struct disk_owner owner,
                        bool *ret_changed);
MUST_USE bool disk_read(struct arena *arena, const char *path, size_t cap_bytes, str *ret_text);
bool disk_exists(const char *path);

/* With all folders above it (mode 0755, owned by root); an existing folder gets this owner and mode. */
MUST_USE bool disk_make_folder(const char *path, mode_t mode, struct disk_owner owner);
/* Removes the folder and everything below; follows no link and crosses no mount. A missing folder is no error. */
MUST_USE bool disk_remove_tree(const char *path);
/* A file that may be gone already. */
MUST_USE bool disk_remove(const char *path);

#endif
