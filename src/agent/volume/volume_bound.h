/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of its file system a member has: all but the file VOLUME_LATER, which becomes shorter when its disk grows. Full ones have taken that much of the host's
 * disk before their member can write to it.
 */
#ifndef AGENT_VOLUME_VOLUME_BOUND_H
#define AGENT_VOLUME_VOLUME_BOUND_H

#include "agent/volume/volume_plan.h"
#include "engine/problem.h"

/*
 * As large as the cluster says, and never smaller than it was. The volume is mounted. `ret_is_bound`: it has a bound at all, so that its member may write to it;
 * `ret_grew` is left alone when it did not.
 */
MUST_USE error volume_bound_keep(struct arena *arena, id member, enum volume_part part, int64_t disk_gb,
                                 bool *ret_is_bound, bool *ret_grew);

#endif
