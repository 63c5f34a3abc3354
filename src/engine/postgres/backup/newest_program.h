/* SPDX-License-Identifier: Apache-2.0 */
/* PostgreSQL's client programs, which can talk to servers that are older than themselves. */
#ifndef ENGINE_POSTGRES_BACKUP_NEWEST_PROGRAM_H
#define ENGINE_POSTGRES_BACKUP_NEWEST_PROGRAM_H

#include "base/str.h"

/* "/usr/lib/postgresql/17/bin/<name>" of the newest version that is here; empty: there is none. */
str newest_program(struct arena *arena, const char *name);

#endif
