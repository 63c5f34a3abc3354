/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Brings a backup, and files of WAL, from the repository of a seat into a folder beside it. For programs that run as the seat's user in a unit that can read the
 * repository and not write to it. Nothing of what is brought is run.
 */
#ifndef ENGINE_POSTGRES_BACKUP_BRING_H
#define ENGINE_POSTGRES_BACKUP_BRING_H

#include "engine/problem.h"

struct bring {
    struct arena *arena;
    str seat;   /* the folder of the seat */
    str folder; /* where everything goes: `data` below it; `spool` is there already */
    str stanza, label, major_version;
};

MUST_USE error bring_backup(const struct bring *bring);
/* From the repository, or from what was received and is not stored yet. */
MUST_USE error bring_wal(const struct bring *bring, str name, str into, bool *ret_found);
/* How large files of WAL are, as the data that was brought says. */
MUST_USE error bring_segment_bytes(const struct bring *bring, uint64_t *ret_bytes);

#endif
