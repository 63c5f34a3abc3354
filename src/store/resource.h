/* SPDX-License-Identifier: Apache-2.0 */
/* Configuration resources: the generic table. A resource belongs to its scope, which is a project or an organization. */
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
/* The resource of that name, locked until the transaction ends. */
MUST_USE error store_resource_lock(struct tx *tx, id scope, str kind, str name, bool *ret_found,
                                   struct resource *ret_resource);

/* The document of that name, whole, as it is now; empty: there is none. */
MUST_USE error store_resource_read(struct store *store, struct arena *arena, id scope, str kind, str name,
                                   str *ret_document);

struct resource_draft {
    id organization, scope, id;
    str kind, name, document;
    int64_t access_generation; /* of store_access_touch(); 0: nobody's access depends on it */
};
/* False in *ret_is_free, with a transaction that can only roll back, when the name is taken. */
MUST_USE error store_resource_add(struct tx *tx, const struct resource_draft *draft, bool *ret_is_free,
                                  struct resource *ret_resource);
/* Replaces the document; generation and revision move on. */
MUST_USE error store_resource_replace(struct tx *tx, const struct resource_draft *draft, struct resource *ret_resource);
/* Many of one kind at a time, each under its name, whether it is there or not: [{"id", "name", "document"}, …]. The id, name and document of the draft do
 * not matter. */
MUST_USE error store_resource_put_all(struct tx *tx, const struct resource_draft *draft, str resources,
                                      int64_t *ret_added);
MUST_USE error store_resource_delete(struct tx *tx, id scope, str kind, id resource);

#endif
