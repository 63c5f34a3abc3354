/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `reeve-agent restore`, as a member: brings its data back from a gate and recovers to the point that the order names, with a server that nobody can
 * connect to. It ends when the data is that of a server that was promoted and stopped; Patroni takes over from there.
 *
 * It may be killed anywhere and run again. The result is in RESTORE_RESULT; while there is none it is to be run again.
 */
#ifndef ENGINE_POSTGRES_BACKUP_RESTORE_H
#define ENGINE_POSTGRES_BACKUP_RESTORE_H

#include "engine/problem.h"

MUST_USE error restore_run(struct arena *arena, str folder);

#endif
