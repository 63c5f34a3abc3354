/* SPDX-License-Identifier: Apache-2.0 */
/* Clusters without a primary: since when, and whether it was told. */
#ifndef STORE_CLUSTER_PRIMARY_WATCH_H
#define STORE_CLUSTER_PRIMARY_WATCH_H

#include "store/store.h"

enum { PRIMARY_WATCH_MAX = 100 };

struct watched_primary {
    id cluster, organization, project;
    str cluster_name;
    bool is_missing; /* else it is there again, or the cluster is not to run */
    bool is_stopped;
};
/* Those of which something has to be noted, at most PRIMARY_WATCH_MAX at a time. */
MUST_USE error store_primary_watch(struct store *store, struct arena *arena,
                                   struct watched_primary ret_watched[PRIMARY_WATCH_MAX], size_t *ret_count);
/* In a transaction of the service. *ret_is_told: this is the moment to tell it, or what is over was told. */
MUST_USE error store_primary_watch_note(struct tx *tx, const struct watched_primary *watched, bool *ret_is_told);

#endif
