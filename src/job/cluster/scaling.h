/* SPDX-License-Identifier: Apache-2.0 */
/* What the worker's look at clusters that change their size by themselves is made of (docs/internals/scaling.md). */
#ifndef JOB_CLUSTER_SCALING_H
#define JOB_CLUSTER_SCALING_H

#include "cluster/scaling.h"
#include "job/job.h"
#include "store/cluster/scaling/scaling_watch.h"

/* ---- scaling_measure.c ---- */
/* The last whole minute of which everything has arrived. */
int64_t scaling_end_ms(int64_t now_ms);
/* What the stores have of a member, until then. What they do not have is NAN, also where there is no store; an error only when none answers. */
MUST_USE error scaling_measure(struct sweep_context *context, id project, id member, int64_t end_ms, int64_t disk_gb,
                               struct scaling_member *ret_member);

/* ---- scaling_order.c ---- */
enum scaling_part { SCALING_COMPUTE, SCALING_DISK, SCALING_PARTS };
extern const char *const scaling_part_names[SCALING_PARTS]; /* as the API shows them */

struct scaling_look {
    struct sweep_context *context;
    struct arena *arena; /* of this cluster's */
    const struct fleet_offer *offer;
    struct scaled_cluster *cluster;
    int64_t now_ms;
};
/*
 * Orders the change as an update by a person is ordered, in one transaction with its events and the note of it. When that cannot be, the decision becomes what kept
 * it back; when the cluster is not as it was when it was looked at, nothing happens, and *ret_ordered is false as well.
 */
MUST_USE error scaling_order(const struct scaling_look *look, enum scaling_part part, struct scaling_decision *decision,
                             bool *ret_ordered);
/* Notes what was found, when that is new, and tells what keeps a change back, once. `changed`: what was measured so far does not count any more. */
MUST_USE error scaling_note(const struct scaling_look *look, const struct scaling_decision decisions[SCALING_PARTS],
                            bool is_changed);

#endif
