/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `reeve-agent verify`: has pgBackRest read everything in one repository, and notes what is damaged. It runs as the user of the seat, as `keep` does, and beside
 * it: what takes hours must keep no backup waiting.
 *
 * What it notes in SEAT_VERIFIED_FILE: {"wal": [name of a segment …], "backups": [label …], "problem", "atMs", "tookMs", "cpuMs"}.
 */
#ifndef ENGINE_POSTGRES_BACKUP_VERIFY_H
#define ENGINE_POSTGRES_BACKUP_VERIFY_H

#include "base/json.h"
#include "engine/problem.h"

MUST_USE error verify_run(struct arena *arena, str folder);

/* What is damaged, as `pgbackrest verify` says: it ends well in any case. An error: it says that something is, and not what. */
MUST_USE error verify_read(struct arena *arena, str said, json_t **ret_wal, json_t **ret_backups);
/* "error" and "damage" in backups of `info` that are damaged, and in those that build on them: pgBackRest 2.55 does not see that. */
void verify_mark_damaged(const json_t *verified, json_t *backups);

#endif
