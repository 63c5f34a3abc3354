/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Users come to a replica with its WAL, and WAL waits for transactions there, on members for analytics up to an hour. Two things do not wait so long: somebody who may not come in any more,
 * and the disk that keeps what was not replayed yet.
 */
#ifndef ENGINE_POSTGRES_REPLICA_H
#define ENGINE_POSTGRES_REPLICA_H

#include "engine/engine.h"

/* Often after a new generation, until all users are what they should be, and otherwise now and then. */
MUST_USE error replica_settle(struct engine_member *self, struct engine_progress *progress);

#endif
