/* SPDX-License-Identifier: Apache-2.0 */
/* Applies a plan of roles on the primary. */
#ifndef ENGINE_POSTGRES_ROLES_APPLY_H
#define ENGINE_POSTGRES_ROLES_APPLY_H

#include "engine/engine.h"
#include "engine/postgres/roles.h"

/*
 * First shuts out users who are not in the plan; then makes databases, groups, users, memberships and grants. If
 * something of removed users could not be deleted, that becomes the plan's problem and is no failure.
 */
MUST_USE error roles_apply(struct engine_member *self, struct role_plan *plan);
/* Only grants on what was created since (tables that a role names and that were not there), and what was left of those who went. Writes
 * nothing when all is granted. */
MUST_USE error roles_look_again(struct engine_member *self, struct role_plan *plan);

#endif
