/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a member does to be backed up (docs/internals/backups.md): repository hosts come and fetch, as a role of their own for WAL and
 * through a server of pgBackRest for data. A member has nothing with which a repository could be reached. Without
 * backups in the goal none of this is there.
 */
#ifndef ENGINE_POSTGRES_BACKUP_MEMBER_SIDE_H
#define ENGINE_POSTGRES_BACKUP_MEMBER_SIDE_H

#include "engine/postgres/postgres.h"

#define BACKUP_CONFIG "pgbackrest.conf" /* below a member's folder, and below a seat's */
enum { BACKUP_PORT = 27018 };

/* Only between certificates of the cluster's own authority: a cluster that has none yet is not backed up. */
bool backup_is_on(const struct engine_member *self);

MUST_USE error backup_write_files(struct engine_member *self, bool *ret_changed);
str backup_command(struct engine_member *self);
void backup_add_hba(struct engine_member *self, struct buf *out);
void backup_add_ident(struct engine_member *self, struct buf *out);
/* Of PostgreSQL, where the cluster itself does not set them. */
json_t *backup_parameters(struct engine_member *self);
/* How much WAL is kept for who does not fetch it, by the size of the member's disk. */
void backup_put_kept_wal(struct engine_member *self, json_t *parameters);

/* "reeve_wal_0": every seat of a cluster has its own. */
str backup_slot(struct arena *arena, int64_t ordinal);
json_t *backup_slots(struct engine_member *self);
/* Adds to a patch of Patroni's configuration that slots of seats which are gone are dropped. */
void backup_drop_slots(json_t *have, json_t *want, json_t *patch);

/* The role, on the primary. */
MUST_USE error backup_settle(struct engine_member *self, const struct engine_observation *seen,
                             struct engine_progress *progress);

#endif
