/* SPDX-License-Identifier: Apache-2.0 */
/* `reeve-agent restore-wal`: what PostgreSQL runs for each file of WAL while it recovers. */
#ifndef ENGINE_POSTGRES_BACKUP_RESTORE_WAL_H
#define ENGINE_POSTGRES_BACKUP_RESTORE_WAL_H

#include "engine/problem.h"

#define RESTORE_WAL_PROBLEM "restore/wal-problem" /* below the member's folder: why the last file could not be had */

/*
 * As PostgreSQL understands it: 0, the file is there; 1, there is no such file, and what is there is all; anything above 125, it cannot be said now, and
 * recovery must not end as if this were all.
 */
int restore_wal(struct arena *arena, str folder, const char *name, const char *into);

#endif
