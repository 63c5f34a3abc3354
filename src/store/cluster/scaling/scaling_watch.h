/* SPDX-License-Identifier: Apache-2.0 */
/* Clusters that change their size by themselves: which are to be looked at, and what was found. */
#ifndef STORE_CLUSTER_SCALING_WATCH_H
#define STORE_CLUSTER_SCALING_WATCH_H

#include "store/cluster/cluster.h"

/* In the request that changes the document. */
MUST_USE error store_scaling_follow(struct tx *tx, const struct cluster *cluster, bool is_on);

struct scaled_cluster {
    id id, organization, project;
    str name;
    enum cluster_state state;
    const json_t *document; /* `replicationSpecs` and `paused` only */
    str hash, seen;         /* of the former as they are, and as they were when it was last looked at */
    int64_t changed_ms;
    json_t *found, *told;
    bool is_locked;  /* its organization is */
    bool is_busy;    /* it has a job under way */
    bool is_waiting; /* maintenance waits for its window */
};
/* Those that were not looked at since. Nothing is held. */
MUST_USE error store_scaling_due(struct store *store, struct arena *arena, int64_t before_ms, int64_t limit,
                                 struct scaled_cluster **ret_clusters, size_t *ret_count);
/* In a transaction of the service: those of the list that were still due are this worker's. Others are taken out of the list. */
MUST_USE error store_scaling_claim(struct tx *tx, int64_t now_ms, int64_t before_ms, struct scaled_cluster *clusters,
                                   size_t *count);
struct scaled_member {
    id cluster, id;
    bool analytics;
};
/* That are to run; those of a cluster are side by side. */
MUST_USE error store_scaling_members(struct store *store, struct arena *arena, const struct scaled_cluster *clusters,
                                     size_t count, struct scaled_member **ret_members, size_t *ret_count);
/* Writes `changed_ms`, `seen`, `found` and `told` of the cluster, in a transaction of its organization. */
MUST_USE error store_scaling_note(struct tx *tx, const struct scaled_cluster *cluster);

#endif
