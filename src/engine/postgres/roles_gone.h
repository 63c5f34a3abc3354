/* SPDX-License-Identifier: Apache-2.0 */
/* Users and groups that are no longer in the plan. First they lose access; then what they leave behind is removed. */
#ifndef ENGINE_POSTGRES_ROLES_GONE_H
#define ENGINE_POSTGRES_ROLES_GONE_H

#include "engine/postgres/roles.h"
#include "engine/postgres/session.h"

/*
 * Takes away the login of all removed users and ends their sessions, whatever else fails. No change is in force until
 * this succeeds.
 */
MUST_USE error roles_shut_out(struct engine_member *self, struct session *session, const struct role_plan *plan);

/*
 * Gives what they own to the owner of each database, revokes their grants, and drops them. Continues after a failure,
 * because a tenant can block it with a lock or a database that accepts no connections. Nobody waits for this; the rest
 * is retried later. Returns the first failure.
 */
MUST_USE error roles_clear_away(struct engine_member *self, struct session *session, const struct role_plan *plan);

#endif
