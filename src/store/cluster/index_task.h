/* SPDX-License-Identifier: Apache-2.0 */
/* Indexes that hosts are asked to build, and the clusters that they are built on. */
#ifndef STORE_CLUSTER_INDEX_TASK_H
#define STORE_CLUSTER_INDEX_TASK_H

#include "store/cluster/cluster.h"

struct index_task {
    bool cluster_exists, has_primary, is_asked;
    id primary, member; /* who should have the task, and who has it */
    enum task_outcome outcome;
    str detail;
};
MUST_USE error store_index_task(struct tx *tx, id organization, id cluster, id task, struct index_task *ret_task);
MUST_USE error store_index_task_add(struct tx *tx, id organization, id task, id member, str parameters);
MUST_USE error store_index_task_remove(struct tx *tx, id organization, id task);

#endif
