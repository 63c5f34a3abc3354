/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clusters: the document that the tenant changes (a resource of the kind 'cluster' or 'flexCluster') and the rows for
 * jobs. Every change begins with store_cluster_lock(), so that requests and the steps of jobs take turns.
 */
#ifndef STORE_CLUSTER_CLUSTER_H
#define STORE_CLUSTER_CLUSTER_H

#include <jansson.h>

#include "store/cluster/cluster_state.h"
#include "store/cluster/member_state.h"
#include "store/store.h"

#define CLUSTER_KIND      "cluster"
#define FLEX_CLUSTER_KIND "flexCluster"

struct cluster {
    id id, organization, project;
    str name, kind;
    enum cluster_state state;
    const json_t *document; /* read once, when it was locked; whoever changes it changes a copy */
    int64_t generation, observed_generation;
    str set_name, major_version;
    str host_label;            /* what its names begin with; empty: names as they were once (cluster/names.h) */
    int64_t port, pooler_port; /* the latter only of a new one */
    str parameters;            /* JSON */
    str analytics_parameters;  /* JSON: what members for analytics have instead. Only of a new one */
    int64_t goal_generation, restart_generation;
    str label; /* of the project, in host names */
};

/* ---- Requests ---- */
/* `kind` is one of the two. *ret_found is false when there is none of that name. */
MUST_USE error store_cluster_lock(struct tx *tx, id organization, id project, str kind, str name, bool *ret_found,
                                  struct cluster *ret_cluster);
/* Without a lock. */
MUST_USE error store_cluster_find(struct tx *tx, id project, str kind, str name, bool *ret_found, id *ret_cluster);
/* Clusters of the project whose servers do not load a library of that name, without a lock. */
MUST_USE error store_cluster_without_library(struct tx *tx, id project, str library, size_t *ret_count,
                                             id **ret_clusters);
/* As the API shows it, inside the transaction that changed it. */
MUST_USE error store_cluster_document(struct tx *tx, const struct cluster *cluster, str *ret_document,
                                      int64_t *ret_revision);
/* DUPLICATE_NAME when a cluster of the project has the name; CONCURRENT_CHANGE when another drew the same set name. */
MUST_USE error store_cluster_add(struct tx *tx, const struct cluster *cluster);
/*
 * Replaces document and state, and increases the generation. `is_in_force`: the change needs no work, so a cluster that
 * was up to date still is.
 */
MUST_USE error store_cluster_set(struct tx *tx, struct cluster *cluster, const json_t *document,
                                 enum cluster_state state, bool is_in_force);
/* Under another kind, with everything else as it is. */
MUST_USE error store_cluster_change_kind(struct tx *tx, struct cluster *cluster, str kind);

/* ---- Jobs ---- */
MUST_USE error store_cluster_lock_id(struct tx *tx, id organization, id project, id cluster, bool *ret_found,
                                     struct cluster *ret_cluster);
MUST_USE error store_cluster_set_state(struct tx *tx, const struct cluster *cluster, enum cluster_state state,
                                       int64_t observed);
/* Whether they differ from what was there. */
MUST_USE error store_cluster_set_parameters(struct tx *tx, const struct cluster *cluster, str parameters,
                                            bool *ret_changed);
/* The same of what members for analytics have instead of them. */
MUST_USE error store_cluster_set_analytics_parameters(struct tx *tx, const struct cluster *cluster, str parameters,
                                                      bool *ret_changed);
/* Members must apply something; *goal_generation of the cluster increases. */
MUST_USE error store_cluster_touch(struct tx *tx, struct cluster *cluster);
/* Members must restart for the goal as it is now; or every one that had to has. */
MUST_USE error store_cluster_require_restart(struct tx *tx, struct cluster *cluster, bool is_required);
/* Deletes the rows of a cluster without members, and everything that belongs to it. */
MUST_USE error store_cluster_remove(struct tx *tx, const struct cluster *cluster);
/* Jobs of the cluster that are not finished, besides this one. Those that wait for a maintenance window have not begun, and do
 * not count. */
