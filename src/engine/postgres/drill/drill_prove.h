/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `reeve-agent prove`, the second stage of a drill: starts what was restored and looks whether it is whole. It has a user of its own, no
 * network and nothing to read but the folder of the drill, because the tenant's data can run programs as this user.
 */
#ifndef ENGINE_POSTGRES_DRILL_DRILL_PROVE_H
#define ENGINE_POSTGRES_DRILL_DRILL_PROVE_H

#include "engine/problem.h"

/* An error: not even what went wrong could be written down. */
MUST_USE error drill_prove_run(struct arena *arena, str folder);

#endif
