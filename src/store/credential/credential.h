/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What service accounts and API keys have in common. A zero `project` means the context of the organization; otherwise
 * only credentials with a role in that project are visible. auth/auth.h makes them.
 */
#ifndef STORE_CREDENTIAL_CREDENTIAL_H
#define STORE_CREDENTIAL_CREDENTIAL_H

#include <jansson.h>

#include "store/store.h"

enum credential_kind { CREDENTIAL_SERVICE_ACCOUNT, CREDENTIAL_API_KEY };

/* Locked until the transaction ends, so that counts about it stay true. */
MUST_USE error store_credential_lock(struct tx *tx, enum credential_kind kind, id organization, id credential,
                                     id project, bool *ret_found, int64_t *ret_revision);
/* Call it after a change: a new revision, and every node drops what it knows about the credential. */
MUST_USE error store_credential_changed(struct tx *tx, id organization, id credential);
/* As the API shows it, inside the transaction that changed it. */
MUST_USE error store_credential_document(struct tx *tx, enum credential_kind kind, id organization, id credential,
                                         id project, str *ret_document, int64_t *ret_revision);
/* An empty text leaves that one as it is. An API key has no name. */
MUST_USE error store_credential_describe(struct tx *tx, enum credential_kind kind, id organization, id credential,
                                         str name, str description);
/* Its roles in one context, as a list of names. */
MUST_USE error store_credential_roles(struct tx *tx, id organization, id credential, id project, json_t **ret_roles);
/* Exactly these roles (a list of names) in one context: adds what is missing, takes away the rest. */
MUST_USE error store_credential_set_roles(struct tx *tx, id organization, id credential, id project,
                                          const json_t *roles);

/* Whether it holds any role outside the project, beside belonging to the organization. */
MUST_USE error store_credential_reaches_beyond(struct tx *tx, id organization, id credential, id project,
                                               bool *ret_beyond);

MUST_USE error store_secret_count(struct tx *tx, id organization, id account, int64_t *ret_count);
/* The masked form; empty when there is no such secret. */
MUST_USE error store_secret_document(struct tx *tx, id organization, id account, id secret, str *ret_document);
MUST_USE error store_secret_delete(struct tx *tx, id organization, id account, id secret, bool *ret_deleted);

/* Exactly these programs (identityProviderId and subject) stand for the account. `ret_unknown`: the first whose provider is none for programs here; -1: all are. */
MUST_USE error store_trusted_programs_set(struct tx *tx, id organization, id account, const json_t *programs,
                                          int64_t *ret_unknown);

/* Owners of the organization: all, and the people among them. Lock the organization first (store_organization_lock). */
MUST_USE error store_owner_count(struct tx *tx, id organization, int64_t *ret_all, int64_t *ret_people);

#endif
