/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A member of a cluster that is restored (docs/internals/backups.md#restores). What it had is moved aside, never removed before the control plane says so;
 * how far it is stands in a file of root's, so that an agent that was killed goes on where it was.
 */
#ifndef AGENT_RESTORE_MEMBER_RESTORE_H
#define AGENT_RESTORE_MEMBER_RESTORE_H

#include "agent/restore/member_way.h"

/* "reeve-member-<id>-restore.service" */
str member_restore_unit(struct arena *arena, id member);
/* A pass of a member that should run. Without a restore in the goal, and nothing left of one, it is member_bring_up(). */
MUST_USE error member_restore_way(struct pass *pass);
/* Nothing of a restore is left but what is in the member's folder. */
MUST_USE error member_restore_drop(struct pass *pass);

#endif
