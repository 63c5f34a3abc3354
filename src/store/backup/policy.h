/* SPDX-License-Identifier: Apache-2.0 */
/* What a project's compliance policy is about: its schedules, its clusters, and what is protected. */
#ifndef STORE_BACKUP_POLICY_H
#define STORE_BACKUP_POLICY_H

#include "store/store.h"

#define COMPLIANCE_POLICY_KIND "backupCompliancePolicy" /* the resource; its name is empty */

struct stored_schedule {
    id id;
    str document;
};
/* Locks the project: whoever sets a policy and whoever wants a cluster without backups wait for each other. */
MUST_USE error store_backup_policy_hold(struct tx *tx, id organization, id project);
/* All schedules of a project, locked until the transaction ends. */
MUST_USE error store_backup_schedules_lock(struct tx *tx, id project, size_t *ret_count,
                                           struct stored_schedule **ret_schedules);
/* The name of a dedicated cluster of the project that has no backups; empty when each has. */
MUST_USE error store_backup_bare_cluster(struct tx *tx, id project, str *ret_name);
/* Until when the last of the project's snapshots is protected; 0 when none is. */
MUST_USE error store_backup_protected_until(struct tx *tx, id project, int64_t *ret_protected_ms);

#endif
