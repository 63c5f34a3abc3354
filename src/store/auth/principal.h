/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes to who may do what: roles, access lists, generations, people, limits. Each runs inside the caller's
 * transaction. On commit every node is told to drop what it keeps in memory about it.
 *
 * Code that changes such a row in another way (an organization's settings, a project made or deleted) must call
 * authority_changed() as well.
 */
#ifndef STORE_AUTH_PRINCIPAL_H
#define STORE_AUTH_PRINCIPAL_H

#include "store/store.h"

#define AUTHORITY_CHANNEL "reeve_authority"

/*
 * `what` is "principal", "org", "project", "user", "session" or "federation" with the id of what changed, or "keys" or "all" with any id. "org"
 * also covers the principals and projects of the organization, "principal" covers what belongs to one caller, "user" only
 * the limits of one caller's own buckets.
 */
MUST_USE error authority_changed(struct tx *tx, const char *what, id whose);

/* ---- Roles: `project` is zero for a role in the organization. The caller has checked that `role` is one. ---- */
/* RESOURCE_NOT_FOUND when there is no such principal, organization, or project in that organization. */
MUST_USE error add_role_grant(struct tx *tx, id principal, id organization, id project, str role);
/* *ret_removed (may be NULL) says whether there was anything to take away. */
MUST_USE error remove_role_grant(struct tx *tx, id principal, id organization, id project, str role, bool *ret_removed);

/* ---- The access list: `block` is what net_block_text() writes ---- */
/* RESOURCE_NOT_FOUND when the organization has no such service account or API key. */
MUST_USE error add_access_list_entry(struct tx *tx, id principal, id organization, str block, str comment);
MUST_USE error remove_access_list_entry(struct tx *tx, id principal, id organization, str block, bool *ret_removed);

/* ---- Principals ---- */
/*
 * People belong to no organization: the transaction must be the service's own (the zero id). DUPLICATE_NAME when the
 * user name is taken, in upper or lower case.
 */
MUST_USE error create_person(struct tx *tx, str username, str first_name, str last_name, id *ret_person);
/* Whether the id is a person's: so that roles are not granted to credentials by mistake. */
/* Deletes a service account or API key of the organization, with everything that belongs to it. */
MUST_USE error delete_principal(struct tx *tx, id principal, id organization, bool *ret_deleted);
/* Ends every token of a principal: its generation moves. RESOURCE_NOT_FOUND when the transaction's organization has no such
 * principal. */
MUST_USE error revoke_tokens(struct tx *tx, id principal);

/* ---- Limits, of what belongs to the transaction's organization: `what` is "org", "project" or "user", as for authority_changed(); `set` a label such as "S17" ---- */
MUST_USE error set_limit_override(struct tx *tx, const char *what, id owner, str set, int64_t capacity, int64_t refill);
MUST_USE error remove_limit_override(struct tx *tx, const char *what, id owner, str set, bool *ret_removed);

#endif
