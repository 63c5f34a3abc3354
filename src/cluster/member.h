/* SPDX-License-Identifier: Apache-2.0 */
/* What requests and jobs both have to know about one member. */
#ifndef CLUSTER_MEMBER_H
#define CLUSTER_MEMBER_H

#include "cluster/plan.h"
#include "store/cluster/cluster.h"
#include "store/offer/fleet_offer.h"

bool member_is_primary(const struct cluster_member *member);
/* Whether it runs as a replica or as the primary. */
bool member_is_up(const struct cluster_member *member);
/* Whether nothing of it is left on its host, or the host itself is gone. */
bool member_is_absent(const struct cluster_member *member);

/* The plan that turns these members into what is wanted. */
void members_plan(const struct wanted *wanted, const struct cluster_members *members, struct plan *ret_plan);
/*
 * Reserves a host for each member that the plan lacks. *ret_full is the first group that no host has room for; NULL:
 * all have one.
 */
MUST_USE error members_place_missing(struct tx *tx, const struct cluster *cluster, const struct wanted *wanted,
                                     const struct plan *plan, const struct wanted_group **ret_full);
/*
 * Reserves what a change asks for beyond what is there: more room for members that stay, and hosts for those that are missing. When *ret_full is not NULL there is
 * none, and the transaction must not commit.
 */
MUST_USE error members_make_room(struct tx *tx, const struct fleet_offer *offer, const struct cluster *cluster,
                                 const struct wanted *wanted, const struct wanted_group **ret_full);

#endif
