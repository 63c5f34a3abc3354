/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The difference between the document of a cluster and its members: who stays in which group, who goes, who is missing.
 * It depends only on its arguments. Requests use it to reserve hosts, and every step of a job computes it again, so
 * that a job that was interrupted, or overtaken by a newer document, continues with the present members.
 */
#ifndef CLUSTER_PLAN_H
#define CLUSTER_PLAN_H

#include "base/id.h"
#include "cluster/wanted.h"

/* More than the document can ask for: for a while there are both the old members and those that replace them. */
enum { PLAN_MAX_MEMBERS = 2 * CLUSTER_MAX_MEMBERS };

struct plan_member {
    str provider, region, size;
    int64_t disk_gb;
    int ordinal;
    bool leaving; /* it must go, or its host is drained: it does not count as a wanted member */
    bool is_primary;
    bool is_healthy;
    bool electable;
    bool analytics;
};

enum { GOES = -1 };
struct plan {
    int group[PLAN_MAX_MEMBERS];    /* of each member: the index of its group, or GOES */
    int missing[WANTED_MAX_GROUPS]; /* of each group: how many more are needed */
};

/* `count` is at most PLAN_MAX_MEMBERS. */
void plan_make(const struct wanted *wanted, const struct plan_member *members, size_t count, struct plan *ret_plan);

bool plan_has_missing(const struct plan *plan);
/* The group that the primary should be in: the electable group with the highest priority. */
int plan_preferred_group(const struct wanted *wanted);

#endif
