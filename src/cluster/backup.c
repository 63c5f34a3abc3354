/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/backup.h"

#include "cluster/plan.h"

/*
 * Of a cluster's disk. The schedule that a cluster begins with keeps up to 16 full backups and what lies between; they are compressed, and
 * disks are seldom full. Hosts report what is really used.
 */
enum { RESERVED_TIMES = 2 };

const char *const backup_fields[2] = { "backupEnabled", "pitEnabled" };

struct seat_place
backup_place(const struct wanted *wanted)
{
    int preferred = plan_preferred_group(wanted);
    const struct wanted_group *group = &wanted->groups[preferred < 0 ? 0 : preferred];
    return (struct seat_place){ group->provider, group->region, wanted->disk_gb * RESERVED_TIMES };
}
