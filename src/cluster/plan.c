/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/plan.h"

/*
 * Who is taken first when there are more members than places. The right size comes before everything else: a member that
 * could not grow on its host was given a replacement, and that one must win. Then whoever moving would disturb most.
 */
static int
rank(const struct wanted *wanted, const struct wanted_group *group, const struct plan_member *member)
{
    bool right_size = str_eq(member->size, group->size) && member->disk_gb == wanted->disk_gb;
    return right_size * 8 + member->is_primary * 4 + (member->electable == group->electable) * 2 + member->is_healthy;
}

/* One that is for analytics never becomes one of the others, nor the reverse: strings that are in use would lead elsewhere. */
static bool
fits(const struct wanted_group *group, const struct plan_member *member)
{
    return !member->leaving && member->analytics == group->analytics && str_eq(group->provider, member->provider) &&
           str_eq(group->region, member->region);
}

/* The best of those that no group has taken yet, or -1. Among equals the oldest. */
static int
best_of(const struct wanted *wanted, const struct wanted_group *group, const struct plan_member *members, size_t count,
        const struct plan *plan)
{
    int best = -1;
    for (size_t i = 0; i < count; i++) {
        if (plan->group[i] != GOES || !fits(group, &members[i]))
            continue;
        int better = best < 0 ? 1 : rank(wanted, group, &members[i]) - rank(wanted, group, &members[best]);
        if (better > 0 || (better == 0 && members[i].ordinal < members[best].ordinal))
            best = (int)i;
    }
    return best;
}

void
plan_make(const struct wanted *wanted, const struct plan_member *members, size_t count, struct plan *ret_plan)
{
    struct plan plan = { 0 };
    for (size_t i = 0; i < PLAN_MAX_MEMBERS; i++)
        plan.group[i] = GOES;
    /* Groups of electable members stand before the read-only ones of their region, so they choose first. */
    for (size_t g = 0; g < wanted->group_count; g++) {
        for (int n = 0; n < wanted->groups[g].count; n++) {
            int taken = best_of(wanted, &wanted->groups[g], members, count, &plan);
            if (taken < 0) {
                plan.missing[g] = wanted->groups[g].count - n;
                break;
            }
            plan.group[taken] = (int)g;
        }
    }
    *ret_plan = plan;
}

bool
plan_has_missing(const struct plan *plan)
{
    for (size_t g = 0; g < WANTED_MAX_GROUPS; g++) {
        if (plan->missing[g] > 0)
            return true;
    }
    return false;
}

int
plan_preferred_group(const struct wanted *wanted)
{
    int preferred = -1;
    for (size_t g = 0; g < wanted->group_count; g++) {
        if (wanted->groups[g].electable &&
            (preferred < 0 || wanted->groups[g].priority > wanted->groups[preferred].priority))
            preferred = (int)g;
    }
    return preferred;
}
