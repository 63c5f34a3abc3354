/* SPDX-License-Identifier: Apache-2.0 */
/* What disk.c and disk_below.c share: what happens to a descriptor once it is open. */
#ifndef BASE_DISK_INTERNAL_H
#define BASE_DISK_INTERNAL_H

#include "base/disk.h"

/* Content, owner, mode, and on the disk. */
MUST_USE bool disk_fill(int fd, str text, mode_t mode, struct disk_owner owner);
MUST_USE bool disk_read_from(struct arena *arena, int fd, size_t cap_bytes, str *ret_text);

#endif
