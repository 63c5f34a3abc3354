/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Brings an object store back to where it was: what somebody deleted or overwrote since a moment, as far as the bucket's lock has kept it. For when somebody had the
 * store's key who should not have had it.
 */
#ifndef OPERATOR_STORE_RECOVER_H
#define OPERATOR_STORE_RECOVER_H

#include "operator/store_bucket.h"

struct store_recovery {
    int64_t since_ms;
    bool is_dry; /* only counted */
    /* What it came to. */
    int64_t objects;              /* that there were then */
    int64_t deleted, overwritten; /* of them; all of these are back */
};

/* May be broken off and begun again. What was written since, and was not there before, stays. */
MUST_USE error store_recover(struct arena *arena, const struct object_store *store, str key, str secret_key,
                             struct store_recovery *recovery);

/* What is to be done about one object, whose versions are sorted: the newest first. */
struct store_remedy {
    const struct bucket_version *then; /* what there was; NULL: nothing */
    bool is_deleted, is_overwritten;   /* since */
};
struct store_remedy store_remedy_of(const struct bucket_version *versions, size_t count, int64_t since_ms);

#endif
