/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The difference between what the document of a cluster asks for and the members that there are: who stays in which group,
 * who goes, who is missing. A function of its arguments alone. Requests ask it what to reserve, and every step of a job asks
 * it again, so that a job which was interrupted, or overtaken by a newer document, goes on from what is there.
 */
#ifndef CLUSTER_PLAN_H
#define CLUSTER_PLAN_H

#include "base/id.h"
#include "cluster/wanted.h"

/* More than the document can ask for: those that replace others are there together with them for a while. */
enum { PLAN_MAX_MEMBERS = 2 * CLUSTER_MAX_MEMBERS };

struct plan_member {
    str provider, region, size;
    int64_t disk_gb;
    int ordinal;
    bool leaving; /* it was told to go, or its host is being emptied: it cannot be one of those that are asked for */
    bool is_primary;
    bool is_healthy;
    bool electable;
};

enum { GOES = -1 };
struct plan {
    int group[PLAN_MAX_MEMBERS];    /* of each member: the index of its group, or GOES */
    int missing[WANTED_MAX_GROUPS]; /* of each group: how many more are needed */
};

/* `count` is at most PLAN_MAX_MEMBERS. */
void plan_make(const struct wanted *wanted, const struct plan_member *members, size_t count, struct plan *ret_plan);

bool plan_has_missing(const struct plan *plan);
/* The group that the primary should be in: of those whose members may be elected, the one with the highest priority. */
int plan_preferred_group(const struct wanted *wanted);

#endif
