/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PgBouncer beside a member: many clients share few sessions (docs/internals/pooler.md). It connects through the member's
 * socket as each client's own user, with what the client proved to know; it has no password of anybody.
 *
 * It never says by itself whether its member is the primary: the agent runs it beside a primary and nowhere else.
 */
#ifndef ENGINE_POSTGRES_POOLER_POOLER_H
#define ENGINE_POSTGRES_POOLER_POOLER_H

#include "engine/engine.h"

#define POOLER_PROGRAM "/usr/sbin/pgbouncer"
#define POOLER_ROLE    "reeve_pooler" /* asks for verifiers, and may do nothing else */
#define POOLER_ADMIN   "reeve_agent"  /* the agent at the pooler's own console; no role of the server */
#define POOLER_FOLDER  "pooler"       /* below a member's folder: all that it reads */

bool pooler_is_on(const struct engine_member *self);
/* Its files; `ret_changed` is not touched when nothing was written. */
MUST_USE error pooler_write_files(struct engine_member *self, bool *ret_changed);
str pooler_command(struct engine_member *self);
/* On the primary: the role and the function that it asks for verifiers through. */
MUST_USE error pooler_make_role(struct engine_member *self);

/* ---- pooler_console.c ---- */
/* Has it read its files again, and ends clients that could not come in any more: by their address, or by their user. */
MUST_USE error pooler_follow(struct engine_member *self);

/* Whether the address is in one of the project's networks; for tests. */
bool pooler_lets_in(const struct goal_access *access, str address);

#endif
