/* SPDX-License-Identifier: Apache-2.0 */
/* The states of a cluster, and what moves it from one to the next: a table, drawn in docs/internals/clusters.md. */
#ifndef CLUSTER_STATE_H
#define CLUSTER_STATE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/str.h"

enum cluster_state {
    CLUSTER_CREATING,
    CLUSTER_IDLE,
    CLUSTER_UPDATING,
    CLUSTER_REPAIRING,
    CLUSTER_DELETING,
    CLUSTER_STATE_COUNT
};
extern const char *const cluster_state_names[CLUSTER_STATE_COUNT + 1]; /* NULL at the end */

enum cluster_cause {
    CAUSE_CHANGE,   /* somebody asked for a change, and it was accepted */
    CAUSE_REPAIR,   /* a member must leave its host */
    CAUSE_REACHED,  /* the last of its jobs ended: everything that was asked for is so */
    CAUSE_TERMINATE /* somebody asked for its end */
};

struct cluster_transition {
    enum cluster_state from;
    enum cluster_cause cause;
    enum cluster_state to;
    const char *why;
};
extern const struct cluster_transition cluster_transitions[];
extern const size_t cluster_transition_count;

/* False when the table has no such row: then what was tried is refused. */
MUST_USE bool cluster_state_next(str state, enum cluster_cause cause, str *ret_next);

#endif
