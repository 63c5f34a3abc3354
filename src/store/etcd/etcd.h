/* SPDX-License-Identifier: Apache-2.0 */
/* Etcd groups: where members of clusters agree (docs/internals/etcd.md). Passwords come and go sealed. */
#ifndef STORE_ETCD_ETCD_H
#define STORE_ETCD_ETCD_H

#include "store/store.h"

/* Whether those who come to a group must say who they are; PREPARED: users are being made, and it is turned on when nobody goes without. */
enum etcd_auth { ETCD_AUTH_OFF, ETCD_AUTH_PREPARED, ETCD_AUTH_ON };

struct etcd_place {
    str group;
    str endpoints; /* JSON; an empty list: those of reeve.conf */
    enum etcd_auth auth;
    str sealed_root;
    /* Of one cluster: */
    str scope, user, sealed_password; /* user: empty until the group has it */
    /* Of a group: */
    int64_t waiting; /* members that would be locked out if every request needed a user */
    bool is_early;   /* members may start with a user before it is ON */
};

/* False when there is no such cluster. */
MUST_USE error store_etcd_of_cluster(struct store *store, struct arena *arena, id cluster, bool *ret_found,
                                     struct etcd_place *ret_place);
enum { ETCD_GROUPS_MAX = 1000, ETCD_CLUSTERS_MAX = 100 };
/* Those that have users, or should. */
MUST_USE error store_etcd_groups(struct store *store, struct arena *arena, size_t *ret_count,
                                 struct etcd_place **ret_places);
/* Some of the clusters that run without a user although their group has some. */
MUST_USE error store_etcd_without_user(struct store *store, struct arena *arena, size_t *ret_count,
                                       id ret_clusters[ETCD_CLUSTERS_MAX], id ret_organizations[ETCD_CLUSTERS_MAX]);
MUST_USE error store_etcd_group_set_auth(struct tx *tx, str group, enum etcd_auth auth, str waits_for);

/* In transactions of the cluster's organization, or of the service. */
MUST_USE error store_cluster_etcd_bind(struct tx *tx, id cluster, str provider, str region, bool *ret_bound);
MUST_USE error store_cluster_etcd_password(struct tx *tx, id organization, id cluster, str sealed);
MUST_USE error store_cluster_etcd_user(struct tx *tx, id cluster, str user);

/* ---- Operators ---- */
struct etcd_group_draft {
    str name, endpoints, regions; /* the lists are JSON */
    int64_t capacity;             /* 0: no bound */
    str sealed_root;
};
/* False when there is one of that name, or the name is none. */
MUST_USE error store_etcd_group_add(struct tx *tx, const struct etcd_group_draft *draft, bool *ret_added);
struct etcd_group_change {
    str name, state;  /* empty: as it is */
    int64_t capacity; /* -1: as it is; 0: no bound */
    bool secure;
    str sealed_root; /* for one that has none */
};
MUST_USE error store_etcd_group_change(struct tx *tx, const struct etcd_group_change *change, bool *ret_is_there);
MUST_USE error store_etcd_group_remove(struct tx *tx, str name, bool *ret_is_there, bool *ret_is_used);

#endif