MUST_USE error store_cluster_unfinished_jobs(struct tx *tx, const struct cluster *cluster, id besides,
                                             int64_t *ret_count);
/* Those that are not finished, besides jobs of this kind. */
MUST_USE error store_cluster_cancel_jobs(struct tx *tx, id organization, id cluster, str besides_kind);

/* ---- Members ---- */
struct cluster_member {
    id id;
    int ordinal, priority;
    enum member_desired desired;
    str size, provider, region;
    int64_t disk_gb;
    bool electable, analytics;
    bool host_drains; /* it is being emptied, or gone */
    bool
        host_leaves; /* and the member must leave it now: the host is gone, or the job that moves the member has begun */
    bool host_gone;  /* the operator removed it as lost: it will never report again */
    str address, private_address;
    enum member_unit unit; /* these as the agent said */
    enum member_role role;
    enum member_server server;
    str server_word, version, problem;
    int64_t applied_goal, restart_nonce, restart_goal, applied_restart;
    bool pending_restart;
};
enum { STORE_MAX_MEMBERS = 100 };
struct cluster_members {
    size_t count;
    struct cluster_member items[STORE_MAX_MEMBERS];
};
MUST_USE error store_cluster_members(struct tx *tx, id cluster, struct cluster_members *ret_members);

struct member_place {
    str provider, region, size;
    int64_t disk_gb;
    bool electable;
    int priority;
    bool analytics;
};
/* False when no host has room. */
MUST_USE error store_cluster_member_place(struct tx *tx, const struct cluster *cluster,
                                          const struct member_place *place, bool *ret_placed);
MUST_USE error store_cluster_member_release(struct tx *tx, id member);
MUST_USE error store_cluster_member_resize(struct tx *tx, id member, str size, int64_t disk_gb, bool *ret_resized);
/* Writes `desired`, `electable` and `priority` of the member as they are now in the struct. */
MUST_USE error store_cluster_member_want(struct tx *tx, id organization, const struct cluster_member *member);
/* Does nothing when one for this goal, or a later one, was requested. */
MUST_USE error store_cluster_member_restart_for(struct tx *tx, id organization, id member, int64_t goal);
/* Unless there was one since the nonce was this. */
MUST_USE error store_cluster_member_restart_after(struct tx *tx, id organization, id member, int64_t nonce);

/* ---- Names ---- */
MUST_USE error store_name_add(struct tx *tx, const struct cluster *cluster, str name, str type, str content);
/* The host's own records, and the services' that point to it. */
MUST_USE error store_name_remove(struct tx *tx, const struct cluster *cluster, str host, str service_target);
MUST_USE error store_name_remove_all(struct tx *tx, const struct cluster *cluster);

/* ---- Tasks of hosts ---- */
enum task_outcome { TASK_NONE, TASK_OPEN, TASK_DONE, TASK_FAILED };
/* Of the word in the row; empty: it is still open. */
enum task_outcome task_outcome_from(str word);
struct task_state {
    enum task_outcome outcome;
    str detail;
    id member;
    bool may_be_repeated; /* it ended some time ago: if it is still needed, another one may be added */
};
/* `parameters` is a JSON object. Its "purpose" is how a step that runs again finds its task. */
MUST_USE error store_task_add(struct tx *tx, id organization, id member, str kind, str parameters);
MUST_USE error store_task_find(struct tx *tx, const struct cluster *cluster, str kind, str purpose,
                               struct task_state *ret_state);

/* ---- What belongs to a cluster: outage simulations, loads of sample data ---- */
struct cluster_part {
    id id;
    str kind, name, document, state;
};
MUST_USE error store_part_lock(struct tx *tx, id project, str kind, str name, bool *ret_found,
                               struct cluster_part *ret_part);
MUST_USE error store_part_put(struct tx *tx, id organization, id project, const struct cluster_part *part);

struct part_place {
    id organization, project;
    str name;
};
enum { PART_PLACES_MAX = 100 };
/* Simulated outages whose time is over, of all organizations; not locked. */
MUST_USE error store_outages_expired(struct store *store, struct arena *arena,
                                     struct part_place ret_places[PART_PLACES_MAX], size_t *ret_count);

#endif
