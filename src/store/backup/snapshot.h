/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshots as tenants change them. A row is all that a change writes: the repository hosts find it in their goals. What is protected
 * stays whoever asks: the statements themselves refuse it.
 */
#ifndef STORE_BACKUP_SNAPSHOT_H
#define STORE_BACKUP_SNAPSHOT_H

#include "store/store.h"

/* The forms of snapshot_json(). */
#define SNAPSHOT_FORM        "backup"
#define SNAPSHOT_FORM_LEGACY "legacy"
#define SNAPSHOT_FORM_FLEX   "flex"

/* ---- What a snapshot is taken into ---- */
struct open_stanza {
    id id;
    bool is_busy; /* a snapshot that somebody asked for is not finished */
};
/* Locked. *ret_found is false when the cluster has no backups. */
MUST_USE error store_stanza_lock(struct tx *tx, id project, id cluster, bool *ret_found,
                                 struct open_stanza *ret_stanza);

/* ---- One snapshot ---- */
struct snapshot_draft {
    id project, stanza, id;
    str description; /* empty: none */
    int64_t expires_ms;
};
MUST_USE error store_snapshot_add(struct tx *tx, const struct snapshot_draft *draft);

struct snapshot_place {
    id project, snapshot;
    str kind, cluster; /* of the cluster, and its name */
    str form;
};
struct snapshot {
    str document; /* as the form shows it */
    int64_t revision;
    int64_t protected_ms; /* 0: it is not */
};
MUST_USE error store_snapshot_get(struct tx *tx, const struct snapshot_place *place, struct snapshot *ret_snapshot);
/* Locked until the transaction ends. *ret_found is false when there is none that is shown. */
MUST_USE error store_snapshot_lock(struct tx *tx, const struct snapshot_place *place, bool *ret_found,
                                   struct snapshot *ret_snapshot);
/* Until another moment; 0: for good. False in *ret_kept when that is before the end of its protection. */
MUST_USE error store_snapshot_keep(struct tx *tx, id project, id snapshot, int64_t expires_ms, bool *ret_kept);
/* False in *ret_hidden when it is protected. */
MUST_USE error store_snapshot_hide(struct tx *tx, id project, id snapshot, bool *ret_hidden);

/* ---- Many at a time ---- */
/* Scheduled snapshots of a cluster are kept as this schedule says, but no less long than they are protected. */
MUST_USE error store_snapshots_keep_by_schedule(struct tx *tx, id project, id cluster, str schedule);
/* Those of no rule of this schedule are deleted, unless they are protected. */
MUST_USE error store_snapshots_hide_without_rule(struct tx *tx, id project, id cluster, str schedule);
/* All of a project, until they expire. */
MUST_USE error store_snapshots_protect(struct tx *tx, id project);

#endif
