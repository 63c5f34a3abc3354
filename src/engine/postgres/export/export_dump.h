/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `reeve-agent dump`, the second stage of an export: starts what was restored and has pg_dump write each database. As with drills, the tenant's data can run
 * programs as this user, so it has no network and sees nothing but the folder of the export.
 */
#ifndef ENGINE_POSTGRES_EXPORT_EXPORT_DUMP_H
#define ENGINE_POSTGRES_EXPORT_EXPORT_DUMP_H

#include "engine/problem.h"

/* An error: not even what went wrong could be written down. */
MUST_USE error export_dump_run(struct arena *arena, str folder);

#endif
