/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files below a folder that somebody else may write to, while root works on it. The kernel resolves names from the
 * folder's descriptor: no link is followed, and nothing outside of the folder and no other mount is reached, even if
 * somebody swaps files meanwhile. errno says why.
 *
 * `folder` is a path whose parents are root's; `name` is below it ("tls/member.key").
 */
#ifndef BASE_DISK_BELOW_H
#define BASE_DISK_BELOW_H

#include "base/disk.h"

/* As disk_replace, disk_keep and disk_read. Only a regular file of root or of the given user is read: EPERM otherwise. */
MUST_USE bool disk_below_replace(const char *folder, const char *name, str text, mode_t mode, struct disk_owner owner);
MUST_USE bool disk_below_keep(struct arena *arena, const char *folder, const char *name, str text, mode_t mode,
                              struct disk_owner owner, bool *ret_changed);
MUST_USE bool disk_below_read(struct arena *arena, const char *folder, const char *name, size_t cap_bytes, uid_t user,
                              str *ret_text);

/* The folder itself when the name is empty. One that is there gets this owner and mode. */
MUST_USE bool disk_below_make_folder(const char *folder, const char *name, mode_t mode, struct disk_owner owner);

/*
 * Gives a whole tree to the owner. The name itself comes last: its owner owns all of it, also when this was killed
 * half-way and started again. A missing tree is no error.
 */
MUST_USE bool disk_below_own_tree(const char *folder, const char *name, struct disk_owner owner);

/*
 * Calls the function for each name in the folder, except "." and "..". Stops at the first that returns false, and
 * returns false then.
 */
MUST_USE bool disk_below_each(const char *folder, const char *name, bool (*see)(void *context, const char *entry),
                              void *context);

/* What it is, without following; false when there is none. */
struct stat;
bool disk_below_look(const char *folder, const char *name, struct stat *ret_status);
MUST_USE bool disk_below_remove(const char *folder, const char *name);
/* Within the folder itself, and on the disk; EEXIST when there is something of the new name. */
MUST_USE bool disk_below_rename(const char *folder, const char *from, const char *to);
/* The owner and mode of a file; false when it is none. */
MUST_USE bool disk_below_set(const char *folder, const char *name, mode_t mode, struct disk_owner owner);

#endif
