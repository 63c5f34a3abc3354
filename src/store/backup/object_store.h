/* SPDX-License-Identifier: Apache-2.0 */
/* Object stores of the operator, which repository hosts may keep backups in (docs/internals/backups.md). Keys come and go sealed. */
#ifndef STORE_BACKUP_OBJECT_STORE_H
#define STORE_BACKUP_OBJECT_STORE_H

#include "store/store.h"

struct object_store {
    str name, endpoint, bucket, region;
    str path;      /* in the bucket: "/" or "/folder" */
    str uri_style; /* "host" or "path" */
    str authority; /* PEM; empty: what the system trusts */
    str sealed_keys;
    bool object_lock;
    int64_t lock_days; /* 0: the bucket locks nothing by itself */
};

/* False when there is one of that name. */
MUST_USE error store_object_store_add(struct tx *tx, const struct object_store *draft, bool *ret_added);
/* A JSON list; of one store when `name` is not empty. */
MUST_USE error store_object_store_list(struct store *store, struct arena *arena, str name, str *ret_json);
MUST_USE error store_object_store_get(struct tx *tx, str name, bool *ret_is_there, struct object_store *ret_store);
/* Only what may change while something is kept in it: keys, authority, what is known of its lock. */
MUST_USE error store_object_store_change(struct tx *tx, const struct object_store *changed);
MUST_USE error store_object_store_remove(struct tx *tx, str name, bool *ret_is_there, bool *ret_is_used);

#endif
