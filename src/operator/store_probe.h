/* SPDX-License-Identifier: Apache-2.0 */
/* Tries an object store out as a repository would use it: an object is written, read, listed and deleted. */
#ifndef OPERATOR_STORE_PROBE_H
#define OPERATOR_STORE_PROBE_H

#include "base/error.h"
#include "base/net/bucket.h"
#include "store/backup/object_store.h"

/* OBJECT_STORE_UNUSABLE says what to change. Takes at most about 20 s. */
MUST_USE error store_probe(struct arena *arena, const struct object_store *store, str key, str secret_key,
                           struct bucket_lock *ret_lock);

#endif
