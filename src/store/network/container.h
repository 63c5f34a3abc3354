/* SPDX-License-Identifier: Apache-2.0 */
/* Network containers: blocks of the operator's pool of addresses that belong to one project (docs/internals/network.md). */
#ifndef STORE_NETWORK_CONTAINER_H
#define STORE_NETWORK_CONTAINER_H

#include "store/store.h"

struct container_draft {
    id organization, project, id;
    str provider, region;
    str block; /* "10.91.4.0/24" */
};
/*
 * Both refuse a block that the project cannot have, with the reason: INVALID_ATTRIBUTE_VALUE of the field,
 * ADDRESSES_NOT_FREE, and DUPLICATE_NAME for a second container in a region. Until the transaction ends no member is
 * placed anywhere.
 */
MUST_USE error store_container_add(struct tx *tx, const struct container_draft *draft);
MUST_USE error store_container_update(struct tx *tx, const struct container_draft *draft);
/* The document is empty when there is none. */
MUST_USE error store_container_lock(struct tx *tx, id project, id container, str *ret_document, int64_t *ret_revision);
MUST_USE error store_container_delete(struct tx *tx, id project, id container);

#endif
