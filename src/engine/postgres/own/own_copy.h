/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Backups of a server of which only a connection is known: the control plane's own database (docs/internals/own-database.md). pg_basebackup copies it
 * to this disk, and pgBackRest takes the copy into the repository as files of a server that does not run. So it does not know which WAL a
 * backup needs, and leaves out the file that says where recovery begins; both are kept here: the one as annotations, the other under another name.
 */
#ifndef ENGINE_POSTGRES_OWN_OWN_COPY_H
#define ENGINE_POSTGRES_OWN_OWN_COPY_H

#include "base/json.h"
#include "engine/postgres/backup/receive_config.h"

enum { OWN_COPY_WORDS = 4 };

/* Makes the copy anew. `ret_words`: options of `backup` that say what it needs. */
MUST_USE error own_copy_make(struct arena *arena, const struct receive_config *config,
                             const char *ret_words[OWN_COPY_WORDS]);
/* It is in the repository, or will never be. */
MUST_USE error own_copy_drop(struct arena *arena, str folder);

/* What `info` cannot say about such backups, from their annotations, as it says it about others. */
void own_copy_complete(json_t *backups);

/* In the folder of data that was restored: recovery begins where the copy says. Nothing happens to what was backed up in another way. */
MUST_USE error own_copy_begin_recovery(struct arena *arena, str data);

/*
 * pgBackRest removes no WAL when it does not know what backups need. From the repository on this disk: every segment before `first` that no backup
 * needs for itself.
 */
MUST_USE error own_copy_shorten_wal(struct arena *arena, str archive, const json_t *backups, str first);

#endif
