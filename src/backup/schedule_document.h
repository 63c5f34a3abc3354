/* SPDX-License-Identifier: Apache-2.0 */
/* The schedule of a cluster as the API shows it and the store keeps it, read into what backup/schedule.h counts with. */
#ifndef BACKUP_SCHEDULE_DOCUMENT_H
#define BACKUP_SCHEDULE_DOCUMENT_H

#include <jansson.h>

#include "backup/schedule.h"
#include "base/arena.h"

#define SCHEDULE_KIND "backupSchedule" /* of the resource; its name is the cluster's id */

/* Fields that are kept and not shown. */
#define SCHEDULE_CHANGED_AT   "changedAt"
#define SCHEDULE_EXPORT_SINCE "exportSince" /* snapshots that are completed from then on are exported */

/* The rules of the schedule, a list; NULL when there is no policy in it. */
json_t *schedule_document_items(const json_t *document);
/* One rule; false when a word is not known. */
bool schedule_document_item(const json_t *item, struct schedule_item *ret_item);
/* False when it is not a schedule. Items keep their places. */
bool schedule_document_read(const json_t *document, struct schedule *ret_schedule);
/* Notes when it was changed: what was due before by another form of it is not late. */
void schedule_document_touch(struct arena *arena, json_t *document, int64_t now_ms);

#endif
