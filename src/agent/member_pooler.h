/* SPDX-License-Identifier: Apache-2.0 */
/* The unit beside a member in which its pooler runs: beside a primary, and nowhere else (docs/internals/pooler.md). */
#ifndef AGENT_MEMBER_POOLER_H
#define AGENT_MEMBER_POOLER_H

#include "agent/member.h"

/* "reeve-member-<id>-pooler.service" */
str member_pooler_unit(struct arena *arena, id member);

/* Follows the goal and the member's role, which `report` has; says there what came of it. The member runs whether it works or not. */
MUST_USE error member_pooler_keep(const struct member_host *host, struct engine_member *self,
                                  struct engine_progress *progress, struct report_member *report);
MUST_USE error member_pooler_drop(const struct member_host *host, struct engine_member *self);

#endif
