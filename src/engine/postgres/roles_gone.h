/* SPDX-License-Identifier: Apache-2.0 */
/* Users and groups that are no longer in the plan. First nobody of them is in; then what they leave behind is cleared away. */
#ifndef ENGINE_POSTGRES_ROLES_GONE_H
#define ENGINE_POSTGRES_ROLES_GONE_H

#include "engine/postgres/roles.h"
#include "engine/postgres/session.h"

/* Takes the login of all who go and ends their sessions, whatever else fails. Until this is OK, no change is in force. */
MUST_USE error roles_shut_out(struct engine_member *self, struct session *session, const struct role_plan *plan);

/*
 * Gives what they own to whom each database belongs, revokes what they were granted, and drops them. Goes on after a failure: a tenant can
 * be in the way, with a lock or a database that lets nobody in. Nobody waits for this; what is left is tried again later. Returns the first failure.
 */
MUST_USE error roles_clear_away(struct engine_member *self, struct session *session, const struct role_plan *plan);

#endif
