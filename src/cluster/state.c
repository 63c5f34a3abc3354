/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/state.h"

// clang-format off
const struct cluster_transition cluster_transitions[] = {
    { CLUSTER_CREATING,  CAUSE_CHANGE,    CLUSTER_CREATING,  "The cluster is still being made; the change follows." },
    { CLUSTER_CREATING,  CAUSE_REACHED,   CLUSTER_IDLE,      "All members run, and its names exist." },
    { CLUSTER_CREATING,  CAUSE_REPAIR,    CLUSTER_CREATING,  "A host is drained before the cluster was complete." },
    { CLUSTER_CREATING,  CAUSE_TERMINATE, CLUSTER_DELETING,  "Its deletion was requested while it was being made." },
    { CLUSTER_IDLE,      CAUSE_CHANGE,    CLUSTER_UPDATING,  "A change was accepted." },
    { CLUSTER_IDLE,      CAUSE_REPAIR,    CLUSTER_REPAIRING, "A member moves to another host." },
    { CLUSTER_IDLE,      CAUSE_REACHED,   CLUSTER_IDLE,      "The job that ended changed nothing." },
    { CLUSTER_IDLE,      CAUSE_TERMINATE, CLUSTER_DELETING,  "Its deletion was requested." },
    { CLUSTER_UPDATING,  CAUSE_CHANGE,    CLUSTER_UPDATING,  "Another change was accepted before the last one was in force." },
    { CLUSTER_UPDATING,  CAUSE_REPAIR,    CLUSTER_UPDATING,  "The tenant's own change is more important." },
    { CLUSTER_UPDATING,  CAUSE_REACHED,   CLUSTER_IDLE,      "The last change is in force on every member." },
    { CLUSTER_UPDATING,  CAUSE_TERMINATE, CLUSTER_DELETING,  "Its deletion was requested; running jobs are cancelled." },
    { CLUSTER_REPAIRING, CAUSE_CHANGE,    CLUSTER_UPDATING,  "A change was accepted while a member moves." },
    { CLUSTER_REPAIRING, CAUSE_REPAIR,    CLUSTER_REPAIRING, "Another host is drained." },
    { CLUSTER_REPAIRING, CAUSE_REACHED,   CLUSTER_IDLE,      "Every member is where it should be." },
    { CLUSTER_REPAIRING, CAUSE_TERMINATE, CLUSTER_DELETING,  "Its deletion was requested; running jobs are cancelled." },
    /* Nothing leads out of DELETING but the end: the row goes. */
};
// clang-format on
const size_t cluster_transition_count = LENGTH(cluster_transitions);

bool
cluster_state_next(enum cluster_state state, enum cluster_cause cause, enum cluster_state *ret_next)
{
    for (size_t i = 0; i < LENGTH(cluster_transitions); i++) {
        const struct cluster_transition *row = &cluster_transitions[i];
        if (row->cause == cause && row->from == state) {
            *ret_next = row->to;
            return true;
        }
    }
    return false;
}
