/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder of a seat. Its programs run as its user and read what root wrote for them; what they wrote root reads as what it
 * is, the word of somebody else.
 *
 *   <folder>/                              root:seat  0750
 *   pgbackrest.conf, push.conf             root:seat  0640   the repository's cipher pass and keys are in them
 *   receive.json, order.json, tls/…        root:seat  0640
 *   jobs.json, protected.json, drill.json, export.json, download.json, verify.json  root:root  0600   the agent's own memory
 *   repo/, wal/, aside/, spool/, state/    seat:seat  0700
 */
#ifndef AGENT_SEAT_SEAT_FILES_H
#define AGENT_SEAT_SEAT_FILES_H

#include "agent/seat/seat.h"
#include "base/json.h"

MUST_USE error seat_folders(struct seat_pass *pass);
/* `ret_changed` says that the receiver must be started anew. */
MUST_USE error seat_files(struct seat_pass *pass, bool *ret_changed);
/* Everything about the repository and, with members, how they are reached: for tests. */
str seat_config_text(struct arena *arena, const struct goal_seat *seat, str folder, bool with_members);

/* The agent's own memory. `otherwise` when there is none; NULL when it cannot be understood. */
json_t *seat_own_read(struct seat_pass *pass, const char *name, json_t *otherwise);
MUST_USE error seat_own_write(struct seat_pass *pass, const char *name, const json_t *content);

#endif
