/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a plan of roles true on the primary. */
#ifndef ENGINE_POSTGRES_ROLES_APPLY_H
#define ENGINE_POSTGRES_ROLES_APPLY_H

#include "engine/engine.h"
#include "engine/postgres/roles.h"

/* Databases, groups, users, memberships and grants; who is not in the plan goes. */
MUST_USE error roles_apply(struct engine_member *self, const struct role_plan *plan);
/* Only grants on what was created since: tables that a role names and that were not there. Writes nothing when all is granted. */
MUST_USE error roles_look_again(struct engine_member *self, const struct role_plan *plan);

#endif
