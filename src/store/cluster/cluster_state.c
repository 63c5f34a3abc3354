/* SPDX-License-Identifier: Apache-2.0 */
#include "store/cluster/cluster_state.h"

const char *const cluster_state_names[] = {
    [CLUSTER_CREATING] = "CREATING",   [CLUSTER_IDLE] = "IDLE",         [CLUSTER_UPDATING] = "UPDATING",
    [CLUSTER_REPAIRING] = "REPAIRING", [CLUSTER_DELETING] = "DELETING", NULL,
};

enum cluster_state
cluster_state_from(str word)
{
    int at = str_word(word, cluster_state_names);
    return at < 0 ? CLUSTER_STATE_COUNT : (enum cluster_state)at;
}
