/* SPDX-License-Identifier: Apache-2.0 */
/* Brings received WAL into the repository, one file after the other, each checked to follow the last. A thread of its own. */
#ifndef ENGINE_POSTGRES_BACKUP_WAL_PUSHER_H
#define ENGINE_POSTGRES_BACKUP_WAL_PUSHER_H

#include "engine/postgres/backup/wal_state.h"

/* Runs as long as the process. False when there is no thread. */
MUST_USE bool wal_pusher_start(const struct receive_config *config, struct wal_state *state, struct wal_source *source);

#endif
