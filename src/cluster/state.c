/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/state.h"

// clang-format off
const struct cluster_transition cluster_transitions[] = {
    { CLUSTER_CREATING,  CAUSE_CHANGE,    CLUSTER_CREATING,  "It is still being made; the change follows when it is there." },
    { CLUSTER_CREATING,  CAUSE_REACHED,   CLUSTER_IDLE,      "All members run, and its names exist." },
    { CLUSTER_CREATING,  CAUSE_REPAIR,    CLUSTER_CREATING,  "A host is emptied before the cluster was ever whole." },
    { CLUSTER_CREATING,  CAUSE_TERMINATE, CLUSTER_DELETING,  "Whoever made it has thought better of it." },
    { CLUSTER_IDLE,      CAUSE_CHANGE,    CLUSTER_UPDATING,  "A change was accepted." },
    { CLUSTER_IDLE,      CAUSE_REPAIR,    CLUSTER_REPAIRING, "A member moves to another host." },
    { CLUSTER_IDLE,      CAUSE_REACHED,   CLUSTER_IDLE,      "What ended changed nothing." },
    { CLUSTER_IDLE,      CAUSE_TERMINATE, CLUSTER_DELETING,  "Its end was asked for." },
    { CLUSTER_UPDATING,  CAUSE_CHANGE,    CLUSTER_UPDATING,  "Another change before the last one was in force." },
    { CLUSTER_UPDATING,  CAUSE_REPAIR,    CLUSTER_UPDATING,  "The tenant's own change matters more to them." },
    { CLUSTER_UPDATING,  CAUSE_REACHED,   CLUSTER_IDLE,      "The last change is in force on every member." },
    { CLUSTER_UPDATING,  CAUSE_TERMINATE, CLUSTER_DELETING,  "Its end was asked for; what was under way is cancelled." },
    { CLUSTER_REPAIRING, CAUSE_CHANGE,    CLUSTER_UPDATING,  "A change was accepted while a member moves." },
    { CLUSTER_REPAIRING, CAUSE_REPAIR,    CLUSTER_REPAIRING, "Another host is emptied." },
    { CLUSTER_REPAIRING, CAUSE_REACHED,   CLUSTER_IDLE,      "Every member is where it should be." },
    { CLUSTER_REPAIRING, CAUSE_TERMINATE, CLUSTER_DELETING,  "Its end was asked for; what was under way is cancelled." },
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
