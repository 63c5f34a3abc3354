/* SPDX-License-Identifier: Apache-2.0 */
/* The difference between two goals, so that only threads with something to do are woken. */
#ifndef WIRE_GOAL_DIFF_H
#define WIRE_GOAL_DIFF_H

#include "wire/goal.h"

enum goal_part { PART_CLUSTER, PART_MEMBER, PART_TASK, PART_SEAT, PART_GATE };
enum goal_change_kind {
    CHANGE_ADDED,
    CHANGE_ALTERED,
    CHANGE_GONE, /* no longer in the document: left alone, whatever it is */
};
struct goal_change {
    enum goal_part part;
    enum goal_change_kind kind;
    id id;
};
struct goal_changes {
    size_t count;
    struct goal_change *items;
    bool everything; /* what concerns all members changed: the authority, or where etcd is */
};

/* Clusters first, then members, tasks, seats and gates; each in the order of ids. `before` may be NULL: everything is added. */
MUST_USE error goal_diff(struct arena *arena, const struct goal *before, const struct goal *after,
                         struct goal_changes *ret_changes);

#endif
