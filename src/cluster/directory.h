/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How members ask a project's directory about a user: turns `userSecurity.ldap` into settings of PostgreSQL's method
 * "ldap" (docs/internals/access.md). PostgreSQL has one way for all users, so there can be only one mapping, for the
 * whole name.
 */
#ifndef CLUSTER_DIRECTORY_H
#define CLUSTER_DIRECTORY_H

#include <jansson.h>

#include "base/error.h"

/*
 * What members are told: {"hostname", "port", "authority"} with either "prefix" and "suffix" around the name, which is
 * a bind as the user at once, or "base" and "filter" (with $username) and "bindUsername", which is a search first. A
 * search needs a password, and `has_password` says whether there is one. INVALID_ATTRIBUTE_VALUE or MISSING_ATTRIBUTE
 * names what PostgreSQL cannot do.
 */
MUST_USE error directory_login_read(struct arena *arena, const json_t *ldap, bool has_password, json_t **ret_login);

#endif
