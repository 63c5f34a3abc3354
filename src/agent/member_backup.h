/* SPDX-License-Identifier: Apache-2.0 */
/* The unit beside a member that its repository hosts read its data through. */
#ifndef AGENT_MEMBER_BACKUP_H
#define AGENT_MEMBER_BACKUP_H

#include "agent/member.h"

/* "reeve-member-<id>-backup.service" */
str member_backup_unit(struct arena *arena, id member);

/* There when the cluster has backups, and gone when it has none. The member runs whether it works or not. */
MUST_USE error member_backup_keep(const struct member_host *host, struct engine_member *self,
                                  struct engine_progress *progress);
MUST_USE error member_backup_drop(const struct member_host *host, struct engine_member *self);

#endif
