/* SPDX-License-Identifier: Apache-2.0 */
/* Organizations. */
#ifndef STORE_TENANT_ORGANIZATION_H
#define STORE_TENANT_ORGANIZATION_H

#include "store/store.h"

struct organization {
    str name;
    str settings; /* JSON */
    int64_t revision;
    int64_t project_count;
};

/* Locked until the transaction ends. RESOURCE_NOT_FOUND when it was deleted meanwhile. */
MUST_USE error store_organization_lock(struct tx *tx, id organization, struct organization *ret_organization);
/* The transaction must already be set to the new organization (tx_set_organization). */
MUST_USE error store_organization_add(struct tx *tx, id organization, id federation, str name,
                                      bool access_list_required, str settings);
MUST_USE error store_organization_update(struct tx *tx, id organization, str name, str settings);
/*
 * Call it first in a transaction that deletes the organization. A change of a credential locks the credential and then
 * the organization; a deletion in the opposite order would cause a deadlock, and one of the two would fail after a
 * second.
 */
MUST_USE error store_organization_lock_to_delete(struct tx *tx, id organization);
/* With its credentials and roles. CONCURRENT_CHANGE when a project was added at this moment. */
MUST_USE error store_organization_delete(struct tx *tx, id organization);
MUST_USE error store_organization_document(struct tx *tx, id organization, str *ret_document, int64_t *ret_revision);

/* The rules of the organization for its members and credentials, as the API shows them. */
MUST_USE error store_organization_settings(struct tx *tx, id organization, str *ret_document, int64_t *ret_revision);
/* `access_list_required` NULL: as it is. `settings` are those of store_organization_lock(), changed. */
MUST_USE error store_organization_set_settings(struct tx *tx, id organization, const bool *access_list_required,
                                               str settings);

#endif
