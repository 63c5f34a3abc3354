/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `reeve-agent receive`: pulls the WAL of one cluster, for as long as it runs, across failovers. It runs as the user of its seat, behind
 * the walls of its unit, and knows nothing but the folder of the seat.
 */
#ifndef ENGINE_POSTGRES_BACKUP_RECEIVE_H
#define ENGINE_POSTGRES_BACKUP_RECEIVE_H

#include "engine/problem.h"

/* Returns only when it cannot work at all. */
MUST_USE error receive_run(struct arena *arena, str folder);

#endif
