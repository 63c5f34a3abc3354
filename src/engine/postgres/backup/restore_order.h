/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `reeve-agent restore` is told, and what it says: files in the folder of a member. Root writes the first two; the folder is the member's, and what is
 * in it is looked at as the word of somebody else.
 */
#ifndef ENGINE_POSTGRES_BACKUP_RESTORE_ORDER_H
#define ENGINE_POSTGRES_BACKUP_RESTORE_ORDER_H

#include "engine/engine.h"

#define RESTORE_ORDER_FILE  "restore.json"
#define RESTORE_CONFIG      "restore.conf" /* of pgBackRest: how to reach the gate */
#define RESTORE_LAST_CONFIG "restore-last.conf"
#define RESTORE_FOLDER      "restore"
#define RESTORE_PROGRESS    RESTORE_FOLDER "/progress.json"
#define RESTORE_RESULT      RESTORE_FOLDER "/result.json"

/* The functions of struct engine. */
error restore_write_order(struct engine_member *self, str agent);
void restore_read_result(struct engine_member *self, struct engine_restored *ret_restored);
error restore_drop_files(struct engine_member *self);

#endif
