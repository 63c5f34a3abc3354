/* SPDX-License-Identifier: Apache-2.0 */
/* What service accounts and API keys have in common, in an organization and in a project. */
#ifndef FAMILY_CREDENTIAL_CREDENTIALS_H
#define FAMILY_CREDENTIAL_CREDENTIALS_H

#include "api/request.h"
#include "store/credential/credential.h"

/* The one that the path names: `{clientId}` or `{apiUserId}`. */
struct credential {
    enum credential_kind kind;
    id id;
    int64_t revision;
};
/* False when the path's value cannot name one. */
MUST_USE bool credential_from_path(const struct request *req, struct credential *ret_credential);

/* For reads: organization, credential, context; organization, page, context. */
MUST_USE error credential_bind_get(struct request *req, struct params *params);
MUST_USE error credential_bind_list(struct request *req, struct params *params);

/* Locked, for a change; 404 when it is not in the request's context, 412 when If-Match does not match. */
MUST_USE error credential_lock(struct request *req, struct credential *ret_credential);
/*
 * The same for a change of the credential itself, not of its roles in a project. A caller who can give it a secret, or
 * allow another address, can use it. So callers in a project can change only credentials without roles elsewhere;
 * owners of the organization can change all. Otherwise 403.
 */
MUST_USE error credential_lock_itself(struct request *req, struct credential *ret_credential);
/* The same for an organization's credential that holds no role in the project yet. */
MUST_USE error credential_lock_in_organization(struct request *req, struct credential *ret_credential);
/* As the API shows it, after a change; also marks it as changed. */
MUST_USE error credential_answer(struct request *req, const struct credential *credential);
MUST_USE error credential_json(struct request *req, const struct credential *credential, json_t **ret_json);

/* Roles in the request's context: exactly these (NULL: leave them), or these as well. Nobody grants more than they have, and
 * the organization keeps an owner. */
MUST_USE error credential_replace_roles(struct request *req, const struct credential *credential, const json_t *roles);
MUST_USE error credential_add_roles(struct request *req, const struct credential *credential, const json_t *roles);

handler credential_delete; /* from the organization: altogether; from a project: its roles there */

/* Access lists. */
extern const struct schema access_entry_schema, key_access_entry_schema;
handler access_list_page, access_list_add, access_list_get, access_list_remove;

#endif
