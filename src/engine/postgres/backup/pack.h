/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `reeve-agent pack`: makes one file of a backup, from which a plain PostgreSQL of the same major version can be started (docs/how-to/download-snapshot.md). It runs
 * as the user of the seat, and runs nothing of what it brings.
 */
#ifndef ENGINE_POSTGRES_BACKUP_PACK_H
#define ENGINE_POSTGRES_BACKUP_PACK_H

#include "engine/problem.h"

/* Below the folder of the download; order.json is as in drill_files.h, with "from" and "to": the first and last file of WAL that it needs. */
#define PACK_FILES     "out"
#define PACK_SAID_FILE "said/packed.json" /* {"phases", "problem", "isDone", "bytes", "sha256"} */
#define PACK_SUFFIX    ".tar.gz"

/* `seat` is the folder of the seat, `folder` that of the download. An error: not even what went wrong could be written down. */
MUST_USE error pack_run(struct arena *arena, str seat, str folder);

#endif
