/* SPDX-License-Identifier: Apache-2.0 */
/* How far a cluster is. In the database and in the API these are words; what moves it from one to the next is in cluster/state.h. */
#ifndef STORE_CLUSTER_CLUSTER_STATE_H
#define STORE_CLUSTER_CLUSTER_STATE_H

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
enum cluster_state cluster_state_from(str word);                       /* CLUSTER_STATE_COUNT: it is none */

#endif
