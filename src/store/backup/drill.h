/* SPDX-License-Identifier: Apache-2.0 */
/* Drills: trying whether backups can be restored. Rows are all that is written here; repository hosts find them in their goals. */
#ifndef STORE_BACKUP_DRILL_H
#define STORE_BACKUP_DRILL_H

#include "store/store.h"

#define DRILL_SETTINGS_KIND "backupDrillSettings" /* of a project without a name; of a cluster by its id */

/* ---- What the worker does, some at a time; each says how much ---- */
MUST_USE error store_drills_queue(struct store *store, struct arena *arena, int64_t limit, int *ret_count);
/* Each repository host that has none gets the next. */
MUST_USE error store_drills_give(struct store *store, struct arena *arena, int *ret_count);
/* Those that are not run within their time. */
MUST_USE error store_drills_give_up(struct store *store, struct arena *arena, int *ret_count);
MUST_USE error store_drills_prune(struct store *store, struct arena *arena, int64_t limit, int *ret_count);

enum { DRILLS_MAX = 100 };
struct ended_drill {
    id drill, organization, project;
    str cluster, state, document;
};
MUST_USE error store_drills_untold(struct store *store, struct arena *arena, struct ended_drill ret_drills[DRILLS_MAX],
                                   size_t *ret_count);
/* False in *ret_changed when somebody has told it before. */
MUST_USE error store_drill_tell(struct tx *tx, id project, id drill, bool *ret_changed);

struct overdue_stanza {
    id stanza, organization, project;
    str cluster, proven; /* when it last was; empty: never */
    bool is_overdue;
};
/* Those of which it is noted otherwise. */
MUST_USE error store_drills_overdue(struct store *store, struct arena *arena,
                                    struct overdue_stanza ret_stanzas[DRILLS_MAX], size_t *ret_count);
MUST_USE error store_drill_overdue_mark(struct tx *tx, id project, id stanza, bool is_overdue, bool *ret_changed);

/* ---- For operators ---- */
/* `state`, `count`, `overdue`. */
MUST_USE error store_drill_counts(struct store *store, struct arena *arena, struct rows *ret_rows);

/* ---- What tenants ask for ---- */
/* False in *ret_added when one is under way. */
MUST_USE error store_drill_add(struct tx *tx, id project, id stanza, id drill, bool *ret_added, str *ret_document);
/* The settings of a cluster, with those of its project, as they are shown. */
MUST_USE error store_drill_settings(struct tx *tx, id project, str cluster, str *ret_document, int64_t *ret_revision);

#endif
