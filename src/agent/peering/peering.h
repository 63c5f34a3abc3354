/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One peering on this host: an interface of WireGuard whose private key is made here and never leaves, with routes that only answers of the project's members
 * take. Everything may have been done already, or half of it.
 */
#ifndef AGENT_PEERING_PEERING_H
#define AGENT_PEERING_PEERING_H

#include "agent/member.h"
#include "wire/peering/report_peering.h"

#define PEERINGS_FOLDER STATE_FOLDER "/peerings" /* a folder for each, root's own */

/* `all` are those of the goal. */
void peering_pass(const struct member_host *host, struct arena *arena, const struct goal_peerings *all,
                  const struct goal_peering *peering, struct report_peering *ret_report);
/* Nothing of it is left, its key included. What another of the goal has made since, with the same port, stays. */
MUST_USE error peering_remove(const struct member_host *host, struct arena *arena, const struct goal_peerings *all,
                              id peering);

#endif
