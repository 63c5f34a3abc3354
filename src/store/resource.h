/* SPDX-License-Identifier: Apache-2.0 */
/* Configuration resources: the generic table. */
#ifndef STORE_RESOURCE_H
#define STORE_RESOURCE_H

#include "store/store.h"

struct resource {
    id id;
    str document;
    int64_t revision;
    bool is_new; /* made by this very call, with the fallback document */
};

/* The one resource of this kind in a project, locked until the transaction ends; made when it is not there yet, so that two
 * callers that change it for the first time wait for each other. */
MUST_USE error store_resource_lock_single(struct tx *tx, id organization, id project, str kind, str fallback,
                                          struct resource *ret_resource);
/* Replaces the document; generation and revision move on. */
MUST_USE error store_resource_replace(struct tx *tx, id scope, str kind, id resource, str document,
                                      struct resource *ret_resource);

#endif
