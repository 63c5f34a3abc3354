/* SPDX-License-Identifier: Apache-2.0 */
/* What families that hand out roles have in common: the names that a body may hold, and who may grant what. */
#ifndef FAMILY_AUTH_ROLES_H
#define FAMILY_AUTH_ROLES_H

#include <jansson.h>

#include "api/request.h"

/* For `.one_of`; NULL at the end. */
extern const char *const organization_role_names[];
extern const char *const project_role_names[];
extern const char *const any_role_names[];

/* A role, and where it is granted. */
extern const struct schema role_assignment_schema;

/*
 * Nobody grants more than they have: in the context of the request, the caller must hold every role of the list,
 * directly or implied. ROLE_NOT_GRANTABLE names the first that they do not hold.
 */
MUST_USE error check_grantable(struct request *req, const json_t *roles);

/* The same for replacing one list of roles by another: nobody takes away more than they could give, either. */
MUST_USE error check_replaceable(struct request *req, const json_t *before, const json_t *after);

/*
 * An organization never loses its last owner, nor the last person among its owners. Call begin before the change (it
 * locks the organization, so that two owners cannot remove each other), and end after it.
 */
struct owner_guard {
    int64_t people_before;
};
MUST_USE error owner_guard_begin(struct request *req, struct owner_guard *ret_guard);
MUST_USE error owner_guard_end(struct request *req, const struct owner_guard *guard);

#endif
