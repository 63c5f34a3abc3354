/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a plan of roles true on the primary. */
#ifndef ENGINE_POSTGRES_ROLES_APPLY_H
#define ENGINE_POSTGRES_ROLES_APPLY_H

#include "engine/engine.h"
#include "engine/postgres/roles.h"

/* Who is not in the plan is shut out; then databases, groups, users, memberships and grants. What could not be cleared away of those who
 * went is the plan's problem, and no failure. */
MUST_USE error roles_apply(struct engine_member *self, struct role_plan *plan);
/* Only grants on what was created since (tables that a role names and that were not there), and what was left of those who went. Writes
 * nothing when all is granted. */
MUST_USE error roles_look_again(struct engine_member *self, struct role_plan *plan);

#endif
