/* SPDX-License-Identifier: Apache-2.0 */
/* A way to an object store of the operator's from this node. */
#ifndef OPERATOR_STORE_BUCKET_H
#define OPERATOR_STORE_BUCKET_H

#include "base/crypto/crypto.h"
#include "base/error.h"
#include "base/net/bucket.h"
#include "base/net/egress.h"
#include "store/backup/object_store.h"

/* With its keys opened. */
struct store_bucket {
    struct bucket *bucket;
    struct egress_target target;
    struct bucket_place place;
};
/* OBJECT_STORE_UNUSABLE when its name is not known. */
MUST_USE error store_bucket_open(struct arena *arena, const struct object_store *store, str key, str secret_key,
                                 int64_t limit_ms, struct store_bucket *ret_bucket);
void store_bucket_cleanup(struct store_bucket *bucket);

struct request;
/* Of a request: of one line each, because they are written into pgBackRest's configuration. `are_required`: neither may be missing. */
MUST_USE error store_keys_check(struct request *req, bool are_required);
/* `backup_key` seals the keys of stores, and binds them to their owner. */
MUST_USE error store_keys_seal(struct request *req, str owner, str key, str secret_key, str *ret_sealed);
MUST_USE error store_keys_open(struct arena *arena, const struct key *backup_key, const struct object_store *store,
                               str *ret_key, str *ret_secret_key);

/* What a store said, and what can be done about it: half a sentence each has its end from here. */
MUST_USE error store_unusable(struct arena *arena, const struct object_store *store, str why, const char *remedy);
/* The folder of the store in keys: "" or "folder/". */
str store_prefix(struct arena *arena, const struct object_store *store);

#endif
