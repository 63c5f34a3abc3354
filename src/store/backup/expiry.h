/* SPDX-License-Identifier: Apache-2.0 */
/* What the worker does to snapshots of all tenants: their end, what protects them, and whether they come in time. */
#ifndef STORE_BACKUP_EXPIRY_H
#define STORE_BACKUP_EXPIRY_H

#include "store/store.h"

/* ---- The end of snapshots; each does some of it and says how much. ---- */
MUST_USE error store_snapshots_expire(struct store *store, struct arena *arena, int64_t limit, int *ret_count);
/* Copies that nothing needs are to be removed by their hosts. */
MUST_USE error store_snapshot_copies_release(struct store *store, struct arena *arena, int64_t limit, int *ret_count);
MUST_USE error store_snapshots_prune(struct store *store, struct arena *arena, int64_t limit, int *ret_count);

/* ---- Protection ---- */
struct backup_project {
    id organization, project;
};
enum { BACKUP_PROJECTS_MAX = 100 };
/* Projects whose policy does not protect all of their snapshots yet. */
MUST_USE error store_backup_unprotected(struct store *store, struct arena *arena,
                                        struct backup_project ret_projects[BACKUP_PROJECTS_MAX], size_t *ret_count);

/* ---- Schedules ---- */
struct walked_schedule {
    id stanza, organization, project;
    str name, cluster, document;
    bool is_late;      /* as it was noted */
    int64_t newest_ms; /* nothing before this moment is asked for any more */
};
enum { BACKUP_WALK_MAX = 100 };
MUST_USE error store_backup_schedules_walk(struct store *store, struct arena *arena, id after,
                                           struct walked_schedule ret_schedules[BACKUP_WALK_MAX], size_t *ret_count);
/* False in *ret_changed when somebody has noted it before. */
MUST_USE error store_backup_schedule_mark(struct tx *tx, id project, str name, bool is_late, bool *ret_changed);

#endif
