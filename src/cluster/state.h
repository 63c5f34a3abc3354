/* SPDX-License-Identifier: Apache-2.0 */
/* What moves a cluster from one state to the next: a table, drawn in docs/internals/clusters.md. */
#ifndef CLUSTER_STATE_H
#define CLUSTER_STATE_H

#include <stdbool.h>
#include <stdio.h>

#include "store/cluster/cluster_state.h"

enum cluster_cause {
    CAUSE_CHANGE,   /* somebody asked for a change, and it was accepted */
    CAUSE_REPAIR,   /* a member must leave its host */
    CAUSE_REACHED,  /* the last of its jobs ended: everything that was requested is in force */
    CAUSE_TERMINATE /* its deletion was requested */
};

struct cluster_transition {
    enum cluster_state from;
    enum cluster_cause cause;
    enum cluster_state to;
    const char *why;
};
extern const struct cluster_transition cluster_transitions[];
extern const size_t cluster_transition_count;

/* False when the table has no such row: then the change is refused. */
MUST_USE bool cluster_state_next(enum cluster_state state, enum cluster_cause cause, enum cluster_state *ret_next);

#endif
