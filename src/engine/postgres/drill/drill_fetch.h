/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `reeve-agent fetch`, the first stage of a drill: as the user of the seat, who alone may read the repository, it restores a backup and brings
 * all WAL that follows into the folder of the drill. Nothing of what it restores is run here.
 */
#ifndef ENGINE_POSTGRES_DRILL_DRILL_FETCH_H
#define ENGINE_POSTGRES_DRILL_DRILL_FETCH_H

#include "engine/problem.h"

/* `seat` is the folder of the seat, `folder` that of the drill. An error: not even what went wrong could be written down. */
MUST_USE error drill_fetch_run(struct arena *arena, str seat, str folder);

#endif
