/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/member.h"

bool
member_is_primary(const struct cluster_member *member)
{
    return member->role == MEMBER_IS_PRIMARY;
}

/* Patroni says `running` also of a replica that receives nothing. */
bool
member_is_up(const struct cluster_member *member)
{
    enum member_server wanted = member_is_primary(member) ? SERVER_RUNNING : SERVER_STREAMING;
    return member->unit == UNIT_ACTIVE && member->role != MEMBER_HAS_NO_ROLE && member->server == wanted;
}

bool
member_is_absent(const struct cluster_member *member)
{
    return member->host_gone || member->unit == UNIT_ABSENT;
}

static struct plan_member
as_planned(const struct cluster_member *member)
{
    return (struct plan_member){
        .provider = member->provider,
        .region = member->region,
        .size = member->size,
        .disk_gb = member->disk_gb,
        .ordinal = member->ordinal,
        .leaving = member->host_leaves || member->desired == MEMBER_REMOVED,
        .is_primary = member_is_primary(member),
        .is_healthy = member_is_up(member),
        .electable = member->electable,
        .analytics = member->analytics,
    };
}

void
members_plan(const struct wanted *wanted, const struct cluster_members *members, struct plan *ret_plan)
{
    struct plan_member seen[STORE_MAX_MEMBERS];
    for (size_t i = 0; i < members->count; i++)
        seen[i] = as_planned(&members->items[i]);
    plan_make(wanted, seen, members->count, ret_plan);
}

error
members_place_missing(struct tx *tx, const struct cluster *cluster, const struct wanted *wanted,
                      const struct plan *plan, const struct wanted_group **ret_full)
{
    *ret_full = NULL;
    for (size_t g = 0; g < wanted->group_count; g++) {
        const struct wanted_group *group = &wanted->groups[g];
        struct member_place place = { group->provider,  group->region,   group->size,     wanted->disk_gb,
                                      group->electable, group->priority, group->analytics };
        for (int n = 0; n < plan->missing[g]; n++) {
            bool placed;
            TRY(store_cluster_member_place(tx, cluster, &place, &placed));
            if (!placed) {
                *ret_full = group;
                return OK;
            }
        }
    }
    return OK;
}

static bool
is_larger(const struct fleet_offer *offer, str size, int64_t disk_gb, const struct cluster_member *member)
{
    const struct offered_size *has = offer_size(offer, member->size), *wants = offer_size(offer, size);
    return has == NULL || wants == NULL || wants->memory_mb > has->memory_mb || wants->cpus > has->cpus ||
           disk_gb > member->disk_gb;
}

error
members_make_room(struct tx *tx, const struct fleet_offer *offer, const struct cluster *cluster,
                  const struct wanted *wanted, const struct wanted_group **ret_full)
{
    struct cluster_members members;
    struct plan plan;
    TRY(store_cluster_members(tx, cluster->id, &members));
    members_plan(wanted, &members, &plan);
    /* Who stays and must grow does so where it is, or leaves its place to one that has the size from the beginning. */
    for (size_t i = 0; i < members.count; i++) {
        struct cluster_member *member = &members.items[i];
        bool resized;
        if (plan.group[i] == GOES)
            continue;
        str size = wanted->groups[plan.group[i]].size;
        if (!is_larger(offer, size, wanted->disk_gb, member))
            continue;
        TRY(store_cluster_member_resize(tx, member->id, size, wanted->disk_gb, &resized));
        member->host_leaves = !resized;
        member->size = resized ? size : member->size;
        member->disk_gb = resized ? wanted->disk_gb : member->disk_gb;
    }
    members_plan(wanted, &members, &plan);
    return members_place_missing(tx, cluster, wanted, &plan, ret_full);
}
