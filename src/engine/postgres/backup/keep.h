/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `reeve-agent keep`: does what the agent has ordered with one repository, and says what is in it. It runs as the user of the seat, who
 * alone may read the repository.
 *
 * The order: {"number", "backup": null or {"snapshot", "type", "annotations": {…}}, "remove": [label …], "windowDays": 0 when all WAL is to stay,
 *   "isWalLeftOut": moments before the newest full backup are not wanted, "isLast"}.
 * What it came to: {"number", "backupProblem", "removeProblem", "lookProblem", "shortenedMs": the end of the full backup before which WAL was removed,
 *   "usedBytes", "atMs", "info": as pgBackRest says, with "error" and "damage" in what is found to be damaged (verify.h), "holes": WAL that is missing
 *   (wal_holes.h)}.
 */
#ifndef ENGINE_POSTGRES_BACKUP_KEEP_H
#define ENGINE_POSTGRES_BACKUP_KEEP_H

#include "base/json.h"
#include "engine/problem.h"

/* Nothing of what was ordered is done twice. An error: not even what is there can be said. */
MUST_USE error keep_run(struct arena *arena, str folder);

/* Backups of the one stanza in what `info` says. */
json_t *keep_backups(const json_t *info);
/* Why the repository could not be read, as `info` says, which ends well and lists nothing then; empty: it was read. */
str keep_unreadable(const json_t *info);
/* Whether the stanza is there, with or without backups. */
bool keep_has_stanza(const json_t *info);
/* How many full backups, from the newest on, need all WAL since: up to the newest sound one that ended by `window_ms`. 0: there is none. */
int64_t keep_fulls_with_wal(const json_t *info, int64_t window_ms, int64_t *ret_end_ms);
/* The labels that a line of `expire --dry-run` names as removed, one after the other; false at the end. */
bool keep_next_removed(str *rest, str *ret_label);
/* Whether only that one would go, as `expire --dry-run` says; and folders that a removal left which was broken off: they are in no list any more. */
MUST_USE error keep_check_removal(struct arena *arena, const json_t *info, str said, str label);
/* Whether `expire` would put something right that was broken off, and remove nothing that is listed. */
bool keep_is_unsettled(const json_t *info, str said);

#endif
