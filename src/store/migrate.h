/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Brings the schema up to date. Tables, data and grants are migrations: the files of store/migrations/, in order,
 * forward only. Functions, views and triggers are routines: a file each in a folder routines/, put in place again
 * whenever its text is another one than the database has. Each file is a transaction of its own.
 *
 * Any number of nodes may try it at once; one does the work and the others find it done. A migration that waits for a
 * table gives up and tries again, so that it does not block running nodes.
 */
#ifndef STORE_MIGRATE_H
#define STORE_MIGRATE_H

#include <stdbool.h>

#include "base/error.h"

struct migration {
    int version;
    const char *name, *text;
    const char *was; /* SHA-256 of the file from the time when it also contained routines; NULL: it never did */
};
extern const struct migration migrations[];
extern const int migration_count;

struct routine {
    const char *name, *text;
    bool before_tables; /* policies or indexes of tables call it */
};
extern const struct routine routines[]; /* each after those that it uses */
extern const int routine_count;

/*
 * DATABASE_UNAVAILABLE when the database cannot be reached, INTERNAL_ERROR (logged) when a migration fails or an applied
 * one is not the one that this program carries. `ret_applied` counts the migrations that this call applied. Where a newer
 * program was, routines stay as they are.
 */
MUST_USE error store_migrate(const char *dsn, struct arena *arena, int *ret_applied);

struct migration_status {
    int applied;    /* the newest version in the database, 0 in an empty one */
    int known;      /* the newest version that this program carries */
    bool unchanged; /* every applied file is byte for byte the one that this program carries */
};
MUST_USE error store_migration_status(const char *dsn, struct arena *arena, struct migration_status *ret_status);

#endif
